"""Phrase banks of the chains line: what users and agents say, by kind and speaking style, as frames around slots.

There are two banks, `train` and `unseen`. They share no frame, and are built otherwise, so that words of the one are
news to whoever learned from the other. Some frames of a kind have room for fewer slots than others. Every slot is a
noun phrase, a clause or an action, as `text.bank` has them, but for those of `FORMS`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from toologue import keys
from toologue.data import shipped
from toologue.errors import BadSetting, UnknownName
from toologue.text.bank import Form, filled, place_of, slots_of

Speaker = Literal["user", "agent"]
Style = Literal["neutral", "terse", "chatty", "warm", "brief"]
BankName = Literal["train", "unseen"]

STYLES: Mapping[Speaker, tuple[Style, ...]] = {
    "user": ("neutral", "terse", "chatty"),
    "agent": ("neutral", "warm", "brief"),
}
BANKS: tuple[BankName, ...] = get_args(BankName)
FORMS: Mapping[str, Form] = {"value": "value", "values": "value", "count": "value", "are": "value"}


class Bank(NamedTuple):
    """All that can be said, by speaker, kind and style."""

    name: BankName
    kinds: Mapping[Speaker, Mapping[str, Mapping[Style, tuple[str, ...]]]]


class Voice:
    """One speaker: `voice(kind, slot=…)` gives words. Slots that a frame has no room for are left unsaid."""

    def __init__(self, source: Bank, speaker: Speaker, style: Style, *, seed: int, start: int = 0):
        if style not in STYLES[speaker]:
            raise UnknownName(f"style of the {speaker}", style, STYLES[speaker])
        self.style: Style = style
        self._kinds, self._speaker, self._seed = source.kinds[speaker], speaker, seed
        self._turns = defaultdict[str, int](lambda: start)

    def __call__(self, kind: str, /, **slots: str) -> str:
        """The next frame of a kind, filled. Raises UnknownName for a kind, BadSetting for a slot that is missing."""
        if kind not in self._kinds:
            raise UnknownName(f"kind of phrase of the {self._speaker}", kind, self._kinds)
        frames = self._kinds[kind][self.style]
        usable = [frame for frame in frames if slots.keys() >= slots_of(frame)]
        if not usable:
            taken = sorted(frozenset[str]().union(*map(slots_of, frames)))
            raise BadSetting(f"{kind!r} takes {', '.join(taken)}; it was given {', '.join(slots) or 'nothing'}")
        turn = self._turns[kind]
        self._turns[kind] += 1
        return filled(usable[place_of(turn, len(usable), self._seed ^ _hash(kind))], FORMS, slots)

    def many(self, kind: str) -> int:
        """How many frames a kind has."""
        return len(self._kinds[kind][self.style])


@cache
def bank(name: BankName) -> Bank:
    """The bank of this name. Raises UnknownName."""
    if name not in BANKS:
        raise UnknownName("phrase bank", name, BANKS)
    folder = Path(__file__).with_name("banks")
    kinds: dict[Speaker, dict[str, dict[Style, tuple[str, ...]]]] = {}
    for speaker in STYLES:
        said: dict[str, dict[Style, str]] = shipped(folder / f"{name}_{speaker}.yaml")
        kinds[speaker] = {
            kind: {style: tuple(text.splitlines()) for style, text in texts.items()} for kind, texts in said.items()
        }
    return Bank(name, kinds)


@cache
def _hash(kind: str) -> int:
    return keys.seed_of(kind)
