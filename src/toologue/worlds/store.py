"""A copy-on-write store of rows: marks and rewinds cost what changed, never what is there.

Rows are JSON objects and never mutated in place; a table keeps the order in which its rows arrived, and exists as soon
as it holds or held a row, or was touched. Writes to a table whose name starts with `_` (session tokens, id counters)
rewind like all others but never show up in `take`.

Example:
    >>> store = Store({"alarm/ann": {"a1": {"time": "07:00:00"}}})
    >>> start = store.mark()
    >>> store.put("alarm/ann", "a2", {"time": "08:00:00"})
    >>> store.take()
    ({'alarm/ann/a2': {'time': '08:00:00'}}, ('alarm/ann/a2',))
    >>> store.rewind(start)
    >>> list(store.rows("alarm/ann"))
    ['a1']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, cast

Row = Mapping[str, Any]
Tables = Mapping[str, Mapping[str, Row]]
Mark = Mapping[str, Mapping[str, Row | None]]
_HOLDERS = (dict, list)
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Change(NamedTuple):
    """One field that differs between two states; `field` is None where the whole row came or went."""

    table: str
    row: str
    field: str | None
    old: Any
    new: Any


class _Again(dict[str, Any]):
    """A row of the base that was removed and added again: it comes after the rows that stayed."""


class Store:
    """Tables of rows over an immutable base. `base` is shared between stores and never written."""

    def __init__(self, base: Tables):
        self._base = base
        self._over: dict[str, Mapping[str, Row | None]] = {}
        self._written: dict[str, Row | None] = {}
        self._created: dict[str, None] = {}

    def exists(self, table: str) -> bool:
        """Whether the table holds or held a row, or was touched."""
        return table in self._over or table in self._base

    def touch(self, table: str) -> None:
        """Make an empty table exist. Existence alone is not a change."""
        self._over.setdefault(table, _NOTHING)

    def tables(self, prefix: str = "") -> Iterator[str]:
        """The names of the tables, in order."""
        return (name for name in {**self._base, **self._over} if name.startswith(prefix))

    def get(self, table: str, row: str) -> Row | None:
        """A row, or None."""
        over = self._over.get(table, _NOTHING)
        return over[row] if row in over else self._base.get(table, _NOTHING).get(row)

    def put(self, table: str, row: str, value: Row | None) -> None:
        """Add a row, replace it in its place, or (None) remove it."""
        old = self.get(table, row)
        if value is None and old is None:
            return  # there is nothing to remove
        over, based = self._over.get(table, _NOTHING), row in self._base.get(table, _NOTHING)
        if old is None or (value is None and not based):
            over = {name: kept for name, kept in over.items() if name != row}
        if value is not None and based and (old is None or isinstance(old, _Again)):
            value = _Again(value)
        self._over[table] = {**over, row: value} if value is not None or based else over
        if table.startswith("_"):
            return
        path = path_of(table, row)
        known = path in self._written  # then it held a row before this act
        self._written[path] = value
        if value is None and self._created.pop(path, "") is None:
            del self._written[path]  # came and went within one act
        elif old is None and not known:
            self._created[path] = None

    def delete(self, table: str, row: str) -> None:
        """Remove a row."""
        self.put(table, row, None)

    def rows(self, table: str) -> dict[str, Row]:
        """The rows of a table, in order; empty where there is no such table."""
        return _merged(self._base.get(table, _NOTHING), self._over.get(table, _NOTHING))

    def mark(self) -> Mark:
        """The present state, as a value."""
        return dict(self._over)

    def rewind(self, mark: Mark) -> None:
        """Return to a marked state. Changes not yet taken are forgotten."""
        self._over = dict(mark)
        self._written, self._created = {}, {}

    def take(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """(path → new row or None, paths that held no row before) of all that was written since the last take."""
        written, created = self._written, self._created
        if written:
            self._written, self._created = {}, {}
        return {path: None if row is None else dict(row) for path, row in written.items()}, tuple(created)

    def state(self, mark: Mark | None = None) -> dict[str, dict[str, Row]]:
        """Every public table with its rows, at a mark or now."""
        over = self._over if mark is None else mark
        public = (name for name in {**self._base, **over} if not name.startswith("_"))
        return {name: _merged(self._base.get(name, _NOTHING), over.get(name, _NOTHING)) for name in public}


class Stateful:
    """What all worlds over a store do alike. Make it when the store is as the world begins."""

    def __init__(self, store: Store):
        self._store, self._start = store, store.mark()
        store.take()

    def mark(self) -> Mark:
        """The present state."""
        return self._store.mark()

    def rewind(self, mark: Mark) -> None:
        """Return to a marked state."""
        self._store.rewind(mark)

    def diff(self, old: Mark | None = None) -> list[Change]:
        """What changed since a mark, or since the start: table, row, field, old, new."""
        return diff(self._store.state(self._start if old is None else old), self._store.state())


def diff(old: Tables, new: Tables) -> list[Change]:
    """What differs between two states (`Store.state`): table, row, field, old value, new value."""
    changes: list[Change] = []
    for table in {**old, **new}:
        before, after = old.get(table, _NOTHING), new.get(table, _NOTHING)
        for row in {**before, **after}:
            one, other = before.get(row), after.get(row)
            if one is None or other is None:
                changes.append(Change(table, row, None, one, other))
            elif one != other:
                pairs = ((field, one.get(field), other.get(field)) for field in {**one, **other})
                changes += [Change(table, row, *pair) for pair in pairs if pair[1] != pair[2]]
    return changes


def own(value: Any) -> Any:
    """A JSON value that shares no list and no object with this one."""
    if isinstance(value, dict):
        made = dict(cast("dict[str, Any]", value))
        for name, item in made.items():
            if isinstance(item, _HOLDERS):  # quick, as most values are plain
                made[name] = own(item)
        return made
    return [own(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def path_of(table: str, row: str) -> str:
    """The path of a row in `Result.changes`: `table/row`; `~` and `/` in the row's name are written `~0` and `~1`."""
    return f"{table}/{str(row).replace('~', '~0').replace('/', '~1')}"


def split_path(path: str) -> tuple[str, str]:
    """(table, row) of a path."""
    table, _, row = path.rpartition("/")
    return table, row.replace("~1", "/").replace("~0", "~")


def _merged(base: Mapping[str, Row], over: Mapping[str, Row | None]) -> dict[str, Row]:
    if not over:
        return dict(base)
    if any(isinstance(row, _Again) for row in over.values()):
        base = {name: row for name, row in base.items() if not isinstance(over.get(name), _Again)}
    rows = {**base, **over}
    return {name: row for name, row in rows.items() if row is not None}
