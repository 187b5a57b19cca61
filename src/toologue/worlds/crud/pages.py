"""Pages of a list: in which order its rows come, and which of them.

Contract: `limit`, `offset`, `page` and `cursor` choose; a cursor is the key of the last row of the page before. `sort`
is a field (`total`, `-total`, `total:desc`, `total desc`, `total_desc`), `order` may turn it round; equal rows keep
their order, and rows without a value come last. What makes no sense is refused (400).

Example:
    >>> from toologue.worlds.crud.tables import Table
    >>> orders = Table("orders", "id", {"id": {}, "total": {"type": "number"}})
    >>> page = paged([{"id": n, "total": n % 3} for n in range(5)], {"sort": "total_desc", "limit": 2}, orders)
    >>> [row["id"] for row in page.rows], page.total, page.next
    ([2, 1], 5, '1')

Not covered: cursors that outlive the row they name; sorting by several fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toologue.errors import UnknownName, shown
from toologue.worlds.crud.data import key_text
from toologue.worlds.crud.moments import moment
from toologue.worlds.crud.refusal import Refusal
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row

_SIZE = 20
"""Rows of a page where pages can be asked for and nothing says how long they are."""


class Page(NamedTuple):
    """One page of a list: its rows, how many there are in all, where it starts, its size, the cursor of the next."""

    rows: Sequence[Row]
    total: int
    start: int
    size: int | None
    next: str | None


def paged(rows: list[Row], asked: Mapping[str, Any], table: Table) -> Page:
    """The page that is asked for: role (`limit`, `sort`, …) → value, or None. Raises Refusal."""
    if asked.get("sort") is not None or asked.get("order") is not None:
        rows = _sorted(rows, str(asked.get("sort") or table.key), str(asked.get("order") or ""), table)
    size = _whole(asked, "limit", 0)
    if size is None and {"page", "cursor"} & asked.keys():
        size = _SIZE
    start = _whole(asked, "offset", 0) or 0
    if asked.get("page") is not None:
        start = ((_whole(asked, "page", 1) or 1) - 1) * (size or 0)
    if asked.get("cursor") is not None:
        names = [key_text(row.get(table.key)) for row in rows]
        if str(asked["cursor"]) not in names:
            raise Refusal(400, f"cursor: {shown(asked['cursor'])} is none that this list gave")
        start = names.index(str(asked["cursor"])) + 1
    chosen = rows[start:] if size is None else rows[start : start + size]
    more = size is not None and chosen and start + size < len(rows)
    return Page(chosen, len(rows), start, size, key_text(chosen[-1].get(table.key)) if more else None)


def check_sorts(schema: Mapping[str, Any], table: Table) -> None:
    """Raises ValueError where a schema offers to sort by what is no field."""
    for value in schema["enum"] if isinstance(schema.get("enum"), list) else ():
        try:
            _sorting(str(value), table)
        except Refusal as refusal:
            raise ValueError(f"{refusal}: rows cannot be sorted by it; say `x-filter: ignored` at it") from None


def _whole(asked: Mapping[str, Any], role: str, least: int) -> int | None:
    value = asked.get(role)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < least:
        raise Refusal(400, f"{role}: expected a whole number of {least} or more, got {shown(value)}")
    return int(value)


def _sorted(rows: list[Row], sort: str, order: str, table: Table) -> list[Row]:
    """By a field; rows without it come last."""
    field, turned = _sorting(sort, table)
    down = turned or order.lower().startswith("desc")
    there = [row for row in rows if row.get(field) is not None]
    rest = [row for row in rows if row.get(field) is None]
    return sorted(there, key=lambda row: _rank(row[field]), reverse=down) + rest


def _sorting(sort: str, table: Table) -> tuple[str, bool]:
    """(field, from the greatest down) of `total`, `-total`, `total:desc`, `total desc`, `total_desc`."""
    name = sort.strip().lstrip("+-")
    found = re.fullmatch(r"(.+?)[: _]+(asc|desc)\w*", name, re.IGNORECASE) if table.field(name) is None else None
    field = table.field(found[1] if found else name)
    if field is None:
        raise Refusal(400, str(UnknownName(f"field of {table.name}", name, table.fields)))
    return field, sort.strip().startswith("-") or (found is not None and found[2].lower() == "desc")


def _rank(value: Any) -> tuple[int, Any]:
    if isinstance(value, int | float):
        return 0, value
    when = moment(value) if isinstance(value, str) else None
    return (1, when) if when is not None else (2, str(value))
