"""Lists of rows (which ones, in which order, which page: docs/your-api.md), and answers made of rows.

A list of values fits any of them, an e-mail address without case; a field that is a list has to contain the value. A
bound that is a date takes in its whole day. A cursor is the key of the last row of the page before.

An answer gets the fields of a row that its schema names, inside of its envelope. What it requires and no row has is
fixed by its schema, null, or the least that the schema allows. Nothing that is `writeOnly`, or a secret, is `visible`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, cast

from toologue import keys
from toologue.apis.schemas import is_hidden, list_of, object_of, properties_of, required_of
from toologue.errors import BadSetting, UnknownName, shown
from toologue.text.tokens import snake
from toologue.values.compare import moment, same
from toologue.values.conditions import parse
from toologue.values.json_schema import fits, items_of, types_of
from toologue.values.least import fixed, least
from toologue.worlds.crud.data import Refusal, key_text
from toologue.worlds.crud.envelopes import DONE, Page, around, beside, form, held_in, kinds_of
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row, own

# Rows of a page where pages can be asked for and nothing says how long they are.
_SIZE = 20
# What a parameter says to mean every value.
_EVERYTHING = ("all", "any")
_PAGING = {
    "limit": ["limit", "per_page", "page_size", "size", "max_results", "count", "top", "page_limit"],
    "offset": ["offset", "skip", "start"],
    "page": ["page", "page_number", "page_no"],
    "cursor": ["cursor", "page_token", "next_token", "starting_after", "after", "continuation_token"],
    "sort": ["sort", "sort_by", "order_by", "sortby", "orderby", "ordering"],
    "order": ["order", "direction", "sort_order", "sort_direction", "sort_dir"],
    "search": ["q", "query", "search", "keyword", "keywords", "text", "term"],
}
_BOUNDS = {
    "min": ["min", "minimum", "from", "since", "start", "gte", "starting", "earliest"],
    "max": ["max", "maximum", "to", "until", "end", "lte", "ending", "latest"],
    "above": ["after", "gt", "over"],
    "below": ["before", "lt", "under"],
}
_IGNORED = "ignored"
_WAYS = ("equal", "min", "max", "above", "below", "contains")
_MEANING = {
    word: parse(f"value {sign} bound") for word, sign in (("min", ">="), ("max", "<="), ("above", ">"), ("below", "<"))
}


Select = Callable[[Iterable[Row], Mapping[str, Any]], Page]
# Wanted value → whether a row has it.
Filter = Callable[[Any], Callable[[Row], bool]]


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


def visible(value: Any, schema: Any, root: Any) -> Any:
    """The value, a new one, without what nobody is shown."""
    if isinstance(value, list):
        items = items_of(form(schema, root))
        return [visible(item, items, root) for item in list_of(value)]
    if not isinstance(value, dict):
        return value
    rules = properties_of(form(schema, root))
    parts = ((name, part, rules.get(name, {})) for name, part in object_of(value).items())
    return {name: visible(part, rule, root) for name, part, rule in parts if not is_hidden(name, rule, root)}


def hides(part: Any, root: Any) -> bool:
    """Whether a part of a document describes anything that nobody is shown."""
    if isinstance(part, list):
        return any(hides(item, root) for item in list_of(part))
    rules = object_of(part)
    hidden = any(is_hidden(name, rule, root) for name, rule in properties_of(rules).items())
    return hidden or any(hides(inner, root) for inner in rules.values() if isinstance(inner, dict | list))


def _paged(rows: list[Row], asked: Mapping[str, Any], table: Table) -> Page:
    """The page that is asked for: role (`limit`, `sort`, …) → value, or None. Raises Refusal.

    Rows without the field that they are sorted by come last.
    """
    if asked.get("sort") is not None or asked.get("order") is not None:
        field, turned = _sorting(str(asked.get("sort") or table.key), table)
        down = turned or str(asked.get("order") or "").lower().startswith("desc")
        there = [row for row in rows if row.get(field) is not None]
        rest = [row for row in rows if row.get(field) is None]
        rows = sorted(there, key=lambda row: _rank(row[field]), reverse=down) + rest
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


def _whole(asked: Mapping[str, Any], role: str, least: int) -> int | None:
    value = asked.get(role)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < least:
        raise Refusal(400, f"{role}: expected a whole number of {least} or more, got {shown(value)}")
    return int(value)


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


def selection(
    parameters: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]], table: Table
) -> tuple[Select, list[str]]:
    """(what a list does with its parameters: flat name → (schema, extensions), those that say nothing about the rows).

    Raises ValueError for an `x-filter` that makes no sense.
    """
    paging: dict[str, str] = {}
    filters: dict[str, Filter] = {}
    ignored: list[str] = []
    for name, (schema, extensions) in parameters.items():
        found = _filter(name, schema, extensions.get("x-filter"), table)
        if not isinstance(found, str):
            filters[name] = found
            continue
        if found != _IGNORED and not (found == "sort" and not _sortable(schema, table)):
            paging[found] = name
        elif extensions.get("x-filter") != _IGNORED:
            ignored.append(name)

    def select(rows: Iterable[Row], arguments: Mapping[str, Any]) -> Page:
        found = list(rows)
        for name, filter_by in filters.items():
            if arguments.get(name) is not None:
                found = [*filter(filter_by(arguments[name]), found)]
        return _paged(found, {role: arguments.get(name) for role, name in paging.items()}, table)

    return select, ignored


def _sortable(schema: Mapping[str, Any], table: Table) -> bool:
    try:
        return all(_sorting(str(value), table) for value in list_of(schema.get("enum")))
    except Refusal:
        return False


def _filter(name: str, schema: Mapping[str, Any], said: Any, table: Table) -> Filter | str:
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
        every = [value for value in list_of(schema.get("enum")) if value in _EVERYTHING]
        return _by(
            field, "equal", table, [value for value in every if value not in list_of(table.rule(field).get("enum"))]
        )
    bound = _bound(snake(name), table)
    kinds = kinds_of(schema, schema)
    is_plain = not kinds or not kinds.isdisjoint(("string", "integer", "number")) or "sort" in name
    role = next((role for role, names in _PAGING.items() if is_plain and snake(name) in names), None)
    if role is not None and (bound is None or schema.get("format") is None):
        return role if role != "search" else _has_words
    if bound is not None:
        return _by(*bound, table)
    return _IGNORED


def _bound(name: str, table: Table) -> tuple[str, str] | None:
    """(field, comparison) where a name speaks of a bound of exactly one field."""
    words, parts = name.split("_"), {field: snake(field).split("_") for field in table.fields}
    dates = [field for field in parts if table.rule(field).get("format") in ("date", "date-time")]
    for comparison, marks in _BOUNDS.items():
        for mark, rest in ((words[-1], words[:-1]), (words[0], words[1:])):
            fits = [field for field in parts if parts[field] == rest]
            if rest not in ([], ["date"]):
                fits = fits or [field for field in dates if parts[field][: len(rest)] == rest]
            if rest in ([], ["date"], ["time"]):
                fits = fits or dates
            if mark in marks and len(fits) == 1:
                return fits[0], comparison
    return None


def _by(field: str, comparison: str, table: Table, every: Sequence[Any] = ()) -> Filter:
    path = field.split(".")
    rule = table.rule(path[0])
    many, is_email = "array" in types_of(rule), rule.get("format") == "email"
    if comparison == "contains":
        return lambda wanted: lambda row: str(wanted).casefold() in str(_at(row, path) or "").casefold()
    if comparison != "equal":
        return partial(_bound_by, comparison, path)

    def fold(value: Any) -> Any:
        return str(value).strip().casefold() if is_email else value

    def is_any(wanted: Any) -> Callable[[Row], bool]:
        if wanted in every:
            return lambda row: True
        if bounds := [
            (word, limit) for name, limit in object_of(wanted).items() for word in _BOUNDS if name in _BOUNDS[word]
        ]:
            tests = [_bound_by(word, path, limit) for word, limit in bounds]
            return lambda row: all(test(row) for test in tests)
        options = [fold(item) for item in _items(wanted)]
        if not many and all(isinstance(option, str) for option in options):
            return lambda row: fold(_at(row, path)) in options  # quick: texts equal nothing but texts

        def fits(row: Row) -> bool:
            values = _items(_at(row, path)) if many else [_at(row, path)]
            return any(same(fold(value), option) for value in values for option in options)

        return fits

    return is_any


def _items(value: Any) -> list[Any]:
    return list_of(value) if isinstance(value, list) else [value]


def _at(row: Any, path: Sequence[str]) -> Any:
    if len(path) == 1:
        return row.get(path[0])
    for step in path:
        row = cast("Mapping[str, Any]", row).get(step) if isinstance(row, Mapping) else None
    return row


def _bound_by(comparison: str, path: Sequence[str], bound: Any) -> Callable[[Row], bool]:
    if not (isinstance(bound, str) and len(bound) == 10 and moment(bound)):
        return lambda row: _holds(comparison, _at(row, path), bound)

    def fits(row: Row) -> bool:
        value = _at(row, path)
        return _holds(comparison, value[:10] if isinstance(value, str) else value, bound)  # the day of a moment

    return fits


def _holds(comparison: str, value: Any, bound: Any) -> bool:
    try:
        return _MEANING[comparison].holds({"value": value, "bound": bound})
    except BadSetting:  # a text before a number
        return False


def _has_words(wanted: Any) -> Callable[[Row], bool]:
    words = re.findall(r"\w+", str(wanted).casefold())

    def fits(row: Row) -> bool:
        texts = _texts(row)
        return all(word in texts for word in words)

    return fits


def _texts(value: Any) -> str:
    if isinstance(value, dict | list):
        return " ".join(map(_texts, object_of(value).values() or list_of(value)))
    return value.casefold() if isinstance(value, str) else ""
