"""What a text says and claims, and whether anything supports it: the same for graders and verifiers.

`claims` are values that must not come from nowhere, names and times among them; `grounds` are all claims that a JSON
value (or a text) can support. Of these, graders look up the `reply_claims`: amounts, dates, ids and e-mail addresses. A
number alone claims nothing ("2 things", "24 hours"), nor does a time of day, a day that is relative ("tomorrow"), or an
example ("such as ORD-1234"). An amount is supported by the same number, however it is written (39.9, "$39.90", 3990
cents; 15 % and 0.15), a date by the same day of the year, an id by the same letters and digits, an address as it is.

`says` is for a value that must be in a text: addresses and identifiers as they are, dates and times in
any wording, numbers however they are written, codes with their words apart, other texts but for case and punctuation.

    >>> reply = "Your order ORD-1047 for $39.90 arrives on March 14th, write to help@shop.example within 24 hours."
    >>> [(claim.kind, claim.text) for claim in reply_claims(reply)]
    [('email', 'help@shop.example'), ('day', 'March 14th'), ('id', 'ORD-1047'), ('number', '$39.90')]
    >>> says("It should be with you by 3 March.", "2025-03-03T12:00:00Z", datetime(2025, 2, 20))
    True
    >>> says("It was on 2 November 2020.", "02/11/2020")
    True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from pydantic import JsonValue

from toologue.text.find_codes import EMAIL
from toologue.text.numbers import amounts
from toologue.text.time_expressions import readings
from toologue.text.times import ISO_MOMENT, MONTH_WORD, MONTHS, WEEKDAYS
from toologue.values.compare import leaves

_LONGEST = 20_000
_LARGEST = 1e300
# Dates are compared by month and day, so any year will do.
_ANY_YEAR = datetime(2000, 1, 1)
_MONTH_OR_SLASHES = re.compile(rf"{MONTH_WORD}|\d[./]\d\d?[./]\d", re.IGNORECASE)
# Times of day, and examples: they claim nothing.
_MUTE = re.compile(
    r"T?\d{1,2}:\d\d(?::\d\d)?Z?|\b\d{1,2} ?[ap]\.?m\b"
    r"|\b(?:e\.g\.|for (?:example|instance)|such as|like)[,:]?\s+\S+",
    re.IGNORECASE,
)


Claim: TypeAlias = tuple[Literal["email", "day", "time", "id", "number", "name"], str | float | tuple[int, int]]


# A number that is a name: order 812, #88123.
_NUMBERED = re.compile(
    r"(?:#|\b(?:order|ticket|case|booking|invoice|account|claim|policy) )(\d+)(?![\w.,:/-]*\d)", re.IGNORECASE
)


class ReplyClaim(NamedTuple):
    """One value that a reply says: as it stands there, and as the claims any of which supports it."""

    kind: str
    text: str
    value: tuple[Claim, ...]


@lru_cache(maxsize=4096)
def reply_claims(text: str) -> tuple[ReplyClaim, ...]:
    """The values of a reply that must not come from nowhere, kind by kind."""
    if not _TELLING.search(text):
        return ()
    found: list[ReplyClaim] = []
    for claim, said, weight in _read(_MUTE.sub(lambda mute: " " * len(mute[0]), text[:_LONGEST])):
        if weight > 1:
            values: list[Claim] = [claim]
            if isinstance(claim[1], float):
                values = [("number", round(claim[1] * by, 4)) for by in (1, 0.01, 100)]
            found.append(ReplyClaim(claim[0], said, tuple(values)))
    numbered = (ReplyClaim("id", match[1], ()) for match in _NUMBERED.finditer(text[:_LONGEST]))
    return (*found, *numbered)


def unsupported(said: Iterable[ReplyClaim], support: Sequence[str]) -> list[ReplyClaim]:
    """The claims that none of these texts supports; JSON is a text, too."""
    return [claim for claim in said if not any(_supports(part, claim) for part in support)]


def says_words(text: str, value: str) -> bool:
    """Whether a text says a value: its words and numbers in their order, whatever stands between them."""
    longest = max(_words_of(value), key=len, default="")
    if not longest or (longest.isascii() and text.isascii() and longest.lower() not in text.lower()):
        return False
    return _words_pattern(value).search(text) is not None


def _supports(text: str, claim: ReplyClaim) -> bool:
    if claim.kind in ("email", "id"):
        return says_words(text, claim.text)
    return not _grounds(text).isdisjoint(claim.value)


@lru_cache(maxsize=4096)
def _words_of(value: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+", value)


@lru_cache(maxsize=4096)
def _words_pattern(value: str) -> re.Pattern[str]:
    joined = r"[\W_]*".join(map(re.escape, _words_of(value)))
    return re.compile(rf"(?<![^\W_]){joined}(?![^\W_])", re.IGNORECASE)


_ISO_MOMENT = re.compile(ISO_MOMENT)
_CLOCK = re.compile(
    r"(?<![\w:])(\d{1,2})(?:[:.](\d\d))?(?::\d\d)?\s?([apAP])\.?[mM]\b|(?<![\w:])(\d{1,2}):(\d\d)(?::\d\d)?Z?\b"
)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_ID = re.compile(r"(?<![\w@.])(?=[\w/-]*\d)[^\W_]+(?:[-_/][^\W_]+)*(?![\w@]|[.,]\d)")
_PLAIN_NUMBER = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|kg|km|cm|mm|[mlhgk])?|\d{1,4}[-/][^\W\d_]+|\d{1,3}[/-]\d{1,3}", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TELLING = re.compile(r"[\d@]")
_WORD = re.compile(r"[^\W\d_]+")
_BEFORE_A_SENTENCE = tuple(".!?:…–—")
_NO_NAME = frozenset(name.casefold() for name in (*MONTHS, *WEEKDAYS)) | {"i"}
_SHORT_CODE = re.compile(r"[A-Z]{1,3}")


def says(text: str, value: JsonValue, now: datetime | None = None) -> bool:
    """Whether a text says a value: of a list or an object every member that is something; null never, true, false and
    an empty text always.
    """
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
            return all(says(text, member, now) for member in value if member is not None)
        case dict():
            return all(says(text, member, now) for member in value.values() if member is not None)


def claims(text: str) -> Mapping[Claim, str]:
    """What a text claims, each claim with the words that make it."""
    return {claim: said for claim, said, weight in _read(text) if weight}


def grounds(value: JsonValue) -> frozenset[Claim]:
    """All claims that a JSON value supports."""
    return frozenset[Claim]().union(*(_grounds(leaf) for leaf in leaves(value) if not isinstance(leaf, bool)))


# ---- what must be said


def _says(text: str, value: str, now: datetime | None) -> bool:
    if not value or _verbatim(value, text):
        return True
    match _form(value):
        case "moment":
            stamp = cast("re.Match[str]", _ISO_MOMENT.fullmatch(value))
            return not _days(text, now).isdisjoint(_dates(stamp.group(1, 2, 3)))
        case "time":
            return any(claim[0] == "time" and claim in claims(text) for claim in claims(value))
        case "day":
            return not _days(text, now).isdisjoint(_numeric_days(value))
        case "digits":  # however they are grouped
            digits = re.sub(r"\D", "", value)
            return len(digits) > 2 and digits in re.findall(r"\d+", re.sub(r"(?<=\d)[\s./()-]+(?=\d)", "", text))
        case "code":
            return False
        case "words":
            return f" {_plain(value)} " in f" {_plain(text)} "


@lru_cache(maxsize=8192)
def _form(value: str) -> Literal["moment", "time", "day", "digits", "code", "words"]:
    """What a text is, as far as it says how others may write it; nobody writes a code otherwise."""
    if _ISO_MOMENT.fullmatch(value):
        return "moment"
    if re.fullmatch(r"\d\d:\d\d(?::\d\d)?|\d\d?:\d\d(?::\d\d)?\s?[apAP]\.?[mM]\.?", value):
        return "time"
    if re.fullmatch(r"\d\d?([./])\d\d?\1\d{4}(?:[ T]\d\d:\d\d(?::\d\d)?)?", value):
        return "day"
    if not re.search(r"[^\W\d_]", value):
        return "digits"
    code = "@" in value or _SHORT_CODE.fullmatch(value) or (re.search(r"\d", value) and not re.search(r"\s", value))
    return "code" if code else "words"


def _verbatim(value: str, text: str) -> bool:
    """Whether a text says a value as it is written, but for capitals."""
    plain = value.isascii() and text.isascii()
    return not (plain and value.lower() not in text.lower()) and _verbatim_pattern(value).search(text) is not None


@lru_cache(maxsize=8192)
def _verbatim_pattern(value: str) -> re.Pattern[str]:
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
                day, this_year = reading.value, (now or _ANY_YEAR).year
                found.update(_dates(*((this_year + shift, day.month, day.day) for shift in (-1, 0, 1))))
            if year is None or int(year[0]) == reading.value.year:
                found.add(reading.value)
    return frozenset(found.union(_numeric_days(text)))


def _numeric_days(text: str) -> Iterator[date]:
    """Both days that 02/11/2020 may be."""
    for first, second, year in re.findall(r"\b(\d\d?)[./](\d\d?)[./](\d{4})\b", text):
        yield from _dates((year, first, second), (year, second, first))


def _dates(*parts: tuple[str | int | Any, ...]) -> Iterator[date]:
    for year, month, day in parts:
        with suppress(ValueError):
            yield date(int(year), int(month), int(day))


# ---- what is claimed


@lru_cache(maxsize=4096)
def _grounds(text: str | float) -> frozenset[Claim]:
    if not isinstance(text, str):
        return frozenset(_number(abs(text)))
    found: set[Claim] = {claim for claim, _, _ in _read(text)}
    found.update(("day", (one.month, one.day)) for one in _numeric_days(text))
    found.update(("name", word.casefold()) for word in _WORD.findall(text))
    stamps = _ISO_MOMENT.sub(" ", text)
    for number in _NUMBER.findall(stamps):
        found.update(_number(float(number)))
    return frozenset(found)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[tuple[Claim, str, int], ...]:
    """(claim, its words, weight) for each value of a text: 0 needs no support, 2 a grader of replies looks up."""
    return tuple(_read_values(text))


def _read_values(text: str) -> Iterator[tuple[Claim, str, int]]:
    yield from ((claim, said, 1) for claim, said in _names(text))
    left = text
    for kind in (_emails, _stamps, _clocks, _named_days, _ids):
        if not _TELLING.search(left):
            break
        for claim, start, end in list(kind(left)):
            looked_up = claim[0] in ("email", "day") or (claim[0] == "id" and not text[start:end].isdecimal())
            yield claim, text[start:end], 1 + looked_up
            left = f"{left[:start]}{' ' * (end - start)}{left[end:]}"
    for amount in amounts(left):
        weight = 2 if amount.unit or isinstance(amount.value, float) else int(any(map(str.isdigit, amount.text)))
        for claim in _number(abs(amount.value)):
            if claim[0] == "number":
                yield claim, amount.text.strip(), weight


def _number(value: float) -> Iterator[Claim]:
    if abs(value) > _LARGEST:  # more than a float holds
        return
    yield "number", round(float(value), 4)
    if value >= 10_000 and float(value).is_integer():
        yield "id", str(int(value))


Hit: TypeAlias = tuple[Claim, int, int]


def _emails(text: str) -> Iterator[Hit]:
    for match in EMAIL.finditer(text):
        yield ("email", match[0].casefold()), *match.span()


def _stamps(text: str) -> Iterator[Hit]:
    for match in _ISO_MOMENT.finditer(text):
        start, end = match.span()
        yield ("day", (int(match[2]), int(match[3]))), start, end
        yield ("number", float(match[1])), start, end
        if match[4]:
            seconds = "" if match[5] in (None, "00") else f":{match[5]}"
            yield ("time", f"{match[4]}{seconds}"), start, end


def _named_days(text: str) -> Iterator[Hit]:
    for reading in readings(text, "date", _ANY_YEAR) if _MONTH_OR_SLASHES.search(text) else ():
        said = text[reading.start : reading.end]
        if isinstance(reading.value, date) and re.search(r"\d", said) and _MONTH_OR_SLASHES.search(said):
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


def _names(text: str) -> Iterator[tuple[Claim, str]]:
    for match in _WORD.finditer(text):
        word = match[0]
        if not word[0].isupper() or len(word) < 2 or word.isupper() or word.casefold() in _NO_NAME:
            continue
        before = text[: match.start()].rstrip(" \"'“‘„«([*-")
        if before and not before.endswith(_BEFORE_A_SENTENCE) and not before[-1].isspace():
            yield ("name", word.casefold()), word
