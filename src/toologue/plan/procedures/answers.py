"""What a customer may answer when a procedure asks for values: right ones, and one wrong at a time.

A slot is *known* to customers where it feeds an Api that looks something up, or is compared with a result: its values
are those of one customer's rows, one that no row has and one of somebody else. Any other slot is *free*: values come
from examples and the documents' forms, on both sides of what conditions compare them with, and one is malformed.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache, cached_property
from random import Random
from typing import Any, Literal, cast

from pydantic import JsonValue
from rapidfuzz.distance import Levenshtein

from toologue import keys
from toologue.plan.procedures.service import Service, around, comparisons
from toologue.plan.procedures.value_errors import spoil
from toologue.schema import Api, Procedure, ValueKind
from toologue.schema.jsonl import leaves
from toologue.schema.procedure import reached
from toologue.text.tokens import plural, singular
from toologue.values.conditions import Expression
from toologue.values.json_schema import items_of, list_of, object_of, properties_of
from toologue.values.make import make
from toologue.worlds.store import Row

Place = tuple[str, str]
# (table, path of a field in its rows)
Field = tuple[str, tuple[str, ...]]

_PERSONAL = ("email", "phone", "birth_date", "date_of_birth")


class Rows:
    """The rows of all tables, by table and key."""

    def __init__(self, tables: Mapping[str, Mapping[str, Row]]):
        self.tables = tables
        self._keys = {table: _key_field(rows) for table, rows in tables.items()}
        self._names = {table: {name for row in rows.values() for name in row} for table, rows in tables.items()}
        self.related = cache(self._relate)
        self._fields = defaultdict[str, set[Field]](set)
        # Fields of what stands in lists inside of rows.
        self.inside = set[Field]()
        self._parents, self._children = defaultdict[Place, set[Place]](set), defaultdict[Place, set[Place]](set)
        every = [place for table in tables for place in self.places(table)]
        named = defaultdict[str, list[Place]](list)
        for place in every:
            named[place[1]].append(place)
        for place in every:
            for steps, value in leaves(self.row(place)):
                path = tuple(step for step in steps if isinstance(step, str))
                self._fields[path[-1]].add((place[0], path))
                self.inside |= {(place[0], path)} if len(path) < len(steps) else set()
                for other in named.get(str(value), ()) if isinstance(value, str | int) else ():
                    if other != place and (self._keys[other[0]] == path[-1] or not str(value).isdigit()):
                        self._parents[place].add(other)
                        self._children[other].add(place)

    def row(self, place: Place) -> Row:
        """The row in a place."""
        return self.tables[place[0]][place[1]]

    def keyed(self, parameter: str) -> str | None:
        """The table whose rows are named by a field of this name."""
        return next((table for table, key in self._keys.items() if key == parameter), None)

    def fields(self, name: str) -> list[Field]:
        """Where rows have a field of this name, at any depth; the shallowest first."""
        return sorted(self._fields.get(name, ()), key=lambda field: (len(field[1]), field))

    def listed(self, name: str) -> list[Field]:
        """Where rows have what a list of this name holds (`item_ids`, `items`): keys, fields, ids of parts of rows."""
        one = singular(name)
        about = plural(one.removesuffix("_id"))
        keyed = [(table, (key,)) for table, key in self._keys.items() if key and (key == one or table == about)]
        every = sorted(field for fields in self._fields.values() for field in fields)
        parts = [field for field in every if field in self.inside and field[1][-2:-1] in ((about,), (name,))]
        ids = [field for field in parts if re.search(r"(^|_)id$", field[1][-1])]
        return keyed or self.fields(one) or ids or self.fields(name)

    def values(self, place: Place, path: Sequence[str]) -> list[JsonValue]:
        """What the row in a place holds at a path, in lists, too."""
        found: list[Any] = [self.row(place)]
        for name in path:
            held = [object_of(row).get(name) for row in found]
            found = [one for value in held for one in (list_of(value) if isinstance(value, list) else [value])]
        return [value for value in found if value is not None]

    def places(self, table: str) -> list[Place]:
        """The places of a table, in its order."""
        return [(table, key) for key in self.tables[table]]

    def shown_by(self, names: Iterable[str], *, most: bool = False) -> str | None:
        """The table whose rows have most of these fields, of equal ones that with the fewest others; None if none.

        With `most`, None as well where these are less than half of its fields.
        """
        named = set(names)
        shared = {table: len(named & fields) for table, fields in self._names.items()}
        best = max(shared, key=lambda table: (shared[table], -len(self._names[table])), default=None)
        least = len(self._names[best]) / 2 if most and best else 1
        return best if best is not None and shared[best] >= least else None

    def owned(self, table: str) -> bool:
        """Whether the rows of a table are people, or belong to some."""
        return any(map(self._is_person, reached(self.places(table)[:1], self._parents)))

    def _relate(self, known: frozenset[Place]) -> frozenset[Place]:
        found = reached(known, self._parents)
        spreading = known | {place for place in found if self._is_person(place)}
        return frozenset(found | {child for place in spreading for child in self._children[place]})

    def _is_person(self, place: Place) -> bool:
        return any(name in self.row(place) for name in _PERSONAL)


def at(row: Any, path: Iterable[str]) -> Any:
    """What a row holds at a path; None where there is nothing."""
    for name in path:
        row = cast("Mapping[str, Any]", row).get(name) if isinstance(row, Mapping) else None
    return row


def _key_field(rows: Mapping[str, Row]) -> str | None:
    if not rows:
        return None
    key, first = next(iter(rows.items()))
    named = [name for name, value in first.items() if str(value) == key]
    # where keys stand twice, a row is named with what it lies under: `7 (ada, lamp)`
    every = (name for name in named if all(key.partition(" (")[0] == str(row.get(name)) for key, row in rows.items()))
    return next(every, None)


Wrong = Literal["", "unknown", "another", "malformed"]

_MOST_ROWS = 120
_OTHERS, _SLIPS = 4, 24
# In so many ways somebody gets their only value wrong: nothing refused is said again.
_GUESSES = 3
# Rows with one of these are people; these of their fields name them; so many such values are told of.
_REACHED, _NAMING, _STRANGERS = {"email", "phone"}, ("email", "phone", "name", "holder", "iban"), 60
# What people know by heart: nobody errs in the day of their birth, and names and postcodes go wrong in typing alone.
_BY_HEART = re.compile(r"(^|_)(birth|born)|name$|holder$|passenger$|post_?(al_?)?code$|^zip")
# Digits that are taken for each other on paper.
_ALIKE = dict(zip("0123456789", "8778965134", strict=True))
# So many days somebody is out who errs in a day.
_OUT = (-7, -2, -1, 1, 2, 7)
# So many rows count that hold the same value.
_SAME = 3
# So many are named where a list is wanted.
_IN_A_LIST = 3
# So many values of a choice are said, beside those that conditions compare it with.
_CHOICES = 3
# Days from now, where any day may be said.
_DAYS = (16, 5, 44, 2, -3, 120, 400)
_KINDS: dict[ValueKind, str] = {
    "email": r"e_?mail",
    "phone": r"phone|mobile",
    "order_number": r"order_?(id|no|number)$",
    "amount": r"amount|price|sum$",
    "address": r"street|city|postal|postcode|zip|country|address",
    "date": r"(^|_)(date|day|birth|born|until|from|on)($|_)",
    "name": r"name$|surname|passenger$|holder$",
    "reference": r"(_id|_?number|_?code|reference|locator|_no|iban|serial)$",
    "reason": r"reason|case|summary|description|problem|symptom|complaint|what|why|message|note",
}


@dataclass(frozen=True)
class Limit:
    """What a condition compares a slot with: a value, or how many days ago the slot is."""

    value: JsonValue
    days: bool = False


@dataclass(frozen=True)
class Slot:
    """A slot: its schema, what kind of value it is, the fields that hold it where customers know it."""

    name: str
    schema: Mapping[str, Any]
    kind: ValueKind
    fields: tuple[Field, ...]
    # Whether it is a list of what the fields hold.
    many: bool = False
    limits: tuple[Limit, ...] = ()
    # The results that it is compared with.
    paths: tuple[tuple[str, ...], ...] = ()
    # Whether customers say what examples list, and nothing else.
    listed: bool = False

    @property
    def by_heart(self) -> bool:
        """Whether people know their own without looking: a name, the day of birth, a postcode."""
        return _BY_HEART.search(self.name) is not None


@dataclass(frozen=True)
class Option:
    """Values for what was asked, the rows that this customer knows, and in which way the value of a slot is wrong."""

    values: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    knows: frozenset[Place] = frozenset()
    wrong: Wrong = ""
    slot: str = ""
    # Where free values stand in their lists.
    place: int = 0

    @cached_property
    def key(self) -> str:
        """The values as a key."""
        return keys.content_key(dict(self.values))


class Answers:
    """The answers to what one procedure asks."""

    def __init__(self, procedure: Procedure, service: Service):
        self._procedure, self._service = procedure, service
        self._rows = Rows(service.rows)
        names = dict.fromkeys(slot for step in procedure.steps for slot in step.collects)
        self._compared = list(_comparisons(procedure, service.now))
        self._known, self._options = cache(self._look), cache(self._make_options)
        self.strangers = cache(self._others_than)
        self.slots = {name: self._slot(name) for name in names}

    def _others_than(self, knows: frozenset[Place]) -> tuple[str, ...]:
        """What names other customers than the one who knows these rows: values that nobody should say."""
        mine = self._rows.related(self._rows.related(knows)) if knows else frozenset[Place]()
        own = {str(value) for place in mine for value in self._rows.row(place).values()}
        every = (place for table in self._rows.tables for place in self._rows.places(table))
        others = (self._rows.row(place) for place in every if place not in mine)
        named = {str(row[name]) for row in others if _REACHED & row.keys() for name in _NAMING if row.get(name)}
        return tuple(sorted(named - own)[:_STRANGERS])

    def options(
        self,
        asked: Sequence[str],
        knows: frozenset[Place],
        *,
        seed: int | str,
        values: Mapping[str, JsonValue] | None = None,
    ) -> list[Option]:
        """The answers to a question for these slots, by somebody who knows these rows; the right ones first.

        `values` are what is known by then: a slot that is compared with a result, and that no row knows, may be that.
        """
        shown = tuple(tuple(self._shown_in(values or {}, self.slots[name])) for name in asked)
        return self._options(tuple(asked), knows, seed, shown)

    def table(self, path: Sequence[str]) -> str | None:
        """The table whose rows have what lies at this path of a result that is looked up, or what a slot is."""
        name, *within = path
        api = next((self._service.apis.get(step.api) for step in self._procedure.steps if step.result == name), None)
        if api is None:
            slot = self.slots.get(name)
            return slot.fields[0][0] if slot and slot.fields else None
        schema, found = api.returns, list[str | None]()
        for step in () if api.writes else within:
            named = properties_of(schema)
            found.append(self._rows.shown_by(named, most=True))
            schema = object_of(items_of(schema) if step == "[]" else named.get(step))
        return next(filter(None, reversed(found)), None)

    def invents(self, name: str, value: JsonValue, knows: frozenset[Place]) -> bool:
        """Whether a slot that names parts of rows, or lists rows, has a value that none of this customer's rows has."""
        slot = self.slots.get(name)
        if slot is None or not (slot.many or self._rows.inside.intersection(slot.fields)):
            return False
        held = {str(one) for known, _ in self._known(name, knows) for one in _each(slot, known)}
        return any(str(one) not in held for one in _each(slot, value))

    def _make_options(
        self, asked: Sequence[str], knows: frozenset[Place], seed: int | str, shown: Sequence[Sequence[JsonValue]]
    ) -> list[Option]:
        right = [Option({}, knows)]
        for name, values in zip(asked, shown, strict=True):
            right = [longer for option in right for longer in self._right(self.slots[name], option, seed, values)]
            right = right if len(right) <= _MOST_ROWS else _some(right, _MOST_ROWS, seed)
        some = _some(right, _SLIPS, seed, *asked)
        times = _GUESSES if len(right) == 1 else 1
        wrong = [bad for name in asked for option in some for bad in self._wrong(self.slots[name], option, seed, times)]
        return [*right, *{one.key: one for one in wrong}.values()]

    def _shown_in(self, values: Mapping[str, JsonValue], slot: Slot) -> Iterator[JsonValue]:
        for path in slot.paths:
            if (value := at(values, path)) is not None and not isinstance(value, list | dict):
                yield value

    def _right(self, slot: Slot, so_far: Option, seed: int | str, shown: Sequence[JsonValue]) -> Iterator[Option]:
        given = slot.name in self._procedure.examples
        beside = any((name in self._procedure.examples) == given for name in so_far.values)
        known = [] if slot.listed else self._known(slot.name, so_far.knows)
        if so_far.values:  # one row has what is said in one breath, and so has one line of the examples
            known = [one for one in known if one[1] in so_far.knows] or known
            known = [] if given and beside and not so_far.knows else known
        for value, place in known:
            yield replace(so_far, values={**so_far.values, slot.name: value}, knows=so_far.knows | {place})
        if known and (not given or (slot.by_heart and so_far.knows)):
            return
        free = [*shown, *self._free(slot, seed)]
        places = self._near(slot, so_far.knows) if given and not shown else range(len(free))
        if beside and not slot.limits and not shown and (given or "enum" not in slot.schema):
            places = [so_far.place % len(free)] if free else []
        held = {str(value): {place} for value, place in self._known(slot.name, frozenset[Place]())} if given else {}
        for place in places:
            knows = so_far.knows.union(held.get(str(free[place]), ()))
            yield replace(so_far, values={**so_far.values, slot.name: free[place]}, knows=knows, place=place)

    def _near(self, slot: Slot, knows: frozenset[Place]) -> Sequence[int]:
        """The places of a slot's examples; of addresses, those that have most in common with what this customer has."""
        examples = self._procedure.examples
        places = range(len(examples[slot.name]))
        beside = [name for name, said in examples.items() if len(said) == len(places)]
        beside = [name for name in beside if self.slots[name].kind == "address"]
        mine = {name: self._held(self._rows.fields(name), self._rows.related(knows)) for name in beside if knows}
        common = [sum(str(examples[name][place]) in held for name, held in mine.items()) for place in places]
        return [place for place in places if common[place] == max(common)]

    def _look(self, name: str, knows: frozenset[Place]) -> list[tuple[JsonValue, Place]]:
        """The values that a slot has in rows that this customer knows, in all rows if none is known yet.

        Rows that are nobody's own (areas, days that are free) are known to all; some of them come last.
        """
        slot, own = self.slots[name], self._rows.related(knows) if knows else None
        found: dict[str, list[tuple[JsonValue, Place]]] = defaultdict(list)
        for table, path in slot.fields:
            every, inside = self._rows.places(table), (table, path) in self._rows.inside
            mine = every if own is None else [place for place in every if place in own]
            mine = [place for place in mine if inside and place in knows] or mine
            open_to_all = not inside and (not mine or not self._rows.owned(table))
            others = [place for place in every if place not in mine] if open_to_all else []
            for place in [*mine, *(keys.drawn(others, label="".join)[:_OTHERS] if mine else others)]:
                held = self._rows.values(place, path) if inside or slot.many else [at(self._rows.row(place), path)]
                for value in _lists(held) if slot.many else held:
                    if value is not None and (slot.many or not isinstance(value, list)):
                        found[str(value)].append((value, place))
        return [one for same in found.values() for one in same[:_SAME]]

    def _wrong(self, slot: Slot, right: Option, seed: int | str, times: int) -> Iterator[Option]:
        good = right.values[slot.name]
        rng = Random(keys.seed_of(seed, slot.name, right.key))
        if not slot.fields:
            spoilt = spoil(good, slot.schema, seed=rng.getrandbits(32)) if isinstance(good, str) else None
            if spoilt is not None and spoilt.malformed and slot.schema:
                yield Option({**right.values, slot.name: spoilt.said}, right.knows, "malformed", slot.name)
            return
        *rest, last = list_of(good) if slot.many else [good]
        every = [one for value, _ in self._known(slot.name, frozenset[Place]()) for one in _each(slot, value)]
        taken = set(map(str, every))
        unknown = (_unknown_value(last, taken, rng) for _ in range(times) if not (slot.by_heart and _is_day(last)))
        for value in filter(None, unknown):
            said = [*rest, value] if slot.many else value
            yield Option({**right.values, slot.name: said}, right.knows, "unknown", slot.name)
        known = self._known(slot.name, right.knows) if right.knows else []
        mine = {str(one) for value, _ in known for one in _each(slot, value)}
        others = [value for value in every if str(value) not in mine]
        if others and mine:
            drawn = keys.drawn(others, seed, str(good), label=str)
            other = min(drawn, key=lambda one: Levenshtein.distance(str(one), str(last)))
            said = [*rest, other] if slot.many else other
            yield Option({**right.values, slot.name: said}, right.knows, "another", slot.name)

    def _free(self, slot: Slot, seed: int | str) -> list[JsonValue]:
        """Values for a slot that no row knows; those in one place of several lists belong together."""
        schema: Any = slot.schema
        if given := self._procedure.examples.get(slot.name):
            return list(given)
        if choices := list_of(schema.get("enum")):
            compared = [one.value for one in slot.limits if one.value in choices]
            others = [one for one in choices if one is not None and one not in compared]
            return [*compared, *keys.drawn(others, seed, slot.name, label=str)[:_CHOICES]]
        if slot.limits:
            now = self._service.now
            return [near for one in slot.limits for near in around(one.value, now if one.days else "")]
        if schema.get("type") == "boolean":
            return [True, False]
        listed = schema.get("examples") or ([schema["example"]] if "example" in schema else [])
        if listed:
            return list(listed)
        if schema.get("format") == "date":
            today = datetime.fromisoformat(self._service.now)
            return [(today + timedelta(days=days)).strftime("%Y-%m-%d") for days in _DAYS]
        seeds = (keys.seed_of(slot.name, seed, number) for number in range(2))
        made = [make(schema or {"type": "string"}, name=slot.name, seed=seed) for seed in seeds]
        return [round(value, 2) if isinstance(value, float) else value for value in made]

    def _slot(self, name: str) -> Slot:
        uses = [
            (api, parameter)
            for step in self._procedure.steps
            for parameter, expression in step.arguments.items()
            if expression.strip() == name and (api := self._service.apis.get(step.api))
        ]
        schemas = (api.parameters[name].json_schema for api, name in uses if name in api.parameters)
        schema = next(schemas, dict[str, Any]())
        fields, likely = list[Field](), list[Field]()
        many = schema.get("type") == "array" and "enum" not in object_of(schema.get("items"))
        for api, parameter in uses:
            named = self._service.names(api.name).get(parameter)
            if many:
                tables = {table for table, _ in self._service.names(api.name).values()}
                fields += sorted(self._rows.listed(parameter), key=lambda one: one[0] not in tables)[:1]
            elif table := self._rows.keyed(parameter):
                fields.append((table, (parameter,)))
            elif named and self._service.rows.get(named[0]):
                fields.append((named[0], (named[1],)))
            elif not api.writes:
                likely += self._shown(api, parameter)
        compared = [(other, ordered) for slot, other, ordered in self._compared if slot == name]
        results = {step.result: step.api for step in self._procedure.steps if step.result}
        paths = {other: ordered for other, ordered in compared if not isinstance(other, Limit)}
        for path in (one for one, ordered in paths.items() if len(one) > 1 and not ordered):
            if api := self._service.apis.get(results.get(path[0], "")):
                likely += self._shown(api, path[-1])
        limits = [other for other, _ in compared if isinstance(other, Limit) and other.value is not None]
        every, listed = [*fields, *likely], False
        if examples := {*map(str, self._procedure.examples.get(name, ()))}:
            limits = [one for one in limits if not _is_day(one.value)]
            # whoever gives wrong values has said which; where none is a row's, the rows' are said as well
            listed = not examples.isdisjoint(self._held(every)) or not every
            every = every if not listed else fields if examples <= self._held(fields) else []
        known = tuple(dict.fromkeys(every))
        many = many and bool(known)
        return Slot(name, schema, _kind(name, schema), known, many, tuple(limits), tuple(paths), listed)

    def _held(self, fields: Iterable[Field], among: Collection[Place] | None = None) -> set[str]:
        """What rows have in these fields: all rows, or those among them."""
        places = ((place, path) for table, path in fields for place in self._rows.places(table))
        places = ((place, path) for place, path in places if among is None or place in among)
        return {str(value) for place, path in places for value in self._rows.values(place, path)}

    def _shown(self, api: Api, name: str) -> list[Field]:
        shown = self._rows.shown_by(_properties(api.returns))
        every = self._rows.fields(name)
        return [one for one in every if one[0] == shown][:1] or every[:1]


def _lists(held: list[JsonValue]) -> list[JsonValue]:
    """Lists of what is held: of the first, and of several where there are."""
    return [held[:many] for many in (1, _IN_A_LIST) if len(held) >= min(many, 2)]


def _each(slot: Slot, value: JsonValue) -> list[JsonValue]:
    return list_of(value) if slot.many else [value]


def _some(options: Sequence[Option], most: int, *seed: int | str) -> list[Option]:
    """At most so many options by chance: what is drawn stays so when others come or go."""
    return keys.drawn(options, *seed, label=lambda one: one.key)[:most]


def _comparisons(procedure: Procedure, now: str) -> Iterator[tuple[str, Limit | tuple[str, ...], bool]]:
    """(slot, the path of a result or the value that a condition compares it with, whether that only bounds it)."""
    said = {"now": now, **procedure.facts}
    for step in procedure.steps:
        for branch in (one for one in step.branches if one.condition):
            for side, others, ordered in comparisons(branch.condition):
                days = isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id == "days_since"
                inner = side.args[0] if days and isinstance(side, ast.Call) else side
                for other in others if isinstance(inner, ast.Name) else ():
                    expression = Expression(ast.unparse(other), other)
                    if expression.names <= said.keys():
                        yield ast.unparse(inner), Limit(expression.value(said), days), ordered
                    elif isinstance(other, ast.Attribute):
                        yield ast.unparse(inner), expression.paths[0], ordered


def _properties(schema: Any) -> Iterator[str]:
    for word, part in object_of(schema).items():
        if word == "properties":
            yield from object_of(part)
            yield from (name for one in object_of(part).values() for name in _properties(one))
        elif word in ("items", "allOf", "oneOf", "anyOf"):
            yield from (name for one in list_of(part) or [part] for name in _properties(one))


def _kind(name: str, schema: Mapping[str, Any]) -> ValueKind:
    form = schema.get("format")
    if form in ("email", "date", "date-time"):
        return "email" if form == "email" else "date"
    is_text = "enum" not in schema and schema.get("type") in (None, "string")
    fitting: list[ValueKind] = [kind for kind, pattern in _KINDS.items() if re.search(pattern, name)]
    return fitting[0] if fitting and (fitting[0] != "reason" or is_text) else "other"


def _unknown_value(value: JsonValue, taken: set[str], rng: Random) -> JsonValue:
    varied = (_vary(value, rng) for _ in range(50))
    return next((other for other in varied if other is not None and str(other) not in taken), None)


def _is_day(value: JsonValue) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value) is not None


def _vary(value: JsonValue, rng: Random) -> JsonValue:
    """A value as somebody misreads or mistypes it: one sign is another, or has changed places with the next."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        varied = _misread(str(value), rng)
        return type(value)(varied) if varied and not varied.startswith("0") else None
    text = str(value)
    if _is_day(text):
        return f"{datetime.fromisoformat(text) + timedelta(days=rng.choice(_OUT)):%Y-%m-%d}"
    local, sign, host = text.partition("@")
    if sign:
        return (varied := _mistyped(local, rng)) and f"{varied}@{host}"
    return _misread(text, rng) if re.search(r"\d", text) else _mistyped(text, rng)


def _misread(text: str, rng: Random) -> str:
    """A digit is taken for one that looks like it, or for its neighbour."""
    places = [place for place, sign in enumerate(text) if sign.isdigit()]
    at = rng.choice(places)
    if at + 1 in places and text[at] != text[at + 1] and rng.random() < 0.5:
        return _swapped(text, at)
    return f"{text[:at]}{_ALIKE.get(text[at], text[at])}{text[at + 1 :]}"


def _mistyped(text: str, rng: Random) -> str | None:
    """A small letter is left out, or changes places with the next; none where there are too few."""
    places = [at for at in range(1, len(text) - 1) if text[at : at + 2].islower() and text[at : at + 2].isalpha()]
    if not places:
        return None
    at = rng.choice(places)
    return text[:at] + text[at + 1 :] if text[at] == text[at + 1] or rng.random() < 0.5 else _swapped(text, at)


def _swapped(text: str, at: int) -> str:
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
