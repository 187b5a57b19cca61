"""What an English text says, as sets that compare: what it speaks of, times, days, numbers, names, negations, doers.

Words that say the same count as one; they are in `texts.yaml`, with all other English of `score.free_texts`.

    >>> sorted(content_of("Ring Mum about the invoice")), sorted(negated("The room isn't busy"))
    (['bill', 'call', 'mom'], ['busy'])

Not covered: what a word means, beyond the few that `texts.yaml` takes for the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from toologue.data import shipped
from toologue.score.wording import content, numbers_in
from toologue.text.claims import claims, grounds
from toologue.text.numbers import amounts
from toologue.text.time_expressions import whens
from toologue.text.times import MONTHS, WEEKDAYS
from toologue.text.tokens import sentences, stem
from toologue.values.compare import leaves

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
HAIL = re.compile(
    r"\A\W*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))[ ,]+(?:sir or )?([^\W\d_]+)\b"
    r"(?! (?:here|speaking)\b)",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"(?:\b(?:thanks|thank you|regards|best|cheers|love|sincerely|yours)[,.!\s]+|\n\s*|\s[-–—]\s*)"
    r"[^\W\d_]+(?: [^\W\d_]+)?\W*\Z",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[^\W_A-Z] |[,;] )[A-Z][^\W\d_]+")
_CODE = re.compile(r"(?<!\w)\+?\d(?:[ /-]?\d){4,}(?!\w)")
_CALENDAR = frozenset(name.casefold() for name in (*MONTHS, *WEEKDAYS))
_NOT = re.compile(r"\b(?:not|never|no|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_IF = re.compile(r"\b(?:if|unless|in case)\b[^,.;!?]*", re.IGNORECASE)
_NOT_ENDING, _ENDING = re.compile(r"n['’]t\b", re.IGNORECASE), re.compile(r"['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
CLAUSE = re.compile(r"[,;:.!?]\s+|(?<!\s)\s+(?:and|but|so|also|then|because)\s+", re.IGNORECASE)
_PERSONS = frozenset({"i", "we", "you", "he", "she", "they", "it", "that"})
_TOWARDS = frozenset("for to with of at from about than let tell ask see meet call thank".split())
Day = tuple[date, date]
Minutes = frozenset[int]


def folded(text: str) -> str:
    """A text without case, punctuation and articles."""
    return " ".join(
        word for word in re.findall(r"\w+", text.casefold().replace("’", "'")) if word not in ("a", "an", "the")
    )


@lru_cache(maxsize=4096)
def content_of(text: str) -> frozenset[str]:
    """The stems of the words that carry something, one for all that say the same."""
    plain = _ENDING.sub("", _NOT_ENDING.sub(" not", text))
    return frozenset(_same().get(word, word) for word in content(plain))


@lru_cache(maxsize=4096)
def clocks_in(text: str, now: datetime | None) -> Mapping[str, Minutes]:
    """Each time of day of a text, with the minutes of the day that it can mean."""
    found: dict[str, Minutes] = {}
    for when in whens(text, now):
        for side in filter(None, (when.first, when.last)):
            if side.clock is not None:
                clock = side.clock
                hours = {clock.hour} if clock.half == "24" else {clock.hour % 12, clock.hour % 12 + 12}
                hours = {h for h in hours if clock.half not in ("am", "pm") or (h >= 12) == (clock.half == "pm")}
                found[text[clock.start : clock.end].strip()] = frozenset(h % 24 * 60 + clock.minute for h in hours)
    if not found and ":" in text:
        found |= {str(said): frozenset({_minutes(str(said))}) for kind, said in claims(text) if kind == "time"}
    return found


@lru_cache(maxsize=4096)
def days_in(text: str, now: datetime | None) -> Mapping[str, Day]:
    """Each day of a text, as the first and the last one that it can mean."""
    sides = (side for when in whens(text, now) for side in (when.first, when.last) if side is not None)
    return {text[side.day.start : side.day.end].strip(): (side.day.first, side.day.last) for side in sides if side.day}


@lru_cache(maxsize=4096)
def negated(text: str) -> frozenset[str]:
    """The words that a text says not of: one of the next two, if it carries something; else the empty word."""
    found: set[str] = set()
    for match in _NOT.finditer(_IF.sub(" ", text)):
        end = CLAUSE.search(text, match.end())
        rest = text[match.end() : end.start() if end else len(text)][:_NEAR]
        near = [word for word in WORD.findall(rest) if word not in _DEGREES][:2]
        found |= next((said for word in near if (said := content_of(word))), frozenset({""}))
    return frozenset(found)


_NEAR = 200  # characters
_DEGREES = frozenset({"longer", "able", "really", "quite", "yet", "even", "only"})


def doers(text: str) -> Mapping[str, frozenset[str]]:
    """The persons said shortly before each word that carries something, as who does it."""
    found: dict[str, frozenset[str]] = {}
    for part in (part for sentence in sentences(text) for part in CLAUSE.split(sentence)):
        words = [re.split(r"['’]", word.casefold())[0] for word in WORD.findall(part)]
        for at, word in enumerate(words):
            if word in _PERSONS and (at == 0 or words[at - 1] not in _TOWARDS):
                near = takewhile(lambda next_: next_ not in _PERSONS, words[at + 1 : at + 4])
                for one in content_of(" ".join(near)):
                    found[one] = found.get(one, frozenset()) | {word}
    return found


def bare_numbers(text: str, now: datetime | None) -> frozenset[float]:
    """The numbers of a text that are no part of times."""
    left = text
    for said in (*clocks_in(text, now), *days_in(text, now)):
        left = left.replace(said, " ")
    found = (amount for amount in amounts(left) if not re.search(r"couple|pair|dozen", amount.text, re.IGNORECASE))
    return frozenset(round(abs(float(amount.value)), 4) for amount in found) - {1.0}


def codes_in(text: str) -> tuple[str, ...]:
    """The telephone numbers and codes of a text, in their order: five digits or more, without what parts them."""
    return tuple(re.sub(r"\D", "", code) for code in _CODE.findall(text))


@lru_cache(maxsize=4096)
def telling(text: str) -> frozenset[str]:
    """The small words of a text that make another thing of it: who and when, ask and tell."""
    return frozenset(re.findall(r"\w+", text.casefold())) & frozenset(table()["telling"].split())


@lru_cache(maxsize=4096)
def all_numbers(text: str) -> frozenset[float]:
    """Every number of a text, those in times, too."""
    return numbers_in(text) | {round(abs(float(amount.value)), 4) for amount in amounts(text)}


@lru_cache(maxsize=4096)
def names_in(text: str) -> frozenset[str]:
    """The names in running text; of titles, in which most words have capitals, none."""
    plain = unaddressed(text)
    found = frozenset(name.casefold() for name in _NAME.findall(plain) if not name.isupper()) - _CALENDAR
    if not found:
        return found
    words = [word for word in WORD.findall(plain) if content(word)]
    title = len(words) < 9 and 3 * sum(word[0].isupper() for word in words) > 2 * len(words)
    return frozenset() if title else found


def unaddressed(text: str) -> str:
    """A text without whom it greets and who signs it."""
    return _SIGNED.sub(" ", HAIL.sub(" ", text))


def overlap(one: Day, other: Day) -> bool:
    """Whether two days, or stretches of days, share one."""
    return one[0] <= other[1] and other[0] <= one[1]


def clocks_of(values: Iterable[JsonValue]) -> Minutes:
    """The times of day in JSON values, as minutes of the day."""
    return frozenset(_minutes(str(said)) for kind, said in grounds(list(values)) if kind == "time")


def dates_of(values: Iterable[JsonValue]) -> Iterator[date]:
    """The dates in JSON values."""
    for text in texts_of(values):
        for found in re.findall(r"\b\d{4}-\d\d-\d\d\b", text):
            try:
                yield date.fromisoformat(found)
            except ValueError:
                continue


def _minutes(clock: str) -> int:
    hour, minute = clock.split(":")[:2]
    return int(hour) * 60 + int(minute)


def texts_of(values: Iterable[JsonValue]) -> Iterator[str]:
    """Every value in JSON values, as a text."""
    return (str(leaf) for leaf in leaves(list(values)))


def next_word(text: str, word: str) -> str:
    """The stem of the word that follows another, articles apart; empty where none does."""
    found = re.search(rf"\b{re.escape(word)}\s+(?:the\s+|my\s+|our\s+)?(\w+)", text, re.IGNORECASE)
    return stem(found[1].casefold()) if found else ""


def table() -> Mapping[str, Any]:
    """What `texts.yaml` says."""
    return shipped(Path(__file__).with_name("texts.yaml"))


@lru_cache(maxsize=1)
def _same() -> Mapping[str, str]:
    """The first word for each that says the same."""
    rows = ([stem(word) for word in row.split()] for row in table()["same"])
    found: dict[str, str] = {}
    for first, *others in rows:
        found |= {other: found.get(first, first) for other in others if other not in found}
    return found


@lru_cache(maxsize=1)
def groups() -> list[list[frozenset[str]]]:
    """Per kind, the words for each of its things."""
    return [[content_of(item) for item in group] for group in table()["kinds"]]


@lru_cache(maxsize=1)
def opposed() -> list[tuple[frozenset[str], frozenset[str]]]:
    """Pairs of words that say the contrary."""
    return [(frozenset(one.split()), frozenset(other.split())) for one, other in table()["opposed"]]


@lru_cache(maxsize=1)
def light() -> frozenset[str]:
    """Words that carry nothing beside what they are said of."""
    return content_of(" ".join(table()["light"]))


@lru_cache(maxsize=8)
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of the table."""
    return re.compile(re.sub(r"\s*(?=\|)|(?<=\?) (?=\\b)", "", table()[name].strip()), re.IGNORECASE)
