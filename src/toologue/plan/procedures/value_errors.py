"""Misspell a value: how a customer gets wrong what they were asked for.

What is said is never the good value, not even in other spacing or case, and does not fit where a schema, or the kind
of a value, says what it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Literal, NamedTuple, get_args

from toologue import keys
from toologue.values.json_schema import fits, types_of

# A character left out, two swapped, one too many, one that looks like another (O for 0), the end missing, a sign wrong
# (no @, a comma for a point), a day or an hour that does not exist.
Way = Literal["dropped", "swapped", "extra", "lookalike", "cut short", "sign", "impossible"]
WAYS: tuple[Way, ...] = get_args(Way)

_TRIES = 40
_TELLING = {"pattern", "format", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
# Keys that refuse no text.
_SILENT = {"type", "description", "title", "default", "example", "examples"}
_MONTH = "(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]*"
# What the good values of a kind look like: one of these.
_KINDS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "email": ({"format": "email"},),
    "date": ({"format": "date"}, {"pattern": rf"^(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)? {_MONTH}(?: \d{{4}})?$"}),
    "phone": ({"pattern": r"^\+?(?:[ ()./-]*\d){7,15}$"},),
    "amount": ({"pattern": r"^(?:[^\d\s]{1,3} ?)?\d[\d,']*(?:\.\d\d?)?(?: ?[^\d\s]{1,8})?$"},),
}
_ALIKE = dict(zip("0123456789OolISBZ", "OlZEASbTBg0011582", strict=True))
_OTHER = {"@": ("", " ", "@@"), ".": (",", "..", " "), ":": ("", ";"), ",": ("..",)}
_CALENDAR = re.compile(rf"\d{{4}}-\d\d-\d\d|\d\d?:\d\d|\d\d?(?:st|nd|rd|th)? {_MONTH}\b")
_CLOCK = re.compile(r"(?<=-)\d\d(?!\d)|(?<!\d)\d\d(?=:)|(?<=:)\d\d(?!\d)|^\d\d?(?=(?:st|nd|rd|th)? [A-Z])")
# Formats whose signs count: an agent that leaves them out does not mend the value.
_SIGNED = frozenset({"email", "uri", "url"})


class Spoilt(NamedTuple):
    """What the customer says, how it went wrong, and whether one can tell from the schema."""

    said: str
    way: Way
    malformed: bool


def spoil(
    value: str | int | float, schema: Mapping[str, Any] | None = None, *, seed: int | str, kind: str = ""
) -> Spoilt | None:
    """The value as somebody gets it wrong, or None. `kind` counts where the good value is of that form."""
    good = str(value)
    if isinstance(value, bool) or min(len(good), len(_bare(good))) < 2:
        return None
    rule = schema or next((form for form in _KINDS.get(kind, ()) if fits(good, form)), dict[str, Any]())
    other: Spoilt | None = None
    anything = rule.keys() <= _SILENT and rule.get("type", "string") == "string" and not _is_number(value, rule)
    for way, said in _candidates(good, rule, Random(keys.seed_of(seed, good))):
        signed = rule.get("format") in _SIGNED
        same = said.strip().lower() in ("", good.lower()) if signed else _bare(said) in ("", _bare(good))
        if not same:
            spoilt = Spoilt(said, way, malformed=not anything and _is_refused(said, value, rule))
            if spoilt.malformed or anything:
                return spoilt
            other = other or spoilt
    return None if _TELLING & rule.keys() or _is_number(value, rule) else other


def _candidates(good: str, schema: Mapping[str, Any], random: Random) -> Iterator[tuple[Way, str]]:
    # what is listed twice is drawn first more often
    ways: tuple[Way, ...] = ("dropped", "swapped", "extra", "lookalike", "cut short", "sign")
    if _CALENDAR.match(good):
        ways = ("impossible", "impossible", "cut short")
    elif schema.get("format") in _SIGNED:
        ways = ("sign", "sign", "cut short", "extra")
    drawn: list[Way] = [*random.sample(ways, len(ways)), *(way for way in WAYS if way not in ways)]
    seen: set[str] = set()
    for way in drawn:
        for _ in range(_TRIES):
            said = _HOW[way](good, random)
            if said not in seen:
                seen.add(said)
                yield way, said


def _is_refused(said: str, value: str | int | float, schema: Mapping[str, Any]) -> bool:
    if not _is_number(value, schema):
        return not fits(said, schema)
    try:
        number = float(re.sub(r"[\s,]", "", said))
    except ValueError:
        return True
    return not fits(int(number) if number.is_integer() else number, schema)


def _is_number(value: str | int | float, schema: Mapping[str, Any]) -> bool:
    types = {*types_of(schema)}
    return not isinstance(value, str) or (bool(types) and types <= {"number", "integer", "null"})


def _bare(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


def _digit_or_any(text: str, random: Random) -> int:
    """The place of a digit, or of any character of a word if there is none."""
    places = [at for at, sign in enumerate(text) if sign.isdigit()]
    return random.choice(places or [at for at, sign in enumerate(text) if sign.isalnum()])


def _drop(text: str, random: Random) -> str:
    at = _digit_or_any(text, random)
    return text[:at] + text[at + 1 :]


def _swap(text: str, random: Random) -> str:
    places = [at for at in range(len(text) - 1) if text[at] != text[at + 1] and text[at : at + 2].isalnum()]
    if not places:
        return text
    at = random.choice(places)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _extra(text: str, random: Random) -> str:
    at = _digit_or_any(text, random)
    return text[:at] + random.choice("0179x" if text[at].isdigit() else (text[at], text[at], "1")) + text[at:]


def _lookalike(text: str, random: Random) -> str:
    places = [at for at, sign in enumerate(text) if sign in _ALIKE]
    if not places:
        return text
    at = random.choice(places)
    return text[:at] + _ALIKE[text[at]] + text[at + 1 :]


def _cut_short(text: str, random: Random) -> str:
    return text[: random.randint((len(text) + 1) // 2, len(text) - 1)].rstrip(" -/.,@:")


def _sign(text: str, random: Random) -> str:
    places = [at for at, sign in enumerate(text) if not sign.isalnum() and not sign.isspace()]
    if not places:
        return text
    at = random.choice(places)
    return text[:at] + random.choice(_OTHER.get(text[at], ("_", "--", "//"))) + text[at + 1 :]


def _impossible(text: str, random: Random) -> str:
    """A day or month, an hour or minute made one that does not exist."""
    places = [found.span() for found in _CLOCK.finditer(text)]
    if not places:
        return text
    start, end = random.choice(places)
    return text[:start] + str(random.randint(61, 79) if ":" in text else random.randint(32, 39)) + text[end:]


_HOW: Mapping[Way, Callable[[str, Random], str]] = {
    "dropped": _drop,
    "swapped": _swap,
    "extra": _extra,
    "lookalike": _lookalike,
    "cut short": _cut_short,
    "sign": _sign,
    "impossible": _impossible,
}
