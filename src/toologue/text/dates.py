"""Moments as people say them: days and times of day as values.

Contract: pure and total. `readings` gives what `whens` found as values for a parameter that asks
for a date, a time or a moment, and perhaps for the start or the end of a stretch. A time without a day is today's where
that lies ahead, else tomorrow's; a day without a time is its whole length.

Example:
    >>> from datetime import datetime
    >>> now = datetime(2025, 3, 12, 10, 20)
    >>> [str(reading.value) for reading in readings("lunch with Ann tomorrow from 12 to 1:30", "moment", now)]
    ['2025-03-13 12:00:00', '2025-03-13 13:30:00']
    >>> [str(reading.value) for reading in readings("anything this weekend?", "moment", now, edge="end")]
    ['2025-03-16 23:59:59']

Not covered: time zones; recurring times ("every Monday" is read as the next one); "an hour before the meeting".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Literal

from toologue.text.clocks import PARTS, Clock, Length, settled, topic_of
from toologue.text.time_expressions import Side, When, is_past, whens

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
        day = when.first.day or (when.last.day if when.last else None)
        today = self.now is not None and (day is None or day.first == self.now.date()) and not self.past
        after = self.now.time() if self.now and today and not when.bound else None
        if first is None:
            return None, settled(last, part=name, topic=self.topic, after=after) if last else None
        if last is not None and not first.half and last.half in ("am", "pm"):
            end = settled(last)
            same = settled(replace(first, half=last.half))
            return (same if same < end else settled(replace(first, half="am"))), end
        start = settled(first, part=name, topic=self.topic, after=after)
        if last is None or last.half:
            return start, settled(last) if last else None
        own_day = when.last is not None and when.last.day is not None and when.first.day is not None
        end = settled(last, part=name, topic=self.topic) if own_day else _next_after(last, start)
        return start, end

    def day(self, when: When, clock: time | None) -> date | None:
        """The day at the start: as said, else today or, where the time has passed, tomorrow."""
        day = when.first.day or (when.last.day if when.last else None)
        if day is not None:
            at_night = clock is not None and clock.hour == 0 and when.first.part and when.first.part.name == "night"
            return day.first + timedelta(1) if at_night else day.first
        if self.now is None:
            return None
        ahead = clock is None or (clock <= self.now.time() if self.past else clock > self.now.time())
        return self.now.date() + timedelta(0 if ahead else -1 if self.past else 1)


def _next_after(clock: Clock, start: time) -> time:
    for hour in (clock.hour % 12, clock.hour % 12 + 12):
        made = time(hour, clock.minute, clock.second)
        if made > start:
            return made
    return time(clock.hour % 12, clock.minute, clock.second)


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
            if when.first.part is None:
                return None, None, 0
            hours = PARTS[when.first.part.name]
            return time(hours[2]), None, 0.5
        if end is None and start and when.length is not None:
            end = (datetime.combine(date(2000, 1, 1), start) + when.length.long).time()
        return (start, end, 0.95) if start else (end, None, 0.9)
    return _moments(when, start, end, reader)


def _dates(when: When, start: time | None, reader: _Reader) -> _Ends:
    day = reader.day(when, start)
    if when.first.day is None and (when.last is None or when.last.day is None):
        return day, None, 0.4
    said = when.last.day if when.last and when.last.day else when.first.day
    last = said.last if said is not None and said.last != day else None
    return day, last, 0.6 if when.lent else 0.95


def _moments(when: When, start: time | None, end: time | None, reader: _Reader) -> _Ends:
    day = reader.day(when, start or end)
    if day is None:
        return None, None, 0
    said = when.last.day if when.last and when.last.day else when.first.day
    last_day = max(said.last, day) if said is not None else day
    sure = 0.85 if when.lent or (when.first.day is None and not (when.last and when.last.day)) else 0.95
    if start is None and end is None:
        if when.first.part is not None:
            return *_part_of(when.first.part.name, day, last_day), 0.6
        span = when.first.day
        if reader.now and span and span.kind == "span" and abs(span.number) == 1:  # the last three days
            clock = reader.now.time().replace(microsecond=0)
            return datetime.combine(day, clock), datetime.combine(last_day, clock), 0.8
        return datetime.combine(day, time()), datetime.combine(last_day, _DAY_END), 0.75
    if start is None:
        return datetime.combine(day, time()), datetime.combine(last_day, end or _DAY_END), sure - 0.05
    first = datetime.combine(day, start)
    if when.last is None:
        return first, first + when.length.long if when.length else None, sure
    last = datetime.combine(last_day, end) if end else datetime.combine(last_day, _DAY_END)
    return first, last if last > first else last + timedelta(1), sure


def _part_of(name: str, day: date, last: date) -> tuple[datetime, datetime]:
    first, until, _ = PARTS[name]
    return datetime.combine(day, time(first)), datetime.combine(last, time(until) if until < 24 else _DAY_END)


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
