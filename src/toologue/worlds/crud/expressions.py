"""The small language of `x-action`: values with references, and conditions on rows and arguments.

A value is JSON, in which a text may be

    $reason                an argument of the call         $order, $order.total    the row that is acted on, its field
    $now, $today           when the service is             $today + 14 days        later or earlier
    Order ${order_id} …    a text with references in it    $$5                     the text "$5"

A condition maps fields of the row (`address.country`), or references, to what they must be: a value, a list of values,
or comparisons that must all hold: `min`, `max`, `above`, `below` (numbers, texts, dates), `not` (a condition of its
own), `exists`, `contains`, `within` (`30 days`: not longer ago than that, and not in the future). A condition on an
argument that was not given holds. Everything is checked when the document is read, and nothing can call anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import lru_cache
from typing import Any, cast

from toologue.apis.schemas import list_of, object_of, violation
from toologue.errors import UnknownName, shown
from toologue.values.compare import same
from toologue.worlds.crud.tables import Table


@lru_cache(maxsize=1 << 14)
def moment(text: str) -> datetime | None:
    """The moment that a text names, or None."""
    if not text[:4].isdecimal():  # quick, and true of every moment
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def written(when: datetime) -> str:
    """A moment as RFC 3339, to the second."""
    return when.replace(microsecond=0).isoformat().replace("+00:00", "Z")


class _Missing(Enum):
    MISSING = "nothing"

    def __str__(self) -> str:
        return "not given"


# What a reference gives where there is nothing: an argument that was not given, a field that a row does not have.
MISSING = _Missing.MISSING

_REFERENCE = re.compile(r"\$([A-Za-z_]\w*)((?:\.\w+)*)")
_INNER = re.compile(r"\$\{([A-Za-z_]\w*)((?:\.\w+)*)\}")
_DURATION = re.compile(r"(-?\d{1,6}) ?(minute|hour|day|week)s?")
_SHIFT = re.compile(r"\$(now|today) ?([+-]) ?(\d{1,5} ?(?:minute|hour|day|week)s?)")
_SPOKEN = {"min": "at least", "max": "at most", "above": "more than", "below": "less than", "contains": "one with"}
# What comparing a value with a limit may give.
_ORDERS = {"min": (0, 1), "max": (-1, 0), "above": (1,), "below": (-1,)}


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
    """The names that may be used: arguments, and rows with their tables. `row`: whose fields stand without a `$`."""

    arguments: frozenset[str]
    rows: Mapping[str, Table]
    row: str | None = None


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
    if shift := _SHIFT.fullmatch(template):
        wait = cast("timedelta", _duration(shift[3])) * (-1 if shift[2] == "-" else 1)
        length = 10 if shift[1] == "today" else None
        return lambda scope: written(cast("datetime", moment(scope.look_up(shift[1], []))) + wait)[:length]
    if reference := _REFERENCE.fullmatch(template):
        return _reference(reference, names)
    if template.startswith("$") and not template.startswith("${"):
        known = "$name, $name.field, $today + 3 days, or $$ for a dollar"
        raise ValueError(f"{shown(template)} is no reference: write {known}")
    inner = {found[0]: _reference(found, names) for found in _INNER.finditer(template)}
    return lambda scope: _INNER.sub(lambda found: _plain(inner[found[0]](scope)), template)


def condition_of(rules: Mapping[str, Any], names: Names) -> Condition:
    """A condition; called, it says what does not hold, or None."""
    clauses = [_clause(subject, rule, names) for subject, rule in rules.items()]
    return lambda scope: next((found for clause in clauses if (found := clause(scope))), None)


def holds(word: str, value: Any, limit: Any) -> bool:
    """Whether a comparison holds: `min`, `max`, `above`, `below`, `contains`, `exists`."""
    if word == "exists":
        return (value is not MISSING and value is not None) == limit
    if word == "contains":
        return isinstance(value, str | list) and limit in value
    return _order(value, limit) in _ORDERS[word]


def _order(one: Any, other: Any) -> int | None:
    """-1, 0 or 1: how a value stands to another; None where they have no order."""
    if isinstance(one, str) and isinstance(other, str):
        early, late = moment(one), moment(other)
        one, other = (one, other) if early is None or late is None else (early, late)
    elif not all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other)):
        return None
    return (one > other) - (one < other)


def _duration(text: str) -> timedelta | None:
    found = _DURATION.fullmatch(text.strip())
    return timedelta(**{f"{found[2]}s": int(found[1])}) if found else None


def _reference(found: re.Match[str], names: Names) -> Value:
    name, path = found[1], found[2].split(".")[1:]
    known = ["now", "today", *names.rows, *names.arguments]
    if name not in known:
        raise UnknownName("reference", f"${name}", [f"${one}" for one in known])
    if name in names.rows and path:
        names.rows[name].check_fields(path[:1])
    return lambda scope: scope.look_up(name, path)


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
        found = None in wanted if value is MISSING else any(same(value, option) for option in wanted)
        return None if found else _plain(wanted)

    return test


def _comparison(word: str, limit: Any, names: Names, check: Callable[[Any], None]) -> _Test:
    if word == "not":
        inner = _test(limit, names, check)
        return lambda value, scope: None if inner(value, scope) else f"anything but {_plain(limit)}"
    if word == "within":
        return _within(limit)
    if word != "exists" and word not in _SPOKEN:
        raise UnknownName("comparison", word, [*_SPOKEN, "not", "exists", "within"])
    if word == "exists" and not isinstance(limit, bool):
        raise ValueError(f"exists: expected true or false, got {shown(limit)}")
    bound = value_of(limit, names)

    def test(value: Any, scope: Scope) -> str | None:
        wanted = bound(scope)
        if wanted is MISSING or holds(word, value, wanted):
            return None
        return ("given" if wanted else "empty") if word == "exists" else f"{_SPOKEN[word]} {_plain(wanted)}"

    return test


def _within(limit: Any) -> _Test:
    longest = _duration(limit) if isinstance(limit, str) else None
    if longest is None:
        raise ValueError(f"within: expected a duration such as 30 days, got {shown(limit)}")

    def test(value: Any, scope: Scope) -> str | None:
        when, now = moment(value) if isinstance(value, str) else None, moment(scope.clock())
        lately = when is not None and now is not None and when <= now and now - when <= longest
        return None if lately else f"in the last {limit}"

    return test


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " or ".join(map(_plain, list_of(value)))
    return "empty" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
