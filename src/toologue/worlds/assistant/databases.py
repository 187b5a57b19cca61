"""The assistant's databases: a folder of JSON files becomes the tables of a store, and back.

One file a database, as published: Account, Alarm, Calendar, Email, Message, Reminder, Weather, HistoricWeather. Loaded
once a process and shared by every conversation, since no row is ever written in place.

Example:
    >>> sorted(load("starter"))[0]
    'Account'

Not covered: databases larger than memory.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, cast

from toologue.errors import BadFile, BadRecord, shown
from toologue.keys import file_key
from toologue.worlds.store import Store, Tables

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
    session, codes = store.get("_session", "current"), store.rows("VerificationCode")
    for name, row in store.rows("Account").items():
        own = session is not None and session["username"] == name
        account = {**row, "session_token": session["token"] if own and session else None}
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
