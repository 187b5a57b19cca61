"""Answers made of rows: one row, or a page of them, in the shape that the document gives to them.

An answer gets the fields of a row that its schema names, inside of its envelope. What it requires and no row has is
fixed by its schema, null, or the least that the schema allows. Nothing that is `writeOnly`, or a secret, is `shown`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from toologue import keys
from toologue.apis.schemas import is_hidden, list_of, object_of, properties_of, required_of
from toologue.values.json_schema import fits, items_of
from toologue.values.least import fixed, least
from toologue.worlds.crud.envelopes import DONE, Page, around, beside, form, held_in
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row, own


def row_answer(schema: Mapping[str, Any], table: Table) -> Callable[[Row], Any]:
    """The answer that holds one row. Raises ValueError for one that is about something else."""
    held = held_in(schema, table.root, table.names)
    if held is None or held.many:
        plain = _projection({}, table)
        return (lambda row: [plain(row)]) if held and not held.path else plain
    answer, whole = _projection(held.schema, table), around(schema, held.path, table.root)
    return lambda row: whole(answer(row), None)


def list_answer(schema: Mapping[str, Any], table: Table) -> Callable[[Page], Any]:
    """The answer that holds a page of rows. Raises ValueError for a list of something else."""
    held = held_in(schema, table.root, table.names)
    answer = _projection(held.schema if held else {}, table)
    whole = around(schema, held.path if held else (), table.root)
    return lambda page: whole([answer(row) for row in page.rows], page)


def done_answer(schema: Mapping[str, Any], root: Any) -> Any:
    """What says that something was done: what the answer requires, and that it went well."""
    return own(next(iter(beside("", schema, root, needed=True)(None)), None))


def _projection(schema: Any, table: Table) -> Callable[[Row], dict[str, Any]]:
    """The fields of a row that a schema names; all, where it is open."""
    rule = form(schema, table.root)
    properties = properties_of(rule)
    if not properties and rule.get("additionalProperties") is False:
        return lambda row: {}
    hidden = table.hidden | table.unseen
    if not properties:
        return lambda row: {name: row[name] for name in row if name not in hidden}
    said = (name for name in properties if name in DONE and name not in table.fields)
    done = {name: True for name in said if fits(True, properties[name], table.root)}
    seen = (name for name in properties if name not in table.unseen)
    fields = {name: field for name in seen if (field := table.field(name)) is not None}
    if table.key not in fields.values() and 2 * len(fields) < len(properties):
        raise ValueError(f"the answer is about something else than {table.name}")
    is_open, needed = rule.get("additionalProperties", False) is not False, required_of(rule)
    more = [name for name in needed if name not in done and name not in table.unseen]
    constant = {
        name: value for name in properties if name not in fields for value in fixed(properties[name], table.root)
    }

    doubtful = {name: properties[name] for name in fields if properties[name] != table.fields[fields[name]]}

    @lru_cache(maxsize=4096)
    def made(name: str, key: str) -> Any:
        return least(properties.get(name, {}), table.root, name=name, seed=keys.seed_of(table.name, key, name))

    def answer(row: Row) -> dict[str, Any]:
        known = {name: row[field] for name, field in fields.items() if field in row}
        if is_open:
            known |= {name: value for name, value in row.items() if name not in hidden}
        strange = [name for name in known if name in doubtful and not fits(known[name], doubtful[name], table.root)]
        known = {name: value for name, value in known.items() if name not in strange}
        lacking = [name for name in more if name not in known and name not in constant]
        if not (lacking or constant):
            return {**known, **done}
        return {**known, **constant, **done, **{name: own(made(name, str(row.get(table.key)))) for name in lacking}}

    return answer


def shown(value: Any, schema: Any, root: Any) -> Any:
    """The value, a new one, without what nobody is shown."""
    if isinstance(value, list):
        items = items_of(form(schema, root))
        return [shown(item, items, root) for item in list_of(value)]
    if not isinstance(value, dict):
        return value
    rules = properties_of(form(schema, root))
    parts = ((name, part, rules.get(name, {})) for name, part in object_of(value).items())
    return {name: shown(part, rule, root) for name, part, rule in parts if not is_hidden(name, rule, root)}


def hides(part: Any, root: Any) -> bool:
    """Whether a part of a document describes anything that nobody is shown."""
    if isinstance(part, list):
        return any(hides(item, root) for item in list_of(part))
    rules = object_of(part)
    hidden = any(is_hidden(name, rule, root) for name, rule in properties_of(rules).items())
    return hidden or any(hides(inner, root) for inner in rules.values() if isinstance(inner, dict | list))
