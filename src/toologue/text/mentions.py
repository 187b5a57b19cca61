"""Whether words say a value, and which values words claim.

`says` is for a value that must be in a text: e-mail addresses and identifiers as they are, dates and times in any
wording that `values` understands, numbers however they are written, codes with their words apart (out_for_delivery →
"out for delivery"), other texts but for case and punctuation.

`claims` is for values that must not come from nowhere: e-mail addresses, days, times, identifiers, numbers in digits or
with a unit, and names: words with a capital in the middle of a sentence. `grounds` are all claims that a JSON value (or
a text) can support; so what is claimed and never granted is made up.

Contract: pure and total.

Example:
    >>> from datetime import datetime
    >>> says("It should be with you by 3 March.", "2025-03-03T12:00:00Z", datetime(2025, 2, 20))
    True
    >>> says("That is O-104233.", "O-10423")
    False
    >>> made_up = claims("Anna, O-10423 costs 39.90 euros, as Bo says.").keys() - grounds({"id": "O-10423", "sum": 40})
    >>> sorted(made_up)
    [('name', 'bo'), ('number', 39.9)]

Not covered: names that open a sentence, numbers spelled out without a unit, sums of supported amounts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from functools import lru_cache
from typing import Literal, TypeAlias

from pydantic import JsonValue

from toologue.text.amounts import amounts
from toologue.text.dates import readings
from toologue.text.days import MONTHS, WEEKDAYS

Claim: TypeAlias = tuple[Literal["email", "day", "time", "id", "number", "name"], str | float | tuple[int, int]]

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*")
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")
_CLOCK = re.compile(
    r"(?<![\w:])(\d{1,2})(?:[:.](\d\d))?(?::\d\d)?\s?([ap])\.?m\b|(?<![\w:])(\d{1,2}):(\d\d)(?::\d\d)?Z?\b"
)
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_SLASHED = re.compile(r"\d[./]\d\d?[./]\d")
_ID = re.compile(r"(?<![\w@.])(?=[\w/-]*\d)[^\W_]+(?:[-_/][^\W_]+)*(?![\w@]|[.,]\d)")
_PLAIN_NUMBER = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|kg|km|cm|mm|[mlhgk])?|\d{1,4}-[^\W\d_]+|\d{1,3}[/-]\d{1,3}", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TELLING = re.compile(r"[\d@]")
_WORD = re.compile(r"[^\W\d_]+")
_BEFORE_A_SENTENCE = tuple(".!?:…–—")
_NO_NAME = frozenset(name.casefold() for name in (*MONTHS, *WEEKDAYS)) | {"i"}
_ANY_YEAR = datetime(2000, 1, 1)
_SHORT_CODE = re.compile(r"[A-Z]{1,3}")


def says(text: str, value: JsonValue, now: datetime | None = None) -> bool:
    """Whether a text says a value: of a list or an object every member; null never, true and false always."""
    match value:
        case None:
            return False
        case bool():
            return True
        case int() | float():
            return any(abs(abs(amount.value) - abs(value)) < 1e-6 for amount in amounts(text))
        case str():
            return _says(text, value.strip(), now)
        case list():
            return all(says(text, member, now) for member in value)
        case dict():
            return all(says(text, member, now) for member in value.values())


def claims(text: str) -> Mapping[Claim, str]:
    """What a text claims, each claim with the words that make it."""
    return {claim: said for claim, said, sure in _read(text) if sure}


def grounds(value: JsonValue) -> frozenset[Claim]:
    """All claims that a JSON value supports."""
    return frozenset[Claim]().union(*(_grounds(leaf) for leaf in _leaves(value)))


# ---- what must be said


def _says(text: str, value: str, now: datetime | None) -> bool:
    if not value:
        return False
    if _verbatim(value).search(text):
        return True
    stamp = _ISO_DAY.fullmatch(value)
    if stamp:
        return not _days(text, now).isdisjoint(_dates(stamp.group(1, 2, 3)))
    if re.fullmatch(r"\d\d:\d\d(?::\d\d)?", value):
        return ("time", value[:5]) in claims(text)
    if not re.search(r"[^\W\d_]", value):  # digits alone, however they are grouped
        digits = re.sub(r"\D", "", value)
        return len(digits) > 2 and digits in re.findall(r"\d+", re.sub(r"(?<=\d)[\s./()-]+(?=\d)", "", text))
    if "@" in value or _SHORT_CODE.fullmatch(value) or (re.search(r"\d", value) and not re.search(r"\s", value)):
        return False
    return f" {_plain(value)} " in f" {_plain(text)} "


@lru_cache(maxsize=8192)
def _verbatim(value: str) -> re.Pattern[str]:
    flags = 0 if _SHORT_CODE.fullmatch(value) else re.IGNORECASE
    return re.compile(rf"(?<![\w@]){re.escape(value)}(?![\w@]|[-.]\w)", flags)


@lru_cache(maxsize=8192)
def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


@lru_cache(maxsize=4096)
def _days(text: str, now: datetime | None) -> frozenset[date]:
    """The days that a text names, relative ones too; where no year is said, any that fits is as good."""
    found: set[date] = set()
    for reading in readings(text, "date", now or _ANY_YEAR):
        if isinstance(reading.value, date):
            year = _YEAR.search(text, reading.start, reading.end + 6)
            if year is None:
                found.update(_same_day(reading.value, now or _ANY_YEAR))
            if year is None or int(year[0]) == reading.value.year:
                found.add(reading.value)
    for first, second, year in re.findall(r"\b(\d\d?)[./](\d\d?)[./](\d{4})\b", text):
        found.update(_dates((year, first, second), (year, second, first)))
    return frozenset(found)


def _same_day(day: date, now: datetime) -> Iterator[date]:
    yield from _dates(*((str(now.year + shift), str(day.month), str(day.day)) for shift in (-1, 0, 1)))


def _dates(*parts: tuple[str | None, ...]) -> Iterator[date]:
    for year, month, day in parts:
        try:
            yield date(int(year or 0), int(month or 0), int(day or 0))
        except ValueError:
            continue


# ---- what is claimed


def _leaves(value: JsonValue) -> Iterator[str | float]:
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _leaves(member)
    elif value is not None and not isinstance(value, bool):
        yield value


@lru_cache(maxsize=4096)
def _grounds(text: str | float) -> frozenset[Claim]:
    if not isinstance(text, str):
        return frozenset(_number(abs(text)))
    found: set[Claim] = {claim for claim, _, _ in _read(text)}
    found.update(("name", word.casefold()) for word in _WORD.findall(text))
    stamps = _ISO_DAY.sub(" ", text)
    for number in _NUMBER.findall(stamps):
        found.update(_number(float(number)))
    return frozenset(found)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[tuple[Claim, str, bool], ...]:
    """(claim, its words, whether it needs support) for each value of a text."""
    return tuple(_values(text))


def _values(text: str) -> Iterator[tuple[Claim, str, bool]]:
    yield from _names(text)
    left = text
    for kind in (_emails, _stamps, _clocks, _named_days, _ids):
        if not _TELLING.search(left):
            break
        for claim, start, end in list(kind(left)):
            yield claim, text[start:end], True
            left = f"{left[:start]}{' ' * (end - start)}{left[end:]}"
    for amount in amounts(left):
        sure = bool(amount.unit) or any(map(str.isdigit, amount.text))
        for claim in _number(abs(amount.value)):
            if claim[0] == "number":
                yield claim, amount.text.strip(), sure


def _number(value: float) -> Iterator[Claim]:
    yield "number", round(float(value), 4)
    if value >= 10_000 and float(value).is_integer():
        yield "id", str(int(value))


Hit: TypeAlias = tuple[Claim, int, int]


def _emails(text: str) -> Iterator[Hit]:
    for match in _EMAIL.finditer(text):
        yield ("email", match[0].rstrip(".-").casefold()), *match.span()


def _stamps(text: str) -> Iterator[Hit]:
    for match in _ISO_DAY.finditer(text):
        start, end = match.span()
        yield ("day", (int(match[2]), int(match[3]))), start, end
        yield ("number", float(match[1])), start, end
        if match[4]:
            seconds = "" if match[6] in (None, "00") else f":{match[6]}"
            yield ("time", f"{match[4]}:{match[5]}{seconds}"), start, end


def _named_days(text: str) -> Iterator[Hit]:
    if not (_MONTH.search(text) or _SLASHED.search(text)):
        return
    for reading in readings(text, "date", _ANY_YEAR):
        said = text[reading.start : reading.end]
        if (
            isinstance(reading.value, date)
            and re.search(r"\d", said)
            and (_MONTH.search(said) or _SLASHED.search(said))
        ):
            yield ("day", (reading.value.month, reading.value.day)), reading.start, reading.end
            for year in re.findall(r"\b\d{4}\b", said):
                yield ("number", float(year)), reading.start, reading.end


def _clocks(text: str) -> Iterator[Hit]:
    for match in _CLOCK.finditer(text):
        hour, minute = int(match[1] or match[4]), int(match[2] or match[5] or 0)
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        if hour < 24 and minute < 60:
            yield ("time", f"{time(hour, minute):%H:%M}"), *match.span()


def _ids(text: str) -> Iterator[Hit]:
    for match in _ID.finditer(text):
        if not _PLAIN_NUMBER.fullmatch(match[0]):
            yield ("id", re.sub(r"[\W_]", "", match[0]).casefold()), *match.span()


def _names(text: str) -> Iterator[tuple[Claim, str, bool]]:
    for match in _WORD.finditer(text):
        word = match[0]
        if not word[0].isupper() or len(word) < 2 or word.isupper() or word.casefold() in _NO_NAME:
            continue
        before = text[: match.start()].rstrip(" \"'“‘„«([*-")
        if before and not before.endswith(_BEFORE_A_SENTENCE) and not before[-1].isspace():
            yield ("name", word.casefold()), word, True
