"""What everyday words say: the deeds they ask for, the things they name, and the small talk around a request.

Contract: pure; every word stands in lexicon.yaml. A deed is a kind of thing that software does (create, update, delete,
finish, send, read, login, logout): people ask for it in their words, and Apis say it in their names.

Not covered: languages other than English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from toologue.data import shipped
from toologue.text.tokens import split_name, stem

Deed = str
"""A kind of deed: create, update, delete, finish, send, read, login, logout."""

_SYNONYM = 0.7  # how much a word counts that was not said, but another one for the same thing
_PARTS = re.compile(r"(?<=[.?!;:,])\s|\s(?=(?:so|but)\s)")
_GAP = r"\s(?:[\w'’-]+\s){0,4}?"  # what … stands for


@lru_cache(maxsize=20_000)
def deeds_in(text: str) -> tuple[Deed, ...]:
    """The deeds that some words ask for: those that a clause begins with, then others. A question asks to read only."""
    heads: list[Deed] = []
    others: list[Deed] = []
    for part in _PARTS.split(text.lower()):
        if _question().match(part):
            heads.append("read")
            continue
        found = sorted((match.start(), deed) for deed, said in _deeds("said").items() if (match := said.search(part)))
        for start, deed in found:
            (heads if _openers().fullmatch(part[:start]) else others).append(deed)
    return tuple(dict.fromkeys([*heads, *others]))


@lru_cache(maxsize=20_000)
def begins_with_deed(text: str) -> bool:
    """Whether the first word asks for a deed."""
    return any(pattern.match(text.lower()) for pattern in _deeds("said").values())


@lru_cache(maxsize=20_000)
def deed_of(api: str) -> Deed | None:
    """The deed that an Api's name says it does; None where it says none of them."""
    words = split_name(api)
    return next((deed for deed, pattern in _deeds("named").items() if pattern.search(words)), None)


def stems(text: str) -> list[str]:
    """The words of a text without their endings, those that say little left out."""
    return [stem(word) for word in re.findall(r"[^\W_]{3,}", text.lower()) if word not in _dull()]


@lru_cache(maxsize=20_000)
def spread(text: str) -> Mapping[str, float]:
    """The words of a text, each counting 1, and at a discount other words for the same things."""
    words, lowered = stems(text), text.lower()
    said = dict.fromkeys(words, 1.0)
    for things, phrases in _things():
        if not things.isdisjoint(words) or (phrases is not None and phrases.search(lowered)):
            said = dict.fromkeys(sorted(things), _SYNONYM) | said
    return said


@cache
def talk(kind: str) -> re.Pattern[str]:
    """A pattern for the small talk of a kind: hello, bye, agreeing, … (the keys under `talk`)."""
    return _any_of(_lexicon()["talk"][kind].split(", "))


@cache
def everyday() -> frozenset[str]:
    """The words that are seldom a part of a value."""
    return frozenset(_lexicon()["everyday"].split(", "))


def short_for(word: str) -> str:
    """The word that a part of a parameter's name is short for."""
    return _lexicon()["short"].get(word, word)


@cache
def _lexicon() -> Mapping[str, Any]:
    return shipped(Path(__file__).with_name("lexicon.yaml"))


def _any_of(phrases: list[str], ending: str = "") -> re.Pattern[str]:
    """Any of the phrases, as whole words, whichever apostrophe is written; `…` stands for up to four words."""
    said = [re.escape(phrase).replace("'", "['’]").replace(r"\ …\ ", _GAP) for phrase in phrases]
    return re.compile(rf"\b(?:{'|'.join(said)}){ending}\b", re.IGNORECASE)


@cache
def _question() -> re.Pattern[str]:
    before = rf"(?:(?:{talk('before a question').pattern}|\w+ question)\W+)*"
    return re.compile(rf"\W*{before}(?!how about\b){talk('question').pattern}")


@cache
def _openers() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{talk('opener').pattern}\W+)*")


@cache
def _deeds(how: str) -> dict[Deed, re.Pattern[str]]:
    """How deeds are said, or named by Apis."""
    ending = "(?:s|ed)?" if how == "said" else ""
    return {deed: _any_of(words[how].split(", "), ending) for deed, words in _lexicon()["deeds"].items()}


@cache
def _things() -> list[tuple[frozenset[str], re.Pattern[str] | None]]:
    """Groups of words for one and the same thing: single words without endings, and phrases."""
    groups: list[tuple[frozenset[str], re.Pattern[str] | None]] = []
    for group in (things.split(", ") for things in _lexicon()["things"]):
        phrases = [thing for thing in group if " " in thing]
        words = frozenset(stems(" ".join(thing for thing in group if " " not in thing)))
        groups.append((words, _any_of(phrases) if phrases else None))
    return groups


@cache
def _dull() -> frozenset[str]:
    return frozenset(_lexicon()["dull"].split(", "))
