"""Texts with a form of their own, made from what a row is about; and texts that look like a documented example.

`TEXTS[kind](row, role)`: the texts of one row agree; the e-mail address is that of its person. `like(example, number)`
keeps what is fixed in the example (marks, words, a prefix before digits) and draws the rest from the number.
"""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Callable, Mapping
from functools import lru_cache
from zlib import crc32

from toologue.worlds.documented.row import Row, choices

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
    plan = _plan(example)
    made: list[str] = []
    for size, part in reversed(plan):
        if size:
            number, place = divmod(number, size)
            made.append(part[place])
        else:
            made.append(part)
    return "".join(reversed(made))


@lru_cache(maxsize=8192)
def _plan(example: str) -> tuple[tuple[int, str], ...]:
    """(how many there are to draw from, they) for each letter; (0, text) for what stays."""
    runs = _RUN.findall(example)
    hexadecimal = re.fullmatch(r"[0-9a-fA-F-]{8,}", example) is not None and any(c.isdigit() for c in example)
    coded = len(example) >= 6 and sum(c.isdigit() for c in example) >= 2 and len(runs) > 3
    plan: list[tuple[int, str]] = []
    for place, run in enumerate(runs):
        if run.isdigit():
            plan += [(9, "123456789") if n == 0 and run[0] != "0" else (10, "0123456789") for n in range(len(run))]
        elif run.isalpha() and run.isascii() and hexadecimal:
            plan += [(6, "abcdef" if c.islower() else "ABCDEF") for c in run]
        elif run.isalpha() and run.isascii() and ((coded and place) or not _WORDY.fullmatch(run)) and len(run) > 0:
            plan += [(26, "abcdefghijklmnopqrstuvwxyz" if c.islower() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ") for c in run]
        else:
            plan.append((0, run))
    return tuple(plan)


def _person(row: Row, role: int) -> tuple[str, str]:
    first, last = choices("person.first"), choices("person.last")
    place = row.within("person", len(first), role)
    return first[place], last[place]


def _full(row: Row, role: int) -> str:
    return " ".join(_person(row, role))


def _email(row: Row, role: int) -> str:
    return f"{'.'.join(_person(row, role)).lower()}@{row.of(('mail', 'post', 'inbox'), role)}.example"


def _username(row: Row, role: int) -> str:
    first, last = _person(row, role)[:2]
    return f"{first.lower()}{10 + crc32(last.encode()) % 89}"


def _phone(row: Row, role: int) -> str:
    return f"+1-{201 + row.mixed(role) % 780}-555-01{row.steady(role) % 100:02d}"


def _address(row: Row, role: int) -> str:
    cities = choices("place.city")
    city = cities[row.within("place", len(cities), role)]
    return f"{1 + row.steady(role) % 120} {row.listed('streets', choices('streets'), role)}, {city}"


def _slug(row: Row, role: int) -> str:
    title = unicodedata.normalize("NFKD", row.of(choices("titles"), role)).encode("ascii", "ignore").decode()
    return title.lower().replace(" ", "-")


TEXTS: Mapping[str, Callable[[Row, int], str]] = {
    "full": _full,
    "email": _email,
    "username": _username,
    "phone": _phone,
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
