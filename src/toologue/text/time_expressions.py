"""Expressions of time in a text: days, times of day, ranges and lengths, put together as they were said.

Contract: pure and total; expressions stand in the order of the text and do not overlap. What they mean is for `dates`.

Example:
    >>> from datetime import datetime
    >>> said = "Book it from 9 to 11 on Friday, and remind me in 20 minutes; a table for 2."
    >>> [said[when.start : when.end] for when in whens(said, datetime(2025, 3, 12))]
    ['9 to 11 on Friday', 'in 20 minutes']

Not covered: recurring times; times that hang on another event ("an hour before the meeting").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from toologue.text.clocks import Clock, Length, Part, clocks, lengths, parts, topic_of
from toologue.text.days import Day, days, joined

_GLUE = re.compile(
    r"[\s,.]*(?:(?:at|on|the|of|by|around|about|from|between|in|sharp|exactly|starting|for|@|—|all\s+day|"
    r"for\s+the\s+whole\s+of)[\s,]*)*",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:,?\s*(?:to|until|till?|through|thru|and)\b|[-–—])\s*(?:at\s+|on\s+|the\s+)?", re.IGNORECASE)
_CUE = re.compile(
    r"(?:\b(?:at|by|around|until|till?|before|after|since)|@|\b(?:make|move|change|switch|set|push)\s+(?:it|that|"
    r"this)(?:\s+to)?)\s*$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\b(?:from|between)\s+(?:about\s+)?$", re.IGNORECASE)
_FOR = re.compile(r"\b(?:for|to)\s+$", re.IGNORECASE)
_UNLIKE = re.compile(
    r"\s*(?:-|of\b|people\b|percent\b|more\b|or\b|eggs?\b|(?!(?:this|sharp|pls|please|is|was|as|us|thanks|hours)"
    r"\b)[a-z]{2,}s\b)",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"\W*(?:(?:um|oh|ok|okay|no|at|for|let['’]s\s+say|say|maybe|please|make\s+it)\W*)*", re.IGNORECASE
)
_UNTIL = re.compile(r"\b(?:before|until|till?|by|no\s+later\s+than|up\s+to|ending)\s+(?:the\s+)?$", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:after|since|from|starting|beginning)\s+(?:at\s+|on\s+|the\s+)?$", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|instead\s+of|rather\s+than|no\s+longer)\s+(?:at\s+|on\s+)?$", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:did|was|were|happened)\b|\b(?:who|what|which)\b.{0,20}\b(?:wrote|sent|texted|messaged|e?mailed|called|had)\b"
    r"|\b(?:sent|wrote|texted|messaged|e?mailed)\s+me\b|\b(?:got|received)\b",
    re.IGNORECASE,
)

_Piece = Day | Clock | Part | Length


@dataclass(frozen=True, slots=True)
class Side:
    """One end of an expression: a day, a time of day, a part of the day, each with the text's span; any may lack."""

    day: Day | None = None
    clock: Clock | None = None
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class When:
    """One expression of time: its span, its start, its end where it is a range, how long it lasts."""

    start: int
    end: int
    first: Side
    last: Side | None = None
    length: Length | None = None
    bound: Literal["from", "until", ""] = ""
    lent: bool = False
    """The day comes from another expression of the text."""
    denied: bool = False


def is_past(text: str) -> bool:
    """Whether a text asks about what has been: then its weekdays are those gone by."""
    return bool(_PAST.search(text))


def whens(text: str, now: datetime | None = None, *, past: bool | None = None) -> tuple[When, ...]:
    """Every expression of time in a text, in its order. Without `now`, only what needs none."""
    return _whens(text, now, is_past(text) if past is None else past)


@lru_cache(maxsize=128)
def _whens(text: str, now: datetime | None, past: bool) -> tuple[When, ...]:
    grouped: list[When] = []
    for piece in _pieces(text, now, past=past):
        grown = _grown(grouped[-1], piece, text) if grouped else None
        if grown is not None:
            grouped[-1] = grown
        elif not grouped or piece.start >= grouped[-1].end:  # else "tomorrow tonight": its words are taken
            grouped.append(_opened(piece, text))
    kept = [when for when in grouped if _says_something(when, now)]
    dated = [when for when in kept if when.first.day is not None and when.first.day.kind != "span"]
    return tuple(_lent_a_day(when, dated) for when in kept)


def _pieces(text: str, now: datetime | None, *, past: bool) -> list[_Piece]:
    """All pieces in order; days claim their words first, then clear times, then lengths; bare numbers come last."""
    said = clocks(text)
    stretches = [length for length in lengths(text) if length.use and now]
    taken = bytearray(len(text))
    pieces: list[_Piece] = [*parts(text)]
    ranked = (days(text, now.date() if now else None, past=past), [one for one in said if not one.weak], stretches)
    for group in (*ranked, [one for one in said if one.weak]):
        for piece in group:
            if not any(taken[piece.start : piece.end]):
                taken[piece.start : piece.end] = b"x" * (piece.end - piece.start)
                pieces.append(piece)
    pieces.sort(key=lambda piece: (piece.start, piece.end))
    sure = _sure(pieces, text)
    return [piece for piece in pieces if not (isinstance(piece, Clock) and piece.weak) or piece in sure]


def _before(text: str, place: int) -> str:
    """The words just before: enough for a cue, and no more than that."""
    return text[max(0, place - 40) : place]


def _sure(pieces: list[_Piece], text: str) -> set[_Piece]:
    """The bare numbers that are times, judged by their neighbours."""
    sure: set[_Piece] = set()
    for number, piece in enumerate(pieces):
        if not (isinstance(piece, Clock) and piece.weak) or _UNLIKE.match(text, piece.end):
            continue
        before = pieces[number - 1] if number else None
        after = pieces[number + 1] if number + 1 < len(pieces) else None
        if _CUE.search(_before(text, piece.start)) or _alone(piece, text) or _stands_by(piece, before, after, text):
            sure.add(piece)
    for one, other in pairwise(pieces):
        if isinstance(one, Clock) and isinstance(other, Clock) and _RANGE.fullmatch(text, one.end, other.start):
            led = bool(_FROM.search(_before(text, one.start))) and not _UNLIKE.match(text, other.end)
            spoken = re.search(r"\band\b", text[one.end : other.start], re.IGNORECASE)
            if led or (not spoken and (one in sure or other in sure or not one.weak or not other.weak)):
                sure |= {one, other}
    return sure


def _alone(clock: Clock, text: str) -> bool:
    """Whether the number is all that is said, or what an alarm is set for."""
    if _FOR.search(_before(text, clock.start)) and topic_of(text) == "am":
        return True
    return len(text) <= 48 and bool(_FILLERS.fullmatch(text[: clock.start] + text[clock.end :]))


def _stands_by(clock: Clock, before: _Piece | None, after: _Piece | None, text: str) -> bool:
    if isinstance(after, Part) and not text[clock.end : after.start].strip():
        return True
    if isinstance(after, Day) and not text[clock.end : after.start].strip(" ,"):
        return not re.search(r"\bfor\s+$", _before(text, clock.start), re.IGNORECASE)
    return isinstance(before, Day | Part) and bool(
        re.fullmatch(r"[\s,@]*(?:at|from|for)?\s*", text[before.end : clock.start])
    )


def _opened(piece: _Piece, text: str) -> When:
    made = When(piece.start, piece.end, Side())
    head = _before(text, piece.start)
    bound = "until" if _UNTIL.search(head) else "from" if _SINCE.search(head) else ""
    return replace(_with(made, piece), bound=bound, denied=bool(_NOT.search(head)))


def _with(when: When, piece: _Piece) -> When:
    """The expression with a piece on its open side."""
    if isinstance(piece, Length):
        return replace(when, length=piece, end=max(when.end, piece.end))
    side = when.last or when.first
    if isinstance(piece, Day):
        side = replace(side, day=piece)
    elif isinstance(piece, Clock):
        side = replace(side, clock=piece)
    else:
        side = replace(side, part=piece)
    end = max(when.end, piece.end)
    return replace(when, last=side, end=end) if when.last else replace(when, first=side, end=end)


def _grown(when: When, piece: _Piece, text: str) -> When | None:
    """The expression together with the piece that follows, if it belongs to it."""
    side = when.last or when.first
    gap = text[when.end : piece.start] if piece.start > when.end else ""
    if isinstance(piece, Length):
        fits = piece.use == "lasting" and when.length is None and (side.clock or side.day)
        return _with(when, piece) if fits and _GLUE.fullmatch(gap) else None
    if when.length is not None:
        return None
    if _GLUE.fullmatch(gap):
        if isinstance(piece, Day) and side.day is not None:
            both = joined(side.day, piece)
            return _joined_days(when, both, piece) if both else None
        free = not (side.clock if isinstance(piece, Clock) else side.part if isinstance(piece, Part) else side.day)
        if free:
            return _with(when, piece)
    if (
        when.last is None
        and _RANGE.fullmatch(gap)
        and not isinstance(piece, Part)
        and _may_range(when, piece, text, gap)
    ):
        opened = _with(replace(when, last=Side()), piece)
        return replace(opened, bound="")
    return None


def _joined_days(when: When, both: Day, piece: Day) -> When:
    """Monday through Friday + next week: the week is that of both."""
    made = _with(when, both)
    if when.last is not None and piece.kind == "span" and when.first.day is not None:
        first = joined(when.first.day, piece)
        if first is not None:
            return replace(made, first=replace(when.first, day=replace(first, start=when.first.day.start)))
    return made


def _may_range(when: When, piece: _Piece, text: str, gap: str) -> bool:
    side = when.first
    same = (isinstance(piece, Clock) and side.clock) or (isinstance(piece, Day) and side.day)
    if not same and not (side.clock and isinstance(piece, Day)):
        return False
    if "and" not in gap.lower() or re.search(r"\bbetween\s+(?:the\s+)?$", _before(text, when.start), re.IGNORECASE):
        return True
    if isinstance(piece, Clock) and side.clock:
        return bool(re.search(r"\bbetween\s+$", _before(text, side.clock.start), re.IGNORECASE))
    return isinstance(piece, Day) and side.day is not None and (piece.first - side.day.last).days == 1


def _says_something(when: When, now: datetime | None) -> bool:
    lonely = when.length is not None and when.length.use in ("lasting", "")
    bare = when.first.day is None and when.first.clock is None and when.first.part is None
    shift = when.first.day is not None and when.first.day.kind == "shift"
    return not (bare and lonely) and not shift and not (bare and now is None)


def _lent_a_day(when: When, dated: list[When]) -> When:
    """A time without a day takes that of the expression before it, else of the first after it."""
    if when.first.day is not None or (when.last and when.last.day) or (when.length and when.length.use != "lasting"):
        return when
    before = [other for other in dated if other.end <= when.start]
    chosen = before[-1] if before else dated[0] if dated else None
    return replace(when, first=replace(when.first, day=chosen.first.day), lent=True) if chosen else when
