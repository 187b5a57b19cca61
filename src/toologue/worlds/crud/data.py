"""The rows of a simulated service while it runs: looked up, added, changed, removed, always such that they fit.

Contract: what is written fits the document. `add` fills in what the service fills in and refuses a key, or a value that
stands once, that is taken (409), a reference that leads nowhere (422) and fields that do not fit (422). Rows that come
out are the stored ones: nobody may write to them. Whoever calls undoes what was written before a refusal.

Example:
    >>> from toologue.worlds.crud.rows import maker_of
    >>> from toologue.worlds.crud.tables import Table
    >>> notes = Table("notes", "id", {"id": {"type": "integer"}, "text": {"type": "string"}})
    >>> data = Data({"notes": maker_of(notes, [])}, Store({}), None)
    >>> data.add("notes", {"text": "called back"}), data.get("notes", 1)["text"]
    ({'id': 1, 'text': 'called back'}, 'called back')

Not covered: indexes; a search looks at every row of a table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NoReturn, cast

from toologue.errors import BadSetting, UnknownName, shown
from toologue.values.compare import same
from toologue.worlds.crud.refusal import Refusal
from toologue.worlds.crud.rows import RowMaker
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row, Store

_COUNTS = "_made"
_HOLDERS = (dict, list)


def key_text(value: Any) -> str:
    """The name of a row in the store: the text of its key, 7 and 7.0 alike."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def own(value: Any) -> Any:
    """A JSON value that shares no list and no object with this one."""
    if isinstance(value, dict):
        made = dict(cast("dict[str, Any]", value))
        for name, item in made.items():
            if isinstance(item, _HOLDERS):  # quick, as most values are plain
                made[name] = own(item)
        return made
    return [own(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


class Data:
    """The rows of every table. `store` is where they are kept."""

    def __init__(self, makers: Mapping[str, RowMaker], store: Store, now: str | None):
        self._makers, self.store, self._now = makers, store, now

    def now(self) -> str:
        """When the service believes it is, as RFC 3339."""
        if self._now is None:
            raise BadSetting("this service needs to know when it is: give `now`, to the world or in its seed")
        return self._now

    def table(self, name: str) -> Table:
        """The description of a table."""
        if name not in self._makers:
            raise UnknownName("table", name, self._makers)
        return self._makers[name].table

    def get(self, table: str, key: Any) -> Row:
        """A row. Raises Refusal (404) where there is none."""
        row = self.store.get(table, key_text(key))
        return self.missing(table, key) if row is None else row

    def missing(self, table: str, key: Any) -> NoReturn:
        """Refuse (404): there is no such row."""
        raise Refusal(404, f"there is no {self.table(table).spoken} {shown(key)}")

    def rows(self, table: str) -> Collection[Row]:
        """The rows of a table, in their order."""
        return self.store.rows(self.table(table).name).values()

    def add(self, table: str, fields: Mapping[str, Any]) -> Row:
        """A new row with these fields, and with those that the service fills in."""
        self._check(table, fields)
        maker, number = self._makers[table], self._count(table)
        key = maker.table.key
        if key in fields and self.store.get(table, key_text(fields[key])) is not None:
            raise Refusal(409, f"the {maker.table.spoken} {shown(fields[key])} is there already")
        row: dict[str, Any] = {}
        while not row or (key not in fields and self.store.get(table, key_text(row[key])) is not None):
            number += 1
            row = maker.row(own(dict(fields)), number, now=self.now)
        self.store.put(_COUNTS, table, {"count": number})
        self.store.put(table, key_text(row[key]), row)
        return row

    def change(self, table: str, key: Any, fields: Mapping[str, Any]) -> Row:
        """A row with some fields changed; equal ones are no change."""
        old = self.get(table, key)
        fresh = {name: value for name, value in fields.items() if name not in old or not same(old[name], value)}
        return self._put(table, key, {**old, **own(fresh)}, fresh) if fresh else old

    def replace(self, table: str, key: Any, row: Mapping[str, Any]) -> Row:
        """Another row in the place of one."""
        old, described = self.get(table, key), self.table(table)
        fresh = {name: value for name, value in row.items() if name not in old or not same(old[name], value)}
        gone = any(name not in row for name in old)
        new = {name: row[name] for name in (*described.fields, *row) if name in row}
        return self._put(table, key, own(new), fresh) if fresh or gone else old

    def remove(self, table: str, key: Any) -> Row:
        """A row that is gone now."""
        row = self.get(table, key)
        self.store.delete(table, key_text(key))
        return row

    def _put(self, table: str, key: Any, row: dict[str, Any], fresh: Mapping[str, Any]) -> Row:
        """Store a row of which some fields are new; what says when it was changed says now."""
        name_of_row = self.table(table).key
        if name_of_row in fresh or name_of_row not in row:
            raise Refusal(422, f"{name_of_row}: {shown(key)} names the {self.table(table).spoken}, it stays")
        self._check(table, fresh)
        for name in self._makers[table].touched:
            row[name] = self.now()
        self.store.put(table, key_text(key), row)
        return row

    def _check(self, table: str, fields: Mapping[str, Any]) -> None:
        described = self.table(table)
        wrong = described.misfit(fields)
        if wrong:
            raise Refusal(422, wrong)
        for name, other in described.refers.items():
            value = fields.get(name)
            if value is not None and self.store.get(other, key_text(value)) is None:
                raise Refusal(422, f"{name}: there is no {self.table(other).spoken} {shown(value)}")
        for name in described.unique:
            value = fields.get(name)
            if value is not None and any(same(row.get(name), value) for row in self.rows(table)):
                raise Refusal(409, f"{name}: {shown(value)} is taken")

    def _count(self, table: str) -> int:
        row = self.store.get(_COUNTS, table)
        return 0 if row is None else row["count"]
