"""Whether a value fits a JSON Schema: the part of it that documented parameters use.

Contract: pure and total, whatever the schema is; keywords that are not known, or are not what they should be, constrain
nothing. `resolved` follows a `$ref` inside the document.

Example:
    >>> fits("06:30:00", {"type": "string", "format": "time"}), fits(7, {"type": "integer", "maximum": 5})
    (True, False)

Not covered: unevaluated and dependent keywords, contains, `$ref` to other documents, `$dynamicRef`; a `format` is
checked for dates, times, e-mail addresses, URIs and UUIDs only. A `pattern` takes linear time (Rust's engine), unless
it looks around or back, which only Python's can.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any, cast

from pydantic_core import SchemaError, SchemaValidator, core_schema

from toologue.values.compare import same

_DEEP = 24
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "array": (list,), "object": (dict,), "null": (type(None),),
    "number": (int, float), "integer": (int, float),
}  # fmt: skip
_FORMATS = {
    "email": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+"),
    "uri": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+"),
    "url": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+"),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "time": re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?"),
}


def fits(value: Any, schema: Any, root: Any = None, *, deep: int = 0) -> bool:
    """Whether the value fits. `root`: the document that `$ref` points into; the schema itself if not given."""
    top = schema if root is None else root
    rule = resolved(schema, top)
    if rule is None or deep > _DEEP:
        return schema is not False
    if not _is_of_type(value, types_of(rule)) or not _is_named(value, rule):
        return False
    parts = (rule.get("allOf"), rule.get("anyOf"), rule.get("oneOf"))
    every, some, one = (cast("list[Any]", part) if isinstance(part, list) else None for part in parts)
    if every and not all(fits(value, part, top, deep=deep + 1) for part in every):
        return False
    if some and not any(fits(value, part, top, deep=deep + 1) for part in some):
        return False
    if one and sum(fits(value, part, top, deep=deep + 1) for part in one) != 1:
        return False
    if "not" in rule and fits(value, rule["not"], top, deep=deep + 1):
        return False
    if isinstance(value, str):
        return _text_fits(value, rule)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number_fits(value, rule)
    if isinstance(value, list):
        return _list_fits(cast("list[Any]", value), rule, top, deep)
    return not isinstance(value, dict) or _object_fits(cast("dict[str, Any]", value), rule, top, deep)


def resolved(schema: Any, root: Any) -> Mapping[str, Any] | None:
    """The schema that stands behind `$ref`s, with its siblings; None for what is no object, circles, dead ends."""
    seen: set[str] = set()
    siblings: dict[str, Any] = {}
    while isinstance(schema, Mapping):
        rule: dict[str, Any] = dict(cast("Mapping[str, Any]", schema))
        target = rule.get("$ref")
        if not isinstance(target, str):
            return rule | siblings
        if target in seen or not target.startswith("#"):
            return None
        seen.add(target)
        siblings = {**{key: part for key, part in rule.items() if key != "$ref"}, **siblings}
        schema = _pointed(root, target[1:])
    return None


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The types that a schema names, in its order; none named: all are allowed."""
    said = schema.get("type")
    names: list[Any] = [said] if isinstance(said, str) else cast("list[Any]", said) if isinstance(said, list) else []
    return tuple(name for name in names if isinstance(name, str) and name in _TYPES)


def items_of(schema: Mapping[str, Any]) -> Any:
    """The schema of an array's items; {} where there is none."""
    items = schema.get("items")
    return cast("Any", items) if isinstance(items, Mapping | bool) else {}


def number_in(schema: Mapping[str, Any], key: str) -> int | float | None:
    """The number at a keyword, or None."""
    value = schema.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _pointed(root: Any, pointer: str) -> Any:
    place = root
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, Mapping):
            place = cast("Mapping[str, Any]", place).get(step)
        elif isinstance(place, list) and step.isdecimal() and int(step) < len(cast("list[Any]", place)):
            place = cast("list[Any]", place)[int(step)]
        else:
            return None
    return place


def _is_of_type(value: Any, types: tuple[str, ...]) -> bool:
    for name in types:
        if isinstance(value, bool) and name != "boolean":
            continue
        if isinstance(value, _TYPES[name]) and not (
            name == "integer" and isinstance(value, float) and not value.is_integer()
        ):
            return True
    return not types


def _is_named(value: Any, schema: Mapping[str, Any]) -> bool:
    if "const" in schema and not same(value, schema["const"]):
        return False
    enum = schema.get("enum")
    return not isinstance(enum, list) or any(same(value, item) for item in cast("list[Any]", enum))


def _text_fits(value: str, schema: Mapping[str, Any]) -> bool:
    shortest, longest = number_in(schema, "minLength"), number_in(schema, "maxLength")
    if (shortest is not None and len(value) < shortest) or (longest is not None and len(value) > longest):
        return False
    pattern, form = schema.get("pattern"), schema.get("format")
    if isinstance(pattern, str):
        matches = _matcher(pattern)
        if matches is not None and not matches(value):
            return False
    return not isinstance(form, str) or _formed(value, form)


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Callable[[str], object] | None:
    """Whether a text holds a match; None for a pattern that is none."""
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python
    except SchemaError:
        pass
    try:
        return re.compile(pattern).search
    except (re.error, RecursionError, OverflowError):
        return None


def _formed(value: str, form: str) -> bool:
    if form in _FORMATS:
        return bool(_FORMATS[form].fullmatch(value))
    try:
        if form == "date":
            return len(value) == 10 and bool(date.fromisoformat(value))
        if form == "date-time":
            return value[10:11] in ("T", "t", " ") and bool(datetime.fromisoformat(value))
    except ValueError:
        return False
    return True


def _number_fits(value: int | float, schema: Mapping[str, Any]) -> bool:
    least, most = number_in(schema, "minimum"), number_in(schema, "maximum")
    above, below = number_in(schema, "exclusiveMinimum"), number_in(schema, "exclusiveMaximum")
    step = number_in(schema, "multipleOf")
    if (least is not None and value < least) or (most is not None and value > most):
        return False
    if (above is not None and value <= above) or (below is not None and value >= below):
        return False
    if step is None or step <= 0:
        return True
    if isinstance(step, int) and isinstance(value, int):
        return value % step == 0
    try:
        ratio = value / step
        return abs(ratio - round(ratio)) < 1e-9
    except (OverflowError, ValueError):
        return False


def _list_fits(value: list[Any], schema: Mapping[str, Any], root: Any, deep: int) -> bool:
    fewest, most = number_in(schema, "minItems"), number_in(schema, "maxItems")
    if (fewest is not None and len(value) < fewest) or (most is not None and len(value) > most):
        return False
    if schema.get("uniqueItems") is True and any(same(a, b) for n, a in enumerate(value) for b in value[:n]):
        return False
    first = schema.get("prefixItems")
    heads = cast("list[Any]", first) if isinstance(first, list) else []
    rest = schema.get("items", True)
    return all(fits(item, heads[n] if n < len(heads) else rest, root, deep=deep + 1) for n, item in enumerate(value))


def _object_fits(value: dict[str, Any], schema: Mapping[str, Any], root: Any, deep: int) -> bool:
    required, known = schema.get("required"), schema.get("properties")
    if isinstance(required, list) and any(name not in value for name in cast("list[Any]", required)):
        return False
    properties = cast("Mapping[str, Any]", known) if isinstance(known, Mapping) else dict[str, Any]()
    fewest, most = number_in(schema, "minProperties"), number_in(schema, "maxProperties")
    if (fewest is not None and len(value) < fewest) or (most is not None and len(value) > most):
        return False
    patterned = schema.get("patternProperties")
    rest = schema.get("additionalProperties", True) if not isinstance(patterned, Mapping) else True
    return all(fits(item, properties.get(name, rest), root, deep=deep + 1) for name, item in value.items())
