"""The rows of a simulated service: those of its seed, those it makes, and all of them while it runs.

    now: 2025-03-12T09:30:00Z               # a seed: when the service believes it is,
    customers:                              # and tables: a list of rows, or key → row
      - {customer_id: C-2041, name: Ana Ferreira, email: ana.ferreira@post.example}

Whatever is written fits the document: keys and unique values stand once, references lead to rows. A row of the seed
that does not is an error with its place; a call that would write one is refused (409, 422). Whoever calls undoes what
was written before a refusal. Rows that come out of `Data` are the stored ones: nobody may write to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from random import Random
from typing import Any, NoReturn
from uuid import UUID

from toologue import keys
from toologue.apis.schemas import list_of, object_of, written_out
from toologue.data import Place, Source
from toologue.errors import BadSetting, ToolError, UnknownName, UserError, shown
from toologue.schema import Fault
from toologue.text.tokens import snake
from toologue.values.compare import same
from toologue.values.json_schema import fits, types_of
from toologue.values.make import make, text_for
from toologue.values.moments import moment, written
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row, Store, own


class Refusal(ToolError):
    """The simulated service refuses a call. Raise it in an override, too: nothing that was written before stays.

    Raises ValueError for a status that refuses nothing."""

    def __init__(self, status: int, message: str):
        self.status, self.message = status, message
        self.fault = Fault(type=fault_type(status), message=message)
        super().__init__(message)


def fault_type(status: int) -> str:
    """The word for an HTTP status. Raises ValueError for a number that refuses nothing."""
    if not (400 <= status <= 599 and status in {*HTTPStatus}):
        raise ValueError(f"the status of a refusal is one of HTTP's from 400 to 599, not {shown(status)}")
    return "invalid" if status in (400, 422) else snake(HTTPStatus(status).phrase)


Now = Callable[[], str]
# (number of the row, now) → the value of a field.
Filler = Callable[[int, Now], Any]
_COUNTS, _DATED = "_made", ("date", "date-time")


@dataclass(frozen=True)
class RowMaker:
    """Makes the rows of one table. `fillers`: of its key, and of what is not given; `invented`: read-only fields of
    made-up values; `touched`: fields that say when a row was last changed.
    """

    table: Table
    fillers: Mapping[str, Filler]
    invented: frozenset[str]
    touched: tuple[str, ...]

    def row(self, given: Mapping[str, Any], number: int, *, now: Now) -> dict[str, Any]:
        """The row with these fields, in the order of the schema. Its key is made unless it is given."""
        made = {
            name: given[name] if name in given else self.fillers[name](number, now)
            for name in self.table.fields
            if name in given or name in self.fillers
        }
        return {**made, **given}


def maker_of(table: Table, ids: Sequence[Any]) -> RowMaker:
    """The maker of a table's rows, given the ids that are there.

    A field that is not given gets the schema's default; if the service must fill it (it is required, or read-only):
    null where that is allowed, now for a date, the first of an enum, 0, false, [], else a plausible text.
    """
    id_of = _id_style(table, ids)
    fillers: dict[str, Filler] = {table.key: lambda number, now: id_of(number)}
    invented: set[str] = set()
    for name in table.fields:
        rule, is_hidden = table.rule(name), table.rule(name).get("readOnly") is True
        is_ours = name in table.required or is_hidden
        if name == table.key:
            continue
        if filler := _filler(rule, table.root, is_ours=is_ours):
            fillers[name] = filler
        elif is_ours:
            fillers[name] = _inventor(table, name)
            invented |= {name} if is_hidden else set()
    dates = [name for name in table.fields if table.rule(name).get("format") in _DATED]
    touched = [name for name in dates if {"updated", "modified", "changed"} & {*snake(name).split("_")}]
    return RowMaker(table, fillers, frozenset(invented), tuple(touched))


def _id_style(table: Table, ids: Sequence[Any]) -> Callable[[int], Any]:
    """How the ids of a table go on: number → id, from 1.

    In the style of those that are there, else of the schema's example or pattern: the next number with the same letters
    in front and as many digits, a number, a UUID, letters and digits as in the others.
    """
    rule = table.rule(table.key)
    examples = rule.get("examples") or [rule[key] for key in ("example", "default") if key in rule]
    samples = [*ids] or [*examples]

    def random(number: int) -> Random:
        return Random(keys.seed_of("id", table.name, number))

    if {"integer", "number"} & set(types_of(rule)):
        start = max((int(i) for i in samples if isinstance(i, int | float)), default=int(rule.get("minimum", 1)) - 1)
        return lambda number: start + number
    texts = [sample for sample in samples if isinstance(sample, str)]
    if rule.get("format") == "uuid" or (texts and all(fits(text, {"format": "uuid"}) for text in texts)):
        return lambda number: str(UUID(int=random(number).getrandbits(128), version=4))
    counted = [match for text in texts if (match := re.fullmatch(r"(.*?)(\d{1,15})", text))]
    if counted and len(counted) == len(texts):
        last = max(counted, key=lambda match: int(match[2]))
        return lambda number: f"{last[1]}{int(last[2]) + number:0{len(last[2])}d}"
    if texts:
        return lambda number: _similar_id(texts[-1], random(number))
    pattern = rule.get("pattern")
    if isinstance(pattern, str):
        return lambda number: text_for(pattern, random(number)) or f"{table.singular}_{number}"
    return lambda number: f"{table.singular}_{number}"


def _similar_id(sample: str, random: Random) -> str:
    cut = max(sample.rfind(mark) for mark in "-_./:") + 1
    plain = "abcdefghjkmnpqrstuvwxyz"
    kinds = (("0123456789", str.isdigit), (plain, str.islower), (plain.upper(), str.isupper))
    letters = "".join(letters for letters, is_kind in kinds if any(map(is_kind, sample[cut:])))
    return sample[:cut] + "".join(random.choice(letters) if c.isalnum() else c for c in sample[cut:])


def _filler(rule: Mapping[str, Any], root: Any, *, is_ours: bool) -> Filler | None:
    """The filler of a field whose value follows from its schema, or from now; None where none does."""
    if "default" in rule:
        return lambda number, now: own(rule["default"])
    if not is_ours:
        return None
    enum, form = rule.get("enum"), rule.get("format")
    plain: list[Any] = [None, *(enum if isinstance(enum, list) else [False, 0, []])] if enum or types_of(rule) else []
    for value in plain:
        if fits(value, rule, root):
            return lambda number, now: own(value)
    return (lambda number, now: now()[:10] if form == "date" else now()) if form in _DATED else None


def _inventor(table: Table, name: str) -> Filler:
    schema = written_out(table.fields[name], table.root)

    @lru_cache(maxsize=4096)
    def value(number: int) -> Any:
        try:
            return make(schema, name=name, seed=keys.seed_of(table.name, number, name))
        except UserError:
            return None

    return lambda number, now: own(value(number))


def key_text(value: Any) -> str:
    """The name of a row in the store: the text of its key, 7 and 7.0 alike."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


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
        return self.store.get(table, key_text(key)) or self.missing(table, key)

    def missing(self, table: str, key: Any) -> NoReturn:
        """Refuse (404): there is no such row."""
        raise Refusal(404, f"there is no {self.table(table).spoken} {shown(key)}")

    def rows(self, table: str) -> Collection[Row]:
        """The rows of a table, in their order."""
        return self.store.rows(self.table(table).name).values()

    def add(self, table: str, fields: Mapping[str, Any]) -> Row:
        """A new row with these fields, and with those that the service fills in."""
        self._check(table, fields)
        maker, made = self._makers[table], self.store.get(_COUNTS, table)
        number = 0 if made is None else made["count"]
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
        fresh = _fresh(old, fields)
        return self._put(table, key, {**old, **own(fresh)}, fresh) if fresh else old

    def replace(self, table: str, key: Any, row: Mapping[str, Any]) -> Row:
        """Another row in the place of one."""
        old = self.get(table, key)
        fresh, new = _fresh(old, row), {name: row[name] for name in (*self.table(table).fields, *row) if name in row}
        return self._put(table, key, own(new), fresh) if fresh or old.keys() - row.keys() else old

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


def read_seed(source: Source, tables: Mapping[str, Table]) -> tuple[Mapping[str, Mapping[str, Row]], str | None]:
    """Rows by table and key, and when it is, as RFC 3339 (None: not said). Raises BadRecord."""
    data = source.data
    if not isinstance(data, dict):
        raise source.bad((), f"expected tables, got {shown(data)}", "write `table: [rows]` or `table: {key: row}`")
    given = dict(object_of(data))
    now = given.pop("now", None) if not isinstance(given.get("now"), dict | list) else None
    placed = {name: _seed_table(source, name, rows, tables) for name, rows in given.items()}
    for name, rows in placed.items():
        for key in rows:
            _check_seed_row(source, tables[name], key, placed)
    rows_by_table = {name: {key: row for key, (row, _) in rows.items()} for name, rows in placed.items()}
    return rows_by_table, None if now is None else moment_in(now, source)


def moment_in(text: Any, source: Source) -> str:
    """A moment as RFC 3339. Raises BadRecord where it is none."""
    when = moment(text) if isinstance(text, str) else None
    if when is None or not 1900 <= when.year <= 2900:
        raise source.bad(("now",), f"{shown(text)} is no moment", "write it like 2025-03-12T09:30:00Z")
    return written(when)


# Key → row, and where it stands.
_Placed = dict[str, tuple[dict[str, Any], Place]]


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
    missing = [name for name in (table.key, *sorted(table.required)) if name not in row]
    if missing:
        raise source.bad(place, f"{missing[0]!r} is missing", f"every row of {table.name} has one")
    return {name: row[name] for name in dict.fromkeys((*table.fields, *row)) if name in row}


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


class View:
    """What an override sees of the service: the rows of every table, as copies, and when it is.

    def settle(view, arguments):
        invoice = view.get("invoices", arguments["invoice_id"])     # 404 where there is none
        if view.find("payments", invoice_id=invoice["id"]):
            raise Refusal(409, "This invoice was paid already.")
        return view.add("payments", {"invoice_id": invoice["id"], "amount": invoice["total"]})
    """

    def __init__(self, data: Data):
        self._data = data

    @property
    def now(self) -> str:
        """When the service believes it is, as RFC 3339."""
        return self._data.now()

    def get(self, table: str, key: Any) -> dict[str, Any]:
        """A row. Raises Refusal (404) where there is none."""
        self._data.table(table)
        return own(self._data.get(table, key))

    def find(self, table: str, **fields: Any) -> list[dict[str, Any]]:
        """The rows that have these values, in their order. Raises UnknownName for a field that there is not."""
        self._data.table(table).check_fields(fields)
        rows = self._data.rows(table)
        return [own(row) for row in rows if all(same(row.get(name), value) for name, value in fields.items())]

    def add(self, table: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A new row with these fields, and with those that the service fills in."""
        return own(self._data.add(table, fields))

    def change(self, table: str, key: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A row with some fields changed."""
        return own(self._data.change(table, key, fields))

    def remove(self, table: str, key: Any) -> dict[str, Any]:
        """A row that is gone now."""
        return own(self._data.remove(table, key))
