"""Days, times of day and lengths of time that a text names, piece by piece: "quarter to six", "next Friday".

Pieces are put together by `time_expressions`. A bare hour ("at 7") stays open between morning and evening until
`time_meant` knows the part of the day, the topic and the present time. Bare numbers are `weak`: only what stands around
them makes them times.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from functools import partial
from typing import Literal, TypeVar

from toologue.text.numbers import NUMBER, SMALL_NUMBERS, whole

# Part of the day → from, until, and the hour that stands for it.
PARTS = {
    "morning": (6, 12, 9), "afternoon": (12, 18, 15), "evening": (18, 22, 19), "night": (20, 24, 21),
    "lunch": (12, 13, 12),
}  # fmt: skip

# Part of the day, or topic → the hours that are meant before noon.
_BEFORE_NOON = {"morning": (0, 11), "night": (0, 4), "am": (3, 11)}

_HOURS = {word: number for word, number in SMALL_NUMBERS.items() if 1 <= number <= 12}
_HOUR = rf"(?:[01]?\d|2[0-4]|{'|'.join(_HOURS)})"
_MERIDIEM = r"(?:a\.?\s?m\b\.?|p\.?\s?m\b\.?)"
_MINUTES = r"twenty[ -]five|twenty|ten|five"
_SPELLED_MINUTE = {"fifteen": 15, "thirty": 30, "forty-five": 45, "twenty": 20, "ten": 10, "forty": 40, "fifty": 50}
_TIME_UNIT = r"(?:minutes?|mins?|hours?|hrs?|(?<=\d)[hm])\b"

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
_DAY_PART = re.compile(
    r"\b(?:in\s+the\s+|at\s+(?=night)|this\s+)?(?:early\s+|late\s+)?(?P<part>morning|afternoon|evening|night)\b|"
    r"\b(?P<tonight>tonight)\b|\bat\s+(?P<lunch>lunch(?:time)?)\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    rf"(?:\b(?P<lead>in|for|within|(?:the\s+)?(?:last|past|next))\s+)?(?:about\s+|around\s+)"
    rf"?\b(?:(?P<halves>half\s+an\s+hour|a\s+half\s+hour)|(?P<quarters>(?:a\s+)?quarter\s+of\s+an\s+hour)"
    rf"|(?P<decimal>\d{{1,3}}\.\d)\s?h(?:ou)?rs?\b|(?P<number>{NUMBER}(?=\s|-?min|-?h(?:ou)?r)|"
    rf"\d{{1,4}}(?=[hm]\b))[\s-]?(?P<unit>{_TIME_UNIT})(?P<more>\s+and\s+a\s+half|(?:\s+and)"
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


Use = Literal["from now", "lasting", "last", "next", ""]
_LEADS: dict[str, Use] = {
    "in": "from now", "within": "from now", "last": "last", "past": "last", "next": "next", "for": "lasting",
}  # fmt: skip
_TAILS = ("ago", "from now", "later", "hence")


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time. `use`: it leads from now to a moment, says how long something takes, or is just a length."""

    start: int
    end: int
    long: timedelta
    use: Use


_Said = TypeVar("_Said", "Clock", "Day")


def _claimed(
    text: str, rules: Iterable[tuple[re.Pattern[str], Callable[[re.Match[str]], _Said | None]]]
) -> list[_Said]:
    """What rules make of a text, in its order; earlier rules claim their words first."""
    found: list[_Said] = []
    taken = bytearray(len(text))
    for pattern, rule in rules:
        for match in pattern.finditer(text):
            said = None if any(taken[match.start() : match.end()]) else rule(match)
            if said is not None:
                found.append(said)
                taken[said.start : said.end] = b"x" * (said.end - said.start)
    return sorted(found, key=lambda said: said.start)


def clocks(text: str) -> list[Clock]:
    """Every time of day in a text, in its order; weak ones too, where nothing else claims the number."""
    return _claimed(text, [(pattern, _clock) for pattern in (_EXACT, _PAST, _NAMED, _OCLOCK, _HALVED, _BARE)])


def parts(text: str) -> list[Part]:
    """Every part of a day that a text names."""
    return [
        Part(*match.span(), "lunch" if match["lunch"] else "night" if match["tonight"] else match["part"].lower())
        for match in _DAY_PART.finditer(text)
    ]


def lengths(text: str) -> list[Length]:
    """Every length of time in minutes or hours; days and longer are `days`."""
    found: list[Length] = []
    for match in _LENGTH.finditer(text):
        minutes = _minutes(match)
        if minutes is None or minutes > 10**6:
            continue
        lead, tail = (match["lead"] or "").lower().split(" ")[-1], re.sub(r"\s+", " ", (match["tail"] or "").lower())
        use: Use = _LEADS.get(lead, "lasting" if tail == "long" else "")
        if tail in _TAILS:
            minutes, use = -minutes if tail == "ago" else minutes, "from now"
        elif use == "from now" and tail:
            use = ""
        found.append(Length(*match.span(), timedelta(minutes=minutes), use))
    return found


def topic_of(text: str) -> Literal["am", "pm", ""]:
    """The half of the day that a text is about: waking is in the morning, dinner is not."""
    return "am" if _MORNINGS.search(text) else "pm" if _EVENINGS.search(text) else ""


def time_meant(clock: Clock, *, part: str = "", topic: str = "", after: time | None = None) -> time:
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
    """The hour meant by an open one: before noon from the first of these hours to the last, else after noon."""
    hour = clock.hour % 12
    early, late = _BEFORE_NOON.get(part or topic, (7, 11) if not part and topic != "pm" else (12, 0))
    return hour if early <= hour <= late else hour + 12


def _clock(match: re.Match[str]) -> Clock | None:
    clock = _relative(match) if match.re is _PAST else _absolute(match)
    return clock if clock and clock.hour <= 23 else None


def _absolute(match: re.Match[str]) -> Clock | None:
    pattern, start, end = match.re, match.start(), match.start() + len(match[0].rstrip())
    if pattern is _NAMED:
        return Clock(start, end, 0 if match["name"].lower() == "midnight" else 12, half="24")
    if pattern is _EXACT:
        if written := match["iso"] or (match["digits"] and f"{match['digits'][:2]}:{match['digits'][2:]}"):
            hour, minute, *second = map(int, written.split(":"))
            return Clock(start, end, hour, minute, sum(second), half="24")
        literal = match["hour"].startswith("0") or match["french"] or match["second"]
        minute = int(match["minute"] or match["dotted"] or match["french"])
        half = _half(match["half"]) or ("24" if literal else "")
        return Clock(start, end, int(match["hour"]), minute, int(match["second"] or 0), half)
    hour = _hour(match["hour"])
    if pattern is _HALVED:
        return Clock(start, match.end(), hour, half=_half(match["half"])) if 1 <= hour <= 12 else None
    if pattern is _OCLOCK:
        said = (match["minute"] or "").lower().replace(" ", "-")
        minute = _SPELLED_MINUTE.get(said) or whole(said) or 0
        return None if match["hour"].isdigit() and said else Clock(start, end, hour, minute, half=_half(match["half"]))
    literal = hour > 12 or (len(match["hour"]) == 2 and match["hour"][0] == "0")
    return Clock(start, end, hour, half="24" if literal else "", weak=not match["ish"])


def _relative(match: re.Match[str]) -> Clock | None:
    """Quarter to six; but from five to six, 5 to 6 and half of one are no such thing."""
    way, quarter = match["way"].lower(), (match["quarter"] or "").lower()
    minutes = 30 if quarter == "half" else 15 if quarter else whole(match["minutes"]) or 0
    past = way in ("past", "after")
    if quarter == "half" and not past:
        return None
    if not (quarter or match["said"] or past):
        ranged = re.search(r"\b(?:from|between)\s+$", match.string[max(0, match.start() - 12) : match.start()], re.I)
        if way in ("of", "before") or match["minutes"].isdigit() or ranged:
            return None
    hour = {"noon": 12, "midnight": 24}.get(match["hour"].lower()) or _hour(match["hour"])
    total = (hour * 60 + (minutes if past else -minutes)) % (24 * 60)
    if hour == 1 and not past:
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


MONTHS = tuple(calendar.month_name)[1:]
WEEKDAYS = tuple(calendar.day_name)

ISO_DATE = r"(\d{4})-(\d\d)-(\d\d)"
# Groups: year, month, day; hours and minutes, seconds.
ISO_MOMENT = rf"{ISO_DATE}(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
MONTH_WORD = r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\b"
# A month as people write it, as the group `month`.
MONTH = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
)
_FULL_DAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|tues?|weds|thu(?:rs?)?|fri"
_SHORT_DAY = "mon|wed|sat|sun"
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first "
    "twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth "
    "twenty-ninth thirtieth thirty-first"
)
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
_SPELLED = "|".join(sorted(_ORDINALS, key=len, reverse=True)).replace("-", "[ -]")
_NUMBERED = r"\d{1,2}(?:st|nd|rd|th)"
_NOT_A_DAY = r"(?!\s+(?:ones?|time|times|floor|street|st|avenue|ave|email|mail|message|event|item|option|result)\b|-)"
_FEASTS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "christmas day": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new years eve": (12, 31), "new year's day": (1, 1), "new years day": (1, 1),
    "new year's": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14), "valentines day": (2, 14),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Day:
    """A day, or days from `first` to `last`, with the span of the text that says so.

    `kind`: an absolute date, a weekday, a day of the month, a span of days, or a shift ("two weeks from", to be joined
    with the day that follows).
    """

    kind: Literal["date", "weekday", "ordinal", "span", "shift"]
    start: int
    end: int
    first: date
    last: date
    # The weekday (0 is Monday), the day of the month, or the days or (`months`) months of a shift.
    number: int = 0
    months: bool = False
    # A weekday or ordinal without "next", "this", "last": another expression may say which week or month is meant.
    bare: bool = True


_Rule = Callable[[re.Match[str], date, bool], Day | None]


def days(text: str, today: date | None, *, past: bool = False) -> list[Day]:
    """All that names a day in a text, in its order; pieces that belong together (`joined`) still apart."""

    def made(rule: _Rule, match: re.Match[str]) -> Day | None:
        try:
            day = rule(match, today or date(1, 1, 1), past)
        except (ValueError, OverflowError):
            return None
        return day if day is not None and (today is not None or day.first.year > 1) else None

    return _claimed(
        text, [(pattern, partial(made, rule)) for pattern, rule, relative in _RULES if today or not relative]
    )


def joined(one: Day, other: Day) -> Day | None:
    """The day that two adjacent pieces name together: "Tuesday" + "next week", "Friday" + "the 14th"."""
    start, end = min(one.start, other.start), max(one.end, other.end)
    try:
        made = _joined(one, other) or _joined(other, one)
    except (ValueError, OverflowError):
        return None
    return replace(made, start=start, end=end, bare=False) if made else None


def month_of(word: str) -> int | None:
    """1 to 12 for the name of a month or its abbreviation."""
    head = word.lower().rstrip(".")[:3]
    return next((n for n, name in enumerate(MONTHS, start=1) if name[:3].lower() == head), None)


def _joined(one: Day, other: Day) -> Day | None:
    if one.kind == "shift" and other.kind != "shift":
        moved = _moved(other.first, one.number, months=one.months)
        return replace(other, kind="date", first=moved, last=moved)
    if other.kind == "span" and one.bare:
        inside = [other.first + timedelta(n) for n in range(min((other.last - other.first).days + 1, 62))]
        wanted = [d for d in inside if (d.weekday() if one.kind == "weekday" else d.day) == one.number]
        if wanted and (one.kind == "weekday" or one.kind == "ordinal"):
            return replace(one, kind="date", first=wanted[0], last=wanted[0])
    if one.kind == "weekday" and other.kind in ("date", "ordinal"):
        return replace(other, kind="date")
    return None


def _at(match: re.Match[str], kind: Literal["date", "weekday", "ordinal"], day: date, number: int = 0) -> Day:
    return Day(kind, *match.span(), day, day, number)


def _span(match: re.Match[str], first: date, last: date, number: int = 0) -> Day:
    return Day("span", *match.span(), first, last, number)


def _iso(match: re.Match[str], today: date, past: bool) -> Day | None:
    return _at(match, "date", date(int(match["y"]), int(match["m"]), int(match["d"])))


def _slashes(match: re.Match[str], today: date, past: bool) -> Day | None:
    month, day = int(match["a"]), int(match["b"])
    if month > 12 or match["dot"] == ".":
        month, day = day, month
    return _at(match, "date", _in_year(month, day, match["y"], today, past=past))


def _in_year(month: int, day: int, year: str | None, today: date, *, past: bool) -> date:
    if year:
        return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
    if today.year == 1:
        raise ValueError("no year")
    step = -1 if past else 1
    for number in range(9):  # February 29 waits for its year
        try:
            made = date(today.year + step * number, month, day)
        except ValueError:
            continue
        if (made <= today) if past else (made >= today):
            return made
    raise ValueError("no such day")


def _day_number(match: re.Match[str]) -> int:
    digits = re.sub(r"\D", "", match["day"])
    return int(digits) if digits else _ORDINALS[re.sub(r"\s", "-", match["day"].lower())]


def _dated(match: re.Match[str], today: date, past: bool) -> Day | None:
    month = month_of(match["month"]) or 0
    first = _in_year(month, _day_number(match), match["year"], today, past=past)
    if not (until := match.groupdict().get("until")):
        return _at(match, "date", first)
    last = _in_year(month, int(re.sub(r"\D", "", until)), str(first.year), today, past=past)
    return _at(match, "date", first) if last == first else _span(match, first, last) if last > first else None


def _ordinal(match: re.Match[str], today: date, past: bool) -> Day | None:
    number, month = _day_number(match), today.replace(day=1)
    for _ in range(3):
        if number <= calendar.monthrange(month.year, month.month)[1]:
            day = month.replace(day=number)
            if (day <= today) if past else (day >= today):
                return _at(match, "ordinal", day, number)
        month = _moved(month, -1 if past else 1, months=True)
    return None


def _weekday(match: re.Match[str], today: date, past: bool) -> Day | None:
    number = next(n for n, name in enumerate(WEEKDAYS) if name[:2].lower() == match["weekday"].lower()[:2])
    which = (match["which"] or "").lower().split(" ")[-1]
    past = past or match.string[: match.start()].lower().endswith("since ")
    ahead = (number - today.weekday() - 1) % 7 + 1
    behind = (today.weekday() - number - 1) % 7 + 1
    if which == "next":
        day = today + timedelta(7 - today.weekday() + number)
    elif which in ("last", "past") or (past and not which):
        day = today - timedelta(behind)
    else:
        day = today + timedelta(0 if which == "this" and ahead == 7 else ahead)
    return replace(_at(match, "weekday", day, number), bare=not which)


def _near(match: re.Match[str], today: date, past: bool) -> Day | None:
    said = re.sub(r"\s+", " ", match[0].lower())
    steps = {"tod": 0, "ton": 0, "thi": 0, "yes": -1, "las": -1, "tom": 1, "tmr": 1, "tmo": 1, "2mo": 1}
    step = 2 if "after" in said else -2 if "before" in said else steps[said[:3]]
    return _at(match, "date", today + timedelta(step))


_DAYS = {"d": 1, "w": 7, "f": 14, "m": 1, "y": 12}  # in a unit; months in a month and a year


def _counted(match: re.Match[str]) -> tuple[int, bool]:
    """How many days or (True) months a number of units is."""
    unit = match["unit"][0].lower()
    return (whole(match["number"]) or 0) * _DAYS[unit], unit in "my"


def _offset(match: re.Match[str], today: date, past: bool) -> Day | None:
    number, months = _counted(match)
    how = (match.groupdict().get("how") or "").lower()
    number *= -1 if how in ("ago", "before", "earlier") else 1
    if how in ("from", "after", "before") and not match.groupdict().get("now"):
        return Day("shift", *match.span(), today, today, number, months)
    return _at(match, "date", _moved(today, number, months=months))


def _moved(day: date, number: int, *, months: bool) -> date:
    if not months:
        return day + timedelta(number)
    month = day.year * 12 + day.month - 1 + number
    year, month = month // 12, month % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1])) if 0 < year < 9999 else date(0, 1, 1)


def _month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _whole(unit: str, step: int, today: date) -> tuple[date, date]:
    """The first and last day of this week, weekend, month or year, or of the one so many steps ahead."""
    if unit == "year":
        return date(today.year + step, 1, 1), date(today.year + step, 12, 31)
    if unit == "month":
        first = _moved(today.replace(day=1), step, months=True)
        return first, _month_end(first)
    monday = today + timedelta(7 * step - today.weekday())
    return monday + timedelta(5 if unit == "weekend" else 0), monday + timedelta(6)


def _period(match: re.Match[str], today: date, past: bool) -> Day | None:
    step = {"last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1, "following": 1}
    return _span(match, *_whole(match["unit"].lower(), step.get(match["which"].lower(), 0), today))


def _count(match: re.Match[str], today: date, past: bool) -> Day | None:
    number, months = _counted(match)
    if match["which"].lower() in ("last", "past", "previous"):
        return _span(match, _moved(today, -number, months=months), today, -1)
    return _span(match, today, _moved(today, number, months=months), 1)


def _month(match: re.Match[str], today: date, past: bool) -> Day | None:
    month, which = month_of(match["month"]) or 0, (match["which"] or "").lower()
    step = -1 if past or which in ("last", "past") else 1
    if match["year"]:
        year = int(match["year"])
    elif today.year == 1:
        return None
    else:
        year = today.year + (step if (month - today.month) * step < 0 else 0)
    return _span(match, date(year, month, 1), _month_end(date(year, month, 1)))


def _edge(match: re.Match[str], today: date, past: bool) -> Day | None:
    ends = _whole(match["unit"].lower(), 1 if match["which"] else 0, today)
    return _at(match, "date", ends[match["edge"].lower() == "end"])


def _feast(match: re.Match[str], today: date, past: bool) -> Day | None:
    month, day = _FEASTS[re.sub(r"\s+", " ", match[0].lower().replace("’", "'"))]
    return _at(match, "date", _in_year(month, day, None, today, past=past))


def _rule(pattern: str, made: _Rule, *, relative: bool = True) -> tuple[re.Pattern[str], _Rule, bool]:
    return re.compile(pattern, re.IGNORECASE), made, relative


_DAY_SAID = rf"(?P<day>{_NUMBERED}|\d{{1,2}}|{_SPELLED})"
_UNIT = r"(?P<unit>days?|weeks?|fortnights?|months?|years?)\b"
_PART = r"(?:morning|afternoon|evening|night)"
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d)\b(?!\s*[:/]))?"
_WHICH = r"(?:\b(?P<which>this\s+coming|this|next|last|past|coming)\s+)?"
_LATE = "|".join(word.replace("-", "[ -]") for word in reversed(list(_ORDINALS)[12:]))
# Pattern, rule, whether it needs today; earlier rules claim their text first.
_RULES = (
    _rule(r"(?<![\w-])(?P<y>[12]\d{3})([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})(?=T\d|(?![\w-]))", _iso, relative=False),
    _rule(
        r"(?<![\w/.$-])(?P<a>\d{1,2})(?P<dot>/)(?P<b>\d{1,2})(?:/(?P<y>\d{4}|\d\d))?(?![\w/%]|-\d)",
        _slashes,
        relative=False,
    ),
    _rule(r"(?<![\w.])(?P<a>\d{1,2})(?P<dot>\.)(?P<b>\d{1,2})\.(?P<y>\d{4})(?!\w)", _slashes, relative=False),
    _rule(r"\b(?:the\s+)?day\s+(?:after\s+tomorrow|before\s+yesterday)\b", _near),
    _rule(rf"\b(?:in|within)\s+(?P<number>{NUMBER})\s+{_UNIT}(?:'s?\s+time)?", _offset),
    _rule(
        rf"\b(?P<number>{NUMBER})\s+{_UNIT}\s+(?P<how>ago|from|after|before|earlier|hence|later)"
        rf"\b(?P<now>\s+(?:now|today)\b)?",
        _offset,
    ),
    _rule(rf"(?:\bthe\s+)?{_DAY_SAID}(?:\s+of)?\s+{MONTH}{_YEAR}(?!\w)", _dated, relative=False),
    _rule(
        rf"\b{MONTH}\s+(?:the\s+)?{_DAY_SAID}(?![\d:]|\s*[ap]\.?m\b)(?:\s*[-–]\s*(?P<until>\d{{1,2}}(?:st|nd|rd|th)?)"
        rf"(?![\d:]|\s*[ap]\.?m\b))?{_YEAR}(?!\w)",
        _dated,
        relative=False,
    ),
    _rule(
        rf"\b(?:the\s+)?(?P<which>last|past|previous|next|coming)\s+(?P<number>{NUMBER})\s+(?P<unit>days?|weeks?|"
        rf"months?|years?)\b",
        _count,
    ),
    _rule(
        r"\b(?:the\s+)?(?P<edge>end|beginning|start)\s+of\s+(?:the\s+|this\s+)?(?P<which>next\s+)?(?P<unit>week|"
        r"month|year)\b",
        _edge,
    ),
    _rule(
        r"\b(?:the\s+)?(?P<which>this|last|past|previous|next|coming|following)\s+(?P<unit>weekend|week|month|year)\b",
        _period,
    ),
    _rule(r"\b(?P<which>the)\s+(?P<unit>weekend)\b", _period),
    _rule(rf"{_WHICH}\b(?P<weekday>{_FULL_DAY})\b\.?", _weekday),
    _rule(
        rf"\b(?:(?P<which>this|next|last)|on|by|until|till|from|to|and|through)\s+(?P<weekday>{_SHORT_DAY})\b\.?",
        _weekday,
    ),
    _rule(
        rf"(?P<which>(?!))?\b(?-i:(?P<weekday>Mon|Wed|Sat|Sun))\b\.?(?=,?\s+(?:\d|at\b|the\s+\d|noon|{_PART})|[,.?!]|$)",
        _weekday,
    ),
    _rule(rf"\b(?:the\s+)(?P<day>{_NUMBERED})\b{_NOT_A_DAY}", _ordinal),
    _rule(rf"(?<=\bon )(?P<day>{_NUMBERED})\b{_NOT_A_DAY}", _ordinal),
    _rule(rf"\bthe\s+(?P<day>{_SPELLED})(?=\s+of\s+(?:this|next|last)\s+month\b)", _ordinal),
    _rule(rf"\bthe\s+(?P<day>{_LATE})\b{_NOT_A_DAY}", _ordinal),
    _rule(rf"(?<=\bon )(?:the\s+)(?P<day>{_SPELLED})\b{_NOT_A_DAY}(?!\s+\w+day\b)", _ordinal),
    _rule(r"\b(?:today|tonight|tomm?orr?ow|tmrw|tmr|tmw|2morrow|yesterday)\b", _near),
    _rule(r"\b(?:this\s+(?=(?:late\s+)?(?:morning|afternoon|evening)\b)|last\s+(?=night\b))", _near),
    _rule(
        r"\b(?:christmas(?:\s+(?:eve|day))?|boxing\s+day|new\s+year['’]?s(?:\s+(?:eve|day))?|halloween|"
        r"valentine'?s\s+day)\b",
        _feast,
    ),
    _rule(
        rf"\b(?:(?:in|during|for|of|since|until|through|throughout)\s+|(?P<which>this|next|last)\s+)"
        rf"{MONTH}(?:\s+(?P<year>(?:19|20)\d\d))?",
        _month,
        relative=False,
    ),
)
