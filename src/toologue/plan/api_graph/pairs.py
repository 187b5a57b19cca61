"""Pairs of an output and a parameter on their way through the tests, as arrays of numbers.

Contract: `first_test` compares each two phrases once, however many entities have them, and gives the pairs of entities
of different Apis, by parameter, then by output. `cosines` embeds each text of those pairs once. Neither holds more than
a block, and what passed.

Example:
    >>> from toologue.models.lexical import Lexical
    >>> pairs = Pairs(np.array([0, 1]), np.array([0, 0]), ())
    >>> cosines(pairs, ["a team", "a player"].__getitem__, ["a team"].__getitem__, Lexical()).round(2).tolist()
    [1.0, 0.01]

Not covered: nearest neighbours found without looking at all; the first test is exact, and quick enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toologue.errors import BadSetting, shown
from toologue.models.embed import Embedder
from toologue.plan.api_graph.phrases import alike
from toologue.plan.api_graph.rules import RulesName
from toologue.plan.api_graph.sides import Crowds, Entities, crowds

_ROWS, _TEXTS = 1024, 4096  # at once: pairs whose vectors are multiplied, texts that are embedded

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]


class Pairs(NamedTuple):
    """The numbers of an output and a parameter each, and the similarities known so far."""

    row: Ints
    column: Ints
    scores: tuple[Floats, ...]

    def taken(self, which: NDArray[Any], *more: Floats) -> Pairs:
        """Some of them, in this order, with more similarities."""
        return Pairs(self.row[which], self.column[which], tuple(score[which] for score in (*self.scores, *more)))

    def numbers(self) -> Iterator[tuple[int, int]]:
        """The pairs as plain numbers."""
        yield from zip(map(int, self.row), map(int, self.column), strict=True)


def first_test(
    rows: Entities,
    columns: Entities,
    threshold: float,
    *,
    rules: RulesName,
    most: int,
    workers: int = 1,
    progress: Progress = lambda done, of: None,
) -> Pairs:
    """The pairs whose phrases are alike. Raises BadSetting where there are more than `most`."""
    above, below = crowds(rows, rules), crowds(columns, rules)
    owners, others = np.array(rows.owners, dtype=np.int64), np.array(columns.owners, dtype=np.int64)
    found, total = [Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), (np.zeros(0),))], 0
    for block in alike(above.phrases, below.phrases, threshold, workers=workers, progress=progress):
        many = above.sizes[block[:, 0]] * below.sizes[block[:, 1]]
        total += int(many.sum())
        if total > most:
            worst = block[int(many.argmax())]
            raise _too_many(total, most, rows.entities[above.members[above.starts[worst[0]]]].phrase, int(many.max()))
        pairs = _of_entities(block, above, below)
        found.append(pairs.taken(owners[pairs.row] != others[pairs.column]))
    row, column, score = (
        np.concatenate(parts) for parts in zip(*((one.row, one.column, *one.scores) for one in found), strict=True)
    )
    return Pairs(row, column, (score,)).taken(np.lexsort((row, column)))


def cosines(pairs: Pairs, text: Callable[[int], str], other: Callable[[int], str], embedder: Embedder) -> Floats:
    """How alike the texts of each pair are, by the numbers of its entities."""
    place = dict[str, int]()
    one, two = (_placed(side, of, place) for of, side in ((text, pairs.row), (other, pairs.column)))
    vectors = _vectors(list(place), embedder)
    found = np.zeros(len(pairs.row))
    for start in range(0, len(found), _ROWS):
        part = slice(start, start + _ROWS)
        found[part] = np.einsum("ij,ij->i", vectors[one[part]], vectors[two[part]])
    return found


def _placed(side: Ints, text: Callable[[int], str], place: dict[str, int]) -> Ints:
    """The place of each one's text; new texts get the next one."""
    entities, which = np.unique(side, return_inverse=True)
    return np.array([place.setdefault(text(at), len(place)) for at in map(int, entities)], dtype=np.int64)[which]


def _of_entities(block: NDArray[np.int32], above: Crowds, below: Crowds) -> Pairs:
    """The pairs of entities that have the phrases of a block."""
    row, column, common = block.T.astype(np.int64)
    many, wide = above.sizes[row] * below.sizes[column], below.sizes[column]
    lengths = [
        np.array([len(phrases[at]) for at in side]) for phrases, side in ((above.phrases, row), (below.phrases, column))
    ]
    score = common / ((lengths[0] + lengths[1]) / 2) if len(row) else np.zeros(0)
    which = np.repeat(np.arange(len(row)), many)
    at = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
    wide = wide[which]
    return Pairs(
        above.members[above.starts[row][which] + at // wide],
        below.members[below.starts[column][which] + at % wide],
        (score[which],),
    )


def _vectors(texts: Sequence[str], embedder: Embedder) -> NDArray[np.float32]:
    """A row a text, embedded in parts, so that they are not in memory twice."""
    parts: Iterator[NDArray[np.float32]] = (
        embedder.embed(texts[start : start + _TEXTS]) for start in range(0, max(len(texts), 1), _TEXTS)
    )
    first = next(parts)
    if len(texts) <= _TEXTS:
        return first
    vectors = np.empty((len(texts), first.shape[1]), dtype=np.float32)
    vectors[:_TEXTS] = first
    for number, part in enumerate(parts, 1):
        vectors[number * _TEXTS : number * _TEXTS + len(part)] = part
    return vectors


def _too_many(total: int, most: int, phrase: str, times: int) -> BadSetting:
    what = f"more than {most:,} pairs of an output and a parameter have phrases that are alike: {total:,} so far"
    why = f"{times:,} of them by {shown(phrase)} alone"
    return BadSetting(f"{what}, {why}; describe entities apart, raise --lcs, or allow more with --most")
