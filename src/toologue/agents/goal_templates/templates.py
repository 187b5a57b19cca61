"""What is learnt from training dialogues: utterances with what they led to, generalised over their values.

    words: how many <ending> files are there in <bucket>?
    goal: count-csv
    raises: FAQ                        # an exception of conversation; or
    code: |                            # a program, a slot for every value
      ...

Contract: `Bank` is what was learnt, as data. Examples are found by the similarity of their words, with values masked.
`without` leaves goals out, for honest estimates.

Example:
    >>> chat = Example("nice weather", "chat", raises="ChitChat")
    >>> bank = Bank((Example("can i nest buckets?", "faq", raises="FAQ"), chat))
    >>> bank.exception("is it possible to nest buckets?")[0], bank.without("faq").exception("can i nest buckets?")[0]
    ('FAQ', 'ChitChat')
    >>> total = Example("add up <bucket>", "sum", code="return total(Bucket=<bucket>)", status="final")
    >>> Bank((total,)).program("add up <bucket> please", {"bucket": ["the-attic"]})[0]
    'return total(Bucket="the-attic")'

Not covered: dialogues in other worlds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
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


_SLOT = re.compile(r"<(bucket|key|prefix|ending|region|quote|date|number)>")


@dataclass(frozen=True)
class Example:
    """An utterance of the training dialogues, masked, and what it led to."""

    words: str
    goal: str
    raises: str = ""
    code: str = ""
    status: str = ""


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
        found = self.nearest(mask)
        return (found[0][1].raises, found[0][0]) if found else ("", 0.0)

    def program(self, mask: str, values: Mapping[str, Sequence[str]]) -> tuple[str, float]:
        """(the program of the nearest example, how near it is), its slots filled; "" where they cannot be."""
        for score, one in self.nearest(mask):
            slots = set(_SLOT.findall(one.code))
            if one.code and "?" not in one.code and all(len(values.get(kind, ())) == 1 for kind in slots):
                return _SLOT.sub(lambda slot: json.dumps(values[slot[1]][0], ensure_ascii=False), one.code), score
        return "", 0.0

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
