"""Values that people give beside the name of what they are: "the city is Oslo", "page 1", "with Oslo as the city".

Contract: pure. `answered` reads the answer to a question for several parameters: people say the names that the question
used; where they say none, the parts of the answer are for what was asked for, in that order, or all of it is for the
last. `volunteered` reads a wish, in which most words are no values. Values have the documented type, where they can.

Not covered: values that are named by no word of the documentation, or before its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

from toologue.agents.retrieve.filling import TIMES, Slot
from toologue.agents.retrieve.lexicon import everyday, short_for, stems, talk
from toologue.text.tokens import split_name
from toologue.values.json_schema import fits

_THE = re.compile(r"\b(?:the|your)\s+(?=((?:[\w'’/-]+ ?){1,6}))", re.IGNORECASE)
_IS = re.compile(r"^(?:\s*(?:is|are|would be|should be|being|=)\b|\s*[:=])\s*", re.IGNORECASE)
_IT_IS = re.compile(
    r"\b(?:it|that|this)(?:['’]s| is| would be| was| should be) (?:called )?(?!about |the )(.+)", re.IGNORECASE
)
_STOP = re.compile(r"(?<=[^\s.])[.!?…]+(?=\s|$)|;\s|,?\s(?:but|though|however)\b|\n", re.IGNORECASE)
_AS = re.compile(r"\b(?:with|using) (\S+(?: \S+){0,4}?) as (?:the|an?) ([^,.;:!?]+)", re.IGNORECASE)
# What a wish goes on with, the last of it first; a season, and a closing word.
_JOIN = re.compile(
    r"(?<!looking )(?<!ask )(?=\b(?:of|in|at|for|on|about|called|by) (?:(?!an? |me\b)(.+)))", re.IGNORECASE
)
_SEASON = re.compile(r"^the (\d{4}) season$|^the (?:[a-z-]+ )+(?=[A-Z\d+])")
_CLOSING = re.compile(r",? (?:for me|please)$", re.IGNORECASE)
_EDGE = " \t\r\n,;:!?…\"“”'’"
_LONGEST = 6  # words of a value that stands by itself
_NAME, _DESCRIBED = 3, 1


class Answer(NamedTuple):
    """Parameter → value; and the parameters that are named without one."""

    values: dict[str, Any]
    unknown: tuple[str, ...] = ()


class _Spot(NamedTuple):
    """Where a text names a parameter: the phrase, then the parameter's name."""

    start: int
    end: int
    name: str


def answered(answer: str, question: str, slots: Sequence[Slot]) -> Answer:
    """What an answer says of the parameters that a question asks for."""
    spots = _spots(answer, _phrases(question), slots)
    behind = [
        (one.name, _behind(answer, one, next_.start)) for one, next_ in pairwise([*spots, _Spot(len(answer), 0, "")])
    ]
    found = {name: value for name, value in behind if value}
    unknown = tuple(dict.fromkeys(name for name, _ in behind if name not in found))
    if not spots and slots and (value := _alone(answer)):
        # The parameters that a question names, in its order; the first one where it names none.
        by_name = {slot.name: slot for slot in slots}
        named = dict.fromkeys(spot.name for spot in _spots(question, _phrases(question), slots))
        found = _shared(value, [by_name[name] for name in named] or [*slots][:1])
    return Answer({slot.name: _typed(found[slot.name], slot) for slot in slots if slot.name in found}, unknown)


def volunteered(text: str, slots: Sequence[Slot], about: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The values that a wish comes with: what is said to be one, stands behind a parameter's name, or is what the wish
    goes on with, beyond what it is `about`.
    """
    found: dict[str, str] = {}
    for value, label in _AS.findall(text) if slots else ():
        found.setdefault(max(slots, key=lambda slot: (_likeness(label, slot), slot.required)).name, value)
    for slot in slots:
        for name in called(slot):
            cue = re.compile(rf"\b(?:the|an? list of) {re.escape(name)}\b", re.IGNORECASE)
            told = [value for match in cue.finditer(text) if (value := _told(text[match.end() :]))]
            if told:
                found.setdefault(slot.name, told[-1])
    values = {slot.name: _typed(found[slot.name], slot) for slot in slots if slot.name in found}
    known = [slot for slot in slots if not (slot.naming or slot.of)]
    left = [slot for slot in known if slot.required] or known
    return values or {slot.name: value for slot in left[:1] if (value := _joined(text, slot, about)) is not None}


def _joined(text: str, slot: Slot, about: frozenset[str]) -> Any:
    """What a wish is joined to by a preposition, if that says more than what the Api is about: the humidity in Oslo."""
    whole = _CLOSING.sub("", text.strip(_EDGE + "."))
    for said in (one[1] for one in _JOIN.finditer(whole)):
        told = _SEASON.sub(r"\1", said)
        news = not about.issuperset(stems(told)) or any(char.isupper() or char.isdigit() for char in told)
        thing = told.startswith("the ")  # of the day, which nobody names
        if news and not thing and not _is_everyday(told.split()[0]) and len(told.split()) <= _LONGEST:
            return _typed(told, slot)
    return None


def called(slot: Slot) -> tuple[str, ...]:
    """What people may call a parameter: its name in words, and with the words that its parts are short for."""
    return _called(slot.name)


def mentions(text: str, value: Any) -> bool:
    """Whether a text says a value, as a whole."""
    said = " ".join(str(value).split())
    return bool(said) and re.search(rf"(?<![\w-]){re.escape(said)}(?![\w-])", text, re.IGNORECASE) is not None


# ---- which parameter


def _phrases(question: str) -> list[str]:
    """What a question may name a parameter by: the words after each "the", and every beginning of them."""
    found: list[str] = []
    for match in _THE.finditer(question):
        words = re.split(r"\band\b", match[1])[0].split()
        found += [" ".join(words[:end]) for end in range(len(words), 0, -1)]
    return list(dict.fromkeys(found))


def _spots(answer: str, phrases: Sequence[str], slots: Sequence[Slot]) -> list[_Spot]:
    """Where an answer names parameters, in words of the question or of the documentation; the longest come first."""
    spots: list[_Spot] = []
    for phrase in sorted(
        {*phrases, *(name for slot in slots for name in called(slot))}, key=lambda one: (-len(one), one)
    ):
        places = re.finditer(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", answer, re.IGNORECASE)
        for match in places if phrase.lower() not in everyday() else ():
            if not any(match.start() < one.end and one.start < match.end() for one in spots):
                spots.append(_Spot(match.start(), match.end(), phrase))
    chosen = _assigned([one.name for one in sorted(spots)], phrases, slots)
    return [one._replace(name=chosen[one.name]) for one in sorted(spots) if one.name in chosen]


def _assigned(said: Sequence[str], phrases: Sequence[str], slots: Sequence[Slot]) -> dict[str, str]:
    """Each phrase with the parameter that it is most like; with the next one where it is like none."""
    order = sorted(dict.fromkeys(said), key=lambda one: phrases.index(one) if one in phrases else -1)
    pairs = [(_likeness(phrase, slot), -at, phrase, slot.name) for phrase in order for at, slot in enumerate(slots)]
    chosen: dict[str, str] = {}
    for likeness, _, phrase, name in sorted(pairs, key=lambda pair: pair[:2], reverse=True):
        if likeness > 0 and phrase not in chosen and name not in chosen.values():
            chosen[phrase] = name
    left = [slot.name for slot in slots if slot.name not in chosen.values()]
    unlike = [phrase for phrase in order if phrase in phrases and phrase not in chosen]
    return chosen | dict(zip(unlike, left, strict=False))


def _shared(answer: str, asked: Sequence[Slot]) -> dict[str, str]:
    """The parts of an answer in the order of what was asked for; all of it for the last, a required one if there is."""
    parts = re.split(r",? and |, ", answer)
    pairs = [*zip(asked, parts, strict=False)]
    if len(asked) == len(parts) and all(fits(_typed(part, slot), slot.schema) for slot, part in pairs):
        return {slot.name: part for slot, part in pairs}
    return {([slot for slot in asked if slot.required] or asked)[-1].name: answer}


def _likeness(phrase: str, slot: Slot) -> float:
    words, names = set(phrase.lower().split()), called(slot)
    if any(phrase.lower().replace(" ", "") == name.replace(" ", "") for name in names):
        return 2 * _NAME
    parts = set(" ".join(names).split())
    described = slot.described | frozenset(stems(str(slot.schema.get("title", ""))))
    shared = sum(any(_alike(word, part) for part in parts) for word in words)
    return (_NAME * shared + _DESCRIBED * len(described.intersection(stems(phrase)))) / len(words | parts)


def _alike(word: str, part: str) -> bool:
    return word == part or (len(part) > 2 and word.startswith(part)) or (len(word) > 2 and part.startswith(word))


@lru_cache(maxsize=4096)
def _called(name: str) -> tuple[str, ...]:
    words = split_name(name).split()
    return tuple(dict.fromkeys([" ".join(words), " ".join(short_for(word) for word in words)]))


# ---- which value


def _behind(text: str, spot: _Spot, end: int) -> str:
    """The value behind a name; "" where there is none, or the words before say that it is not known."""
    before, behind = _STOP.split(text[: spot.start])[-1], text[spot.end : end]
    if (_doubts(before) and not _IS.match(behind)) or behind.lstrip().startswith(("?", ".", "!", ",", "and ", "or ")):
        return ""
    value = _core(_STOP.split(_IS.sub("", behind), maxsplit=1)[0])
    return "" if _doubts(value) and not value.isupper() else value


def _alone(answer: str) -> str:
    """The value of an answer that names nothing; "" where there is none."""
    parts = [part for part in _STOP.split(answer) if part.strip(_EDGE)]
    told = [match[1] for part in parts if (match := _IT_IS.search(part))]
    for value in map(_core, (*told, *parts)):
        if value and (value.isupper() or not _doubts(value)):
            return value
    whole = answer.strip(_EDGE + ".")
    return "" if _doubts(whole) or len(whole.split()) > _LONGEST else whole


def _told(rest: str) -> str:
    """The value after a name in a wish; "" where the words go on saying what is wanted."""
    is_ = _IS.match(rest)
    said = _STOP.split(rest[is_.end() :] if is_ else rest, maxsplit=1)[0].split(", ")[0].strip(_EDGE).removesuffix(".")
    words = said.split()
    if not 0 < len(words) <= _LONGEST or words[0] in ("and", "or") or (rest[:1] in ",;.!?" and not is_):
        return ""
    return "" if any(map(_is_everyday, words)) else said


def _core(part: str) -> str:
    """A part of a sentence without what stands around its value."""
    pieces = part.split(", ")
    while len(pieces) > 1 and _is_plain(pieces[-1]):
        pieces.pop()
    while len(pieces) > 1 and _is_plain(pieces[0]):
        pieces.pop(0)
    words = ", ".join(pieces).strip(_EDGE).split()
    while words and _is_everyday(words[0]) and not words[0][:1].isdigit():
        words.pop(0)
    while words and (_is_everyday(words[-1]) or words[-1].lower() in ("and", "the")):
        words.pop()
    return " ".join(words).strip(_EDGE).removesuffix(".")


def _is_plain(piece: str) -> bool:
    """Whether a piece has only everyday words, or says that something is not known."""
    return _doubts(piece) or all(map(_is_everyday, piece.split()))


def _is_everyday(word: str) -> bool:
    """Whether a word, without its stops and what it is contracted with, is seldom a part of a value."""
    return re.sub(r"['’](?:s|m|d|ll|ve|re)$", "", word.strip(_EDGE + ".").lower()) in everyday()


def _doubts(text: str) -> bool:
    return talk("unknowing").search(text) is not None


def _typed(said: str, slot: Slot) -> Any:
    kind = slot.schema.get("type")
    if slot.kind in (*TIMES, "month") and any(map(str.isalpha, said)) and (found := slot.find(said, None)):
        return found[0].value
    if kind in ("integer", "number"):
        try:
            number = float(said.replace(",", ""))
        except ValueError:
            return said
        return int(number) if number.is_integer() else number if isfinite(number) else said
    if kind == "boolean" and said.lower() in ("true", "false", "yes", "no"):
        return said.lower() in ("true", "yes")
    return said
