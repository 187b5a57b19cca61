"""A row in the making: where its values draw from, so that they differ between rows and agree inside one.

Contract: a row has a number in its list, one choice among each kind of record (a city and its country), one factor by
which documented quantities move together (low stays below high), and the arguments that it echoes. Everything follows
from `start`; there is no other randomness.

Example:
    >>> rows = [Row(7, number, {}) for number in (0, 1, 2)]
    >>> len({row.of(("a", "b", "c", "d"), salt=3) for row in rows})
    3

Not covered: more than a few rows: choices repeat when a list is longer than what there is to choose from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Row"]

_MASK = (1 << 61) - 1


class Row:
    """One row. `pinned` says which row of a record it has to be about, `sought` where lists of things begin."""

    __slots__ = ("arguments", "factor", "number", "pinned", "sought", "start")

    def __init__(
        self,
        start: int,
        number: int,
        arguments: Mapping[str, Any],
        pinned: Mapping[str, int] | None = None,
        sought: Mapping[str, int] | None = None,
    ):
        self.start, self.number, self.arguments = start, number, arguments
        self.pinned, self.sought = pinned or {}, sought or {}
        self.factor = 0.7 + (self.mixed(0) % 601) / 1000

    def base(self, salt: int) -> int:
        """A number that is the same for all rows of a list."""
        return ((self.start ^ (salt * 0x9E3779B97F4A7C15)) * 0xD6E8FEB86659FD93 >> 7) & _MASK

    def mixed(self, salt: int) -> int:
        """A number of this row's own."""
        return ((self.base(salt) + self.number * 0x2545F4914F6CDD1D) * 0xBF58476D1CE4E5B9 >> 11) & _MASK

    def steady(self, salt: int) -> int:
        """A number of this row's own, whose last digit, in any usual base, differs from that of its neighbours."""
        return self.base(salt) + self.number * 123457

    def of(self, values: Sequence[Any], salt: int) -> Any:
        """One of the values, another one for each row."""
        return values[(self.base(salt) + self.number) % len(values)]

    def listed(self, kind: str, values: Sequence[Any], salt: int) -> Any:
        """One of the values of a kind, another one for each row; first what is sought."""
        first = self.sought.get(kind)
        return self.of(values, salt) if first is None else values[(first + self.number) % len(values)]

    def within(self, record: str, size: int, salt: int) -> int:
        """Which row of a record this one is about."""
        pinned = self.pinned.get(record) if salt == 0 else None
        if pinned is None and salt == 0 and record in self.sought:
            return (self.sought[record] + self.number) % size
        return pinned if pinned is not None else (self.base(len(record) + salt) + self.number) % size

    def inner(self, salt: int, number: int) -> Row:
        """A row of a list inside this one."""
        return Row(self.mixed(salt), number, self.arguments, None, self.sought)
