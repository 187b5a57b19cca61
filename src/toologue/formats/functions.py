"""What is done with Apis of any name and with a retriever, as calls of functions, and back.

Functions have plain names; the retriever is one of them, `find_apis`. That is how rows of training data say it, and how
agents that write calls are asked where a conversation has a retriever (`facts["retriever"]`).

Example:
    >>> sky = Api(name="Weather|Sky of a day", description="The sky.")
    >>> brief = Brief(apis=(sky,), facts={"retriever": {"confirm": 0.5, "suggest": 0.3}})
    >>> [api.name for api in as_functions(brief).apis]
    ['Weather_Sky_of_a_day_29d1e9', 'find_apis']
    >>> asked = Call(api="find_apis", arguments={"query": "a blue sky"})
    >>> as_acts(AgentTurn(acts=(asked,)), brief).acts[0]
    Retrieve(kind='retrieve', query='a blue sky', missing=None)
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, cast

from pydantic import JsonValue

from toologue import keys
from toologue.schema import Act, AgentTurn, Api, Brief, Call, Parameter, Result, Retrieve, Turn
from toologue.text.secrets import without_keys
from toologue.values.json_schema import object_of

_TEXT = Parameter(schema={"type": "string"}, required=False)
# What calls of the retriever are made to.
RETRIEVER = Api(
    name="find_apis",
    description="Finds the functions that fit a wish, or the one whose output supplies a missing parameter of another.",
    parameters={"query": _TEXT, "missing_api": _TEXT, "missing_parameter": _TEXT},
)
# What an agent is told to do, where a conversation has a retriever and no instructions.
JOB = (
    "You help a user with functions. Look for the one that serves the wish with find_apis. Ask for what it needs; for "
    "a value that the user does not know, look for a function that supplies it. Then call, and tell what came back."
)
_PLAIN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_BANDS = {"confirm": 0.6, "suggest": 0.5}


def bands_of(brief: Brief) -> dict[str, float]:
    """From which score on an Api is settled (`confirm`), or worth suggesting, by the brief; else the paper's."""
    known = object_of(brief.facts.get("retriever"))
    return _BANDS | {name: score for name in _BANDS if isinstance(score := known.get(name), int | float)}


@lru_cache(maxsize=1 << 14)
def function_name(name: str) -> str:
    """The name of an Api as a function: as it is, where it is plain; else its letters, and six digits of its hash."""
    if _PLAIN.fullmatch(name):
        return name
    letters = re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")
    return f"{letters[-57:]}_{keys.content_key(name)[:6]}"


def as_functions(brief: Brief, *, retriever: bool | None = None) -> Brief:
    """What an agent is told, the Apis as functions, and the retriever among them: if the facts name one, by default.

    Schemas are without what describing an Api for a graph adds to them (`title`, `x-…`); facts without what is no fact
    of the user.
    """
    asked = "retriever" in brief.facts if retriever is None else retriever
    apis = [*map(_as_function, brief.apis), *([RETRIEVER] if asked else [])]
    instructions = brief.instructions or (JOB if asked else "")
    facts = {name: value for name, value in brief.known.items() if name != "states"}
    return Brief.model_construct(instructions=instructions, facts=facts, apis=tuple(apis))


def as_calls(turn: Turn) -> Turn:
    """A turn in which the retriever is called like a function, and all functions by their plain names."""
    if turn.role == "user" or not turn.acts:
        return turn
    results = turn.results or (None,) * len(turn.acts)
    pairs = [_as_call(act, result) for act, result in zip(turn.acts, results, strict=True)]
    return turn.replace(acts=tuple(call for call, _ in pairs), results=tuple(result for _, result in pairs))


def as_acts(turn: AgentTurn, brief: Brief) -> AgentTurn:
    """A turn with calls of functions, as it is done: with the Apis of a brief by their own names, and its retriever."""
    names = {function_name(api.name): api.name for api in brief.apis}

    def act(call: Act) -> Act:
        if call.kind != "call":
            return call
        if call.api != RETRIEVER.name or RETRIEVER.name in names:
            return call.replace(api=names.get(call.api, call.api))
        given = {name: str(value) for name, value in (call.arguments or {}).items() if value}
        if given.get("missing_api"):
            wanted = names.get(given["missing_api"], given["missing_api"])
            return Retrieve(missing=(wanted, given.get("missing_parameter", "")))
        return Retrieve(query=given.get("query", ""))

    return turn.replace(acts=tuple(map(act, turn.acts))) if turn.acts else turn


def _as_function(api: Api) -> Api:
    api = without_keys(api)
    parameters = {
        name: one.model_copy(update={"json_schema": _plain_schema(one.json_schema)})
        for name, one in api.parameters.items()
    }
    plain = function_name(api.name)
    named = {} if plain == api.name else {"name": plain, "description": f"{api.name}: {api.description}"}
    return api.replace(parameters=parameters, **named)


def _plain_schema(schema: Any) -> Any:
    """A JSON Schema without what was added to it; `properties` are names of anything."""
    if isinstance(schema, list):
        return [_plain_schema(one) for one in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    return {
        name: {key: _plain_schema(one) for key, one in object_of(rule).items()}
        if name == "properties"
        else _plain_schema(rule)
        for name, rule in cast("dict[str, Any]", schema).items()
        if not name.startswith("x-") and not (name == "title" and isinstance(rule, str))
    }


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
