"""What calls give back, as a flat list: the leaves of an Api's `returns`, each with its path, description and types.

Contract: a path is written as `alarms[].alarm_id`; arrays add `[]`, alternatives (anyOf, oneOf, allOf) add nothing.
`fits` says whether a value of one JSON Schema can stand where another is asked for. Both are total: what is no schema
has no leaves, and fits everywhere.

Example:
    >>> item = {"type": "object", "properties": {"alarm_id": {"type": "string", "description": "Which one."}}}
    >>> schema = {"type": "object", "properties": {"alarms": {"type": "array", "items": item}}}
    >>> [(leaf.path, leaf.description) for leaf in leaves(schema)]
    [('alarms[].alarm_id', 'Which one.')]
    >>> fits({"type": "integer"}, {"type": "number"}), fits({"type": "string"}, {"type": "boolean"})
    (True, False)

Not covered: `$ref`, `patternProperties`, and structures deeper than 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

_DEEPEST = 12
_FORKS = ("anyOf", "oneOf", "allOf")
_ACCEPTED = {
    "string": {"string", "integer", "number"},
    "number": {"number", "integer"},
    "integer": {"integer"},
}
"""For a wanted type the types that will do: identifiers are sometimes numbers and sometimes not."""


class Leaf(NamedTuple):
    """One value of an output: where it stands, what it is called and described as, its schema."""

    path: str
    name: str
    description: str
    schema: Mapping[str, Any]


def leaves(schema: Any) -> Iterator[Leaf]:
    """The leaves of a JSON Schema, in its order."""
    seen: set[str] = set()
    for leaf in _walk(schema, "", "", 0):
        if leaf.path not in seen:
            seen.add(leaf.path)
            yield leaf


def fits(given: Any, wanted: Any) -> bool:
    """Whether a value of the one schema may stand where the other is asked for."""
    have, need = _types(given), _types(wanted)
    if not have or not need:
        return True
    if "array" in need and "array" not in have:
        return fits(given, _mapping(wanted).get("items"))
    if have == {"array"} and need == {"array"}:
        return fits(_mapping(given).get("items"), _mapping(wanted).get("items"))
    formats = {str(_mapping(one).get("format", "")) for one in (given, wanted)} - {""}
    return len(formats) < 2 and any(have & _ACCEPTED.get(kind, {kind}) for kind in need)


def _walk(schema: Any, path: str, name: str, depth: int) -> Iterator[Leaf]:
    here = _mapping(schema)
    if not here or depth > _DEEPEST:
        return
    inner = False
    for key, value in _mapping(here.get("properties")).items():
        inner = True
        yield from _walk(value, f"{path}.{key}" if path else key, key, depth + 1)
    if "items" in here:
        inner = True
        yield from _walk(here["items"], f"{path}[]", name, depth + 1)
    for fork in _FORKS:
        options = here.get(fork)
        for option in cast("list[Any]", options) if isinstance(options, list) else []:
            inner = True
            yield from _walk(option, path, name, depth + 1)
    if not inner and path:
        yield Leaf(path, name, str(here.get("description", "")), here)


def _types(schema: Any) -> set[str]:
    here = _mapping(schema)
    kind = here.get("type")
    found = (
        {kind} if isinstance(kind, str) else set(map(str, cast("list[Any]", kind) if isinstance(kind, list) else []))
    )
    for fork in _FORKS:
        options = here.get(fork)
        for option in cast("list[Any]", options) if isinstance(options, list) else []:
            found |= _types(option)
    return found - {"null"}


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
