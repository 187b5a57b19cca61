"""What each operation does: read off its method and path, its answer, and its `x-action`.

    GET /orders, /customers/{id}/orders     the rows, of that customer; filtered, sorted, a page of them
    GET /customers?email=…                  where the answer is one object: the row found, or 404
    GET /orders/{id}                        the row
    GET /orders/{id}/shipment               the newest row of `shipments` that refers to the order
    GET, PUT, PATCH /orders/{id}/address    a field of the row
    POST /orders, /orders/{id}/refunds      a new row, which refers to the order
    PUT, PATCH, DELETE /orders/{id}         replaced (what the body does not name stays), merged, gone
    POST /orders/{id}/cancel                an action: `x-action`, or a status that the word means

arguments are checked first (400, with the name of the one that is wrong), then the rows that the path names
(404), then what `x-action` requires, then the operation's own effect, `creates`, `sets`. An operation that cannot be
understood is an error when the document is read, with what to do about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from toologue.apis.openapi import OpenApi, Operation
from toologue.apis.schemas import object_of, properties_of, shape
from toologue.data import Place
from toologue.errors import shown
from toologue.text.tokens import plural, snake
from toologue.worlds.crud.actions import Action, ActionError, Site, action_of
from toologue.worlds.crud.expressions import Scope
from toologue.worlds.crud.handler import (
    Effect,
    Handler,
    Step,
    adding,
    arguments_check,
    finding,
    listing,
    merging,
    part,
    reading,
    removing,
    replacing,
    setting,
)
from toologue.worlds.crud.lists import list_answer, row_answer, selection
from toologue.worlds.crud.tables import Owner, Route, Table, listed_in, route_of

_IRREGULAR = {
    "pay": "paid", "send": "sent", "hold": "held on_hold", "put_on_hold": "on_hold", "close": "closed", "sell": "sold",
    "reopen": "reopened open", "open": "opened open", "activate": "activated active", "stop": "stopped", "lose": "lost",
    "deactivate": "deactivated inactive", "enable": "enabled active", "disable": "disabled inactive", "undo": "undone",
    "pause": "paused", "resume": "resumed active", "begin": "begun started", "start": "started running in_progress",
    "block": "blocked locked", "complete": "completed complete done", "finish": "finished done completed",
    "withdraw": "withdrawn", "mark_lost": "lost", "write_off": "written_off", "take_back": "taken_back returned",
    "freeze": "frozen", "expire": "expired", "void": "voided void",
}  # fmt: skip


def state_for(action: str, table: Table) -> tuple[str, str] | None:
    """(field, value) that an action sets, or None."""
    fields = [name for name in table.fields if isinstance(table.rule(name).get("enum"), list)]
    likely = [name for name in fields if snake(name).split("_")[-1] in ("status", "state")] or fields
    if len(likely) > 1:
        likely = [name for name in likely if name in ("status", "state")]
    for field in likely[:1]:
        values = {snake(value): value for value in table.rule(field)["enum"] if isinstance(value, str)}
        found = next((values[word] for word in _meant(action) if word in values), None)
        if found is not None:
            return field, found
    return None


def _meant(action: str) -> list[str]:
    """The words that a status may have after an action: `cancel` → cancelled, canceled."""
    verb, _, rest = action.partition("_")
    regular = [f"{verb}ed", f"{verb}d", f"{verb}{verb[-1:]}ed", f"{verb[:-1]}ied"]
    return [*_IRREGULAR.get(action, _IRREGULAR.get(verb, "")).split(), *(regular if not rest else []), action]


_REMEDY = "say it with `x-action` or `x-resource`, give the operation an override, or leave it out"


def handler_of(operation: Operation, tables: Mapping[str, Table], document: OpenApi) -> Handler:
    """What an operation does. Raises BadRecord with the place of what is not understood."""
    route = route_of(operation)
    if route is None:
        raise document.source.bad(operation.place, "a `{step}` of the path names no row of a table", _REMEDY)
    return _Reader(document, tables, route).handler()


@dataclass(frozen=True)
class _Reader:
    document: OpenApi
    tables: Mapping[str, Table]
    route: Route

    @property
    def operation(self) -> Operation:
        return self.route.operation

    @property
    def said(self) -> dict[str, Any]:
        """The `x-action`."""
        return object_of(self.operation.extensions.get("x-action"))

    @property
    def owner(self) -> Table | None:
        """The table of the row that the path names last."""
        return self.tables[self.route.owners[-1].table] if self.route.owners else None

    def handler(self) -> Handler:
        """Which kind of operation it is."""
        said = self.operation.extensions.get("x-action", {})
        if not isinstance(said, dict):
            self.bad(f"expected an object, got {shown(said)}", "", ("x-action",))
        tail, owner, is_read = self.route.tail, self.owner, not self.operation.api.writes
        if "on" in self.said:
            return self.acting()
        named = self.operation.extensions.get("x-resource") or (tail[-1] if tail else None)
        if isinstance(named, str) and named in self.tables:
            return self.collection(self.tables[named])
        if not tail and owner is not None:
            return self.item(owner, self.steps())
        field = owner.field(tail[-1]) if owner is not None and tail else None
        if owner is not None and field is not None:
            return self.part(owner, field)
        if is_read and tail and plural(tail[-1]) in self.tables:
            return self.collection(self.tables[plural(tail[-1])])
        within = next((self.tables[step] for step in reversed(tail) if step in self.tables), None)
        if is_read and within is not None:
            return self.collection(within)
        if is_read and not self.said:
            self.bad(f"nothing says what {self.operation.api.name!r} reads")
        return self.acting()

    # what there is to do ---------------------------------------------------------------------------------------------

    def collection(self, table: Table) -> Handler:
        """An operation on the rows of a table, or on those that refer to the path's row."""
        link = self.link(table)
        if not self.operation.api.writes:
            if listed_in(self.operation.response, self.document.root) or not self.operation.response:
                return self.listing(table, link)
            return self.finding(table, link)
        if self.operation.method == "post":
            return self.adding(table, link)
        flat = next((name for name, wire in self.operation.wires.items() if snake(wire.name) == snake(table.key)), None)
        if flat is None:
            self.bad(f"{self.operation.api.name!r} changes {table.name} and says not which")
        return self.item(table, (*self.steps(), Step(table.name, table.singular, flat, link)))

    def listing(self, table: Table, link: str | None) -> Handler:
        select, owner = self.selection(table), self.steps()[-1:]
        answer = self.try_(list_answer, self.operation.response, table)
        return self.made(listing(table, select, link, owner), answer, row=owner)

    def finding(self, table: Table, link: str | None) -> Handler:
        select, owner = self.selection(table), self.steps()[-1:]
        asked = [name for name, wire in self.operation.wires.items() if wire.into != "path"]
        effect = finding(table, select, link, owner, asked)
        return self.made(effect, self.row_answer(table), subject=table.singular, row=owner)

    def adding(self, table: Table, link: str | None) -> Handler:
        owner = self.steps()[-1:]
        effect = adding(table, self.body(), link, owner, self.action(owner, table).creates.get(table.name))
        return self.made(effect, self.row_answer(table), subject=table.singular, row=owner, added=table)

    def item(self, table: Table, steps: tuple[Step, ...]) -> Handler:
        """An operation on one row."""
        row, body, method = steps[-1], self.body(), self.operation.method
        if not self.operation.api.writes:
            effect = reading
        elif method == "delete":
            effect = removing(row)
        elif method == "put":
            effect = replacing(row, table, body, lambda name: self.is_settable(table, name))
        else:
            effect = merging(row, body)
        silent = method == "delete" and not self.operation.response
        answer = _nothing if silent else self.row_answer(table)
        return self.made(effect, answer, subject=row.singular, row=(row,), steps=steps)

    def part(self, table: Table, field: str) -> Handler:
        """An operation on a field of the path's row."""
        row = self.steps()[-1]
        effect = part(row, field, self.operation.method, self.body(field))
        if table.key in properties_of(shape(self.operation.response, self.document.root)):
            return self.made(effect, self.row_answer(table), subject=row.singular, row=(row,))
        found = listed_in(self.operation.response, self.document.root)
        wrapper = found[0] if found else ""
        return self.made(effect, lambda value: {wrapper: value} if wrapper else value, row=(row,))

    def acting(self) -> Handler:
        """An action: what `x-action` says, else the status that the word means."""
        steps, name = self.steps(), self.route.tail[-1] if self.route.tail else self.operation.api.name
        if "on" in self.said:
            steps = (*steps, self.step_on(str(self.said["on"])))
        row, owner = steps[-1:], self.tables[steps[-1].table] if steps else None
        if not self.said:
            state = state_for(name, owner) if owner is not None else None
            if owner is None or state is None:
                self.bad(f"nothing says what {self.operation.api.name!r} does")
            effect = setting(row[0], owner, self.body(), *state)
            return self.made(effect, self.row_answer(owner), subject=row[0].singular, row=row)
        action = self.action(row)
        created = [self.tables[table] for table in action.creates]
        fitting = [table for table in (*created, *([owner] if owner else [])) if self.answers(table)]
        subject = max(fitting, key=self.answers, default=None)
        if action.returns is not None or subject is None:
            if action.returns is None and self.operation.response:
                self.bad(f"nothing says what {self.operation.api.name!r} answers", "say `returns` in its `x-action`")
            return self.made(reading, _nothing, row=row, steps=steps)
        return self.made(reading, self.row_answer(subject), subject=subject.singular, row=row, steps=steps)

    # what it is made of ----------------------------------------------------------------------------------------------

    def made(
        self,
        effect: Effect,
        answer: Callable[[Any], Any],
        *,
        subject: str | None = None,
        row: tuple[Step, ...] = (),
        steps: tuple[Step, ...] | None = None,
        added: Table | None = None,
    ) -> Handler:
        """The handler, with its `x-action`. `row`: the one that it acts on, if any."""
        return Handler(
            check=arguments_check(self.operation),
            steps=self.steps() if steps is None else steps,
            effect=effect,
            answer=_nothing if self.operation.status == 204 else answer,
            subject=subject,
            action=self.action(row, added),
            row=row[0] if row else None,
            added=added.name if added is not None else None,
        )

    def action(self, row: tuple[Step, ...], added: Table | None = None) -> Action:
        if "x-action" not in self.operation.extensions:
            return Action()
        names = frozenset(self.operation.api.parameters)
        site = Site(self.tables, row[0].table if row else None, added.name if added is not None else None, names)
        try:
            action = action_of(self.operation.extensions["x-action"], site)
        except ActionError as error:
            self.bad(str(error), "", ("x-action", *error.place))
        if (action.sets or action.creates) and not self.operation.api.writes:
            self.bad("an operation that only reads sets and creates nothing", "", ("x-action",))
        return action

    def steps(self) -> tuple[Step, ...]:
        """The rows that the path names."""
        made: list[Step] = []
        before: Owner | None = None
        for owner in self.route.owners:
            table = self.tables[owner.table]
            link = _link(table, self.tables[before.table], self.wire(before)) if before else None
            made.append(Step(table.name, table.singular, owner.parameter, link))
            before = owner
        return tuple(made)

    def step_on(self, name: str) -> Step:
        """The row that `on` names; its key is the parameter called as the key."""
        if name not in self.tables:
            self.bad(f"there is no table {name!r}; known: {', '.join(self.tables)}", "", ("x-action", "on"))
        table = self.tables[name]
        known = (table.key, f"{table.singular}_id")
        flat = next((p for p in self.operation.api.parameters if snake(p) in map(snake, known)), None)
        if flat is None:
            self.bad(f"no parameter holds the key of {name} ({' or '.join(known)})", "", ("x-action", "on"))
        return Step(name, table.singular, flat, None)

    def link(self, table: Table) -> str | None:
        """The field of a table that refers to the path's last row."""
        owner = self.owner
        if owner is None or owner is table:
            return None
        found = _link(table, owner, self.wire(self.route.owners[-1]))
        if found is None:
            self.bad(
                f"nothing says which {table.name} belong to which of {owner.name}",
                f"give {table.name} a field {owner.singular}_id",
            )
        return found

    def wire(self, owner: Owner) -> str:
        return self.operation.wires[owner.parameter].name

    def selection(self, table: Table) -> Any:
        api = self.operation.api
        asked = {
            name: (api.parameters[name].json_schema, wire.extensions)
            for name, wire in self.operation.wires.items()
            if wire.into != "path"
        }
        return self.try_(selection, asked, table)

    def body(self, field: str | None = None) -> Callable[[Scope], Any]:
        """What is sent: field → value; what a whole body is; for a `field` that the body names, its value alone."""
        wires = {flat: wire.name for flat, wire in self.operation.wires.items() if wire.into == "body"}
        whole = next((flat for flat, name in wires.items() if not name or (name == field and len(wires) == 1)), None)
        if whole is not None:
            return lambda scope: scope.arguments.get(whole, {})
        return lambda scope: {name: scope.arguments[flat] for flat, name in wires.items() if flat in scope.arguments}

    def is_settable(self, table: Table, name: str) -> bool:
        """Whether a body may say a field of a row."""
        names = {wire.name for wire in self.operation.wires.values() if wire.into == "body"}
        return name in names or ("" in names and name != table.key and table.rule(name).get("readOnly") is not True)

    def answers(self, table: Table) -> int:
        """How much of the answer is a row of a table: fields, if it names the row's key; 1 where it may be anything."""
        inner = properties_of(shape(self.operation.response, self.document.root))
        nested = [properties_of(shape(part, self.document.root)) for part in inner.values()] if len(inner) == 1 else []
        found = [len(names.keys() & table.fields.keys()) for names in (inner, *nested) if table.key in names]
        return max(found, default=0) if inner else 1

    def row_answer(self, table: Table) -> Callable[[Any], Any]:
        return self.try_(row_answer, self.operation.response, table)

    def try_(self, make: Callable[..., Any], *given: Any) -> Any:
        try:
            return make(*given)
        except ValueError as error:
            self.bad(str(error))

    def bad(self, what: str, remedy: str = _REMEDY, place: Place = ()) -> NoReturn:
        raise self.document.source.bad((*self.operation.place, *place), what, remedy)


def _link(table: Table, owner: Table, parameter: str) -> str | None:
    """The field of a table that refers to an owner: by its name, or called as the path's parameter."""
    named = next((field for field, other in table.refers.items() if other == owner.name), None)
    return named or (table.field(parameter) if snake(parameter) != "id" else None)


def _nothing(value: Any) -> None:
    return None
