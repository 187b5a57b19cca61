"""Near-duplicates: texts that repeat an earlier one but for a few words.

Likeness is the Jaccard index of the sets of three words that follow each other, and exact: MinHash (Broder 1997) only
finds whom to compare with, and misses less than one in 300 of the pairs that lie at the threshold. Texts stream; the
same on any machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from toologue.errors import BadSetting

THRESHOLD = 0.8
_WORDS, _HASHES, _MISSED = 3, 128, 1 / 300
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MIX = np.random.Generator(np.random.PCG64(2503)).integers(1, 2**63, (2, _HASHES), dtype=np.uint64) | np.uint64(1)
_PLACES, _HALF = _MIX[0, :_WORDS], np.uint64(32)
Set = NDArray[np.uint64]


def repeats(texts: Iterable[str], *, threshold: float = THRESHOLD) -> Iterator[int | None]:
    """For each text the number of an earlier one that it nearly repeats. Raises BadSetting for a useless threshold."""
    if not 0.3 <= threshold <= 1:
        raise BadSetting(f"a threshold of {threshold}: give a Jaccard index from 0.3 to 1")
    rows = next(rows for rows in range(12, 0, -1) if (1 - threshold**rows) ** (_HASHES // rows) < _MISSED)
    buckets = dict[int, tuple[int, ...]]()  # by hashes of bands: one that is alike by chance is compared for nothing
    sets, marks = dict[int, Set](), dict[int, NDArray[np.uint32]]()
    for number, text in enumerate(texts):
        grams = _grams(text)
        mark = _minima(grams)
        bands = [hash((start, mark[start : start + rows].tobytes())) for start in range(0, _HASHES - rows + 1, rows)]
        near = sorted({other for band in bands for other in buckets.get(band, ())})
        found = None
        if near:
            agree = (np.stack([marks[other] for other in near]) == mark).mean(axis=1)
            likely = (other for other, share in zip(near, agree, strict=True) if share > threshold - 0.2)
            found = next((other for other in likely if _jaccard(sets[other], grams) >= threshold), None)
        if found is None:
            sets[number], marks[number] = grams, mark
            for band in bands:
                buckets[band] = (*buckets.get(band, ()), number)
        yield found


def likeness(one: str, other: str) -> float:
    """The Jaccard index of two texts' sets of three words."""
    return _jaccard(_grams(one), _grams(other))


def _grams(text: str) -> Set:
    """Three words that follow each other, as numbers; of a text with fewer all at once."""
    words = np.fromiter(map(_number, _TOKEN.findall(text.casefold())), dtype=np.uint64)
    if len(words) < _WORDS:
        words = np.concatenate([words, np.zeros(_WORDS - len(words), dtype=np.uint64)])
    grams = words[:-2] * _PLACES[0] + words[1:-1] * _PLACES[1] + words[2:] * _PLACES[2]
    grams.sort()
    return grams[np.concatenate([[True], grams[1:] != grams[:-1]])]


def _minima(grams: Set) -> NDArray[np.uint32]:
    mixed = _MIX[0][:, None] * grams
    mixed += _MIX[1][:, None]
    mixed ^= mixed >> _HALF
    mixed *= _PLACES[0]
    return (mixed.min(axis=1) >> _HALF).astype(np.uint32)


def _jaccard(one: Set, other: Set) -> float:
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)


@lru_cache(maxsize=1 << 16)
def _number(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
