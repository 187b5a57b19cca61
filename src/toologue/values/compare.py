"""Whether an actual value agrees with an expected one, by the comparer that its parameter or field names.

Contract: pure, total, never raises: any two JSON values have an answer. Text similarity comes in as a function.

Example:
    >>> agree("moment", "2025-03-10 07:00:00", "2025-3-10 7:0:0", never_alike)
    True
    >>> agree("set", ["ann", "bob"], ["bob", "ann"], never_alike)
    True

Not covered: units and currencies.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, assert_never, cast

from toologue import keys
from toologue.schema import Compare

Alike = Callable[[Literal["text", "prose"], str, str], bool]
"""(comparer, expected, actual) → whether two texts say the same."""

_FORMS = ("%Y-%m-%d %H:%M:%S", "%H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%H:%M", "%Y-%m-%d")


def never_alike(compare: Literal["text", "prose"], expected: str, actual: str) -> bool:
    """The similarity of those who have none."""
    return False


def agree(compare: Compare, expected: Any, actual: Any, alike: Alike) -> bool:
    """Whether `actual` is as good as `expected`."""
    if compare == "ignored" or same(expected, actual):
        return True
    match compare:
        case "exact":
            return False
        case "folded":
            return isinstance(expected, str) and isinstance(actual, str) and _fold(expected) == _fold(actual)
        case "text" | "prose":
            return isinstance(expected, str) and isinstance(actual, str) and alike(compare, expected, actual)
        case "date" | "moment":
            return _same_moment(compare, expected, actual)
        case "from" | "until":
            return _covers(compare, expected, actual)
        case "set":
            return _members(expected) is not None and _members(expected) == _members(actual)
        case "ids":
            wanted, got = _members(expected), _members(actual)
            return wanted is not None and got is not None and wanted <= got
        case _:
            assert_never(compare)


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: 25 is 25.0, but true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if one != other:
        return False
    return not isinstance(one, dict | list) or keys.canonical(one) == keys.canonical(other)


def contains(whole: Any, part: Any) -> bool:
    """Whether a JSON value holds all of another: every key, every list member."""
    if isinstance(part, dict):
        fields = cast("dict[str, Any]", part)
        return isinstance(whole, dict) and all(
            name in whole and contains(cast("dict[str, Any]", whole)[name], value) for name, value in fields.items()
        )
    if isinstance(part, list):
        members = cast("list[Any]", part)
        if not members:
            return whole == []
        return isinstance(whole, list) and all(any(same(o, m) for o in cast("list[Any]", whole)) for m in members)
    return same(whole, part)


@lru_cache(maxsize=4096)
def moment_of(text: str) -> datetime | None:
    """The moment that a text names in one of the usual forms, or None."""
    for form in _FORMS:
        try:
            return datetime.strptime(text.strip(), form)
        except ValueError:
            continue
    return None


def _same_moment(compare: Literal["date", "moment"], expected: Any, actual: Any) -> bool:
    one, other = _moment(expected), _moment(actual)
    if one is None or other is None:
        return False
    return one.date() == other.date() if compare == "date" else one == other


def _covers(compare: Literal["from", "until"], expected: Any, actual: Any) -> bool:
    if actual is None:
        return True
    one, other = _moment(expected), _moment(actual)
    if one is None or other is None:
        return False
    return other <= one if compare == "from" else other >= one


def _moment(value: Any) -> datetime | None:
    return moment_of(value) if isinstance(value, str) else None


def _members(value: Any) -> set[bytes] | None:
    if not isinstance(value, list):
        return None
    return {keys.canonical(item) for item in cast("list[Any]", value)}


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
