"""Moments as JSON writes them, and the order of values that may be moments.

Contract: RFC 3339 and ISO dates; a moment without a zone is UTC, a date is its midnight. `before_or_at` is None where
two values have no order (a text and a number, two lists).

Example:
    >>> before_or_at("2025-03-12", "2025-03-12T08:00:00Z"), before_or_at(3, 2.5), before_or_at("a", 1)
    (True, False, None)
    >>> written(moment("2025-03-12 08:30:00")), shifted("2025-03-12", "14 days")
    ('2025-03-12T08:30:00Z', '2025-03-26')

Not covered: zones by name, leap seconds, months and years as durations.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

_DURATION = re.compile(r"(-?\d{1,6}) ?(minute|hour|day|week)s?")


@lru_cache(maxsize=1 << 14)
def moment(text: str) -> datetime | None:
    """The moment that a text names, or None."""
    if not text[:4].isdecimal():  # quick, and true of every moment
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def written(when: datetime | None) -> str:
    """A moment as RFC 3339, to the second. Raises ValueError for None."""
    if when is None:
        raise ValueError("no moment")
    return when.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def duration(text: str) -> timedelta | None:
    """The duration that a text names (`30 days`, `1 week`), or None."""
    found = _DURATION.fullmatch(text.strip())
    return timedelta(**{f"{found[2]}s": int(found[1])}) if found else None


def shifted(text: str, by: str) -> str:
    """A date or a moment, later or earlier by a duration, written as it was. Raises ValueError for other texts."""
    start, wait = moment(text), duration(by)
    if start is None or wait is None:
        raise ValueError(f"{text!r} and {by!r} are no moment and duration")
    return written(start + wait)[:10] if len(text) == 10 else written(start + wait)


def before_or_at(one: Any, other: Any) -> bool | None:
    """Whether one value comes before another or is equal to it; None where they have no order."""
    if isinstance(one, bool) or isinstance(other, bool):
        return None
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one <= other
    if not isinstance(one, str) or not isinstance(other, str):
        return None
    early, late = moment(one), moment(other)
    return early <= late if early is not None and late is not None else one <= other
