"""What results hold: their single values, by the names of outputs and by the rows that they stand in.

`choices` gives what a user could choose by: rows of the wanted output, each with the value of another output beside it.
`along` gives further outputs that are called after parameters: users who do not know the one do not know the other.

    >>> result = {"leagues": [{"id": 7, "name": "Serie A"}, {"id": 9, "name": "Ligue 1"}]}
    >>> [(one.name, one.place, one.value) for one in values_of(result)][:2]
    [('leagues|id', (0,), 7), ('leagues|name', (0,), 'Serie A')]
    >>> choices(result, "leagues|id", ["leagues|name"])
    ('leagues|name', [('Serie A', 7), ('Ligue 1', 9)])
    >>> shows = {"shows": [{"title": "Dark", "ids": [{"id": 7}]}, {"title": "Lupin", "ids": [{"id": 9}]}]}
    >>> choices(shows, "shows|ids|id", ["shows|title"])
    ('shows|title', [('Dark', 7), ('Lupin', 9)])
    >>> along("places|lat", ["places|lat", "places|lon", "box|lon", "places|id"], ["longitude", "id"])
    (('longitude', 'places|lon'),)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from pydantic import JsonValue

from toologue.apis.salience import tellable
from toologue.text.names import group, squash
from toologue.values.json_schema import list_of, object_of

# Nobody wants to hear of more rows than this.
MOST_SHOWN = 5
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
    return [*_walk(result, "", (), rows)]


def sayable(value: JsonValue) -> bool:
    """Whether a value fits into a sentence."""
    if isinstance(value, str):
        return bool(value.strip()) and len(value) <= _LONGEST
    return isinstance(value, int | float)


def choices(result: Any, wanted: str, others: Sequence[str]) -> Choice | None:
    """(other output, [(its value, the wanted value)]) of the rows that the first such output tells apart, in them or
    around them."""
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
        found = ((_around(place, beside), value) for place, value in rows.items())
        shown: list[tuple[JsonValue, JsonValue]] = [(name, value) for name, value in found if name is not None]
        often |= Counter(str(name).casefold() for name, _ in shown)
        apart = [(name, value) for name, value in shown if often[str(name).casefold()] == 1]
        if len(apart) > 1:
            return other, apart
    return None


def _around(place: tuple[int, ...], beside: Mapping[tuple[int, ...], JsonValue]) -> JsonValue:
    """What stands in a row, or in the nearest one around it."""
    every = (beside[place[:end]] for end in range(len(place), 0, -1) if place[:end] in beside)
    return next(every, None)


def _walk(value: Any, name: str, place: tuple[int, ...], rows: int | None) -> Iterator[Single]:
    if isinstance(value, dict):
        for key, inner in object_of(value).items():
            yield from _walk(inner, f"{name}|{key}" if name else key, place, rows)
    elif isinstance(value, list):
        for index, inner in enumerate(list_of(value)[:rows]):
            if isinstance(inner, dict | list):
                yield from _walk(inner, name, (*place, index), rows)
            else:
                yield Single(name, (*place, index), inner, True)
    else:
        yield Single(name, place, value)


def along(output: str, outputs: Iterable[str], parameters: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(parameter, output) for each parameter that comes along."""
    others = [one for one in outputs if one != output]
    wanted = [name for name in parameters if squash(name) not in group("anybody's")]
    called = ((name, [one for one in others if squash(name) in _calls(one)]) for name in wanted)
    return tuple((name, max(ones, key=lambda one: _together(one, output))) for name, ones in called if ones)


def beside(result: JsonValue, wanted: str, output: str, value: JsonValue) -> JsonValue:
    """The value of `wanted` in the row, or around it, where `output` has this value; None where there is none."""
    every = values_of(result)
    row: Any = next((one.place for one in every if one.name == output and one.value == value), None)
    if row is None:
        return None
    here = (one for one in every if one.name == wanted)
    return next((one.value for one in here if one.place[: len(row)] == row[: len(one.place)]), None)


def _together(one: str, other: str) -> int:
    pairs = zip(one.split("|"), other.split("|"), strict=False)
    return sum(1 for _ in takewhile(lambda names: names[0] == names[1], pairs))


def _calls(output: str) -> tuple[str, str]:
    """What an output may be called: by its last name, or by its last two."""
    path = [part for part in output.split("|") if part]
    return squash(path[-1]), squash("_".join(path[-2:]))
