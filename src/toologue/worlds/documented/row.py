"""A row in the making: where its values draw from, so that they differ between rows and agree inside one.

A row has a number in its list, one choice among each kind of record (a city and its country), one factor by which
documented quantities move together, and the arguments that it echoes. Everything follows from `start`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from toologue.data import shipped

_THINGS = Path(__file__).with_name("things.yaml")
_MASK = (1 << 61) - 1
_STEP = 611_999
"""Multiples of this differ by what they leave over, whatever few they are divided by."""
_KNOWN = 0x5DEECE66D
"""Where rows of known things start: what they are hangs on their numbers alone."""


class Row:
    """One row. `pinned` says which row of a record it has to be about, `sought` where lists of things begin, both of
    how many; `wide` that the place that is pinned holds many; `span` from which day on, and for how many, something was
    asked for; `shift` moves what is steady.
    """

    __slots__ = ("arguments", "number", "pinned", "shift", "sought", "span", "start", "wide")

    def __init__(
        self,
        start: int,
        number: int,
        arguments: Mapping[str, Any],
        pinned: Mapping[str, tuple[int, int]] | None = None,
        sought: Mapping[str, tuple[int, int]] | None = None,
    ):
        self.start, self.number, self.arguments = start, number, arguments
        self.pinned, self.sought = pinned or {}, sought or {}
        self.shift, self.wide = 0, True
        self.span: tuple[datetime, int] | None = None

    @property
    def factor(self) -> float:
        """By how much documented quantities move, all of this row together."""
        return 0.7 + (self.mixed(0) % 601) / 1000

    def base(self, salt: int) -> int:
        """A number that is the same for all rows of a list."""
        return ((self.start ^ (salt * 0x9E3779B97F4A7C15)) * 0xD6E8FEB86659FD93 >> 7) & _MASK

    def mixed(self, salt: int) -> int:
        """A number of this row's own."""
        return ((self.base(salt) + self.number * 0x2545F4914F6CDD1D) * 0xBF58476D1CE4E5B9 >> 11) & _MASK

    def steady(self, salt: int) -> int:
        """A number of this row's own, whose last digits, in any usual base, differ from those of its neighbours."""
        return self.base(salt) + self.number * _STEP + self.shift

    def of(self, values: Sequence[Any], salt: int) -> Any:
        """One of the values, another one for each row."""
        return values[(self.base(salt) + self.number) % len(values)]

    def listed(self, kind: str, values: Sequence[Any], role: int) -> Any:
        """One of the values of a kind, another one for each row; first what is sought."""
        return values[self._place(kind, len(values), role)]

    def within(self, record: str, size: int, role: int) -> int:
        """Which row of a record this one is about."""
        return self._place(record, size, role)

    def inner(self, salt: int, number: int, *, places: bool = False) -> Row:
        """A row of a list inside this one, where it was said; unless these are the many `places` of a wide one."""
        where = self.pinned.get("place")
        here = {"place": where} if where is not None and not (places and self.wide) else None
        row = Row(self.mixed(salt), number, self.arguments, here, self.sought)
        row.wide, row.span = self.wide, self.span
        return row

    def known(self, number: int, wanted: Mapping[str, tuple[int, int]]) -> Row:
        """The row of a thing that is known by a number, whoever tells of it; about what is `wanted`."""
        row = Row(_KNOWN, number, self.arguments, wanted)
        row.wide, row.span = self.wide, self.span
        return row

    def wanted(self) -> Mapping[str, tuple[int, int]]:
        """Which things of which kinds this row has to be about, and of how many."""
        return self.pinned if self.number or not self.sought else {**self.sought, **self.pinned}

    def about(self, wanted: Mapping[str, tuple[int, int]]) -> bool:
        """Whether it is about these, left to itself."""
        return all(self._own(kind, size, 0) == place for kind, (place, size) in wanted.items())

    def _place(self, kind: str, size: int, role: int) -> int:
        """Which of so many things of a kind this row is about."""
        if role == 0 and kind in self.pinned:
            return self.pinned[kind][0]
        if role == 0 and kind in self.sought:
            return (self.sought[kind][0] + self.number) % size
        return self._own(kind, size, role)

    def _own(self, kind: str, size: int, role: int) -> int:
        if role < 0 and size > 1:  # who is met is somebody else
            return (self._own(kind, size, -role) + 1 + self.base(salt_of(kind) + role) % (size - 1)) % size
        return (self.base(salt_of(kind) + role) + self.number) % size


@cache
def salt_of(name: str) -> int:
    """A salt for a name."""
    return crc32(name.encode())


@cache
def choices(kind: str) -> tuple[Any, ...]:
    """What there is to choose from: the values of a record's field, or a list."""
    things = shipped(_THINGS)
    record, _, field = kind.partition(".")
    if not field:
        return tuple(things["lists"].get(kind, ()))
    fields, rows = things["records"][record]["fields"], things["records"][record]["rows"]
    return tuple(row[fields.index(field)] for row in rows)
