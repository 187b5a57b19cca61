"""The rows of a simulated service: those of its seed, those it makes, and all of them while it runs.

    now: 2025-03-12T09:30:00Z               # a seed: when the service believes it is,
    customers:                              # and tables: a list of rows, or key → row
      - {customer_id: C-2041, name: Ana Ferreira, email: ana.ferreira@post.example}

Whatever is written fits the document: keys and unique values stand once, references lead to rows. A row of the seed
that does not is an error with its place; a call that would write one is refused (409, 422). Whoever calls undoes what
was written before a refusal. Rows that come out of `Data` are the stored ones: nobody may write to them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, NoReturn, cast

from toologue.apis.schemas import list_of, object_of
from toologue.data import Place, Source
from toologue.errors import BadSetting, ToolError, UnknownName, shown
from toologue.schema import Fault
from toologue.text.tokens import snake
from toologue.values.compare import moment, same, written
from toologue.values.json_schema import fits, types_of
from toologue.values.least import completed, least
from toologue.worlds.crud.envelopes import kinds_of
from toologue.worlds.crud.rows import RowMaker, now_as, plausible
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row, Store, own

_COUNTS = "_made"
# Key → row, and where it stands.
_Placed = dict[str, tuple[dict[str, Any], Place]]


class Refusal(ToolError):
    """The simulated service refuses a call. Raises ValueError for a status that refuses nothing."""

    def __init__(self, status: int, message: str):
        self.status, self.message = status, message
        self.fault = Fault(type=fault_type(status), message=message)
        super().__init__(message)


def fault_type(status: int) -> str:
    """The word for an HTTP status. Raises ValueError for a number that refuses nothing."""
    if not (400 <= status <= 599 and status in {*HTTPStatus}):
        raise ValueError(f"the status of a refusal is one of HTTP's from 400 to 599, not {shown(status)}")
    return "invalid" if status in (400, 422) else snake(HTTPStatus(status).phrase)


def key_text(value: Any) -> str:
    """The name of a row in the store: the text of its key, 7 and 7.0 alike."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def lies(row: Row, field: str, value: Any, table: Table) -> bool:
    """Whether a row lies under what a field of it names; where nobody said, unseen fields let it."""
    told = row.get(field)
    return key_text(told) == key_text(value) if told is not None else field in table.unseen


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

    def get(self, table: str, key: Any, under: Row = MappingProxyType({})) -> Row:
        """A row by its key, or as it is now; `under`: where it lies. Raises Refusal (404) where there is none."""
        row, described = self.store.get(table, self._named(table, key)), self.table(table)
        if row is None or not all(lies(row, name, value, described) for name, value in under.items()):
            self.missing(table, key)
        return row

    def _named(self, table: str, key: Any) -> str:
        return key_text(cast("Row", key)[self.table(table).key] if isinstance(key, Mapping) else key)

    def missing(self, table: str, key: Any) -> NoReturn:
        """Refuse (404): there is no such row."""
        raise Refusal(404, f"there is no {self.table(table).spoken} {shown(key)}")

    def rows(self, table: str) -> Collection[Row]:
        """The rows of a table, in their order."""
        return self.store.rows(self.table(table).name).values()

    def fitting(self, table: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What was sent as the fields of a row: objects completed; what is sent as one thing and shown as another (an
        id, a whole row) is left out.
        """
        described, made = self.table(table), dict[str, Any]()
        for name, value in fields.items():
            rule = described.rule(name)
            whole = completed(value, rule, described.root) if isinstance(value, dict | list) else value
            kinds = kinds_of(rule, described.root)
            if fits(whole, rule, described.root) or not kinds or fits(whole, {"type": [*kinds]}):
                made[name] = whole
        return made

    def add(self, table: str, fields: Mapping[str, Any]) -> Row:
        """A new row with these fields, and with those that the service fills in. A row may stand for its key."""
        refers = self.table(table).refers
        given = {name: self._key_of(refers[name], value) if name in refers else value for name, value in fields.items()}
        self._check(table, given)
        maker, made = self._makers[table], self.store.get(_COUNTS, table)
        number = 0 if made is None else made["count"]
        key = maker.table.key
        if key in given and self.store.get(table, key_text(given[key])) is not None:
            raise Refusal(409, f"the {maker.table.spoken} {shown(given[key])} is there already")
        parents = [self.get(refers[name], given[name]) for name in refers if given.get(name) is not None]
        for parent in parents:
            given |= maker.shared(given, parent)
        row: dict[str, Any] = {}
        while not row or (key not in given and self.store.get(table, key_text(row[key])) is not None):
            number += 1
            row = maker.row(own(given), number, now=self.now)
        for name, other in ((name, other) for name, other in refers.items() if name not in given):
            lost = row.get(name) is not None and self.store.get(other, key_text(row[name])) is None
            keys = [one[self.table(other).key] for one in self.rows(other)] if lost else []
            if keys and maker.table.violation({name: keys[0]}) is None:
                row[name] = keys[0]
        self.store.put(_COUNTS, table, {"count": number})
        self.store.put(table, key_text(row[key]), row)
        return row

    def change(self, table: str, key: Any, fields: Mapping[str, Any]) -> Row:
        """A row with some fields changed; equal ones are no change. A row may stand for its key, as in what follows."""
        old = self.get(table, key)
        fresh = _fresh(old, fields)
        return self._put(table, key, {**old, **own(fresh)}, fresh) if fresh else old

    def replace(self, table: str, key: Any, row: Mapping[str, Any]) -> Row:
        """Another row in the place of one."""
        old = self.get(table, key)
        fresh, new = _fresh(old, row), {name: row[name] for name in (*self.table(table).fields, *row) if name in row}
        return self._put(table, key, own(new), fresh) if fresh or old.keys() - row.keys() else old

    def remove(self, table: str, key: Any) -> None:
        """Take a row away."""
        self.store.delete(table, self._named(table, self.get(table, key)))

    def _put(self, table: str, key: Any, row: dict[str, Any], fresh: Mapping[str, Any]) -> Row:
        """Store a row of which some fields are new; what says when it was changed says now."""
        name_of_row = self.table(table).key
        if name_of_row in fresh or name_of_row not in row:
            known = self.get(table, key)[name_of_row]
            raise Refusal(422, f"{name_of_row}: {shown(known)} names the {self.table(table).spoken}, it stays")
        self._check(table, fresh)
        for name in self._makers[table].touched:
            if name in fresh:
                continue
            row[name] = now_as(self.table(table).rule(name), self.now())
        self.store.put(table, self._named(table, key), row)
        return row

    def _key_of(self, table: str, value: Any) -> Any:
        return cast("Mapping[str, Any]", value).get(self.table(table).key) if isinstance(value, Mapping) else value

    def _check(self, table: str, fields: Mapping[str, Any]) -> None:
        described = self.table(table)
        if wrong := described.violation(fields):
            raise Refusal(422, wrong)
        for name, other in described.refers.items():
            value = fields.get(name)
            if value is not None and self.store.get(other, key_text(value)) is None:
                raise Refusal(422, f"{name}: there is no {self.table(other).spoken} {shown(value)}")
        for name in described.unique:
            value = fields.get(name)
            if value is not None and any(same(row.get(name), value) for row in self.rows(table)):
                raise Refusal(409, f"{name}: {shown(value)} is taken")


def _fresh(old: Row, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in old or not same(old[name], value)}


def read_seed(
    source: Source, tables: Mapping[str, Table], now: str | None = None
) -> tuple[Mapping[str, Mapping[str, Row]], str | None]:
    """Rows by table and key, and when it is, as RFC 3339: `now`, else as it is said, or None. Raises BadRecord."""
    data = source.data
    if not isinstance(data, dict):
        raise source.bad((), f"expected tables, got {shown(data)}", "write `table: [rows]` or `table: {key: row}`")
    given = dict(object_of(data))
    said = given.pop("now", None) if not isinstance(given.get("now"), dict | list) else None
    now = moment_in(said, source) if now is None and said is not None else now
    placed = {name: _seed_table(source, name, rows, tables) for name, rows in given.items()}
    for name, rows in placed.items():
        for key in rows:
            _check_seed_row(source, tables[name], key, placed)
    for name, rows in placed.items():
        _fill(tables[name], rows, tables, placed, now)
    rows_by_table = {name: {key: row for key, (row, _) in rows.items()} for name, rows in placed.items()}
    return rows_by_table, now


def moment_in(text: Any, source: Source) -> str:
    """A moment as RFC 3339. Raises BadRecord where it is none."""
    when = moment(text) if isinstance(text, str) else None
    if when is None or not 1900 <= when.year <= 2900:
        raise source.bad(("now",), f"{shown(text)} is no moment", "write it like 2025-03-12T09:30:00Z")
    return written(when)


def _seed_table(source: Source, name: str, rows: Any, tables: Mapping[str, Table]) -> _Placed:
    if name not in tables:
        raise source.bad((name,), str(UnknownName("table", name, tables)))
    if rows is not None and not isinstance(rows, dict | list):
        raise source.bad((name,), f"expected rows, got {shown(rows)}", "write `[row, …]` or `{key: row, …}`")
    table, placed = tables[name], _Placed()
    listed: Any = object_of(rows).items() or enumerate(list_of(rows))
    for key, given in listed:
        place: Place = (name, key)
        if not isinstance(given, dict):
            raise source.bad(place, f"expected a row, got {shown(given)}")
        row = _seed_row(source, table, own(given), key if isinstance(rows, dict) else None, place)
        text = key_text(row[table.key])
        if text in placed:
            raise source.bad(place, f"the {table.key} {row[table.key]!r} stands twice")
        placed[text] = row, place
    return placed


def _seed_row(source: Source, table: Table, row: dict[str, Any], key: str | None, place: Place) -> dict[str, Any]:
    """A row that was checked, in the order of the schema, with its key and its defaults."""
    if key is not None:
        rule = table.rule(table.key)
        numeric = {"integer", "number"} & set(types_of(rule))
        wanted = int(key) if numeric and key.isdecimal() and not fits(key, rule, table.root) else key
        if not same(row.setdefault(table.key, wanted), wanted):
            raise source.bad((*place, table.key), f"{row[table.key]!r} stands under the key {key!r}")
    for name, value in row.items():
        if wrong := table.violation({name: value}):
            raise source.bad((*place, name), wrong.removeprefix(f"{name}: "))
    for name in table.fields:
        if name not in row and "default" in table.rule(name):
            row[name] = own(table.rule(name)["default"])
    if table.key not in row:
        raise source.bad(place, f"{table.key!r} is missing", f"every row of {table.name} has one")
    return {name: row[name] for name in dict.fromkeys((*table.fields, *row)) if name in row}


def _fill(
    table: Table, rows: _Placed, tables: Mapping[str, Table], placed: Mapping[str, _Placed], now: str | None
) -> None:
    """What rows need and nobody gave: null, a row that is there, a plausible value, the least that fits."""
    needed = table.required or table.fields.keys() - table.unseen
    made = plausible(table, now) if any(needed - row.keys() for row, _ in rows.values()) else None
    for number, (row, _) in enumerate(rows.values()):
        missing = [name for name in table.fields if name in needed and name not in row]
        likely = made(number) if made and missing else {}
        for name in missing:
            options: list[Any] = [None] if table.required and fits(None, table.fields[name], table.root) else []
            if other := table.refers.get(name):
                others = [one[tables[other].key] for one, _ in placed.get(other, {}).values()]
                others = [one for one in others if fits(one, table.fields[name], table.root)]
                options += others[number % max(len(others), 1) :][:1]
            options += [likely[name]] if name in likely else []
            seed = f"{table.name}{number}"
            row[name] = options[0] if options else least(table.fields[name], table.root, name=name, seed=seed)
        ordered = {name: row[name] for name in dict.fromkeys((*table.fields, *row)) if name in row}
        row.clear()
        row.update(ordered)


def _check_seed_row(source: Source, table: Table, key: str, placed: Mapping[str, _Placed]) -> None:
    row, place = placed[table.name][key]
    for name, other in table.refers.items():
        known = placed.get(other, {})
        if row.get(name) is not None and key_text(row[name]) not in known:
            raise source.bad((*place, name), str(UnknownName(f"row of {other}", key_text(row[name]), list(known))))
    for name in (name for name in table.unique if row.get(name) is not None):
        others = ((k, other) for k, (other, _) in placed[table.name].items() if k != key)
        twin = next((k for k, other in others if same(other.get(name), row[name])), None)
        if twin is not None:
            raise source.bad((*place, name), f"{shown(row[name])} is taken by {twin}")
