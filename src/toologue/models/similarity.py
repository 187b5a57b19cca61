"""Text similarity, an explicit input of every grading: which one, and at which thresholds, is written into each result.

    exact          1.0 for equal texts, else 0.0: the lower bracket of any similarity
    one            always 1.0: the upper bracket
    lexical        cosine of the vectors of an embedder: this one sees spelling; the default
    minilm[:DIR]   the same with an embedder that sees meaning
    endpoint:MODEL the same with the vectors of a server
    vectors:FILE   cosine of the vectors of an .npz file with arrays `texts` and `vectors`

A threshold belongs to a similarity: the published 0.9 (short texts), 0.8 (message bodies; ToolTalk 3.2) and 0.55
(replies; ALMITA 4.3) were set for other models; embedders have their own, calibrated on data of ours. A similarity that
embeds is fastest when it gets many texts at once: `judge.warm(texts)` before they are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Literal, Protocol, Self, cast, runtime_checkable
from zipfile import BadZipFile

from toologue import keys, registry
from toologue.errors import BadFile, BadSetting, shown
from toologue.models.embed import Embedder, calibrated, embedder
from toologue.schema import SecondReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
PUBLISHED = {"text": 0.9, "prose": 0.8, "reply": 0.55}


class Similarity(Protocol):
    """How alike two texts are, about in [0, 1]. `name` says which one it is, `thresholds` where "the same" begins."""

    @property
    def name(self) -> str:
        """What results call it."""
        ...

    @property
    def thresholds(self) -> Mapping[str, float]:
        """Per comparer (text, prose; reply) the least similarity of texts that say the same."""
        ...

    def __call__(self, expected: str, actual: str) -> float:
        """The similarity of two texts."""
        ...


@runtime_checkable
class Warmable(Protocol):
    """A similarity that is faster when it sees texts in one batch beforehand."""

    def warm(self, texts: Iterable[str]) -> None:
        """Prepare for these texts."""
        ...


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


class Embedded:
    """Cosine of an embedder's vectors, in [0, 1], to five decimals: what batches do to the sixth changes no verdict.

    It remembers what it was warmed with, and about `remembered` texts.
    """

    def __init__(self, embedder: Embedder, *, remembered: int = 8192):
        self.embedder, self._remembered = embedder, remembered
        self._rows: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """The embedder's."""
        return self.embedder.name

    @cached_property
    def thresholds(self) -> Mapping[str, float]:
        """The embedder's calibrated ones; empty if it has none."""
        known = calibrated(self.embedder.name)
        return {kind: known[kind] for kind in ("text", "prose", "reply") if kind in known}

    def warm(self, texts: Iterable[str]) -> None:
        """Embed those of these texts that are new, in one batch."""
        wanted = dict.fromkeys(texts)
        self._remembered = max(self._remembered, 2 * len(wanted))
        fresh = [text for text in wanted if text not in self._rows]
        if len(self._rows) + len(fresh) > self._remembered:
            self._rows = {text: row for text, row in self._rows.items() if text in wanted}
        if fresh:
            self._rows.update(zip(fresh, self.embedder.embed(fresh), strict=True))

    def __call__(self, expected: str, actual: str) -> float:
        """The cosine; 1 for equal texts, 0 where one of two has nothing to embed."""
        if expected.strip() == actual.strip():
            return 1.0
        one, other = self._rows.get(expected), self._rows.get(actual)
        if one is None or other is None:
            self.warm((expected, actual))
            one, other = self._rows[expected], self._rows[actual]
        return round(min(1.0, max(0.0, float(one.dot(other)))), 5)


def _equal(expected: str, actual: str) -> float:
    return float(expected == actual)


def _always(expected: str, actual: str) -> float:
    return 1.0


def _embedded(name: str) -> Callable[[str], Embedded]:
    return lambda argument: Embedded(embedder(f"{name}:{argument}" if argument else name))


EXACT: Similarity = _Function("exact", _equal)
ONE: Similarity = _Function("one", _always)
LEXICAL = _embedded("lexical")
MINILM = _embedded("minilm")
ENDPOINT = _embedded("endpoint")


def similarity(spec: str) -> Similarity:
    """The similarity that a registered name, or `name:ARGUMENT`, stands for."""
    name, _, argument = spec.partition(":")
    found = registry.find("similarity", name)
    if isinstance(found, type):
        if not argument:
            raise BadSetting(f"the similarity {name!r} needs a file: {name}:FILE")
        return cast("Similarity", found(Path(argument)))
    return cast("Similarity", found(argument) if isinstance(found, FunctionType) else found)


@dataclass(frozen=True)
class TextMatch:
    """A similarity with its thresholds: decides, and says what it decided by. A `reader` settles what rules cannot.

    `spec` is the name that it was made by, if it was.
    """

    similarity: Similarity
    thresholds: Mapping[str, float]
    reader: SecondReader | None = None
    spec: str = ""

    @property
    def strict(self) -> bool:
        """Whether rules decide only what is certain, and leave the rest to the reader."""
        return self.reader is not None and self.reader.strict

    @classmethod
    def of(cls, spec: str, thresholds: Mapping[str, float] | None = None) -> Self:
        """One by name, at the similarity's own thresholds unless others are given."""
        chosen = similarity(spec)
        found = {**chosen.thresholds, **(thresholds or {})}
        calibrated(chosen.name, *{"text", "prose"}.difference(found))
        return cls(chosen, found, spec=spec)

    def alike(self, compare: Literal["text", "prose", "reply"], expected: str, actual: str) -> bool:
        """Whether two texts say the same."""
        if expected == actual:
            return True
        known = self.thresholds if compare in self.thresholds else calibrated(self.similarity.name, compare)
        return self.similarity(expected, actual) >= known[compare]

    def warm(self, texts: Iterable[str]) -> None:
        """Prepare for these texts in one batch, where the similarity can: it changes nothing but the time."""
        if isinstance(self.similarity, Warmable):
            self.similarity.warm(texts)

    def record(self) -> dict[str, object]:
        """What results carry: the similarity's name, the thresholds, and which decisions of others counted."""
        read = {} if self.reader is None else {"decisions": self.reader.record()}
        return {"name": self.similarity.name, "thresholds": dict(self.thresholds), **read}
