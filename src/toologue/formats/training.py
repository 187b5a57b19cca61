"""Dialogues as rows of training data, in the forms that trainers read (docs/chains.md): one JSON object a dialogue.

What is said in several turns is one entry of sharegpt, parallel calls are a list in one; in hf what has no type of its
own (values, acts, results, states) is JSON in a string. In openai and sharegpt Apis and the retriever are functions
(`formats.functions`), instructions and facts the system message. Labels stand in hf and tooldial, programs in hf alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from toologue.errors import BadSetting, UnknownName
from toologue.formats.functions import as_calls, as_functions
from toologue.formats.literals import output_of
from toologue.formats.openai import prompt, tools
from toologue.schema import AgentTurn, Api, Brief, Call, Dialogue, Turn

ExportName = Literal["openai", "sharegpt", "hf", "tooldial"]
Row = dict[str, Any]
Documents = Mapping[str, Api]


def exported(dialogue: Dialogue, to: ExportName, documents: Documents) -> Row:
    """The row of a dialogue; but in hf without the customer's goodbye at its end. `documents` are those of its Apis.

    Raises UnknownName for an Api without a document, BadSetting for a program.
    """
    last = dialogue.turns[-1] if dialogue.turns else None
    if to != "hf" and last is not None and last.role == "user" and last.stop == "done":
        dialogue = dialogue.replace(turns=dialogue.turns[:-1])
    return _ROWS[to](dialogue, documents)


def _openai(dialogue: Dialogue, documents: Documents) -> Row:
    brief = _brief(dialogue, documents)
    row: Row = {"messages": prompt(brief, list(map(as_calls, dialogue.turns)))}
    return {**row, "tools": tools(brief.apis)} if brief.apis else row


def _sharegpt(dialogue: Dialogue, documents: Documents) -> Row:
    brief = _brief(dialogue, documents)
    entries: list[dict[str, str]] = []
    for turn in dialogue.turns:
        for who, value in _entries(as_calls(turn)):
            if entries and entries[-1]["from"] == who in ("human", "gpt"):
                entries[-1]["value"] += f"\n\n{value}"
            else:
                entries.append({"from": who, "value": value})
    system = "".join(message["content"] for message in prompt(brief))
    functions = [tool["function"] for tool in tools(brief.apis)]
    return {"conversations": entries, "system": system, "tools": _json(functions) if functions else ""}


def _hf(dialogue: Dialogue, documents: Documents) -> Row:
    named = {name: str(dialogue.origin.get(name) or "") for name in ("line", "split", "sequence", "source", "target")}
    return {
        "id": dialogue.id,
        **named,
        "instructions": dialogue.instructions,
        "facts": _json(dialogue.facts),
        "apis": list(dialogue.apis),
        "turns": [_flat(turn) for turn in dialogue.turns],
        "world": _json(dialogue.world),
        "origin": _json(dialogue.origin),
    }


def _tooldial(dialogue: Dialogue, documents: Documents) -> Row:
    from toologue.formats.tooldial import as_published, lines

    _refuse_programs(dialogue)
    text = "\n".join(line.text for line in lines(as_published(dialogue).turns, documents))
    actions = [turn.action for turn in dialogue.turns if turn.role == "agent"]
    return {"id": dialogue.id, "dialogue": text, "action_list": actions}


_ROWS: Mapping[ExportName, Callable[[Dialogue, Documents], Row]] = {
    "openai": _openai,
    "sharegpt": _sharegpt,
    "hf": _hf,
    "tooldial": _tooldial,
}


def _brief(dialogue: Dialogue, documents: Documents) -> Brief:
    """What the agent is told, the Apis by their function names, and the retriever among them where it is asked."""
    _refuse_programs(dialogue)
    for name in dialogue.apis:
        if name not in documents:
            raise UnknownName(f"API of dialogue {dialogue.id!r}", name, documents)
    apis = tuple(documents[name] for name in dialogue.apis or documents)
    told = Brief.model_construct(instructions=dialogue.instructions, facts=dialogue.facts, apis=apis)
    acts = [act for turn in dialogue.turns if turn.role == "agent" for act in turn.acts]
    return as_functions(told, retriever=any(act.kind == "retrieve" for act in acts))


def _refuse_programs(dialogue: Dialogue) -> None:
    for at, turn in enumerate(dialogue.turns):
        if turn.role == "agent" and any(act.kind == "program" for act in turn.acts):
            raise BadSetting(f"dialogue {dialogue.id!r}, turn {at}: only hf can say a program; leave it out, or use it")


def _entries(turn: Turn) -> Iterator[tuple[str, str]]:
    if turn.role == "user":
        yield "human", turn.text
        return
    if turn.text or not turn.acts:
        yield "gpt", turn.text or ""
    if turn.acts:
        calls = [
            {"name": act.api, "arguments": (act.raw or "") if act.arguments is None else act.arguments}
            for act in turn.acts
            if isinstance(act, Call)
        ]
        yield "function_call", _json(calls[0] if len(calls) == 1 else calls)
    answers = [output_of(result) for result in turn.results if result is not None]
    if answers:
        yield "observation", _json(answers[0] if len(answers) == 1 else answers)


def _flat(turn: Turn) -> dict[str, str]:
    did = turn if isinstance(turn, AgentTurn) else AgentTurn()
    return {
        "role": turn.role,
        "text": turn.text or "",
        "action": turn.action or "",
        "informed": _json(turn.informed if turn.role == "user" else {}),
        "acts": _json(did.acts),
        "results": _json(did.results),
        "state": "" if did.state is None else _json(did.state),
        "thought": did.thought or "",
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=lambda noun: noun.model_dump(mode="json"))
