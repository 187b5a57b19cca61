"""Values of slots in what a customer says.

What has a form (a pattern, a format, a number, one of a few words) is looked for first, the most particular form first,
and what was found is taken out of the text; what is left is shared out among the slots that take any text.

Contract: pure. Every value fits its schema; no stretch of the text is used twice.

Example:
    >>> number = Slot("order_id", {"type": "string", "pattern": "^O-[0-9]{5}$"})
    >>> street, city = Slot("street", {"type": "string"}), Slot("city", {"type": "string"})
    >>> read_values("it's o-70412, to Rua das Flores 118, Porto please", [street, city, number])
    {'order_id': 'O-70412', 'city': 'Porto', 'street': 'Rua das Flores 118'}
    >>> read_values("O-704, I think", [number]), attempts("O-704, I think", number)
    ({}, True)

Not covered: values that are spelled out ("dash", "at"), and free texts deep inside other words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from toologue.procedure.course import Slot
from toologue.text.find import find
from toologue.text.tokens import words_of
from toologue.values.json_schema import fits

_LEAST, _SHORT = 0.4, 6
_DAY = re.compile(r"\d{4}|\d\s?[./-]\s?\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
"""What a day is told by in a long text; "yesterday" is said of many things."""
_LEAD = re.compile(
    r"""^(?: (?:well|gladly|certainly|right|fine|all\s+right|thanks|oh|ok(?:ay)?|so|sure|yes|ah|hm+|and|then|sorry
        |hello|hi|of\s+course|please|here|to)\b[\s,:.!]*
      | (?:it|that|this|there|mine|(?:my|the|his|her|our|their)\s+[\w\s-]{1,30}?)
        (?:['’]s|\s+(?:is|are|was|would\s+be|should\s+be|has\s+to\s+be|must\s+be|reads|goes))(?:\s+|$)
      | (?:I\s+(?:live|am|believe|think|guess|mean)|I['’]m|we\s+live
        |please\s+(?:record|take|enter|note|put|use|send\s+it\s+to)
        |put|make\s+it|take|name|city|street|country|address|colou?r|at|here\s+you\s+(?:go|are))\b[\s:,]* )+""",
    re.IGNORECASE | re.VERBOSE,
)
_TAIL = re.compile(
    r"""(?: [\s,.;!–-]* (?<!\w) (?: please | thanks?(?:\s+you)? | that['’]s\s+it | i\s+think
        | pretty\s+sure | as\s+always
        | ok | right
        | if\s+possible | cheers | and | as\s+well | too ) )* [\s,.;!?–-]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_REMARK = re.compile(r",\s+(?:but|if|not|as|can|in case|that['’]s|and that['’]?s?|so)\b")
_POSTAL = re.compile(r"postal|postcode|zip")
_CODE = re.compile(r"(?<!\S)(?P<value>(?:[\w-]*\d[\w-]*)(?:\s(?:[A-Z]{2}|[A-Z\d]*\d[A-Z\d]*))?)(?!\S)")
_TALK = re.compile(
    r"\b(?:I|i|you|we|me|my|your|it|this|that|what|please|can|could|do|don['’]?t|not|no|yes|is|are|was|sorry|questions?|keep|look)\b"
)
_CALLED = {
    "last_name": "last name|surname|name",
    "postal_code": "postal code|postcode|zip code",
    "name": "name|full name",
}
_PLACED = re.compile(r"postal|postcode|zip|city|street|country|name")
_PIECES = re.compile(r"[,;\n\x00]+|[.?!]\s+|\s+-\s+")


def read_values(
    text: str,
    slots: Iterable[Slot],
    *,
    also: Iterable[Slot] = (),
    now: datetime | None = None,
    avoid: Collection[Any] = (),
) -> dict[str, Any]:
    """Slot → value, for those of these slots that the text has a value for.

    `also`: slots that were not asked for; `avoid`: values that are not meant.
    """
    asked, found = list(slots), dict[str, Any]()
    if listed := _listed(text, asked, now):
        return listed
    also = list(also)
    for slot in (one for one in (*asked, *also) if one.is_free):
        if (told := _told(text, slot)) and _suits(told[0], slot):
            value, start, end = told
            found[slot.name] = value
            text = text[:start] + "\0" * (end - start) + text[end:]
    for slots in (asked, also):
        for slot in sorted((one for one in slots if not one.is_free), key=_rank):
            for value, start, end in _formed(text, slot, now):
                if value in avoid:
                    continue
                found[slot.name] = value
                text = text[:start] + "\0" * (end - start) + text[end:]
                break
    left = [slot for slot in asked if slot.name not in found and (slot.is_free or slot.lenient)]
    return found | _shared(text, [_loose(slot) for slot in left], now)


def _told(text: str, slot: Slot) -> tuple[str, int, int] | None:
    """What the text says outright: "the street is Rua das Flores 118"."""
    name = _CALLED.get(slot.name, slot.name.replace("_", " "))
    said = re.search(
        rf"\b(?:the|my|our)\s+(?:{name})\s+(?:is|are)\s+(?P<value>[^,;\n\0]+?)(?=[,;\n\0]|\.(?:\s|$)|\s+and\s+(?:the|my|also)\b|$)",
        text,
        re.IGNORECASE,
    )
    return (said["value"], *said.span("value")) if said else None


def _listed(text: str, slots: Sequence[Slot], now: datetime | None) -> dict[str, Any]:
    """The pieces of a bare list, one for each slot in order; empty if that is not what the text is."""
    pieces = [_bare(piece) for piece in re.split(r"[,;]\s+|\s+and\s+|\s+-\s+", text)]
    if len(slots) < 2 or len(pieces) < len(slots) or not all(map(_TALK.search, pieces[len(slots) :])):
        return {}
    found: dict[str, Any] = {}
    for piece, slot in zip(pieces, slots, strict=False):
        told = _formed(piece, slot, now) if not slot.is_free else [(piece, 0, len(piece))]
        alone = (one for one, start, end in told if not re.search(r"\d", piece[:start] + piece[end:]))
        whole = next((value for value in alone if _fit(value, slot)), None)
        if whole is None or (slot.is_free and len(piece.split()) > 3):
            return {}
        found[slot.name] = whole
    return found


def _fit(value: Any, slot: Slot) -> bool:
    return value != "" and fits(value, slot.schema)


def _loose(slot: Slot) -> Slot:
    """The slot, taking what does not fit as well if it is lenient."""
    kept = {name: slot.schema[name] for name in ("type", "format") if name in slot.schema}
    return replace(slot, schema=kept or {"type": "string"}) if slot.lenient and not slot.is_free else slot


def attempts(text: str, slot: Slot) -> bool:
    """Whether the text tries to give a value, though none that fits."""
    if slot.schema.get("format") == "email":
        return "@" in text or bool(re.search(r"\bat\b.*\bdot\b|\w+\.\w{2,}", text))
    return not slot.is_free and bool(re.search(r"\d", text))


def mentions(text: str, value: Any, slot: Slot, now: datetime | None) -> bool:
    """Whether the text says this value."""
    if str(value).casefold() in text.casefold():
        return True
    return not slot.is_free and any(one == value for one, _, _ in _formed(text, slot, now))


def _rank(slot: Slot) -> tuple[int, int]:
    """The most particular form first."""
    form = slot.schema.get("format")
    lettered = bool(re.search(r"[A-Za-z]", slot.pattern.replace("\\d", "").replace("\\w", "")))
    order = (form == "email", lettered, form is not None, bool(slot.pattern), bool(slot.schema.get("enum")), True)
    return order.index(True), -len(slot.pattern)


def _formed(text: str, slot: Slot, now: datetime | None) -> list[tuple[Any, int, int]]:
    """(value, start, end) of what has the slot's form, the best first."""
    if slot.pattern:
        return [(value, start, end) for start, end in _spans(text, slot) if (value := _cased(text[start:end], slot))]
    found = find(text.replace("\0", " "), slot.schema, name=slot.name, description=slot.description, now=now)
    if str(slot.schema.get("format", "")).startswith("date"):
        short = len(text.split()) <= _SHORT
        sure = [one for one in found if _DAY.search(one.text) or (short and one.score >= _LEAST)]
    else:
        sure = [one for one in found if one.score >= _LEAST]
    return [(one.value, one.start, one.end) for one in sure]


def _spans(text: str, slot: Slot) -> list[tuple[int, int]]:
    try:
        case = (
            re.IGNORECASE if re.search(r"\\d|0-9", slot.pattern) else 0
        )  # two letters of any case are any two letters
        shape = re.compile(rf"(?<![\w@-])(?:{slot.pattern})(?![\w@]|-\w)", case)
    except re.error:
        return []
    spans = [found.span() for found in shape.finditer(text)]
    named = [word for word in words_of(slot.name) if len(word) > 3]
    spans.sort(key=lambda span: not any(word in text[max(0, span[0] - 40) : span[0]].lower() for word in named))
    return spans if case else spans[::-1]  # a code of a country comes last


def _cased(said: str, slot: Slot) -> str | None:
    return next((one for one in (said, said.upper(), said.lower()) if fits(one, slot.schema)), None)


def _shared(text: str, slots: Sequence[Slot], now: datetime | None) -> dict[str, Any]:
    """What is left of a text, shared out among slots that take any text."""
    found: dict[str, Any] = {}
    for slot in (one for one in slots if not one.is_free):
        if formed := _formed(text, slot, now):
            found[slot.name] = formed[0][0]
    free = [slot for slot in slots if slot.is_free]
    if len(free) == 1 and not _PLACED.search(free[0].name):
        words = _bare(_REMARK.split(text.replace("\0", " "))[0])
        return found | ({free[0].name: words} if _suits(words, free[0]) else {})
    pieces = [piece for part in _PIECES.split(text) if (piece := _bare(part)) and not _TALK.search(piece)]
    short = len(text.split()) <= _SHORT
    for part in _PARTS:
        for slot in (one for one in free if part.name.search(one.name) and one.name not in found):
            places = [place for place, piece in enumerate(pieces) if part.shape.search(piece)]
            if part.capital and not short:
                places = [place for place in places if pieces[place][0].isupper()]
            if not places and "name" in slot.name and (capital := _INNER_NAME.search(text)):
                found[slot.name] = capital[0]
            if not places:
                continue
            place = min(places, key=lambda one: part.rank(one, pieces[one], len(pieces)))
            value = _cut(part.shape, pieces[place])
            if _suits(value, slot):
                found[slot.name] = value
                left = pieces[place].replace(value, " ").strip(" ,")
                pieces[place : place + 1] = [left] if left else []
    return found


class _Part(NamedTuple):
    """What pieces for slots of such a name look like, and which of several is the likeliest (least)."""

    name: re.Pattern[str]
    shape: re.Pattern[str]
    rank: Callable[[int, str, int], tuple[int, int]]
    capital: bool = False


def _last(place: int, piece: str, count: int) -> tuple[int, int]:
    return 0, -place


def _first(place: int, piece: str, count: int) -> tuple[int, int]:
    return 0, place


def _named(place: int, piece: str, count: int) -> tuple[int, int]:
    return 0 if re.fullmatch(r"[^\W\d_a-z][\w.'’-]*(?:\s+(?:[a-z]{1,3}\s+)?[^\W\d_a-z][\w.'’-]*)+", piece) else 1, place


def _numbered(place: int, piece: str, count: int) -> tuple[int, int]:
    return 0 if re.search(r"\d", piece) else 1 if " " in piece else 2, place


_INNER_NAME = re.compile(r"(?<=[a-zé,'’] )(?!I\b)[^\W\d_a-z][\w’'-]+(?:\s[^\W\d_a-z][\w’'-]+)*")
_WORDS = r"^(?=[^\W\d_])(?!.*\b(?:i|you|we|can|please|it|what|not|and)\b)[^\d,]+$"
_PARTS = (
    _Part(re.compile("country"), re.compile(r"(?P<value>\b[A-Z]{1,3}$)|^[A-Z][a-z]+$"), _last),
    _Part(_POSTAL, _CODE, _last),
    _Part(re.compile("city|town|place"), re.compile(_WORDS, re.IGNORECASE), _last, capital=True),
    _Part(re.compile("name"), re.compile(_WORDS, re.IGNORECASE), _named, capital=True),
    _Part(re.compile("street|address"), re.compile(r"[^\W\d_]{3}"), _numbered),
    _Part(re.compile(""), re.compile(r"\w"), _first),
)


def _cut(shape: re.Pattern[str], piece: str) -> str:
    found = shape.search(piece)
    return found["value"] if found and "value" in shape.groupindex and found["value"] else piece


def _suits(words: str, slot: Slot) -> bool:
    return bool(re.search(r"\w", words)) and fits(words, slot.schema)


def _bare(text: str) -> str:
    """A phrase without the words around it."""
    text = re.split(r":\s+", text)[-1].strip(" \t\n,.;:!")
    return _TAIL.sub("", _LEAD.sub("", text)).strip(" \t\n,;:\"'“”")
