"""The tables behind an OpenAPI document: which there are, what their rows look like, what names a row.

Rows look like what GET answers for one, else like the component that is called as the singular, else like what POST
answers, like an item of the list, like the body; fields that only bodies have are kept, too. Two collections of one
name are one table where their rows have much in common; else the lesser one is called after what it belongs to
(`gist_comments`). What rows lie under in a path, and no field of theirs tells, is kept with them unseen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from toologue.apis.choice import Unread
from toologue.apis.openapi import OpenApi, Operation
from toologue.apis.schemas import checker, is_hidden, list_of, object_of, properties_of, required_of, shape
from toologue.errors import UnknownName, shown
from toologue.text.tokens import plural, singular, snake
from toologue.values.json_schema import resolved, types_of
from toologue.worlds.crud.envelopes import IDENTITIES, SCALARS, form, held_in, kinds_of
from toologue.worlds.store import Row

_NAMING = ("id", "sid", "uuid", "uid", "guid", "key", "slug", "name", "code", "number")


class Owner(NamedTuple):
    """A step of a path that names one row: the table, and the parameter that holds the row's key.

    `place`: the path up to there; `link`: the field that refers to the row before; `within`: (field, parameter) of
    what else the row lies under.
    """

    table: str
    parameter: str
    place: str
    link: str | None = None
    within: tuple[tuple[str, str], ...] = ()


class Route(NamedTuple):
    """An operation and its path taken apart: `/orders/{id}/refunds` is owned by (orders, id), its tail is (refunds).

    `table`: that of the tail, if it is a collection; `link` and `within` are those of its rows. `lost`: why a part of
    the path is the name of no table. `single`: the unseen field of what a row has one of (`/repos/{id}/settings`).
    """

    operation: Operation
    owners: tuple[Owner, ...]
    tail: tuple[str, ...]
    place: str
    within: tuple[tuple[str, str], ...] = ()
    table: str | None = None
    link: str | None = None
    lost: str = ""
    single: str = ""


@dataclass(frozen=True)
class Table:
    """The rows of one kind. `fields`: name → schema, whose `$ref`s point into `root`; `refers`: field → table.

    `unseen`: fields that no answer has, of what rows lie under; `sent`: those that a body may have.
    """

    name: str
    key: str
    fields: Mapping[str, Any]
    required: frozenset[str] = frozenset()
    is_open: bool = False
    root: Mapping[str, Any] = field(default_factory=dict[str, Any])
    refers: Mapping[str, str] = field(default_factory=dict[str, str])
    unseen: frozenset[str] = frozenset()
    sent: frozenset[str] = frozenset()

    @cached_property
    def singular(self) -> str:
        """What one row is called: `order` of `orders`."""
        return singular(self.name)

    @cached_property
    def names(self) -> frozenset[str]:
        """What one row, or all of them, may be called."""
        return _called(self.name)

    @property
    def spoken(self) -> str:
        """The same in words."""
        return self.singular.replace("_", " ")

    @cached_property
    def unique(self) -> tuple[str, ...]:
        """The fields, beside the key, whose values stand once: those that the document says `x-unique: true` of."""
        return tuple(name for name in self.fields if self.rule(name).get("x-unique") is True)

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The fields that nobody is shown: secrets, and what is `writeOnly`."""
        return frozenset(name for name, rule in self.fields.items() if is_hidden(name, rule, self.root))

    def rule(self, name: str) -> Mapping[str, Any]:
        """The schema of a field, resolved; {} for a field that the document does not know."""
        return resolved(self.fields.get(name, {}), self.root) or {}

    def field(self, name: str) -> str | None:
        """The field that a name stands for, however it is written (`orderId`, `order-id`), or None."""
        return name if name in self.fields else self._spelt.get(snake(name))

    @cached_property
    def _spelt(self) -> Mapping[str, str]:
        return {snake(name): name for name in reversed([*self.fields])}

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
    before: list[tuple[str, str]] = []
    place = ""
    for step in filter(None, re.split(r"[/:]", operation.path)):
        parameter = re.fullmatch(r"\{([^{}]+)\}", step)
        if parameter is None and "{" in step:
            return None
        if parameter is None:
            tail.append(snake(step))
        elif tail:
            owners.append(Owner(tail[-1], flat[parameter[1]], place, within=tuple(before)))
            tail, before = [], []
        elif owners:  # the last of several names the row
            last = owners[-1]
            other = (last.parameter, last.parameter)
            owners[-1] = last._replace(parameter=flat[parameter[1]], within=(*last.within, other))
        else:
            before.append((flat[parameter[1]], flat[parameter[1]]))
        place += "/{}" if parameter else f"/{tail[-1]}"
    return Route(operation, tuple(owners), tuple(tail), place, tuple(before) if tail else ())


def tables_of(document: OpenApi) -> tuple[dict[str, Table], dict[str, Route]]:
    """(the tables of a document, operation → its path taken apart). What cannot be understood is left out, unless the
    document names it beside its paths. Raises BadRecord.
    """
    routes = {one.api.name: route for one in document.operations if (route := route_of(one))}
    finder = _Finder(document, tuple(routes.values()))
    tables, places = finder.found()
    words = {*finder.said, *(owner.table for route in routes.values() for owner in route.owners)}
    twin = next((name for name in finder.said if plural(name) != name and plural(name) in words), None)
    if twin is not None:
        what = f"{twin!r} and {plural(twin)!r} are two tables, and called as if they were one"
        raise document.source.bad(("x-tables",) if twin in finder.declared else (), what, f"write {plural(twin)!r}")
    linked = {name: _linked(table, tables) for name, table in tables.items()}
    placed = {name: _placed(route, linked, places, finder.lost) for name, route in routes.items()}
    singles = set(_singles(placed.values(), document.root))
    return linked, {name: _single(one, linked) if one.place in singles else one for name, one in placed.items()}


@dataclass(frozen=True)
class _Finder:
    document: OpenApi
    routes: tuple[Route, ...]
    lost: dict[str, str] = field(default_factory=dict[str, str])
    """Place → why it is no table."""

    @cached_property
    def declared(self) -> dict[str, Any]:
        return object_of(self.document.root.get("x-tables"))

    @cached_property
    def said(self) -> list[str]:
        """The tables that the document names beside its paths."""
        names = [*self.declared]
        for route in self.routes:
            said = route.operation.extensions
            names += [str(said["x-resource"])] if "x-resource" in said else []
            names += object_of(object_of(said.get("x-action")).get("creates"))
        return list(dict.fromkeys(names))

    def found(self) -> tuple[dict[str, Table], dict[str, str]]:
        """(the tables, the place of a collection → its table)."""
        owned = dict.fromkeys(owner.place for route in self.routes for owner in route.owners)
        tables: dict[str, Table] = {}
        places: dict[str, str] = {}
        told = [name for name in self.said if name not in self.declared or not self._shown_by(name, owned)]
        for group in (*([name] for name in told), *self._groups(owned)):
            self._add(group, tables, places)
        for group in self._groups([*self._shown(places)]):
            self._add(group, tables, places)
        return tables, places

    def _shown_by(self, name: str, owned: Iterable[str]) -> bool:
        """Whether a table that is declared without its schema is one that a path shows."""
        words = {place.rpartition("/")[2] for place in (*owned, *(route.place for route in self.routes))}
        return "schema" not in object_of(self.declared[name]) and name in words

    def _groups(self, places: Iterable[str]) -> list[list[str]]:
        """Places of one name together: those first of which it is said what their rows look like, the least deep."""
        made: dict[str, list[str]] = {}
        deep = {place: (next(self.rows(place), None) is None, place.count("{}"), place.count("/")) for place in places}
        for place in sorted(deep, key=lambda place: deep[place]):
            made.setdefault(_word(place), []).append(place)
        return [*made.values()]

    def _add(self, group: list[str], tables: dict[str, Table], places: dict[str, str]) -> None:
        """Each place of a group joins a table of this name whose rows are like its own, or makes one."""
        for place in group:
            word = place.rpartition("/")[2]
            named = [name for other, name in places.items() if _word(other) == plural(word)]
            known = list(dict.fromkeys([*(name for name in tables if plural(name) == plural(word)), *named]))
            rows = next(self.rows(place), None)
            alike = [name for name in known if rows is None or name in self.said or _alike(rows, tables[name].fields)]
            if alike:
                places[place] = alike[0]
                tables[alike[0]] = self._wider(tables[alike[0]], place, rows or {})
                continue
            steps = [step for step in place.split("/") if step and not re.fullmatch(r"\{\}|v_?\d.*", step)]
            longer = (f"{singular(steps[-n])}_{plural(word)}" for n in range(2, len(steps) + 1))
            name = next((name for name in (*longer,) if name not in tables), None) if known else word
            if name is None:
                continue
            try:
                tables[name] = self.table(name, place)
                places[place] = name
            except Unread as error:
                if place in self.said or name in self.declared:
                    raise self.document.source.bad(error.place, error.what, error.remedy) from None
                self.lost[place] = error.what

    def _shown(self, places: Mapping[str, str]) -> Iterator[str]:
        """The places that are only listed, or only added to."""
        for route in self.routes:
            tail, answer = route.tail, route.operation.response
            if not tail or plural(tail[-1]) != tail[-1] or route.place in places:
                continue
            if "on" not in object_of(route.operation.extensions.get("x-action")):
                held = held_in(answer, self.document.root, _called(tail[-1]))
                is_list = route.operation.method == "get" and held is not None and held.many
                if is_list or route.operation.method == "post":
                    yield route.place

    def table(self, name: str, place: str) -> Table:
        said = object_of(self.declared.get(name))
        rows = next(self.rows(place, said), None)
        if rows is None:
            remedy = f"say x-tables: {{{name}: {{schema: NameOfAComponent}}}} in the document"
            what = f"nothing says what the rows of {name!r} look like"
            raise Unread(("x-tables",) if name in self.declared else (), what, remedy)
        fields = self._fields(properties_of(rows), place)
        key = self.key(name, place, fields, said)
        fields[key] = self._asked_as(fields[key], place)
        return Table(
            name=name,
            key=key,
            fields=fields,
            required=frozenset(required_of(rows)),
            is_open=rows.get("additionalProperties", False) is not False,
            root=self.document.root,
            sent=self._sent(fields, place),
        )

    def _asked_as(self, rule: Any, place: str) -> Any:
        """The schema of a key, and what the parameters that name a row say of it beside that."""
        owners = [(route, owner) for route in self.routes for owner in route.owners if owner.place == place]
        asked = [route.operation.api.parameters[owner.parameter].json_schema for route, owner in owners]
        known = resolved(rule, self.document.root) or {}
        more: dict[str, Any] = (
            {"pattern": r"^[1-9]\d{4}$"} if any(types_of(one) == ("integer",) for one in asked) else {}
        )
        more |= {kind: one[kind] for one in asked for kind in ("format", "pattern") if kind in one}
        return {**more, **known} if more.keys() - known.keys() and types_of(known) == ("string",) else rule

    def _wider(self, table: Table, place: str, rows: Mapping[str, Any]) -> Table:
        fields = self._fields(dict(table.fields), place)
        more = {name: part for name, part in properties_of(rows).items() if name not in fields}
        return replace(table, fields={**fields, **more}, sent=table.sent | self._sent(fields, place))

    def _fields(self, known: dict[str, Any], place: str) -> dict[str, Any]:
        """Those fields, and what only bodies have."""
        spelt = {snake(name) for name in known}
        sent = {key: rule for body in self.bodies(place) for key, rule in body.items() if snake(key) not in spelt}
        return {**known, **{key: rule for key, rule in sent.items() if key not in known}}

    def _sent(self, fields: Mapping[str, Any], place: str) -> frozenset[str]:
        spelt = {snake(name) for body in self.bodies(place) for name in body}
        return frozenset(name for name in fields if snake(name) in spelt)

    def rows(self, place: str, said: Mapping[str, Any] | None = None) -> Iterator[Mapping[str, Any]]:
        """Schemas that may describe a row, the best first."""
        root, said = self.document.root, said or {}
        word = place.rpartition("/")[2]
        components = object_of(object_of(root.get("components")).get("schemas"))
        if "schema" in said:
            if said["schema"] not in components:
                error = UnknownName("component", str(said["schema"]), components)
                raise Unread(("x-tables", word, "schema"), str(error))
            yield form(components[said["schema"]], root)
        found = [
            (bool(route.tail), route.operation.method, held)
            for route in self.about(place)
            if (held := held_in(route.operation.response, root, _called(word)))
        ]
        one = [(tail, method, held.schema) for tail, method, held in found if not held.many]
        shown = [
            *(schema for tail, method, schema in one if method == "post" and tail),
            *(schema for tail, method, schema in one if method != "get" and not tail),
            *(held.schema for _, method, held in found if method == "get" and held.many),
        ]
        seen = next((rule for schema in shown if properties_of(rule := form(schema, root))), None)
        called = [form(rule, root) for key, rule in components.items() if snake(key) == singular(word)]
        chosen = [
            *(schema for tail, method, schema in one if method == "get" and not tail),
            *(rule for rule in called if seen is None or _alike(seen, properties_of(rule))),
            *shown,
            *({"properties": body} for body in self.bodies(place)),
        ]
        yield from (rule for schema in chosen if properties_of(rule := form(schema, root)))

    @cached_property
    def _by_place(self) -> Mapping[str, list[Route]]:
        made: dict[str, list[Route]] = {}
        for route in self.routes:
            for place in {route.place if route.tail else route.owners[-1].place if route.owners else ""}:
                made.setdefault(place, []).append(route)
            for word in {*route.tail, str(route.operation.extensions.get("x-resource"))}:
                made.setdefault(word, []).append(route)
        return made

    def about(self, place: str) -> list[Route]:
        """The operations on the rows of a place; where there is none that says anything, on those of its name."""
        return self._by_place.get(place) or self._by_place.get(place.rpartition("/")[2], [])

    def bodies(self, place: str) -> Iterator[dict[str, Any]]:
        for route in self.about(place):
            if "on" not in object_of(route.operation.extensions.get("x-action")):
                body = body_of(route.operation)
                for branch in _branches(body.pop("", {})):
                    body |= {name: part for name, part in properties_of(branch).items() if name not in body}
                wrapped = wrapper_of(body, _called(place.rpartition("/")[2]))
                yield properties_of(shape(body[wrapped], None)) if wrapped else body

    def key(self, name: str, place: str, fields: Mapping[str, Any], said: Mapping[str, Any]) -> str:
        known = {snake(field): field for field in reversed([*fields])}
        owners = [(route, owner) for route in self.routes for owner in route.owners if owner.place == place]
        owners = owners or [(route, owner) for route in self.routes for owner in route.owners if owner.table == name]
        wires = [snake(route.operation.wires[one.parameter].name) for route, one in owners]
        word, wires = singular(place.rpartition("/")[2]), [wire for wire in wires if wire != singular(name)]
        endings = ["_".join(wire.split("_")[n:]) for wire in wires for n in range(wire.count("_") + 1)]
        wanted = [*endings, "id", f"{singular(name)}_id", f"{word}_id", *_NAMING[1:], singular(name)]
        wanted = [str(said["key"])] if "key" in said else [*dict.fromkeys(wanted)]
        found = [known[snake(key)] for key in wanted if snake(key) in known]
        kinds = {one: kinds_of(fields[one], self.document.root) for one in found}
        found = [one for one in found if "key" in said or not kinds[one] or kinds[one] & SCALARS]
        if not found:
            what = f"the rows of {name!r} have no field that names them; looked for {', '.join(wanted)}"
            remedy = f"say x-tables: {{{name}: {{key: …}}}}; the fields are {shown(', '.join(fields), 200)}"
            raise Unread(("x-tables", name) if said else (), what, remedy)
        return found[0]


def wrapper_of(body: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """The property of a body that holds all of the row, as `ticket` does in `{"ticket": {…}}`; None where none does."""
    if len(body) != 1:
        return None
    name, schema = next(iter(body.items()))
    return name if snake(name) in {*names, "data"} and properties_of(shape(schema, None)) else None


def _called(word: str) -> frozenset[str]:
    """What the rows of a collection, or one of them, may be called."""
    last = word.rpartition("_")[2]
    return frozenset((word, singular(word), plural(word), last, singular(last)))


def _branches(schema: Any) -> Iterator[dict[str, Any]]:
    rule = shape(schema, schema)
    yield rule
    for part in (part for key in ("anyOf", "oneOf") for part in list_of(rule.get(key))):
        yield from _branches(part)


def _word(place: str) -> str:
    return plural(place.rpartition("/")[2])


def _alike(rows: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
    names = properties_of(rows).keys()
    common = len(names & fields.keys())
    return 2 * common >= len(names | fields.keys()) or 10 * common >= 9 * min(len(names), len(fields))


def _linked(table: Table, tables: Mapping[str, Table]) -> Table:
    """The table with its references: `customer_id`, `customer_sid`, or `customer` where that may be a key."""
    refers: dict[str, str] = {}
    for other in tables.values():
        key = snake(other.key)
        if other.name == table.name:
            continue
        likely = [name for name in table.fields if name != table.key and _may_be_key(table, name)]
        names = {f"{other.singular}_id", f"{other.singular}_{key}"}
        refers |= {name: other.name for name in likely if snake(name) in names}
        keys = [name for name in likely if key.endswith("_id") and snake(name) == key]
        refers = dict.fromkeys(keys, other.name) | refers
        bare = table.field(other.singular) if key in IDENTITIES and other.singular not in _NAMING else None
        if bare and bare != table.key and _may_be_key(table, bare) and "format" not in table.rule(bare):
            refers.setdefault(bare, other.name)
    return replace(table, refers={name: refers[name] for name in table.fields if name in refers})


def _may_be_key(table: Table, name: str) -> bool:
    kinds = kinds_of(table.fields[name], table.root)
    return "enum" not in table.rule(name) and (not kinds or bool(kinds & SCALARS))


def _placed(route: Route, tables: dict[str, Table], places: Mapping[str, str], lost: Mapping[str, str]) -> Route:
    """A route whose owners are tables that are known; what a row lies under besides is kept in fields."""
    owners: list[Owner] = []
    under: tuple[tuple[str, str], ...] = ()
    why = next((lost[one] for one in (route.place, *(owner.place for owner in route.owners)) if one in lost), "")
    route = route._replace(lost=why)
    for owner in route.owners:
        name, within = places.get(owner.place), (*under, *owner.within)
        if name is None:
            under = (*within, (owner.parameter, owner.parameter))
            continue
        link = _link(name, owners, route, tables)
        owners.append(Owner(name, owner.parameter, owner.place, link, _kept(name, within, route, tables)))
        under = ()
    word = route.tail[-1] if route.tail else ""
    said = route.operation.extensions.get("x-resource")
    table = said if isinstance(said, str) else places.get(route.place) or (word if word in tables else None)
    is_part = bool(owners and not under and word and tables[owners[-1].table].field(word))
    if table is None and not (is_part or route.operation.api.writes):
        table = next((step for step in (plural(word), *reversed(route.tail)) if step in tables), None)
    within = (*under, *route.within)
    if table not in tables:
        return route._replace(owners=tuple(owners), within=within)
    link = _link(table, owners, route, tables)
    kept = _kept(table, within, route, tables)
    return route._replace(owners=tuple(owners), within=kept, table=table, link=link)


def _singles(routes: Iterable[Route], root: Any) -> Iterator[str]:
    """The places of what a row has one of: it is read as it is put there, by its parts or as one value."""
    there: dict[str, dict[str, Operation]] = {}
    for route in routes:
        if route.owners and route.tail and not (route.table or route.within):
            there.setdefault(route.place, {})[route.operation.method] = route.operation
    for place, methods in there.items():
        put = next((methods[one] for one in ("put", "patch", "post") if one in methods), None)
        if put is not None and "get" in methods:
            shown, sent = form(methods["get"].response, root), body_of(put)
            common = 2 * len(sent.keys() & properties_of(shown).keys()) >= max(len(sent), 1)
            if common or ("" in sent and {*types_of(form(sent[""], root))} & {*types_of(shown)}):
                yield place


def body_of(operation: Operation) -> dict[str, Any]:
    """What is sent as the body: name → schema; "" is all of it."""
    sent = {wire.name: flat for flat, wire in operation.wires.items() if wire.into == "body"}
    return {name: operation.api.parameters[flat].json_schema for name, flat in sent.items()}


def _single(route: Route, tables: dict[str, Table]) -> Route:
    table = tables[route.owners[-1].table]
    name = f"path_{'_'.join(route.tail)}"
    if table.field(route.tail[-1]):
        return route
    tables[table.name] = replace(table, fields={**table.fields, name: {"default": None}}, unseen=table.unseen | {name})
    return route._replace(single=name)


def _link(name: str, owners: list[Owner], route: Route, tables: dict[str, Table]) -> str | None:
    """The field of a table that refers to the last of the owners; if there is none it gets one."""
    if not owners or owners[-1].table == name:
        return None
    table, owner, flat = tables[name], tables[owners[-1].table], owners[-1].parameter
    wire = route.operation.wires[flat].name
    named = next((one for one, other in table.refers.items() if other == owner.name), None)
    found = named or (table.field(wire) if snake(wire) not in _NAMING else None)
    if found is not None and _may_be_key(table, found):
        tables[name] = replace(table, refers={found: owner.name, **table.refers})
        return found
    wire = f"{owner.singular}_{snake(wire)}" if snake(wire) in _NAMING else snake(wire)
    return _unseen(name, wire, flat, route, tables, owner.name)


def _kept(
    name: str, within: Iterable[tuple[str, str]], route: Route, tables: dict[str, Table]
) -> tuple[tuple[str, str], ...]:
    made: list[tuple[str, str]] = []
    for flat, _ in within:
        found = tables[name].field(route.operation.wires[flat].name)
        is_told = found is not None and found != tables[name].key and _may_be_key(tables[name], found)
        made.append((found if found and is_told else _unseen(name, snake(flat), flat, route, tables), flat))
    return tuple(made)


def _unseen(name: str, called: str, flat: str, route: Route, tables: dict[str, Table], owner: str | None = None) -> str:
    table = tables[name]
    if called in table.fields and called not in table.unseen:
        called = f"path_{called}"
    if called not in table.fields:
        fields = {**table.fields, called: route.operation.api.parameters[flat].json_schema}
        refers = {**table.refers, **({called: owner} if owner else {})}
        tables[name] = replace(table, fields=fields, refers=refers, unseen=table.unseen | {called})
    return called
