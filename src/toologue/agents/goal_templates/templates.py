"""What is learnt from training dialogues: utterances with what they led to, generalised over their values.

    words: is there a limit to the number of files one can keep in a bucket?
    goal: bucket-size
    raises: FAQ                        # an exception of conversation; "" for a program

Contract: `Bank` is what was learnt, as data. Examples are found by the similarity of their words, with values masked.
`without` leaves goals out, for honest estimates.

Example:
    >>> chat = Example("nice weather", "chat", raises="ChitChat")
    >>> bank = Bank((Example("can i nest buckets?", "faq", raises="FAQ"), chat))
    >>> bank.exception("is it possible to nest buckets?")[0], bank.without("faq").exception("can i nest buckets?")[0]
    ('FAQ', 'ChitChat')

Not covered: dialogues in other worlds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from toologue.models.embed import Embedder, embedder
from toologue.shipped import shipped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Bank", "Example", "bank"]


_LONG = 400
"""Longer than any example: like none."""


@dataclass(frozen=True)
class Example:
    """An utterance of the training dialogues, masked, and what it led to."""

    words: str
    goal: str
    raises: str = ""


@dataclass(frozen=True)
class Bank:
    """Examples, and an embedder to find them with."""

    examples: tuple[Example, ...]
    spec: str = "lexical"

    def without(self, *goals: str) -> Bank:
        """The bank that never saw these goals."""
        return Bank(tuple(one for one in self.examples if one.goal not in goals), self.spec)

    def nearest(self, mask: str) -> Sequence[tuple[float, Example]]:
        """The examples, the most similar first."""
        if not self.examples:
            return []
        scores = self._vectors @ self._embedder.embed([mask])[0]
        ranked = sorted(range(len(self.examples)), key=lambda n: (-float(scores[n]), n))
        return [(float(scores[n]), self.examples[n]) for n in ranked[:5]]

    def exception(self, mask: str) -> tuple[str, float]:
        """(the exception that the nearest example raised, how near it is); "" where it raised none."""
        found = self.nearest(mask) if len(mask) < _LONG else ()
        return (found[0][1].raises, found[0][0]) if found else ("", 0.0)

    @cached_property
    def _embedder(self) -> Embedder:
        return embedder(self.spec)

    @cached_property
    def _vectors(self) -> NDArray[np.float32]:
        return self._embedder.embed([one.words for one in self.examples])


@cache
def bank(spec: str = "lexical") -> Bank:
    """The bank that ships."""
    file = Path(__file__).with_name("templates.yaml")
    rows = cast("list[dict[str, str]]", shipped(file))
    return Bank(tuple(Example(**row) for row in rows), spec)
