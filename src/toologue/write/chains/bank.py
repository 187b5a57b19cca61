"""Phrase banks of the chains line: what users and agents say, by kind and speaking style, as frames around slots.

There are two banks, `train` and `unseen`. They share no frame, and are built otherwise, so that words of the one are
news to whoever learned from the other. A kind belongs to an action; it lists the slots that each of its frames has
(`slots`), and those that a frame may have (`may`; where a kind has no others, a frame has one of these at least).
`[a|b|c]` in a frame stands for any one of the three. What a slot's *form* promises is what `text.bank` says of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from toologue import keys
from toologue.data import Place, Source, read_source
from toologue.errors import BadSetting, UnknownName
from toologue.text.bank import place_of
from toologue.write.chains.words import capital

Speaker = Literal["user", "agent"]
Style = Literal["neutral", "terse", "chatty", "formal", "hurried", "warm", "brief"]
BankName = Literal["train", "unseen"]
Form = Literal["value", "noun", "clause", "action"]

STYLES: Mapping[Speaker, tuple[Style, ...]] = {
    "user": ("neutral", "terse", "chatty", "formal", "hurried"),
    "agent": ("neutral", "warm", "brief", "formal"),
}
BANKS: tuple[BankName, ...] = get_args(BankName)

_FOLDER = Path(__file__).with_name("banks")
_SLOT = re.compile(r"\{(\w+)\}")
_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_OPENS = re.compile(r"(?:^|[.!?]['\")]*\s+)$")
_ENDS = re.compile(r"[.!?…][\"')”’]*$")


class Frame(NamedTuple):
    """One frame, each of its readings taken apart: text, slot, text, …, slot, text."""

    text: str
    slots: frozenset[str]
    readings: tuple[tuple[str, ...], ...]


class Kind(NamedTuple):
    """One thing to say: the action it belongs to, the forms of its slots, its frames by style."""

    name: str
    action: str
    forms: Mapping[str, Form]
    frames: Mapping[Style, tuple[Frame, ...]]


class Bank(NamedTuple):
    """All that can be said, by speaker and kind."""

    name: str
    kinds: Mapping[Speaker, Mapping[str, Kind]]

    def count(self, action: str) -> int:
        """How many frames there are for an action."""
        found = (kind for kinds in self.kinds.values() for kind in kinds.values() if kind.action == action)
        return len({frame.text for kind in found for frames in kind.frames.values() for frame in frames})


class Voice:
    """One speaker: `voice(kind, slot=…)` gives words. Slots that a frame has no room for are left unsaid."""

    style: Style

    def __init__(self, source: Bank, speaker: Speaker, style: Style, *, seed: int, start: int = 0):
        if style not in STYLES[speaker]:
            raise UnknownName(f"style of the {speaker}", style, STYLES[speaker])
        self._kinds, self._speaker, self.style, self._seed, self._start = (
            source.kinds[speaker],
            speaker,
            style,
            seed,
            start,
        )
        self._said: dict[str, int] = {}

    def __call__(self, kind: str, /, **slots: str) -> str:
        """The next frame of a kind, filled. Raises UnknownName for a kind, BadSetting for a slot that is missing."""
        known = self._kinds.get(kind)
        if known is None:
            raise UnknownName(f"kind of phrase of the {self._speaker}", kind, self._kinds)
        frames = known.frames[self.style]
        turn = self._start + self._said.get(kind, 0)
        self._said[kind] = self._said.get(kind, 0) + 1
        seed = self._seed ^ _hash(kind)
        usable = [frame for frame in frames if slots.keys() >= frame.slots]
        if not usable:
            raise BadSetting(f"{kind!r} takes {', '.join(known.forms)}; it was given {', '.join(slots) or 'nothing'}")
        frame = usable[place_of(turn, len(usable), seed)]
        return _filled(frame.readings[(seed // 7 + turn * 5) % len(frame.readings)], known.forms, slots)


@cache
def bank(name: BankName) -> Bank:
    """The bank of this name. Raises UnknownName; BadRecord where a file is not as it should be."""
    if name not in BANKS:
        raise UnknownName("phrase bank", name, BANKS)
    return Bank(name, {speaker: dict(_kinds(_FOLDER / f"{name}_{speaker}.yaml", speaker)) for speaker in STYLES})


def _kinds(file: Path, speaker: Speaker) -> Iterator[tuple[str, Kind]]:
    source = read_source(file)
    for name, entry in _mapping(source, source.data, ()).items():
        at = (name,)
        inside = _mapping(source, entry, at)
        slots, may = (cast("dict[str, Form]", inside.get(key) or {}) for key in ("slots", "may"))
        if wrong := [form for form in {**slots, **may}.values() if form not in get_args(Form)]:
            raise source.bad(at, f"there is no form {wrong[0]!r}", f"one of {', '.join(get_args(Form))}")
        texts = _mapping(source, inside.get("frames"), (*at, "frames"))
        if sorted(texts) != sorted(STYLES[speaker]):
            raise source.bad((*at, "frames"), "not every style has frames", f"write {', '.join(STYLES[speaker])}")
        frames: dict[Style, tuple[Frame, ...]] = {
            cast("Style", style): tuple(
                _frame(source, (*at, "frames", style), line, slots, may) for line in _lines(text)
            )
            for style, text in texts.items()
        }
        yield name, Kind(name, str(inside.get("action", "")), {**slots, **may}, frames)


def _lines(text: Any) -> list[str]:
    return [line.strip() for line in str(text).split("\n") if line.strip()]


def _frame(source: Source, at: Place, text: str, slots: Mapping[str, Form], may: Mapping[str, Form]) -> Frame:
    """A frame taken apart. Raises BadRecord where its slots are not those of its kind."""
    held = _SLOT.findall(text)
    whole = slots.keys() <= set(held) <= {**slots, **may}.keys() and len(held) == len(set(held))
    if not whole or (may and not held):
        remedy = f"each of {sorted(slots) or 'no slot'} once, and perhaps of {sorted(may)}"
        raise source.bad(at, f"the frame {text!r} is not whole", remedy)
    parts = _CHOICE.split(text)
    choices = [part.split("|") if at % 2 else [part] for at, part in enumerate(parts)]
    return Frame(text, frozenset(held), tuple(tuple(_SLOT.split("".join(one))) for one in product(*choices)))


def _filled(parts: tuple[str, ...], forms: Mapping[str, Form], slots: Mapping[str, str]) -> str:
    """The frame with its slots: a capital where one opens a sentence, and no full stop twice."""
    text = parts[0]
    for slot, after in zip(parts[1::2], parts[2::2], strict=True):
        words = slots[slot]
        if forms[slot] != "value":
            words = words.rstrip(".")
            words = capital(words) if _OPENS.search(text[-6:]) or not text else words
        if after.startswith(".") and _ENDS.search(words[-3:]):
            after = after[1:]
        text = f"{text}{words}{after}"
    return text


@cache
def _hash(kind: str) -> int:
    return keys.seed_of(kind)


def _mapping(source: Source, value: Any, at: Place) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not value:
        raise source.bad(at, "an object is expected here", "see the banks that ship for an example")
    return cast("Mapping[str, Any]", value)
