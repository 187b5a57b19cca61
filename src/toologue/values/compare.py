"""Whether an actual value agrees with an expected one, by the comparer that its parameter names; dates and moments.

Contract: pure, total, never raises: any two JSON values have an answer. Text similarity comes in as a function.

Example:
    >>> agree("moment", "2025-03-10 07:00:00", "2025-3-10 7:0:0", never_alike)
    True
    >>> agree("set", ["ann", "bob"], ["bob", "ann"], never_alike)
    True

Not covered: units and currencies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal, assert_never, cast

from pydantic import JsonValue

from toologue import keys
from toologue.schema import Compare

_DURATION = re.compile(r"(\d{1,6}) ?(minute|hour|day|week)s?")
_LONGEST = timedelta(days=366_000)
Alike = Callable[[Literal["text", "prose"], str, str], bool]
"""(comparer, expected, actual) → whether two texts say the same."""

_FORMS = ("%Y-%m-%d %H:%M:%S", "%H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%H:%M", "%Y-%m-%d")


# Whether a moment will do for the one that was expected.
_JUDGES: dict[str, Callable[[datetime, datetime], bool]] = {
    "date": lambda expected, actual: expected.date() == actual.date(),
    "moment": datetime.__eq__,
    "from": datetime.__ge__,
    "until": datetime.__le__,
}
_BRANCHES = (dict, list)  # for isinstance: a union would be made at each call


@lru_cache(maxsize=1 << 14)
def moment(text: str) -> datetime | None:
    """The moment that a text names, or None. One that names no zone is read as UTC."""
    if not text[:4].isdecimal():  # quick, and true of every moment
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def written(when: datetime) -> str:
    """A moment as RFC 3339, to the second."""
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")


def duration(text: Any) -> timedelta | None:
    """What a text such as `30 days` spells: minutes, hours, days or weeks, a thousand years at most. Else None."""
    found = _DURATION.fullmatch(text.strip()) if isinstance(text, str) else None
    length = timedelta(**{f"{found[2]}s": int(found[1])}) if found else None
    return length if length is not None and length <= _LONGEST else None


@lru_cache(maxsize=4096)
def shifted(text: str, by: str, way: Callable[[datetime, timedelta], datetime], now: str = "") -> str | None:
    """A date or a moment, a duration later (added) or earlier (subtracted), written alike; None where it is not such.

    A date and a part of a day is a moment, written as `now` is, in its zone. Raises OverflowError for what lies outside
    of the years 1 to 9999.

        >>> shifted("2025-03-12", "14 days", datetime.__add__)
        '2025-03-26'
        >>> shifted("2025-03-12T09:30:00Z", "2 hours", datetime.__sub__)
        '2025-03-12T07:30:00Z'
        >>> shifted("2025-03-12", "20 hours", datetime.__add__, "2025-03-12T09:30:00Z")
        '2025-03-12T20:00:00Z'
    """
    when, wait = moment(text), duration(by)
    if when is None or wait is None:
        return None
    is_day = len(text) <= len("2025-03-12")
    if is_day and not wait % timedelta(days=1):
        return way(when, wait).date().isoformat()
    form = now if is_day and moment(now) else text
    like = datetime.fromisoformat(form)
    later = way(when.replace(tzinfo=like.tzinfo) if is_day else like, wait)
    return later.isoformat(" " if " " in form else "T", "seconds").replace("+00:00", "Z")


def never_alike(compare: Literal["text", "prose"], expected: str, actual: str) -> bool:
    """The similarity of those who have none."""
    return False


def agree(compare: Compare, expected: Any, actual: Any, alike: Alike) -> bool:
    """Whether `actual` is as good as `expected`."""
    if compare == "ignored" or same(expected, actual):
        return True
    texts = isinstance(expected, str) and isinstance(actual, str)
    match compare:
        case "exact":
            return False
        case "folded":
            return texts and " ".join(expected.split()).casefold() == " ".join(actual.split()).casefold()
        case "text" | "prose":
            return texts and alike(compare, expected, actual)
        case "from" | "until" if actual is None:
            return True
        case "date" | "moment" | "from" | "until":
            one, other = (moment_of(expected), moment_of(actual)) if texts else (None, None)
            return one is not None and other is not None and _JUDGES[compare](one, other)
        case "set" | "ids":
            if not (isinstance(expected, list) and isinstance(actual, list)):
                return False
            lists = (cast("list[Any]", expected), cast("list[Any]", actual))
            wanted, got = ({keys.canonical(item) for item in one} for one in lists)
            return wanted == got if compare == "set" else wanted <= got
        case _:
            assert_never(compare)


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: 25 is 25.0, but true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if one != other:
        return False
    return not isinstance(one, dict | list) or keys.canonical(one) == keys.canonical(other)


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def order(one: Any, other: Any) -> int | None:
    """-1, 0 or 1: whether a value is before another, as far, or after. Numbers have an order, and texts, which are
    compared as moments where both name one; None for whatever else.
    """
    if isinstance(one, str) and isinstance(other, str):
        early, late = moment(one), moment(other)
        one, other = (one, other) if early is None or late is None else (early, late)
    elif not (is_number(one) and is_number(other)):
        return None
    return (one > other) - (one < other)


def contains(whole: Any, part: Any) -> bool:
    """Whether a JSON value holds all of another: every key, every list member."""
    if isinstance(part, dict):
        fields = cast("dict[str, Any]", part)
        return isinstance(whole, dict) and all(
            name in whole and contains(cast("dict[str, Any]", whole)[name], value) for name, value in fields.items()
        )
    if isinstance(part, list):
        members = cast("list[Any]", part)
        if not members:
            return whole == []
        return isinstance(whole, list) and all(any(same(o, m) for o in cast("list[Any]", whole)) for m in members)
    return same(whole, part)


def leaves(value: JsonValue) -> Iterator[str | float]:
    """Every value in a JSON value that is neither object nor list, in order; nulls are none."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,)
    for member in members:
        if isinstance(member, _BRANCHES):
            yield from leaves(member)
        elif member is not None:
            yield member


def lengths(value: JsonValue) -> Iterator[int]:
    """How long the lists of a JSON value are."""
    return map(len, lists_in(value))


def lists_in(value: JsonValue) -> Iterator[list[JsonValue]]:
    """The lists of a JSON value."""
    if isinstance(value, list):
        yield value
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from lists_in(member)


def clock_of(now: Any) -> datetime | None:
    """The moment that the `now` of a brief names, without its offset; None where it names none."""
    try:
        return datetime.fromisoformat(now).replace(tzinfo=None) if isinstance(now, str) else None
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def moment_of(text: str) -> datetime | None:
    """The moment that a text names in one of the usual forms, or None."""
    for form in _FORMS:
        try:
            return datetime.strptime(text.strip(), form)
        except ValueError:
            continue
    return None
