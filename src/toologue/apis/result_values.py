"""What results hold: their single values, by the names of outputs and by the rows that they stand in.

Contract: `values_of` gives every value that is no object and no list, in order: its name (keys joined by `|`, as
`apis.entities` has it), its place (the indices of the lists on the way) and itself. `choices` gives what a user could
choose by: rows of the wanted output, each with the value of another output beside it, no two of them alike.

Example:
    >>> result = {"leagues": [{"id": 7, "name": "Serie A"}, {"id": 9, "name": "Ligue 1"}]}
    >>> [(one.name, one.place, one.value) for one in values_of(result)][:2]
    [('leagues|id', (0,), 7), ('leagues|name', (0,), 'Serie A')]
    >>> choices(result, "leagues|id", ["leagues|name"])
    ('leagues|name', [('Serie A', 7), ('Ligue 1', 9)])

Not covered: rows that differ only by several outputs at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from pydantic import JsonValue

from toologue.apis.salience import tellable

MOST_SHOWN = 5
"""Nobody wants to hear of more rows than this."""
_LONGEST = 80

Choice = tuple[str, list[tuple[JsonValue, JsonValue]]]


class Single(NamedTuple):
    """One value of a result."""

    name: str
    place: tuple[int, ...]
    value: JsonValue
    bare: bool = False
    """Whether it stands in a list by itself, and in no row."""


def values_of(result: Any, *, rows: int | None = None) -> list[Single]:
    """Every single value of a result; with `rows`, those in the first so many elements of each list."""
    found: list[Single] = []
    _collect(result, "", (), rows, found)
    return found


def sayable(value: JsonValue) -> bool:
    """Whether a value fits into a sentence."""
    if isinstance(value, str):
        return bool(value.strip()) and len(value) <= _LONGEST
    return isinstance(value, int | float)


def choices(result: Any, wanted: str, others: Sequence[str]) -> Choice | None:
    """(other output, [(its value, the wanted value)]) of the rows that the first such output tells apart."""
    every = values_of(result, rows=MOST_SHOWN)
    columns = any(one.bare for one in every if one.name == wanted)  # {"id": [7, 9], "name": ["Hull", "Leeds"]}
    singles = [one for one in every if columns or not one.bare]
    rows = dict([(one.place, one.value) for one in singles if one.name == wanted and sayable(one.value)][:MOST_SHOWN])
    if len(rows) < 2 or len(set(map(repr, rows.values()))) < len(rows):
        return None
    whole = values_of(result)
    for other in others:
        named = (one for one in singles if one.name == other and sayable(one.value) and tellable(one.value))
        beside = {one.place: one.value for one in named}
        often = Counter(str(one.value).casefold() for one in whole if one.name == other)
        shown = [(beside[place], value) for place, value in rows.items() if place in beside]
        apart = [(name, value) for name, value in shown if often[str(name).casefold()] == 1]
        if len(apart) > 1:
            return other, apart
    return None


def _collect(value: Any, name: str, place: tuple[int, ...], rows: int | None, found: list[Single]) -> None:
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            _collect(inner, f"{name}|{key}" if name else key, place, rows, found)
    elif isinstance(value, list):
        for index, inner in enumerate(cast("list[Any]", value)[:rows]):
            if isinstance(inner, dict | list):
                _collect(inner, name, (*place, index), rows, found)
            else:
                found.append(Single(name, (*place, index), inner, True))
    else:
        found.append(Single(name, place, value))
