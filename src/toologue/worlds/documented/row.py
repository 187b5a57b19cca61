"""A row in the making: where its values draw from, so that they differ between rows and agree inside one; its texts.

A row has a number in its list, one choice among each kind of record (a city and its country), one factor by which
documented quantities move together, and the arguments that it echoes. Everything follows from `start`.
"""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any, TypeVar
from zlib import crc32

from toologue.data import shipped

T = TypeVar("T")
_THINGS = Path(__file__).with_name("things.yaml")
_MASK = (1 << 61) - 1
_STEP = 611_999
"""Multiples of this differ by what they leave over, whatever few they are divided by."""
SHARED = frozenset(("jobs",))
"""Kinds of names that many things have."""
_KNOWN = 0x5DEECE66D
"""Where rows of known things start: what they are hangs on their numbers alone."""
_MOMENT = re.compile(
    r"(?P<day>\d{4}(?P<mark>[-/.])\d\d(?P=mark)\d\d)(?:(?P<gap>[T ])\d\d:\d\d(?P<second>:\d\d)?"
    r"(?P<part>\.\d+)?(?P<zone> ?(?:Z|[+-]\d\d:?\d\d|UTC|GMT))?)?"
)
_COMPACT = re.compile(r"20[012]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_NUMERIC = re.compile(r"\d\d?(?P<mark>[/.-])\d\d?(?P=mark)(?:19|20)\d\d")
_PLACEHOLDER = re.compile(
    r"(?i)\s*(?:string|str|number|integer|value|example|test|sample|null|none|undefined|n/?a|todo|required|optional|"
    r"x{2,}|your[\s_-].*|<.*>|\{.*\}|\[.*\]|\.{2,}|-+|yyyy.*|insert .*|enter .*)\s*"
)
_RUN = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]+")
_WORDY = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{1,3}|[a-z]{1,3}")


@dataclass(slots=True, eq=False)
class Row:
    """One row. `pinned` says which row of a record it has to be about, `sought` where lists of things begin, both of
    how many; `wide` that the place that is pinned holds many; `span` from which day on, and for how many, something was
    asked for; `place` where in its list it stands; `shift` moves what is steady; `shown` that it is the documented one.
    """

    start: int
    number: int
    arguments: Mapping[str, Any]
    pinned: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    sought: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    wide: bool = True
    span: tuple[datetime, int] | None = None
    place: int = 0
    shift: int = 0
    shown: bool = False

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
        return values[(self.base(salt) + self.number + self.shift) % len(values)]

    def listed(self, kind: str, values: Sequence[T], role: int) -> T:
        """The value of the thing of a kind, or row of a record, that this row is about; first what is sought."""
        if role == 0 and kind in self.pinned:
            return values[self.pinned[kind][0]]
        if role == 0 and kind in self.sought:
            return values[(self.sought[kind][0] + self.number) % len(values)]
        return values[self._own(kind, len(values), role)]

    def inner(self, salt: int, number: int, *, places: bool = False) -> Row:
        """A row of a list inside this one, where it was said; unless these are the many `places` of a wide one."""
        kept = SHARED if places and self.wide else {*SHARED, "place"}
        here = {kind: where for kind, where in self.pinned.items() if kind in kept}
        shown = self.shown and number == 0
        return Row(
            self.mixed(salt), number, self.arguments, here, self.sought, self.wide, self.span, number, shown=shown
        )

    def known(self, number: int, wanted: Mapping[str, tuple[int, int]]) -> Row:
        """The row of a thing that is known by a number, whoever tells of it; about what is `wanted`."""
        place, shown = self.place, self.shown
        return Row(_KNOWN, number, self.arguments, wanted, wide=self.wide, span=self.span, place=place, shown=shown)

    def wanted(self) -> Mapping[str, tuple[int, int]]:
        """Which things of which kinds this row has to be about, and of how many."""
        return {kind: ((place + self.number) % size, size) for kind, (place, size) in self.sought.items()} | dict(
            self.pinned
        )

    def about(self, wanted: Mapping[str, tuple[int, int]]) -> bool:
        """Whether it is about these, left to itself."""
        return all(self._own(kind, size, 0) == place for kind, (place, size) in wanted.items())

    def _own(self, kind: str, size: int, role: int) -> int:
        if role < 0 and size > 1:  # who is met is somebody else
            return (self._own(kind, size, -role) + 1 + self.base(salt_of(kind) + role) % (size - 1)) % size
        return (self.base(salt_of(kind) + role) + self.number + self.shift) % size


@cache
def salt_of(name: str) -> int:
    """A salt for a name."""
    return crc32(name.encode())


@cache
def choices(kind: str) -> tuple[Any, ...]:
    """What there is to choose from: the values of a record's field, or a list."""
    things, (record, _, name) = shipped(_THINGS), kind.partition(".")
    if not name:
        return tuple(things["lists"].get(kind, ()))
    place = things["records"][record]["fields"].index(name)
    return tuple(row[place] for row in things["records"][record]["rows"])


def is_placeholder(text: str) -> bool:
    """Whether a documented text only stands for one."""
    return not text.strip() or _PLACEHOLDER.fullmatch(text) is not None


@lru_cache(maxsize=8192)
def moment_form(text: str) -> str:
    """How a text writes a date, with the time or without, as a strftime pattern; or nothing."""
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        if _COMPACT.fullmatch(text.strip()):
            return "%Y%m%d"
        numeric = _NUMERIC.fullmatch(text.strip())
        return f"%d{numeric['mark']}%m{numeric['mark']}%Y" if numeric else ""
    day = f"%Y{found['mark']}%m{found['mark']}%d"
    if not found["gap"]:
        return day
    second = ":%S" if found["second"] else ""
    part = "." + "0" * (len(found["part"]) - 1) if found["part"] else ""
    return f"{day}{found['gap']}%H:%M{second}{part}{(found['zone'] or '').replace('%', '%%')}"


def like(example: str, number: int) -> str:
    """A text of the same shape."""
    made = ""
    for part in reversed(_plan(example)):
        number, place = divmod(number, len(part))
        made = part[place] + made
    return made


@lru_cache(maxsize=8192)
def _plan(example: str) -> tuple[tuple[str, ...], ...]:
    """For each letter those there are to draw from; for what stays it alone."""
    runs = _RUN.findall(example)
    hexadecimal = re.fullmatch(r"[0-9a-fA-F-]{8,}", example) is not None and any(c.isdigit() for c in example)
    coded = len(example) >= 6 and sum(c.isdigit() for c in example) >= 2 and len(runs) > 3
    plan: list[tuple[str, ...]] = []
    for place, run in enumerate(runs):
        is_word = run.isalpha() and run.isascii()
        if run.isdigit():
            plan += [tuple("123456789" if n == 0 and run[0] != "0" else "0123456789") for n in range(len(run))]
        elif is_word and (hexadecimal or (coded and place) or not _WORDY.fullmatch(run)):
            letters = "abcdef" if hexadecimal else ascii_lowercase
            plan += [tuple(letters if c.islower() else letters.upper()) for c in run]
        else:
            plan.append((run,))
    return tuple(plan)


def _full(row: Row, role: int) -> str:
    return f"{row.listed('person', choices('person.first'), role)} {row.listed('person', choices('person.last'), role)}"


def _email(row: Row, role: int) -> str:
    return f"{_full(row, role).lower().replace(' ', '.')}@{row.of(('mail', 'post', 'inbox'), role)}.example"


def _username(row: Row, role: int) -> str:
    first, last = _full(row, role).split()
    return f"{first.lower()}{10 + crc32(last.encode()) % 89}"


def _address(row: Row, role: int) -> str:
    street, city = row.listed("streets", choices("streets"), role), row.listed("place", choices("place.city"), role)
    return f"{1 + row.steady(role) % 120} {street}, {city}"


def _slug(row: Row, role: int) -> str:
    title = unicodedata.normalize("NFKD", row.of(choices("titles"), role)).encode("ascii", "ignore").decode()
    return title.lower().replace(" ", "-")


TEXTS: Mapping[str, Callable[[Row, int], str]] = {
    "full": _full,
    "email": _email,
    "username": _username,
    "phone": lambda row, role: f"+1-{201 + row.mixed(role) % 780}-555-01{row.steady(role) % 100:02d}",
    "address": _address,
    "slug": _slug,
    "url": lambda row, role: f"https://{_slug(row, role)}.example/{row.steady(role) % 0xFFFF:04x}",
    "image": lambda row, role: f"https://images.example/{row.steady(role) % 0xFFFFF:05x}.png",
    "host": lambda row, role: f"{_slug(row, role)}.example",
    "ip": lambda row, role: f"192.0.2.{1 + row.steady(role) % 254}",
    "uuid": lambda row, role: str(uuid.UUID(int=row.mixed(role) << 64 | row.mixed(role + 1), version=4)),
    "sunrise": lambda row, role: f"{5 + row.mixed(4) % 3:02d}:{row.mixed(5) % 60:02d}",
    "sunset": lambda row, role: f"{17 + row.mixed(4) % 4:02d}:{row.mixed(6) % 60:02d}",
    "clock": lambda row, role: f"{8 + row.mixed(2) % 12:02d}:{row.mixed(role + 3) % 4 * 15:02d}",
    "birth": lambda row, role: f"{1960 + row.mixed(3) % 45}-{1 + row.mixed(4) % 12:02d}-{1 + row.mixed(5) % 28:02d}",
}
