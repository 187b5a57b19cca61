"""Typing errors: what a hurried thumb makes of a text. Pure: the same text and seed, the same errors.

Errors are those of a keyboard: two letters swapped, one left out, one doubled, a neighbouring key, an apostrophe left
out, a small letter where a capital belongs, the last full stop forgotten. A word has one at most, words stay apart, and
what carries meaning is left alone: slots in braces, whatever stands in `keep`, words with digits, signs of addresses or
capitals inside, short words, and negations (only their apostrophe may go).

Example:
    >>> mistype("Sorry, the number should be {value}, not the other one.", seed=4, rate=0.4)
    'soorry, the numbber sholud be {value}, not the othre one.'
    >>> mistype("It's 4711 or anna@post.example", seed=1)
    'Its 4711 or anna@post.example'

Not covered: spelling mistakes (definately), wrong words, autocorrection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from random import Random
from typing import NamedTuple

from toologue import keys

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = {
    letter: "".join(row[place] for place in (at - 1, at + 1) if 0 <= place < len(row))
    for row in _ROWS
    for at, letter in enumerate(row)
}
_SHORTEST = 4
_LEFT_ALONE = frozenset({"none", "never", "nobody", "nothing", "nowhere", "neither", "without", "cannot", "wrong"})
_WORD = re.compile(r"(?P<before>[\"'(]*)(?P<word>[A-Za-z]+(?:['’][a-z]+)?)(?P<after>[.,;:!?)\"'…]*)")


def mistype(text: str, *, seed: int | str, rate: float = 0.12, keep: Iterable[str] = ()) -> str:
    """The text with about `rate` of its longer words mistyped: one at least, where any may be."""
    random = Random(keys.seed_of(seed, text))
    parts = _parts(text, tuple(keep))
    places = [number for number, part in enumerate(parts) if part.may_err]
    wrong = {place for place in places if random.random() < rate} or set(random.sample(places, min(1, len(places))))
    made = [
        part.text if part.word is None else _typed(part.word, random, err=number in wrong, first=not number)
        for number, part in enumerate(parts)
    ]
    if parts and parts[-1].word and made[-1].endswith(".") and not made[-1].endswith("..") and random.random() < 0.5:
        made[-1] = made[-1][:-1]
    return "".join(made)


class _Part(NamedTuple):
    """White space, or a word with its signs; `word` is None where nothing may be touched."""

    text: str
    word: re.Match[str] | None
    may_err: bool


@lru_cache(maxsize=4096)
def _parts(text: str, keep: tuple[str, ...]) -> tuple[_Part, ...]:
    fixed = [r"\{\w+\}", *sorted(map(re.escape, filter(None, keep)), key=len, reverse=True)]
    spans = [found.span() for found in re.finditer("|".join(fixed), text)]
    parts: list[_Part] = []
    for piece in re.finditer(r"\s+|\S+", text):
        free = not any(start < piece.end() and piece.start() < end for start, end in spans)
        word = _WORD.fullmatch(piece[0]) if free else None
        parts.append(_Part(piece[0], word, word is not None and _may_err(word["word"])))
    return tuple(parts)


def _may_err(word: str) -> bool:
    return len(word) >= _SHORTEST and word[1:].islower() and word.lower() not in _LEFT_ALONE


def _typed(part: re.Match[str], random: Random, *, err: bool, first: bool) -> str:
    """One word, as it comes out. `first`: it opens the text, where a small letter may stand for a capital."""
    word = part["word"]
    if not word.isalpha() and (err or random.random() < 0.5):
        word = re.sub("['’]", "", word)
    elif err:
        word = _slip(word, random)
    if (word == "I" or first) and random.random() < 0.5:
        word = word[:1].lower() + word[1:]
    return part["before"] + word + part["after"]


def _slip(word: str, random: Random) -> str:
    """One wrong key; the first letter stays, and the last unless swapped, so that the word can still be read."""
    at = random.randrange(1, len(word) - 1)
    match random.choice(("swap", "swap", "drop", "double", "beside")):
        case "swap" if word[at] != word[at + 1]:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case "double":
            return word[: at + 1] + word[at:]
        case "beside" if _BESIDE.get(word[at]):
            return word[:at] + random.choice(_BESIDE[word[at]]) + word[at + 1 :]
        case _:
            return word[:at] + word[at + 1 :]
