"""Entities: the outputs and the parameters of an Api, flat, in the words that a graph compares (ToolDial 3.1).

Contract: entities stand in the order of the documentation. An output's name is the path of its keys joined by `|`,
levels of lists left out (`data|items|id`); `many` says that a result may hold several of it. A result that is one
value, or a list of values, has the name ''. `phrase` (5 to 7 words) is the schema's `title`; `description` is the long
one (`x-description`), else the documented one. `x-name` stands in for a name, `x-place` for a place in the order.
Alternatives (anyOf, oneOf, allOf) are looked into; what they share is one entity.

Example:
    >>> from toologue.schema import Api, Parameter
    >>> team = {"type": "object", "properties": {"id": {"type": "integer", "title": "number of a team"}}}
    >>> api = Api(name="Teams", parameters={"league": Parameter()}, returns={"type": "array", "items": team})
    >>> [(one.name, one.phrase, one.many) for one in outputs(api)], [one.name for one in inputs(api)]
    ([('id', 'number of a team', True)], ['league'])

Not covered: objects as entities (only their leaves are), `patternProperties`, and `$ref` (readers write them out).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from toologue.schema import Api

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


class Leaf(NamedTuple):
    """One value in a schema: the keys that lead to it, its own schema, whether a list lies on the way."""

    keys: tuple[str, ...]
    schema: dict[str, Any]
    many: bool

    @property
    def name(self) -> str:
        """What an entity of it is called."""
        return str(self.schema.get("x-name") or "|".join(self.keys))


def outputs(api: Api) -> Iterator[Entity]:
    """The leaves of what an Api returns."""
    for leaf in leaves(api.returns):
        yield _entity(api, leaf.name, leaf.schema, many=leaf.many)


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
    return sorted(found.values(), key=_place) if placed else list(found.values())


def _place(leaf: Leaf) -> int:
    return int(leaf.schema.get("x-place", 0))


def _walk(schema: Mapping[str, Any]) -> Iterator[Leaf]:
    """Every leaf, without recursion; a schema inside itself is left where it begins again."""
    waiting: list[tuple[Any, tuple[str, ...], bool, tuple[int, ...]]] = [(schema, (), False, ())]
    while waiting:
        here, keys, many, inside = waiting.pop()
        if not isinstance(here, dict) or id(cast("object", here)) in inside:
            continue
        rule = cast("dict[str, Any]", here)
        inner = () if rule.keys().isdisjoint(_INNER) else tuple(_inner(rule, keys, many))
        if inner:
            within = (*inside, id(rule))
            waiting += [(part, path, listed, within) for part, path, listed in reversed(inner)]
        elif keys or rule.get("type") not in (None, "object"):
            yield Leaf(keys, rule, many or rule.get("type") == "array")


def _inner(rule: Mapping[str, Any], keys: tuple[str, ...], many: bool) -> Iterator[tuple[Any, tuple[str, ...], bool]]:
    """What is inside a schema: members, the rows of a list, alternatives."""
    if isinstance(rule.get("properties"), dict):
        yield from ((part, (*keys, key), many) for key, part in rule["properties"].items())
    if isinstance(rule.get("items"), dict):
        yield rule["items"], keys, True
    for fork in _FORKS:
        if isinstance(rule.get(fork), list):
            yield from ((part, keys, many) for part in rule[fork])


def _entity(api: Api, name: str, schema: Mapping[str, Any], *, many: bool = False, required: bool = False) -> Entity:
    description = schema.get("x-description") or schema.get("description") or ""
    return Entity(api.name, name, str(schema.get("title", "")), str(description), schema, many, required)
