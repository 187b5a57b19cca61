"""The desk: what every tool of the assistant works on. A store, a clock, the session, and ids drawn in a fixed order.

Ids are drawn per tool from a generator with a fixed seed, so the n-th successful draw of a tool is always the same; a
failed call draws nothing. Only the count of draws is state, and it rewinds with the store.

Example:
    >>> desk = Desk({}, now="2025-03-10 09:00:00")
    >>> desk.draw("AddAlarm", 4, 4), desk.draw("AddAlarm", 4, 4), desk.draw("AddReminder", 2, 4)
    ('5bff-dd80', '20d0-d9ca', '5b-dd80')

Not covered: clocks that move. `now` stands still for a conversation, as in the published benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache, lru_cache
from random import Random
from typing import Any

from toologue.errors import ToolError
from toologue.worlds.store import Store, Tables

MOMENT = "%Y-%m-%d %H:%M:%S"
TIME = "%H:%M:%S"
Tool = Callable[..., dict[str, Any]]
_SEED = 489


class Desk:
    """A store with the assistant's clock, session and id counters."""

    def __init__(self, base: Tables, now: str):
        self.store = Store(base)
        self.now = moment(now)

    @property
    def session(self) -> dict[str, Any] | None:
        """{username, token} of who is logged in, or None."""
        row = self.store.get("_session", "current")
        return None if row is None else dict(row)

    def log_in(self, username: str, token: str) -> None:
        """Start the session. That somebody is logged in is public state, the token is not."""
        self.store.put("_session", "current", {"username": username, "token": token})
        self.store.put("Session", "current", {"username": username})

    def log_out(self) -> None:
        """End the session."""
        self.store.delete("_session", "current")
        self.store.delete("Session", "current")

    def owner(self, session_token: object) -> str:
        """The user whom a session token belongs to."""
        session = self.session
        if session is None or session["token"] != session_token:
            raise ToolError("Invalid session_token.")
        return session["username"]

    def draw(self, tool: str, *widths: int) -> str:
        """The next id of a tool: groups of hex digits, of these widths."""
        return self._next(tool, lambda random: "-".join(f"{random.randint(0, 16**w - 1):0{w}x}" for w in widths))

    def draw_code(self, tool: str) -> str:
        """The next verification code: six decimal digits."""
        return self._next(tool, lambda random: f"{random.randint(0, 999_999):06d}")

    def _next(self, tool: str, make: Callable[[Random], str]) -> str:
        row = self.store.get("_draws", tool)
        count = 0 if row is None else row["count"]
        self.store.put("_draws", tool, {"count": count + 1})
        known, more = _sequence(tool)
        while len(known) <= count:
            known.append(make(more))
        return known[count]


def moment(text: Any, form: str = MOMENT) -> datetime:
    """Parse a moment. Raises ValueError for text in another form and TypeError for what is not text."""
    return _moment(text, form) if isinstance(text, str) else datetime.strptime(text, form)


@lru_cache(maxsize=1 << 16)
def _moment(text: str, form: str) -> datetime:
    return datetime.strptime(text, form)


@cache
def _sequence(tool: str) -> tuple[list[str], Random]:
    """The ids that a tool has drawn so far in any conversation, and the generator of the rest."""
    return [], Random(_SEED)


def between(value: datetime, low: datetime | None, high: datetime | None) -> bool:
    """Whether low <= value <= high; an absent bound does not bind."""
    return (low is None or low <= value) and (high is None or value <= high)


def newest(rows: Iterator[dict[str, Any]], field: str, limit: int = 5) -> list[dict[str, Any]]:
    """The newest rows by a moment field, newest first, equal ones in their order."""
    return sorted(rows, key=lambda row: moment(row[field]), reverse=True)[:limit]
