"""Rows of results: where the values of an output stand, and which of them a choice among the results leaves.

Contract: an output's name is the path of its keys joined by `|`, levels of lists left out (`data|items|id`). Two values
are of one row if they stand at the same place of every list that holds both.

Example:
    >>> found = {"teams": [{"id": 7, "name": "Leeds"}, {"id": 9, "name": "Hull"}]}
    >>> distinct(found, "teams|id"), chosen(found, "teams|id", {"teams|name": "Hull"})
    ([7, 9], [9])

Not covered: outputs that are made of several values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from toologue.values.compare import same


class _Leaf(NamedTuple):
    """One value of an output, and its place in each list on the way."""

    places: tuple[int, ...]
    value: str | float


def plain(value: JsonValue) -> Iterator[str | float]:
    """Every value of a result, in order; nulls and empty texts are none."""
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from plain(member)
    elif value is not None and value != "":
        yield value


def lengths(value: JsonValue) -> Iterator[int]:
    """How long the lists of a result are."""
    if isinstance(value, list):
        yield len(value)
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from lengths(member)


def distinct(result: JsonValue, output: str) -> list[JsonValue]:
    """The values of an output, each once."""
    return _each_once(leaf.value for leaf in _column(result, output))


def chosen(result: JsonValue, output: str, picks: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The values of an output, each once, in the rows that hold all picks (output → value)."""
    left = _column(result, output)
    for name, value in picks.items():
        rows = [leaf.places for leaf in _column(result, name) if alike(leaf.value, value)]
        left = [leaf for leaf in left if any(map(_one_row, rows, [leaf.places] * len(rows)))]
    return _each_once(leaf.value for leaf in left)


def alike(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same, even if one is written as a text: an output 5 feeds a parameter "5"."""
    if same(one, other):
        return True
    plain = not isinstance(one, bool | dict | list) and not isinstance(other, bool | dict | list)
    return plain and str(one).casefold() == str(other).casefold()


def _column(result: JsonValue, output: str) -> list[_Leaf]:
    """The values of an output. Some names of outputs have empty parts; keys may be empty, or have a `|` themselves."""
    return list(_below(result, "|".join(filter(None, output.split("|"))), ()))


def _below(value: JsonValue, name: str, places: tuple[int, ...]) -> Iterator[_Leaf]:
    if isinstance(value, list):
        for place, member in enumerate(value):
            yield from _below(member, name, (*places, place))
    elif isinstance(value, dict):
        for key, member in value.items():
            if not key or key == name:
                yield from _below(member, name.removeprefix(key), places)
            elif name.startswith(key) and name[len(key)] == "|":
                yield from _below(member, name[len(key) + 1 :], places)
    elif not name and value is not None and value != "":
        yield _Leaf(places, value)


def _one_row(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))


def _each_once(values: Iterator[str | float]) -> list[JsonValue]:
    return list({(type(value), value): value for value in values}.values())
