"""JSON Schemas inside documents: one dialect, `$ref`s followed, parameters made of them, values checked against them.

`modern` turns the dialects of OpenAPI 2.0 and 3.0 into it. `shape` sees `allOf` as one object. `written_out`
gives a schema that stands alone: a schema inside itself once, references followed 8 deep, or as deep as it stays
within 2,000 parts; what is cut keeps its type. `violation` names the innermost place of a value that its schema does
not allow.

    >>> violation([{"size": 1}, {"size": "big"}], {"items": {"properties": {"size": {"type": "integer"}}}}, "nodes")
    "nodes[1].size: expected integer, got 'big'"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import inf
from typing import Any, cast, get_args

from toologue.apis.references import DATA, NAMED, references
from toologue.errors import shown
from toologue.schema import Compare, Parameter
from toologue.text.names import expected_kinds
from toologue.text.tokens import names_a_secret
from toologue.values.json_schema import (
    fits,
    items_of,
    list_of,
    object_of,
    pointed,
    properties_of,
    required_of,
    resolved,
    shape,
    types_of,
)

_PARTS, _MOST, _DEEP = 2000, 20_000, 8
_UNSAID = ("xml", "externalDocs", "discriminator", "readOnly", "writeOnly", "$defs", "definitions", "$schema")
_KEPT = ("type", "title", "description", "enum")

Schema = Mapping[str, Any]
_BY_KIND: Mapping[str, Compare] = {"date": "date", "moment": "moment", "email": "folded", "message": "prose"}
_WORDS = {
    "minimum": "is less than", "maximum": "is more than", "exclusiveMinimum": "is not more than",
    "exclusiveMaximum": "is not less than", "multipleOf": "is no multiple of", "minLength": "is shorter than",
    "maxLength": "is longer than", "minItems": "has fewer items than", "maxItems": "has more items than",
    "pattern": "does not have the form", "format": "is no", "const": "is not",
}  # fmt: skip


def modern(value: Any, *, named: bool = False) -> Any:
    """OpenAPI 2.0 or 3.0 in the dialect of 2020-12, a new value. `named`: its keys are names of schemas."""
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
    if isinstance(made.get("items"), list):  # 2.0 has neither lists of `items` nor `anyOf`
        choice = {"anyOf": parts} if (parts := made.pop("items")) else {}
        made |= {"items": choice} if made.get("type") == "array" else choice
    if made.get("type") == "file":
        made |= {"type": "string", "format": "binary"}
    if True not in (made.get("nullable"), made.get("x-nullable")):
        return made
    rest = {key: part for key, part in made.items() if key not in ("nullable", "x-nullable")}
    if not types_of(rest):
        return {"anyOf": [rest, {"type": "null"}]}
    rest["type"] = [*types_of(rest), "null"]
    if isinstance(rest.get("enum"), list) and None not in rest["enum"]:
        rest["enum"] = [*rest["enum"], None]
    return rest


def written_out(schema: Any, root: Any = None) -> dict[str, Any]:
    """The schema without `$ref`s."""
    return Writer(schema if root is None else root)(schema)


class Writer:
    """Writes schemas of one document out. What references stand for is made once, and shared: nobody changes it.

    `without`: leave out properties that are `readOnly`, or `writeOnly`; both, what is `x-internal` and secrets.
    """

    def __init__(self, root: Any, without: str = ""):
        self._root, self._without = root, without
        self._made = dict[tuple[str, int, frozenset[str]], tuple[Any, int, bool]]()
        self._inner = dict[tuple[str, int], frozenset[str]]()
        self._left, self._cut = inf, False

    def __call__(self, schema: Any) -> dict[str, Any]:
        """The schema, with references followed as deep as it stays within 2,000 parts."""
        best: Any = {}
        for deep in range(_DEEP + 1):
            self._left, self._cut = (inf, _MOST, *[_PARTS] * _DEEP)[deep], False
            try:
                best = self._part(schema, frozenset(), deep)
            except _TooLarge:
                break
            if not self._cut:
                break
        return {"not": {}} if best is False else object_of(best)

    def _part(self, schema: Any, inside: frozenset[str], deep: int) -> Any:
        """A schema, or a boolean. `inside`: the references that led here; `deep`: how many more are followed."""
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        rule = object_of(schema)
        target = rule.get("$ref")
        if isinstance(target, str):
            whole = self._target(target, inside, deep)
            beside = {key: part for key, part in rule.items() if key != "$ref"}
            return {**object_of(whole), **self._part(beside, inside, deep)} if beside else whole
        self._take(1)
        kept = (key for key in rule if key not in _UNSAID and not key.startswith("x-"))
        made = {key: self._keyword(key, rule[key], inside, deep) for key in kept}
        if self._without and "required" in rule:
            known = properties_of(rule)
            made["required"] = [name for name in required_of(rule) if not self._is_hidden(name, known.get(name, {}))]
        return made

    def _target(self, target: str, inside: frozenset[str], deep: int) -> Any:
        """What a reference stands for: its type alone where it stands inside itself, or too deep."""
        circle = target in inside
        if circle or deep <= 0:
            self._cut |= not circle
            whole = resolved({"$ref": target}, self._root) or {}
            return {key: whole[key] for key in _KEPT if key in whole}
        key = target, deep, inside & self._reached(target, deep)
        if key not in self._made:
            before, cut, self._cut = self._left, self._cut, False
            whole: Any = pointed(self._root, target[1:])
            made = whole if isinstance(whole, bool) else self._part(whole, inside | {target}, deep - 1)
            self._made[key] = made, int(before - self._left), self._cut
            self._cut |= cut
            return made
        made, size, cut = self._made[key]
        self._cut |= cut
        self._take(size)
        return made

    def _take(self, parts: int) -> None:
        self._left -= parts
        if self._left < 0:
            raise _TooLarge

    def _reached(self, target: str, deep: int) -> frozenset[str]:
        """The references that are met where one is followed so deep."""
        if deep <= 1:
            return frozenset()
        if (target, deep) not in self._inner:
            self._inner[target, deep] = frozenset()  # for what holds itself
            met = {inner for _, inner in references(pointed(self._root, target[1:]), ())}
            self._inner[target, deep] = frozenset(met.union(*(self._reached(one, deep - 1) for one in met)))
        return self._inner[target, deep]

    def _keyword(self, key: str, value: Any, inside: frozenset[str], deep: int) -> Any:
        if key in NAMED and isinstance(value, dict):
            members = object_of(value).items()
            return {name: self._part(one, inside, deep) for name, one in members if not self._is_hidden(name, one)}
        if key in DATA:
            return value
        if isinstance(value, list):
            items = list_of(value)
            return [self._part(inner, inside, deep) if isinstance(inner, dict) else inner for inner in items]
        return self._part(value, inside, deep) if isinstance(value, dict) else value

    def _is_hidden(self, name: str, schema: Any) -> bool:
        rule = resolved(schema, self._root) if self._without else None
        if rule is None:
            return False
        return is_secret(name, rule) or True in (rule.get(self._without), rule.get("x-internal"))


class _TooLarge(Exception):
    """A schema has too many parts."""


def is_secret(name: str, rule: Schema) -> bool:
    """Whether a parameter or a field is a password or a key, which only its owner may type or see."""
    kinds = types_of(rule)
    return (names_a_secret(name) or rule.get("format") == "password") and (not kinds or "string" in kinds)


def is_hidden(name: str, schema: Any, root: Any) -> bool:
    """Whether a field is never shown: a secret, or `writeOnly`."""
    rule = resolved(schema, root) or {}
    return rule.get("writeOnly") is True or is_secret(name, rule)


def parameter(
    schema: Any,
    name: str,
    *,
    root: Any = None,
    description: str = "",
    required: bool = True,
    writer: Writer | None = None,
) -> Parameter:
    """The parameter of a schema that stands in a document (`root`; by default the schema itself).

    `writer`: what writes the document's schemas out.
    """
    made = (writer or Writer(schema if root is None else root, "readOnly"))(schema)
    if description and "description" not in made:
        made = {**made, "description": description}
    compare = compare_of(schema, name, root=root, description=str(made.get("description", "")))
    return Parameter(required=required, compare=compare).replace(json_schema=made)


def parameters_of(schema: Any) -> dict[str, Parameter]:
    """The properties of an object schema as parameters."""
    whole = shape(schema, schema)
    return {
        name: parameter(inner, name, root=schema, required=name in required_of(whole))
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


def violation(value: Any, schema: Any, name: str, root: Any = None) -> str | None:
    """What a schema does not allow of a value, or None. `name` stands for the value; `$ref`s point into `root`."""
    root = schema if root is None else root
    if fits(value, schema, root):
        return None
    rule = resolved(schema, root) or {}
    inner = (violation(part, inside, at, root) for part, inside, at in _parts(value, rule, name, root))
    return next((wrong for wrong in inner if wrong), None) or _own_violation(value, rule, name, root)


def checker(schema: Any, name: str, root: Any = None) -> Callable[[Any], str | None]:
    """`violation` for one schema, which remembers what it said of plain values."""

    @lru_cache(maxsize=4096, typed=True)
    def plain(value: Any) -> str | None:
        return violation(value, schema, name, root)

    return lambda value: violation(value, schema, name, root) if isinstance(value, dict | list) else plain(value)


def _parts(value: Any, rule: Mapping[str, Any], name: str, root: Any) -> Iterator[tuple[Any, Any, str]]:
    """(part, its schema, its name) of an object's fields and a list's items, of what it has to be, or may be."""
    properties, rest = properties_of(rule), rule.get("additionalProperties", True)
    for key, part in object_of(value).items():
        if rest is not False or key in properties:
            yield part, properties.get(key, rest), f"{name}.{key}"
    for index, item in enumerate(list_of(value)):
        yield item, items_of(rule), f"{name}[{index}]"
    for part in list_of(rule.get("allOf")):
        yield value, part, name
    for part in (*list_of(rule.get("anyOf")), *list_of(rule.get("oneOf"))) if isinstance(value, dict | list) else ():
        types = types_of(resolved(part, root) or {})
        if types and fits(value, {"type": list(types)}):
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
    parts = (resolved(part, root) or {} for fork in ("anyOf", "oneOf") for part in list_of(rule.get(fork)))
    kinds = dict.fromkeys(kind for part in parts for kind in types_of(part))
    if kinds and not fits(value, {"type": [*kinds]}):
        return f"{name}: expected {' or '.join(kinds)}, got {shown(value)}"
    return f"{name}: {shown(value)} is not what it should be"
