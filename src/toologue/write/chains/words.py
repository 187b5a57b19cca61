"""What is known about English words, and noun phrases of documentation as people say them.

A phrase that nobody says is `rough`, and whoever needs words looks for others. The words stand in `banks/words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from toologue.data import shipped
from toologue.text import tokens
from toologue.text.names import spoken_forms
from toologue.text.tokens import split_compound

_FILE = Path(__file__).with_name("banks") / "words.yaml"
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=\d)")
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")


class Lexicon(NamedTuple):
    """How words are said; `spelt` has `acronyms` and `proper` names by their small letters."""

    parameters: Mapping[str, str]
    abbreviations: Mapping[str, str]
    acronyms: Mapping[str, str]
    proper: Mapping[str, str]
    spelt: Mapping[str, str]


@cache
def lexicon() -> Lexicon:
    """The words that ship."""
    spoken = spoken_forms()
    acronyms = {word: word.upper() for word in spoken["acronyms"].split()}
    proper = {word.lower(): word for word in spoken["proper"].split()}
    return Lexicon(spoken["parameters"], spoken["abbreviations"], acronyms, proper, proper | acronyms)


def openings(nouns: Iterable[str]) -> tuple[str, ...]:
    """What somebody without a clear wish for some things may say that it is about: a walk of life."""
    walks = shipped(_FILE)["walks"]
    return tuple(said for noun in nouns for said, known in walks.items() if noun in known.split())


@cache
def walks() -> frozenset[str]:
    """Walks of life."""
    return frozenset(shipped(_FILE)["walks"])


@cache
def _whole() -> frozenset[str]:
    known = lexicon()
    return frozenset((*known.spelt, *known.parameters, *known.abbreviations, *wordset("foreign")))


@cache
def wordset(name: str) -> frozenset[str]:
    """A set of words by its name."""
    return frozenset(shipped(_FILE)["sets"][name].split())


def split(name: str) -> list[str]:
    """The words of a name, small; such as are run together (`boundingBoxid`) taken apart."""
    words = (word.lower() for word in _WORD.findall(_HUMP.sub(" ", name).replace("_", " ")))
    return [part for word in words for part in ([word] if word in _whole() else split_compound(word))]


def plural(word: str) -> bool:
    """Whether a noun takes "are": judged by how it ends."""
    word = word.lower()
    ends = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2
    return (ends and word not in wordset("no_plural")) or word in wordset("plural")


def singular(word: str) -> str:
    """One of what a plural names; statistics stay."""
    return tokens.singular(word) if plural(word) and word != "statistics" else word


def joined(parts: list[str], last: str = "and") -> str:
    """a, b and c."""
    return f" {last} ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


# What joins noun phrases.
LINKS = wordset("links")

_DETERMINERS, _ASKS = wordset("determiners"), wordset("asks")
_PARTICIPLE = re.compile(r"\w{3,}[^e]ed$")


@lru_cache(maxsize=1 << 14)
def rough(phrase: str) -> bool:
    """Whether nobody says so: it opens or ends with what belongs to something else, or does not say what it is of."""
    small = [word.strip(",.'").lower() for word in phrase.split()]
    while small[:1] and small[0] in _DETERMINERS:
        small = small[1:]
    if not small or small[0] in LINKS | _ASKS | (wordset("verbs") - wordset("nouns")):
        return True
    last = small[-1]
    loose = last in LINKS | _DETERMINERS | wordset("qualities") or last.endswith("ly")
    return loose or _PARTICIPLE.match(last) is not None or bool(_ASKS & {*small}) or empty(small)


def empty(words: Iterable[str]) -> bool:
    """Whether words, in small letters, do not say what a thing is: historical rates."""
    return all(word in _bland() for word in words)


@cache
def _bland() -> frozenset[str]:
    return wordset("bland") | wordset("plain") | wordset("qualities") | LINKS
