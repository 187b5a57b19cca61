"""Declared data flow: which documented output can feed which documented parameter, by name, type and description.

Every output (a leaf of `returns`) and every parameter gets a *kind*: what its name and description say it is. An id is
a kind of its own (`alarm_id`); the others, and what may feed what, are data (`kinds.yaml`). An output feeds a parameter
when their kinds allow it and neither is a secret. Where the documentation says nothing of a kind, equal names and equal
types do. This is tandem use as ToolTalk 2.2 means it: found in the documents, so that nobody has to judge it.

Example:
    >>> from toologue.worlds.assistant import apis
    >>> found = [f for f in flows(apis()) if f.target == "DeleteAlarm"]
    >>> [f"{f.source}.{f.output} -> {f.target}.{f.parameter}" for f in found]
    ['AddAlarm.alarm_id -> DeleteAlarm.alarm_id', 'FindAlarms.alarms[].alarm_id -> DeleteAlarm.alarm_id']

Not covered: learned similarity of outputs and parameters; the API graph (ToolDial 3.1) does that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import JsonValue

from toologue.data import shipped
from toologue.schema import Api, Flow

_RULES = Path(__file__).with_name("kinds.yaml")
_TEXTS = ("text", "prose")


class Slot(NamedTuple):
    """An output or a parameter: its Api, its path (`alarms[].alarm_id`) or name, its kind, whether it is required."""

    api: str
    path: str
    kind: str
    type: str
    required: bool = True


@dataclass(frozen=True)
class FlowMap:
    """Flows by what is asked of them. `kinds`: what a flow hands over, as its target takes it (id, email, words, ...).

    `into`: the flows into each Api. `needs`: of each Api, the required parameters that are ids, and which Apis can
    supply them; nobody knows ids by heart, so that an earlier call has to find them.
    """

    kinds: Mapping[Flow, str]
    into: Mapping[str, tuple[Flow, ...]]
    needs: Mapping[str, Mapping[str, frozenset[str]]]


def flows(apis: Iterable[Api]) -> tuple[Flow, ...]:
    """Every flow between two different Apis, in the order of the documents."""
    documents = tuple(apis)
    found = [slot for api in documents for slot in outputs(api)]
    wanted = [slot for api in documents for slot in parameters(api)]
    return tuple(
        Flow(source=out.api, output=out.path, target=slot.api, parameter=slot.path)
        for slot in wanted
        for out in found
        if out.api != slot.api and _feeds(out, slot)
    )


def outputs(api: Api) -> list[Slot]:
    """The leaves of what an Api returns; texts that are nothing more particular are words."""
    found: list[Slot] = []
    for path, schema in _leaves(api.returns, ("", {})):
        kind = _kind(api, path, schema)
        plain = kind == "other" and _type(schema) == "string" and "enum" not in schema
        found.append(Slot(api.name, path, "words" if plain else kind, _type(schema)))
    return found


def parameters(api: Api) -> list[Slot]:
    """The parameters of an Api; words are wanted where arguments compare by similarity."""
    found: list[Slot] = []
    for name, parameter in api.parameters.items():
        kind = _kind(api, name, parameter.json_schema)
        if kind == "other" and parameter.compare in _TEXTS:
            kind = "words"
        found.append(Slot(api.name, name, kind, _type(parameter.json_schema), parameter.required))
    return found


def flow_map(apis: Iterable[Api]) -> FlowMap:
    """The flows of these documents, indexed."""
    documents = tuple(apis)
    wanted = {api.name: {slot.path: slot for slot in parameters(api)} for api in documents}
    found = flows(documents)
    into: dict[str, list[Flow]] = {api.name: [] for api in documents}
    for flow in found:
        into[flow.target].append(flow)
    needs = {
        name: {
            slot.path: frozenset(flow.source for flow in into[name] if flow.parameter == slot.path)
            for slot in slots.values()
            if slot.required and slot.kind.startswith("id:")
        }
        for name, slots in wanted.items()
    }
    kinds = {flow: wanted[flow.target][flow.parameter].kind.partition(":")[0] for flow in found}
    return FlowMap(kinds, {name: tuple(group) for name, group in into.items()}, needs)


def chained(calls: Sequence[str], known: FlowMap) -> tuple[Flow, ...]:
    """How data may flow through calls: into each of them the most telling flow from the nearest call before it."""
    found: list[Flow] = []
    for place, target in enumerate(calls):
        distance = {source: place - index for index, source in enumerate(calls[:place])}
        open_ = [flow for flow in known.into.get(target, ()) if flow.source in distance]
        if open_:
            found.append(min(open_, key=lambda f: (strength(known.kinds[f]), distance[f.source], f.output)))
    return tuple(dict.fromkeys(found))


def strength(kind: str) -> int:
    """How telling a kind of flow is: 0 for an id; the larger, the weaker."""
    order = _rules()["strength"]
    return order.index(kind) if kind in order else order.index("other")


def _feeds(out: Slot, slot: Slot) -> bool:
    rules = _rules()
    if {out.kind, slot.kind} & set(rules["never"]):
        return False
    if slot.kind in rules["feeds"].get(out.kind, ()):
        return True
    if slot.kind in ("other", "figure"):
        named = _last(out.path)
        alike = out.kind in ("words", "other", "figure") and out.type == slot.type
        return alike and named == slot.path and named not in rules["vague"]
    return out.kind == slot.kind


def _kind(api: Api, path: str, schema: Mapping[str, JsonValue]) -> str:
    name, text, kind_of_json = _last(path), str(schema.get("description", "")), _type(schema)
    if name == "id" and "." in path:  # hotels[].id is a hotel_id
        return "id:" + path.split(".")[-2].removesuffix("[]").removesuffix("s").lower()
    if re.search(r"[a-z](_ids?|Ids?)$", name):
        return "id:" + re.sub(r"(_ids?|Ids?)$", "", name).lower()
    around = f"{api.name} {api.domain} {path}"
    for rule in _rules()["kinds"]:
        fits = (pattern in rule and re.search(rule[pattern], value, re.I) for pattern, value in _asked(name, text))
        if any(fits) and re.search(rule.get("where", ""), around, re.I):
            return str(rule["kind"])
    if kind_of_json in ("number", "integer"):
        return "figure"
    return "other"


def _asked(name: str, text: str) -> tuple[tuple[str, str], ...]:
    return (("name", name), ("text", text))


def _last(path: str) -> str:
    return path.split(".")[-1].removesuffix("[]")


def _type(schema: Mapping[str, JsonValue]) -> str:
    """The JSON type, null aside; that of its items for an array: one of many is handed over as one alone."""
    items = schema.get("items")
    if isinstance(items, dict):
        return _type(items)
    given = schema.get("type", "")
    names = given if isinstance(given, list) else [given]
    return next((str(name) for name in names if name != "null"), "")


def _leaves(schema: Mapping[str, Any], at: tuple[str, Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(path, schema) of every value that is no object; a list of plain values keeps the description of the list."""
    path, outer = at
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(properties, dict):
        for name, inner in cast("dict[str, Any]", properties).items():
            yield from _leaves(_mapping(inner), (f"{path}.{name}" if path else name, {}))
    elif isinstance(items, dict):
        yield from _leaves(cast("dict[str, Any]", items), (f"{path}[]", schema))
    elif path:
        yield path, {**schema, "description": schema.get("description") or outer.get("description", "")}


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


@cache
def _rules() -> Mapping[str, Any]:
    return cast("dict[str, Any]", shipped(_RULES))
