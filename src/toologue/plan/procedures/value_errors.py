"""Misspell a value: how a customer gets wrong what they were asked for.

What is said is never the good value, not even in other spacing or case, and does not fit where a schema, or the kind
of a value, says what it looks like. The word of a choice (`enum`) is left alone: however it is spelt, one knows which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Literal, NamedTuple, get_args

from toologue import keys
from toologue.text.numbers import SMALL_NUMBERS
from toologue.values.json_schema import fits, types_of

# A character left out, two swapped, one too many, one that looks like another (O for 0), the end missing, a sign wrong
# (no @, a comma for a point), a day or an hour that does not exist.
Way = Literal["dropped", "swapped", "extra", "lookalike", "cut short", "sign", "impossible"]
WAYS: tuple[Way, ...] = get_args(Way)

_TRIES = 40
_TELLING = {"pattern", "format", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
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
# So many groups of letters, digits and signs are told of.
_MOST_RUNS = 4
_SIGNS = {"-": "a dash", "/": "a slash", ".": "a full stop"}
_NUMBERS = {number: word for word, number in SMALL_NUMBERS.items()}
# The nearest month without a 31st day, January's first.
_SHORT_MONTHS = (2, 2, 2, 4, 4, 6, 6, 9, 9, 9, 11, 11)
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
    if isinstance(value, bool) or min(len(good), len(_bare(good))) < 2 or "enum" in (schema or {}):
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


def wanted_form(good: str, schema: Mapping[str, Any] | None = None, kind: str = "") -> str:
    """What a value of this form looks like, as a clause: "it should be KW, a dash and six digits"."""
    if _CALENDAR.match(good):
        return "there is no such day" if ":" not in good else "there is no such time"
    if kind == "email" or "@" in good:
        return "an e-mail address has an @ and a domain"
    if kind == "amount":
        return "it should be a plain number"
    pattern = str((schema or {}).get("pattern", ""))
    runs = re.findall(r"[^\W\d_]+|\d+|[-/.]", good)
    if len(runs) > _MOST_RUNS or not any(map(str.isdigit, runs)):
        return "it should have all its letters and digits"
    *most, last = (_said(run, pattern) for run in runs)
    return f"it should be {', '.join(most)}{' and ' if most else ''}{last}"


def _said(run: str, pattern: str) -> str:
    if run in _SIGNS:
        return _SIGNS[run]
    if run.isdigit():
        return f"{_counted(len(run))} digit{'s' if len(run) > 1 else ''}"
    return run if run in pattern else f"{_counted(len(run))} letter{'s' if len(run) > 1 else ''}"


def _counted(number: int) -> str:
    return _NUMBERS.get(number, str(number))


def _candidates(good: str, schema: Mapping[str, Any], random: Random) -> Iterator[tuple[Way, str]]:
    # what is listed twice is drawn first more often
    ways: tuple[Way, ...] = ("dropped", "swapped", "extra", "lookalike", "cut short", "sign")
    if _CALENDAR.match(good):
        ways = ("impossible",)
    elif schema.get("format") in _SIGNED:
        ways = ("sign", "sign", "cut short", "extra")
    drawn: list[Way] = [*random.sample(ways, len(ways)), *(way for way in WAYS if way not in ways)]
    seen: set[str] = set()
    for way in drawn:
        for _ in range(_TRIES):
            said = _misspell(good, way, random)
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


def _misspell(text: str, way: Way, random: Random) -> str:
    if way == "cut short":
        end = random.randint((len(text) + 1) // 2, len(text) - 1)
        return text.rpartition(".")[0] if "@" in text else text[:end].rstrip(" -/.,:")
    if way == "impossible" and re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        month = _SHORT_MONTHS[int(text[5:7]) - 1]
        return f"{text[:4]}-{month:02}-{30 if month == 2 else 31}"
    if way == "impossible":
        spans = [found.span() for found in _CLOCK.finditer(text)]
        if not spans:
            return text
        start, end = random.choice(spans)
        return text[:start] + str(random.randint(61, 79) if ":" in text else random.randint(32, 39)) + text[end:]
    places = [at for at, sign in enumerate(text) if _may_err(text, at, sign, way)]
    if way in ("dropped", "extra"):  # a digit, if there is one
        places = [at for at in places if text[at].isdigit()] or places
    if not places:
        return text
    at = random.choice(places)
    before, sign, after = text[:at], text[at], text[at + 1 :]
    match way:
        case "dropped":
            return before + after
        case "swapped":
            return before + after[0] + sign + after[1:]
        case "extra":
            return before + random.choice("0179x" if sign.isdigit() else (sign, sign, "1")) + sign + after
        case "lookalike":
            return before + _ALIKE[sign] + after
        case "sign":
            return before + random.choice(_OTHER.get(sign, ("_", "--", "//"))) + after


def _may_err(text: str, at: int, sign: str, way: Way) -> bool:
    if way == "swapped":
        return at + 1 < len(text) and sign != text[at + 1] and text[at : at + 2].isalnum()
    if way == "lookalike":
        return sign in _ALIKE
    return not sign.isalnum() and not sign.isspace() if way == "sign" else sign.isalnum()
