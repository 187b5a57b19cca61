"""What comes back: rows and pages in the shape that the document gives to the answer.

Contract: an answer that describes an object gets the row's fields that it names (none that is `writeOnly`), inside of
`{"order": …}` where the document wraps it; one that describes a list gets the rows, alone or with `total`,
`next_cursor`, `has_more` and their synonyms beside them; without a description a row comes whole. What an answer
requires and nothing can supply is an error when the document is read.

Example:
    >>> from toologue.worlds.crud.tables import Table
    >>> orders = Table("orders", "id", {"id": {}, "total": {}, "secret": {"writeOnly": True}})
    >>> row_answer({"type": "object", "properties": {"order": {"type": "object", "properties": {"id": {}}}}}, orders)(
    ...     {"id": 7, "total": 5, "secret": "x"})
    {'order': {'id': 7}}
    >>> row_answer({}, orders)({"id": 7, "total": 5, "secret": "x"})
    {'id': 7, 'total': 5}

Not covered: rows inside rows (`expand=customer`), headers, other fields of an envelope; give those an override.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toologue.apis.schemas import properties_of, required_of, shape
from toologue.text.tokens import snake
from toologue.values.json_schema import fits, resolved
from toologue.worlds.crud.pages import Page
from toologue.worlds.crud.tables import Table, listed_in, page_words, row_in
from toologue.worlds.store import Row

_DONE = ("success", "ok", "deleted", "removed")
"""Properties of an answer that say that it went well."""


def row_answer(schema: Mapping[str, Any], table: Table) -> Callable[[Row], Any]:
    """The answer that holds one row. Raises ValueError for a required property that is no field."""
    found = row_in(schema, table.root, table.fields)
    if found is None:
        hidden = _write_only(table.fields, table)
        return (lambda row: {name: row[name] for name in row if name not in hidden}) if hidden else dict
    wrapper, inner = found
    answer = _projection(inner, table)
    return (lambda row: {wrapper: answer(row)}) if wrapper else answer


def list_answer(schema: Mapping[str, Any], table: Table) -> Callable[[Page], Any]:
    """The answer that holds a page of rows. Raises ValueError for what it requires and nobody can supply."""
    found = listed_in(schema, table.root)
    if found is None:
        plain = row_answer({}, table)
        return lambda page: [plain(row) for row in page.rows]
    name, items = found
    answer = _projection(items, table) if properties_of(shape(items, table.root)) else row_answer({}, table)
    if not name:
        return lambda page: [answer(row) for row in page.rows]
    rule = shape(schema, table.root)
    beside = {
        key: (made, fits(None, part, table.root))
        for key, part in properties_of(rule).items()
        if key != name and (made := _about(key)) is not None
    }
    missing = [key for key in required_of(rule) if key not in beside and key != name]
    if missing:
        raise ValueError(f"nothing can supply {missing[0]!r}, which the list requires")

    def whole(page: Page) -> dict[str, Any]:
        facts = {key: (make(page), allowed) for key, (make, allowed) in beside.items()}
        kept = {key: value for key, (value, allowed) in facts.items() if value is not None or allowed}
        return {name: [answer(row) for row in page.rows], **kept}

    return whole


def _projection(schema: Any, table: Table) -> Callable[[Row], dict[str, Any]]:
    """The fields of a row that a schema names; all, where it is open."""
    rule = shape(schema, table.root)
    properties, hidden = properties_of(rule), _write_only(properties_of(rule), table)
    said = (name for name in properties if name in _DONE and name not in table.fields)
    done = {name: True for name in said if fits(True, properties[name], table.root)}
    fields = {name: field for name in properties if (field := table.field(name)) is not None and name not in hidden}
    missing = [name for name in required_of(rule) if name not in fields and name not in done and name not in hidden]
    if missing:
        raise ValueError(f"the answer requires {missing[0]!r}, which is no field of {table.name}")
    if rule.get("additionalProperties", False) is not False:
        return lambda row: {name: row[name] for name in row if name not in hidden}
    return lambda row: {**{name: row[field] for name, field in fields.items() if field in row}, **done}


def _write_only(properties: Mapping[str, Any], table: Table) -> set[str]:
    return {name for name, part in properties.items() if (resolved(part, table.root) or {}).get("writeOnly") is True}


def _about(name: str) -> Callable[[Page], Any] | None:
    """What a property beside the rows says about the page; None where that is unknown."""
    words = page_words(name)
    if snake(name) in ("pages", "total_pages", "page_count"):
        return lambda page: -(-page.total // page.size) if page.size else 1
    if words & {"total", "count"}:
        return lambda page: page.total
    if "more" in words:
        return lambda page: page.start + len(page.rows) < page.total
    if words & {"next", "cursor", "token"} and not words & {"previous", "prev"}:
        return lambda page: page.next
    if words & {"limit", "size", "per"}:
        return lambda page: page.total if page.size is None else page.size
    if "offset" in words:
        return lambda page: page.start
    if words <= {"page", "number"}:
        return lambda page: page.start // page.size + 1 if page.size else 1
    return None
