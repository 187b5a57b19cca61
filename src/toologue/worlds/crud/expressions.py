"""The small language of `x-action`: values with references, and conditions on rows and arguments.

A value is JSON, in which a text may be

    $reason                an argument of the call         $order, $order.total    the row that is acted on, its field
    $now, $today           when the service is             $today + 14 days        later or earlier
    Order ${order_id} …    a text with references in it    $$5                     the text "$5"

A condition maps fields of the row (`address.country`), or references, to what they must be: a value, a list of values,
or comparisons that must all hold: `min`, `max`, `above`, `below` (numbers, texts, dates), `not` (a condition of its
own), `exists`, `contains`, `within` (`30 days`: not longer ago than that, and not in the future). A condition on an
argument that was not given holds.

everything is checked when the document is read: names, fields, comparisons, and that a constant is something
that the field can hold. Nothing here can call anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache
from typing import Any, cast

from toologue.apis.schemas import violation
from toologue.errors import shown
from toologue.values.compare import same
from toologue.worlds.crud.tables import Table

_DURATION = re.compile(r"(-?\d{1,6}) ?(minute|hour|day|week)s?")


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


def duration(text: str) -> timedelta | None:
    """The duration that a text names (`30 days`, `1 week`), or None."""
    found = _DURATION.fullmatch(text.strip())
    return timedelta(**{f"{found[2]}s": int(found[1])}) if found else None


def shifted(text: str, by: str) -> str:
    """A date or a moment, later or earlier by a duration, written as it was. Raises ValueError for other texts."""
    start, wait = moment(text), duration(by)
    if start is None or wait is None:
        raise ValueError(f"{text!r} and {by!r} are no moment and duration")
    return written(start + wait)[:10] if len(text) == 10 else written(start + wait)


def before_or_at(one: Any, other: Any) -> bool | None:
    """Whether one value comes before another or is equal to it; None where they have no order."""
    if isinstance(one, bool) or isinstance(other, bool):
        return None
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one <= other
    if not isinstance(one, str) or not isinstance(other, str):
        return None
    early, late = moment(one), moment(other)
    return early <= late if early is not None and late is not None else one <= other


class _Missing(Enum):
    MISSING = "nothing"

    def __str__(self) -> str:
        return "not given"


# What a reference gives where there is nothing: an argument that was not given, a field that a row does not have.
MISSING = _Missing.MISSING

_REFERENCE = re.compile(r"\$([A-Za-z_]\w*)((?:\.\w+)*)")
_INNER = re.compile(r"\$\{([A-Za-z_]\w*)((?:\.\w+)*)\}")
_SHIFT = re.compile(r"\$(now|today) ?([+-]) ?(\d{1,5} ?(?:minute|hour|day|week)s?)")
_COMPARISONS = ("min", "max", "above", "below", "not", "exists", "contains", "within")


@dataclass
class Scope:
    """What the names stand for in one call."""

    arguments: Mapping[str, Any]
    rows: dict[str, Mapping[str, Any]]
    clock: Callable[[], str]

    def look_up(self, name: str, path: tuple[str, ...] = ()) -> Any:
        """The value of a reference, or MISSING."""
        if name in ("now", "today"):
            return self.clock() if name == "now" else self.clock()[:10]
        value = self.rows[name] if name in self.rows else self.arguments.get(name, MISSING)
        for step in path:
            value = cast("Mapping[str, Any]", value).get(step, MISSING) if isinstance(value, Mapping) else MISSING
        return value


@dataclass(frozen=True)
class Names:
    """The names that may be used: arguments, and rows with their tables (None: of any fields)."""

    arguments: frozenset[str]
    rows: Mapping[str, Table | None] = field(default_factory=dict[str, "Table | None"])

    def check(self, name: str, path: tuple[str, ...]) -> None:
        """Raises ValueError for a name that there is not."""
        known = ["now", "today", *self.rows, *self.arguments]
        if name not in known:
            raise ValueError(
                f"${name} stands for nothing{_near(name, known)}; known: {', '.join(f'${n}' for n in known)}"
            )
        table = self.rows.get(name)
        if table is not None and path:
            _check_field(table, path[0])


Value = Callable[[Scope], Any]
# (value, scope) → what the value must be and is not, or None.
Test = Callable[[Any, Scope], str | None]


def value_of(template: Any, names: Names) -> Value:
    """A value with references, ready to be filled in. Raises ValueError for what cannot be."""
    if isinstance(template, dict):
        parts = {key: value_of(part, names) for key, part in cast("dict[str, Any]", template).items()}
        return lambda scope: {key: got for key, part in parts.items() if (got := part(scope)) is not MISSING}
    if isinstance(template, list):
        items = [value_of(item, names) for item in cast("list[Any]", template)]
        return lambda scope: [got for item in items if (got := item(scope)) is not MISSING]
    return _text(template, names) if isinstance(template, str) else lambda scope: template


def condition_of(rules: Mapping[str, Any], row: str | None, names: Names) -> Callable[[Scope], str | None]:
    """A condition; called, it says what does not hold, or None. `row` is the row whose fields stand without a `$`."""
    tests = [_clause(subject, rule, row, names) for subject, rule in rules.items()]

    def failing(scope: Scope) -> str | None:
        return next((found for test in tests if (found := test(scope))), None)

    return failing


def _text(template: str, names: Names) -> Value:
    if template.startswith("$$"):
        return lambda scope: template[1:]
    if shift := _SHIFT.fullmatch(template):
        by = f"{'-' if shift[2] == '-' else ''}{shift[3]}"
        return lambda scope: shifted(scope.look_up(shift[1]), by)
    if reference := _REFERENCE.fullmatch(template):
        return _reference(reference, names)
    if template.startswith("$") and not template.startswith("${"):
        known = "$name, $name.field, $today + 3 days, or $$ for a dollar"
        raise ValueError(f"{shown(template)} is no reference: write {known}")
    inner = [(found.span(), _reference(found, names)) for found in _INNER.finditer(template)]
    if not inner:
        return lambda scope: template

    def filled(scope: Scope) -> str:
        made, end = "", 0
        for (start, stop), reference in inner:
            made += template[end:start] + _plain(reference(scope))
            end = stop
        return made + template[end:]

    return filled


def _reference(found: re.Match[str], names: Names) -> Value:
    name, path = found[1], tuple(found[2].split(".")[1:])
    names.check(name, path)
    return lambda scope: scope.look_up(name, path)


def _clause(subject: str, rule: Any, row: str | None, names: Names) -> Callable[[Scope], str | None]:
    """One field or reference, and what it must be."""
    reference = _REFERENCE.fullmatch(subject if subject.startswith("$") else f"${row}.{subject}")
    if reference is None or (row is None and not subject.startswith("$")):
        raise ValueError(f"{shown(subject)}: there is no row here; name an argument, with a $ in front")
    value, optional = _reference(reference, names), reference[1] in names.arguments
    table, path = names.rows.get(reference[1]), reference[2].split(".")[1:]
    schema = table.fields.get(path[0]) if table is not None and len(path) == 1 else None
    test = _test(rule, names, lambda constant: _check_constant(constant, schema, table, path))
    spoken = subject.removeprefix("$").replace("_", " ")

    def failing(scope: Scope) -> str | None:
        actual = value(scope)
        wanted = None if actual is MISSING and optional else test(actual, scope)
        return wanted and f"{spoken} is {_plain(actual)} and must be {wanted}"

    return failing


def _check_constant(constant: Any, schema: Any, table: Table | None, path: list[str]) -> None:
    if table is not None and schema is not None and (wrong := violation(constant, schema, path[0], table.root)):
        raise ValueError(f"{wrong}: no row can ever have it")


def _test(rule: Any, names: Names, check: Callable[[Any], None]) -> Test:
    if isinstance(rule, dict):
        rules = cast("dict[str, Any]", rule)
        if not rules:
            raise ValueError("an empty comparison says nothing")
        tests = [_comparison(word, limit, names, check) for word, limit in rules.items()]
        return lambda value, scope: next((found for test in tests if (found := test(value, scope))), None)
    items = cast("list[Any]", rule) if isinstance(rule, list) else [rule]
    for item in items:
        if not (isinstance(item, str) and item.startswith("$")):
            check(item)
    options = [value_of(item, names) for item in items]

    def test(value: Any, scope: Scope) -> str | None:
        wanted = [option(scope) for option in options]
        found = value is not MISSING and any(same(value, option) for option in wanted)
        return None if found or (value is MISSING and None in wanted) else " or ".join(map(_plain, wanted))

    return test


def _comparison(word: str, limit: Any, names: Names, check: Callable[[Any], None]) -> Test:
    if word not in _COMPARISONS:
        raise ValueError(f"{shown(word)} is no comparison{_near(word, _COMPARISONS)}; known: {', '.join(_COMPARISONS)}")
    if word == "not":
        inner = _test(limit, names, check)
        return lambda value, scope: None if inner(value, scope) else f"anything but {_plain(limit)}"
    if word == "within":
        return _within(limit)
    if word == "exists" and not isinstance(limit, bool):
        raise ValueError(f"exists: expected true or false, got {shown(limit)}")
    bound = value_of(limit, names)

    def test(value: Any, scope: Scope) -> str | None:
        wanted = bound(scope)
        if wanted is MISSING or holds(word, value, wanted):
            return None
        return ("given" if wanted else "empty") if word == "exists" else f"{_SPOKEN[word]} {_plain(wanted)}"

    return test


_SPOKEN = {"min": "at least", "max": "at most", "above": "more than", "below": "less than", "contains": "one with"}


def holds(word: str, value: Any, limit: Any) -> bool:
    """Whether a comparison holds: `min`, `max`, `above`, `below`, `contains`, `exists`."""
    match word:
        case "exists":
            return (value is not MISSING and value is not None) == limit
        case "contains":
            return isinstance(value, str | list) and limit in value
        case "min":
            return before_or_at(limit, value) is True
        case "max":
            return before_or_at(value, limit) is True
        case "above":
            return before_or_at(value, limit) is False
        case _:
            return before_or_at(limit, value) is False


def _within(limit: Any) -> Test:
    longest = duration(limit) if isinstance(limit, str) else None
    if longest is None:
        raise ValueError(f"within: expected a duration such as 30 days, got {shown(limit)}")

    def test(value: Any, scope: Scope) -> str | None:
        when, now = moment(value) if isinstance(value, str) else None, moment(scope.clock())
        if when is not None and now is not None and when <= now and now - when <= longest:
            return None
        return f"in the last {limit}"

    return test


def _check_field(table: Table, name: str) -> None:
    if name not in table.fields and not table.is_open:
        raise ValueError(
            f"{table.name} have no field {name!r}{_near(name, table.fields)}; known: {', '.join(table.fields)}"
        )


def _near(name: str, known: Any) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}" if near else ""


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " or ".join(map(_plain, cast("list[Any]", value)))
    return "empty" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
