"""Text similarity, an explicit input of every grading: which one, and at which thresholds, is written into each result.

    exact          1.0 for equal texts, else 0.0: the lower bracket of any similarity
    one            always 1.0: the upper bracket
    lexical        cosine of character n-grams and words: no weights, no download; the default
    vectors:FILE   cosine of the vectors of an .npz file with arrays `texts` and `vectors`

A threshold belongs to a similarity: the published 0.9 (short texts) and 0.8 (message bodies) were set for another model
(ToolTalk 3.2); `lexical` has its own, lower one.

Example:
    >>> similarity("exact")("Pay rent", "Pay rent")
    1.0
    >>> judge = Judge.of("lexical")
    >>> judge.alike("text", "Pay the rent", "pay rent"), judge.alike("text", "Pay the rent", "Call Ann")
    (True, False)

Not covered: meaning. `lexical` sees spelling: it takes "cancel" and "do not cancel" for near relatives.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, Self
from zipfile import BadZipFile

from toologue import keys, registry
from toologue.errors import BadFile, BadSetting, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Judge", "Similarity", "Vectors", "similarity"]


class Similarity(Protocol):
    """How alike two texts are, about in [0, 1]. `name` says which one it is, `thresholds` where "the same" begins."""

    @property
    def name(self) -> str:
        """What results call it."""
        ...

    @property
    def thresholds(self) -> Mapping[str, float]:
        """Per comparer (text, prose) the least similarity of texts that say the same."""
        ...

    def __call__(self, expected: str, actual: str) -> float:
        """The similarity of two texts."""
        ...


PUBLISHED = {"text": 0.9, "prose": 0.8}


@dataclass(frozen=True)
class _Function:
    name: str
    score: Callable[[str, str], float]
    thresholds: Mapping[str, float] = field(default_factory=lambda: dict(PUBLISHED))

    def __call__(self, expected: str, actual: str) -> float:
        return self.score(expected, actual)


class Vectors:
    """Cosine of stored vectors. A text that the file lacks is an error: nothing is guessed."""

    def __init__(self, file: Path):
        self.file = file
        self.name = f"vectors:{file.name}@{keys.file_key(file) if file.is_file() else 'missing'}"
        self.thresholds: Mapping[str, float] = PUBLISHED

    def __call__(self, expected: str, actual: str) -> float:
        """The cosine of the two texts' vectors."""
        rows, unit = self._table
        try:
            return float(unit[rows[expected]] @ unit[rows[actual]])
        except KeyError as missing:
            text = shown(missing.args[0])
            remedy = "add it, or use another similarity"
            raise BadSetting(f"{self.file} has no vector for the text {text}; {remedy}") from None

    @cached_property
    def _table(self) -> tuple[dict[str, int], NDArray[np.float64]]:
        import numpy as np

        try:
            with self.file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
                texts, vectors = arrays["texts"], np.asarray(arrays["vectors"], dtype=np.float64)
        except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
            raise BadFile(f"{self.file} is not an .npz file with arrays `texts` and `vectors`: {error}") from None
        if vectors.ndim != 2 or len(texts) != len(vectors):
            raise BadFile(f"{self.file}: {len(texts)} texts but vectors of shape {vectors.shape}: give one row a text")
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return {str(text): row for row, text in enumerate(texts.tolist())}, unit


@lru_cache(maxsize=65536)
def _grams(text: str) -> tuple[Counter[str], float]:
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    grams = Counter(f"{word} " for word in words)
    for word in words:
        padded = f"<{word}>"
        grams.update(padded[i : i + n] for n in (3, 4) for i in range(max(1, len(padded) - n + 1)))
    return grams, math.sqrt(sum(count * count for count in grams.values()))


def _lexical(expected: str, actual: str) -> float:
    (one, length), (other, width) = _grams(expected), _grams(actual)
    if not one or not other:
        return float(expected.strip() == actual.strip())
    return sum(count * other[gram] for gram, count in one.items() if gram in other) / (length * width)


def _equal(expected: str, actual: str) -> float:
    return float(expected == actual)


def _always(expected: str, actual: str) -> float:
    return 1.0


EXACT: Similarity = _Function("exact", _equal)
ONE: Similarity = _Function("one", _always)
LEXICAL: Similarity = _Function("lexical", _lexical, {"text": 0.5, "prose": 0.5})
VECTORS = Vectors


def similarity(spec: str) -> Similarity:
    """The similarity that a registered name, or `name:ARGUMENT`, stands for."""
    name, _, argument = spec.partition(":")
    found = registry.find("similarity", name)
    if isinstance(found, type):
        if not argument:
            raise BadSetting(f"the similarity {name!r} needs a file: {name}:FILE")
        return found(Path(argument))
    return found


@dataclass(frozen=True)
class Judge:
    """A similarity with its thresholds: decides, and says what it decided by."""

    similarity: Similarity
    thresholds: Mapping[str, float]

    @classmethod
    def of(cls, spec: str, thresholds: Mapping[str, float] | None = None) -> Self:
        """A judge by name, at the similarity's own thresholds unless others are given."""
        chosen = similarity(spec)
        return cls(chosen, {**chosen.thresholds, **(thresholds or {})})

    def alike(self, compare: Literal["text", "prose"], expected: str, actual: str) -> bool:
        """Whether two texts say the same."""
        return expected == actual or self.similarity(expected, actual) >= self.thresholds[compare]

    def record(self) -> dict[str, object]:
        """What results carry: the similarity's name and the thresholds."""
        return {"name": self.similarity.name, "thresholds": dict(self.thresholds)}
