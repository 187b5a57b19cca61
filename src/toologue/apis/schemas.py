"""JSON Schemas inside documents: one dialect, `$ref`s followed, parameters made of them, values checked against them.

`modern` turns the dialect of OpenAPI 3.0 into JSON Schema 2020-12. `shape` sees `allOf` as one object. `written_out`
gives a schema that stands alone: a schema inside itself once, and no more than 2,000 parts or 8 references deep; what
is cut keeps its type. `violation` names the innermost place of a value that its schema does not allow.

    >>> violation([{"size": 1}, {"size": "big"}], {"items": {"properties": {"size": {"type": "integer"}}}}, "nodes")
    "nodes[1].size: expected integer, got 'big'"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast, get_args

from toologue.apis.references import DATA, NAMED
from toologue.errors import shown
from toologue.schema import Compare, Parameter
from toologue.text.names import expected_kinds
from toologue.text.tokens import asks_for_a_password
from toologue.values.json_schema import (
    fits,
    items_of,
    list_of,
    object_of,
    properties_of,
    required_of,
    resolved,
    types_of,
)

_PARTS, _DEEP = 2000, 8
_UNSAID = ("xml", "externalDocs", "discriminator", "readOnly", "writeOnly", "$defs", "definitions", "$schema")
_KEPT = ("type", "title", "description", "enum")

Schema = Mapping[str, Any]


def modern(value: Any, *, named: bool = False) -> Any:
    """The same in the dialect of 2020-12, a new value. `named`: its keys are names of schemas, not keywords."""
    if isinstance(value, list):
        return [modern(item) for item in list_of(value)]
    if not isinstance(value, dict):
        return value
    members = object_of(value).items()
    if named:
        return {key: modern(part) for key, part in members}
    made = {key: part if key in DATA else modern(part, named=key in NAMED) for key, part in members}
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(made.get(exclusive), bool):
            strict = made.pop(exclusive)
            if strict and bound in made:
                made[exclusive] = made.pop(bound)
    if made.get("nullable") is not True:
        return made
    rest = {key: part for key, part in made.items() if key != "nullable"}
    if not types_of(rest):
        return {"anyOf": [rest, {"type": "null"}]}
    rest["type"] = [*types_of(rest), "null"]
    if isinstance(rest.get("enum"), list) and None not in rest["enum"]:
        rest["enum"] = [*rest["enum"], None]
    return rest


def shape(schema: Any, root: Any, deep: int = 0) -> dict[str, Any]:
    """The schema resolved, with `properties` and `required` of its `allOf` parts among its own; {} where it is none."""
    rule = resolved(schema, root)
    if rule is None or deep > _DEEP:
        return {}
    made = {key: part for key, part in rule.items() if key != "allOf"}
    for part in list_of(rule.get("allOf")):
        inner = shape(part, root, deep + 1)
        properties = {**properties_of(inner), **properties_of(made)}
        required = list(dict.fromkeys([*required_of(inner), *required_of(made)]))
        made = {**inner, **made, "properties": properties, "required": required}
    return made


def written_out(schema: Any, root: Any = None, *, without: str = "") -> dict[str, Any]:
    """The schema without `$ref`s.

    `without`: leave out properties that are `readOnly`, as well as secrets, or `writeOnly`; both, what is `x-internal`.
    """
    made = _Writer(schema if root is None else root, without).part(schema, ())
    return {"not": {}} if made is False else object_of(made)


class _Writer:
    def __init__(self, root: Any, without: str):
        self._root, self._without, self._left = root, without, _PARTS

    def part(self, schema: Any, inside: tuple[str, ...]) -> Any:
        """A schema, or a boolean. `inside`: the references that led here."""
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        rule = object_of(schema)
        target = rule.get("$ref")
        if isinstance(target, str):
            whole = resolved(rule, self._root) or {}
            if target in inside or len(inside) >= _DEEP or self._left <= 0:
                return {key: whole[key] for key in _KEPT if key in whole}
            rule, inside = dict(whole), (*inside, target)
        self._left -= 1
        kept = (key for key in rule if key not in _UNSAID and not key.startswith("x-"))
        made = {key: self._keyword(key, rule[key], inside) for key in kept}
        if self._without and "required" in rule:
            hidden = [name for name, inner in properties_of(rule).items() if self._is_hidden(name, inner)]
            made["required"] = [name for name in required_of(rule) if name not in hidden]
        return made

    def _keyword(self, key: str, value: Any, inside: tuple[str, ...]) -> Any:
        if key in NAMED and isinstance(value, dict):
            members = object_of(value).items()
            return {name: self.part(inner, inside) for name, inner in members if not self._is_hidden(name, inner)}
        if key in DATA:
            return value
        if isinstance(value, list):
            return [self.part(inner, inside) if isinstance(inner, dict) else inner for inner in list_of(value)]
        return self.part(value, inside) if isinstance(value, dict) else value

    def _is_hidden(self, name: str, schema: Any) -> bool:
        rule = resolved(schema, self._root) if self._without else None
        if rule is None:
            return False
        secret = self._without == "readOnly" and is_secret(name, rule)
        return secret or True in (rule.get(self._without), rule.get("x-internal"))


def is_secret(name: str, rule: Schema) -> bool:
    """Whether a parameter is a password, which only its owner may type."""
    kinds = types_of(rule)
    return (asks_for_a_password(name) or rule.get("format") == "password") and (not kinds or "string" in kinds)


_BY_KIND: Mapping[str, Compare] = {"date": "date", "moment": "moment", "email": "folded", "message": "prose"}


def parameter(schema: Any, name: str, *, root: Any = None, description: str = "", required: bool = True) -> Parameter:
    """The parameter of a schema that stands in a document (`root`; by default the schema itself)."""
    made = written_out(schema, root, without="readOnly")
    if description and "description" not in made:
        made["description"] = description
    compare = compare_of(schema, name, root=root, description=str(made.get("description", "")))
    return Parameter(schema=made, required=required, compare=compare)


def parameters_of(schema: Any, root: Any = None) -> dict[str, Parameter]:
    """The properties of an object schema as parameters."""
    root = schema if root is None else root
    whole = shape(schema, root)
    return {
        name: parameter(inner, name, root=root, required=name in required_of(whole))
        for name, inner in properties_of(whole).items()
    }


def compare_of(schema: Any, name: str, *, root: Any = None, description: str = "") -> Compare:
    """How two values of this schema compare.

    `x-compare` decides; else dates and moments compare as such, e-mail addresses without case, what people write freely
    by similarity, arrays of unique items as sets, and all the rest exactly.
    """
    root = schema if root is None else root
    rule = resolved(schema, root) or {}
    if rule.get("x-compare") in get_args(Compare):
        return cast("Compare", rule["x-compare"])
    if rule.get("uniqueItems") is True:
        return "set"
    kinds = {want.kind for want in expected_kinds(schema, name, description, root)}
    return _BY_KIND.get(kinds.pop(), "exact") if len(kinds) == 1 else "exact"


_WORDS = {
    "minimum": "is less than", "maximum": "is more than", "exclusiveMinimum": "is not more than",
    "exclusiveMaximum": "is not less than", "multipleOf": "is no multiple of", "minLength": "is shorter than",
    "maxLength": "is longer than", "minItems": "has fewer items than", "maxItems": "has more items than",
    "pattern": "does not have the form", "format": "is no", "const": "is not",
}  # fmt: skip


def violation(value: Any, schema: Any, name: str, root: Any = None) -> str | None:
    """What a schema does not allow of a value, or None. `name` stands for the value; `$ref`s point into `root`."""
    root = schema if root is None else root
    if fits(value, schema, root):
        return None
    rule = resolved(schema, root) or {}
    inner = (violation(part, inside, at, root) for part, inside, at in _parts(value, rule, name))
    return next((wrong for wrong in inner if wrong), None) or _own_violation(value, rule, name, root)


def checker(schema: Any, name: str, root: Any = None) -> Callable[[Any], str | None]:
    """`violation` for one schema, which remembers what it said of plain values."""

    @lru_cache(maxsize=4096, typed=True)
    def plain(value: Any) -> str | None:
        return violation(value, schema, name, root)

    return lambda value: violation(value, schema, name, root) if isinstance(value, dict | list) else plain(value)


def _parts(value: Any, rule: Mapping[str, Any], name: str) -> Iterator[tuple[Any, Any, str]]:
    """(part, its schema, its name) of an object's fields and a list's items, of each part of `allOf`."""
    properties, rest = properties_of(rule), rule.get("additionalProperties", True)
    for key, part in object_of(value).items():
        if rest is not False or key in properties:
            yield part, properties.get(key, rest), f"{name}.{key}"
    for index, item in enumerate(list_of(value)):
        yield item, items_of(rule), f"{name}[{index}]"
    for part in list_of(rule.get("allOf")):
        yield value, part, name


def _own_violation(value: Any, rule: Mapping[str, Any], name: str, root: Any) -> str:
    types = types_of(rule)
    if types and not fits(value, {"type": list(types)}):
        return f"{name}: expected {' or '.join(types)}, got {shown(value)}"
    if isinstance(rule.get("enum"), list):
        return f"{name}: {shown(value)} is none of {', '.join(str(item) for item in rule['enum'])}"
    if isinstance(value, dict):
        members = object_of(value)
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
