"""Why a value does not fit a JSON Schema: where in it, and what was expected.

Contract: `misfit` is None exactly where `values.fits` says that the value fits; else one sentence that names the
innermost place that is wrong.

Example:
    >>> schema = {"type": "object", "required": ["city"], "properties": {"lines": {"items": {"maximum": 3}}}}
    >>> misfit({"city": "Oslo", "lines": [1, 9]}, schema, "address")
    'address.lines[1]: 9 is more than 3'
    >>> misfit({}, schema, "address"), misfit({"city": "Oslo"}, schema, "address")
    ('address.city is missing', None)

Not covered: which alternative of `anyOf` or `oneOf` was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from toologue.apis.schemas import properties_of, required_of
from toologue.errors import shown
from toologue.values.json_schema import fits, items_of, resolved, types_of

_WORDS = {
    "minimum": "is less than",
    "maximum": "is more than",
    "exclusiveMinimum": "is not more than",
    "exclusiveMaximum": "is not less than",
    "multipleOf": "is no multiple of",
    "minLength": "is shorter than",
    "maxLength": "is longer than",
    "minItems": "has fewer items than",
    "maxItems": "has more items than",
    "pattern": "does not have the form",
    "format": "is no",
    "const": "is not",
}


def misfit(value: Any, schema: Any, name: str, root: Any = None) -> str | None:
    """What is wrong with a value, or None. `name` stands for the value; `$ref`s point into `root`."""
    root = schema if root is None else root
    if fits(value, schema, root):
        return None
    rule = resolved(schema, root) or {}
    inner = (misfit(part, inside, at, root) for part, inside, at in _parts(value, rule, name))
    return next((found for found in inner if found), None) or _own(value, rule, name, root)


def checker(schema: Any, name: str, root: Any = None) -> Callable[[Any], str | None]:
    """`misfit` for one schema, which remembers what it said of plain values."""

    @lru_cache(maxsize=4096, typed=True)
    def plain(value: Any) -> str | None:
        return misfit(value, schema, name, root)

    return lambda value: misfit(value, schema, name, root) if isinstance(value, dict | list) else plain(value)


def _parts(value: Any, rule: Mapping[str, Any], name: str) -> Iterator[tuple[Any, Any, str]]:
    """(part, its schema, its name) of an object's fields and a list's items, of each part of `allOf`."""
    if isinstance(value, dict):
        properties, rest = properties_of(rule), rule.get("additionalProperties", True)
        for key, part in cast("dict[str, Any]", value).items():
            if rest is not False or key in properties:
                yield part, properties.get(key, rest), f"{name}.{key}"
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield item, items_of(rule), f"{name}[{index}]"
    for part in cast("list[Any]", rule.get("allOf") or []):
        yield value, part, name


def _own(value: Any, rule: Mapping[str, Any], name: str, root: Any) -> str:
    """What is wrong with a value itself."""
    types = types_of(rule)
    if types and not fits(value, {"type": list(types)}):
        return f"{name}: expected {' or '.join(types)}, got {shown(value)}"
    if isinstance(rule.get("enum"), list):
        return f"{name}: {shown(value)} is none of {', '.join(str(item) for item in rule['enum'])}"
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        missing = [key for key in required_of(rule) if key not in members]
        if missing:
            return f"{name}.{missing[0]} is missing"
        unknown = [key for key in members if key not in properties_of(rule)]
        if unknown and rule.get("additionalProperties") is False:
            return f"{name}.{unknown[0]} is unknown"
    for keyword, words in _WORDS.items():
        if keyword in rule and not fits(value, {keyword: rule[keyword]}, root):
            return f"{name}: {shown(value)} {words} {rule[keyword]}"
    return f"{name}: {shown(value)} is not what it should be"
