"""Pairs of texts in a bank that read alike."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process, utils


def twins(texts: Sequence[str], *, limit: float) -> list[tuple[int, int]]:
    """The pairs of places whose texts are at least so alike, the most alike first."""
    table = process.cdist(texts, texts, scorer=fuzz.token_sort_ratio, processor=utils.default_process)
    pairs = [
        (float(table[one][other]), one, other)
        for one in range(len(texts))
        for other in range(one + 1, len(texts))
        if table[one][other] >= 100 * limit
    ]
    return [(one, other) for _, one, other in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2]))]
