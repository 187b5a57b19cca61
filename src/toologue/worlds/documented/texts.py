"""Texts with a form of their own: addresses, numbers to call, links; made from what the row is about.

Contract: `TEXTS[kind](row, role)`; the texts of one row agree: the e-mail address is that of its person.

Example:
    >>> from toologue.worlds.documented.row import Row, choices
    >>> row = Row(3, 0, {})
    >>> TEXTS["full"](row, 0).split()[0].lower() in TEXTS["email"](row, 0)
    True

Not covered: addresses that exist; hosts and numbers are those kept for examples.
"""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Callable, Mapping
from zlib import crc32

from toologue.worlds.documented.row import Row, choices


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
