"""What a service gives back, as a JSON Schema: from a flat list of its values, or from one example response.

Contract: `nested` takes outputs in order, named by the keys that lead to them (`data|items|id`) and counted: how often
the value stands in one response. What stands more often than what holds it is in a list, at the deepest level that all
such neighbours share. `apis.entities.outputs` gives the names back, all of them, in their
order; where the nesting alone would not (a name twice, a value that is an object elsewhere), `x-place` says it.
`schema_of_example` knows its lists; elements become one schema.

Example:
    >>> from toologue.apis.entities import outputs
    >>> from toologue.schema import Api
    >>> flat = [Flat("total", {"type": "integer"}), Flat("teams|id", {"type": "string"}, 2), Flat("teams|name", {}, 2)]
    >>> made = nested(flat)
    >>> made["properties"]["teams"]["type"], made["properties"]["teams"]["items"]["properties"]["id"]
    ('array', {'type': 'string', 'x-count': 2})
    >>> [one.name for one in outputs(Api(name="Teams", returns=made))]
    ['total', 'teams|id', 'teams|name']
    >>> schema_of_example({"tags": ["new"], "price": 4.5})["properties"]["tags"]
    {'type': 'array', 'items': {'type': 'string', 'examples': ['new']}}

Not covered: maps whose keys are data (`{"2023-01-02": ...}`): each key is a property.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from toologue.text.tokens import plural, words_of

_LISTS = ("list", "array", "ids", "coordinates")
_EXAMPLES, _LONGEST = 3, 200


class Flat(NamedTuple):
    """One output: its name, its schema, how often it stands in a response."""

    name: str
    schema: dict[str, Any]
    times: int = 1


@dataclass(slots=True)
class _Node:
    """A place in a response with more than one value: its own, those below it, how often any of them stands."""

    values: list[Flat] = field(default_factory=list[Flat])
    below: dict[str, _Node | Flat] = field(default_factory=dict[str, "_Node | Flat"])
    counts: set[int] = field(default_factory=set[int])


def nested(flat: Iterable[Flat]) -> dict[str, Any]:
    """The JSON Schema of a response that has these outputs; {} where there are none."""
    root, wanted = _Node(), list(flat)
    for output in wanted:
        _put(root, output)
    if not wanted:
        return {}
    if [output.name for output in _in_order(root)] != [output.name for output in wanted]:
        for place, output in enumerate(wanted):
            output.schema["x-place"] = place
    return _schema(root, 1, top=True)


def schema_of_example(value: Any) -> dict[str, Any]:
    """The JSON Schema of a value that an API once gave back."""
    return _merged([value])


def _put(root: _Node, output: Flat) -> None:
    node = root
    node.counts.add(output.times)
    if not output.name:
        node.values.append(output)
        return
    *way, last = output.name.split("|")
    for key in way:
        node = _inner(node, key)
        node.counts.add(output.times)
    if last not in node.below:
        node.below[last] = output
    else:
        node = _inner(node, last)
        node.counts.add(output.times)
        node.values.append(output)


def _inner(node: _Node, key: str) -> _Node:
    """The place below another, made where it is not there yet."""
    here = node.below.get(key)
    if not isinstance(here, _Node):
        here = node.below[key] = _Node() if here is None else _Node([here], counts={here.times})
    return here


def _in_order(node: _Node) -> Iterator[Flat]:
    """The outputs as a reader of the schema meets them."""
    for part in node.below.values():
        if isinstance(part, Flat):
            yield part
        else:
            yield from _in_order(part)
    yield from node.values


def _schema(place: _Node | Flat, holders: int, *, top: bool = False) -> dict[str, Any]:
    """The schema of what stands at a place whose holder is there `holders` times."""
    if isinstance(place, Flat):
        return _listed(_value(place), many=place.times > holders)
    if not place.below:
        return _listed({"anyOf": [*map(_value, place.values)]}, many=max(place.counts) > holders)
    many = _is_list(place, holders, top=top)
    each = _elements(place, holders) if many else holders
    inner = {key: _schema(part, each) for key, part in place.below.items()}
    made: dict[str, Any] = {"type": "object", "properties": inner}
    if place.values:
        made = {"anyOf": [made, *map(_value, place.values)]}
    return _listed(made, many=many)


def _listed(schema: dict[str, Any], *, many: bool) -> dict[str, Any]:
    return {"type": "array", "items": schema} if many else schema


def _value(output: Flat) -> dict[str, Any]:
    if output.times > 1:
        output.schema["x-count"] = output.times
    return output.schema


def _is_list(node: _Node, holders: int, *, top: bool) -> bool:
    """Whether the list level of what stands more than `holders` times is here, not further down or up."""
    if len(node.below) == 1 and not node.values:
        ((key, only),) = node.below.items()
        return isinstance(only, Flat) and only.times > holders and not _looks_many(key)
    counts = _plain_counts(node)
    if min(node.counts) > holders:
        return bool(counts or set[int].intersection(*(_counts(part) for part in node.below.values())))
    often = [count for count in counts if count > holders]
    return not top and len(often) >= 2 and len(often) * 2 > len(counts) and len(set(often)) == 1


def _elements(node: _Node, holders: int) -> int:
    """How many elements a list has: as many as most of its plain values, by their names no lists themselves."""
    plain = _plain_counts(node, many=False) or _plain_counts(node) or [min(node.counts)]
    often = Counter(count for count in plain if count > holders)
    return max(often, key=lambda count: (often[count], count)) if often else holders


def _counts(place: _Node | Flat) -> set[int]:
    return {place.times} if isinstance(place, Flat) else place.counts


def _plain_counts(node: _Node, *, many: bool = True) -> list[int]:
    """The counts of the plain values below; without `many` only of those whose name is no plural."""
    parts = node.below.items()
    return [part.times for key, part in parts if isinstance(part, Flat) and (many or not _looks_many(key))]


def _looks_many(key: str) -> bool:
    last = (words_of(key) or ("",))[-1]
    return last in _LISTS or (last.isalpha() and plural(last) == last)


def _merged(values: list[Any]) -> dict[str, Any]:
    """One schema for all of the values."""
    objects = [cast("Mapping[str, Any]", value) for value in values if isinstance(value, Mapping)]
    lists = [cast("list[Any]", value) for value in values if isinstance(value, list)]
    made: list[dict[str, Any]] = []
    if objects:
        keys = dict.fromkeys(key for one in objects for key in one)
        parts = {key: _merged([one[key] for one in objects if key in one]) for key in keys}
        made.append({"type": "object", "properties": parts})
    if lists:
        inner = [value for one in lists for value in one]
        made.append({"type": "array", **({"items": _merged(inner)} if inner else {})})
    plain = [value for value in values if not isinstance(value, Mapping | list)]
    if real := [value for value in plain if value is not None]:
        made.append(_plain(real))
    elif plain and not made:
        made.append({"type": "null"})
    return made[0] if len(made) == 1 else {"anyOf": made} if made else {}


def _plain(values: list[Any]) -> dict[str, Any]:
    kinds = list(dict.fromkeys(_kind(value) for value in values))
    if set(kinds) == {"integer", "number"}:
        kinds = ["number"]
    short = [value[:_LONGEST] if isinstance(value, str) else value for value in values[:50]]
    examples = list({repr(value): value for value in short}.values())[:_EXAMPLES]
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "examples": examples}


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "integer" if isinstance(value, int) else "number" if isinstance(value, float) else "string"
