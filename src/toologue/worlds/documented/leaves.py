"""Makers of single values: a documented leaf becomes a function from a row to a value that fits it.

In this order: what the schema fixes (const, enum), what the name means (`text.names`), what documented examples look
like, what `values.make` thinks up. An object that has an id is made from it, so that Apis of one provider agree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from math import inf
from pathlib import Path
from typing import Any
from zlib import crc32

from toologue.apis.schemas import list_of, object_of
from toologue.data import shipped
from toologue.errors import UserError
from toologue.text.names import group, is_marked, kind_about, kind_of, kind_wraps
from toologue.text.tokens import is_spoken, singular, spell, split_compound
from toologue.values.json_schema import fits, number_in, types_of
from toologue.values.make import make
from toologue.worlds.documented.row import TEXTS, Row, choices, is_placeholder, like, moment_form

_TRIES = 1024


Maker = Callable[[Row], Any]

_FREE = frozenset(("type", "title", "description", "examples", "example", "default", "readOnly", "writeOnly"))
_FORMATS = {"date": "day", "date-time": "moment", "email": "email", "uri": "url", "url": "url", "uuid": "uuid",
            "unix-time": "moment"}  # fmt: skip
_TOPS = {"stars": 5.0, "percent": 100.0, "month": 12.0, "day number": 28.0, "age": 99.0}
_ANY = (1.0, 90.0)
# What is only counted in wholes.
_WHOLE = frozenset(("age", "year", "season", "count", "few"))
# A unit that a description ends with, or says in brackets.
_UNIT = re.compile(r"(?:\bin|\bout of|\()\s*([a-zA-Z°%µμ/0-9³²]+)")
_SPELLINGS = {
    "place.country": ("place.code", "place.code3"), "place.code": ("place.code3",), "place.lang": ("place.language",),
    "place.region": ("place.region_code",), "place.language": ("place.lang",), "company.name": ("company.symbol",),
    "place.city": ("place.airport",), "coin.name": ("coin.symbol",),
}  # fmt: skip
# Who is met by whom: two of them are never the same.
_MET = {
    "away": "home", "visitor": "home", "visiting": "home", "to": "from", "destination": "origin",
    "arrival": "departure", "loser": "winner", "2": "1", "b": "a",
}  # fmt: skip
# What is no longer than this is a code.
_LEAST = 2
_SUCH = re.compile(
    r"\b(?:[Ee]\.g\.|[Ff]or example|[Ss]uch as),?:? [\"'`]?"
    r"([A-Z0-9][\w-]*(?:(?:, (?:or |and )?| or | and )[A-Z0-9][\w-]*)*)"
)
# What ends, or arrives, on the day on which it began.
_SOON = frozenset(("end", "ends", "until", "to", "finish", "arrival", "arrives"))
_TYPES: dict[type, str] = {bool: "boolean", int: "integer", float: "number"}
_SHAPES = {
    **dict.fromkeys(("id", "ids", "identifier", "number", "key"), "1000000"),
    "code": "AB100",
    "token": "a1b2c3d4e5f6",
}
_HOURS = frozenset(("hour", "hours", "hourly"))
_FINE = 1000
_LOW, _HIGH = frozenset(("min", "minimum", "low", "lowest")), frozenset(("max", "maximum", "high", "highest"))
# What the first of a list has most of.
_FALLING = (("points",), ("score",), ("wins",), ("votes",), ("popularity",))
_QUANTITIES = Path(__file__).with_name("quantities.yaml")
_NEW_YEAR = datetime(2025, 1, 1, tzinfo=UTC)


def maker(schema: Mapping[str, Any], path: Sequence[str], *, salt: int, root: Any = None, about: str = "") -> Maker:
    """What makes values of one leaf. Raises UserError where nothing fits. `about`: what the whole is about."""
    if "const" in schema or isinstance(schema.get("enum"), list):
        listed = [schema["const"]] if "const" in schema else list_of(schema["enum"])
        allowed = [value for value in listed if fits(value, schema, root)]
        if not allowed:
            raise UserError("nothing that this schema lists fits the rest of it")
        return lambda row: allowed[row.mixed(salt) % len(allowed)]
    quick = _by_type(schema, path, salt, about)
    if quick is not None and all(key in _FREE or key.startswith("x-") for key in schema):
        return quick
    return _checked(quick, schema, path, salt, root)


def options_of(schema: Mapping[str, Any]) -> list[str]:
    """What a description gives as examples: "such as U6 or U8"."""
    found = _SUCH.search(str(schema.get("description") or ""))
    return [part for part in re.split(r",\s*(?:or |and )?| or | and ", found[1]) if part] if found else []


def examples_of(schema: Mapping[str, Any]) -> list[Any]:
    """The documented examples, the default among them, but for placeholders."""
    found = [*list_of(schema.get("examples")), schema.get("example"), schema.get("default")]
    return [value for value in found if value is not None and not (isinstance(value, str) and is_placeholder(value))]


def names_a_thing(path: Sequence[str]) -> bool:
    """Whether a value of this name tells one thing from another: an id, a name, an address."""
    words = spell(path[-1]) if path else ()
    return bool(words) and words[-1] in group("naming a thing")


def _checked(quick: Maker | None, schema: Mapping[str, Any], path: Sequence[str], salt: int, root: Any) -> Maker:
    """The quick one where its value fits, else one by `values.make`; tried once, so that it is known to work."""
    name, said = path[-1] if path else "", str(schema.get("description") or "")
    known = object_of(root).get("$defs")
    whole = {**schema, "$defs": known} if known else schema

    def made(row: Row) -> Any:
        if quick is not None and fits(value := quick(row), schema, root):
            return value
        return make(whole, name=name, description=said, seed=row.mixed(salt))

    made(Row(0, 0, {}))
    return made


def _by_type(schema: Mapping[str, Any], path: Sequence[str], salt: int, about: str) -> Maker | None:
    types = types_of(schema)
    real = [name for name in types if name != "null"]
    if types and not real:
        return lambda row: None
    known = [value for value in examples_of(schema) if fits(value, {"type": real} if real else {})]
    known = [value for value in known if not path or str(value).lower() != path[-1].lower()]
    known = known or (options_of(schema) if real == ["string"] else [])
    first: object = known[0] if known else None
    kind = real[0] if real else _TYPES.get(type(first), "string")
    if kind == "boolean":
        return lambda row: row.mixed(salt) % 2 == 0
    whole = about if all(kind_wraps(name) or set(spell(name)) & set(spell(about)) for name in path[:-1]) else ""
    meaning = _FORMATS.get(str(schema.get("format"))) or kind_of(tuple(path), f"{whole} {schema.get('title') or ''}")
    meaning = (kind_about(path[-1], about) if path and not (meaning and len(path) > 1) else "") or meaning
    if kind in ("integer", "number"):
        numbers = [value for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
        return _number(meaning, numbers[0] if numbers else None, path, salt, schema, whole=kind == "integer")
    if kind == "string":
        return _text(meaning, [value for value in known if isinstance(value, str)], path, salt, about)
    return None


def _number(
    meaning: str, example: float | None, path: Sequence[str], salt: int, schema: Mapping[str, Any], *, whole: bool
) -> Maker:
    words = spell(path[-1]) if path else ()
    whole = whole or meaning in _WHOLE
    record, _, field = meaning.partition(".")
    if field and isinstance((values := choices(meaning))[0], int if whole else int | float):
        role = _role(path)
        return lambda row: row.listed(record, values, role)
    if meaning in ("moment", "day", "clock", "sunrise", "sunset") and (example is None or example > 9e8):
        scale = 1000 if example and example > 9e11 else 1
        return lambda row: int(_when(row, path).timestamp()) * scale
    if meaning == "month" and (example is None or 1 <= example <= 12):
        return lambda row: 1 + (row.base(salt) + row.number) % 12
    if meaning in ("year", "season") and (example is None or 1900 <= example <= 2100):
        return lambda row: 2019 + row.mixed(0) % 7
    if "year" in words and "per" not in words and whole and example is not None and 1500 <= example <= 2100:
        return lambda row: 1950 + row.mixed(salt) % 70
    if words and words[-1] in group("places in a row") and not example:
        return lambda row: row.place + 1
    if names_a_thing(path) and "code" not in words and (example is None or float(example).is_integer()):
        lowest = 10 ** ((len(str(abs(int(example)))) if example else 6) - 1)
        return lambda row: lowest + row.steady(salt) % (9 * lowest)
    if example is None or not example:
        return _between(*usual(words, meaning, schema), salt, whole=whole, falls=words[-1:] in _FALLING)
    if words and (words[-1] in group("fixed") or words[0] in group("fixed")):
        return lambda row: int(example) if whole else example
    return _scaled(example, _TOPS[meaning] if abs(example) <= _TOPS.get(meaning, 0) else inf, whole=whole)


def usual(words: Sequence[str], meaning: str, schema: Mapping[str, Any]) -> tuple[float, float]:
    """Between what a quantity usually lies: by its name, by its unit, by its kind, inside of what is documented."""
    known = quantities()
    three, two, one = (" ".join(words[-size:]) for size in (3, 2, 1))
    units = (f"in {unit.lower()}" for unit in _UNIT.findall(str(schema.get("description") or "")))
    low, high = next(filter(None, map(known.get, (three, two, *units, one, meaning))), _ANY)
    for half, said in enumerate((_LOW, _HIGH)):
        if said & {*words}:
            low, high = (low, (low + high) / 2) if not half else ((low + high) / 2, high)
    least, most = number_in(schema, "minimum"), number_in(schema, "maximum")
    least, most = -inf if least is None else float(least), inf if most is None else float(most)
    if low >= most or high <= least or ((low, high) == _ANY and -inf < least < most < inf):
        return (most - 100 if least == -inf else least), (least + 100 if most == inf else most)
    return max(low, least), min(high, most)


@cache
def quantities() -> Mapping[str, tuple[float, float]]:
    """Between what quantities lie, by their names, by their units (`in km`), by their kinds."""
    rows = shipped(_QUANTITIES)
    return {name.strip(): (low, high) for names, (low, high) in rows.items() for name in str(names).split(",")}


def _between(low: float, high: float, salt: int, *, whole: bool, falls: bool) -> Maker:
    """Somewhere between; from row to row less where the best come first."""

    def made(row: Row) -> float:
        part = row.mixed(salt) % 1000 / 1000
        return low + (high - low) * ((5 - row.place % 5 + part) / 6 if falls else part)

    places = 2 if high - low < _FINE else 1
    return (
        (lambda row: min(int(high), max(math.ceil(low), round(made(row)))))
        if whole
        else lambda row: round(made(row), places)
    )


def _scaled(example: float, top: float, *, whole: bool) -> Maker:
    places = len(str(example).partition(".")[2]) if "e" not in str(example) else 6
    digits = None if whole else min(places, 2 if abs(example) >= 10 else 4)
    return lambda row: round(min(example * row.factor, top), digits)


def _text(meaning: str, examples: Sequence[str], path: Sequence[str], salt: int, about: str) -> Maker:
    example = examples[0] if examples else ""
    if example and (form := moment_form(example)):
        return lambda row: _when(row, path, timed="%H" in form).strftime(form)
    if meaning in ("day", "moment") and (not example or not example.replace(".", "").isdigit()):
        form = "%Y-%m-%d" if meaning == "day" else "%Y-%m-%dT%H:%M:%SZ"
        return (lambda row: _when(row, path, timed="%H" in form).strftime(form)) if not example else lambda row: example
    if example and (made := _numeric(example, meaning, path, salt)):
        return made
    if example and is_marked(meaning, "weak") and len(example) <= 200:
        if names_a_thing(path):
            return _identity(example, path, salt, about)
        return lambda row: example
    if (kind := _agreed(meaning, example)) and (made := _meant(kind, path, salt)):
        return (lambda row: made(row).lower()) if example.islower() and kind.startswith("place.code") else made
    if names_a_thing(path) or not example:
        return _identity(example, path, salt, about)
    return lambda row: example


def _numeric(example: str, meaning: str, path: Sequence[str], salt: int) -> Maker | None:
    if not re.fullmatch(r"-?\d{1,15}(?:\.\d{1,10})?", example):
        return None
    if names_a_thing(path) or (example.startswith("0") and "." not in example and len(example) > 1):
        return lambda row: like(example, row.steady(salt))
    number = float(example) if "." in example else int(example)
    inner = _number(meaning, number, path, salt, {}, whole="." not in example)
    return lambda row: str(inner(row))


def _agreed(meaning: str, example: str) -> str:
    """What a name means, as the example spells it (a country by its code); nothing where they have no likeness."""
    if not example or not meaning or meaning in TEXTS:
        return "" if example and meaning in ("url", "image") and "/" not in example else meaning
    for kind in (meaning, *_SPELLINGS.get(meaning, ())):
        if example[0].islower() and all(str(value)[:1].isupper() for value in choices(kind)[:1]) and "_" not in kind:
            continue
        longest = max((len(str(value)) for value in choices(kind)), default=0)
        if "." not in kind or ((len(example) <= longest) if longest <= 5 else len(example) > _LEAST):
            return kind
    return ""


def _meant(meaning: str, path: Sequence[str], salt: int) -> Maker | None:
    role = _role(path)
    if meaning in TEXTS:
        return lambda row: TEXTS[meaning](row, role)
    record, values = meaning.partition(".")[0], [str(value) for value in choices(meaning)]
    if values:
        return lambda row: row.listed(record, values, role)
    if meaning not in quantities():
        return None
    number = _between(*quantities()[meaning], salt, whole=True, falls=False)
    return lambda row: str(number(row))


def _identity(example: str, path: Sequence[str], salt: int, about: str) -> Maker:
    """An id, a name, a text of which nothing is known: like the example, or made up by the words of its name."""
    last = (spell(path[-1])[-1:] if path else ()) or ("",)
    if example and " " not in example and like(example, 1) != like(example, 2):
        return lambda row: like(example, row.steady(salt))
    if last[0] in _SHAPES and not example:
        return lambda row: like(_SHAPES[last[0]], row.steady(salt))
    if last[0] in ("symbol", "ticker"):
        return lambda row: row.of(choices("company.symbol"), salt)
    if last[0] in ("name", "title"):
        return lambda row: example if example and row.place == 0 else row.of(choices("titles"), salt)
    noun = _thing(path, about)
    return lambda row: example if example and row.number == 0 else f"{noun} {10 + row.steady(salt) % 89}"


def _thing(path: Sequence[str], about: str) -> str:
    """What a text of unknown kind is called, in the words of its name, of the names around it, of the whole."""
    for name in (*reversed(path), about):
        words = [word for word in spell(name) if not names_a_thing((word,)) and word not in group("wraps")]
        if words and is_spoken("_".join(words)):
            return " ".join((*words[-2:-1], singular(words[-1]))).capitalize()
    return "No."


def _role(path: Sequence[str]) -> int:
    """Which of several things of one kind a name is about: 0 for the only one, 1 and more for home, less for away."""
    said = [word for name in path for word in spell(name) if word in group("roles")]
    second = any(word in _MET for word in said)
    role = sum(ord(letter) * (place + 1) for place, letter in enumerate("".join(_MET.get(word, word) for word in said)))
    return -role if second else role


def _when(row: Row, path: Sequence[str], *, timed: bool = False) -> datetime:
    """A moment of 2025, or of the days that were asked for; rows follow each other by days, those of hours by hours.

    Of the names of one row, those that say `end` lie later than all others: by days, or by hours where it is `timed`.
    """
    words = spell(path[-1]) if path else ()
    first, days = row.span or (_NEW_YEAR, 350)
    place = row.number if row.span else row.base(1) + row.number
    later = 3 if any(word in group("later") for word in words) else 0 if row.span else len("".join(words)) % 3
    if any(word in _HOURS for name in path[:-1] for word in spell(name)):
        return first + timedelta(days=(place - row.number) % days, hours=8 + row.number % 15)
    minutes = 15 * (32 + row.mixed(2) % 40)
    if timed and any(word in _SOON for word in words):
        minutes, later = minutes + 45 * later + 15 * (row.mixed(4) % 4), 0
    if any(word in ("birth", "birthday", "dob", "born") for word in words):
        day = _NEW_YEAR + timedelta(days=row.mixed(1) % 350 + later, minutes=minutes)
        return day.replace(year=1960 + row.mixed(3) % 45, day=min(day.day, 28))
    return first + timedelta(days=(place + min(later, days - 1)) % days, minutes=minutes)


def id_of(names: Sequence[str], path: Sequence[str], about: str) -> str | None:
    """The name of the property that identifies an object, or None."""
    found = {name: owner for name in names if (owner := owner_of(name)) is not None}
    bare = next((name for name, owner in found.items() if not owner), None)
    if bare is not None or len(found) < 2:
        return bare or next(iter(found), None)
    around = next((name for name in reversed(path) if name.lower() not in group("wraps")), about)
    nouns = {singular(word) for word in _words(around)}
    return next((name for name, owner in found.items() if singular(owner[-1]) in nouns), None)


def owner_of(name: str) -> tuple[str, ...] | None:
    """Whose id a name is for, in words: none for a bare `id`; None where it is for no id."""
    words = _words(name)
    if words[:1] == ("id",) and len(words) == 2 and words[1] not in group("of ids"):  # id_race
        return words[1:]
    return words[:-1] if words[-1:] == ("id",) else None


def followers(names: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
    """Which names say something of whom another's id is for: `seriesName` beside `seriesId`, as {name: id}."""
    owners = {one: owner for one in ids if (owner := owner_of(one))}
    return {
        name: one
        for name in names
        for one, owner in owners.items()
        if name != one and len(words := _words(name)) > len(owner) and words[: len(owner)] == owner
    }


def number_of(value: Any) -> int:
    """A number for an id."""
    return crc32(str(value).encode())


def known_by(made: Maker, row: Row) -> tuple[Any, Row]:
    """An id, and the row of who has it: where the row has to be about something, one by which it is."""
    value, wanted, first = made(row), row.wanted(), row.shift
    known = row.known(number_of(value), wanted)
    while wanted and not row.shown and row.shift < first + _TRIES and not known.about(wanted):
        row.shift += 1
        value = made(row)
        known = row.known(number_of(value), wanted)
    row.shift = first
    return value, known


@lru_cache(maxsize=16384)
def _words(name: str) -> tuple[str, ...]:
    return tuple(part for word in spell(name) for part in split_compound(word))
