"""What a reply claims: the amounts, dates, ids and e-mail addresses in it, and whether anything supports them.

Contract: pure and total. A number alone claims nothing ("2 things", "24 hours"), nor does a time of day, a day that is
relative ("tomorrow"), or an example ("such as ORD-1234"). An amount is supported by the same number, however it is
written (39.9, "$39.90", 3990 cents; 15 % and 0.15), a date by the same day of the year, an id by the same letters and
digits, an address as it is.

Example:
    >>> reply = "Your order ORD-1047 for $39.90 arrives on March 14th, write to help@shop.example within 24 hours."
    >>> [(claim.kind, claim.text) for claim in claims(reply)]
    [('email', 'help@shop.example'), ('date', 'March 14th'), ('amount', '$39.90'), ('id', 'ORD-1047')]
    >>> unsupported(claims(reply), ['{"id": "ord 1047", "total": 39.9, "due": "2025-03-14"}', "help@shop.example"])
    []
    >>> says("It belongs to Ann-Marie Roy.", "ann marie roy")
    True

Not covered: sums of what is supported, names, years, and words that are false without any such value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from toologue.text import codes
from toologue.text.amounts import amounts
from toologue.text.dates import readings
from toologue.text.kinds import wants
from toologue.text.spans_found import Scene

_LONGEST = 20_000
_NOW = datetime(2000, 1, 1)
"""Dates are compared by month and day, so any year will do."""
_DATED = re.compile(
    r"\d{4}-\d\d-\d\d|\d[./]\d\d?[./]\d|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\b",
    re.IGNORECASE,
)
_MUTE = re.compile(
    r"T?\d{1,2}:\d\d(?::\d\d)?Z?|\b\d{1,2} ?[ap]\.?m\b"
    r"|\b(?:e\.g\.|for (?:example|instance)|such as|like)[,:]?\s+\S+",
    re.IGNORECASE,
)
"""Times of day, and examples: they claim nothing."""
_ISO = re.compile(r"\d{4}-(\d\d)-(\d\d)")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_NO_ID = re.compile(r"\d+-?[a-z-]+|\d{1,3}-\d{1,3}|\D*\d?\D*|.{1,2}")
_ID = wants({"type": "string"}, "order_ticket_case_booking_invoice_account_claim_policy_id")[0]
_EMAIL = wants({"type": "string", "format": "email"})[0]


class Claim(NamedTuple):
    """One value that a text says: as it stands there, and as it compares."""

    kind: Literal["email", "date", "amount", "id"]
    text: str
    value: Any


@lru_cache(maxsize=4096)
def claims(text: str) -> tuple[Claim, ...]:
    """The values that a text says, kind by kind; none is said twice in two kinds."""
    if not any(letter.isdigit() or letter == "@" for letter in text):
        return ()
    left = _MUTE.sub(lambda found: " " * len(found[0]), text[:_LONGEST])
    found: list[Claim] = []
    for kind in (_emails, _dates, _amounts, _ids):
        for claim, start, end in list(kind(left)):
            found.append(claim)
            left = f"{left[:start]}{' ' * (end - start)}{left[end:]}"
    return tuple(found)


def unsupported(said: Iterable[Claim], support: Sequence[str]) -> list[Claim]:
    """The claims that none of these texts supports; JSON is a text, too."""
    return [claim for claim in said if not any(_supports(part, claim) for part in support)]


def says(text: str, value: str) -> bool:
    """Whether a text says a value: its words and numbers in their order, whatever stands between them."""
    pattern = _spelled(value)
    return pattern is not None and pattern.search(text) is not None


def _supports(text: str, claim: Claim) -> bool:
    if claim.kind == "amount":
        return not _numbers(text).isdisjoint(claim.value)
    if claim.kind == "date":
        return claim.value in _days(text)
    return says(text, claim.text)


def _emails(text: str) -> Iterator[tuple[Claim, int, int]]:
    if "@" in text:
        for found in codes.emails(_scene(text), _EMAIL):
            yield Claim("email", found.text, found.text.casefold()), found.start, found.end


def _dates(text: str) -> Iterator[tuple[Claim, int, int]]:
    for day, start, end in _said_days(text):
        said = text[start:end]
        if _DATED.search(said) and any(map(str.isdigit, said)):
            yield Claim("date", said, day), start, end


def _amounts(text: str) -> Iterator[tuple[Claim, int, int]]:
    for amount in amounts(text):
        if amount.unit or isinstance(amount.value, float):
            value = abs(amount.value)
            written = frozenset(round(number, 6) for number in (value, value / 100, value * 100))
            yield Claim("amount", amount.text.strip(), written), amount.start, amount.end


def _ids(text: str) -> Iterator[tuple[Claim, int, int]]:
    if not any(map(str.isdigit, text)):
        return
    end = 0
    for found in sorted(codes.ids(_scene(text), _ID), key=lambda found: found.start):
        sure = found.score >= 0.5 or text[: found.start].endswith("#")
        if sure and not _NO_ID.fullmatch(found.text) and found.start >= end:
            end = found.end
            yield Claim("id", found.text, found.text.casefold()), found.start, found.end


def _scene(text: str) -> Scene:
    """The text for those who look for values in it; its times are mute already."""
    return Scene(text, None, (), text, ())


@lru_cache(maxsize=4096)
def _numbers(text: str) -> frozenset[float]:
    digits = (float(number.replace(",", "")) for number in _NUMBER.findall(text))
    return frozenset(round(number, 6) for number in (*digits, *(abs(amount.value) for amount in amounts(text))))


@lru_cache(maxsize=4096)
def _days(text: str) -> frozenset[tuple[int, int]]:
    stamps = {(int(month), int(day)) for month, day in _ISO.findall(text)}
    return frozenset(stamps | {day for day, _, _ in _said_days(text)})


def _said_days(text: str) -> Iterator[tuple[tuple[int, int], int, int]]:
    """(month and day, start, end) of each day that is named."""
    for reading in readings(text, "date", _NOW) if _DATED.search(text) else ():
        if isinstance(reading.value, date):
            yield (reading.value.month, reading.value.day), reading.start, reading.end


@lru_cache(maxsize=4096)
def _spelled(value: str) -> re.Pattern[str] | None:
    parts = re.findall(r"[^\W\d_]+|\d+", value)
    joined = r"[\W_]*".join(map(re.escape, parts))
    return re.compile(rf"(?<![^\W_]){joined}(?![^\W_])", re.IGNORECASE) if parts else None
