"""An index: names, the vectors of what is said of each, and which of them a query is nearest to.

The score of a name is the best cosine of the query with its texts, in [0, 1], to five digits; equal scores stand in the
order of names as given. An embedder whose vectors are sums of what their words weigh (`Additive`, as `lexical` is) is
not asked for the vector of a query: the products of a word with all texts are kept, and queries share most of their
words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, runtime_checkable

from toologue.models.embed import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


_DIGITS = 5  # of a score: what another order of adding does to the seventh changes no order
_KEPT = 384  # words whose products with all texts are kept: a text costs four bytes a word
_ASKED = 8192  # queries whose answers are kept: who verifies asks what a writer asked


class Parts(NamedTuple):
    """What a vector is the sum of: words with factors, and single places; how long the sum is; what comes of it."""

    words: Mapping[str, float]
    places: Sequence[tuple[int, float]]
    length: float
    vector: Floats


@runtime_checkable
class Additive(Embedder, Protocol):
    """An embedder whose vectors are sums over words, brought to length 1."""

    def parts(self, text: str) -> Parts:
        """What the vector of a text is made of; no words and length 0 where it has none."""
        ...

    def word(self, word: str) -> tuple[NDArray[np.int64], Floats]:
        """The places that a word has in vectors, and what it adds there."""
        ...


class Index:
    """Names and the columns of their texts, `counts` of each: those of a name stand side by side."""

    def __init__(self, names: Sequence[str], columns: Floats, counts: Sequence[int], embedder: Embedder):
        import numpy as np

        self.names, self.columns, self.embedder = tuple(names), columns, embedder
        starts = [0, *accumulate(counts)]
        self._starts = np.array(starts[:-1], dtype=np.intp)
        self._own = {name: slice(*at) for name, at in zip(self.names, pairwise(starts), strict=True)}
        self._additive = embedder if isinstance(embedder, Additive) else None
        self._sparse = lru_cache(maxsize=2)(self._embedded)
        if self._additive:
            self._parts = lru_cache(maxsize=2)(self._additive.parts)
        self._products = lru_cache(maxsize=_KEPT)(self._product)
        self._ranked = lru_cache(maxsize=_ASKED)(self._found)

    @classmethod
    def of(cls, texts: Mapping[str, Sequence[str]], embedder: Embedder, *, batch: int = 1024) -> Self:
        """The index of names and what is said of each; so many texts are embedded at once."""
        import numpy as np

        said = [some or [""] for some in texts.values()]
        flat = [*chain.from_iterable(said)]
        columns = np.empty((0, len(flat)), dtype=np.float32)
        for at in range(0, len(flat), batch):
            rows = embedder.embed(flat[at : at + batch])
            if not len(columns):
                columns = np.empty((rows.shape[1], len(flat)), dtype=np.float32)
            columns[:, at : at + batch] = rows.T
        return cls(list(texts), columns, [*map(len, said)], embedder)

    @classmethod
    def open(cls, file: Path, names: Sequence[str], embedder: Embedder) -> Self:
        """The index that was saved: its names, in their order, and the embedder that it was made with."""
        import numpy as np

        with file.open("rb") as stream:
            counts = np.load(stream, allow_pickle=False).tolist()
            np.lib.format.read_magic(stream)
            shape, _, kind = np.lib.format.read_array_header_1_0(stream)
            columns = np.memmap(stream, kind, "r", stream.tell(), shape)
        return cls(names, columns.view(np.ndarray), counts, embedder)

    def save(self, file: Path, names: Sequence[str]) -> None:
        """Write the vectors of some names, without the names."""
        import numpy as np

        own = [range(self.columns.shape[1])[self._own[name]] for name in names]
        places = [*chain.from_iterable(own)]
        shape = (len(self.columns), len(places))
        with file.open("wb") as stream:  # row by row: a copy of all would be as large as they are
            np.save(stream, np.array([*map(len, own)], dtype=np.intp))
            header = {"descr": self.columns.dtype.str, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(stream, header)
            stream.writelines(row[places].tobytes() for row in self.columns)

    def rank(self, query: str, k: int) -> list[tuple[str, float]]:
        """The k nearest names, best first, with their scores."""
        return [*self._ranked(query, k)]

    def rank_all(self, queries: Sequence[str], k: int) -> list[list[tuple[str, float]]]:
        """`rank` of many queries, which are embedded in one batch."""
        if not self.names or not queries:
            return [[] for _ in queries]
        if self._additive:
            return [self._nearest(self._summed(query), k) for query in queries]
        return [self._nearest(row @ self.columns, k) for row in self.embedder.embed(queries)]

    def score(self, name: str, query: str) -> float:
        """The score of one name, without a look at the others."""
        places, values = self._sparse(query)
        cosines = _weighed(values, self.columns[:, self._own[name]][places])
        return round(float(cosines.clip(0, 1).max()), _DIGITS)

    def _found(self, query: str, k: int) -> tuple[tuple[str, float], ...]:
        return tuple(self.rank_all([query], k)[0])

    def _embedded(self, query: str) -> tuple[NDArray[np.intp], Floats]:
        """Where the vector of a query is not 0, and what it is there."""
        row = self._parts(query).vector if self._additive else self.embedder.embed([query])[0]
        (places,) = row.nonzero()
        return places, row[places]

    def _nearest(self, cosines: Floats, k: int) -> list[tuple[str, float]]:
        import numpy as np

        scores = np.maximum.reduceat(cosines, self._starts).clip(0, 1).round(_DIGITS)
        least = -np.partition(-scores, k - 1)[k - 1] if 0 < k < len(scores) else 0
        (places,) = (scores >= least).nonzero()
        best = places[np.argsort(-scores[places], kind="stable")][:k]
        return [(self.names[int(at)], round(float(scores[at]), _DIGITS)) for at in best]

    def _summed(self, query: str) -> Floats:
        """The cosine of a query with each column, word by word."""
        import numpy as np

        parts = self._parts(query)
        summed = np.zeros(self.columns.shape[1], dtype=np.float32)
        for word, factor in parts.words.items():
            summed += self._products(word) if factor == 1 else np.float32(factor) * self._products(word)
        for place, value in parts.places:
            summed += np.float32(value) * self.columns[place]
        return summed / np.float32(parts.length or 1)

    def _product(self, word: str) -> Floats:
        assert self._additive
        places, values = self._additive.word(word)
        return _weighed(values, self.columns[places])


def _weighed(values: Floats, rows: Floats) -> Floats:
    """The sum of rows times values, added one after another: BLAS adds in an order that the processor decides."""
    return (values[:, None] * rows).sum(axis=0)
