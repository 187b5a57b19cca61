"""JSON Schemas inside documents: one dialect, `$ref`s followed or written out, `allOf` seen as one object.

Contract: `modern` turns the dialect of OpenAPI 3.0 into JSON Schema 2020-12 (`nullable`, boolean `exclusiveMinimum`).
`written_out` gives a schema that stands alone: every `$ref` replaced by what it names, a schema inside itself once, and
no more than 2,000 parts or 8 references deep; what is cut keeps its type and allows anything of it. `shape` gives the
properties of an object schema, with those of its `allOf`.

Example:
    >>> root = {"Node": {"type": "object", "properties": {"next": {"$ref": "#/Node"}, "size": {"type": "integer"}}}}
    >>> written_out({"$ref": "#/Node"}, root)["properties"]["next"]
    {'type': 'object'}
    >>> modern({"type": "string", "nullable": True})
    {'type': ['string', 'null']}

Not covered: `$dynamicRef`, `$anchor`, `$id`, references to other documents (`references` refuses them).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from toologue.values.json_schema import resolved, types_of

_PARTS, _DEEP = 2000, 8
DATA = ("example", "examples", "default", "enum", "const")
"""Keys whose values are data: nothing in them is a schema."""
_UNSAID = ("xml", "externalDocs", "discriminator", "readOnly", "writeOnly", "$defs", "definitions", "$schema")
_KEPT = ("type", "title", "description", "enum")
NAMED = ("properties", "patternProperties", "dependentSchemas")
"""Keys whose values map names to schemas."""

Schema = Mapping[str, Any]


def modern(value: Any, *, named: bool = False) -> Any:
    """The same in the dialect of 2020-12, a new value. `named`: its keys are names of schemas, not keywords."""
    if isinstance(value, list):
        return [modern(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value).items()
    if named:
        return {key: modern(part) for key, part in members}
    made = {key: part if key in DATA else modern(part, named=key in NAMED) for key, part in members}
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(made.get(exclusive), bool):
            strict = made.pop(exclusive)
            if strict and bound in made:
                made[exclusive] = made.pop(bound)
    return _nullable(made) if made.get("nullable") is True else made


def _nullable(made: dict[str, Any]) -> dict[str, Any]:
    rest = {key: part for key, part in made.items() if key != "nullable"}
    if not types_of(rest):
        return {"anyOf": [rest, {"type": "null"}]}
    rest["type"] = [*types_of(rest), "null"]
    if isinstance(rest.get("enum"), list) and None not in rest["enum"]:
        rest["enum"] = [*rest["enum"], None]
    return rest


def shape(schema: Any, root: Any) -> dict[str, Any]:
    """The schema resolved, with `properties` and `required` of its `allOf` parts among its own; {} where it is none."""
    return _shape(schema, root, 0)


def _shape(schema: Any, root: Any, deep: int) -> dict[str, Any]:
    rule = resolved(schema, root)
    if rule is None or deep > _DEEP:
        return {}
    made = {key: part for key, part in rule.items() if key != "allOf"}
    parts: Any = rule.get("allOf")
    for part in cast("list[Any]", parts) if isinstance(parts, list) else ():
        inner = _shape(part, root, deep + 1)
        properties = {**properties_of(inner), **properties_of(made)}
        required = list(dict.fromkeys([*required_of(inner), *required_of(made)]))
        made = {**inner, **made, "properties": properties, "required": required}
    return made


def properties_of(rule: Schema) -> dict[str, Any]:
    """The properties that an object schema describes."""
    return object_of(rule.get("properties"))


def object_of(value: Any) -> dict[str, Any]:
    """The value where it is an object, else {}."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def required_of(rule: Schema) -> list[str]:
    """The names of the properties that an object schema requires."""
    found: Any = rule.get("required")
    return [name for name in cast("list[Any]", found) if isinstance(name, str)] if isinstance(found, list) else []


def written_out(schema: Any, root: Any = None, *, without: str = "") -> dict[str, Any]:
    """The schema without `$ref`s. `without`: leave out properties that are `readOnly`, or `writeOnly`."""
    made = _Writer(schema if root is None else root, without).part(schema, ())
    return cast("dict[str, Any]", made) if isinstance(made, dict) else {} if made else {"not": {}}


class _Writer:
    """Writes schemas out, counting its parts."""

    def __init__(self, root: Any, without: str):
        self._root, self._without, self._left = root, without, _PARTS

    def part(self, schema: Any, inside: tuple[str, ...]) -> Any:
        """A schema, or a boolean. `inside`: the references that led here."""
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        rule = cast("dict[str, Any]", schema)
        target = rule.get("$ref")
        if isinstance(target, str):
            whole = resolved(rule, self._root) or {}
            if target in inside or len(inside) >= _DEEP or self._left <= 0:
                return {key: whole[key] for key in _KEPT if key in whole}
            rule, inside = dict(whole), (*inside, target)
        self._left -= 1
        made = {key: self._keyword(key, value, inside) for key, value in rule.items() if not _unsaid(key)}
        if self._without and "required" in rule:
            hidden = [name for name, inner in properties_of(rule).items() if self._is_hidden(inner)]
            made["required"] = [name for name in required_of(rule) if name not in hidden]
        return made

    def _keyword(self, key: str, value: Any, inside: tuple[str, ...]) -> Any:
        if key in NAMED and isinstance(value, dict):
            members = cast("dict[str, Any]", value).items()
            return {name: self.part(inner, inside) for name, inner in members if not self._is_hidden(inner)}
        if key in DATA:
            return value
        if isinstance(value, list):
            return [
                self.part(inner, inside) if isinstance(inner, dict) else inner for inner in cast("list[Any]", value)
            ]
        return self.part(value, inside) if isinstance(value, dict) else value

    def _is_hidden(self, schema: Any) -> bool:
        rule = resolved(schema, self._root) if self._without else None
        return rule is not None and rule.get(self._without) is True


def _unsaid(key: str) -> bool:
    return key in _UNSAID or key.startswith("x-")
