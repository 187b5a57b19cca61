"""Dialogues as rows of training data, in the forms that trainers read (docs/chains.md): one JSON object a dialogue.

What is said in several turns is one entry of sharegpt, parallel calls are a list in one; in hf what has no type of its
own (values, acts, results, states) is JSON in a string. In openai and sharegpt an Api without a plain name gets one
(`function_name`), and the retriever is a function, `find_apis`; instructions and facts are the system message. Labels
are in hf and tooldial only, programs in hf only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import JsonValue

from toologue import keys
from toologue.errors import BadSetting, UnknownName
from toologue.formats.literals import output_of
from toologue.formats.openai import prompt, tools
from toologue.schema import AgentTurn, Api, Brief, Call, Dialogue, Parameter, Result, Retrieve, Turn

ExportName = Literal["openai", "sharegpt", "hf", "tooldial"]
Row = dict[str, Any]
Documents = Mapping[str, Api]

_TEXT = Parameter(schema={"type": "string"}, required=False)
# What calls of the retriever are made to.
RETRIEVER = Api(
    name="find_apis",
    description="Finds the functions that fit a wish, or the one whose output supplies a missing parameter of another.",
    parameters={"query": _TEXT, "missing_api": _TEXT, "missing_parameter": _TEXT},
)

_PLAIN = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def exported(dialogue: Dialogue, to: ExportName, documents: Documents) -> Row:
    """The row of a dialogue; but in hf without the customer's goodbye at its end. `documents` are those of its Apis.

    Raises UnknownName for an Api without a document, BadSetting for a program.
    """
    last = dialogue.turns[-1] if dialogue.turns else None
    if to != "hf" and last is not None and last.role == "user" and last.stop == "done":
        dialogue = dialogue.replace(turns=dialogue.turns[:-1])
    return _ROWS[to](dialogue, documents)


@lru_cache(maxsize=1 << 14)
def function_name(name: str) -> str:
    """The name of an Api as a function: as it is, where it is plain; else its letters, and six digits of its hash."""
    if _PLAIN.fullmatch(name):
        return name
    letters = re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")
    return f"{letters[-57:]}_{keys.content_key(name)[:6]}"


def _openai(dialogue: Dialogue, documents: Documents) -> Row:
    brief = _brief(dialogue, documents)
    row: Row = {"messages": prompt(brief, list(map(_by_calls, dialogue.turns)))}
    return {**row, "tools": tools(brief.apis)} if brief.apis else row


def _sharegpt(dialogue: Dialogue, documents: Documents) -> Row:
    brief = _brief(dialogue, documents)
    entries: list[dict[str, str]] = []
    for turn in dialogue.turns:
        for who, value in _entries(_by_calls(turn)):
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
    from toologue.formats.tooldial import as_published
    from toologue.formats.tooldial_text import lines

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
    apis = [_as_function(documents[name]) for name in dialogue.apis or documents]
    acts = [act for turn in dialogue.turns if turn.role == "agent" for act in turn.acts]
    if any(act.kind == "retrieve" for act in acts):
        apis.append(RETRIEVER)
    return Brief.model_construct(instructions=dialogue.instructions, facts=dialogue.facts, apis=tuple(apis))


def _refuse_programs(dialogue: Dialogue) -> None:
    for at, turn in enumerate(dialogue.turns):
        if turn.role == "agent" and any(act.kind == "program" for act in turn.acts):
            raise BadSetting(f"dialogue {dialogue.id!r}, turn {at}: only hf can say a program; leave it out, or use it")


def _as_function(api: Api) -> Api:
    plain = function_name(api.name)
    return api if plain == api.name else api.replace(name=plain, description=f"{api.name}: {api.description}")


def _by_calls(turn: Turn) -> Turn:
    """A turn in which the retriever is called like a function, and all functions by their plain names."""
    if turn.role == "user" or not turn.acts:
        return turn
    results = turn.results or (None,) * len(turn.acts)
    pairs = [_as_call(act, result) for act, result in zip(turn.acts, results, strict=True)]
    return turn.replace(acts=tuple(call for call, _ in pairs), results=tuple(result for _, result in pairs))


def _as_call(act: Any, result: Result | None) -> tuple[Call, Result | None]:
    if not isinstance(act, Retrieve):
        return act.replace(api=function_name(act.api)), result
    wanted: dict[str, JsonValue] = {"query": act.query} if act.query or act.missing is None else {}
    if act.missing is not None:
        wanted |= {"missing_api": function_name(act.missing[0]), "missing_parameter": act.missing[1]}
    found = result if result is None else result.replace(value=_found(result.value))
    return Call(api=RETRIEVER.name, arguments=wanted), found


def _found(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    ends = {key: function_name(str(value[key])) for key in ("source", "target") if isinstance(value.get(key), str)}
    scores = value.get("retrieved")
    named = {function_name(name): score for name, score in scores.items()} if isinstance(scores, dict) else scores
    return {**value, **ends, **({"retrieved": named} if "retrieved" in value else {})}


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
