"""The least value that a JSON Schema allows: what it fixes, else null, nothing, the first of a choice.

    >>> least({"type": "object", "required": ["kind", "size"], "properties": {
    ...     "kind": {"const": "box"}, "size": {"type": "integer", "minimum": 2}, "label": {"type": "string"}}})
    {'kind': 'box', 'size': 2}

`completed` adds to a value what its schema requires beside. Texts that nothing fixes are made by `values.make`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from toologue.errors import UserError
from toologue.values.json_schema import (
    fits,
    items_of,
    list_of,
    number_in,
    object_of,
    properties_of,
    required_of,
    resolved,
    shape,
    types_of,
)
from toologue.values.make import make

_DEEPEST = 8


def fixed(schema: Any, root: Any = None) -> list[Any]:
    """The one value that a schema allows, if it says so by `const` or an `enum` of one."""
    rule = resolved(schema, schema if root is None else root) or {}
    enum = list_of(rule.get("enum"))
    return [rule["const"]] if "const" in rule else enum if len(enum) == 1 else []


def least(schema: Any, root: Any = None, *, name: str = "", seed: int | str = 0, deep: int = 0) -> Any:
    """The least value. Where none is found that fits, it is as near as may be."""
    root = schema if root is None else root
    rule = resolved(schema, root) or {}
    said = [*([rule["default"]] if "default" in rule else []), *fixed(rule), None, *list_of(rule.get("enum"))[:1]]
    found = [value for value in said if rule and fits(value, rule, root)]
    if found and (found[0] is not None or types_of(rule) or "anyOf" in rule or "enum" in rule or "oneOf" in rule):
        return found[0]
    made = _by_kind(shape(rule, root), root, name, seed, deep)
    if deep >= _DEEPEST or fits(made, rule, root):
        return made
    parts = (least(part, root, name=name, seed=seed, deep=deep + 1) for part in _branches(rule))
    return next((one for one in parts if fits(one, rule, root)), made)


def completed(value: Any, schema: Any, root: Any = None, *, seed: int | str = 0, deep: int = 0) -> Any:
    """A value with what its schema requires of the objects in it beside what they have."""
    root = schema if root is None else root
    rule = resolved(schema, root) or {}
    if deep > _DEEPEST or fits(value, rule, root):
        return value
    options: list[Any] = [completed(value, part, root, seed=seed, deep=deep + 1) for part in _branches(rule)]
    options.append([completed(one, items_of(rule), root, seed=seed, deep=deep + 1) for one in list_of(value)])
    if isinstance(value, dict):
        whole = shape(rule, root)
        inner, more = properties_of(whole), required_of(whole)
        made = {
            name: completed(part, inner.get(name, {}), root, seed=seed, deep=deep + 1)
            for name, part in object_of(value).items()
        }
        missing = {name: inner.get(name, {}) for name in more if name not in made}
        options.append({**made, **{name: least(part, root, name=name, seed=seed) for name, part in missing.items()}})
    return next((one for one in options if fits(one, rule, root)), cast("Any", value))


def _branches(rule: Mapping[str, Any]) -> list[Any]:
    return [part for key in ("allOf", "oneOf", "anyOf") for part in list_of(rule.get(key))]


def _by_kind(rule: Mapping[str, Any], root: Any, name: str, seed: int | str, deep: int) -> Any:
    types = types_of(rule)
    kind = next((one for one in types if one != "null"), "object" if "properties" in rule else "")
    if kind == "object":
        inner, needed = properties_of(rule), required_of(rule) if deep < _DEEPEST else []
        rest = {key: inner.get(key, {}) for key in needed}
        return {key: least(part, root, name=key, seed=seed, deep=deep + 1) for key, part in rest.items()}
    if kind == "array":
        count = min(int(number_in(rule, "minItems") or 0), 20)
        return [least(items_of(rule), root, name=name, seed=f"{seed}/{n}", deep=deep + 1) for n in range(count)]
    if kind == "boolean":
        return False
    low = number_in(rule, "minimum") or 0
    if kind in ("integer", "number") and fits(low, rule, root):
        return low
    if not kind and _branches(rule):
        return None
    try:
        return make(
            {key: part for key, part in rule.items() if key not in ("allOf", "anyOf", "oneOf")}, name=name, seed=seed
        )
    except UserError:
        return None
