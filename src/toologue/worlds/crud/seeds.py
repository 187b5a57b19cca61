"""Seed data: the rows that are there before the conversation starts.

    now: 2025-03-12T09:30:00Z               # when the service believes it is
    customers:                              # a list of rows, or key → row
      - {customer_id: C-2041, name: Ana Ferreira, email: ana.ferreira@post.example}
    orders:
      O-10423: {customer_id: C-2041, status: placed, total: 84.9}

Contract: tables and fields are those of the document; every row fits, keys are there and stand once, references lead to
rows, what is required is there or has a default. Each complaint names file, line, table, row and field.

Example:
    >>> from toologue.data import read_text
    >>> from toologue.worlds.crud.tables import Table
    >>> orders = Table("orders", "id", {"id": {"type": "string"}, "total": {"type": "number"}})
    >>> seed = seed_of_source(read_text("orders: {O-1: {total: 7}}"), {"orders": orders})
    >>> seed.tables
    {'orders': {'O-1': {'id': 'O-1', 'total': 7}}}
    >>> seed_of_source(read_text("orders: {O-1: {total: seven}}"), {"orders": orders})
    Traceback (most recent call last):
    toologue.errors.BadRecord: <document>:1: $.orders.O-1.total: expected number, got 'seven'

Not covered: seeds in several files; dates that move with today.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toologue.data import Place, Source
from toologue.errors import UnknownName, shown
from toologue.values.compare import same
from toologue.values.json_schema import fits, types_of
from toologue.worlds.crud.data import key_text, own
from toologue.worlds.crud.moments import moment, written
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row


@dataclass(frozen=True)
class Seed:
    """Rows by table and key, and when it is, as RFC 3339 (None: not said)."""

    tables: Mapping[str, Mapping[str, Row]] = field(default_factory=dict[str, Mapping[str, Row]])
    now: str | None = None


def seed_of_source(source: Source, tables: Mapping[str, Table]) -> Seed:
    """The seed that a source holds. Raises BadRecord."""
    data = source.data
    if not isinstance(data, dict):
        raise source.bad((), f"expected tables, got {shown(data)}", "write `table: [rows]` or `table: {key: row}`")
    given = dict(cast("dict[str, Any]", data))
    now = given.pop("now", None) if not isinstance(given.get("now"), dict | list) else None
    made = {name: _table(source, name, rows, tables) for name, rows in given.items()}
    for name, rows in made.items():
        for key, (row, place) in rows.items():
            _check_references(source, tables[name], row, made, place)
            _check_unique(source, tables[name], key, rows)
    return Seed(
        {name: {key: row for key, (row, _) in rows.items()} for name, rows in made.items()},
        None if now is None else moment_in(now, source),
    )


def moment_in(text: Any, source: Source) -> str:
    """A moment as RFC 3339. Raises BadRecord where it is none."""
    when = moment(text) if isinstance(text, str) else None
    if when is None or not 1900 <= when.year <= 2900:
        raise source.bad(("now",), f"{shown(text)} is no moment", "write it like 2025-03-12T09:30:00Z")
    return written(when)


Rows = dict[str, tuple[dict[str, Any], Place]]
"""Key → row, and where it stands."""


def _table(source: Source, name: str, rows: Any, tables: Mapping[str, Table]) -> Rows:
    if name not in tables:
        raise source.bad((name,), str(UnknownName("table", name, tables)))
    table, made = tables[name], dict[str, tuple[dict[str, Any], Place]]()
    for place, key, given in _listed(source, name, rows):
        if not isinstance(given, dict):
            raise source.bad(place, f"expected a row, got {shown(given)}")
        row = _row(source, table, own(given), key, place)
        text = key_text(row[table.key])
        if text in made:
            raise source.bad(place, f"the {table.key} {row[table.key]!r} stands twice")
        made[text] = row, place
    return made


def _listed(source: Source, name: str, rows: Any) -> Iterator[tuple[Place, str | None, Any]]:
    """(place, key, row) of what is listed, or stands under keys."""
    if isinstance(rows, dict):
        yield from (((name, key), key, row) for key, row in cast("dict[str, Any]", rows).items())
    elif isinstance(rows, list):
        yield from (((name, index), None, row) for index, row in enumerate(cast("list[Any]", rows)))
    elif rows is not None:
        raise source.bad((name,), f"expected rows, got {shown(rows)}", "write `[row, …]` or `{key: row, …}`")


def _row(source: Source, table: Table, row: dict[str, Any], key: str | None, place: Place) -> dict[str, Any]:
    """A row that was checked, in the order of the schema, with its key and its defaults."""
    if key is not None:
        wanted = _as_key(key, table)
        if not same(row.setdefault(table.key, wanted), wanted):
            raise source.bad((*place, table.key), f"{row[table.key]!r} stands under the key {key!r}")
    for name, value in row.items():
        if name not in table.fields and not table.is_open:
            raise source.bad((*place, name), str(UnknownName(f"field of {table.name}", name, table.fields)))
        wrong = table.misfit({name: value})
        if wrong:
            raise source.bad((*place, name), wrong.removeprefix(f"{name}: "))
    for name in table.fields:
        if name not in row and "default" in table.rule(name):
            row[name] = own(table.rule(name)["default"])
    missing = [name for name in (table.key, *sorted(table.required)) if name not in row]
    if missing:
        raise source.bad(place, f"{missing[0]!r} is missing", f"every row of {table.name} has one")
    return {
        name: row[name] for name in (*table.fields, *(name for name in row if name not in table.fields)) if name in row
    }


def _as_key(key: str, table: Table) -> Any:
    """The key as its schema wants it: 7 for '7' where it is a number."""
    numeric = {"integer", "number"} & set(types_of(table.rule(table.key)))
    return int(key) if numeric and key.isdecimal() and not fits(key, table.rule(table.key), table.root) else key


def _check_references(source: Source, table: Table, row: Row, made: Mapping[str, Rows], place: Place) -> None:
    for name, other in table.refers.items():
        value = row.get(name)
        if value is not None and key_text(value) not in made.get(other, {}):
            known = list(made.get(other, {}))
            raise source.bad((*place, name), str(UnknownName(f"row of {other}", key_text(value), known)))


def _check_unique(source: Source, table: Table, key: str, rows: Rows) -> None:
    row, place = rows[key]
    for name in (name for name in table.unique if row.get(name) is not None):
        twin = next((k for k, (other, _) in rows.items() if k != key and same(other.get(name), row[name])), None)
        if twin is not None:
            raise source.bad((*place, name), f"{shown(row[name])} is taken by {twin}")
