"""The words this package knows about words: `banks/words.yaml`, read once.

Contract: `lexicon()` gives sets and mappings with small letters as keys; `split` cuts a name into words, and nothing is
lost but punctuation.

Example:
    >>> split("uniqueTournamentId"), split("X-Forwarded_for2"), lexicon().acronyms["iata"]
    (['unique', 'tournament', 'id'], ['x', 'forwarded', 'for', '2'], 'IATA')

Not covered: languages other than English; `foreign` only gives them away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.data import read_source
from toologue.text.tokens import is_word, split_compound

_FILE = Path(__file__).with_name("banks") / "words.yaml"
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=\d)")
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
_IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "movies": "movie", "series": "series",
    "news": "news", "statistics": "statistics", "data": "data", "matches": "match", "indices": "index",
    "species": "species", "cookies": "cookie", "ties": "tie",
}  # fmt: skip


class Lexicon(NamedTuple):
    """What `words.yaml` says. `acronyms` and `proper` map small letters to how a word is written."""

    parameters: Mapping[str, str]
    abbreviations: Mapping[str, str]
    acronyms: Mapping[str, str]
    proper: Mapping[str, str]
    lookups: frozenset[str]
    verbs: frozenset[str]
    foreign: frozenset[str]
    technical: frozenset[str]
    domains: Mapping[str, tuple[str, ...]]
    about: tuple[str, ...]
    fields: Mapping[str, str]
    sets: Mapping[str, frozenset[str]]


@cache
def lexicon() -> Lexicon:
    """The words that ship."""
    data = cast("dict[str, Any]", read_source(_FILE).data)
    spellings = {"imdb": "IMDb", "nasdaq": "Nasdaq", "zip-code": "zip code", "isin": "ISIN"}
    return Lexicon(
        parameters=data["parameters"],
        abbreviations=data["abbreviations"],
        acronyms={word: spellings.get(word) or word.upper() for word in map(str, data["acronyms"].split())},
        proper={word.lower(): word for word in data["proper"].split()},
        lookups=frozenset(data["lookups"].split()),
        verbs=frozenset(data["verbs"].split()),
        foreign=frozenset(data["foreign"].split()),
        technical=frozenset(data["technical"].split()),
        domains={name: tuple(topics) for name, topics in data["domains"].items()},
        about=tuple(data["about"]),
        fields=data["fields"],
        sets={name: frozenset(text.split()) for name, text in data["sets"].items()},
    )


@cache
def _whole() -> frozenset[str]:
    """What is not taken apart: names that are written so."""
    known = lexicon()
    return frozenset((*known.proper, *known.acronyms, *known.parameters, *known.abbreviations, *known.foreign))


def wordset(name: str) -> frozenset[str]:
    """A set of words by its name."""
    return lexicon().sets[name]


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
    """One of what a plural names."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not plural(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes")) else word[:-1]


def capital(text: str) -> str:
    """With a capital, unless the first word has its own spelling."""
    first = text.split(maxsplit=1)[0] if text else ""
    return text[0].upper() + text[1:] if first[:1].islower() and first[1:] == first[1:].lower() else text


def uncapital(text: str) -> str:
    """As it goes on after a comma: small, unless the first word has its own spelling."""
    first = text.split(maxsplit=1)[0] if text else ""
    return text[0].lower() + text[1:] if first != "I" and is_word(first.lower().strip(",.?!")) else text


def pluralized(word: str) -> str:
    """Several of a thing."""
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def joined(parts: list[str], last: str = "and") -> str:
    """a, b and c."""
    return f" {last} ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
