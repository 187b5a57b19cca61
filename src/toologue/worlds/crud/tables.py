"""The tables behind an OpenAPI document: which there are, what their rows look like, what names a row.

`/orders/{order_id}` makes a table `orders`; so do a list under `GET /orders`, and `POST /orders`. Tables that no path
shows are named by `x-tables: {shipments: {schema: Shipment, key: shipment_id}}` in the document, by `x-resource` and by
the `creates` of `x-action`. Rows look like what GET answers for one, else like the component that is called as the
singular, else like what POST answers, like an item of the list, like the body; fields that only bodies have are kept,
too. The key is the field called as the path's parameter, else `id`, `order_id`. A field `customer_id` refers to the
table `customers`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from toologue.apis.openapi import OpenApi, Operation
from toologue.apis.schemas import checker, object_of, properties_of, required_of, shape
from toologue.errors import BadRecord, UnknownName, shown
from toologue.text.tokens import plural, singular, snake
from toologue.values.json_schema import items_of, resolved, types_of
from toologue.worlds.store import Row

_PAGE = frozenset(
    ("total", "count", "next", "previous", "prev", "cursor", "page", "pages", "limit", "offset", "size", "more", "has",
     "per", "token", "number", "meta", "links", "object", "url", "results", "items", "of", "first", "last")
)  # fmt: skip


class Owner(NamedTuple):
    """A step of a path that names one row: the table, and the parameter that holds the row's key."""

    table: str
    parameter: str


class Route(NamedTuple):
    """An operation and its path taken apart: `/orders/{id}/refunds` is owned by (orders, id), its tail is (refunds)."""

    operation: Operation
    owners: tuple[Owner, ...]
    tail: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The rows of one kind. `fields`: name → schema, whose `$ref`s point into `root`; `refers`: field → table."""

    name: str
    key: str
    fields: Mapping[str, Any]
    required: frozenset[str] = frozenset()
    is_open: bool = False
    root: Mapping[str, Any] = field(default_factory=dict[str, Any])
    refers: Mapping[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def singular(self) -> str:
        """What one row is called: `order` of `orders`."""
        return singular(self.name)

    @property
    def spoken(self) -> str:
        """The same in words."""
        return self.singular.replace("_", " ")

    @cached_property
    def unique(self) -> tuple[str, ...]:
        """The fields, beside the key, whose values stand once: those that the document says `x-unique: true` of."""
        return tuple(name for name in self.fields if self.rule(name).get("x-unique") is True)

    def rule(self, name: str) -> Mapping[str, Any]:
        """The schema of a field, resolved; {} for a field that the document does not know."""
        return resolved(self.fields.get(name, {}), self.root) or {}

    def field(self, name: str) -> str | None:
        """The field that a name stands for, however it is written (`orderId`, `order-id`), or None."""
        return name if name in self.fields else next((f for f in self.fields if snake(f) == snake(name)), None)

    def check_fields(self, names: Iterable[str]) -> None:
        """Raises UnknownName for the first that is no field, unless rows may have any."""
        for name in names:
            if name not in self.fields and not self.is_open:
                raise UnknownName(f"field of {self.name}", name, self.fields)

    @cached_property
    def checkers(self) -> Mapping[str, Callable[[Any], str | None]]:
        """What says what is wrong with the value of a field, by field."""
        return {name: checker(rule, name, self.root) for name, rule in self.fields.items()}

    def violation(self, fields: Row) -> str | None:
        """What is wrong with these fields of a row, or None."""
        for name, value in fields.items():
            if name not in self.checkers and not self.is_open:
                return str(UnknownName(f"field of {self.name}", name, self.fields))
            if name in self.checkers and (wrong := self.checkers[name](value)) is not None:
                return wrong
        return None


def route_of(operation: Operation) -> Route | None:
    """The path of an operation taken apart; None where a `{step}` of it names no row of a table."""
    flat = {wire.name: name for name, wire in operation.wires.items() if wire.into == "path"}
    owners: list[Owner] = []
    tail: list[str] = []
    for step in filter(None, operation.path.split("/")):
        parameter = re.fullmatch(r"\{([^{}]+)\}", step)
        if parameter and tail:
            owners.append(Owner(tail.pop(), flat[parameter[1]]))
            tail = []
        elif "{" in step:
            return None
        else:
            tail.append(snake(step))
    return Route(operation, tuple(owners), tuple(tail))


def tables_of(document: OpenApi, chosen: Container[str] | None = None) -> dict[str, Table]:
    """The tables of a document. Those that only operations beside the `chosen` need are left out where they cannot be
    understood.
    """
    routes = tuple(route for operation in document.operations if (route := route_of(operation)))
    needed = tuple(route for route in routes if chosen is None or route.operation.api.name in chosen)
    finder, rest = _Finder(document, routes, needed), _Finder(document, routes, routes)
    tables = {name: finder.table(name) for name in finder.named()}
    tables |= {name: finder.table(name) for name in finder.shown(tables)}
    for name in (*rest.named(), *rest.shown(tables)):
        if name not in tables:
            with suppress(BadRecord):
                tables[name] = finder.table(name)
    twin = next((name for name in tables if plural(name) != name and plural(name) in tables), None)
    if twin is not None:
        what = f"{twin!r} and {plural(twin)!r} are two tables, and called as if they were one"
        raise document.source.bad(("x-tables",) if twin in finder.declared() else (), what, f"write {plural(twin)!r}")
    return {name: _linked(table, tables) for name, table in tables.items()}


def listed_in(schema: Any, root: Any) -> tuple[str, Any] | None:
    """(name of the property, schema of an item) where a schema is a list of objects, alone ("") or in an envelope."""
    rule = shape(schema, root)
    if "array" in types_of(rule):
        return "", items_of(rule)
    inner = {name: shape(part, root) for name, part in properties_of(rule).items()}
    lists = [
        name for name, part in inner.items() if "array" in types_of(part) and properties_of(shape(items_of(part), root))
    ]
    if len(lists) == 1 and all(name == lists[0] or page_words(name) for name in inner):
        return lists[0], items_of(inner[lists[0]])
    return None


def row_in(schema: Any, root: Any, fields: Iterable[str] = ()) -> tuple[str, Any] | None:
    """(name of the property, schema) of the one object that an answer holds: itself (""), or the only one inside."""
    rule = shape(schema, root)
    inner = properties_of(rule)
    if len(inner) == 1 and not set(inner) & set(fields):
        name, part = next(iter(inner.items()))
        if properties_of(shape(part, root)):
            return name, part
    return ("", schema) if inner else None


def page_words(name: str) -> frozenset[str]:
    """The words of a name that speaks of pages (`next_cursor`, `total`); empty for any other name."""
    words = frozenset(snake(name).split("_"))
    return words if words <= _PAGE else frozenset()


@dataclass(frozen=True)
class _Finder:
    document: OpenApi
    routes: tuple[Route, ...]
    chosen: tuple[Route, ...]

    def named(self) -> list[str]:
        names = [*self.declared(), *(owner.table for route in self.chosen for owner in route.owners)]
        for route in self.chosen:
            said = route.operation.extensions
            names += [str(said["x-resource"])] if "x-resource" in said else []
            names += object_of(object_of(said.get("x-action")).get("creates"))
        return list(dict.fromkeys(names))

    def shown(self, tables: Mapping[str, Table]) -> Iterator[str]:
        """The tables that are only listed, or only added to."""
        for operation, owners, tail in self.chosen:
            acts = "on" in object_of(operation.extensions.get("x-action"))
            owner = tables.get(owners[-1].table) if owners else None
            inside = owner is not None and bool(tail) and owner.field(tail[-1]) is not None
            if tail and plural(tail[-1]) == tail[-1] and not (acts or inside or set(tail) & set(tables)):
                is_list = operation.method == "get" and listed_in(operation.response, self.document.root) is not None
                yield from tail[-1:] if is_list or operation.method == "post" else ()

    def declared(self) -> dict[str, Any]:
        return object_of(self.document.root.get("x-tables"))

    def table(self, name: str) -> Table:
        said = object_of(self.declared().get(name))
        rows = next((rule for rule in self.rows(name, said) if properties_of(rule)), None)
        if rows is None:
            place = ("x-tables",) if name in self.declared() else ()
            remedy = f"say x-tables: {{{name}: {{schema: NameOfAComponent}}}} in the document"
            raise self.document.source.bad(place, f"nothing says what the rows of {name!r} look like", remedy)
        sent = {key: rule for body in self.bodies(name) for key, rule in body.items()}
        fields = properties_of(rows) | {key: rule for key, rule in sent.items() if key not in properties_of(rows)}
        return Table(
            name=name,
            key=self.key(name, fields, said),
            fields=fields,
            required=frozenset(required_of(rows)),
            is_open=rows.get("additionalProperties", False) is not False,
            root=self.document.root,
        )

    def rows(self, name: str, said: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Schemas that may describe a row, the best first."""
        root = self.document.root
        components = object_of(object_of(root.get("components")).get("schemas"))
        if "schema" in said:
            if said["schema"] not in components:
                error = UnknownName("component", str(said["schema"]), components)
                raise self.document.source.bad(("x-tables", name, "schema"), str(error))
            yield shape(components[said["schema"]], root)
        answers = [(route, route.operation.response) for route in self.about(name)]
        yield from self.one(answer for route, answer in answers if route.operation.method == "get" and not route.tail)
        yield from (shape(rule, root) for key, rule in components.items() if snake(key) == singular(name))
        yield from self.one(answer for route, answer in answers if route.operation.method == "post" and route.tail)
        lists = (listed_in(answer, root) for route, answer in answers if route.operation.method == "get")
        yield from (shape(found[1], root) for found in lists if found)
        yield from ({"properties": body} for body in self.bodies(name))

    def one(self, answers: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
        root = self.document.root
        for answer in answers:
            if listed_in(answer, root) is None and (found := row_in(answer, root)):
                yield shape(found[1], root)

    def about(self, name: str) -> Iterator[Route]:
        for route in self.routes:
            here = [*route.tail, str(route.operation.extensions.get("x-resource"))]
            if name in here or (not route.tail and route.owners and route.owners[-1].table == name):
                yield route

    def bodies(self, name: str) -> Iterator[dict[str, Any]]:
        for route in self.about(name):
            wires, api = route.operation.wires, route.operation.api
            if "on" not in object_of(route.operation.extensions.get("x-action")):
                sent = {flat: wire.name for flat, wire in wires.items() if wire.into == "body" and wire.name}
                yield {name: api.parameters[flat].json_schema for flat, name in sent.items()}

    def key(self, name: str, fields: Mapping[str, Any], said: Mapping[str, Any]) -> str:
        known = {snake(field): field for field in fields}
        owners = [(route, owner) for route in self.routes for owner in route.owners if owner.table == name]
        wires = [route.operation.wires[owner.parameter].name for route, owner in owners]
        wanted = [str(said["key"])] if "key" in said else [*wires, "id", f"{singular(name)}_id", "uuid"]
        found = next((known[snake(key)] for key in wanted if snake(key) in known), None)
        if found is None:
            what = f"the rows of {name!r} have no field that names them; looked for {', '.join(dict.fromkeys(wanted))}"
            remedy = f"say x-tables: {{{name}: {{key: …}}}}; the fields are {shown(', '.join(fields), 200)}"
            raise self.document.source.bad(("x-tables", name) if said else (), what, remedy)
        return found


def _linked(table: Table, tables: Mapping[str, Table]) -> Table:
    refers: dict[str, str] = {}
    for other in tables.values():
        keys = {f"{other.singular}_id", *({snake(other.key)} if snake(other.key).endswith("_id") else ())}
        if other.name != table.name:
            refers |= {name: other.name for name in table.fields if name != table.key and snake(name) in keys}
    return replace(table, refers={name: refers[name] for name in table.fields if name in refers})
