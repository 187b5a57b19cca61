"""What an Api answers: its `returns` compiled once into a function from a row to a value.

Contract: `answer_maker(api)` gives a function of a seed and arguments. Objects have all documented properties, lists
have 2 to 5 rows (as the schema allows; no more than an argument `limit` asks for; fewer the deeper they lie), different
in what names a thing. A value that is the same thing as a parameter is what was asked for. Parts of a schema beyond
objects, lists and leaves are made by `values.make`. Where nothing fits, calling raises UserError.

Example:
    >>> from toologue.schema import Api, Parameter
    >>> row = {"type": "object", "properties": {"userId": {"type": "integer"}, "name": {"type": "string"}}}
    >>> api = Api(name="Users", parameters={"userId": Parameter()}, returns=row)
    >>> answer_maker(api)(7, {"userId": "12"})
    {'userId': 12, 'name': 'Jonas Brandt'}

Not covered: that two Apis tell the same of one thing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toologue.errors import UserError
from toologue.schema import Api
from toologue.values.fits import fits, items_of, number_in, resolved, types_of
from toologue.values.make import make
from toologue.worlds.documented.echo import Echoes
from toologue.worlds.documented.leaves import Maker, maker
from toologue.worlds.documented.row import Row
from toologue.worlds.documented.words import squash

__all__ = ["Answer", "answer_maker"]

Answer = Callable[[int, Mapping[str, Any]], Any]
_DEEPEST, _MOST = 12, 4000
_BEYOND = frozenset(("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "prefixItems", "contains",
                     "minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependentSchemas",
                     "patternProperties", "uniqueItems", "unevaluatedProperties"))  # fmt: skip
_LIMITS = frozenset(("limit", "count", "perpage", "pagesize", "size", "maxresults", "num", "top"))


def answer_maker(api: Api) -> Answer:
    """What makes the answers of an Api."""
    schema: Any = api.returns
    compiler = _Compiler(schema, Echoes(api), api.name.rpartition("|")[2])
    made = compiler.part(schema, (), 0, 0) if schema else None
    careful = compiler.careful

    def answer(seed: int, arguments: Mapping[str, Any]) -> Any:
        if made is None:
            return {}
        value = made(Row(seed, 0, arguments, compiler.echoes.pinned(arguments), compiler.echoes.sought(arguments)))
        if careful and not fits(value, schema):
            return make(schema, seed=seed)
        return value

    return answer


@dataclass
class _Compiler:
    root: Any
    echoes: Echoes
    about: str
    careful: bool = False
    """Whether the whole has to be looked at again: a part may not fit, seen from outside."""
    parts: int = 0
    open: list[int] = field(default_factory=list[int])

    def part(self, schema: Any, path: tuple[str, ...], lists: int, deep: int) -> Maker | None:
        """What makes a part; None for one that no value fits, or that lies too deep."""
        self.parts += 1
        rule = _rule(schema, self.root)
        if rule is None or deep > _DEEPEST or self.parts > _MOST or id(rule) in self.open:
            self.careful = True
            return None
        self.open.append(id(rule))
        try:
            return self._of_rule(rule, path, lists, deep)
        except (UserError, OverflowError, ValueError, TypeError):
            self.careful = True
            return None
        finally:
            self.open.pop()

    def _of_rule(self, rule: Mapping[str, Any], path: tuple[str, ...], lists: int, deep: int) -> Maker | None:
        types = types_of(rule)
        if rule.keys() & _BEYOND:
            self.careful = True
            return self._thought_up(rule, path)
        if "const" in rule or "enum" in rule:
            return maker(rule, path, salt=self.parts, root=self.root)
        kind = next((name for name in types if name != "null"), "")
        if kind == "object" or (not kind and isinstance(rule.get("properties"), Mapping)):
            return self._object(rule, path, lists, deep)
        if kind == "array" or (not kind and "items" in rule):
            return self._array(rule, path, lists, deep)
        return self.echoes.instead_of(maker(rule, path, salt=self.parts, about=self.about), rule, path, lists)

    def _thought_up(self, rule: Mapping[str, Any], path: tuple[str, ...]) -> Maker:
        top = cast("Mapping[str, Any]", self.root)
        whole: dict[str, Any] = {**rule, **{key: top[key] for key in ("$defs", "definitions") if key in top}}
        name, salt = path[-1] if path else "", self.parts
        return lambda row: make(whole, name=name, seed=row.mixed(salt))

    def _object(self, rule: Mapping[str, Any], path: tuple[str, ...], lists: int, deep: int) -> Maker | None:
        known: Any = rule.get("properties")
        properties = cast("Mapping[str, Any]", known) if isinstance(known, Mapping) else dict[str, Any]()
        wanted: Any = rule.get("required")
        required = (
            [name for name in cast("list[Any]", wanted) if isinstance(name, str)] if isinstance(wanted, list) else []
        )
        rest = rule.get("additionalProperties", True)
        inner = {**properties, **{name: rest for name in required if name not in properties}}
        members: list[tuple[str, Maker]] = []
        for name, schema in inner.items():
            made = self.part({} if schema is True else schema, (*path, name), lists, deep + 1)
            if made is not None:
                members.append((name, made))
            elif name in required:
                return None
        return lambda row: {name: made(row) for name, made in members}

    def _array(self, rule: Mapping[str, Any], path: tuple[str, ...], lists: int, deep: int) -> Maker | None:
        fewest, most = number_in(rule, "minItems") or 0, number_in(rule, "maxItems")
        first = self.parts
        made = self.part(items_of(rule), path, lists + 1, deep + 1)
        if made is None or fewest > 200:
            return None if fewest else lambda row: []
        low, spread = ((2, 4), (2, 2), (1, 2))[min(lists, 2)]
        if self.parts - first > 400 or lists > 2:
            low, spread = 1, 1
        low = max(low, int(fewest))
        high = low + spread - 1 if most is None else min(low + spread - 1, int(most))
        low = min(low, high)

        def rows(row: Row) -> list[Any]:
            count = low + row.mixed(first) % (high - low + 1)
            if lists == 0 and count > fewest:
                count = max(int(fewest), min(count, _asked_for(row.arguments, count)))
            return [made(row.inner(first, number)) for number in range(count)]

        return rows


def _rule(schema: Any, root: Any) -> Mapping[str, Any] | None:
    """What a schema says, references followed; the same object for the same schema where it has none."""
    plain = cast("Mapping[str, Any]", schema) if isinstance(schema, Mapping) else None
    return plain if plain is not None and "$ref" not in plain else resolved(schema, root)


def _asked_for(arguments: Mapping[str, Any], count: int) -> int:
    """How many rows an argument asks for; as many as there are where none does."""
    for name, value in arguments.items():
        if squash(name) in _LIMITS and isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return count
