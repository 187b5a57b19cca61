"""What scenarios are asked for (every triple of plugins, each of its tools once as the required one: ToolTalk 2.2),
and which outputs of their tools can feed which parameters (`kinds.yaml`)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from toologue import keys
from toologue.data import shipped
from toologue.errors import BadSetting
from toologue.schema import Api, Flow
from toologue.values.json_schema import items_of, object_of, properties_of

# How many scenarios a prompt asks for.
PER_PROMPT = 3


class Prompt(NamedTuple):
    """One question for scenarios: the plugins, the tool that has to be used, all tools that may be."""

    plugins: tuple[str, ...]
    required: str
    tools: tuple[str, ...]


class Telling(NamedTuple):
    """A proposed scenario: its text, its calls in order; the flows it tells of, or None if nobody says."""

    text: str
    calls: tuple[str, ...]
    flows: tuple[Flow, ...] | None = None


def prompts_of(apis: Iterable[Api]) -> list[Prompt]:
    """Every prompt, in the order of the documents. Raises BadSetting for documents without plugins."""
    by_plugin: dict[str, list[str]] = {}
    for api in apis:
        if not api.domain:
            raise BadSetting(f"API {api.name!r} belongs to no plugin: give it a `domain`")
        if any(api.name in names for names in by_plugin.values()):
            raise BadSetting(f"two APIs are called {api.name!r}; names have to be unique")
        by_plugin.setdefault(api.domain, []).append(api.name)
    if len(by_plugin) < 3:
        found = ", ".join(by_plugin) or "none"
        raise BadSetting(f"scenarios join three plugins, and there are {len(by_plugin)} (`domain`): {found}")
    return [
        Prompt(triple, required, tuple(name for plugin in triple for name in by_plugin[plugin]))
        for triple in combinations(by_plugin, 3)
        for plugin in triple
        for required in by_plugin[plugin]
    ]


def evenly(prompts: Sequence[Prompt], seed: int) -> list[Prompt]:
    """The prompts in an order in which any beginning asks for all tools about equally often."""
    rng = random.Random(keys.seed_of(seed, "evenly"))
    pools: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        pools.setdefault(prompt.required, []).append(prompt)
    for pool in pools.values():
        rng.shuffle(pool)
    order: list[Prompt] = []
    while any(pools.values()):
        tools = [name for name, pool in pools.items() if pool]
        order += [pools[name].pop() for name in rng.sample(tools, len(tools))]
    return order


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
    for path, schema in _leaves(api.returns):
        kind, type = _kind(api, path, schema), _type(schema)
        plain = kind == "other" and type == "string" and "enum" not in schema
        found.append(Slot(api.name, path, "words" if plain else kind, type))
    return found


def parameters(api: Api) -> list[Slot]:
    """The parameters of an Api; words are wanted where arguments compare by similarity."""
    found: list[Slot] = []
    for name, parameter in api.parameters.items():
        kind = _kind(api, name, parameter.json_schema)
        kind = "words" if kind == "other" and parameter.compare in ("text", "prose") else kind
        found.append(Slot(api.name, name, kind, _type(parameter.json_schema), parameter.required))
    return found


def flow_map(apis: Iterable[Api]) -> FlowMap:
    """The flows of these documents, indexed."""
    documents = tuple(apis)
    wanted = {(slot.api, slot.path): slot for api in documents for slot in parameters(api)}
    found = flows(documents)
    into = {api.name: tuple(flow for flow in found if flow.target == api.name) for api in documents}
    needs: dict[str, dict[str, frozenset[str]]] = {api.name: {} for api in documents}
    for (name, path), slot in wanted.items():
        if slot.required and slot.kind.startswith("id:"):
            needs[name][path] = frozenset(flow.source for flow in into[name] if flow.parameter == path)
    kinds = {flow: wanted[flow.target, flow.parameter].kind.partition(":")[0] for flow in found}
    return FlowMap(kinds, into, needs)


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
    asked = (("name", name), ("text", text))
    around = f"{api.name} {api.domain} {path}"
    for rule in _rules()["kinds"]:
        fits = (pattern in rule and re.search(rule[pattern], value, re.I) for pattern, value in asked)
        if any(fits) and re.search(rule.get("where", ""), around, re.I):
            return str(rule["kind"])
    return "figure" if kind_of_json in ("number", "integer") else "other"


def _last(path: str) -> str:
    return path.split(".")[-1].removesuffix("[]")


def _type(schema: Mapping[str, JsonValue]) -> str:
    """The JSON type, null aside; that of its items for an array: one of many is handed over as one alone."""
    if isinstance(schema.get("items"), dict):
        return _type(items_of(schema))
    given = schema.get("type", "")
    names = given if isinstance(given, list) else [given]
    return next((str(name) for name in names if name != "null"), "")


def _leaves(schema: Mapping[str, Any], path: str = "", outer: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(path, schema) of every value that is no object; a list of plain values keeps the description of the list."""
    if isinstance(schema.get("properties"), dict):
        for name, inner in properties_of(schema).items():
            yield from _leaves(object_of(inner), f"{path}.{name}" if path else name)
    elif isinstance(schema.get("items"), dict):
        yield from _leaves(items_of(schema), f"{path}[]", schema.get("description", ""))
    elif path:
        yield path, {**schema, "description": schema.get("description") or outer}


@cache
def _rules() -> Mapping[str, Any]:
    return shipped(Path(__file__).with_name("kinds.yaml"))
