"""The embedder without weights: words and the character n-grams inside them, hashed into a vector of fixed width.

The same bits in every process and on every machine. Case, accents, punctuation and spacing do not matter. A word counts
by 1 + log of how often it occurs; function words count less, numbers more; pairs of neighbouring words add a little, so
that order is not lost. Signs are hashed too: unrelated texts meet at about 0.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from toologue.errors import BadSetting, shown
from toologue.models.index import Parts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Part = tuple[NDArray[np.int64], NDArray[np.float32]]


WIDTH, GRAMS = 1024, (2, 3)
_COMMON = """
    a about all also am an and any are as at be been but by can could did do does for from had has have he her here his
    i if in into is it its just me my of on or our please she so some than that the their them then there these they
    this those to up us was we were which will with would you your
"""
FUNCTION_WORDS = frozenset(_COMMON.split())
# Weights: of a function word, a number, a whole word beside its n-grams, two neighbouring words.
LIGHT, NUMBER, WHOLE, PAIR = 0.1, 1.5, 1.0, 0.1

_WORD = re.compile(r"\d+|[^\W\d_]+")


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, folded: no case, no accents, letters and digits apart."""
    if not text.isascii():
        text = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))
    return _WORD.findall(text.casefold())


class Lexical:
    """Weight-free vectors of spelling."""

    name = "lexical"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, 1024); a row of zeros for a text without letters and digits."""
        import numpy as np

        rows = np.zeros((len(texts), WIDTH), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self.parts(text).vector
        return rows

    def parts(self, text: str) -> Parts:
        """What the vector of a text is the sum of."""
        import numpy as np

        words = words_of(text)
        if not words:
            return Parts({}, (), 0.0, np.zeros(WIDTH, dtype=np.float32))
        counted = Counter(words) if len(set(words)) < len(words) else dict.fromkeys(words, 1)
        factors = {word: 1 + math.log(count) if count > 1 else 1.0 for word, count in counted.items()}
        pairs = [_pair(first, second) for first, second in pairwise(words)]
        cells, values = [cell for cell, _ in pairs], [value for _, value in pairs]
        found = [(_word(word), factor) for word, factor in factors.items()]
        places = np.concatenate([cells for (cells, _), _ in found] + [np.array(cells, dtype=np.int64)])
        weights = np.concatenate([part if factor == 1 else part * factor for (_, part), factor in found] + [values])
        summed = np.bincount(places, weights, WIDTH)
        length = max(math.sqrt((summed * summed).sum()), 1e-12)
        return Parts(factors, pairs, length, (summed / length).astype(np.float32))

    def word(self, word: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The places of a word and its n-grams, and what they hold."""
        return _word(word)


def lexical(argument: str) -> Lexical:
    """The factory that is registered. It takes no argument."""
    if argument:
        raise BadSetting(f"the embedder 'lexical' takes no argument; it was given {shown(argument)}")
    return Lexical()


@lru_cache(maxsize=1 << 14)
def _word(word: str) -> _Part:
    """(cells, values) of a word: itself and its n-grams, together of length 1 times what the word weighs."""
    import numpy as np

    padded = f"<{word}>"
    grams = [padded[i : i + n] for n in GRAMS for i in range(len(padded) - n + 1)]
    cell, sign = _cell(f"w{word}")
    found: defaultdict[int, float] = defaultdict(float, {cell: sign * WHOLE})
    for cell, sign in map(_gram, grams):
        found[cell] += sign
    weight = LIGHT if word in FUNCTION_WORDS else NUMBER if word[0].isdigit() else 1.0
    factor = weight / max(math.sqrt(sum(value * value for value in found.values())), 1e-12)
    return np.array(list(found)), np.array([value * factor for value in found.values()], dtype=np.float32)


@lru_cache(maxsize=1 << 14)
def _gram(gram: str) -> tuple[int, int]:
    return _cell(f"g{gram}")


@lru_cache(maxsize=1 << 14)
def _pair(first: str, second: str) -> tuple[int, float]:
    cell, sign = _cell(f"p{first} {second}")
    return cell, PAIR * sign


def _cell(feature: str) -> tuple[int, int]:
    """(where a feature is counted, with which sign)."""
    mixed = zlib.crc32(feature.encode("utf-8", "surrogatepass")) * 0x9E3779B1 & 0xFFFFFFFF
    return (mixed >> 8) % WIDTH, 1 if mixed >> 31 else -1
