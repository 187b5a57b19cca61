"""Make plausible values of a JSON Schema.

Contract: the value fits the schema (`UserError` where none is found: a schema that allows nothing, or says what is not
covered). It is a function of schema, name, description and seed: each place in the value has a seed of its own, so that
a change elsewhere in the schema leaves it alone. Time is no input: dates lie in the year 2025. `text_for` makes a text
that a pattern matches; the pattern is read as Python reads it, and nothing is run.

    >>> text_for("^(ORD|INV)-[0-9]{4}[a-f]?$", Random(3)), text_for("^(?=a)b", Random(3))
    ('INV-7623', None)

Not covered: `not` and `if` are only checked, not aimed at; `patternProperties`, `contains`, dependent keywords; rare
formats; correlation between fields (a town and its country); look-around, back-references and Unicode properties in
patterns, where `\\b` is taken to hold.
"""

from __future__ import annotations

import importlib
import math
import re
import string
import uuid
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from random import Random
from typing import Any

from toologue import keys
from toologue.errors import UserError, shown
from toologue.text.names import expected_kinds
from toologue.text.tokens import words_of
from toologue.values.json_schema import (
    fits,
    items_of,
    list_of,
    number_in,
    properties_of,
    required_of,
    resolved,
    types_of,
)

_WORDS = {
    "first": "Ada|Bela|Chidi|Dana|Elif|Farid|Greta|Hugo|Ines|Jonas|Kaori|Lior|Mona|Nils|Oksana|Pia|Quinn|Rosa|Samir|"
    "Tove",
    "last": "Almeida|Brandt|Castro|Dubois|Eriksen|Farouk|Gallo|Hansen|Ito|Jansen|Kovac|Lindqvist|Moreau|Novak|Okafor|"
    "Petrov",
    "place": "Lisbon|Oslo|New York|Kyoto|Porto Alegre|Nairobi|Ghent|Toronto|Cusco|Adelaide",
    "country": "Portugal|Norway|Japan|Brazil|Kenya|Belgium|Canada|Peru|Australia|Italy",
    "street": "Mill Lane|Harbour Street|Oak Avenue|Station Road|Chapel Hill|Garden Row|Bridge Street",
    "title": "Team lunch|Choir practice|Roof inspection|Book club|Budget review|Piano lesson",
    "task": "water the plants|call the plumber|return the library books|book the ferry|sharpen the skates",
    "message": "I'll be ten minutes late.|The boxes are in the hall.|Can you bring the ladder?|See you at six!",
    "query": "boiler repair|parking permit|choir|lost umbrella|train tickets|red kettle",
    "text": "copper kettle|blue lantern|rye bread|north door|spring seeds|garden chair",
    "symbol": "EUR|USD|JPY|OSL|LIS|NOK",
    "company": "Lantern & Sons|Northwind Pipes|Holm Bakery|Grey Heron Books|Copper Room",
    "color": "red|teal|amber|slate|ivory|plum",
    "language": "English|Portuguese|Norwegian|Japanese|French",
    "month": "January|March|May|July|September|November",
    "weekday": "Monday|Tuesday|Thursday|Friday|Sunday",
}
_LISTS = {kind: words.split("|") for kind, words in _WORDS.items()}


def _leaf(kind: str, random: Random) -> str:
    """A text of a kind as in `text.names.Kind`, or of a few more; of an unknown one, two plain words."""
    return _MADE[kind](random) if kind in _MADE else random.choice(_LISTS.get(kind, _LISTS["text"]))


def _digits(random: Random, count: int) -> str:
    return "".join(random.choice("0123456789") for _ in range(count))


def _hex(random: Random, count: int) -> str:
    return f"{random.getrandbits(4 * count):0{count}x}"


def _person(random: Random) -> str:
    return f"{random.choice(_LISTS['first'])} {random.choice(_LISTS['last'])}"


def _email(random: Random) -> str:
    first, last = _person(random).lower().split()
    return f"{first}.{last}@{random.choice(('mail', 'post', 'inbox'))}.example"


def _password(random: Random) -> str:
    words = "Marsh Cedar Tundra Lantern Copper Heron".split()
    return f"{random.choice(words)}{random.choice('!#%&')}{_digits(random, 2)}{random.choice(words).lower()}"


def _slug(random: Random) -> str:
    return random.choice(_LISTS["text"]).replace(" ", "-")


_MADE: dict[str, Callable[[Random], str]] = {
    "person": _person,
    "email": _email,
    "username": lambda random: f"{random.choice(_LISTS['first']).lower()}{random.randint(10, 99)}",
    "password": _password,
    "phone": lambda random: f"{random.randint(201, 989)}-555-01{_digits(random, 2)}",
    "url": lambda random: f"https://{_slug(random)}.example/{_hex(random, 4)}",
    "uuid": lambda random: str(uuid.UUID(int=random.getrandbits(128), version=4)),
    "id": lambda random: f"{_hex(random, 4)}-{_hex(random, 4)}",
    "code": lambda random: _digits(random, 6),
    "zip": lambda random: _digits(random, 5),
    "slug": _slug,
    "hostname": lambda random: f"{_slug(random)}.example",
    "ipv4": lambda random: f"192.0.2.{random.randint(1, 254)}",
    "ipv6": lambda random: f"2001:db8::{random.randint(1, 0xFFFF):x}",
    "address": lambda random: (
        f"{random.randint(1, 120)} {random.choice(_LISTS['street'])}, {random.choice(_LISTS['place'])}"
    ),
}


_ATTEMPTS = 12
_DEEP, _DEEPEST = 4, 12
_BY_WORD = {
    word: kind
    for kind, words in {
        "country": "country nation", "street": "street", "address": "address", "company": "company brand",
        "color": "color colour", "language": "language", "slug": "slug", "zip": "zip postcode",
        "first": "first firstname", "last": "last surname lastname", "hostname": "host hostname",
    }.items()
    for word in words.split()
}  # fmt: skip
_BY_FORMAT = {
    "hostname": "hostname", "ipv4": "ipv4", "ipv6": "ipv6", "idn-email": "email", "uri-reference": "url", "iri": "url",
}  # fmt: skip
_RANGES: dict[str, tuple[float, float]] = {
    word: (low, high)
    for words, low, high in (
        ("year", 1990, 2025), ("age", 18, 80), ("rating page", 1, 5), ("latitude lat", -60, 60),
        ("longitude lng lon", -180, 180), ("price amount cost", 5, 200), ("month", 1, 12), ("day", 1, 28),
        ("hour", 0, 23), ("minute", 0, 59), ("percent", 0, 100), ("quantity", 1, 10), ("guests", 1, 6),
        ("temp", -10, 35),
    )
    for word in words.split()
}  # fmt: skip


_PLAIN = string.ascii_lowercase + string.digits
_CATEGORY = {
    "DIGIT": string.digits, "NOT_DIGIT": string.ascii_letters, "WORD": _PLAIN, "NOT_PLAIN": " -.", "SPACE": " ",
    "NOT_SPACE": _PLAIN,
}  # fmt: skip
_ALL = "".join(map(chr, range(32, 127)))
_LONGEST_PATTERN, _WIDEST = 400, 2000


class _NoValueError(Exception):
    """No value here; another branch may have one."""


@dataclass(frozen=True)
class _Maker:
    root: Any
    seed: int | str
    attempt: int = 0

    def random(self, path: str, *more: int | str) -> Random:
        return Random(keys.seed_of(self.seed, path, self.attempt, *more))


def make(schema: Any, *, name: str = "", description: str = "", seed: int | str) -> Any:
    """A value that fits the schema."""
    for attempt in range(_ATTEMPTS):
        maker = _Maker(schema, seed, attempt)
        try:
            value = _value(maker, schema, name, (name, description), 0)
        except (_NoValueError, OverflowError):
            continue
        if fits(value, schema):
            return value
    raise UserError(
        f"no value was found that fits this schema: {shown(schema)}; simplify it, or give an enum or a const"
    )


def _value(maker: _Maker, schema: Any, path: str, said: tuple[str, str], deep: int) -> Any:
    if schema is True or schema == {}:
        return _text(maker, {"type": "string"}, path, said)
    rule = resolved(schema, maker.root)
    if rule is None or deep > _DEEPEST:
        raise _NoValueError
    rule = _merged(maker, rule, deep)
    if rule.keys() <= {"description", "title", "$defs"}:
        return _text(maker, rule, path, said)
    if "const" in rule:
        return rule["const"]
    if isinstance(rule.get("enum"), list):
        allowed = [value for value in list_of(rule["enum"]) if fits(value, rule, maker.root)]
        if not allowed:
            raise _NoValueError
        return maker.random(path).choice(allowed)
    for key in ("oneOf", "anyOf"):
        if isinstance(rule.get(key), list) and rule[key]:
            return _branch(maker, rule, key, (path, said, deep))
    return _of_type(maker, rule, path, said, deep)


def _of_type(maker: _Maker, rule: Mapping[str, Any], path: str, said: tuple[str, str], deep: int) -> Any:
    match _type(maker, rule, path):
        case "object":
            return _object(maker, rule, path, deep)
        case "array":
            return _array(maker, rule, path, said, deep)
        case "number" | "integer" as type_:
            return _number(maker, rule, path, said, whole=type_ == "integer")
        case "boolean":
            return maker.random(path).random() < 0.5
        case "null":
            return None
        case _:
            return _text(maker, rule, path, said)


def _type(maker: _Maker, rule: Mapping[str, Any], path: str) -> str:
    types = types_of(rule)
    if not types:
        if "properties" in rule or "required" in rule:
            return "object"
        numeric = {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"} & rule.keys()
        return "array" if "items" in rule else "number" if numeric else "string"
    real = [type_ for type_ in types if type_ != "null"]
    return real[maker.attempt % len(real)] if real else "null"


def _branch(maker: _Maker, rule: Mapping[str, Any], key: str, place: tuple[str, tuple[str, str], int]) -> Any:
    """A value of one of the branches that fits the whole; each is tried."""
    path, said, deep = place
    outer = {name: part for name, part in rule.items() if name != key}
    branches = list(enumerate(list_of(rule[key])[:24]))
    maker.random(path, key).shuffle(branches)
    for number, branch in branches:
        inner = _open(branch, maker.root)
        if inner is None:
            continue
        try:
            value = _value(maker, _both(outer, inner), f"{path}|{number}", said, deep + 1)
        except _NoValueError:
            continue
        if fits(value, rule, maker.root):
            return value
    raise _NoValueError


def _merged(maker: _Maker, rule: Mapping[str, Any], deep: int) -> Mapping[str, Any]:
    made: Mapping[str, Any] = {name: part for name, part in rule.items() if name != "allOf"}
    for part in list_of(rule.get("allOf")):
        inner = _open(part, maker.root)
        if inner is None or deep > _DEEPEST:
            raise _NoValueError
        made = _both(made, _merged(maker, inner, deep + 1))
    return made


def _open(schema: Any, root: Any) -> Mapping[str, Any] | None:
    """The schema resolved; `true` is the empty one."""
    return dict[str, Any]() if schema is True else resolved(schema, root)


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Both schemas at once, as far as keywords can be joined."""
    made: dict[str, Any] = {**one, **other}
    for key in ("minimum", "minLength", "minItems", "maximum", "maxLength", "maxItems"):
        bounds = [bound for part in (one, other) if (bound := number_in(part, key)) is not None]
        if len(bounds) == 2:
            made[key] = max(bounds) if key.startswith("min") else min(bounds)
    twice = one.keys() & other.keys()
    if "properties" in twice:
        made["properties"] = properties_of(one) | properties_of(other)
    if "required" in twice:
        made["required"] = list(dict.fromkeys([*required_of(one), *required_of(other)]))
    if "enum" in twice:
        made["enum"] = [value for value in list_of(one["enum"]) if value in list_of(other["enum"])]
    if types_of(one) and types_of(other):
        both = [type_ for type_ in types_of(one) if type_ in types_of(other)]
        numeric = {"integer", "number"} <= {*types_of(one), *types_of(other)}
        made["type"] = both or (["integer"] if numeric else [])
    return made


def _object(maker: _Maker, rule: Mapping[str, Any], path: str, deep: int) -> dict[str, Any]:
    properties, required = properties_of(rule), required_of(rule)
    rest = rule.get("additionalProperties", True)
    made: dict[str, Any] = {}
    for key in dict.fromkeys([*properties, *required]):
        if key not in required and deep >= _DEEP:
            continue
        try:
            made[key] = _value(maker, properties.get(key, rest), f"{path}/{key}", (key, ""), deep + 1)
        except _NoValueError:
            if key in required:
                raise
    most, fewest = number_in(rule, "maxProperties"), number_in(rule, "minProperties") or 0
    surplus = max(0, len(made) - int(most)) if most is not None else 0
    for key in [key for key in reversed(made) if key not in required][:surplus]:
        del made[key]
    for number in range(min(int(fewest), 64) - len(made)):
        made[f"extra{number}"] = _value(maker, rest, f"{path}/extra{number}", ("", ""), deep + 1)
    return made


def _array(maker: _Maker, rule: Mapping[str, Any], path: str, said: tuple[str, str], deep: int) -> list[Any]:
    fewest, most = int(number_in(rule, "minItems") or 0), number_in(rule, "maxItems")
    longest = int(most) if most is not None else max(fewest, 1) + 2
    lowest = fewest if deep >= _DEEP else max(fewest, min(1, longest))
    if longest < lowest or fewest > 1000:
        raise _NoValueError
    count = maker.random(path, "length").randint(lowest, min(longest, lowest + 2)) if deep < _DEEP else lowest
    first = list_of(rule.get("prefixItems"))
    name = said[0].removesuffix("s")
    made: list[Any] = []
    tries = 0
    while len(made) < count and tries < 8 * count + 8:
        schema = first[len(made)] if len(made) < len(first) else items_of(rule)
        try:
            item = _value(maker, schema, f"{path}/{tries}", (name, said[1]), deep + 1)
        except _NoValueError:
            if fewest > len(made):
                raise
            break
        tries += 1
        if rule.get("uniqueItems") is not True or keys.canonical(item) not in [keys.canonical(other) for other in made]:
            made.append(item)
    return made


def _number(maker: _Maker, rule: Mapping[str, Any], path: str, said: tuple[str, str], *, whole: bool) -> int | float:
    random, words = maker.random(path), words_of(said[0])
    usual = next((_RANGES[word] for word in reversed(words) if word in _RANGES), (1.0, 100.0))
    floor = max(_numbers(rule, "minimum", "exclusiveMinimum"), default=None)
    ceiling = min(_numbers(rule, "maximum", "exclusiveMaximum"), default=None)
    step = number_in(rule, "multipleOf")
    unit = step if step and step > 0 else 1 if whole else 0.01
    if whole and not float(unit).is_integer():
        unit = 1 if float(1 / unit).is_integer() else unit * 10
    low, high = _range(usual, floor, ceiling, 100 * unit)
    first, last = math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9)
    first += first * unit == number_in(rule, "exclusiveMinimum")
    last -= last * unit == number_in(rule, "exclusiveMaximum")
    if last < first and floor is None and ceiling is None:
        first, last = 0, 3
    if last < first:
        if whole or step:
            raise _NoValueError
        return low + (high - low) * random.choice((0.25, 0.5, 0.75))
    value = random.randint(first, last) * unit
    return int(value) if whole else round(value, 6) if step is None or isinstance(step, int) else value


def _numbers(rule: Mapping[str, Any], *keywords: str) -> list[int | float]:
    return [bound for key in keywords if (bound := number_in(rule, key)) is not None]


def _range(usual: tuple[float, float], floor: float | None, ceiling: float | None, wide: float) -> tuple[float, float]:
    """The usual range where the bounds allow it, else between the bounds, or near the only one."""
    low = usual[0] if floor is None else max(usual[0], floor)
    high = usual[1] if ceiling is None else min(usual[1], ceiling)
    if low < high or (low == high and floor == ceiling):
        return low, high
    if floor is not None:
        return floor, floor + wide if ceiling is None else ceiling
    return (low, high) if ceiling is None else (ceiling - wide, ceiling)


def _text(maker: _Maker, rule: Mapping[str, Any], path: str, said: tuple[str, str]) -> str:
    random = maker.random(path)
    pattern = rule.get("pattern")
    if isinstance(pattern, str):
        for spread in (2, 4, 8, 16, 0, 1, 3, 32):
            made = text_for(pattern, random, spread=spread)
            if made is not None and fits(made, rule, maker.root):
                return made
        raise _NoValueError
    made = _worded(maker, rule, random, said)
    fewest, most = int(number_in(rule, "minLength") or 0), number_in(rule, "maxLength")
    if fewest > 10_000:
        raise _NoValueError
    while len(made) < fewest:
        made += (" " if len(made) + 1 < fewest else "") + _leaf("text", random)
    return made if most is None else made[: max(int(most), 0)]


def _worded(maker: _Maker, rule: Mapping[str, Any], random: Random, said: tuple[str, str]) -> str:
    form = rule.get("format")
    asked = expected_kinds(rule, said[0], said[1], maker.root)
    want = next((want for want in asked if want.kind not in ("array", "number", "integer", "boolean")), None)
    if isinstance(form, str) and form in _BY_FORMAT:
        return _leaf(_BY_FORMAT[form], random)
    if want is None:
        return _leaf("text", random)
    if want.kind in ("date", "time", "moment"):
        moment = datetime(2025, 1, 1) + timedelta(minutes=15 * random.randrange(365 * 96))
        if want.past:
            moment = moment.replace(year=random.randint(1950, 2004), day=min(moment.day, 28))
        if want.form in ("rfc3339", "epoch"):
            return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        return moment.strftime(want.form) + ("Z" if want.schema.get("format") == "time" else "")
    named = want.kind in ("place", "person", "text", "id", "title")
    word = next((_BY_WORD[word] for word in reversed(want.words) if named and word in _BY_WORD), want.kind)
    return _leaf(word, random)


def text_for(pattern: str, random: Random, *, spread: int = 3) -> str | None:
    """A text that the pattern matches, or None. Open repetitions take up to `spread` more than they must."""
    try:
        return _either(_tree(pattern), random, spread)
    except (re.error, _NoValueError, ValueError, OverflowError, RecursionError):
        return None


@lru_cache(maxsize=256)
def _tree(pattern: str) -> Any:
    if len(pattern) > _LONGEST_PATTERN:
        raise _NoValueError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("re._parser").parse(pattern)


def _either(tree: Any, random: Random, spread: int) -> str:
    """A text for each alternative; one is kept."""
    forks: list[Any] = [given for sign, given in tree if str(sign) == "BRANCH"] if len(tree) == 1 else []
    branches: list[Any] = forks[0][1] if forks else [tree]
    return random.choice([_sequence(branch, random, spread) for branch in branches])


def _sequence(tree: Any, random: Random, spread: int) -> str:
    made = ""
    for sign, given in tree:
        fewest, most, part = 1, 1, [(sign, given)]
        if str(sign) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            fewest, most, part = given
        if fewest > _LONGEST_PATTERN:
            raise _NoValueError
        first = _part(part, random, spread)
        for number in range(random.randint(fewest, min(int(most), fewest + spread))):
            made += _part(part, random, spread) if number else first
        if len(made) > 4 * _LONGEST_PATTERN:
            raise _NoValueError
    return made


def _part(tree: Any, random: Random, spread: int) -> str:
    if len(tree) != 1:
        return _sequence(tree, random, spread)
    ((sign, given),) = tree
    match str(sign):
        case "AT":
            return ""
        case "LITERAL":
            return chr(given)
        case "ANY":
            return random.choice(_PLAIN)
        case "NOT_LITERAL":
            return random.choice(_ALL.replace(chr(given), ""))
        case "IN":
            return random.choice(_letters(given))
        case "SUBPATTERN" | "ATOMIC_GROUP":
            return _either(given[-1] if str(sign) == "SUBPATTERN" else given, random, spread)
        case "BRANCH":
            return _either(tree, random, spread)
        case _:
            raise _NoValueError


def _letters(members: Any) -> str:
    found = ""
    for sign, given in members:
        match str(sign):
            case "LITERAL":
                found += chr(given)
            case "RANGE" if given[1] - given[0] < _WIDEST:
                found += "".join(map(chr, range(given[0], given[1] + 1)))
            case "CATEGORY":
                found += _CATEGORY[str(given).removeprefix("CATEGORY_")]
            case "NEGATE":
                pass
            case _:
                raise _NoValueError
    return "".join(sign for sign in _ALL if sign not in found) if str(members[0][0]) == "NEGATE" else found
