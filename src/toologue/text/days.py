"""Days as people say them: "tomorrow", "next Friday", "the 14th", "March 3", "in two weeks", "this weekend".

Contract: pure and total. A day is read from `today`; without one, only dates that name their year are found. A weekday
is the coming one (or, `past`, the one gone by), never today; "next Friday" is the Friday of the next week, whose first
day is Monday; 3/4 is March 4, unless the first number cannot be a month.

Example:
    >>> from datetime import date
    >>> [(str(day.first), day.kind) for day in days("Tuesday next week, or the 14th", date(2025, 3, 12))]
    [('2025-03-18', 'weekday'), ('2025-03-17', 'span'), ('2025-03-14', 'ordinal')]

Not covered: other languages and calendars, movable feasts, "Friday week", "mid-April".
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from toologue.text.amounts import NUMBER, whole

MONTHS = tuple(calendar.month_name)[1:]
WEEKDAYS = tuple(calendar.day_name)

_MONTH = (
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
    number: int = 0
    """The weekday (0 is Monday), the day of the month, or the days or (`months`) months of a shift."""
    months: bool = False
    bare: bool = True
    """A weekday or ordinal without "next", "this", "last": another expression may say which week or month is meant."""


_Rule = Callable[[re.Match[str], date, bool], Day | None]


def days(text: str, today: date | None, *, past: bool = False) -> list[Day]:
    """All that names a day in a text, in its order; pieces that belong together (`joined`) still apart."""
    found: list[Day] = []
    taken = bytearray(len(text))
    for pattern, rule, relative in _RULES:
        if today is None and relative:
            continue
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            try:
                day = rule(match, today or date(1, 1, 1), past)
            except (ValueError, OverflowError):
                continue
            if day is not None and (today is not None or day.first.year > 1):
                found.append(day)
                taken[day.start : day.end] = b"x" * (day.end - day.start)
    return sorted(found, key=lambda day: day.start)


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


def _at(match: re.Match[str], kind: Literal["date", "weekday", "ordinal", "span"], day: date) -> Day:
    return Day(kind, match.start(), match.end(), day, day)


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


def _dated(match: re.Match[str], today: date, past: bool) -> Day | None:
    month, said = month_of(match["month"]) or 0, re.sub(r"\D", "", match["day"])
    number = int(said) if said else _ORDINALS[re.sub(r"\s", "-", match["day"].lower())]
    first = _in_year(month, number, match["year"], today, past=past)
    until = match.groupdict().get("until")
    last = _in_year(month, int(re.sub(r"\D", "", until)), str(first.year), today, past=past) if until else first
    return Day("span" if last != first else "date", match.start(), match.end(), first, last) if last >= first else None


def _ordinal(match: re.Match[str], today: date, past: bool) -> Day | None:
    digits = re.sub(r"\D", "", match["day"])
    number = int(digits) if digits else _ORDINALS[re.sub(r"\s", "-", match["day"].lower())]
    month = today.replace(day=1)
    for _ in range(3):
        if number <= calendar.monthrange(month.year, month.month)[1]:
            day = month.replace(day=number)
            if (day <= today) if past else (day >= today):
                return replace(_at(match, "ordinal", day), number=number)
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
    return replace(_at(match, "weekday", day), number=number, bare=not which)


def _near(match: re.Match[str], today: date, past: bool) -> Day | None:
    said = re.sub(r"\s+", " ", match[0].lower())
    steps = {"tod": 0, "ton": 0, "thi": 0, "yes": -1, "las": -1, "tom": 1, "tmr": 1, "tmo": 1, "2mo": 1}
    step = 2 if "after" in said else -2 if "before" in said else steps[said[:3]]
    return _at(match, "date", today + timedelta(step))


def _offset(match: re.Match[str], today: date, past: bool) -> Day | None:
    number, unit = whole(match["number"]) or 0, match["unit"].lower()
    how = (match.groupdict().get("how") or "").lower()
    number *= {"d": 1, "w": 7, "f": 14, "m": 1, "y": 12}[unit[0]] * (-1 if how in ("ago", "before", "earlier") else 1)
    months = unit[0] in "my"
    if how in ("from", "after", "before") and not match.groupdict().get("now"):
        return Day("shift", match.start(), match.end(), today, today, number, months)
    return _at(match, "date", _moved(today, number, months=months))


def _moved(day: date, number: int, *, months: bool) -> date:
    if not months:
        return day + timedelta(number)
    month = day.year * 12 + day.month - 1 + number
    year, month = month // 12, month % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1])) if 0 < year < 9999 else date(0, 1, 1)


def _period(match: re.Match[str], today: date, past: bool) -> Day | None:
    which, unit = match["which"].lower(), match["unit"].lower()
    step = {"last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1, "following": 1}.get(which, 0)
    monday = today - timedelta(today.weekday()) + timedelta(7 * step)
    if unit == "week":
        return _span(match, monday, monday + timedelta(6))
    if unit == "weekend":
        return _span(match, monday + timedelta(5), monday + timedelta(6))
    if unit == "month":
        first = _moved(today.replace(day=1), step, months=True)
        return _span(match, first, first.replace(day=calendar.monthrange(first.year, first.month)[1]))
    return _span(match, date(today.year + step, 1, 1), date(today.year + step, 12, 31))


def _count(match: re.Match[str], today: date, past: bool) -> Day | None:
    number = (whole(match["number"]) or 0) * {"d": 1, "w": 7, "m": 1, "y": 12}[match["unit"][0].lower()]
    months = match["unit"][0].lower() in "my"
    if match["which"].lower() in ("last", "past", "previous"):
        return replace(_span(match, _moved(today, -number, months=months), today), number=-1)
    return replace(_span(match, today, _moved(today, number, months=months)), number=1)


def _span(match: re.Match[str], first: date, last: date) -> Day:
    return Day("span", match.start(), match.end(), first, last)


def _month(match: re.Match[str], today: date, past: bool) -> Day | None:
    month, which = month_of(match["month"]) or 0, (match["which"] or "").lower()
    step = -1 if past or which in ("last", "past") else 1
    if match["year"]:
        year = int(match["year"])
    elif today.year == 1:
        return None
    else:
        year = today.year + (step if (month - today.month) * step < 0 else 0)
    return _span(match, date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def _edge(match: re.Match[str], today: date, past: bool) -> Day | None:
    step = 1 if (match["which"] or "").lower() == "next" else 0
    unit, at_end = match["unit"].lower(), match["edge"].lower() == "end"
    if unit == "week":
        return _at(match, "date", today - timedelta(today.weekday()) + timedelta(7 * step + 6 * at_end))
    if unit == "year":
        return _at(match, "date", date(today.year + step, 12 if at_end else 1, 31 if at_end else 1))
    first = _moved(today.replace(day=1), step, months=True)
    return _at(match, "date", first.replace(day=calendar.monthrange(first.year, first.month)[1] if at_end else 1))


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
    _rule(rf"(?:\bthe\s+)?{_DAY_SAID}(?:\s+of)?\s+{_MONTH}{_YEAR}(?!\w)", _dated, relative=False),
    _rule(
        rf"\b{_MONTH}\s+(?:the\s+)?{_DAY_SAID}(?![\d:]|\s*[ap]\.?m\b)(?:\s*[-–]\s*(?P<until>\d{{1,2}}(?:st|nd|rd|th)?)"
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
        rf"{_MONTH}(?:\s+(?P<year>(?:19|20)\d\d))?",
        _month,
        relative=False,
    ),
)
"""Pattern, rule, whether it needs today; earlier rules claim their text first."""
