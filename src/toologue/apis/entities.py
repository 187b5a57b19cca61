"""Entities: the outputs and the parameters of an Api, flat, in the words that a graph compares (ToolDial 3.1).

An output's name is the path of its keys joined by `|`, levels of lists left out (`data|items|id`); `many` says that a
result may hold several of it. A result that is one value, or a list of values, has the name ''. `phrase` is the
schema's `title` where it says more than the name in capitals ("Team Id", as pydantic writes); `description` is the long
one (`x-description`), else the documented one. `x-name` stands in for a name, `x-place` for a place in the order.
Alternatives (anyOf, oneOf, allOf) are looked into; what they share is one entity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from toologue.keys import Same
from toologue.schema import Api
from toologue.values.json_schema import types_of

_FORKS = ("anyOf", "oneOf", "allOf")
_INNER = frozenset(("properties", "items", *_FORKS))


class Entity(NamedTuple):
    """One output or one parameter of an Api."""

    api: str
    name: str
    phrase: str
    description: str
    schema: Mapping[str, Any]
    many: bool = False
    required: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of its name."""
        return tuple(filter(None, self.name.split("|")))

    @property
    def last(self) -> str:
        """The last part of its name."""
        return self.name.rpartition("|")[2]

    @property
    def type(self) -> str | None:
        """The type that its schema says, null aside; None where it says none, or several."""
        named = [name for name in types_of(self.schema) if name != "null"]
        return named[0] if len(named) == 1 else None


class Leaf(NamedTuple):
    """One value in a schema: the keys that lead to it, its own schema, whether a list lies on the way, its path."""

    keys: tuple[str, ...]
    schema: dict[str, Any]
    many: bool
    path: str
    """As in `alarms[].alarm_id`."""

    @property
    def name(self) -> str:
        """What an entity of it is called."""
        return str(self.schema.get("x-name") or "|".join(self.keys))


def outputs(api: Api) -> Iterator[Entity]:
    """The leaves of what an Api returns."""
    return iter(_outputs(Same(api)))


@lru_cache(maxsize=32)
def _outputs(kept: Same[Api]) -> Sequence[Entity]:
    api = kept.value
    return tuple(_entity(api, leaf.name, leaf.schema, many=leaf.many) for leaf in leaves(api.returns))


def inputs(api: Api) -> Iterator[Entity]:
    """The parameters of an Api."""
    for name, parameter in api.parameters.items():
        yield _entity(api, name, parameter.json_schema, required=parameter.required)


def leaves(schema: Mapping[str, Any]) -> list[Leaf]:
    """The values that a schema describes, each once, in order. Neither deep nor cyclic schemas can exhaust it."""
    found: dict[tuple[str, ...] | int, Leaf] = {}
    placed = False
    for leaf in _walk(schema):
        placed = placed or "x-place" in leaf.schema
        found.setdefault(len(found) if "x-place" in leaf.schema or "x-name" in leaf.schema else leaf.keys, leaf)
    return sorted(found.values(), key=lambda leaf: int(leaf.schema.get("x-place", 0))) if placed else [*found.values()]


def _walk(schema: Any) -> Iterator[Leaf]:
    """Every leaf, without recursion; a schema inside itself is left where it begins again."""
    waiting: list[tuple[Leaf, tuple[int, ...]]] = [(Leaf((), schema, False, ""), ())]
    while waiting:
        here, inside = waiting.pop()
        if not isinstance(here.schema, dict) or id(here.schema) in inside:  # pyright: ignore[reportUnnecessaryIsInstance]
            continue
        inner = () if here.schema.keys().isdisjoint(_INNER) else tuple(_inner(here))
        if inner:
            within = (*inside, id(here.schema))
            waiting += [(leaf, within) for leaf in reversed(inner)]
        elif here.keys or here.schema.get("type") not in (None, "object"):
            yield here._replace(many=here.many or here.schema.get("type") == "array")


def _inner(here: Leaf) -> Iterator[Leaf]:
    keys, rule, many, path = here
    if isinstance(rule.get("properties"), dict):
        for key, part in rule["properties"].items():
            yield Leaf((*keys, key), part, many, f"{path}.{key}" if path else key)
    if isinstance(rule.get("items"), dict):
        yield Leaf(keys, rule["items"], True, f"{path}[]")
    for fork in _FORKS:
        if isinstance(rule.get(fork), list):
            yield from (Leaf(keys, part, many, path) for part in rule[fork])


def _entity(api: Api, name: str, schema: Mapping[str, Any], *, many: bool = False, required: bool = False) -> Entity:
    description = schema.get("x-description") or schema.get("description") or ""
    return Entity(api.name, name, phrase_of(schema, name), str(description), schema, many, required)


def phrase_of(schema: Mapping[str, Any], name: str) -> str:
    """The title of a schema; nothing where a program made it of the name."""
    title, own = str(schema.get("title") or ""), name.rpartition("|")[2]
    return "" if title == own.title().replace("_", " ").strip() else title
