"""Values that people give beside the name of what they are: "the city is Oslo", "page 1", "with Oslo as the city".

Contract: pure. `answered` reads the answer to a question for several parameters: people say the names that the question
used; where they say none, the answer is for the one that was asked for. `volunteered` reads a wish, in which most words
are no values. Values have the documented type, as far as they can.

Example:
    >>> from toologue.agents.retrieve.forms import form_of
    >>> from toologue.schema import Api, Parameter
    >>> text = {"type": "string"}
    >>> form = form_of(Api(name="Weather", parameters={"lon": Parameter(schema=text), "day": Parameter(schema=text)}))
    >>> slots = list(form.slots.values())
    >>> answered("Day 18. The longitude? No idea.", "Tell me the longitude and the day.", slots)
    Answer(values={'day': '18'}, unknown=('lon',))
    >>> answered("It's Monday, thanks.", "And the day?", slots).values
    {'day': 'Monday'}
    >>> volunteered("Is it dry in Oslo, with 10.75 as the longitude?", slots)
    {'lon': '10.75'}

Not covered: values that are named by no word of the documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.agents.retrieve.forms import Slot
from toologue.agents.retrieve.lexicon import stems
from toologue.data import shipped
from toologue.text.tokens import split_name

_THE = re.compile(r"\b(?:the|your)\s+(?=((?:[\w'’/-]+ ?){1,6}))", re.IGNORECASE)
_IS = re.compile(r"^(?:\s*(?:is|are|would be|should be|being|=)\b|\s*[:=])\s*", re.IGNORECASE)
_IT_IS = re.compile(r"\b(?:it|that|this)(?:['’]s| is| would be| was| should be) (.+)", re.IGNORECASE)
_STOP = re.compile(r"(?<=[^\s.])[.!?…]+(?=\s|$)|;\s|,?\s(?:but|though|however)\b|\n", re.IGNORECASE)
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
_AS = re.compile(r"\b(?:with|using) (\S+(?: \S+){0,4}?) as (?:the|an?) ([^,.;:!?]+)", re.IGNORECASE)
_FOR = re.compile(
    r"(?:\b(?P<lead>with|using|use|have|got|take|put|enter|set|try|choose|and)\s+|^|[.!?…,:]\s+)"
    r"(?P<value>(?:(?!\b(?:with|using|use|have|got|take|put|enter|set|try|choose|ask|look|and)\b)[^\s,;:!?]+ ){1,4})"
    r"for the (?P<label>[^,.;:!?]+)", re.IGNORECASE,
)  # fmt: skip
_EDGE = " \t\r\n,;:!?…\"“”'’"
_LONGEST = 6  # words of a value that stands by itself
_NAME, _DESCRIBED, _NAMED = 3, 1, 0.8


class Answer(NamedTuple):
    """Parameter → value; and the parameters that are named without one."""

    values: dict[str, Any]
    unknown: tuple[str, ...] = ()


class _Spot(NamedTuple):
    """Where a text names a parameter."""

    start: int
    end: int
    slot: str


def answered(answer: str, question: str, slots: Sequence[Slot]) -> Answer:
    """What an answer says of the parameters that a question asks for."""
    spots = _spots(answer, _phrases(question), slots)
    stretches = [
        (one.slot, _behind(answer, one, after)) for one, after in zip(spots, _ends(spots, answer), strict=True)
    ]
    found = {name: value for name, stretch in stretches if (value := _value(stretch, named=True))}
    unknown = tuple(dict.fromkeys(name for name, _ in stretches if name not in found))
    found |= _put_for(answer, slots, sure=True)
    unknown = tuple(name for name in unknown if name not in found)
    by_name = {slot.name: slot for slot in slots}
    if not spots and (asked := _one(question, slots)) is not None and (value := _value(answer, named=False)):
        found[asked.name] = value
    return Answer({name: _typed(value, by_name[name]) for name, value in found.items()}, unknown)


def volunteered(text: str, slots: Sequence[Slot]) -> dict[str, Any]:
    """The values that a wish comes with: what is said to be one, or stands behind a parameter's name."""
    found: dict[str, str] = {}
    for value, label in _AS.findall(text) if slots else ():
        found.setdefault(max(slots, key=lambda slot: (_likeness(label, slot), slot.required)).name, value)
    found = {**_put_for(text, slots, sure=False), **found}
    for slot in slots:
        for name in called(slot):
            label = rf"\b(?:the|an?) (?:list of )?{re.escape(name)}\b"
            behind = [text[match.end() :] for match in re.finditer(label, text, re.IGNORECASE)]
            for value in [value for rest in behind if (value := _told(rest))][-1:]:
                found.setdefault(slot.name, value)
    by_name = {slot.name: slot for slot in slots}
    return {name: _typed(value, by_name[name]) for name, value in found.items()}


def called(slot: Slot) -> tuple[str, ...]:
    """What people may call a parameter: its name in words, and with the words that its parts are short for."""
    return _called(slot.name)


def words_for(slot: Slot) -> str:
    """What the agent calls a parameter."""
    return called(slot)[-1]


def settings(slot: Slot) -> bool:
    """Whether a parameter sets how an answer looks."""
    return _listed("settings").search(split_name(slot.name)) is not None


def doubts(text: str) -> bool:
    """Whether somebody says that something is not so, or that they do not know."""
    return _listed("unknowing").search(text) is not None or _NOT.search(text) is not None


def declines(text: str) -> bool:
    """Whether somebody does not want what was offered."""
    return _listed("declining").search(text) is not None or _NOT.search(text) is not None


def wishes_more(text: str) -> bool:
    """Whether somebody who had an answer wants something else."""
    return "?" in text or _listed("wishing").search(text) is not None


def mentions(text: str, value: Any) -> bool:
    """Whether a text says a value, as a whole."""
    said = " ".join(str(value).split())
    return bool(said) and re.search(rf"(?<![\w-]){re.escape(said)}(?![\w-])", text, re.IGNORECASE) is not None


def _put_for(text: str, slots: Sequence[Slot], *, sure: bool) -> dict[str, str]:
    """Values before the names of parameters: "golf for the sport"; unless `sure`, such as look like values."""
    found: dict[str, str] = {}
    for match in _FOR.finditer(text):
        value, label = match["value"].strip(), match["label"].strip()
        best = max(slots, key=lambda slot: _likeness(label, slot), default=None)
        lead = (match["lead"] or "").lower()
        plain = any(char.isdigit() for char in value) or (bool(lead) if sure else lead in ("with", "using"))
        if best is not None and _likeness(label, best) >= _NAMED and plain and not _plain(value):
            found.setdefault(best.name, value)
    return found


def _phrases(question: str) -> list[str]:
    """What a question may name a parameter by: the words after each "the", and every beginning of them."""
    found: list[str] = []
    for match in _THE.finditer(question):
        words = re.split(r"\band\b", match[1])[0].split()
        found += [" ".join(words[:end]) for end in range(len(words), 0, -1)]
    return list(dict.fromkeys(found))


def _spots(answer: str, phrases: Sequence[str], slots: Sequence[Slot]) -> list[_Spot]:
    """Where an answer names parameters: in words of the question, or of the documentation; the longest come first."""
    names = {name: slot.name for slot in slots for name in called(slot)}
    places: list[tuple[int, int, str]] = []
    for phrase in sorted({*phrases, *names}, key=lambda one: (-len(one), one)):
        if phrase.lower() in _everyday():
            continue
        for match in re.finditer(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", answer, re.IGNORECASE):
            if not any(match.start() < end and start < match.end() for start, end, _ in places):
                places.append((match.start(), match.end(), phrase))
    return list(_assigned(sorted(places), phrases, slots))


def _assigned(places: Sequence[tuple[int, int, str]], phrases: Sequence[str], slots: Sequence[Slot]) -> Iterator[_Spot]:
    """Each phrase with the parameter that it is most like; with the next one where it is like none."""
    order = sorted({phrase for *_, phrase in places}, key=lambda one: phrases.index(one) if one in phrases else -1)
    pairs = [(_likeness(phrase, slot), -at, phrase, slot.name) for phrase in order for at, slot in enumerate(slots)]
    chosen: dict[str, str] = {}
    for likeness, _, phrase, name in sorted(pairs, key=lambda pair: pair[:2], reverse=True):
        if likeness > 0 and phrase not in chosen and name not in chosen.values():
            chosen[phrase] = name
    left = [slot.name for slot in slots if slot.name not in chosen.values()]
    for phrase in order:
        if phrase in phrases and phrase not in chosen and left:
            chosen[phrase] = left.pop(0)
    return (_Spot(start, end, chosen[phrase]) for start, end, phrase in places if phrase in chosen)


def _ends(spots: Sequence[_Spot], text: str) -> list[int]:
    """Where the words behind each name end: where the next one begins."""
    return [*(spot.start for spot in spots[1:]), len(text)] if spots else []


def _behind(text: str, spot: _Spot, end: int) -> str:
    """The words behind a name; none where those before it say that it is not known ("I don't have the ID with me")."""
    before, behind = _STOP.split(text[: spot.start])[-1], text[spot.end : end]
    return "" if doubts(before) and not _IS.match(behind) else behind


def _one(question: str, slots: Sequence[Slot]) -> Slot | None:
    """The one parameter that a question asks for: the last that it names; one that is required, if it names any."""
    needed = [slot for slot in slots if slot.required]
    for some in (needed, slots):
        for match in reversed(list(_THE.finditer(question))):
            said = _phrases(f"{match[0]}{match[1]}")
            like = {slot.name: max((_likeness(one, slot) for one in said), default=0.0) for slot in some}
            if max(like.values(), default=0.0) >= _NAMED:
                return max(some, key=lambda slot: like[slot.name])
    return next(iter(slots), None)


def _likeness(phrase: str, slot: Slot) -> float:
    """How much a phrase says of a parameter."""
    words = set(phrase.lower().split())
    if any(phrase.lower().replace(" ", "") == name.replace(" ", "") for name in called(slot)):
        return 2 * _NAME
    name = set(" ".join(called(slot)).split())
    described = slot.described | frozenset(stems(str(slot.schema.get("title", ""))))
    shared = sum(any(_alike(word, part) for part in name) for word in words)
    said = len(described.intersection(stems(phrase)))
    return (_NAME * shared + _DESCRIBED * said) / len(words | name)


def _alike(word: str, part: str) -> bool:
    return word == part or (len(part) > 2 and word.startswith(part)) or (len(word) > 2 and part.startswith(word))


def _value(stretch: str, *, named: bool) -> str:
    """The value in a stretch of an answer; "" where there is none."""
    parts = [stretch] if named else [part for part in _STOP.split(stretch) if part.strip(_EDGE)]
    if named:
        if stretch.lstrip()[:1] in ("?", ".", "!", ",") or stretch.lstrip().startswith(("and ", "or ")):
            return ""
        said = _IS.sub("", stretch)
        parts = _STOP.split(said, maxsplit=1)[:1]
    told = [match[1] for part in parts if not named and (match := _IT_IS.search(part))]
    told = [one for one in told if not one.lower().startswith(("about ", "the "))]  # what the question is after
    for part in (*told, *parts):
        value = _core(part)
        if value and (value.isupper() or not doubts(value)):
            return value
    whole = stretch.strip(_EDGE + ".")
    return "" if named or doubts(whole) or len(whole.split()) > _LONGEST else whole


def _core(part: str) -> str:
    """A part of a sentence without what stands around its value."""
    pieces = part.split(", ")
    while len(pieces) > 1 and _plain(pieces[-1]):
        pieces.pop()
    while len(pieces) > 1 and _plain(pieces[0]):
        pieces.pop(0)
    words = ", ".join(pieces).strip(_EDGE).split()
    while words and _bare(words[0]) in _everyday() and not words[0][:1].isdigit():
        words.pop(0)
    while words and (_bare(words[-1]) in _everyday() or words[-1].lower() in ("and", "the")):
        words.pop()
    return " ".join(words).strip(_EDGE).removesuffix(".")


def _plain(piece: str) -> bool:
    """Whether a piece has only everyday words, or says that something is not known."""
    return doubts(piece) or all(_bare(word) in _everyday() for word in piece.split())


def _told(rest: str) -> str:
    """The value after a name in a wish; "" where the words go on saying what is wanted."""
    is_ = _IS.match(rest)
    said = _STOP.split(rest[is_.end() :] if is_ else rest, maxsplit=1)[0].split(", ")[0].strip(_EDGE).removesuffix(".")
    words = said.split()
    if not words or len(words) > _LONGEST or words[0] in ("and", "or") or (rest[:1] in ",;.!?" and not is_):
        return ""
    return "" if any(_bare(word) in _everyday() for word in words) else said


def _typed(said: str, slot: Slot) -> Any:
    """A value as its parameter wants it."""
    kind = slot.schema.get("type")
    if kind in ("integer", "number"):
        try:
            number = float(said.replace(",", ""))
        except ValueError:
            return said
        return int(number) if number.is_integer() else number if isfinite(number) else said
    if kind == "boolean" and said.lower() in ("true", "false", "yes", "no"):
        return said.lower() in ("true", "yes")
    try:
        return f"{datetime.strptime(said, '%d %B %Y'):%Y-%m-%d}"
    except ValueError:
        return said


def _bare(word: str) -> str:
    """A word without its stops, and without what it is contracted with."""
    return re.sub(r"['’](?:s|m|d|ll|ve|re)$", "", word.strip(_EDGE + ".").lower())


@lru_cache(maxsize=4096)
def _called(name: str) -> tuple[str, ...]:
    words, short = split_name(name).split(), _lexicon()["short"]
    full = [short.get(word, word) for word in words]
    return tuple(dict.fromkeys([" ".join(words), " ".join(full)]))


@cache
def _everyday() -> frozenset[str]:
    return frozenset(str(_lexicon()["everyday"]).split(", "))


@cache
def _listed(kind: str) -> re.Pattern[str]:
    words = "|".join(re.escape(word).replace("'", "['’]") for word in str(_lexicon()[kind]).split(", "))
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


@cache
def _lexicon() -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", shipped(Path(__file__).with_name("searching.yaml")))
