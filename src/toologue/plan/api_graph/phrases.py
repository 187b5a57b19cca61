"""The first test of an edge: the longest common subsequence of two phrases, of all pairs of phrases at once.

    similarity = length of the longest common subsequence / mean length of the two

Phrases are unique and sorted by length, and cut into blocks. What is common is no longer than the shorter phrase, so
that only blocks with lengths of at least t / (2 - t) to each other are compared at all. A block is a pure function of
its texts and the threshold: it can run in another process or on another machine.

Contract: `alike` yields exactly the pairs whose similarity is strictly above the threshold, in no order; memory is that
of one block a worker. No phrase is empty.

Example:
    >>> compared(Block(("teamid",), ("teams", "idofteam"), 0.5)).tolist()
    [[0, 0, 4], [0, 1, 4]]
    >>> similarity("teamid", "teamids")
    0.9230769230769231

Not covered: which words the letters are; "players of a team" and "teams of a player" are near each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toologue.parallel import unordered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIZE = 2048
_AT_ONCE = 8  # so few blocks are done before processes have started


class Block(NamedTuple):
    """Phrases against phrases, each sorted by length; where both begin among all."""

    rows: Sequence[str]
    columns: Sequence[str]
    threshold: float
    first_row: int = 0
    first_column: int = 0


def similarity(one: str, other: str) -> float:
    """Of two phrases, in [0, 1]."""
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(one, other) / ((len(one) + len(other)) / 2) if one or other else 0.0


def compared(block: Block) -> NDArray[np.int32]:
    """(n, 3): row, column, and the length of what is common, of each pair above the threshold."""
    import numpy as np
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cdist

    long, wide = (np.array([len(text) for text in texts]) for texts in (block.rows, block.columns))
    least = int(block.threshold * (long[0] + wide[0]) / 2)  # what is below counts as 0: most pairs stop early
    common = cdist(block.rows, block.columns, scorer=LCSseq.similarity, score_cutoff=least, dtype=np.int16)
    row, column = np.nonzero(common)
    found = common[row, column]
    above = found / ((long[row] + wide[column]) / 2) > block.threshold
    places = (row[above] + block.first_row, column[above] + block.first_column, found[above])
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


def alike(
    rows: Sequence[str],
    columns: Sequence[str],
    threshold: float,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Iterator[NDArray[np.int32]]:
    """What `compared` gives of every block."""
    of = sum(1 for _ in blocks(rows, columns, threshold))
    executor = "processes" if workers > 1 and of > _AT_ONCE else "inline"
    found = unordered(compared, blocks(rows, columns, threshold), executor=executor, workers=workers)
    for done, pairs in enumerate(found, 1):
        yield pairs
        progress(done, of)
