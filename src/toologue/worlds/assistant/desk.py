"""What every tool of the assistant works on: databases, a clock that stands still, the session, ids in a fixed order.

Ids are drawn per tool from a generator with a fixed seed, so the n-th successful draw of a tool is always the same; a
failed call draws nothing. Only the count of draws is state, and it rewinds with the store. Databases are a folder of
JSON files, one a database, as published; they are loaded once a process, since no row is ever written in place.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any, cast

from toologue.errors import BadFile, BadRecord, ToolError, shown
from toologue.keys import file_key
from toologue.worlds.store import Store, Tables

MOMENT = "%Y-%m-%d %H:%M:%S"
TIME = "%H:%M:%S"
ADDRESS = r"^[\w\-\d\.]+@[\w\-\d\.]+$"
SUCCESS = {"status": "success"}
Tool = Callable[..., dict[str, Any]]
_SEED = 489
_moment = lru_cache(maxsize=1 << 16)(datetime.strptime)


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
        """The next id of a tool: groups of hex digits, of these widths; without any a code of six decimal digits."""
        count: int = (self.store.get("_draws", tool) or {"count": 0})["count"]
        self.store.put("_draws", tool, {"count": count + 1})
        known, more = _sequence(tool)
        while len(known) <= count:
            groups = (f"{more.randint(0, 16**width - 1):0{width}x}" for width in widths)
            known.append("-".join(groups) if widths else f"{more.randint(0, 999_999):06d}")
        return known[count]


def moment(text: Any, form: str = MOMENT) -> datetime:
    """Parse a moment. Raises ValueError for text in another form and TypeError for what is not text."""
    return _moment(text, form) if isinstance(text, str) else datetime.strptime(text, form)


@cache
def _sequence(tool: str) -> tuple[list[str], Random]:
    """The ids that a tool has drawn so far in any conversation, and the generator of the rest."""
    return [], Random(_SEED)


def check(holds: object, refusal: str) -> None:
    """Raise the ToolError where something does not hold."""
    if not holds:
        raise ToolError(refusal)


def bounds(low: Any, high: Any, form: str, refusal: str) -> tuple[datetime | None, datetime | None]:
    """The moments of a range; raise the ToolError where it ends before it begins."""
    first = None if low is None else moment(low, form)
    last = None if high is None else moment(high, form)
    check(first is None or last is None or first <= last, refusal)
    return first, last


def between(value: datetime, low: datetime | None, high: datetime | None) -> bool:
    """Whether low <= value <= high; an absent bound does not bind."""
    return (low is None or low <= value) and (high is None or value <= high)


STARTER = Path(__file__).parent / "databases"
_OWNED = ("Alarm", "Calendar", "Email", "Message", "Reminder", "Weather", "HistoricWeather")


@cache
def load(databases: str) -> Tables:
    """The tables of a folder; `starter` names the databases that ship with the package."""
    folder = _folder(databases)
    accounts = _read(folder / "Account.json")
    tables: dict[str, dict[str, dict[str, Any]]] = {
        "Account": {name: {f: v for f, v in row.items() if f != "session_token"} for name, row in accounts.items()}
    }
    for database in _OWNED:
        file = folder / f"{database}.json"
        for owner, rows in (_read(file) if file.exists() else {}).items():
            for name, row in rows.items():
                _expect_object(row, file, f"$.{owner}.{name}")
            tables[f"{database}/{owner}"] = rows
    return tables


@cache
def data_key(databases: str) -> str:
    """16 hex digits that name the content of a folder of databases."""
    return file_key(_folder(databases))


def export(store: Store) -> dict[str, dict[str, Any]]:
    """The databases as files would hold them now: sessions and codes are back in the account rows."""
    databases: dict[str, dict[str, Any]] = {database: {} for database in ("Account", *_OWNED)}
    session, codes = store.get("_session", "current") or {}, store.rows("VerificationCode")
    for name, row in store.rows("Account").items():
        account = {**row, "session_token": session["token"] if session.get("username") == name else None}
        databases["Account"][name] = account | ({"verification_code": codes[name]["code"]} if name in codes else {})
    for table in store.tables():
        database, _, owner = table.partition("/")
        if owner and database in databases:
            databases[database][owner] = {name: dict(row) for name, row in store.rows(table).items()}
    return databases


def _folder(databases: str) -> Path:
    folder = STARTER if databases == "starter" else Path(databases)
    if not folder.is_dir():
        raise BadFile(f"{folder} is not a folder of databases (Account.json, Alarm.json, …)")
    return folder


def _read(file: Path) -> dict[str, dict[str, Any]]:
    try:
        data = json.loads(file.read_bytes())
    except OSError as error:
        raise BadFile(f"cannot read {file}: {error.strerror or error}") from None
    except ValueError as error:
        raise BadRecord(file, getattr(error, "lineno", 0), "$", str(error), "one JSON object a file") from None
    _expect_object(data, file, "$")
    for name, rows in data.items():
        _expect_object(rows, file, f"$.{name}")
    return data


def _expect_object(value: Any, file: Path, path: str) -> None:
    if not isinstance(value, dict):
        raise BadRecord(file, 0, path, f"expected an object, got {shown(cast('object', value))}")
