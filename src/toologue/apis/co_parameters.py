"""What comes along with a value that is handed over: further values of its row, as a longitude beside a latitude.

Users who do not know the one do not know the other, and one call of the source finds both.

Contract: `along(output, outputs, parameters)` gives (parameter, output) for each parameter that an output is called
after, of several the one that stands nearest to `output`; nothing for a bare `id` or `name`, which could be anything's.
`beside` is the value of an output in the row of another, which has this value.

Example:
    >>> along("places|lat", ["places|lat", "places|lon", "box|lon", "places|id"], ["longitude", "id"])
    (('longitude', 'places|lon'),)
    >>> beside({"places": [{"lat": 60.2, "lon": 24.9}, {"lat": 59.3, "lon": 18.1}]}, "places|lon", "places|lat", 59.3)
    18.1

Not covered: values of the row that are called otherwise than the parameter.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from pydantic import JsonValue

from toologue.apis.result_values import values_of
from toologue.worlds.documented.words import squash

_BARE = frozenset(("id", "name", "title", "code", "key", "type", "value", "date", "q", "slug", "number", "url"))


def along(output: str, outputs: Iterable[str], parameters: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(parameter, output) for each parameter that comes along."""
    others = [one for one in outputs if one != output]
    found: list[tuple[str, str]] = []
    for name in parameters:
        called = [one for one in others if squash(name) not in _BARE and squash(name) in _calls(one)]
        if called:
            found.append((name, max(called, key=lambda one: _together(one, output))))
    return tuple(found)


def beside(result: JsonValue, wanted: str, output: str, value: JsonValue) -> JsonValue:
    """The value of `wanted` in the row, or around it, where `output` has this value; None where there is none."""
    every = values_of(result)
    row: Any = next((one.place for one in every if one.name == output and one.value == value), None)
    if row is None:
        return None
    here = (one for one in every if one.name == wanted)
    return next((one.value for one in here if one.place[: len(row)] == row[: len(one.place)]), None)


def _together(one: str, other: str) -> int:
    """How much of their ways two outputs have in common."""
    pairs = zip(one.split("|"), other.split("|"), strict=False)
    return sum(1 for _ in takewhile(lambda names: names[0] == names[1], pairs))


def _calls(output: str) -> tuple[str, str]:
    """What an output may be called: by its last name, or by its last two."""
    path = [part for part in output.split("|") if part]
    return squash(path[-1]), squash("_".join(path[-2:]))
