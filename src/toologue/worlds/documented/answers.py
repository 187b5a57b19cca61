"""What an Api answers: its `returns` compiled once into a function from a row to a value.

Objects have all documented properties, lists 2 or 3 rows (as the schema allows; no more than an argument `limit` asks
for; fewer the deeper they lie), different in what names a thing, and one where a thing is searched for by its name. A
value that is the same thing as a parameter is what was asked for. What has an id is made from it: where two answers
tell of one id, they tell the same by the same names. Where nothing fits, calling raises UserError.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toologue.apis.schemas import object_of, properties_of, required_of
from toologue.errors import UserError
from toologue.schema import Api
from toologue.text.names import is_marked, kind_of, squash
from toologue.text.tokens import spell
from toologue.values.json_schema import fits, items_of, number_in, resolved, types_of
from toologue.values.make import make
from toologue.worlds.documented.echo import Echoes
from toologue.worlds.documented.leaves import Maker, examples_of, followers, id_of, known_by, maker
from toologue.worlds.documented.row import SHARED, Row, choices, salt_of

Answer = Callable[[int, Mapping[str, Any]], Any]
_DEEPEST, _MOST, _NEAR = 12, 4000, 3
_BEYOND = frozenset(("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "prefixItems", "contains",
                     "minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependentSchemas",
                     "patternProperties", "uniqueItems", "unevaluatedProperties"))  # fmt: skip
_NAMES = (("name",), ("title",), ("city",), ("country",), ("code",))
_CALLED = (("name",), ("title",))
_OTHERS, _STEPS = 257, 20
_COUNTS = frozenset(("total", "count", "totalresults", "resultcount", "totalcount", "numfound", "hits", "results",
                     "totalpages"))  # fmt: skip
_LIMITS = frozenset(("limit", "count", "perpage", "pagesize", "size", "maxresults", "num", "top"))


def answer_maker(api: Api) -> Answer:
    """What makes the answers of an Api."""
    schema, echoes = api.returns, Echoes(api)
    compiler = _Compiler(schema, echoes, echoes.noun)
    made = compiler.part(schema, (), 0, 0) if schema else None

    def answer(seed: int, arguments: Mapping[str, Any]) -> Any:
        if made is None:
            return {}
        value = made(echoes.row(seed, arguments))
        return make(schema, seed=seed) if compiler.careful and not fits(value, schema) else value

    return answer


@dataclass
class _Compiler:
    root: Any
    echoes: Echoes
    about: str
    careful: bool = False
    """Whether the whole has to be looked at again: a part may not fit, seen from outside."""
    parts: int = 0
    tables: dict[tuple[str, ...], tuple[str, Maker] | None] = field(default_factory=dict[tuple[str, ...], Any])
    """Where tables by columns are, whose lists go together; with the column of their rows' ids, and its maker."""
    finding: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    """Those of them whose rows are what is searched for."""
    own: int = 0
    """How much of a path leads to the thing whose parts are made: what is said of it does not depend on that."""
    open: list[int] = field(default_factory=list[int])

    def part(self, schema: Any, path: tuple[str, ...], lists: int, deep: int) -> Maker | None:
        """What makes a part; None for one that no value fits, or that lies too deep."""
        self.parts += 1
        plain = object_of(schema)  # the same object for the same schema where it has no references
        rule = plain if plain and "$ref" not in plain else resolved(schema, self.root)
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
            made = maker(rule, path, salt=self._salt(path), root=self.root)
            return made if "const" in rule else self.echoes.instead_of(made, rule, path, lists)
        kind = next((name for name in types if name != "null"), "")
        if kind == "object" or (not kind and isinstance(rule.get("properties"), Mapping)):
            return self._object(rule, path, lists, deep)
        if kind == "array" or (not kind and "items" in rule):
            return self._array(rule, path, lists, deep)
        return self.echoes.instead_of(maker(rule, path, salt=self._salt(path), about=self.about), rule, path, lists)

    def _thought_up(self, rule: Mapping[str, Any], path: tuple[str, ...]) -> Maker:
        whole = {**rule, **{key: self.root[key] for key in ("$defs", "definitions") if key in self.root}}
        name, salt = path[-1] if path else "", self._salt(path)
        return lambda row: make(whole, name=name, seed=row.mixed(salt))

    def _object(self, rule: Mapping[str, Any], path: tuple[str, ...], lists: int, deep: int) -> Maker | None:
        required, known = required_of(rule), properties_of(rule)
        rest = rule.get("additionalProperties", True)
        inner = {**known, **{name: rest for name in required if name not in known}}
        table = _is_table(inner.values())
        single = [name for name, schema in inner.items() if (_is_column if table else _is_value)(schema)]
        told_by, outer = id_of(single, path, self.about), self.own
        self.own = len(path) if told_by else outer
        if table:
            column = self.part(items_of(inner[told_by]), (*path, told_by), 1, deep + 2) if told_by else None
            self.tables[path] = (told_by, column) if told_by and column else None
            if any(self._finds(items_of(schema), (*path, name)) for name, schema in inner.items()):
                self.finding.add(path)
        members: dict[str, Maker] = {}
        for name, schema in inner.items():
            made = self.part({} if schema is True else schema, (*path, name), lists, deep + 1)
            if made is not None:
                members[name] = made
            elif name in required:
                return None
        self.own = outer
        types = {name: types_of(object_of(schema)) for name, schema in inner.items() if name in members}
        rows = [name for name, known in types.items() if "array" in known]
        counts = [name for name, known in types.items() if squash(name) in _COUNTS and "integer" in known]
        if len(rows) == 1 and counts and not table:
            return _counted(members, rows[0], counts)
        if table or told_by not in members:
            return lambda row: {name: made(row) for name, made in members.items()}
        return _known(members, told_by, followers(list(members), [name for name in single if name != told_by]))

    def _array(self, rule: Mapping[str, Any], path: tuple[str, ...], lists: int, deep: int) -> Maker | None:
        fewest, most = number_in(rule, "minItems") or 0, number_in(rule, "maxItems")
        told_by = self.tables.get(path[:-1])
        first, salt = self.parts, self._salt((*(path[:-1] if path[:-1] in self.tables else path), "[]"))
        made = self.part(items_of(rule), path, lists + 1, deep + 1)
        if made is None or fewest > 200:
            return None if fewest else lambda row: []
        finds = not lists and (self._finds(items_of(rule), path) or path[:-1] in self.finding)
        low, spread = ((2, 2), (2, 2), (1, 2))[min(lists, 2)]
        if self.parts - first > 400 or lists > 2:
            low, spread = 1, 1
        low = max(low, int(fewest))
        high = low + spread - 1 if most is None else min(low + spread - 1, int(most))
        low = min(low, high)

        places = _are_places(items_of(rule), (*path, "[]"), self.about)
        apart = self._apart(items_of(rule), path)
        alone = self._is_alone(items_of(rule), path)

        def rows(row: Row) -> list[Any]:
            sought = finds and not self.echoes.searched.isdisjoint(row.arguments)
            single = (sought and self.echoes.names_one(row.arguments)) or (row.shown and (alone or sought))
            count = max(int(fewest), 1) if single else low + row.mixed(salt) % (high - low + 1)
            if lists == 0 and count > fewest:
                count = max(int(fewest), min(count, _asked_for(row.arguments, count)))
            inner = [row.inner(salt, number, places=places) for number in range(count)]
            if told_by is None:
                return _different(made, inner, apart)
            known = (known_by(told_by[1], one) for one in inner)
            return [value if path[-1] == told_by[0] else made(one) for value, one in known]

        return rows

    def _apart(self, schema: Any, path: tuple[str, ...]) -> list[str]:
        """What the rows of a list differ in: their names, and other texts of kinds that there are many of."""
        known = properties_of(resolved(schema, self.root) or {}).items()
        texts = [name for name, one in known if "string" in types_of(object_of(one)) and "enum" not in object_of(one)]
        kinds = {name: kind_of((*path, name), self.about) for name in texts}
        named = [name for name in texts if spell(name)[-1:] in _CALLED]
        many = [name for name, kind in kinds.items() if not is_marked(kind, "unnaming") and "." not in kind]
        listed = [name for name in many if choices(kinds[name]) and kinds[name] not in SHARED and name not in named]
        return [*named, *listed][:_NEAR] or [name for name in texts if spell(name)[-1:] != ("id",)][:1]

    def _is_alone(self, schema: Any, path: tuple[str, ...]) -> bool:
        """Whether documentation shows one of many in words, and nothing is known of what others are called."""
        known = properties_of(resolved(schema, self.root) or {}).items()
        shown = [one for _, one in known for one in examples_of(object_of(one))]
        kinds = [kind_of((*path, name), self.about) for name, _ in known if spell(name)[-1:] in _CALLED]
        named = any(choices(one) and not is_marked(one, "weak") and "place." not in one for one in kinds)
        return not named and any(isinstance(one, str) for one in shown)

    def _finds(self, schema: Any, path: tuple[str, ...], deep: int = 0) -> bool:
        """Whether what is searched for by its name is named here."""
        inside = object_of(schema)
        if not self.echoes.searches or deep > _NEAR or "array" in types_of(inside):
            return False
        if not isinstance(inside.get("properties"), dict):
            return kind_of(path, self.about) == self.echoes.things or self.echoes.names_found(path)
        return any(self._finds(one, (*path, name), deep + 1) for name, one in properties_of(inside).items())

    def _salt(self, path: tuple[str, ...]) -> int:
        return salt_of("|".join(map(squash, path[self.own :])))


def _different(made: Maker, rows: Sequence[Row], apart: Sequence[str]) -> list[Any]:
    """The values of rows, no two alike in what they differ in as long as there are others."""
    found, seen = list[Any](), set[tuple[str, Any]]()
    for row in rows:
        value = made(row)
        while seen & (own := _values_of(value, apart)) and row.shift < _OTHERS * _STEPS:
            row.shift += _OTHERS
            value = made(row)
        seen |= own
        found.append(value)
    return found


def _values_of(value: Any, names: Sequence[str]) -> set[tuple[str, Any]]:
    inside = object_of(value)
    return {(name, inside[name]) for name in names if isinstance(inside.get(name), str)}


def _known(members: Mapping[str, Maker], told_by: str, following: Mapping[str, str]) -> Maker:
    """An object whose parts hang on its id; those that are `following` hang on the id of another thing."""
    identity, followed = members[told_by], set(following.values())

    def made(row: Row) -> dict[str, Any]:
        value, known = known_by(identity, row)
        others = {name: known_by(members[name], known) for name in followed}
        rows = {name: others[one][1] for name, one in following.items()}
        ids = {told_by: value, **{name: other for name, (other, _) in others.items()}}
        return {name: ids[name] if name in ids else one(rows.get(name, known)) for name, one in members.items()}

    return made


def _counted(members: Mapping[str, Maker], rows: str, counts: Collection[str]) -> Maker:
    """An object that says how long its list is."""

    def made(row: Row) -> dict[str, Any]:
        value = {name: one(row) for name, one in members.items()}
        return value | {name: 1 if squash(name).endswith("pages") else len(value[rows]) for name in counts}

    return made


def _are_places(schema: Any, path: tuple[str, ...], about: str) -> bool:
    names = [name for name in properties_of(object_of(schema)) if spell(name)[-1:] in _NAMES]
    return any(kind_of((*path[:-1], name), about).startswith("place.") for name in names)


def _is_table(schemas: Collection[Any]) -> bool:
    """Whether an object is a table by columns: `{"id": [7, 9], "name": ["Hull", "Leeds"]}`."""
    lists = [schema for schema in schemas if "array" in types_of(object_of(schema))]
    return sum(map(_is_column, lists)) > 1 and 2 * len(lists) > len(schemas)


def _is_column(schema: Any) -> bool:
    return "array" in types_of(object_of(schema)) and _is_value(items_of(object_of(schema)))


def _is_value(schema: Any) -> bool:
    inside, types = object_of(schema), set(types_of(object_of(schema)))
    return not {"properties", "items"} & inside.keys() and not types & {"object", "array"} and types != {"null"}


def _asked_for(arguments: Mapping[str, Any], count: int) -> int:
    asked = (value for name, value in arguments.items() if squash(name) in _LIMITS and type(value) is int and value > 0)
    return next(asked, count)
