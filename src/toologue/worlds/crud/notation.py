"""The notation of `x-action`: values with references, and conditions on rows and arguments in words.

A value is JSON, in which a text may be

    $reason                an argument of the call         $order, $order.total    the row that is acted on, its field
    $now, $today           when the service is             $today + 14 days        later or earlier
    Order ${order_id} …    a text with references in it    $$5                     the text "$5"

A condition maps fields of the row (`address.country`), or references, to what they must be: a value, a list of values,
or comparisons that must all hold: `min`, `max`, `above`, `below` (numbers, texts, dates), `not` (a condition of its
own), `exists`, `contains`, `within` (`30 days`: not longer ago than that, and not in the future). A condition on an
argument that was not given holds. What each word means is an expression of `values.conditions`, and a condition may be
written as such an expression: `order.status in ["placed", "packed"] and amount <= order.refundable`. What makes no
sense (a text before a number) does not hold. Everything is checked when the document is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from toologue.apis.schemas import list_of, object_of, violation
from toologue.errors import BadSetting, UnknownName, shown
from toologue.text.tokens import plural
from toologue.values.compare import same
from toologue.values.conditions import Expression, parse
from toologue.values.moments import duration
from toologue.worlds.crud.envelopes import kinds_of
from toologue.worlds.crud.tables import Table


class _Missing(Enum):
    MISSING = "nothing"

    def __str__(self) -> str:
        return "not given"


# What a reference gives where there is nothing: an argument that was not given, a field that a row does not have.
MISSING = _Missing.MISSING

_REFERENCE = re.compile(r"\$([A-Za-z_]\w*)((?:\.\w+)*)")
_INNER = re.compile(r"\$\{([A-Za-z_]\w*)((?:\.\w+)*)\}")
_SHIFT = re.compile(r"\$(now|today) ?([+-]) ?(\d+ ?[a-z]+)")
_COMPARISONS = {
    "min": ("at least", parse("value >= limit")),
    "max": ("at most", parse("value <= limit")),
    "above": ("more than", parse("value > limit")),
    "below": ("less than", parse("value < limit")),
    "contains": ("one with", parse("limit in value")),
    "exists": ("", parse("(value != null) == limit")),
    "within": ("in the last", parse("now - limit <= value <= now")),
}
"""Word → it in words, and what it means."""


@dataclass
class Scope:
    """What the names stand for in one call."""

    arguments: Mapping[str, Any]
    rows: dict[str, Mapping[str, Any]]
    clock: Callable[[], str]

    def look_up(self, name: str, path: list[str]) -> Any:
        """The value of a reference, or MISSING."""
        if name in ("now", "today"):
            return self.clock() if name == "now" else self.clock()[:10]
        value = self.rows[name] if name in self.rows else self.arguments.get(name, MISSING)
        for step in path:
            value = cast("Mapping[str, Any]", value).get(step, MISSING) if isinstance(value, Mapping) else MISSING
        return value


@dataclass(frozen=True)
class Names:
    """The names that may be used: arguments with their schemas, and rows with their tables. `row`: whose fields stand
    without a `$`.
    """

    arguments: Mapping[str, Any]
    rows: Mapping[str, Table]
    row: str | None = None

    def check(self, name: str, path: Sequence[str], mark: str = "") -> None:
        """Raises UnknownName for a name that there is not, or a field that its row cannot have; ValueError for a field
        of an argument that has none.
        """
        known = ["now", "today", *self.rows, *self.arguments]
        if name not in known:
            raise UnknownName("reference", mark + name, [mark + one for one in known])
        if name in self.rows:
            self.rows[name].check_fields(path[:1])
        elif path and (kinds := kinds_of(self.arguments.get(name), None)) and not kinds & {"object", "array"}:
            what = f"{mark}{name} is the argument here, which has no {path[0]!r}"
            raise ValueError(f"{what}: say `on: {plural(name)}` to mean the row that it names")


Value = Callable[[Scope], Any]
# Scope → what does not hold, or None.
Condition = Callable[[Scope], str | None]
# (value, scope) → what the value must be and is not, or None.
_Test = Callable[[Any, Scope], str | None]


def value_of(template: Any, names: Names) -> Value:
    """A value with references, ready to be filled in. Raises ValueError or UnknownName for what cannot be."""
    if isinstance(template, dict):
        parts = {key: value_of(part, names) for key, part in object_of(template).items()}
        return lambda scope: {key: got for key, part in parts.items() if (got := part(scope)) is not MISSING}
    if isinstance(template, list):
        items = [value_of(item, names) for item in list_of(template)]
        return lambda scope: [got for item in items if (got := item(scope)) is not MISSING]
    if not isinstance(template, str) or not (template.startswith("$") or "${" in template):
        return lambda scope: template
    if template.startswith("$$"):
        return lambda scope: template[1:]
    if (shift := _SHIFT.fullmatch(template)) and duration(shift[3]):
        shifted = parse(f'{shift[1]} {shift[2]} "{shift[3]}"')
        return lambda scope: shifted.value({"now": scope.clock()})
    if reference := _REFERENCE.fullmatch(template):
        return _reference(reference, names)
    if template.startswith("$") and not template.startswith("${"):
        known = "$name, $name.field, $today + 3 days, or $$ for a dollar"
        raise ValueError(f"{shown(template)} is no reference: write {known}")
    inner = {found[0]: _reference(found, names) for found in _INNER.finditer(template)}
    return lambda scope: _INNER.sub(lambda found: _plain(inner[found[0]](scope)), template)


def condition_of(rules: Mapping[str, Any] | str, names: Names) -> Condition:
    """A condition; called, it says what does not hold, or None. Raises ValueError, UnknownName or BadSetting."""
    if isinstance(rules, str):
        return _expressed(parse(rules), names)
    clauses = [_clause(subject, rule, names) for subject, rule in rules.items()]
    return lambda scope: next((found for clause in clauses if (found := clause(scope))), None)


def holds(word: str, value: Any, limit: Any) -> bool:
    """Whether a comparison holds: `min`, `max`, `above`, `below`, `contains`, `exists`."""
    return _holds(_COMPARISONS[word][1], {"value": value, "limit": limit})


def _holds(meaning: Expression, values: Mapping[str, Any]) -> bool:
    try:
        return bool(meaning.evaluate(values))
    except BadSetting:
        return False


def _reference(found: re.Match[str], names: Names) -> Value:
    name, path = found[1], found[2].split(".")[1:]
    names.check(name, path, "$")
    return lambda scope: scope.look_up(name, path)


def _expressed(expression: Expression, names: Names) -> Condition:
    for name, *path in expression.paths:
        names.check(name, path)

    def failing(scope: Scope) -> str | None:
        values = {name: _or_null(scope.look_up(name, [])) for name in expression.names}
        return None if _holds(expression, values) else f"`{expression.text}` does not hold"

    return failing


def _or_null(value: Any) -> Any:
    return None if value is MISSING else value


def _clause(subject: str, rule: Any, names: Names) -> Condition:
    reference = _REFERENCE.fullmatch(subject if subject.startswith("$") else f"${names.row}.{subject}")
    if reference is None or (names.row is None and not subject.startswith("$")):
        raise ValueError(f"{shown(subject)}: there is no row here; name an argument, with a $ in front")
    value, optional = _reference(reference, names), reference[1] in names.arguments
    table, path = names.rows.get(reference[1]), reference[2].split(".")[1:]

    def check(constant: Any) -> None:
        if table is not None and len(path) == 1 and path[0] in table.fields:
            wrong = violation(constant, table.fields[path[0]], path[0], table.root)
            if wrong:
                raise ValueError(f"{wrong}: no row can ever have it")

    test, spoken = _test(rule, names, check), subject.removeprefix("$").replace("_", " ")

    def failing(scope: Scope) -> str | None:
        actual = value(scope)
        wanted = None if actual is MISSING and optional else test(actual, scope)
        return wanted and f"{spoken} is {_plain(actual)} and must be {wanted}"

    return failing


def _test(rule: Any, names: Names, check: Callable[[Any], None]) -> _Test:
    if isinstance(rule, dict):
        if not rule:
            raise ValueError("an empty comparison says nothing")
        tests = [_comparison(word, limit, names, check) for word, limit in object_of(rule).items()]
        return lambda value, scope: next((found for test in tests if (found := test(value, scope))), None)
    items = list_of(rule) if isinstance(rule, list) else [rule]
    for item in items:
        if not (isinstance(item, str) and item.startswith("$")):
            check(item)
    options = [value_of(item, names) for item in items]

    def test(value: Any, scope: Scope) -> str | None:
        wanted = [option(scope) for option in options]
        return None if any(same(_or_null(value), option) for option in wanted) else _plain(wanted)

    return test


def _comparison(word: str, limit: Any, names: Names, check: Callable[[Any], None]) -> _Test:
    if word == "not":
        inner = _test(limit, names, check)
        return lambda value, scope: None if inner(value, scope) else f"anything but {_plain(limit)}"
    if word not in _COMPARISONS:
        raise UnknownName("comparison", word, [*_COMPARISONS, "not"])
    if word == "within" and duration(limit) is None:
        raise ValueError(f"within: expected a duration such as 30 days, got {shown(limit)}")
    if word == "exists" and not isinstance(limit, bool):
        raise ValueError(f"exists: expected true or false, got {shown(limit)}")
    bound, (spoken, meaning) = value_of(limit, names), _COMPARISONS[word]

    def test(value: Any, scope: Scope) -> str | None:
        wanted, now = bound(scope), scope.clock() if word == "within" else None
        if wanted is MISSING or _holds(meaning, {"value": _or_null(value), "limit": wanted, "now": now}):
            return None
        return ("given" if wanted else "empty") if word == "exists" else f"{spoken} {_plain(wanted)}"

    return test


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " or ".join(map(_plain, list_of(value)))
    return "empty" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
