"""References to what is already known: "the dentist one", "my 6:30 alarm", "the second one", "Ingrid", "it".

Contract: pure and total. Rows are objects that calls returned before; of those that the words fit, the field's value is
given, the best fit first. Evidence, from strong to weak: the row's own words, its times, its place in the list, being
the only one.

Example:
    >>> rows = [{"event_id": "1a-2b", "name": "Dentist"}, {"event_id": "3c-4d", "name": "Lunch with Bo"}]
    >>> [found.value for found in refer("cancel the dentist one", rows, "event_id")]
    ['1a-2b']
    >>> [found.value for found in refer("no, the second one", rows, "event_id")]
    ['3c-4d']

Not covered: references across several turns (the caller chooses which rows are in reach), counting from the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from toologue.text.clocks import Clock
from toologue.text.days import Day
from toologue.text.spans_found import Found, Scene, best_first, scene_of
from toologue.values.compare import moment_of

Row = Mapping[str, Any]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ORDINAL = re.compile(
    r"\b(?:the|my|that|number|no\.?|#)\s*(?P<which>first|second|third|fourth|fifth|sixth|1st|2nd|3rd|4th|5th|6th|"
    r"last|latter|former|latest|newest|most\s+recent|"
    r"earliest|oldest|soonest|next|other|[1-6](?=\W|$))\b(?!\s+(?:of\s+)?(?:week|month|year|night|mon|tue|wed|"
    r"thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    re.IGNORECASE,
)
_PLACES = {
    "first": 0,
    "1st": 0,
    "1": 0,
    "former": 0,
    "second": 1,
    "2nd": 1,
    "2": 1,
    "other": 1,
    "third": 2,
    "3rd": 2,
    "3": 2,
}
_PLACES_ON = {
    "fourth": 3,
    "4th": 3,
    "4": 3,
    "fifth": 4,
    "5th": 4,
    "5": 4,
    "sixth": 5,
    "6th": 5,
    "6": 5,
    "last": -1,
    "latter": -1,
}
_PLACES_OF = _PLACES | _PLACES_ON
_ALL = re.compile(r"\b(?:all|both|them|these|those|every|each|everything)\b", re.IGNORECASE)
_ONE = re.compile(r"\b(?:that|this|it|its|him|her|the|my|them|there)\b", re.IGNORECASE)
_DULL_WORDS = (
    "the a an my me i you it is was are be to of in on at for with and or not no yes that this these those "
    "one ones please can "
    "could would will do did what which who when where how from by as so if then also just now have has had "
    "get make set add "
    "put call change move delete cancel remove show tell send give find event meeting alarm reminder message "
    "email mail task "
    "appointment entry new old time date all any am pm up out off about let know our us we he she they her "
    "him them his its"
)
_DULL = frozenset(_DULL_WORDS.split())
_MOST_ROWS = 500


@dataclass(frozen=True)
class _Evidence:
    score: float
    start: int
    end: int


def refer(text: str, rows: Sequence[Row], field: str, now: datetime | None = None) -> list[Found]:
    """The field's values of the rows that the text refers to, best first; [] where it refers to none."""
    scene = scene_of(text, now)
    held = [row for row in rows[:_MOST_ROWS] if row.get(field) is not None]
    if not held:
        return []
    seen = [_words_of(row) for row in held]
    counts: dict[str, int] = {}
    for words in seen:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    found: list[Found] = []
    placed = _placed(scene, held)
    for number, row in enumerate(held):
        own = _by_words(scene, seen[number], counts)
        timed = _by_time(scene, row)
        every = [one for one in (own, timed, placed.get(number)) if one is not None]
        if every:
            score = min(max(one.score for one in every) + 0.1 * (len(every) - 1), 0.97)
            found.append(_found(scene, row[field], every[0], score))
    return best_first(found or _by_pronoun(scene, [row[field] for row in held]))


def _by_words(scene: Scene, words: frozenset[str], counts: Mapping[str, int]) -> _Evidence | None:
    """Words of the text that are words of the row; one that few rows have weighs more."""
    weight = 0.0
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(scene.text):
        word = _plain(match[0])
        if word in _DULL or len(word) < 2 or scene.is_time(*match.span()):
            continue
        if word not in words:
            word = _nearly(word, words)
        if word:
            weight += 1 / counts[word]
            spans.append(match.span())
    if not spans:
        return None
    return _Evidence(min(0.4 + 0.45 * min(weight, 1.2), 0.94), min(spans)[0], max(end for _, end in spans))


def _by_time(scene: Scene, row: Row) -> _Evidence | None:
    """A time or a day of the text that is one of the row; an open "6:30" fits both halves of the day."""
    moments = [moment for value in row.values() if isinstance(value, str) and (moment := moment_of(value))]
    for when in scene.whens:
        clock, day = when.first.clock, when.first.day
        for moment in moments:
            right_time = clock is not None and moment.hour in _hours(clock) and moment.minute == clock.minute
            right_day = day is not None and moment.year > 1900 and _covers(day, moment)
            if (right_time and (day is None or right_day or moment.year == 1900)) or (right_day and clock is None):
                return _Evidence(0.85 if right_time and clock else 0.7, when.start, when.end)
    return None


def _hours(clock: Clock) -> set[int]:
    halves = {"am": clock.hour % 12, "pm": clock.hour % 12 + 12}
    return {halves.get(clock.half, clock.hour)} if clock.half else set(halves.values())


def _covers(day: Day, moment: datetime) -> bool:
    return day.first <= moment.date() <= day.last


def _placed(scene: Scene, rows: Sequence[Row]) -> dict[int, _Evidence]:
    """The row that "the second one" or "the latest" means."""
    match = _ORDINAL.search(scene.text)
    if match is None or scene.is_time(*match.span("which")):
        return {}
    which = re.sub(r"\s+", " ", match["which"].lower())
    if which in _PLACES_OF:
        number = _PLACES_OF[which] % len(rows) if abs(_PLACES_OF[which]) < len(rows) else None
    else:
        times = [
            max((m for v in row.values() if isinstance(v, str) and (m := moment_of(v))), default=None) for row in rows
        ]
        dated = [(moment, number) for number, moment in enumerate(times) if moment is not None]
        chosen = (min if which in ("earliest", "oldest", "soonest", "next") else max)(dated, default=None)
        number = chosen[1] if chosen else None
    return {} if number is None else {number: _Evidence(0.82, *match.span())}


def _by_pronoun(scene: Scene, values: Sequence[Any]) -> list[Found]:
    every, one = _ALL.search(scene.text), _ONE.search(scene.text)
    match = every or one
    if match is None:
        return []
    alone = all(value == values[0] for value in values)
    fits = len(values) == 2 if match[0].lower() == "both" else every is not None
    score = 0.7 if fits else 0.6 if alone else 0.2
    return [_found(scene, value, _Evidence(score, *match.span()), score) for value in values]


def _found(scene: Scene, value: Any, evidence: _Evidence, score: float) -> Found:
    said = scene.text[evidence.start : evidence.end]
    return Found(value, evidence.start, evidence.end, said, "reference", round(score, 4))


def _words_of(row: Row) -> frozenset[str]:
    return frozenset(_plain(word) for text in _texts(row) for word in _WORD.findall(text))


def _texts(row: Row) -> Iterator[str]:
    for key, value in row.items():
        if key == "id" or key.endswith(("_id", "Id")):
            continue
        if isinstance(value, str) and moment_of(value) is None:
            yield value[:2000]
        elif isinstance(value, list):
            yield from (item[:200] for item in cast("list[Any]", value)[:50] if isinstance(item, str))


def _plain(word: str) -> str:
    word = re.sub(r"['’]s?$", "", word.lower())
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


def _nearly(word: str, words: frozenset[str]) -> str:
    """The word of the row that this one misspells or begins; or nothing."""
    if len(word) < 5:
        return ""
    from rapidfuzz import fuzz

    near = sorted((-fuzz.ratio(word, other), other) for other in words if len(other) >= 4)
    return near[0][1] if near and near[0][0] <= -84 else ""
