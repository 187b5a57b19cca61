"""Lists: which rows a call asks for, in which order, which page of them.

Contract: a query parameter called as a field filters by it (a list of values: any of them; an e-mail address without
case; a field that is a list: contains it). `min_total`, `total_lte`, `placed_from`, `created_before` are bounds, and so
are `from` and `until` where the rows have one date; a bound that is a date takes in its whole day. `q` and `search`
look for all the words in all texts. `limit`, `offset`, `page`, `cursor`, `sort`, `order` and their synonyms page and
sort. Where the name does not say it, the document does, at the parameter:

    x-filter: total | {field: total, is: min} | {field: name, is: contains} | ignored

Example:
    >>> from toologue.worlds.crud.tables import Table
    >>> orders = Table("orders", "id", {"id": {}, "total": {"type": "number"}})
    >>> select = selection({"min_total": ({}, {}), "limit": ({}, {}), "sort": ({}, {})}, orders)
    >>> page = select([{"id": n, "total": 10 * n} for n in range(5)], {"min_total": 20, "limit": 2, "sort": "-total"})
    >>> [row["id"] for row in page.rows], page.total, page.next
    ([4, 3], 3, '3')

Not covered: filters that are objects (`filter[total][gte]`), "or" between parameters, relevance of a text search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from toologue.apis.schemas import object_of
from toologue.errors import UnknownName, shown
from toologue.text.tokens import snake
from toologue.values.compare import same
from toologue.values.json_schema import types_of
from toologue.worlds.crud.expressions import holds
from toologue.worlds.crud.moments import moment
from toologue.worlds.crud.pages import Page, check_sorts, paged
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row

_PAGING = {
    "limit": ("limit", "per_page", "page_size", "size", "max_results", "count", "top", "page_limit"),
    "offset": ("offset", "skip", "start"),
    "page": ("page", "page_number", "page_no"),
    "cursor": ("cursor", "page_token", "next_token", "starting_after", "after", "continuation_token"),
    "sort": ("sort", "sort_by", "order_by", "sortby", "orderby", "ordering"),
    "order": ("order", "direction", "sort_order", "sort_direction", "sort_dir"),
    "search": ("q", "query", "search", "keyword", "keywords", "text", "term"),
}
_BOUNDS = {
    "min": ("min", "minimum", "from", "since", "start", "gte", "starting", "earliest"),
    "max": ("max", "maximum", "to", "until", "end", "lte", "ending", "latest"),
    "above": ("after", "gt", "over"),
    "below": ("before", "lt", "under"),
}
_IGNORED = "ignored"
_WAYS = ("equal", "min", "max", "above", "below", "contains")


Select = Callable[[Iterable[Row], Mapping[str, Any]], Page]
Filter = Callable[[Any], Callable[[Row], bool]]
"""Wanted value → whether a row has it."""


def selection(parameters: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]], table: Table) -> Select:
    """What a list does with its parameters: flat name → (schema, extensions). Raises ValueError with the name of one
    that says nothing about the rows.
    """
    paging: dict[str, str] = {}
    filters: dict[str, Filter] = {}
    for name, (schema, extensions) in parameters.items():
        found = _filter(name, schema, extensions.get("x-filter"), table)
        if isinstance(found, str):
            paging[found] = name
            if found == "sort":
                check_sorts(schema, table)
        else:
            filters[name] = found

    def select(rows: Iterable[Row], arguments: Mapping[str, Any]) -> Page:
        found = list(rows)
        for name, filter_by in filters.items():
            if arguments.get(name) is not None:
                found = [*filter(filter_by(arguments[name]), found)]
        return paged(found, {role: arguments.get(name) for role, name in paging.items()}, table)

    return select


def _filter(name: str, schema: Mapping[str, Any], said: Any, table: Table) -> Filter | str:
    """How a parameter filters, or its role in paging."""
    if said == _IGNORED:
        return _IGNORED
    if said is not None:
        rule = {"is": "equal"} | (object_of(said) or {"field": said})
        if not isinstance(rule.get("field"), str) or rule.keys() != {"field", "is"} or rule["is"] not in _WAYS:
            raise ValueError(f"x-filter: expected a field, {{field, is}} or `ignored`, got {shown(said)}")
        if rule["field"].split(".")[0] not in table.fields:
            raise ValueError(str(UnknownName(f"field of {table.name}", rule["field"], table.fields)))
        return _by(rule["field"], rule["is"], table)
    field = table.field(name)
    if field is not None:
        return _by(field, "equal", table)
    bound = _bound(snake(name), table)
    role = next((role for role, names in _PAGING.items() if snake(name) in names), None)
    if role is not None and (bound is None or schema.get("format") is None):
        return role if role != "search" else _has_words
    if bound is not None:
        return _by(*bound, table)
    raise ValueError(f"the parameter {name!r} names no field of {table.name}: say `x-filter` at it")


def _bound(name: str, table: Table) -> tuple[str, str] | None:
    """(field, comparison) where a name speaks of a bound of exactly one field."""
    words = name.split("_")
    for comparison, marks in _BOUNDS.items():
        for mark, rest in ((words[-1], words[:-1]), (words[0], words[1:])):
            if mark in marks:
                dates = [f for f in table.fields if table.rule(f).get("format") in ("date", "date-time")]
                fits = [f for f in table.fields if snake(f).split("_") == rest]
                fits = fits or [
                    f for f in dates if rest not in ([], ["date"]) and snake(f).split("_")[: len(rest)] == rest
                ]
                fits = fits or (dates if rest in ([], ["date"], ["time"]) else [])
                if len(fits) == 1:
                    return fits[0], comparison
    return None


def _by(field: str, comparison: str, table: Table) -> Filter:
    path = field.split(".")
    rule = table.rule(path[0])
    if comparison == "equal":
        many, fold = "array" in types_of(rule), _folded if rule.get("format") == "email" else _as_it_is
        return lambda wanted: _is_any(path, [fold(item) for item in _items(wanted)], fold, many=many)
    if comparison == "contains":
        return lambda wanted: lambda row: str(wanted).casefold() in str(_at(row, path) or "").casefold()
    return lambda wanted: lambda row: holds(comparison, _by_day(_at(row, path), wanted), wanted)


def _is_any(path: Sequence[str], wanted: list[Any], fold: Callable[[Any], Any], *, many: bool) -> Callable[[Row], bool]:
    def fits(row: Row) -> bool:
        values = _items(_at(row, path)) if many else [_at(row, path)]
        return any(same(fold(value), option) for value in values for option in wanted)

    if many or not all(isinstance(option, str) for option in wanted):
        return fits
    return lambda row: fold(_at(row, path)) in wanted  # quick: texts equal nothing but texts


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _folded(value: Any) -> str:
    return str(value).strip().casefold()


def _as_it_is(value: Any) -> Any:
    return value


def _at(row: Any, path: Sequence[str]) -> Any:
    if len(path) == 1:
        return row.get(path[0])
    for step in path:
        row = cast("Mapping[str, Any]", row).get(step) if isinstance(row, Mapping) else None
    return row


def _by_day(value: Any, bound: Any) -> Any:
    """The day of a moment, where it is compared with a day."""
    dated = isinstance(bound, str) and len(bound) == 10 and isinstance(value, str) and moment(bound) is not None
    return value[:10] if dated else value


def _has_words(wanted: Any) -> Callable[[Row], bool]:
    words = re.findall(r"\w+", str(wanted).casefold())

    def fits(row: Row) -> bool:
        texts = " ".join(_texts(row)).casefold()
        return all(word in texts for word in words)

    return fits


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        inner = cast("Mapping[str, Any]", value).values() if isinstance(value, Mapping) else cast("list[Any]", value)
        for item in inner:
            yield from _texts(item)
