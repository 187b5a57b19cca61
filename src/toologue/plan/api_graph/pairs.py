"""Pairs of an output and a parameter on their way through the tests of an edge, as arrays of numbers.

The first test is the longest common subsequence of two phrases over their mean length: phrases are unique and sorted by
length, and only blocks are compared whose lengths are at least t / (2 - t) to each other. The others are cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

from toologue.errors import BadSetting, shown
from toologue.models.embed import Embedder
from toologue.parallel import chunks, unordered
from toologue.plan.api_graph.rules import Entities, PhraseGroups, RulesName, group_by_phrase

SIZE = 2048
_INLINE = 8  # so few blocks are done before processes have started
_ROWS, _TEXTS, _CHUNK = 1024, 4096, 96  # at once: vectors multiplied, texts embedded, texts of a process

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]


class Block(NamedTuple):
    """Phrases against phrases, each sorted by length; where both begin among all."""

    rows: Sequence[str]
    columns: Sequence[str]
    threshold: float
    first_row: int = 0
    first_column: int = 0


class Pairs(NamedTuple):
    """The numbers of an output and a parameter each, and the similarities known so far."""

    row: Ints
    column: Ints
    scores: tuple[Floats, ...]

    def select(self, which: NDArray[Any], *more: Floats) -> Pairs:
        """Some of them, in this order, with more similarities."""
        return Pairs(self.row[which], self.column[which], tuple(score[which] for score in (*self.scores, *more)))


def similarity(one: str, other: str) -> float:
    """The length of what two phrases have in common over their mean length, in [0, 1]."""
    return LCSseq.similarity(one, other) / ((len(one) + len(other)) / 2) if one or other else 0.0


def compare_block(block: Block) -> NDArray[np.int32]:
    """(n, 3): row, column, and the length of what is common, of each pair above the threshold."""
    long, wide = (np.array([len(text) for text in texts]) for texts in (block.rows, block.columns))
    least = int(block.threshold * (long[0] + wide[0]) / 2)  # what is below counts as 0: most pairs stop early
    common = cdist(block.rows, block.columns, scorer=LCSseq.similarity, score_cutoff=least, dtype=np.int16)
    row, column = np.nonzero(common)
    length = common[row, column]
    above = length / ((long[row] + wide[column]) / 2) > block.threshold
    places = (row[above] + block.first_row, column[above] + block.first_column, length[above])
    return np.stack(places, axis=1).astype(np.int32)


def blocks(rows: Sequence[str], columns: Sequence[str], threshold: float, size: int = SIZE) -> Iterator[Block]:
    """Every block in which a pair can be above the threshold. Rows and columns are sorted by length."""
    nearest = threshold / (2 - threshold)
    for top in range(0, len(rows), size):
        some = rows[top : top + size]
        for left in range(0, len(columns), size):
            others = columns[left : left + size]
            if len(some[-1]) >= nearest * len(others[0]) and len(others[-1]) >= nearest * len(some[0]):
                yield Block(some, others, threshold, top, left)


def similar_phrases(
    rows: Sequence[str],
    columns: Sequence[str],
    threshold: float,
    *,
    workers: int = 1,
    progress: Progress = lambda done, of: None,
) -> Iterator[NDArray[np.int32]]:
    """What `compare_block` gives of every block; together exactly the pairs above the threshold, in no order."""
    of = sum(1 for _ in blocks(rows, columns, threshold))
    executor = "processes" if workers > 1 and of > _INLINE else "inline"
    compared = unordered(compare_block, blocks(rows, columns, threshold), executor=executor, workers=workers)
    for done, pairs in enumerate(compared, 1):
        yield pairs
        progress(done, of)


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
    """The pairs of entities of different Apis whose phrases are alike, by parameter, then by output.

    Each two phrases are compared once, however many entities have them. Raises BadSetting where there are more than
    `most` pairs.
    """
    above, below = group_by_phrase(rows, rules), group_by_phrase(columns, rules)
    owners, others = np.array(rows.owners, dtype=np.int64), np.array(columns.owners, dtype=np.int64)
    parts, total = [Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), (np.zeros(0),))], 0
    for block in similar_phrases(above.phrases, below.phrases, threshold, workers=workers, progress=progress):
        many = above.sizes[block[:, 0]] * below.sizes[block[:, 1]]
        total += int(many.sum())
        if total > most:
            worst = block[int(many.argmax())]
            phrase = rows.entities[above.members[above.starts[worst[0]]]].phrase
            raise BadSetting(
                f"more than {most:,} pairs of an output and a parameter have phrases that are alike: {total:,} so far,"
                f" {int(many.max()):,} of them by {shown(phrase)} alone; describe entities apart, raise --lcs, or allow"
                " more with --most"
            )
        pairs = _entity_pairs(block, above, below)
        parts.append(pairs.select(owners[pairs.row] != others[pairs.column]))
    columns_of = zip(*((part.row, part.column, *part.scores) for part in parts), strict=True)
    row, column, score = map(np.concatenate, columns_of)
    return Pairs(row, column, (score,)).select(np.lexsort((row, column)))


def cosines(pairs: Pairs, text: Callable[[int], str], other: Callable[[int], str], embedder: Embedder) -> Floats:
    """How alike the texts of each pair are, by the numbers of its entities; each text is embedded once."""
    place = dict[str, int]()
    one, two = (_text_places(side, of, place) for of, side in ((text, pairs.row), (other, pairs.column)))
    vectors = _vectors(list(place), embedder)
    cosine = np.zeros(len(pairs.row))
    for start in range(0, len(cosine), _ROWS):
        part = slice(start, start + _ROWS)
        cosine[part] = np.einsum("ij,ij->i", vectors[one[part]], vectors[two[part]])
    return cosine


class ParallelEmbedder:
    """An embedder that uses all cores: texts in chunks of like length, each embedded by one process.

    The vectors are the same at any number of workers, since chunks do not depend on it. Not for embedders that wait for
    a server.
    """

    def __init__(self, embedder: Embedder, workers: int = 1, progress: Progress = lambda done, of: None):
        self.embedder, self._workers, self._progress = embedder, workers, progress

    @property
    def name(self) -> str:
        """The name of the embedder: where it runs changes nothing."""
        return self.embedder.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The embedder's vectors."""
        order = sorted(range(len(texts)), key=lambda at: (-len(texts[at]), texts[at]))  # the longest first: no tail
        places = list(chunks(order, _CHUNK))
        if not places:
            return self.embedder.embed(texts)
        executor = "processes" if self._workers > 1 and len(places) > self._workers else "inline"
        work = ((number, [texts[at] for at in some]) for number, some in enumerate(places))
        vectors, done = np.zeros((0, 0), dtype=np.float32), 0
        embedded = unordered(partial(_embed_chunk, self.embedder), work, executor=executor, workers=self._workers)
        for number, rows in embedded:
            if not vectors.size:
                vectors = np.empty((len(texts), rows.shape[1]), dtype=np.float32)
            vectors[places[number]] = rows
            done += len(rows)
            self._progress(done, len(texts))
        return vectors


def _embed_chunk(embedder: Embedder, work: tuple[int, Sequence[str]]) -> tuple[int, NDArray[np.float32]]:
    number, texts = work
    return number, embedder.embed(texts)


def _text_places(side: Ints, text: Callable[[int], str], place: dict[str, int]) -> Ints:
    entities, which = np.unique(side, return_inverse=True)
    return np.array([place.setdefault(text(at), len(place)) for at in map(int, entities)], dtype=np.int64)[which]


def _entity_pairs(block: NDArray[np.int32], above: PhraseGroups, below: PhraseGroups) -> Pairs:
    row, column, common = block.T.astype(np.int64)
    many, wide = above.sizes[row] * below.sizes[column], below.sizes[column]
    long, other = (
        np.array([len(phrases[at]) for at in side]) for phrases, side in ((above.phrases, row), (below.phrases, column))
    )
    score = common / ((long + other) / 2) if len(row) else np.zeros(0)
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
    if len(texts) <= _TEXTS:
        return embedder.embed(texts)
    first = embedder.embed(texts[:_TEXTS])
    vectors = np.empty((len(texts), first.shape[1]), dtype=np.float32)
    vectors[:_TEXTS] = first
    for start in range(_TEXTS, len(texts), _TEXTS):
        vectors[start : start + _TEXTS] = embedder.embed(texts[start : start + _TEXTS])
    return vectors
