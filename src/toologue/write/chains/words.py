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


def openings(domain: str, nouns: Iterable[str]) -> tuple[str, ...]:
    """What somebody without a clear wish may say that it is about: in a walk of life, by its name or by its nouns."""
    walks = shipped(_FILE)["walks"]
    found = (name for noun in nouns for name, known in walks.items() if noun in known.split())
    return tuple(shipped(_FILE)["domains"].get(domain) or shipped(_FILE)["domains"].get(next(found, ""), ()))


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
_PARTICIPLE = re.compile(r"\w{2,}[^e]ed$")
_IN_A_ROW = 3
_YEAR = re.compile(r"(?:19|20)\d\d")


@lru_cache(maxsize=1 << 14)
def rough(phrase: str) -> bool:
    """Whether nobody says so."""
    words = [word.strip(",.'") for word in phrase.split()]
    small = [word.lower() for word in words]
    while small[:1] and small[0] in _DETERMINERS:
        words, small = words[1:], small[1:]
    if not small or small[0] in LINKS | _ASKS or _loose(small[-1]):
        return True
    if set(small) & (_ASKS | wordset("machinery")) or empty(small) or any(map(_numbered, ["", *words], words)):
        return True
    if sum(word.isupper() and word.lower() not in lexicon().acronyms for word in words if len(word) > 1) > 1:
        return True
    if re.search(r" an? (?:\w+ )*(?:data|information|statistics|stats)$", phrase.lower()):
        return True
    verbs = (wordset("verbs") | wordset("more_verbs")) - wordset("nouns")
    if small[0] in verbs or not verbs.isdisjoint(small[1:-1]):  # take a text address, mortgage check rates
        return True
    return any(map(_jars, small, [*small[1:], ""])) or _longest(words) > _IN_A_ROW


def empty(words: Iterable[str]) -> bool:
    """Whether words, in small letters, do not say what a thing is: historical rates."""
    return all(word in _bland() for word in words)


@cache
def _bland() -> frozenset[str]:
    return wordset("bland") | wordset("plain") | wordset("qualities") | LINKS


def _numbered(before: str, word: str) -> bool:
    """Whether a number stands in it that is no year and no part of a name: Powerball, Lucky4Life, Billboard 200."""
    digits = any(char.isdigit() for char in word)
    named = word[:1].isupper() or (word.isdigit() and before[:1].isupper() and before.isalpha())
    return digits and not named and _YEAR.fullmatch(word) is None


def _loose(word: str) -> bool:
    return (
        word in LINKS | _DETERMINERS | wordset("qualities")
        or (word.endswith("ly") and word not in wordset("nouns_in_ly"))
        or (_PARTICIPLE.match(word) is not None and word not in wordset("nouns_in_ed"))
    )


def _jars(word: str, after: str) -> bool:
    if re.search("['’]s?$", word):
        return not after
    if word in LINKS:
        return after in LINKS - {"and"} or not after
    if word in _DETERMINERS:
        return after in LINKS | _DETERMINERS or not after or (word in ("a", "an") and plural(after))
    if word in wordset("qualities"):
        return after in LINKS - {"and"}
    if after in _DETERMINERS or (plural(word) and plural(after) and word not in wordset("compounding")):
        return True
    return after in wordset("qualities") and word not in wordset("plain")


def _longest(words: list[str]) -> int:
    longest = run = 0
    for word in words:
        run = 0 if word in LINKS | _DETERMINERS else run + (word not in wordset("plain") and word.islower())
        longest = max(longest, run)
    return longest
