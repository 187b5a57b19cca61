"""Where in an answer the rows of a service lie, and what lies around them.

A row may be the whole answer, or lie in an envelope: `{order: {…}}`, `{data: {…}, meta: {…}}`. A list may be the whole
answer, or lie beside what is said of the page: `{orders: […], total}`, `{object: list, data: […], has_more}`,
`{result: {items: […]}, success}`. What an envelope has beside is, in this order: fixed by its schema, a fact of the
page, and, if it is required, null or the least that its schema allows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from toologue.apis.schemas import list_of, properties_of, required_of, shape
from toologue.text.tokens import snake
from toologue.values.json_schema import fits, items_of, resolved, types_of
from toologue.values.least import fixed, least
from toologue.worlds.store import Row

_PAGE = frozenset(
    ("total", "count", "next", "previous", "prev", "cursor", "page", "pages", "limit", "offset", "size", "more", "has",
     "per", "token", "number", "meta", "metadata", "links", "object", "url", "uri", "results", "items", "of", "first",
     "last", "start", "end", "self", "info", "response", "result", "errors", "messages", "warnings")
)  # fmt: skip
IDENTITIES = frozenset(("id", "sid", "uuid", "uid", "guid"))
"""The last words of the names of fields that name rows."""
SCALARS = frozenset(("string", "integer", "number"))
_WHATEVER = frozenset(("data", "result", "results", "items", "records", "values", "entries", "payload", "content"))
# Properties of an answer that say that it went well.
DONE = ("success", "ok", "deleted", "removed")
_DEEPEST = 2
_FACTS: Mapping[tuple[str, ...], Callable[[Page], Any]] = {
    ("total", "count"): lambda page: page.total,
    ("more",): lambda page: page.start + len(page.rows) < page.total,
    ("next", "cursor", "token"): lambda page: page.next,
    ("limit", "size", "per"): lambda page: page.total if page.size is None else page.size,
    ("offset",): lambda page: page.start,
}


class Page(NamedTuple):
    """One page of a list: its rows, how many there are in all, where it starts, its size, the cursor of the next."""

    rows: Sequence[Row]
    total: int
    start: int
    size: int | None
    next: str | None


class Held(NamedTuple):
    """What an answer holds: the properties that lead to it, the schema of a row, whether it is a list of rows."""

    path: tuple[str, ...]
    schema: Any
    many: bool


def form(schema: Any, root: Any, deep: int = 0) -> dict[str, Any]:
    """The schema as one object; of one that may be several (`anyOf`, `oneOf`) the first that is an object or a list."""
    rule = shape(schema, root)
    if properties_of(rule) or "array" in types_of(rule) or deep > _DEEPEST:
        return rule
    branches = (form(part, root, deep + 1) for key in ("anyOf", "oneOf") for part in list_of(rule.get(key)))
    return next((one for one in branches if properties_of(one) or "array" in types_of(one)), rule)


def kinds_of(schema: Any, root: Any) -> frozenset[str]:
    """The types that a schema names, by any of its parts; none: all are allowed."""
    rule = resolved(schema, root) or {}
    parts = (part for key in ("anyOf", "oneOf", "allOf") for part in list_of(rule.get(key)))
    inside = frozenset({"object"} if "properties" in rule else ())
    return frozenset(types_of(rule)).union(inside, *(kinds_of(part, root) for part in parts))


def page_words(name: str) -> frozenset[str]:
    """The words of a name that speaks of pages (`next_cursor`, `total`); empty for any other name."""
    words = frozenset(snake(name).split("_"))
    return words if words <= _PAGE else frozenset()


def held_in(schema: Any, root: Any, names: Collection[str] = (), deep: int = 0) -> Held | None:
    """Where the rows of an answer lie; None where it has no properties. `names`: what rows, or one, may be called."""
    rule = form(schema, root)
    if "array" in types_of(rule):
        return Held((), items_of(rule), many=True)
    inner = properties_of(rule)
    if not inner:
        return None
    own = Held((), schema, many=False)
    if deep > _DEEPEST or any(_names_it(name, names) for name in inner):
        return own
    forms = {name: form(part, root) for name, part in inner.items()}
    said = [name for name in forms if name in _WHATEVER or not (page_words(name) or name in DONE)]
    likely = [name for name in forms if said == [name] or snake(name) in names] or [n for n in said if n in _WHATEVER]
    lists = [name for name in forms if properties_of(form(items_of(forms[name]), root))]
    is_beside = len(lists) == 1 and all(kinds_of(inner[name], root) & SCALARS for name in said if name != lists[0])
    chosen = [name for name in likely if name in lists] or (lists if is_beside else [])
    if chosen:
        return Held((chosen[0],), items_of(forms[chosen[0]]), many=True)
    objects = [name for name in likely if properties_of(forms[name])]
    inside = held_in(inner[objects[0]], root, names, deep + 1) if objects else None
    return Held((objects[0], *inside.path), inside.schema, inside.many) if inside else own


def around(schema: Any, path: Sequence[str], root: Any) -> Callable[[Any, Page | None], Any]:
    """What puts into an answer, at a path, what it holds, and adds what lies around it."""
    if not path:
        return lambda held, page: held
    rule, (name, *rest) = form(schema, root), path
    properties, required = properties_of(rule), required_of(rule)
    inside = around(properties[name], rest, root)
    others = {key: part for key, part in properties.items() if key != name}
    about = {key: beside(key, part, root, needed=key in required) for key, part in others.items()}

    def whole(held: Any, page: Page | None) -> Any:
        made = {key: value for key, make in about.items() for value in make(page)}
        return {name: inside(held, page), **made}

    return whole


def beside(name: str, schema: Any, root: Any, *, needed: bool) -> Callable[[Page | None], list[Any]]:
    """What makes a property of an envelope: [] to leave it out."""
    rule = form(schema, root)
    told = fixed(rule) or [True for done in (True,) if name in DONE and fits(done, rule, root)]
    if told:
        return lambda page: told
    if inner := properties_of(rule):
        parts = {key: beside(key, part, root, needed=key in required_of(rule)) for key, part in inner.items()}
        otherwise = [None] if needed and fits(None, schema, root) else []

        def members(page: Page | None) -> list[Any]:
            made = {key: value for key, make in parts.items() for value in make(page)}
            return [made] if needed or made else otherwise

        return members
    fact, plain = _fact(name), [least(schema, root, name=name)] if needed else []

    def value(page: Page | None) -> list[Any]:
        known = [fact(page)] if fact and page else []
        return [one for one in known if fits(one, schema, root)] or plain

    return value


def _names_it(name: str, names: Collection[str]) -> bool:
    thing, _, last = snake(name).rpartition("_")
    return last in IDENTITIES and (not thing or thing in names)


def _fact(name: str) -> Callable[[Page], Any] | None:
    words = page_words(name)
    if not words:
        return None
    if snake(name) in ("pages", "total_pages", "page_count"):
        return lambda page: -(-page.total // page.size) if page.size else 1
    if words <= {"page", "number"}:
        return lambda page: page.start // page.size + 1 if page.size else 1
    if words & {"previous", "prev"}:
        words -= {"next", "cursor", "token"}
    return next((fact for marks, fact in _FACTS.items() if words & {*marks}), None)
