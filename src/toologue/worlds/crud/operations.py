"""What each operation does: read off its method and path, its answer, and its `x-action` (tables in docs/your-api.md).

Arguments are checked first (400), then the rows that the path names (404), then what `x-action` requires, then the
operation's own effect, `creates`, `sets`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, cast

from toologue.apis.choice import Unread
from toologue.apis.openapi import OpenApi, Operation
from toologue.apis.schemas import checker, list_of, object_of, properties_of
from toologue.data import Place
from toologue.errors import UnknownName, shown
from toologue.text.tokens import snake
from toologue.values.json_schema import fits, types_of
from toologue.worlds.crud.actions import Action, ActionError, Scope, Site, action_of
from toologue.worlds.crud.data import Data, Refusal, key_text, lies
from toologue.worlds.crud.envelopes import Held, Page, form, held_in, kinds_of
from toologue.worlds.crud.lists import done_answer, list_answer, row_answer, selection
from toologue.worlds.crud.rows import typed
from toologue.worlds.crud.tables import Route, Table, body_of, wrapper_of
from toologue.worlds.store import Row

_IRREGULAR = {
    "pay": "paid", "send": "sent", "hold": "held on_hold", "put_on_hold": "on_hold", "close": "closed", "sell": "sold",
    "reopen": "reopened open", "open": "opened open", "activate": "activated active", "stop": "stopped", "lose": "lost",
    "deactivate": "deactivated inactive", "enable": "enabled active", "disable": "disabled inactive", "undo": "undone",
    "pause": "paused", "resume": "resumed active", "begin": "begun started", "start": "started running in_progress",
    "block": "blocked locked", "complete": "completed complete done", "finish": "finished done completed",
    "withdraw": "withdrawn", "mark_lost": "lost", "write_off": "written_off", "take_back": "taken_back returned",
    "freeze": "frozen", "expire": "expired", "void": "voided void",
}  # fmt: skip
_SETS = ("set", "update", "rename", "change", "edit", "modify")
_REMEDY = "say it with `x-action` or `x-resource`, or leave the operation out"

Check = Callable[[Mapping[str, Any]], dict[str, Any]]
# It reads and writes through the data. A row that it makes or changes it puts into the scope under the singular of its
# table, where answers and `x-action` find it; all else it gives as its value.
Effect = Callable[[Data, Scope], Any]


class Step(NamedTuple):
    """A row that must be there: its table, the parameter with its key, the field that refers to the row before.

    `within`: (field, parameter) of what else it lies under.
    """

    table: Table
    parameter: str
    link: str | None = None
    within: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Handler:
    """One operation, ready. `subject`: the table of the row that is answered; None: what the effect gives."""

    check: Check
    steps: tuple[Step, ...]
    effect: Effect
    answer: Callable[[Any], Any]
    action: Action
    subject: Table | None = None
    row: Step | None = None
    added: Table | None = None

    def __call__(self, data: Data, arguments: Mapping[str, Any]) -> Any:
        """Do it. Raises Refusal."""
        scope, before = Scope(self.check(arguments), {}, data.now), ""
        for table, parameter, link, within in self.steps:
            if parameter not in scope.arguments:
                raise Refusal(400, f"{parameter} is missing")
            key = scope.arguments[parameter]
            under = {field: scope.arguments[flat] for field, flat in within} | ({link: before} if link else {})
            scope.rows[table.singular], before = data.get(table.name, key, under), key_text(key)
        self.action.check(scope)
        value = self.effect(data, scope)
        for name, fields in self.action.creates.items():
            if self.added is None or name != self.added.name:
                scope.rows[data.table(name).singular] = data.add(name, fields(scope))
        if self.action.sets and self.row is not None:
            table, name = self.row.table, self.row.table.singular
            scope.rows[name] = data.change(table.name, scope.rows[name], self.action.sets(scope))
        if self.action.returns is not None:
            return self.action.returns(scope)
        return self.answer(value if self.subject is None else scope.rows[self.subject.singular])


def arguments_check(operation: Operation) -> Check:
    """What checks the arguments of an operation and adds defaults; not to the body of a PATCH, which says what changes.

    It raises Refusal (400) for what does not fit.
    """
    api, wires = operation.api, operation.wires
    schemas = {name: parameter.json_schema for name, parameter in api.parameters.items()}
    checkers = {name: checker(schema, name) for name, schema in schemas.items()}
    stays = {name for name in schemas if operation.method == "patch" and name in wires and wires[name].into == "body"}
    defaults = {name: rule["default"] for name, rule in schemas.items() if "default" in rule and name not in stays}
    required = [name for name in api.required if name not in defaults]

    def check(given: Mapping[str, Any]) -> dict[str, Any]:
        for name, value in given.items():
            if name not in checkers:
                raise Refusal(400, str(UnknownName(f"parameter of {api.name}", name, checkers)))
            if (wrong := checkers[name](value)) is not None:
                raise Refusal(400, wrong)
        missing = next((name for name in required if name not in given), None)
        if missing is not None:
            raise Refusal(400, f"{missing} is missing")
        return {**defaults, **given}

    return check


def handler_of(
    operation: Operation, tables: Mapping[str, Table], route: Route | None, document: OpenApi
) -> tuple[Handler, str]:
    """(what an operation does, what it makes nothing of). Raises Unread with the place of what is not understood."""
    if route is None:
        raise Unread(operation.place, "a `{step}` of the path names no row of a table", _REMEDY)
    reader = _Reader(document, tables, route)
    return reader.handler(), ", ".join(reader.ignored)


def _state_for(action: str, table: Table) -> tuple[str, Any] | None:
    """(field, value) that an action sets, or None: the field that is a status, and what it may be after the action,
    or the field that says by true and false whether it was done.
    """
    fields = [name for name in table.fields if isinstance(table.rule(name).get("enum"), list)]
    likely = [name for name in fields if snake(name).split("_")[-1] in ("status", "state")] or fields
    if len(likely) > 1:
        likely = [name for name in likely if name in ("status", "state")]
    verb, _, rest = action.partition("_")
    regular = [f"{verb}ed", f"{verb}d", f"{verb}{verb[-1:]}ed", f"{verb[:-1]}ied"]
    meant = [*_IRREGULAR.get(action, _IRREGULAR.get(verb, "")).split(), *(regular if not rest else []), action]
    for name in likely[:1]:
        values = {snake(value): value for value in table.rule(name)["enum"] if isinstance(value, str)}
        if found := next(((name, values[word]) for word in meant if word in values), None):
            return found
    words = ((word, is_on) for is_on, those in ((True, meant), (False, _undone(action))) for word in those)
    flags = ((table.field(word) or table.field(f"is_{word}"), is_on) for word, is_on in words)
    return next(((name, is_on) for name, is_on in flags if name and "boolean" in types_of(table.rule(name))), None)


def _undone(action: str) -> list[str]:
    """The states that an action ends: `archived` for `unarchive`."""
    rest = re.sub(r"^un_?", "", action)
    return [f"{rest}ed", f"{rest}d", rest] if rest != action else []


@dataclass(frozen=True)
class _Reader:
    document: OpenApi
    tables: Mapping[str, Table]
    route: Route
    ignored: list[str] = field(default_factory=list[str])

    @property
    def operation(self) -> Operation:
        return self.route.operation

    @cached_property
    def said(self) -> dict[str, Any]:
        said = self.operation.extensions.get("x-action", {})
        if not isinstance(said, dict):
            self.bad(f"expected an object, got {shown(said)}", "", ("x-action",))
        return cast("dict[str, Any]", said)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(Step(self.tables[one.table], one.parameter, one.link, one.within) for one in self.route.owners)

    def held(self, table: Table) -> Held | None:
        return held_in(self.operation.response, self.document.root, table.names)

    def handler(self) -> Handler:
        adds = self.operation.method == "post" and self.route.table not in (None, self.said.get("on"))
        if "on" in self.said and not adds:
            return self.acting()
        tail, is_read = self.route.tail, not self.operation.api.writes
        owner = self.steps[-1].table if self.steps else None
        if self.route.table is not None:
            return self.collection(self.tables[self.route.table])
        if self.route.within:
            named = ", ".join(flat for _, flat in self.route.within)
            self.bad(self.route.lost or f"{named} of the path names no row of a table")
        if not tail and owner is not None:
            return self.item(self.steps)
        if self.route.single and not self.said:
            return self.part(self.route.single)
        part = owner.field(tail[-1]) if owner is not None and tail else None
        if part is not None and (self.operation.method != "post" or self.holds(owner, part)):
            return self.part(part)
        if is_read and not self.said:
            self.bad(self.route.lost or f"nothing says what {self.operation.api.name!r} reads")
        return self.acting()

    @staticmethod
    def holds(table: Table | None, name: str) -> bool:
        """Whether something can be added to a field."""
        return table is not None and bool(kinds_of(table.fields[name], table.root) & {"array", "object"})

    # what there is to do ---------------------------------------------------------------------------------------------

    def collection(self, table: Table) -> Handler:
        link = self.route.link
        if not self.operation.api.writes:
            held = self.held(table)
            is_named = self.route.tail[-1:] == (table.name,)
            if held.many if held is not None else is_named and not self.operation.response:
                return self.listing(table, link)
            return self.finding(table, link)
        if self.operation.method == "post":
            return self.adding(table, link)
        flat = next((name for name, wire in self.operation.wires.items() if snake(wire.name) == snake(table.key)), None)
        if flat is None:
            self.bad(f"{self.operation.api.name!r} changes {table.name} and says not which")
        return self.item((*self.steps, Step(table, flat, link, self.route.within)))

    def listing(self, table: Table, link: str | None) -> Handler:
        page = self.page(table, link)
        return self.made(page, answer=self.try_(list_answer, self.operation.response, table))

    def finding(self, table: Table, link: str | None) -> Handler:
        """The one row that fits what was asked; where nothing was, the newest that refers to the path's row."""
        page = self.page(table, link)
        asked = [name for name, wire in self.operation.wires.items() if wire.into != "path"]

        def effect(data: Data, scope: Scope) -> None:
            rows = page(data, scope).rows
            if not rows:
                given = [f"{name} {scope.arguments[name]!r}" for name in asked if name in scope.arguments]
                owner = [(step.table.singular, step.parameter) for step in self.steps[-1:] if link]
                of = [f"{singular} {scope.arguments[parameter]!r}" for singular, parameter in owner]
                raise Refusal(404, f"there is no {table.spoken} with {' and '.join([*of, *given]) or 'that'}")
            scope.rows[table.singular] = rows[0 if asked else -1]

        return self.made(effect, table)

    def adding(self, table: Table, link: str | None) -> Handler:
        steps = self.acted_on()
        body, more = self.body(table), self.action(steps, table).creates.get(table.name)

        def effect(data: Data, scope: Scope) -> None:
            fields: dict[str, Any] = data.fitting(table.name, body(scope))
            if link is not None:
                fields[link] = typed(scope.arguments[self.steps[-1].parameter], table.fields[link], table.root)
            fields |= {field: scope.arguments[flat] for field, flat in self.route.within}
            scope.rows[table.singular] = data.add(table.name, fields | (more(scope) if more else {}))

        return self.made(effect, table, steps=steps, added=table)

    def item(self, steps: tuple[Step, ...]) -> Handler:
        table = steps[-1].table
        body, method, is_read = self.body(table), self.operation.method, not self.operation.api.writes
        sent = {table.field(wire.name) or wire.name for wire in self.operation.wires.values() if wire.into == "body"}
        hidden = {table.key, *(name for name in table.fields if table.rule(name).get("readOnly") is True)}
        stay = [name for name in table.fields if name not in sent and ("" not in sent or name in hidden)]
        defaults = {name: rule["default"] for name in table.fields if "default" in (rule := table.rule(name))}

        def effect(data: Data, scope: Scope) -> None:
            old = scope.rows[table.singular]
            if is_read:
                return
            if method == "delete":
                data.remove(table.name, old)
            elif method == "put":  # fields that cannot be sent stay, the others get their defaults
                kept = {name: old[name] for name in stay if name in old}
                new = data.fitting(table.name, body(scope))
                row = {**defaults, table.key: old[table.key], **new, **kept}
                scope.rows[table.singular] = data.replace(table.name, old, row)
            else:
                new = data.fitting(table.name, _merged({name: old.get(name) for name in body(scope)}, body(scope)))
                scope.rows[table.singular] = data.replace(table.name, old, {**old, **new})

        return self.made(effect, table, steps=steps)

    def part(self, field: str) -> Handler:
        """An operation on a field of the path's row: read, replaced, merged, added to (a list), cleared."""
        (table, parameter, *_), single = self.steps[-1], field == self.route.single
        body, method = self.body(None if single else table, field), self.operation.method

        def value(old: Any, scope: Scope) -> Any:
            if method == "delete":
                return None
            if method == "patch" or single:
                return _merged(old or {}, body(scope))
            return [*list_of(old), body(scope)] if method == "post" and isinstance(old, list) else body(scope)

        def effect(data: Data, scope: Scope) -> Any:
            row = scope.rows[table.singular]
            if method != "get":
                row = data.change(table.name, row, {field: value(row.get(field), scope)})
                scope.rows[table.singular] = row
            elif row.get(field) is None and not single:
                words = field.replace("_", " ")
                raise Refusal(404, f"the {table.spoken} {scope.arguments[parameter]!r} has no {words}")
            return row.get(field)

        if single:
            return self.made(effect, answer=self.as_shown)
        if table.key in properties_of(form(self.operation.response, self.document.root)):
            return self.made(effect, table)
        return self.made(effect, answer=lambda value: value)

    def as_shown(self, value: Any) -> Any:
        """What a row has one of, as far as the answer may say it, with what that needs beside."""
        response, root = self.operation.response, self.document.root
        shown, least = properties_of(form(response, root)), done_answer(response, root) if response else None
        if not shown and value is not None and fits(value, response, root):
            return value
        known = {k: part for k, part in object_of(value).items() if k in shown and fits(part, shown[k], root)}
        return {**object_of(least), **known} if known or isinstance(least, dict) else least

    def acting(self) -> Handler:
        steps = self.acted_on()
        if not self.said:
            return self.setting()
        action, owner = self.action(steps), steps[-1].table if steps else None
        tables = [*(self.tables[name] for name in action.creates), *([owner] if owner else [])]
        fitting = [table for table in tables if self.answers(table)] if action.returns is None else []
        subject = max(fitting, key=self.answers, default=None)
        if action.returns is None and subject is None and self.operation.response:
            self.bad(f"nothing says what {self.operation.api.name!r} answers", "say `returns` in its `x-action`")
        return self.made(_nothing, subject, steps=steps)

    def setting(self) -> Handler:
        """A status is set, with the arguments that are fields; refused (409) where the row has that status."""
        name = self.route.tail[-1] if self.route.tail else self.operation.api.name
        found = _state_for(name, self.steps[-1].table) if self.steps else None
        if found is None:
            sets = self.steps and len(self.route.tail) == 1 and name.partition("_")[0] in _SETS
            if sets and any(self.steps[-1].table.field(one) for one in body_of(self.operation)):
                return self.item(self.steps)
            self.bad(f"nothing says what {self.operation.api.name!r} does")
        (table, parameter, *_), (field, state), body = self.steps[-1], found, self.body(self.steps[-1].table)
        if self.operation.method == "delete":
            state = state is not True and self.bad(f"nothing says what {table.spoken} is not {state} any more")
        flag = field.removeprefix("is_")
        spoken = state if not isinstance(state, bool) else flag if state else f"not {flag}"

        def effect(data: Data, scope: Scope) -> None:
            row = scope.rows[table.singular]
            if row.get(field) == state:
                raise Refusal(409, f"the {table.spoken} {scope.arguments[parameter]!r} is {spoken} already")
            more = {n: value for n, value in data.fitting(table.name, body(scope)).items() if n in table.fields}
            scope.rows[table.singular] = data.change(table.name, row, {**more, field: state})

        return self.made(effect, table)

    # what it is made of ----------------------------------------------------------------------------------------------

    def made(
        self,
        effect: Effect,
        subject: Table | None = None,
        *,
        answer: Callable[[Any], Any] | None = None,
        steps: tuple[Step, ...] | None = None,
        added: Table | None = None,
    ) -> Handler:
        """The handler, with its `x-action`, which acts on the last row of the steps, by default those of the path."""
        steps = self.steps if steps is None else steps
        if self.operation.status == 204:
            answer = _nothing
        elif answer is None and subject is not None:
            answer = self.told(subject)
        return Handler(
            check=arguments_check(self.operation),
            steps=steps,
            effect=effect,
            answer=_nothing if self.operation.status == 204 or answer is None else answer,
            subject=subject,
            action=self.action(steps, added),
            row=steps[-1] if steps else None,
            added=added,
        )

    def told(self, subject: Table) -> Callable[[Any], Any]:
        """What answers a row. What writes may answer something else: the least that its schema allows."""
        response = self.operation.response
        try:
            return row_answer(response, subject)
        except ValueError as error:
            if not self.operation.api.writes:
                self.bad(str(error))
            return lambda row: done_answer(response, self.document.root)

    def action(self, steps: tuple[Step, ...], added: Table | None = None) -> Action:
        if "x-action" not in self.operation.extensions:
            return Action()
        schemas = {name: one.json_schema for name, one in self.operation.api.parameters.items()}
        site = Site(self.tables, steps[-1].table if steps else None, added, schemas)
        try:
            action = action_of(self.said, site)
        except ActionError as error:
            self.bad(str(error), "", ("x-action", *error.place))
        if (action.sets or action.creates) and not self.operation.api.writes:
            self.bad("an operation that only reads sets and creates nothing", "", ("x-action",))
        return action

    def acted_on(self) -> tuple[Step, ...]:
        """The rows of the path, and that which `on` means: the parameter that holds its key, or that refers to it."""
        if "on" not in self.said:
            return self.steps
        name = str(self.said["on"])
        if name not in self.tables:
            self.bad(str(UnknownName("table", name, self.tables)), "", ("x-action", "on"))
        table = self.tables[name]
        referring = (field for one in self.tables.values() for field, other in one.refers.items() if other == name)
        likely = dict.fromkeys(map(snake, (table.key, f"{table.singular}_id", table.singular, *referring)))
        spelt = {snake(wire.name): flat for flat, wire in self.operation.wires.items()}
        flat = next((spelt[one] for one in likely if one in spelt), None)
        if flat is None:
            self.bad(f"no parameter holds the key of {name} ({' or '.join(likely)})", "", ("x-action", "on"))
        return (*self.steps, Step(table, flat))

    def page(self, table: Table, link: str | None) -> Callable[[Data, Scope], Page]:
        """What is asked for of a table's rows, or of those that refer to the path's last row."""
        api, wires = self.operation.api, self.operation.wires.items()
        asked = {n: (api.parameters[n].json_schema, wire.extensions) for n, wire in wires if wire.into != "path"}
        select, ignored = self.try_(selection, asked, table)
        self.ignored.extend(ignored)
        within = self.route.within

        def chosen(data: Data, scope: Scope) -> Page:
            rows: Iterable[Row] = data.rows(table.name)
            if link is not None:
                wanted = key_text(scope.arguments[self.steps[-1].parameter])
                rows = (row for row in rows if lies(row, link, wanted, table))
            for name, flat in within:
                rows = [row for row in rows if lies(row, name, scope.arguments[flat], table)]
            return select(rows, scope.arguments)

        return chosen

    def body(self, table: Table | None = None, field: str | None = None) -> Callable[[Scope], Any]:
        """What is sent: field → value; what a whole body is; for a `field` that the body names, its value alone."""
        parts = {flat: wire.name for flat, wire in self.operation.wires.items() if wire.into == "body"}
        schemas = body_of(self.operation)
        inside = "" if "" in schemas else wrapper_of(schemas, table.names) if table and not field else None
        if field in schemas and len(parts) == 1:
            inside = field
        whole = next((flat for flat, name in parts.items() if name == inside), None)
        if field and whole:
            return lambda scope: scope.arguments.get(whole, {})

        def spelt(name: str) -> str:
            return (table.field(name) if table else None) or name

        strange = {name for name in schemas if table and not (field or table.is_open or table.field(name))}

        def named(scope: Scope) -> dict[str, Any]:
            given = {name: scope.arguments[flat] for flat, name in parts.items() if flat in scope.arguments}
            given = {name: value for name, value in given.items() if name == inside or name not in strange}
            sent = object_of(given.get(inside)) if inside is not None else given
            return {spelt(name): part for name, part in sent.items()}

        return named

    def answers(self, table: Table) -> int:
        """How much of the answer is a row of a table: fields, if it names the row's key; 1 where it may be anything."""
        inner = properties_of(form(self.operation.response, self.document.root))
        nested = [properties_of(form(part, self.document.root)) for part in inner.values()] if len(inner) == 1 else []
        found = [len(names.keys() & table.fields.keys()) for names in (inner, *nested) if table.key in names]
        return max(found, default=0) if inner else 1

    def try_(self, make: Callable[..., Any], *given: Any) -> Any:
        try:
            return make(*given)
        except (ValueError, UnknownName) as error:
            self.bad(str(error))

    def bad(self, what: str, remedy: str = _REMEDY, place: Place = ()) -> NoReturn:
        raise Unread((*self.operation.place, *place), what, remedy)


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(new, dict) or not isinstance(old, Mapping):
        return cast("Any", new)
    known = cast("Mapping[str, Any]", old)
    return {**known, **{name: _merged(known.get(name), value) for name, value in object_of(new).items()}}


def _nothing(*given: Any) -> None:
    return None
