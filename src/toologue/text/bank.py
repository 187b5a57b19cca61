"""Phrase banks: what customers and agents say, by kind and register, as frames around slots.

    customer   terse, chatty, annoyed, formal; typo_prone is terse and chatty under the fingers of `mistype`
    agent      warm, brief, formal

A kind lists its slots; each frame has every slot of its kind once. A slot has a *form*, and frames are grammatical with
whatever has that form:

    value      said as it is, and never changed: ORD-48213, anna@post.example, 3 May 2025
    noun       a noun phrase with its article or possessive: a refund, the earlier train, your e-mail address
    clause     a main clause without capital and full stop, which may follow "that": the parcel has not arrived
    sentence   one sentence or more: The parcel has not arrived.
    action     what somebody does, as it follows "to": cancel order ORD-48213
    question   an indirect question: whether the parcel was opened, why you want it back
    asked      a noun phrase or an indirect question

`fill` puts a capital where a slot opens a sentence and mends full stops; values it leaves alone. A `Voice` is one
speaker in one conversation: it uses no frame of a kind twice before it has used all. Voices that differ in `start`
alone begin one frame further on, so that as many conversations as there are frames open differently.

Example:
    >>> voice = Voice("customer", "formal", seed=7)
    >>> voice("give", value="ORD-48213"), voice("give_choice", choice="a refund")
    ('Of course, it is ORD-48213.', 'I would like a refund, please.')
    >>> phrases().kind("agent", "apologise").slots
    {'problem': 'clause'}

Not covered: other languages, and agreement beyond what the forms promise (a plural where a frame says "it is").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from math import gcd
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

from pydantic import Field

from toologue import keys
from toologue.data import shipped
from toologue.errors import BadSetting, UnknownName
from toologue.schema import Noun
from toologue.text.tokens import is_known, opens_sentence

Role = Literal["customer", "agent"]
Form = Literal["value", "noun", "clause", "sentence", "action", "question", "asked"]
Register = Literal["terse", "chatty", "annoyed", "formal", "typo_prone", "warm", "brief"]

REGISTERS: Mapping[Role, tuple[Register, ...]] = {
    "customer": ("terse", "chatty", "annoyed", "formal", "typo_prone"),
    "agent": ("warm", "brief", "formal"),
}
# Whom the typo-prone take their frames from.
_MISTYPED: tuple[Register, ...] = ("terse", "chatty")
_SLOT = re.compile(r"\{(\w+)\}")
# With the full stop that it needs no more if its text has one.
_FILLED = re.compile(r"\{(\w+)\}(\.?)")
_ENDED = re.compile(r"[.!?…:][\"')”’]*$")


class PhraseKind(Noun):
    """One thing to say: what it is about, its slots with their forms, its frames by register."""

    role: Role
    name: str
    about: str
    slots: dict[str, Form] = Field(default_factory=dict[str, Form])
    frames: dict[Register, tuple[str, ...]]

    def of(self, register: Register) -> tuple[str, ...]:
        """The frames of a register; those of the typo-prone are still without errors. Raises UnknownName."""
        if register not in REGISTERS[self.role]:
            raise UnknownName(f"register of the {self.role}", register, REGISTERS[self.role])
        if register == "typo_prone":
            return tuple(frame for source in _MISTYPED for frame in self.frames[source])
        return self.frames[register]


class Phrases(Noun):
    """A bank: kinds by role and name."""

    kinds: Mapping[Role, Mapping[str, PhraseKind]]

    def kind(self, role: Role, name: str) -> PhraseKind:
        """The kind of this name. Raises UnknownName."""
        if name not in self.kinds[role]:
            raise UnknownName(f"kind of phrase of the {role}", name, self.kinds[role])
        return self.kinds[role][name]


def stem_and_number(id: str) -> tuple[str, int]:
    """An id without the digits, up to nine, that it ends in, and these as a number: neighbours begin a phrase apart."""
    stem = re.sub(r"\d{1,9}\Z", "", id)
    return stem, int(id[len(stem) :] or 0)


def speaker_of(role: Role, id: str, seed: int = 0) -> tuple[Register, int]:
    """Who speaks in a conversation of this id: the register, and how often it has come round by then."""
    stem, number = stem_and_number(id)
    start, place = divmod(keys.seed_of(stem) % 1000 + number + seed, len(REGISTERS[role]))
    return REGISTERS[role][place], start


class Voice:
    """One speaker in one conversation: `voice(kind, slot=…)` gives words. The same arguments give the same words."""

    def __init__(self, role: Role, register: Register, *, seed: int | str, start: int = 0):
        if register not in REGISTERS[role]:
            raise UnknownName(f"register of the {role}", register, REGISTERS[role])
        self.role: Role = role
        self.register: Register = register
        self._seed = seed
        self._turns = defaultdict[str, int](lambda: start)

    def __call__(self, kind: str, /, **slots: str) -> str:
        """The next frame of a kind, filled. Raises UnknownName for the kind, BadSetting for slots."""
        known = phrases().kind(self.role, kind)
        frames = known.of(self.register)
        turn = self._turns[kind]
        frame = frames[place_of(turn, len(frames), keys.seed_of(self._seed, self.role, self.register, kind))]
        slip = keys.seed_of(self._seed, kind, turn)
        if self.register == "typo_prone" and slip % 4 == 0:
            frame = mistype(frame, seed=slip)
        text = fill(frame, known.slots, slots)
        self._turns[kind] += 1
        return text


@cache
def phrases() -> Phrases:
    """The banks that ship."""
    kinds: dict[Role, dict[str, PhraseKind]] = {}
    for role in REGISTERS:
        written = shipped(Path(__file__).with_name("banks") / f"{role}.yaml")["kinds"]
        kinds[role] = {name: _kind(role, name, entry) for name, entry in written.items()}
    return Phrases(kinds=kinds)


def fill(frame: str, forms: Mapping[str, Form], slots: Mapping[str, str]) -> str:
    """The frame with its slots filled, each as its form asks for. Raises BadSetting for slots unknown or left empty."""
    given = {name for name, text in slots.items() if text.strip()}
    if given != {*forms}:
        raise BadSetting(f"{frame!r} takes the slots {_listed(forms)}; it was given {_listed(given)}")
    return filled(frame, forms, slots)


def filled(frame: str, forms: Mapping[str, Form], slots: Mapping[str, str]) -> str:
    """The frame with what is given for its slots; one whose form is not said is a noun."""

    def shaped(found: re.Match[str]) -> str:
        form, text = forms.get(found[1], "noun"), slots[found[1]]
        if form != "value":
            opens = form == "sentence" or opens_sentence(frame[: found.start()])
            text = _shaped(text.strip(), whole=form == "sentence", opens=opens)
        return text if _ENDED.search(text) else f"{text}{found[2]}"

    return _FILLED.sub(shaped, frame)


@cache
def slots_of(frame: str) -> frozenset[str]:
    """The slots that a frame has."""
    return frozenset(_SLOT.findall(frame))


def place_of(turn: int, count: int, seed: int) -> int:
    """Where the frame of this turn stands: any `count` turns in a row lead to different places."""
    steps = _steps(count)
    return (seed + turn * steps[seed // count % len(steps)]) % count


@cache
def _steps(count: int) -> tuple[int, ...]:
    return tuple(step for step in range(1, count + 1) if gcd(step, count) == 1)


def _shaped(text: str, *, whole: bool, opens: bool) -> str:
    """With a full stop if it is a whole sentence, without if not; with a capital where it opens a sentence."""
    if not whole:
        text = text.rstrip(".")
    elif text and not _ENDED.search(text):
        text += "."
    first = text.split(maxsplit=1)[0] if text else ""
    return text[0].upper() + text[1:] if opens and first.islower() else text


def _kind(role: Role, name: str, entry: Mapping[str, Any]) -> PhraseKind:
    frames = {register: text.strip("\n").split("\n") for register, text in entry["frames"].items()}
    return PhraseKind.model_validate({**entry, "role": role, "name": name, "frames": frames})


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = {letter: row[max(0, at - 1) : at] + row[at + 1 : at + 2] for row in _ROWS for at, letter in enumerate(row)}
_LEFT_ALONE = frozenset(
    "none never nobody nothing nowhere neither without cannot wrong hello sorry sure please thanks".split()
)
# So many slips are tried, until one makes no other word.
_SLIPS = 12
_WORD = re.compile(r"(?P<before>[\"'(]*)(?P<word>[A-Za-z]+(?:['’][a-z]+)?)(?P<after>[.,;:!?)\"'…]*)")


def mistype(text: str, *, seed: int | str, rate: float = 0.12, keep: Iterable[str] = ()) -> str:
    """The text with about `rate` of its longer words mistyped: one at least, where any may be."""
    random = Random(keys.seed_of(seed, text))
    parts = _parts(text, tuple(keep))
    places = [number for number, part in enumerate(parts) if part.may_err]
    wrong = {place for place in places if random.random() < rate} or set(random.sample(places, min(1, len(places))))
    made = [
        part.text if part.word is None else _typed(part.word, random, err=number in wrong, first=not number)
        for number, part in enumerate(parts)
    ]
    if parts and parts[-1].word and made[-1].endswith(".") and not made[-1].endswith("..") and random.random() < 0.5:
        made[-1] = made[-1][:-1]
    return "".join(made)


class _Part(NamedTuple):
    """White space, or a word with its signs; `word` is None where nothing may be touched."""

    text: str
    word: re.Match[str] | None
    may_err: bool


@lru_cache(maxsize=4096)
def _parts(text: str, keep: tuple[str, ...]) -> tuple[_Part, ...]:
    fixed = [r"\{\w+\}", *sorted(map(re.escape, filter(None, keep)), key=len, reverse=True)]
    spans = [found.span() for found in re.finditer("|".join(fixed), text)]
    parts: list[_Part] = []
    for piece in re.finditer(r"\s+|\S+", text):
        free = not any(start < piece.end() and piece.start() < end for start, end in spans)
        word = _WORD.fullmatch(piece[0]) if free else None
        letters = word["word"] if word else ""
        may_err = len(letters) >= 4 and letters[1:].islower() and letters.lower() not in _LEFT_ALONE
        parts.append(_Part(piece[0], word, may_err))
    return tuple(parts)


def _typed(part: re.Match[str], random: Random, *, err: bool, first: bool) -> str:
    word = part["word"]
    if not word.isalpha() and (err or random.random() < 0.5):
        word = re.sub("['’]", "", word)
    elif err:
        slips = (_slip(word, random) for _ in range(_SLIPS))
        word = next((made for made in slips if not is_known(made.lower())), word)
    if (word == "I" or first) and random.random() < 0.5:
        word = word[:1].lower() + word[1:]
    return part["before"] + word + part["after"]


def _slip(word: str, random: Random) -> str:
    """One wrong key; the first letter stays, and the last unless swapped, so that the word can still be read."""
    at = random.randrange(1, len(word) - 1)
    match random.choice(("swap", "swap", "drop", "double", "beside")):
        case "swap" if word[at] != word[at + 1]:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case "double":
            return word[: at + 1] + word[at:]
        case "beside" if _BESIDE.get(word[at]):
            return word[:at] + random.choice(_BESIDE[word[at]]) + word[at + 1 :]
        case _:
            return word[:at] + word[at + 1 :]
