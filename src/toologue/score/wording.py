"""The English that graders of words go by (`words.yaml`), and what a text holds by it: content, numbers, spans of time.

>>> sorted(content("The fees of those cards were charged twice."))
['card', 'charg', 'fee', 'twic']
>>> sorted(numbers_in("1.240,50 euros on 2 May")), sorted(spans_in("within five working days"))
([1.2405, 2.0, 1240.5], ['5 day'])
>>> in_another_language("Können Sie mir bitte Ihre Nummer nennen?", "Could you tell me your number, please?")
True
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from toologue.data import shipped
from toologue.text.numbers import amounts
from toologue.text.tokens import stem

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"\d+(?:[.,' \u00a0\u202f]\d+)*")
_DOTTED_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}")
_AFTERNOON = re.compile(r"(?::\d\d)? ?p\.?m\b", re.IGNORECASE)
_HALF_AN_HOUR = re.compile(r"\bhalf[- ](?:an )?hour")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_OTHER_LETTERS = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f]")
_GROUPING = re.compile(r"[' \u00a0\u202f]")
_DECIMAL, _DIGITS, _WORKING = re.compile(r"\d+(?:\.\d+)?"), re.compile(r"\d+"), re.compile(r"\b(?:working|business) ")
_COUNTED = {
    word: n for n, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_COUNTS = re.compile(rf"(?:{'|'.join(_COUNTED)})(?![a-z])")


@lru_cache(maxsize=1)
def words() -> Mapping[str, Any]:
    """The English that graders go by."""
    return shipped(Path(__file__).with_name("words.yaml"))


@lru_cache(maxsize=64)
def pattern(name: str) -> re.Pattern[str]:
    """One of its patterns, for texts in small letters."""
    return re.compile(words()[name].replace("\n", ""))


def search(name: str, text: str) -> re.Match[str] | None:
    """Where a text has one of its patterns, however it is capitalized."""
    return pattern(name).search(small(text))


def small(text: str) -> str:
    """A text in small letters, each in its place: what a pattern of small letters finds whatever the case, it finds
    here, several times as fast.
    """
    if not text.isascii():
        text = text.replace("ſ", "s").replace("ı", "i").replace("İ", "i")
    return text.lower()


@lru_cache(maxsize=1)
def small_words() -> frozenset[str]:
    """The words that carry nothing."""
    return frozenset(words()["small"].split())


@lru_cache(maxsize=8192)
def content(text: str) -> frozenset[str]:
    """The stems of the words that carry something."""
    return frozenset(filter(None, map(_carried, _WORD.findall(text))))


@lru_cache(maxsize=1 << 14)
def _carried(word: str) -> str:
    """The stem of a word that carries something; empty for others."""
    plain = word.casefold().replace("’", "'")
    carries = len(plain) > 2 and plain not in small_words() and "'" not in plain[:-2]
    return stem(plain.removesuffix("'s")) if carries else ""


def in_another_language(text: str, gold: str) -> bool:
    """Whether a text is in other letters, or has hardly any of the small words that the gold's language has.

    Languages share a few of them (German "in", French "a", Spanish "me"), so that hardly any is one in six. A text of
    which half stands in the gold is in its language.
    """
    (few, mine), (many, theirs) = _small_words(text), _small_words(gold)
    if theirs <= 3 or many <= 0.15 * theirs:
        return False
    few_small = mine > 3 and few < 0.18 * mine and len(content(text) & content(gold)) < len(content(text)) / 2
    return few_small or (not text.isascii() and len(_OTHER_LETTERS.findall(text)) > len(_LATIN.findall(text)))


@lru_cache(maxsize=4096)
def _small_words(text: str) -> tuple[int, int]:
    said = [word.casefold() for word in _WORD.findall(text)]
    return sum(word in small_words() for word in said), len(said)


@lru_cache(maxsize=4096)
def numbers_in(text: str) -> frozenset[float]:
    """All that the numbers of a text can be read as."""
    return frozenset(number for _, readings in numbers_of(text) for number in readings)


@lru_cache(maxsize=4096)
def numbers_of(text: str) -> tuple[tuple[str, frozenset[float]], ...]:
    """Each number of a text with its readings: 1.240,50 and 1,240.50, in words, its runs of digits, after noon."""
    found: list[tuple[str, frozenset[float]]] = []
    for match in _NUMBER.finditer(text):
        plain = _GROUPING.sub("", match[0])
        forms = {plain.replace(",", ""), plain.replace(".", "").replace(",", ".")}
        readings = {float(form) for form in forms if _DECIMAL.fullmatch(form)}
        if _AFTERNOON.match(text, match.end()):
            readings |= {reading % 12 + 12 for reading in readings}
        if not readings or _DOTTED_DATE.fullmatch(plain):
            readings = {float(run) for run in _DIGITS.findall(plain)}
        found.append((match[0], frozenset(readings)))
    low = small(text)
    if _COUNTS.search(low):
        found += [(one.text, frozenset({float(one.value)})) for one in amounts(text) if one.text[0].isalpha()]
    found += [(half, frozenset({30.0})) for half in _HALF_AN_HOUR.findall(low)]
    return tuple(found)


@lru_cache(maxsize=4096)
def spans_in(text: str) -> frozenset[str]:
    """The spans and days that a text promises, in one spelling."""
    found = (match[0].replace("-", " ") for match in pattern("spans").finditer(small(text)))
    return frozenset(_same_span(span) for span in found)


def _same_span(span: str) -> str:
    said = _WORKING.sub("", span).split()
    said = [str(_COUNTED.get(word, {"a": 1, "an": 1}.get(word, word))) for word in said]
    return " ".join(word.rstrip("s") for word in said)
