"""What is learnt from training dialogues: turns of the user, what they led to, and how a new turn is judged by them.

    words: and #copy it from <bucket>
    evidence: [kind:bucket, firm, waiting:nothing]
    does: new                          # confirm, revise, abandon, new, or an exception of conversation
    goal: copy-to-backup

Contract: `Bank` is what was learnt, as data. `acts` ranks what a turn may do: every example votes for what was right in
its place, and weighs the more, the closer its evidence is (the state of the conversation, cues, kinds of values) and
its words, by an embedder. The weights are those of a least-squares fit over all examples (kernel ridge regression).
`without` leaves goals out, for honest estimates.

Example:
    >>> chat = Example("nice weather", ("chitchat",), "ChitChat", "chat")
    >>> bank = Bank((Example("can i nest #buckets ?", ("generic",), "FAQ", "faq"), chat))
    >>> bank.acts(("generic",), "is it possible to nest #buckets ?")[0][0], bank.without("faq").acts((), "bye")[0][0]
    ('FAQ', 'ChitChat')

Not covered: dialogues in other worlds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from toologue.data import shipped
from toologue.models.embed import Embedder, embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Bank", "Example", "bank"]

_NARROW, _RIDGE, _WORDS = 0.03, 0.03, 0.3
"""How fast an example's vote fades with distance; how little one may bend the fit; what words weigh beside evidence."""


@dataclass(frozen=True)
class Example:
    """A turn of a training dialogue: tagged words, evidence, what it led to."""

    words: str
    evidence: tuple[str, ...]
    does: str
    goal: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Example:
        """The example that a row of templates.yaml is."""
        return cls(row["words"], tuple(row["evidence"]), row["does"], row["goal"])


@dataclass(frozen=True)
class Bank:
    """Examples, and an embedder to compare words with."""

    examples: tuple[Example, ...]
    spec: str = "lexical"

    def without(self, *goals: str) -> Bank:
        """The bank that never saw these goals."""
        return Bank(tuple(one for one in self.examples if one.goal not in goals), self.spec)

    def acts(self, evidence: Iterable[str], words: str) -> list[tuple[str, float]]:
        """What a turn may do, the likeliest first, each with its score: about 1 is certain."""
        if not self.examples:
            return []
        near = self._near(self._rows([tuple(evidence)]), self._embedder.embed([words]))
        scores = (near @ self._votes)[0] + self._shares
        return sorted(zip(self._labels, map(float, scores), strict=True), key=lambda one: (-one[1], one[0]))

    @cached_property
    def _embedder(self) -> Embedder:
        return embedder(self.spec)

    @cached_property
    def _labels(self) -> list[str]:
        return sorted({one.does for one in self.examples})

    @cached_property
    def _names(self) -> dict[str, int]:
        return {name: n for n, name in enumerate(sorted({name for one in self.examples for name in one.evidence}))}

    @cached_property
    def _places(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Where the examples are: their evidence, their words."""
        evidence = self._rows([one.evidence for one in self.examples])
        return evidence, self._embedder.embed([one.words for one in self.examples])

    @cached_property
    def _right(self) -> NDArray[np.float32]:
        """1 where an example did what a column stands for."""
        import numpy as np

        return np.array([[one.does == label for label in self._labels] for one in self.examples], dtype=np.float32)

    @cached_property
    def _shares(self) -> NDArray[np.float32]:
        return self._right.mean(axis=0)

    @cached_property
    def _votes(self) -> NDArray[np.float32]:
        import numpy as np

        near = self._near(*self._places)
        return np.linalg.solve(near + _RIDGE * np.eye(len(near)), self._right - self._shares)

    def _rows(self, evidence: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        import numpy as np

        rows = np.zeros((len(evidence), len(self._names)), dtype=np.float32)
        for row, names in zip(rows, evidence, strict=True):
            row[[self._names[name] for name in names if name in self._names]] = 1
        return rows

    def _near(self, evidence: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.float32]:
        """How near each example is to each turn."""
        import numpy as np

        far = _distances(evidence, self._places[0]) + _WORDS * _distances(words, self._places[1])
        return np.exp(-_NARROW * far)


def _distances(rows: Any, others: Any) -> Any:
    """The squares of the distances between two lists of vectors."""
    return (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None] - 2 * rows @ others.T


@cache
def bank(spec: str = "lexical") -> Bank:
    """The bank that ships."""
    rows = cast("list[dict[str, Any]]", shipped(Path(__file__).with_name("templates.yaml")))
    return Bank(tuple(Example.of(row) for row in rows), spec)
