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

import json
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any, cast

from pydantic_core import SchemaError, SchemaValidator, core_schema

from toologue.values.compare import same

_DEEP, _PARTS = 24, 8
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "array": (list,), "object": (dict,), "null": (type(None),),
    "number": (int, float), "integer": (int, float),
}  # fmt: skip
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+").fullmatch
_FORMATS: Mapping[str, Callable[[str], object]] = {
    "email": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+").fullmatch,
    "uri": _URI,
    "url": _URI,
    "uuid": re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch,
    "time": re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?").fullmatch,
    "date": lambda text: len(text) == 10 and date.fromisoformat(text),
    "date-time": lambda text: text[10:11] in ("T", "t", " ") and datetime.fromisoformat(text),
}


def fits(value: Any, schema: Any, root: Any = None, *, deep: int = 0) -> bool:
    """Whether the value fits. `root`: the document that `$ref` points into; the schema itself if not given."""
    top = schema if root is None else root
    rule = resolved(schema, top)
    if rule is None or deep > _DEEP:
        return schema is not False
    if not _is_of_type(value, types_of(rule)) or ("const" in rule and not same(value, rule["const"])):
        return False
    if isinstance(rule.get("enum"), list) and not any(same(value, item) for item in rule["enum"]):
        return False
    for keyword, enough in (("allOf", all), ("anyOf", any), ("oneOf", _one)):
        parts = list_of(rule.get(keyword))
        if parts and not enough(fits(value, part, top, deep=deep + 1) for part in parts):
            return False
    if "not" in rule and fits(value, rule["not"], top, deep=deep + 1):
        return False
    size: Any = len(value) if hasattr(value, "__len__") else value
    for keyword, judge in _BOUNDS.get(value.__class__, ()):
        if keyword in rule and (bound := number_in(rule, keyword)) is not None and not judge(size, bound):
            return False
    if isinstance(value, str):
        return _text_fits(value, rule)
    if isinstance(value, list):
        return _list_fits(cast("list[Any]", value), rule, top, deep + 1)
    return not isinstance(value, dict) or _object_fits(cast("dict[str, Any]", value), rule, top, deep + 1)


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
        schema = pointed(root, target[1:])
    return None


def shape(schema: Any, root: Any, deep: int = 0) -> dict[str, Any]:
    """The schema resolved, with `properties` and `required` of its `allOf` parts among its own; {} where it is none."""
    rule = resolved(schema, root)
    if rule is None or deep > _PARTS:
        return {}
    made = {key: part for key, part in rule.items() if key != "allOf"}
    for part in list_of(rule.get("allOf")):
        inner = shape(part, root, deep + 1)
        properties = {**properties_of(inner), **properties_of(made)}
        required = list(dict.fromkeys([*required_of(inner), *required_of(made)]))
        made = {**inner, **made, "properties": properties, "required": required}
    return made


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The types that a schema names, in its order; none named: all are allowed."""
    said = schema.get("type")
    names: list[Any] = [said] if isinstance(said, str) else cast("list[Any]", said) if isinstance(said, list) else []
    return tuple(name for name in names if isinstance(name, str) and name in _TYPES)


def items_of(schema: Mapping[str, Any]) -> Any:
    """The schema of an array's items; {} where there is none."""
    items = schema.get("items")
    return cast("Any", items) if isinstance(items, Mapping | bool) else {}


def properties_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The properties that an object schema describes."""
    return object_of(schema.get("properties"))


def required_of(schema: Mapping[str, Any]) -> list[str]:
    """The names of the properties that an object schema requires."""
    return [name for name in list_of(schema.get("required")) if isinstance(name, str)]


def number_in(schema: Mapping[str, Any], key: str) -> int | float | None:
    """The number at a keyword, or None."""
    value = schema.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def object_of(value: Any) -> dict[str, Any]:
    """The value where it is an object, else {}."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value where it is a list, else []."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def pointed(root: Any, pointer: str) -> Any:
    """What stands where a JSON pointer leads, or None."""
    place: Any = root
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, Mapping):
            place = cast("Mapping[str, Any]", place).get(step)
        elif step.isdecimal() and int(step) < len(rows := list_of(place)):
            place = rows[int(step)]
        else:
            return None
    return place


def _is_of_type(value: Any, types: tuple[str, ...]) -> bool:
    if isinstance(value, bool) and types:
        return "boolean" in types
    whole = not isinstance(value, float) or value.is_integer()
    return not types or any(isinstance(value, _TYPES[name]) and (whole or name != "integer") for name in types)


def _text_fits(value: str, schema: Mapping[str, Any]) -> bool:
    pattern, form = schema.get("pattern"), schema.get("format")
    if isinstance(pattern, str) and (matches := _matcher(pattern)) is not None and not matches(value):
        return False
    try:
        return not (isinstance(form, str) and form in _FORMATS) or bool(_FORMATS[form](value))
    except ValueError:
        return False


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


def _list_fits(value: list[Any], schema: Mapping[str, Any], root: Any, deep: int) -> bool:
    if schema.get("uniqueItems") is True and any(same(a, b) for n, a in enumerate(value) for b in value[:n]):
        return False
    heads, rest = list_of(schema.get("prefixItems")), schema.get("items", True)
    return all(fits(item, heads[n] if n < len(heads) else rest, root, deep=deep) for n, item in enumerate(value))


def _object_fits(value: dict[str, Any], schema: Mapping[str, Any], root: Any, deep: int) -> bool:
    if any(name not in value for name in list_of(schema.get("required"))):
        return False
    properties = properties_of(schema)
    rest = True if isinstance(schema.get("patternProperties"), Mapping) else schema.get("additionalProperties", True)
    return all(fits(item, properties.get(name, rest), root, deep=deep) for name, item in value.items())


def _one(verdicts: Iterable[bool]) -> bool:
    return sum(verdicts) == 1


def _divides(value: int | float, step: int | float) -> bool:
    if step <= 0 or (isinstance(step, int) and isinstance(value, int)):
        return step <= 0 or value % step == 0
    try:
        return abs(value / step - round(value / step)) < 1e-9
    except (OverflowError, ValueError):
        return False


# By the type of a value: the keywords that bound it, or its length, and whether it keeps to a bound.
_NUMBERS = (
    ("minimum", operator.ge), ("maximum", operator.le), ("exclusiveMinimum", operator.gt),
    ("exclusiveMaximum", operator.lt), ("multipleOf", _divides),
)  # fmt: skip
_BOUNDS: Mapping[type, tuple[tuple[str, Callable[[Any, Any], bool]], ...]] = {
    **dict.fromkeys((int, float), _NUMBERS),
    str: (("minLength", operator.ge), ("maxLength", operator.le)),
    list: (("minItems", operator.ge), ("maxItems", operator.le)),
    dict: (("minProperties", operator.ge), ("maxProperties", operator.le)),
}


_TYPE_WORDS = {
    "string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false",
    "object": "an object", "array": "a list", "null": "null",
}  # fmt: skip
_BOUND_WORDS = {
    "minimum": "at least {}", "exclusiveMinimum": "more than {}", "maximum": "at most {}",
    "exclusiveMaximum": "less than {}", "multipleOf": "a multiple of {}", "minLength": "at least {} characters",
    "maxLength": "at most {} characters", "minItems": "at least {} items", "maxItems": "at most {} items",
}  # fmt: skip
DEEP = 4


def described(schema: Mapping[str, Any]) -> str:
    """What a schema asks of a value, in words: types and limits; empty where everything fits.

    >>> described({"type": "integer", "minimum": 1, "maximum": 5})
    'an integer; at least 1; at most 5'
    >>> described({"type": ["string", "null"], "pattern": "^ch_"})
    'a string or null; like ^ch_'
    >>> described({"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}})
    'a list; [{id: string}]'
    """
    if values := list_of(schema.get("enum")):
        return f"one of {', '.join(json.dumps(one, ensure_ascii=False) for one in values)}"
    kinds = " or ".join(dict.fromkeys(_TYPE_WORDS[one] for one in types_of(schema)))
    return "; ".join([*([kinds] if kinds else []), *limits(schema)])


def limits(schema: Mapping[str, Any]) -> Iterator[str]:
    """What a value must keep to, beside its types and its enum."""
    for name, word in _BOUND_WORDS.items():
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
