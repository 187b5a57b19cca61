"""Dialogues as the paper's JSON has them: what its files hold, for tests that read such files."""

from __future__ import annotations

from typing import Any

from toologue.formats.literals import output_of
from toologue.formats.tooldial import as_published, state_json, status_of
from toologue.schema import AgentTurn, Dialogue

_SYSTEM_ACTION = {"call": "call", "response": "respond"}


def record_of(dialogue: Dialogue) -> dict[str, Any]:
    """The paper's object of a dialogue, with the paper's states."""
    entries: list[dict[str, Any]] = []
    mocks: dict[str, list[Any]] = {"source": [], "target": []}
    for turn in as_published(dialogue).turns:
        if turn.role == "user":
            entries.append({"User": {"message": turn.text, "action": turn.action}})
            continue
        entries.append({"System": _system(turn)})
        for role, made in mocks.items():
            if turn.action == "call" and entries[-1]["System"]["api_request"]["api_name"] == dialogue.origin.get(role):
                output = {"response": entries[-1]["System"]["api_response"]["result"]}
                made.append({**entries[-1]["System"]["api_request"], "output_components": output})
    head = {name: str(dialogue.origin.get(name, "")) for name in ("source", "target")}
    return {"subgraph_type": "yesyes", **head, "mockdata": mocks, "dialogue": entries}


def _system(turn: AgentTurn) -> dict[str, Any]:
    state, request, response = state_json(turn.state), {}, {}
    if turn.state is not None and turn.state.api is not None:
        state["api_status"]["system_action"] = _SYSTEM_ACTION.get(turn.action or "", "stand_by")
    for act, result in zip(turn.acts, turn.results, strict=True):
        if act.kind == "call" and turn.state is not None and result is not None:
            slots = {"required_parameters": turn.state.required, "optional_parameters": turn.state.optional}
            request = {"api_name": act.api, **{k: {n: v for n, v in s.items() if v != ""} for k, s in slots.items()}}
            response = {"api_name": act.api, "result": output_of(result)}
    return {
        "thought": turn.thought,
        "action": turn.action,
        "retriever_status": status_of(turn),
        "api_request": request,
        "api_response": response,
        "message": turn.text or "",
        "dialogue_state": state,
    }
