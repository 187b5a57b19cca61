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
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_OTHER_LETTERS = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f]")
_COUNTED = {
    word: n for n, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}


@lru_cache(maxsize=1)
def words() -> Mapping[str, Any]:
    """The English that graders go by."""
    return shipped(Path(__file__).with_name("words.yaml"))


@lru_cache(maxsize=64)
def pattern(name: str) -> re.Pattern[str]:
    """One of its patterns."""
    return re.compile(words()[name].replace("\n", ""), re.IGNORECASE)


@lru_cache(maxsize=1)
def small_words() -> frozenset[str]:
    """The words that carry nothing."""
    return frozenset(words()["small"].split())


@lru_cache(maxsize=8192)
def content(text: str) -> frozenset[str]:
    """The stems of the words that carry something."""
    found = (word.casefold().replace("’", "'") for word in _WORD.findall(text))
    return frozenset(
        stem(word.removesuffix("'s"))
        for word in found
        if len(word) > 2 and word not in small_words() and "'" not in word[:-2]
    )


def in_another_language(text: str, gold: str) -> bool:
    """Whether a text is in other letters, or has hardly any of the small words that the gold's language has.

    Languages share a few of them (German "in", French "a", Spanish "me"), so that hardly any is one in six.
    """
    (few, mine), (many, theirs) = _small_words(text), _small_words(gold)
    strange = len(_OTHER_LETTERS.findall(text)) > len(_LATIN.findall(text))
    return theirs > 3 and many > 0.15 * theirs and (strange or (mine > 3 and few < 0.18 * mine))


@lru_cache(maxsize=4096)
def _small_words(text: str) -> tuple[int, int]:
    said = [word.casefold() for word in _WORD.findall(text)]
    return sum(word in small_words() for word in said), len(said)


def numbers_in(text: str) -> frozenset[float]:
    """All that the numbers of a text can be read as."""
    return frozenset(number for _, readings in numbers_of(text) for number in readings)


@lru_cache(maxsize=4096)
def numbers_of(text: str) -> tuple[tuple[str, frozenset[float]], ...]:
    """Each number of a text with its readings: 1.240,50 and 1,240.50, in words, its runs of digits, after noon."""
    found: list[tuple[str, frozenset[float]]] = []
    for match in _NUMBER.finditer(text):
        plain = re.sub(r"[' \u00a0\u202f]", "", match[0])
        forms = {plain.replace(",", ""), plain.replace(".", "").replace(",", ".")}
        readings = {float(form) for form in forms if re.fullmatch(r"\d+(?:\.\d+)?", form)}
        if _AFTERNOON.match(text, match.end()):
            readings |= {reading % 12 + 12 for reading in readings}
        if not readings or _DOTTED_DATE.fullmatch(plain):
            readings = {float(run) for run in re.findall(r"\d+", plain)}
        found.append((match[0], frozenset(readings)))
    found += [(one.text, frozenset({float(one.value)})) for one in amounts(text) if one.text[0].isalpha()]
    found += [(half, frozenset({30.0})) for half in re.findall(r"\bhalf[- ](?:an )?hour", text, re.IGNORECASE)]
    return tuple(found)


@lru_cache(maxsize=4096)
def spans_in(text: str) -> frozenset[str]:
    """The spans and days that a text promises, in one spelling."""
    found = (match[0].casefold().replace("-", " ") for match in pattern("spans").finditer(text))
    return frozenset(_same_span(span) for span in found)


def _same_span(span: str) -> str:
    said = re.sub(r"\b(?:working|business) ", "", span).split()
    said = [str(_COUNTED.get(word, {"a": 1, "an": 1}.get(word, word))) for word in said]
    return " ".join(word.rstrip("s") for word in said)
