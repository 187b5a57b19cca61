"""Dates and moments as texts: read, written, made later or earlier.

A text that names no zone is read as UTC. `shifted` writes as it was written: a date stays a date.

    >>> shifted("2025-03-12", "14 days", datetime.__add__), shifted("2025-03-12T09:30:00Z", "2 hours", datetime.__sub__)
    ('2025-03-26', '2025-03-12T07:30:00Z')
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

_DURATION = re.compile(r"(\d{1,6}) ?(minute|hour|day|week)s?")
_LONGEST = timedelta(days=366_000)


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


def written(when: datetime) -> str:
    """A moment as RFC 3339, to the second."""
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")


def duration(text: Any) -> timedelta | None:
    """What a text such as `30 days` spells: minutes, hours, days or weeks, a thousand years at most. Else None."""
    found = _DURATION.fullmatch(text.strip()) if isinstance(text, str) else None
    length = timedelta(**{f"{found[2]}s": int(found[1])}) if found else None
    return length if length is not None and length <= _LONGEST else None


@lru_cache(maxsize=4096)
def shifted(text: str, by: str, way: Callable[[datetime, timedelta], datetime]) -> str | None:
    """A date or a moment, a duration later (added) or earlier (subtracted); None where it is not such.

    Raises OverflowError for what lies outside of the years 1 to 9999.
    """
    when, wait = moment(text), duration(by)
    if when is None or wait is None:
        return None
    if len(text) <= len("2025-03-12"):
        return way(when, wait).date().isoformat()
    later = way(datetime.fromisoformat(text), wait)
    return later.isoformat(" " if " " in text else "T", "seconds").replace("+00:00", "Z")
