"""What a JSON Schema asks of a value, in words.

Example:
    >>> described({"type": "integer", "minimum": 1, "maximum": 5})
    'an integer; at least 1; at most 5'
    >>> described({"enum": ["duplicate", "fraudulent"]})
    'one of "duplicate", "fraudulent"'
    >>> described({"type": ["string", "null"], "pattern": "^ch_"})
    'a string or null; like ^ch_'
    >>> described({"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}})
    'a list; [{id: string}]'
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toologue.values.json_schema import items_of, list_of, number_in, object_of, properties_of, types_of

_TYPES = {
    "string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false",
    "object": "an object", "array": "a list", "null": "null",
}  # fmt: skip
_BOUNDS = {
    "minimum": "at least {}", "exclusiveMinimum": "more than {}", "maximum": "at most {}",
    "exclusiveMaximum": "less than {}", "multipleOf": "a multiple of {}", "minLength": "at least {} characters",
    "maxLength": "at most {} characters", "minItems": "at least {} items", "maxItems": "at most {} items",
}  # fmt: skip
DEEP = 4


def described(schema: Mapping[str, Any]) -> str:
    """Types and limits; empty where everything fits."""
    if values := list_of(schema.get("enum")):
        return f"one of {', '.join(json.dumps(one, ensure_ascii=False) for one in values)}"
    kinds = " or ".join(dict.fromkeys(_TYPES[one] for one in types_of(schema)))
    return "; ".join([*([kinds] if kinds else []), *limits(schema)])


def limits(schema: Mapping[str, Any]) -> Iterator[str]:
    """What a value must keep to, beside its types and its enum."""
    for name, word in _BOUNDS.items():
        if (bound := number_in(schema, name)) is not None:
            yield word.format(f"{bound:g}")
    if "string" in types_of(schema) and isinstance(schema.get("format"), str):
        yield f"format {schema['format']}"
    if isinstance(schema.get("pattern"), str):
        yield f"like {schema['pattern']}"
    if inner := fields(schema):
        yield inner


def fields(schema: Mapping[str, Any], deep: int = DEEP) -> str:
    """The names in a schema, and the types of plain values: {orders: [{id: string}], next: string}."""
    items = object_of(items_of(schema))
    if "array" in types_of(schema):
        return f"[{fields(items, deep) or _plain(items)}]"
    found = properties_of(schema) if deep else {}
    named = (f"{name}: {fields(rule, deep - 1) or _plain(rule)}" for name, rule in found.items())
    return f"{{{', '.join(named)}}}" if found else ""


def _plain(schema: Any) -> str:
    return " or ".join(types_of(object_of(schema))) or "anything"
