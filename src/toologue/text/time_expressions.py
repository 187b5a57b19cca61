"""Expressions of time in a text (days, times, ranges, lengths, put together as they were said), and what they mean.

A time without a day is today's where that lies ahead, else tomorrow's; a day without a time is its whole length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from toologue.text.times import (
    PARTS,
    Clock,
    Day,
    Length,
    Part,
    clocks,
    days,
    joined,
    lengths,
    parts,
    time_meant,
    topic_of,
)

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
    # The day comes from another expression of the text.
    lent: bool = False
    denied: bool = False

    @property
    def day(self) -> Day | None:
        """The first day that it names."""
        return self.first.day or (self.last.day if self.last else None)

    @property
    def until(self) -> Day | None:
        """The last day that it names."""
        return (self.last.day if self.last else None) or self.first.day


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


_SIDES = {Day: "day", Clock: "clock", Part: "part"}


def _with(when: When, piece: _Piece) -> When:
    end = max(when.end, piece.end)
    if isinstance(piece, Length):
        return replace(when, length=piece, end=end)
    side = replace(when.last or when.first, **{_SIDES[type(piece)]: piece})
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
        if not getattr(side, _SIDES[type(piece)]):
            return _with(when, piece)
    ranged = when.last is None and _RANGE.fullmatch(gap) and not isinstance(piece, Part)
    return _with(replace(when, last=Side(), bound=""), piece) if ranged and _may_range(when, piece, text, gap) else None


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
    if when.first.day is not None:
        return when.first.day.kind != "shift"
    if when.first.clock is not None or when.first.part is not None:
        return True
    return now is not None and not (when.length is not None and when.length.use in ("lasting", ""))


def _lent_a_day(when: When, dated: list[When]) -> When:
    """A time without a day takes that of the expression before it, else of the first after it."""
    if when.day is not None or (when.length and when.length.use != "lasting"):
        return when
    before = [other for other in dated if other.end <= when.start]
    chosen = next(iter((*before[-1:], *dated)), None)
    return replace(when, first=replace(when.first, day=chosen.first.day), lent=True) if chosen else when


Asks = Literal["date", "time", "moment"]
Edge = Literal["start", "end", ""]

_DAY_END = time(23, 59, 59)


@dataclass(frozen=True, slots=True)
class Reading:
    """A value that a text says, at `start` to `end`."""

    value: date | time | datetime
    start: int
    end: int
    score: float


def readings(
    text: str, asks: Asks, now: datetime | None = None, *, edge: Edge = "", hint: str = "", past: bool | None = None
) -> list[Reading]:
    """The values for a parameter that asks for these, best first. `hint`: words that tell morning from evening."""
    now = now.replace(tzinfo=None) if now else None
    topic = topic_of(text) or topic_of(hint)
    back = is_past(text) if past is None else past
    found: list[Reading] = []
    for when in whens(text, now, past=back):
        try:
            found += _read(when, asks, edge, _Reader(now, topic, back))
        except (ValueError, OverflowError):
            continue
    return sorted(found, key=lambda reading: (-reading.score, reading.start, reading.end))


@dataclass(frozen=True, slots=True)
class _Reader:
    now: datetime | None
    topic: Literal["am", "pm", ""]
    past: bool

    def times(self, when: When) -> tuple[time | None, time | None]:
        """The times of day at both ends."""
        first, last = when.first.clock, when.last.clock if when.last else None
        part = (when.first.part or (when.last.part if when.last else None)) if first or last else None
        name = part.name if part else ""
        today = self.now is not None and (when.day is None or when.day.first == self.now.date()) and not self.past
        after = self.now.time() if self.now and today and not when.bound else None
        if first is None:
            return None, time_meant(last, part=name, topic=self.topic, after=after) if last else None
        if last is not None and not first.half and last.half in ("am", "pm"):
            end = time_meant(last)
            same = time_meant(replace(first, half=last.half))
            return (same if same < end else time_meant(replace(first, half="am"))), end
        start = time_meant(first, part=name, topic=self.topic, after=after)
        if last is None or last.half:
            return start, time_meant(last) if last else None
        if when.last is not None and when.last.day is not None and when.first.day is not None:
            return start, time_meant(last, part=name, topic=self.topic)
        early, late = (time(last.hour % 12 + half, last.minute, last.second) for half in (0, 12))
        return start, late if early <= start < late else early

    def day(self, when: When, clock: time | None) -> date | None:
        """The day at the start: as said, else today or, where the time has passed, tomorrow."""
        if when.day is not None:
            at_night = clock is not None and clock.hour == 0 and when.first.part and when.first.part.name == "night"
            return when.day.first + timedelta(1 if at_night else 0)
        if self.now is None:
            return None
        ahead = clock is None or (clock <= self.now.time() if self.past else clock > self.now.time())
        return self.now.date() + timedelta(0 if ahead else -1 if self.past else 1)


def _read(when: When, asks: Asks, edge: Edge, reader: _Reader) -> list[Reading]:
    first, last, sure = _ends(when, asks, reader)
    if when.denied:
        sure -= 0.4
    made: list[Reading] = []
    if first is not None and not (edge == "end" and (last is not None or when.bound == "from")):
        missing_end = edge == "end" and when.bound != "until"
        weight = sure * (0.3 if missing_end else 0.6 if edge == "start" and when.bound == "until" else 1)
        made.append(Reading(first, *_spot(when, when.first), round(max(weight, 0.05), 4)))
    if last is not None and edge != "start":
        weight = sure - (0 if edge else 0.05)
        made.append(Reading(last, *_spot(when, when.last), round(max(weight, 0.05), 4)))
    return made


def _spot(when: When, side: Side | None) -> tuple[int, int]:
    """Where the text says this end: its own words where both ends have their own."""
    if when.last is None or side is None:
        return when.start, when.end
    said = [piece for piece in (side.day, side.clock, side.part) if piece is not None]
    return (min(p.start for p in said), max(p.end for p in said)) if said and not when.lent else (when.start, when.end)


_Ends = tuple[date | time | None, date | time | None, float]


def _ends(when: When, asks: Asks, reader: _Reader) -> _Ends:
    """The value at the start, the value at the end (None where there is none), and how sure they are."""
    if when.length is not None and when.length.use != "lasting":
        return _measured(when.length, asks, reader)
    start, end = reader.times(when)
    if asks == "date":
        return _dates(when, start, reader)
    if asks == "time":
        if start is None and end is None:
            return (time(PARTS[when.first.part.name][2]), None, 0.5) if when.first.part else (None, None, 0)
        if end is None and start and when.length is not None:
            end = (datetime.combine(date(2000, 1, 1), start) + when.length.long).time()
        return (start, end, 0.95) if start else (end, None, 0.9)
    return _moments(when, start, end, reader)


def _dates(when: When, start: time | None, reader: _Reader) -> _Ends:
    day = reader.day(when, start)
    if when.until is None:
        return day, None, 0.4
    return day, when.until.last if when.until.last != day else None, 0.6 if when.lent else 0.95


def _moments(when: When, start: time | None, end: time | None, reader: _Reader) -> _Ends:
    day = reader.day(when, start or end)
    if day is None:
        return None, None, 0
    last_day = max(when.until.last, day) if when.until is not None else day
    sure = 0.85 if when.lent or when.day is None else 0.95
    if start is None and end is None:
        if when.first.part is not None:
            first, until, _ = PARTS[when.first.part.name]
            end = time(until) if until < 24 else _DAY_END
            return datetime.combine(day, time(first)), datetime.combine(last_day, end), 0.6
        span = when.first.day
        if reader.now and span and span.kind == "span" and abs(span.number) == 1:  # the last three days
            clock = reader.now.time().replace(microsecond=0)
            return datetime.combine(day, clock), datetime.combine(last_day, clock), 0.8
        return datetime.combine(day, time()), datetime.combine(last_day, _DAY_END), 0.75
    last = datetime.combine(last_day, end or _DAY_END)
    if start is None:
        return datetime.combine(day, time()), last, sure - 0.05
    first = datetime.combine(day, start)
    if when.last is None:
        return first, first + when.length.long if when.length else None, sure
    return first, last if last > first else last + timedelta(1), sure


def _measured(length: Length, asks: Asks, reader: _Reader) -> _Ends:
    if reader.now is None:
        return None, None, 0
    now = reader.now.replace(microsecond=0)
    moment = now + length.long
    first = now - length.long if length.use == "last" else moment if length.use == "from now" else now
    last = None if length.use == "from now" else now if length.use == "last" else moment
    if asks == "moment":
        return first, last, 0.95
    if asks == "time":
        return first.time(), last.time() if last else None, 0.95
    return first.date(), None, 0.5
