"""Whether what is found agrees with what was said: who asks about Oslo does not want to read of Lima.

A value that is called as a parameter is (`city`, `city_name`, `location|city`) has to be the same: dates the same day,
texts one a part of the other. Between a `start` and an `end` lies what is dated, on a day what is of that day.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache

from pydantic import JsonValue

from toologue.apis.result_values import Single
from toologue.text.times import MONTHS
from toologue.text.tokens import split_name
from toologue.worlds.documented import choices, kind_of, kind_wraps

_DROPPED = frozenset(("name", "title", "full", "display", "value", "code"))
_FIRST, _LAST = frozenset(("start", "from", "begin", "since", "after")), frozenset(("end", "to", "until", "before"))
_DAYS = frozenset(("date", "day", "applicable on", "effective", "effective date", "as of"))
_SINGLE = frozenset(("date", "day"))
_CODES = (frozenset(("code",)), frozenset(("slug",)))
# What is asked for in words that the answer need not repeat.
_OPEN = frozenset((
    "id", "q", "s", "query", "search", "term", "keyword", "type", "status", "limit", "page", "language", "lang", "unit",
    "units",
))  # fmt: skip
_NEAR = 0.5  # degrees: the next town
# What points to one place without naming it; what places are called, and other ways to write that.
SPOTS = frozenset(("place.zip", "place.lat", "place.lon"))
_COUNTRY = ("place.country", "place.code", "place.code3")
_WHERE = frozenset(("place.city", *_COUNTRY))
# Ways to write a day, and where year, month and day stand.
_WRITTEN = (
    (re.compile(r"(\d{4})-?(\d\d)-?(\d\d)"), (1, 2, 3)),
    (re.compile(r"(\d\d?)[/.-](\d\d?)[/.-](\d{4})"), (3, 2, 1)),
    (re.compile(r"(\d\d?) ([A-Z][a-z]+) (\d{4})"), (3, 2, 1)),
)


def contradicts(told: Mapping[str, JsonValue], result: Iterable[Single]) -> bool:
    """Whether a result says something else of what was told."""
    asked = {key: value for name, value in told.items() if (key := _key(name)) and value not in ("", None)}
    bounds = _bounds(told)
    if not asked and bounds is None:
        return False
    for one in result:
        key = _about(one.name)
        if one.value is None or _opaque(one):
            continue
        if key in asked and not _same(asked[key], one.value):
            return True
        if bounds and key in _DAYS and (day := _day(one.value)) and not bounds[0] <= day <= bounds[1]:
            return True
    return False


def is_earlier(result: Iterable[Single], chosen: str) -> bool:
    """Whether something happened before the day of what was chosen by its day: a delivery before the order."""
    first = _day(chosen)
    days = (_day(one.value) for one in result) if first else ()
    return any(first and day and day < first for day in days)


def is_elsewhere(given: Mapping[str, JsonValue], told: Iterable[tuple[str, JsonValue]], *, shown: bool = False) -> bool:
    """Whether values, each with its kind, are those of another place than was given: the euro of the United States.

    What is told of a spot that no table knows, by its postal code or by where it is, can but be made up, unless
    documentation has `shown` it.
    """
    placed = {kind: str(value).casefold() for kind, value in given.items() if kind.startswith("place.")}
    found = [{at for at, one in enumerate(_column(kind)) if one == value} for kind, value in placed.items()]
    rows = set[int].intersection(*found) if found else set[int]()
    spot = not SPOTS.isdisjoint(placed)
    for kind, value in told:
        said = str(value).casefold()
        if not kind.startswith("place.") or said in placed.values():
            continue
        known = {_column(spelt)[at] for spelt in (_COUNTRY if kind in _COUNTRY else (kind,)) for at in rows}
        strange = spot and kind in _WHERE and not any(one in said or said in one for one in known)
        if (rows and said in _column(kind) and said not in known) or (strange and not shown):
            return True
    return False


def is_near(one: JsonValue, other: JsonValue) -> bool:
    """Whether two coordinates are of one place, or two postal codes are the same."""
    if isinstance(one, float) or isinstance(other, float):
        with suppress(ValueError):
            return abs(float(str(one)) - float(str(other))) < _NEAR
    return str(one).casefold() == str(other).casefold()


@lru_cache(maxsize=64)
def _column(kind: str) -> Sequence[str]:
    return [str(one).casefold() for one in choices(kind)]


def names_other_entity(named: Mapping[str, str], told: Iterable[tuple[str, JsonValue]], *, meeting: bool) -> bool:
    """Whether values, each with the kind of thing that it names, speak of some of a kind that was named, and not of it.

    Where things meet, one that is told of may be the other one.
    """
    there: dict[str, set[str]] = {}
    for kind, value in told:
        if isinstance(value, str) and value[:1].isupper():
            there.setdefault(kind, set()).add(value.casefold())
    found = ((name, there.get(kind, set[str]())) for kind, name in named.items())
    return any(len(values) > meeting for name, values in found if not any(name in one for one in values))


def without_contradictions(found: Sequence[Single], others: Sequence[Single]) -> list[Single]:
    """What is found, without what the others say otherwise of the same thing by the same name, said once in both."""
    here, there = _once(found), defaultdict[str, list[tuple[str, JsonValue]]](list)
    for (place, name), value in _once(others).items():
        there[name].append((place, value))

    def gainsaid(one: Single) -> bool:
        around, last = key = _place_and_name(one)
        whole = not around and not one.place  # said of all that was asked for, and of no row of it
        rivals = (value for place, value in there.get(last, ()) if whole or place == around != "")
        return key in here and any(not _equal(value, one.value) for value in rivals)

    return [one for one in found if not gainsaid(one)]


def _equal(one: JsonValue, other: JsonValue) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return one == other if numbers else _same(one, other)


def _once(values: Sequence[Single]) -> dict[tuple[str, str], JsonValue]:
    often = Counter(map(_place_and_name, values))
    return {key: one.value for one in values if often[key := _place_and_name(one)] == 1 and one.value is not None}


def _place_and_name(one: Single) -> tuple[str, str]:
    """What a value stands in, nothing where that only wraps it, and its name."""
    *around, last = one.name.split("|")
    return next((_key(name) for name in reversed(around) if not kind_wraps(name)), ""), last


def _opaque(one: Single) -> bool:
    """Whether a value is a code or a slug of its own, with digits: it is no name of the thing that it stands in."""
    return _words(one.name.rpartition("|")[2]) in _CODES and any(map(str.isdigit, str(one.value)))


@lru_cache(maxsize=1 << 12)
def _about(path: str) -> str:
    """What an output is about: of `location|city|name` city."""
    names = [part for part in path.split("|") if not kind_wraps(part) or kind_of((part,)).startswith("place.")]
    if len(names) > 1 and _words(names[-1]) <= _DROPPED:
        return _key(f"{names[-2]} {names[-1]}")
    return _key(names[-1]) if names else ""


@lru_cache(maxsize=1 << 12)
def _key(name: str) -> str:
    """What a name is about, without what only says that it is one: `cityName` → city."""
    words = [word for word in split_name(name.rpartition("|")[2]).split() if word not in _DROPPED]
    return "" if not words or words[-1] in _OPEN or {*words} & (_FIRST | _LAST) else " ".join(words)


@lru_cache(maxsize=1 << 12)
def _words(name: str) -> frozenset[str]:
    return frozenset(split_name(name).split())


def _bounds(told: Mapping[str, JsonValue]) -> tuple[date, date] | None:
    first, last, single = date.min, date.max, list[date]()
    for name, value in told.items():
        words, day = _words(name), _day(value)
        if day and words & (_FIRST | _LAST):
            first, last = (day, last) if words & _FIRST else (first, day)
        elif day and words & _SINGLE and "birth" not in words:
            single.append(day)
    if (first, last) != (date.min, date.max):
        return first, last
    return (single[0], single[0]) if len(single) == 1 else None


def _same(one: JsonValue, other: JsonValue) -> bool:
    day, another = _day(one), _day(other)
    if day and another:
        return day == another
    if isinstance(one, bool) or isinstance(other, bool):
        return True
    text, beside = str(one).casefold(), str(other).casefold()
    if len(text) < 4 or len(beside) < 4:
        return text == beside or not (text.isalpha() and beside.isalpha() and len(text) == len(beside))
    return text in beside or beside in text or (text[:4] == beside[:4] and text.isdigit() and beside.isdigit())


def _day(value: JsonValue) -> date | None:
    if not isinstance(value, str) or not 8 <= len(value) <= 40 or not value[:1].isdigit():
        return None
    for pattern, order in _WRITTEN:
        if found := pattern.match(value):
            year, month, day = found.group(*order)
            month = int(month) if month.isdigit() else MONTHS.index(month) + 1 if month in MONTHS else 0
            with suppress(ValueError):
                return date(int(year), month, int(day))
    return None
