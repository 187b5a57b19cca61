"""An operation, ready to be done: arguments checked, rows found, requirements asked, effect, `x-action`, answer.

Arguments come first (400, with the name of the one that is wrong), then the rows that the path names (404), then what
`x-action` requires, then the operation's own effect, `creates`, `sets`. An `Effect` reads and writes through the data;
a row that it makes or changes it puts into the scope under the singular of its table, where answers and `x-action` find
it; all else it gives as its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from toologue.apis.openapi import Operation
from toologue.apis.schemas import checker
from toologue.errors import UnknownName
from toologue.worlds.crud.actions import Action
from toologue.worlds.crud.data import Data, Refusal, key_text
from toologue.worlds.crud.expressions import Scope, Value
from toologue.worlds.crud.lists import Select
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row

Effect = Callable[[Data, Scope], Any]

Check = Callable[[Mapping[str, Any]], dict[str, Any]]


class Step(NamedTuple):
    """A row that must be there: its table, the parameter with its key, the field that refers to the row before."""

    table: str
    singular: str
    parameter: str
    link: str | None


@dataclass(frozen=True)
class Handler:
    """One operation, ready. `subject`: the row in the scope that is answered; None: what the effect gives."""

    check: Check
    steps: tuple[Step, ...]
    effect: Effect
    answer: Callable[[Any], Any]
    action: Action
    subject: str | None = None
    row: Step | None = None
    added: str | None = None

    def __call__(self, data: Data, arguments: Mapping[str, Any]) -> Any:
        """Do it. Raises Refusal."""
        scope = Scope(self.check(arguments), {}, data.now)
        before = ""
        for step in self.steps:
            row = data.get(step.table, scope.arguments[step.parameter])
            if step.link is not None and key_text(row.get(step.link)) != before:
                data.missing(step.table, scope.arguments[step.parameter])
            scope.rows[step.singular] = row
            before = key_text(scope.arguments[step.parameter])
        refusal = self.action.refusal(scope)
        if refusal is not None:
            raise refusal
        value = self.effect(data, scope)
        self._act(data, scope)
        if self.action.returns is not None:
            return self.action.returns(scope)
        return self.answer(value if self.subject is None else scope.rows[self.subject])

    def _act(self, data: Data, scope: Scope) -> None:
        for table, fields in self.action.creates.items():
            if table != self.added:
                scope.rows[data.table(table).singular] = data.add(table, fields(scope))
        if self.action.sets and self.row is not None:
            row = scope.rows[self.row.singular]
            key = scope.arguments[self.row.parameter]
            scope.rows[self.row.singular] = data.change(self.row.table, key, self.action.changes(row, scope))


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


# What was sent: field → value, or the whole of it.
Body = Callable[[Scope], Any]


def listing(table: Table, select: Select, link: str | None, owner: tuple[Step, ...]) -> Effect:
    """A page of rows; of those that refer to the path's row, where there is a `link`."""
    return lambda data, scope: select(_linked(data, table, link, owner, scope), scope.arguments)


def finding(table: Table, select: Select, link: str | None, owner: tuple[Step, ...], asked: list[str]) -> Effect:
    """The one row that fits what was asked; where nothing was, the newest that refers to the path's row."""

    def effect(data: Data, scope: Scope) -> None:
        rows = select(_linked(data, table, link, owner, scope), scope.arguments).rows
        if not rows:
            given = [f"{name} {scope.arguments[name]!r}" for name in asked if name in scope.arguments]
            of = [f"{step.singular} {scope.arguments[step.parameter]!r}" for step in owner if link]
            raise Refusal(404, f"there is no {table.spoken} with {' and '.join([*of, *given]) or 'that'}")
        scope.rows[table.singular] = rows[0 if asked else -1]

    return effect


def adding(table: Table, body: Body, link: str | None, owner: tuple[Step, ...], more: Value | None = None) -> Effect:
    """A new row, which refers to the path's row. `more`: further fields."""

    def effect(data: Data, scope: Scope) -> None:
        fields = {**body(scope)}
        if link is not None:
            fields[link] = scope.arguments[owner[0].parameter]
        if more is not None:
            fields |= more(scope)
        scope.rows[table.singular] = data.add(table.name, fields)

    return effect


def reading(data: Data, scope: Scope) -> None:
    """Nothing: the path's row is in the scope."""


def merging(row: Step, body: Body) -> Effect:
    """The row with what was sent; objects in it are merged, too."""

    def effect(data: Data, scope: Scope) -> None:
        merged = _merged(scope.rows[row.singular], body(scope))
        scope.rows[row.singular] = data.replace(row.table, scope.arguments[row.parameter], merged)

    return effect


def replacing(row: Step, table: Table, body: Body, settable: Callable[[str], bool]) -> Effect:
    """What was sent, in the place of the row; fields that cannot be sent stay, the others get their defaults."""
    stay = [name for name in table.fields if not settable(name)]
    defaults = {name: rule["default"] for name in table.fields if "default" in (rule := table.rule(name))}

    def effect(data: Data, scope: Scope) -> None:
        old = scope.rows[row.singular]
        kept = {name: old[name] for name in stay if name in old}
        fields = {**defaults, table.key: old[table.key], **body(scope), **kept}
        scope.rows[row.singular] = data.replace(row.table, scope.arguments[row.parameter], fields)

    return effect


def removing(row: Step) -> Effect:
    """The row is gone."""

    def effect(data: Data, scope: Scope) -> None:
        data.remove(row.table, scope.arguments[row.parameter])

    return effect


def part(row: Step, field: str, method: str, body: Body) -> Effect:
    """A field of the row: read, replaced, merged, added to (a list), cleared. Gives its value."""
    spoken = field.replace("_", " ")

    def value(old: Any, scope: Scope) -> Any:
        if method == "delete":
            return None
        if method == "patch":
            return _merged(old or {}, body(scope))
        return [*cast("list[Any]", old), body(scope)] if method == "post" and isinstance(old, list) else body(scope)

    def effect(data: Data, scope: Scope) -> Any:
        old, key = scope.rows[row.singular].get(field), scope.arguments[row.parameter]
        if method != "get":
            scope.rows[row.singular] = data.change(row.table, key, {field: value(old, scope)})
        elif old is None:
            raise Refusal(404, f"the {data.table(row.table).spoken} {key!r} has no {spoken}")
        return scope.rows[row.singular][field]

    return effect


def setting(row: Step, table: Table, body: Body, field: str, state: str) -> Effect:
    """A status is set, with the arguments that are fields; refused (409) where the row has that status."""

    def effect(data: Data, scope: Scope) -> None:
        key = scope.arguments[row.parameter]
        if scope.rows[row.singular].get(field) == state:
            raise Refusal(409, f"the {table.spoken} {key!r} is {state} already")
        more = {name: value for name, value in body(scope).items() if name in table.fields}
        scope.rows[row.singular] = data.change(row.table, key, {**more, field: state})

    return effect


def _linked(data: Data, table: Table, link: str | None, owner: tuple[Step, ...], scope: Scope) -> Iterable[Row]:
    if link is None:
        return data.rows(table.name)
    wanted = key_text(scope.arguments[owner[0].parameter])
    return (row for row in data.rows(table.name) if _names(row.get(link), wanted))


def _names(value: Any, key: str) -> bool:
    return value == key or (value is not None and not isinstance(value, str) and key_text(value) == key)


def _merged(old: Any, new: Any) -> Any:
    """Objects merged, all the rest replaced."""
    if not isinstance(new, dict) or not isinstance(old, Mapping):
        return cast("Any", new)
    known, sent = cast("Mapping[str, Any]", old), cast("dict[str, Any]", new)
    return {**known, **{name: _merged(known.get(name), value) for name, value in sent.items()}}
