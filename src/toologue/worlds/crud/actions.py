"""`x-action` (docs/your-api.md): what an operation asks of a row, sets, creates and answers, checked when it is read.

Requirements come first; then what the operation does by itself (a POST to a collection adds its row, a PUT replaces),
then `creates`, then `sets`, which may use what was created. `creates` for the very table that the operation adds to
gives fields to that row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from pydantic import Field, ValidationError, field_validator

from toologue.apis.schemas import list_of, object_of
from toologue.data import complaint
from toologue.errors import BadSetting, UnknownName, shown
from toologue.schema.jsonl import Noun
from toologue.text.tokens import plural
from toologue.values.conditions import Expression, parse
from toologue.worlds.crud.data import Refusal, fault_type
from toologue.worlds.crud.envelopes import kinds_of
from toologue.worlds.crud.tables import Table

Place = tuple[str | int, ...]


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


class ActionError(Exception):
    """What is wrong with an `x-action`, and where in it."""

    def __init__(self, place: Place, what: str):
        self.place = place
        super().__init__(what)


class _Otherwise(Noun):
    status: int = 409
    message: str = ""


class _Requirement(Noun):
    that: str
    otherwise: _Otherwise | str | None = None


class _Rules(Noun):
    on: str | None = None
    requires: list[_Requirement] = Field(default_factory=list[_Requirement])
    otherwise: _Otherwise | str | None = None
    sets: dict[str, Any] = Field(default_factory=dict[str, Any])
    creates: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]])
    returns: Any = None

    @field_validator("requires", mode="before")
    @classmethod
    def _alone(cls, given: Any) -> Any:
        return [{"that": given}] if isinstance(given, str) else given


@dataclass(frozen=True)
class Site:
    """Where an action takes place: the tables, that of the row acted on, that which is added to, argument → schema."""

    tables: Mapping[str, Table]
    row: Table | None
    added: Table | None
    arguments: Mapping[str, Any]

    def names(self, *created: Table) -> Names:
        """The names that may be used, with the rows of these tables."""
        tables = (*((self.row,) if self.row else ()), *created)
        return Names(self.arguments, {table.singular: table for table in tables})


class _Guard(NamedTuple):
    failing: Condition
    status: int
    message: Value | None


@dataclass(frozen=True)
class Action:
    """An `x-action`, ready. `sets`: the fields; `creates`: table → fields; `returns` may be absent."""

    guards: tuple[_Guard, ...] = ()
    sets: Value | None = None
    creates: Mapping[str, Value] = field(default_factory=dict[str, Value])
    returns: Value | None = None

    def check(self, scope: Scope) -> None:
        """Raises Refusal where a requirement does not hold."""
        for failing, status, message in self.guards:
            why = failing(scope)
            if why:
                raise Refusal(status, str(message(scope)) if message else why)


def action_of(rules: Any, site: Site) -> Action:
    """Read an `x-action`. Raises ActionError."""
    try:
        read = _Rules.model_validate(rules)
    except ValidationError as error:
        place, what = complaint(error)
        known = _Rules if len(place) == 1 else _Otherwise if "otherwise" in place else _Requirement
        place = tuple(step for step in place if step not in ("_Otherwise", "str", "dict[str,any]"))
        raise ActionError(place, f"{what}; known: {', '.join(known.model_fields)}") from None
    for name in read.creates:
        if name not in site.tables:
            raise ActionError(("creates", name), str(UnknownName("table", name, site.tables)))
    added = (site.added,) if site.added else ()
    after = site.names(*(site.tables[name] for name in read.creates), *added)
    return Action(
        guards=tuple(_guards(read, site.names(), listed=isinstance(object_of(rules).get("requires"), list))),
        sets=_sets(read.sets, site.row, after) if read.sets else None,
        creates={
            name: _at(("creates", name), _new, fields, site.tables[name], site.names())
            for name, fields in read.creates.items()
        },
        returns=None if read.returns is None else _at(("returns",), value_of, read.returns, after),
    )


def _guards(read: _Rules, names: Names, *, listed: bool) -> Iterator[_Guard]:
    for index, requirement in enumerate(read.requires):
        place: Place = ("requires", index) if listed else ("requires",)
        said = requirement.otherwise or read.otherwise or _Otherwise()
        otherwise = _Otherwise(message=said) if isinstance(said, str) else said
        _at((*place, "otherwise"), fault_type, otherwise.status)
        message = _at((*place, "otherwise"), value_of, otherwise.message, names) if otherwise.message else None
        yield _Guard(_at(place, condition_of, requirement.that, names), otherwise.status, message)


def _new(fields: Mapping[str, Any], table: Table, names: Names) -> Value:
    _check_fields(fields, table)
    return value_of(fields, names)


def _sets(fields: Mapping[str, Any], table: Table | None, names: Names) -> Value:
    for name, value in fields.items():
        _at(("sets", name), _check_set, name, value, table)
        _at(("sets", name), value_of, value, names)
    return value_of(fields, names)


def _check_set(name: str, value: Any, table: Table | None) -> None:
    if table is None:
        raise ValueError("there is no row to set fields of: say `on: table`")
    if name == table.key:
        raise ValueError(f"it names the {table.spoken}, and stays")
    _check_fields({name: value}, table)


def _check_fields(fields: Mapping[str, Any], table: Table) -> None:
    table.check_fields(fields)
    for name, value in fields.items():
        if "$" not in repr(value) and (wrong := table.violation({name: value})):
            raise ValueError(wrong)


def _at(place: Place, make: Callable[..., Any], *given: Any) -> Any:
    """What `make` gives; its complaint with the place."""
    try:
        return make(*given)
    except (ValueError, UnknownName, BadSetting) as error:
        raise ActionError(place, str(error)) from None
