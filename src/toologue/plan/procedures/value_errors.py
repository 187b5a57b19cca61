"""Spoil a value: how a customer gets wrong what they were asked for.

Contract: pure; a value, its schema and a seed give what the customer says instead and which way it went wrong. It is
never the good value, not even in other spacing or case (an agent that is lenient about those must not mend it). Where
a schema says what a value looks like (pattern, format, enum, const, bounds, a number's type) it does not fit, and
`malformed` is True; where only its length is limited, it does not fit if that can be done. Without a schema the `kind`
of a phrase bank (email, phone, date, amount) says as much; failing that the value is another, and nobody can tell by
looking at it. None where no spoilt value was found: a boolean, a text of one letter, a pattern that takes anything.

Example:
    >>> spoil("ORD-48213", {"pattern": "^ORD-[0-9]{5}$"}, seed=2)
    Spoilt(said='ORD-482113', way='extra', malformed=True)
    >>> spoil("2025-05-06", {"format": "date"}, seed=3).said
    '2025-39-06'
    >>> spoil("maria@post.example", kind="email", seed=4).said
    'maria@post,example'
    >>> spoil("Ms Ito", {"pattern": "."}, seed=1) is None
    True

Not covered: well-formed values that are wrong (another's order number): those are chosen from the world, not made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Literal, NamedTuple, get_args

from toologue import keys
from toologue.values.json_schema import fits, types_of

Way = Literal["dropped", "swapped", "extra", "lookalike", "cut short", "sign", "impossible"]
"""A character left out, two swapped, one too many, one that looks like another (O for 0), the end missing, a sign wrong
(no @, a comma for a point), a day or an hour that does not exist."""
WAYS: tuple[Way, ...] = get_args(Way)

_TRIES = 40
_TELLING = {"pattern", "format", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
_SILENT = {"type", "description", "title", "default", "example", "examples"}
"""Keys that refuse no text."""
_MONTH = "(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_KINDS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "email": ({"format": "email"},),
    "date": ({"format": "date"}, {"pattern": rf"^(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)? {_MONTH}(?: \d{{4}})?$"}),
    "phone": ({"pattern": r"^\+?(?:[ ()./-]*\d){7,15}$"},),
    "amount": ({"pattern": r"^(?:[^\d\s]{1,3} ?)?\d[\d,']*(?:\.\d\d?)?(?: ?[^\d\s]{1,8})?$"},),
}
"""What the good values of a kind look like: one of these."""
_ALIKE = dict(zip("0123456789OolISBZ", "OlZEASbTBg0011582", strict=True))
_OTHER = {"@": ("", " ", "@@"), ".": (",", "..", " "), ":": ("", ";"), ",": ("..",)}
_CALENDAR = re.compile(rf"\d{{4}}-\d\d-\d\d|\d\d?:\d\d|\d\d?(?:st|nd|rd|th)? {_MONTH}\b")
_CLOCK = re.compile(r"(?<=-)\d\d(?!\d)|(?<!\d)\d\d(?=:)|(?<=:)\d\d(?!\d)|^\d\d?(?=(?:st|nd|rd|th)? [A-Z])")
_SIGNED = frozenset({"email", "uri", "url"})
"""Formats whose signs count: an agent that leaves them out does not mend the value."""


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
        if _differs(said, good, rule):
            spoilt = Spoilt(said, way, malformed=not anything and _refused(said, value, rule))
            if spoilt.malformed or anything:
                return spoilt
            other = other or spoilt
    return None if _TELLING & rule.keys() or _is_number(value, rule) else other


def _ways(good: str, schema: Mapping[str, Any]) -> tuple[Way, ...]:
    """How such a value goes wrong; what is listed twice is drawn first more often."""
    if _CALENDAR.match(good):
        return ("impossible", "impossible", "cut short")
    if schema.get("format") in _SIGNED:
        return ("sign", "sign", "cut short", "extra")
    return ("dropped", "swapped", "extra", "lookalike", "cut short", "sign")


def _candidates(good: str, schema: Mapping[str, Any], random: Random) -> Iterator[tuple[Way, str]]:
    ways = _ways(good, schema)
    drawn: list[Way] = [*random.sample(ways, len(ways)), *(way for way in WAYS if way not in ways)]
    seen: set[str] = set()
    for way in drawn:
        for _ in range(_TRIES):
            said = _HOW[way](good, random)
            if said not in seen:
                seen.add(said)
                yield way, said


def _differs(said: str, good: str, schema: Mapping[str, Any]) -> bool:
    if schema.get("format") in _SIGNED:
        return said.strip().lower() not in ("", good.lower())
    return _bare(said) not in ("", _bare(good))


def _refused(said: str, value: str | int | float, schema: Mapping[str, Any]) -> bool:
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


def _dropped(text: str, random: Random) -> str:
    at = _digit_or_any(text, random)
    return text[:at] + text[at + 1 :]


def _swapped(text: str, random: Random) -> str:
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
    "dropped": _dropped,
    "swapped": _swapped,
    "extra": _extra,
    "lookalike": _lookalike,
    "cut short": _cut_short,
    "sign": _sign,
    "impossible": _impossible,
}
