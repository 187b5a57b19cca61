"""Values of slots in what a customer says.

What has a form (a pattern, a format, a number, one of a few words) is looked for first, the most particular form first,
and taken out of the text; what is left is shared out among the slots that take any text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.data import shipped
from toologue.procedure.course import Slot
from toologue.text.find import find
from toologue.text.tokens import words_of
from toologue.values.json_schema import fits

_LEAST, _SHORT, _LONGEST_KEY = 0.4, 6, 4
_WORDS = cast("Mapping[str, str]", shipped(Path(__file__).with_suffix(".yaml")))
_RE = {name: re.compile(pattern.replace("\n", "")) for name, pattern in _WORDS.items()}
_REMARK = re.compile(r",\s+(?:but|if|not|as|can|in case|that['’]s|and that['’]?s?|so)\b")
_CALLED = {
    "last_name": "last name|surname|name",
    "postal_code": "postal code|postcode|zip code",
    "name": "(?:full )?name",
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
    asked, also, found = list(slots), list(also), dict[str, Any]()
    if listed := _split_list(text, asked, now):
        return listed
    formed = [slot for some in (asked, also) for slot in sorted((one for one in some if not one.is_free), key=_rank)]
    for slot in (*(one for one in (*asked, *also) if one.is_free), *formed):
        told = _find_statement(text, slot) if slot.is_free else _find_formed(text, slot, now)
        for value, start, end in [one for one in told if slot.is_free or one[0] not in avoid][:1]:
            found[slot.name] = value
            text = text[:start] + "\0" * (end - start) + text[end:]
    left = [slot for slot in asked if slot.name not in found and (slot.is_free or slot.lenient)]
    return found | _share_out(text, [_loose(slot) for slot in left], now)


def _find_statement(text: str, slot: Slot) -> list[tuple[Any, int, int]]:
    name = _CALLED.get(slot.name, slot.name.replace("_", " "))
    value = r"(?P<value>[^,;\n\0]+?)(?=[,;\n\0]|\.(?:\s|$)|\s+and\s+(?:the|my|also)\b|$)"
    said = re.search(rf"\b(?:the|my|our)\s+(?:{name})\s+(?:is|are)\s+{value}", text, re.IGNORECASE)
    return [(said["value"], *said.span("value"))] if said and _suits(said["value"], slot) else []


def _split_list(text: str, slots: Sequence[Slot], now: datetime | None) -> dict[str, Any]:
    """The pieces of a bare list, one for each slot in order; empty if that is not what the text is."""
    pieces = [_strip_phrase(piece) for piece in re.split(r"[,;]\s+|\s+and\s+|\s+-\s+", text)]
    if len(slots) < 2 or len(pieces) < len(slots) or not all(map(_RE["talk"].search, pieces[len(slots) :])):
        return {}
    found: dict[str, Any] = {}
    for piece, slot in zip(pieces, slots, strict=False):
        told = _find_formed(piece, slot, now) if not slot.is_free else [(piece, 0, len(piece))]
        alone = (one for one, start, end in told if not re.search(r"\d", piece[:start] + piece[end:]))
        whole = next((value for value in alone if value != "" and fits(value, slot.schema)), None)
        if whole is None or (slot.is_free and len(piece.split()) > 3):
            return {}
        found[slot.name] = whole
    return found


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
    return not slot.is_free and any(one == value for one, _, _ in _find_formed(text, slot, now))


def _rank(slot: Slot) -> tuple[int, int]:
    """The most particular form first."""
    form = slot.schema.get("format")
    lettered = bool(re.search(r"[A-Za-z]", re.sub(r"\\[dw]", "", slot.pattern)))
    order = (form == "email", lettered, form is not None, bool(slot.pattern), bool(slot.schema.get("enum")), True)
    return order.index(True), -len(slot.pattern)


def _find_formed(text: str, slot: Slot, now: datetime | None) -> list[tuple[Any, int, int]]:
    """(value, start, end) of what has the slot's form, the best first."""
    if slot.pattern:
        formed: list[tuple[Any, int, int]] = []
        for start, end in _spans(text, slot):
            words = text[start:end]
            cased = (one for one in (words, words.upper(), words.lower()) if fits(one, slot.schema))
            formed += [(value, start, end) for value in cased][:1]
        return formed
    found = find(text.replace("\0", " "), slot.schema, name=slot.name, description=slot.description, now=now)
    is_day, short = str(slot.schema.get("format", "")).startswith("date"), len(text.split()) <= _SHORT
    sure = (
        one
        for one in found
        if (is_day and _RE["day"].search(one.text)) or (one.score >= _LEAST and (short or not is_day))
    )
    return [(one.value, one.start, one.end) for one in sure]


def _spans(text: str, slot: Slot) -> list[tuple[int, int]]:
    # two letters of any case are any two letters
    case = re.IGNORECASE if re.search(r"\\d|0-9", slot.pattern) else 0
    try:
        shape = re.compile(rf"(?<![\w@-])(?:{slot.pattern})(?![\w@]|-\w)", case)
    except re.error:
        return []
    spans = [found.span() for found in shape.finditer(text)]
    if not case and text.isupper():  # where all is in capitals, a code is the last word
        spans = [(start, end) for start, end in spans if not re.search(r"\w", text[end:])]
    named = [word for word in words_of(slot.name) if len(word) > 3]
    spans.sort(key=lambda span: not any(word in text[max(0, span[0] - 40) : span[0]].lower() for word in named))
    return spans if case else spans[::-1]  # a code of a country comes last


def _share_out(text: str, slots: Sequence[Slot], now: datetime | None) -> dict[str, Any]:
    """What is left of a text, shared out among slots that take any text."""
    found: dict[str, Any] = {}
    for slot in (one for one in slots if not one.is_free):
        if formed := _find_formed(text, slot, now):
            found[slot.name] = formed[0][0]
    free = [slot for slot in slots if slot.is_free]
    if len(free) == 1 and not _PLACED.search(free[0].name):
        shape = "mail" if "mail" in free[0].name else "id" if free[0].is_key else ""
        codes = {code for code in _RE[shape].findall(text) if _suits(code, free[0])} if shape else set[str]()
        if len(codes) == 1:
            return found | dict.fromkeys([free[0].name], codes.pop())
        words = _strip_phrase(_REMARK.split(text.replace("\0", " "))[0])
        is_talk = free[0].is_key and len(words.split()) > _LONGEST_KEY
        return found | ({free[0].name: words} if _suits(words, free[0]) and not is_talk else {})
    pieces = [piece for part in _PIECES.split(text) if (piece := _strip_phrase(part)) and not _RE["talk"].search(piece)]
    short = len(text.split()) <= _SHORT
    for part in _PARTS:
        for slot in (one for one in free if re.search(part.name, one.name) and one.name not in found):
            places = [place for place, piece in enumerate(pieces) if part.shape.search(piece)]
            if part.capital and not short:
                places = [place for place in places if pieces[place][0].isupper()]
            if not places and "name" in slot.name and (capital := _INNER_NAME.search(text)):
                found[slot.name] = capital[0]
            if not places:
                continue
            place = min(places, key=lambda one: part.rank(one, pieces[one]))
            match = part.shape.search(pieces[place])
            value = (match and match.groupdict().get("value")) or pieces[place]
            if _suits(value, slot):
                found[slot.name] = value
                left = pieces[place].replace(value, " ").strip(" ,")
                pieces[place : place + 1] = [left] if left else []
    return found


class _Part(NamedTuple):
    """What pieces for slots of such a name look like: those like an earlier one of `likely` come first."""

    name: str
    shape: re.Pattern[str]
    likely: tuple[re.Pattern[str], ...] = ()
    capital: bool = False
    last: bool = False

    def rank(self, place: int, piece: str) -> tuple[int, int]:
        unlike = next((at for at, form in enumerate(self.likely) if form.fullmatch(piece)), len(self.likely))
        return unlike, -place if self.last else place


_INNER_NAME = re.compile(r"(?<=[a-zé,'’] )(?!I\b)[^\W\d_a-z][\w’'-]+(?:\s[^\W\d_a-z][\w’'-]+)*")
_FULL_NAME = re.compile(r"[^\W\d_a-z][\w.'’-]*(?:\s+(?:[a-z]{1,3}\s+)?[^\W\d_a-z][\w.'’-]*)+")
_PROPER = re.compile(r"^(?=[^\W\d_])(?!.*\b(?:i|you|we|can|please|it|what|not|and)\b)[^\d,]+$", re.IGNORECASE)
# Of pieces that are equally likely, the last counts for the first three, the first for the others.
_PARTS = (
    _Part("country", re.compile(r"(?P<value>\b[A-Z]{1,3}$)|^[A-Z][a-z]+$"), last=True),
    _Part("postal|postcode|zip", _RE["code"], last=True),
    _Part("city|town|place", _PROPER, capital=True, last=True),
    _Part("name", _PROPER, (_FULL_NAME,), capital=True),
    _Part("street|address", re.compile(r"[^\W\d_]{3}"), (re.compile(r"(?s).*\d.*"), re.compile("(?s).* .*"))),
    _Part("", re.compile(r"\w")),
)


def _suits(words: str, slot: Slot) -> bool:
    return bool(re.search(r"\w", words)) and fits(words, slot.schema)


def _strip_phrase(text: str) -> str:
    text = _RE["apology"].sub("", re.split(r":\s+", text)[-1]).strip(" \t\n,.;:!")
    return _RE["tail"].sub("", _RE["lead"].sub("", text)).strip(" \t\n,;:\"'“”")
