"""An embedder that uses all cores: texts in chunks of like length, each embedded by one process on one core.

Contract: the same vectors at any number of workers, since chunks do not depend on it. Under its own name no embedder
changes: `name` is that of the one inside, which must travel between processes.

Example:
    >>> from toologue.models.lexical import Lexical
    >>> bool((Spread(Lexical()).embed(["b a", "a"]) == Lexical().embed(["b a", "a"])).all())
    True

Not covered: embedders that wait for a server; more processes make none of them faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from toologue.models.embed import Embedder
from toologue.parallel import chunks, unordered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNK = 96


class Spread:
    """An embedder, spread over processes where there is more than one chunk for each."""

    def __init__(
        self, embedder: Embedder, workers: int = 1, progress: Callable[[int, int], None] = lambda done, of: None
    ):
        self.embedder, self._workers, self._progress = embedder, workers, progress

    @property
    def name(self) -> str:
        """The name of the embedder: where it runs changes nothing."""
        return self.embedder.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The embedder's vectors."""
        import numpy as np

        order = sorted(range(len(texts)), key=lambda at: (-len(texts[at]), texts[at]))  # the longest first: no tail
        places = list(chunks(order, _CHUNK))
        if not places:
            return self.embedder.embed(texts)
        executor = "processes" if self._workers > 1 and len(places) > self._workers else "inline"
        work = ((number, [texts[at] for at in some]) for number, some in enumerate(places))
        vectors, done = np.zeros((0, 0), dtype=np.float32), 0
        embedded = unordered(partial(_embedded, self.embedder), work, executor=executor, workers=self._workers)
        for number, rows in embedded:
            if not vectors.size:
                vectors = np.empty((len(texts), rows.shape[1]), dtype=np.float32)
            vectors[places[number]] = rows
            done += len(rows)
            self._progress(done, len(texts))
        return vectors


def _embedded(embedder: Embedder, work: tuple[int, Sequence[str]]) -> tuple[int, NDArray[np.float32]]:
    number, texts = work
    return number, embedder.embed(texts)
