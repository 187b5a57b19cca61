"""Times of day and lengths of time as people say them: "quarter to six", "7pm", "half past two", "in 45 minutes".

Contract: pure and total. A bare hour ("at 7") stays open between morning and evening until `settled` knows the part of
the day, the topic and the present time. Bare numbers are `weak`: only what stands around them makes them times.

Example:
    >>> [(clock.hour, clock.minute, clock.half) for clock in clocks("quarter to six, 7pm or 19:30")]
    [(5, 45, ''), (7, 0, 'pm'), (19, 30, '')]
    >>> str(settled(clocks("quarter to six")[0], topic="am"))
    '05:45:00'

Not covered: time zones, "half two", seconds in words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Literal

from toologue.text.amounts import NUMBER, whole

PARTS = {
    "morning": (6, 12, 9), "afternoon": (12, 18, 15), "evening": (18, 22, 19), "night": (20, 24, 21), "lunch": (12,
    13, 12),
}  # fmt: skip
"""Part of the day → from, until, and the hour that stands for it."""

_HOURS = {
    name: n
    for n, name in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}
_HOUR = rf"(?:[01]?\d|2[0-4]|{'|'.join(_HOURS)})"
_MERIDIEM = r"(?:a\.?\s?m\b\.?|p\.?\s?m\b\.?)"
_MINUTES = r"twenty[ -]five|twenty|ten|five"
_SPELLED_MINUTE = {"fifteen": 15, "thirty": 30, "forty-five": 45, "twenty": 20, "ten": 10, "forty": 40, "fifty": 50}
_UNIT = r"(?:minutes?|mins?|hours?|hrs?|(?<=\d)[hm])\b"

_EXACT = re.compile(
    rf"(?<![\w:.,/$-])(?P<hour>\d{{1,2}})(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?|\.(?P<dotted>[0-5]\d)"
    rf"(?=\s?{_MERIDIEM})"
    rf"|h(?P<french>[0-5]\d))(?![\d:])\s?(?P<half>{_MERIDIEM})?"
    rf"|(?<=\d[T ])(?P<iso>[0-2]\d:[0-5]\d(?::[0-5]\d)?)|(?<![\w:.,/$-])(?P<digits>0\d[0-5]\d|"
    rf"[12]\d[0-5]\d(?=\s?h(?:ou)?rs?\b))(?![\w:/-])",
    re.IGNORECASE,
)
_HALVED = re.compile(rf"(?<![\w:.,/$])(?P<hour>{_HOUR})\s?(?P<half>{_MERIDIEM})", re.IGNORECASE)
_PAST = re.compile(
    rf"\b(?:(?:(?P<quarter>(?:a\s+)?quarter|half)|(?P<minutes>{_MINUTES}|\d{{1,2}})(?P<said>\s+min(?:ute)?s?)?)\s+"
    rf"(?P<way>to|of|till|before|past|after))\s+(?P<hour>{_HOUR}|noon|midnight)\b(?![:.]\d)"
    rf"(?:\s?(?P<half>{_MERIDIEM}))?",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:12\s+|twelve\s+)?(?P<name>noon|midday|midnight)\b", re.IGNORECASE)
_OCLOCK = re.compile(
    rf"\b(?P<hour>{_HOUR})(?:\s+o['’]?\s?clock\b|(?:\s+|-)(?P<oh>(?:oh|o)[ -])"
    rf"?(?P<minute>{'|'.join(_SPELLED_MINUTE).replace('-', '[ -]')}"
    rf"|(?<=oh.)(?:one|two|three|four|five|six|seven|eight|nine))\b(?!\s+(?:minutes|days|hours|people)))"
    rf"(?:\s?(?P<half>{_MERIDIEM}))?",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"(?<![\w:.,/$£€#@+-])(?P<hour>{_HOUR})(?P<ish>-?ish)?(?![\w%$€°@]|[:.,/]\d|-?\d{{3}}|'s?\b)", re.IGNORECASE
)
_PART = re.compile(
    r"\b(?:in\s+the\s+|at\s+(?=night)|this\s+)?(?:early\s+|late\s+)?(?P<part>morning|afternoon|evening|night)\b|"
    r"\b(?P<tonight>tonight)\b|\bat\s+(?P<lunch>lunch(?:time)?)\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    rf"(?:\b(?P<lead>in|for|within|(?:the\s+)?(?:last|past|next))\s+)?(?:about\s+|around\s+)"
    rf"?\b(?:(?P<halves>half\s+an\s+hour|a\s+half\s+hour)|(?P<quarters>(?:a\s+)?quarter\s+of\s+an\s+hour)"
    rf"|(?P<decimal>\d{{1,3}}\.\d)\s?h(?:ou)?rs?\b|(?P<number>{NUMBER}(?=\s|-?min|-?h(?:ou)?r)|"
    rf"\d{{1,4}}(?=[hm]\b))[\s-]?(?P<unit>{_UNIT})(?P<more>\s+and\s+a\s+half|(?:\s+and)"
    rf"?\s+(?P<extra>{NUMBER})\s?min(?:ute)?s?\b)?)"
    r"(?:\s+(?P<tail>from\s+now|ago|later|hence|before|after|earlier|long)\b)?",
    re.IGNORECASE,
)
_MORNINGS = re.compile(
    r"\b(?:wake|waking|woken|get(?:ting)?\s+up|be\s+up|alarms?|breakfast|sunrise|jog)\b", re.IGNORECASE
)
_EVENINGS = re.compile(
    r"\b(?:dinner|supper|drinks|party|movie|concert|gig|show|bedtime|theat(?:re|er))\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day said at `start` to `end`. `half`: am, pm, 24 (as written), or "" (open)."""

    start: int
    end: int
    hour: int
    minute: int = 0
    second: int = 0
    half: Literal["am", "pm", "24", ""] = ""
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the day: one of `PARTS`."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time. `use`: it leads from now to a moment, says how long something takes, or is just a length."""

    start: int
    end: int
    long: timedelta
    use: Literal["from now", "lasting", "last", "next", ""]


def clocks(text: str) -> list[Clock]:
    """Every time of day in a text, in its order; weak ones too, where nothing else claims the number."""
    found: list[Clock] = []
    taken = bytearray(len(text))
    for pattern in (_EXACT, _PAST, _NAMED, _OCLOCK, _HALVED, _BARE):
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            clock = _clock(pattern, match, text)
            if clock is not None and clock.hour <= 23:
                found.append(clock)
                taken[clock.start : clock.end] = b"x" * (clock.end - clock.start)
    return sorted(found, key=lambda clock: clock.start)


def parts(text: str) -> list[Part]:
    """Every part of a day that a text names."""
    found: list[Part] = []
    for match in _PART.finditer(text):
        name = "lunch" if match["lunch"] else "night" if match["tonight"] else match["part"].lower()
        found.append(Part(match.start(), match.end(), name))
    return found


def lengths(text: str) -> list[Length]:
    """Every length of time in minutes or hours; days and longer are `days`."""
    found: list[Length] = []
    for match in _LENGTH.finditer(text):
        minutes = _minutes(match)
        if minutes is None or minutes > 10**6:
            continue
        lead, tail = (match["lead"] or "").lower().split(" ")[-1], re.sub(r"\s+", " ", (match["tail"] or "").lower())
        use: Literal["from now", "lasting", "last", "next", ""] = ""
        if tail == "ago":
            minutes, use = -minutes, "from now"
        elif tail in ("from now", "later", "hence") or lead in ("in", "within"):
            use = "from now" if tail not in ("before", "after", "earlier", "long") else ""
        elif lead in ("last", "past"):
            use = "last"
        elif lead == "next":
            use = "next"
        elif lead == "for" or tail == "long":
            use = "lasting"
        found.append(Length(match.start(), match.end(), timedelta(minutes=minutes), use))
    return found


def topic_of(text: str) -> Literal["am", "pm", ""]:
    """The half of the day that a text is about: waking is in the morning, dinner is not."""
    return "am" if _MORNINGS.search(text) else "pm" if _EVENINGS.search(text) else ""


def settled(clock: Clock, *, part: str = "", topic: str = "", after: time | None = None) -> time:
    """The time meant: what was said, else the part of the day, else the topic, else daytime (7 to 18 o'clock).

    `after`: the present time; a morning hour that is past becomes the evening one, if that still lies ahead.
    """
    hour = clock.hour % 24
    if clock.half in ("am", "pm"):
        hour = hour if hour > 12 else hour % 12 + (12 if clock.half == "pm" else 0)
    elif clock.half != "24" and 1 <= hour <= 12:
        hour = _daytime(clock, part, topic)
        if after is not None and not part and not topic and hour < 12:
            early, late = (time(either, clock.minute, clock.second) for either in (hour, hour + 12))
            hour += 12 if early <= after < late else 0
    return time(hour, clock.minute, clock.second)


def _daytime(clock: Clock, part: str, topic: str) -> int:
    hour = clock.hour % 12
    if part == "morning":
        return hour
    if part == "night":
        return hour if hour < 5 else hour + 12
    if part:
        return hour + 12
    if topic == "am":
        return hour if 3 <= hour <= 11 else hour + 12
    if topic == "pm":
        return hour + 12
    return hour if 7 <= hour <= 11 else hour + 12


def _clock(pattern: re.Pattern[str], match: re.Match[str], text: str) -> Clock | None:
    start, end = match.span()
    if pattern is _NAMED:
        return Clock(start, end, 0 if match["name"].lower() == "midnight" else 12, half="24")
    if pattern is _PAST:
        return _relative(match, text)
    if pattern is _EXACT:
        written = match["iso"] or (f"{match['digits'][:2]}:{match['digits'][2:]}" if match["digits"] else None)
        if written:
            hour, minute, *second = (int(number) for number in written.split(":"))
            return Clock(start, end, hour, minute, second[0] if second else 0, half="24")
        half = _half(match["half"])
        written_out = match["hour"].startswith("0") or match["french"] or match["second"]
        minute = int(match["minute"] or match["dotted"] or match["french"])
        end = start + len(match[0].rstrip())
        hour = int(match["hour"])
        return Clock(start, end, hour, minute, int(match["second"] or 0), half or ("24" if written_out else ""))
    hour = _hour(match["hour"])
    if pattern is _HALVED:
        return Clock(start, end, hour, half=_half(match["half"])) if 1 <= hour <= 12 else None
    if pattern is _OCLOCK:
        said = (match["minute"] or "").lower().replace(" ", "-")
        minute = (_SPELLED_MINUTE.get(said) or (whole(said) or 0)) if said else 0
        if match["hour"].isdigit() and said:
            return None
        return Clock(start, start + len(match[0].rstrip()), hour, minute, half=_half(match["half"]))
    literal = "24" if hour > 12 or (len(match["hour"]) == 2 and match["hour"][0] == "0") else ""
    return Clock(start, end, hour, half=literal, weak=not match["ish"])


def _relative(match: re.Match[str], text: str) -> Clock | None:
    """Quarter to six; but from five to six, 5 to 6 and half of one are no such thing."""
    way = match["way"].lower()
    quarter = match["quarter"]
    minutes = 30 if quarter and quarter.lower() == "half" else 15 if quarter else whole(match["minutes"]) or 0
    exact = bool(quarter or match["said"] or way in ("past", "after"))
    if way in ("of", "before") and not (quarter or match["said"]):
        return None
    if not exact and (
        match["minutes"].isdigit()
        or re.search(r"\b(?:from|between)\s+$", text[max(0, match.start() - 12) : match.start()], re.I)
    ):
        return None
    if minutes == 30 and way not in ("past", "after") and quarter:
        return None
    hour = {"noon": 12, "midnight": 24}.get(match["hour"].lower()) or _hour(match["hour"])
    back = way in ("to", "of", "till", "before")
    total = (hour * 60 + (-minutes if back else minutes)) % (24 * 60)
    if hour == 1 and back:
        total += 12 * 60
    half = _half(match["half"]) or ("24" if match["hour"].lower() in ("noon", "midnight") or hour > 12 else "")
    return Clock(match.start(), match.start() + len(match[0].rstrip()), total // 60, total % 60, half=half)


def _minutes(match: re.Match[str]) -> float | None:
    if match["halves"] or match["quarters"]:
        return 30 if match["halves"] else 15
    if match["decimal"]:
        return float(match["decimal"]) * 60
    number = whole(match["number"])
    if number is None:
        return None
    unit = 60 if match["unit"].lower().startswith("h") else 1
    more = (match["more"] or "").lower().strip()
    return number * unit + (unit / 2 if more.endswith("half") else (whole(match["extra"]) or 0) if more else 0)


def _hour(said: str) -> int:
    return int(said) if said.isdigit() else _HOURS[said.lower()]


def _half(said: str | None) -> Literal["am", "pm", ""]:
    return "" if not said else "am" if said[0] in "aA" else "pm"
