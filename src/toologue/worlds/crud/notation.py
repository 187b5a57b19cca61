"""The notation of `x-action`: values with expressions in them, and conditions on rows and arguments.

A value is JSON, in which a text may be

    $reason, $order.total    an expression of `values.conditions` over the arguments, the row by the singular of its
    $today + "14 days"       table, `now` and `today`
    Order ${order_id} …      a text with expressions in it
    $$5                      the text "$5"

What an argument that was not given would say is left out. A condition is an expression; what makes no sense (a text
before a number) does not hold. Everything is checked when the document is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from toologue.apis.schemas import list_of, object_of
from toologue.errors import BadSetting, UnknownName, shown
from toologue.text.tokens import plural
from toologue.values.conditions import Expression, parse
from toologue.worlds.crud.data import Refusal
from toologue.worlds.crud.envelopes import kinds_of
from toologue.worlds.crud.tables import Table


class _Missing(Enum):
    MISSING = "nothing"


# What a reference gives where there is nothing: an argument that was not given, a field that a row does not have.
MISSING = _Missing.MISSING

_INNER = re.compile(r"\$\{([^{}]*)\}")


@dataclass
class Scope:
    """What the names stand for in one call."""

    arguments: Mapping[str, Any]
    rows: dict[str, Mapping[str, Any]]
    clock: Callable[[], str]

    def values(self, expression: Expression) -> dict[str, Any]:
        """The values of an expression's names, without those that have none."""
        known = {**self.arguments, **self.rows}
        now = {"now": self.clock()} if "now" in expression.names else {}
        return {name: known[name] for name in expression.names if name in known} | now


Value = Callable[[Scope], Any]
# Scope → what does not hold, or None.
Condition = Callable[[Scope], str | None]


@dataclass(frozen=True)
class Names:
    """The names that may be used: arguments with their schemas, and rows with their tables."""

    arguments: Mapping[str, Any]
    rows: Mapping[str, Table]

    def expression(self, text: str) -> Expression:
        """An expression over these names. Raises BadSetting for what is none, UnknownName for a name that there is not,
        or a field that its row cannot have, ValueError for a field of an argument that has none.
        """
        expression, known = parse(text), ["now", "today", *self.rows, *self.arguments]
        for name, *path in expression.paths:
            if name not in known:
                raise UnknownName("reference", name, known)
            if name in self.rows:
                self.rows[name].check_fields(path[:1])
            elif path and (kinds := kinds_of(self.arguments.get(name), None)) and not kinds & {"object", "array"}:
                what = f"{name} is the argument here, which has no {path[0]!r}"
                raise ValueError(f"{what}: say `on: {plural(name)}` to mean the row that it names")
        return expression


def value_of(template: Any, names: Names) -> Value:
    """A value with expressions, ready to be filled in. Raises ValueError, BadSetting or UnknownName."""
    if isinstance(template, dict):
        parts = {key: value_of(part, names) for key, part in object_of(template).items()}
        return lambda scope: {key: got for key, part in parts.items() if (got := part(scope)) is not MISSING}
    if isinstance(template, list):
        items = [value_of(item, names) for item in list_of(template)]
        return lambda scope: [got for item in items if (got := item(scope)) is not MISSING]
    if not isinstance(template, str) or "$" not in template:
        return lambda scope: template
    if template.startswith("$$"):
        return lambda scope: template[1:]
    if not template.startswith("$") or template.startswith("${"):
        inner = {found[0]: _value(names.expression(found[1])) for found in _INNER.finditer(template)}
        return lambda scope: _INNER.sub(lambda found: _plain(inner[found[0]](scope)), template)
    try:
        return _value(names.expression(template[1:]))
    except BadSetting as error:
        raise ValueError(f"{shown(template)}: {error}; $$ stands for a dollar") from None


def _value(expression: Expression) -> Value:
    row, dot, field = expression.text.partition(".")
    is_field = dot != "" and field.isidentifier()

    def value(scope: Scope) -> Any:
        values = scope.values(expression)
        if not expression.names <= values.keys() or (is_field and field not in values[row]):
            return MISSING
        try:
            return expression.value(values)
        except BadSetting as error:
            raise Refusal(422, str(error)) from None

    return value


def condition_of(text: str, names: Names) -> Condition:
    """A condition; called, it says what does not hold, or None. Raises ValueError, UnknownName or BadSetting."""
    expression = names.expression(text)

    def failing(scope: Scope) -> str | None:
        try:
            holds = expression.holds(scope.values(expression))
        except BadSetting:
            holds = False
        return None if holds else f"`{text}` does not hold"

    return failing


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " or ".join(map(_plain, list_of(value)))
    if value is MISSING:
        return "not given"
    return "empty" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
