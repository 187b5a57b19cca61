"""An operation, ready to be done: arguments checked, rows found, requirements asked, effect, `x-action`, answer.

Contract: arguments first (400, with the name of the one that is wrong), then the rows that the path names (404), then
what `x-action` requires, then the operation's own effect, `creates`, `sets`. Whoever calls a handler undoes what was
written where it raises.

Example:
    >>> from toologue.schema import Api, Parameter
    >>> api = Api(name="refund", parameters={"amount": Parameter(schema={"type": "number", "minimum": 1})})
    >>> arguments_check(Operation(api=api, method="post", path="/refunds"))({"amount": 0})
    Traceback (most recent call last):
    toologue.worlds.crud.refusal.Refusal: amount: 0 is less than 1

Not covered: arguments that depend on each other; say `x-action: {requires: {$one: {max: $other}}}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from toologue.apis.openapi import Operation
from toologue.errors import UnknownName
from toologue.worlds.crud.actions import Action
from toologue.worlds.crud.data import Data, key_text
from toologue.worlds.crud.expressions import Scope
from toologue.worlds.crud.misfit import checker
from toologue.worlds.crud.refusal import Refusal

Effect = Callable[[Data, Scope], Any]
"""Does what an operation does by itself. Rows that it makes or changes go into the scope; else it gives the value."""


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
