"""What of a long message may ask for something: its sentences once each, without repetitions, as much as people write.

Contract: pure, linear. `gist` gives masked words as they are while they are no longer than a page. Of longer ones it
leaves out sentences that were there before, repeated words, the inside of endless words, and, where that is still more
than `MOST`, the middle. Values are typed before (`values`), in the whole message: what is stored is never cut.

Example:
    >>> words, values = gist("put <quote> into <key>. " + "la " * 9999 + "thanks", ("a", "b"))
    >>> words, values
    ('put <quote> into <key>. la thanks', ('a', 'b'))

Not covered: requests in the middle of more than `MOST` characters of different sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

__all__ = ["MOST", "gist"]

PAGE, MOST, _WORD = 4_000, 8_000, 60
_SENTENCE = re.compile(r"(?<=[.!?;\n])\s+")
T = TypeVar("T")


def gist(words: str, values: Sequence[T]) -> tuple[str, tuple[T, ...]]:
    """(the words that count, their values)."""
    if len(words) <= PAGE:
        return words, tuple(values)
    units = list(_units(words, values))
    head = _fitting(units)
    units = [*units[:head], *units[max(head, len(units) - _fitting(units[::-1])) :]]
    return " ".join(word for word, _ in units), tuple(one for _, mine in units for one in mine)


def _units(words: str, values: Sequence[T]) -> Iterator[tuple[str, Sequence[T]]]:
    """The words of each sentence that was not there before, and their values."""
    seen, at, before = set[str](), 0, ""
    for sentence in _SENTENCE.split(words):
        new = sentence not in seen
        seen.add(sentence)
        for word in sentence.split():
            count = len(re.findall(r"<\w+>", word))
            if new and (count or word != before):
                short = word if count or len(word) <= _WORD else f"{word[: _WORD // 2]}{word[-_WORD // 2 :]}"
                yield short, values[at : at + count]
            at, before = at + count, word


def _fitting(units: Sequence[tuple[str, Sequence[T]]]) -> int:
    """How many of the words fit into half of what is read."""
    return sum(length <= MOST // 2 for length in accumulate(len(word) + 1 for word, _ in units))
