"""How far two who decided the same things agree: the share, Cohen's kappa, its interval; when a judge counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from toologue import keys
from toologue.score.metric import interval

# From here on a judge's word counts: so many decisions of people, and so much agreement at the lower end (95 %).
ENOUGH, AGREES = 50, 0.6
_RESAMPLES = 2000


class Agreement(NamedTuple):
    """`n` things that both decided, the share on which they agree, kappa and its 95 % bootstrap interval.

    Kappa is None where it is not defined: nothing in common, or both always say the same one thing.
    """

    n: int
    share: float | None
    kappa: float | None
    low: float | None
    high: float | None

    @property
    def gates(self) -> bool:
        """Whether one of them may decide in place of the other."""
        return self.n >= ENOUGH and self.low is not None and self.low >= AGREES


def agreement(pairs: Sequence[tuple[Hashable, Hashable]]) -> Agreement:
    """The agreement of pairs of verdicts, one of each rater."""
    if not pairs:
        return Agreement(0, None, None, None, None)
    share = sum(one == other for one, other in pairs) / len(pairs)
    low, high = _interval(pairs)
    return Agreement(len(pairs), share, kappa(Counter(pairs)), low, high)


def ends(low: float | None, high: float | None) -> str | None:
    """An interval as a cell of a table."""
    return None if low is None or high is None else f"{low:.2f} to {high:.2f}"


def agreement_cells(found: Agreement) -> tuple[int, float | None, str | None, str | None]:
    """An agreement as cells of a table."""
    return found.n, found.share, None if found.kappa is None else f"{found.kappa:.2f}", ends(found.low, found.high)


def agreement_words(found: Agreement) -> str:
    """An agreement on one line."""
    share = "–" if found.share is None else f"{found.share:.1%}"
    if found.kappa is None or found.low is None or found.high is None:
        return f"n {found.n}, agree {share}, kappa not defined"
    return f"n {found.n}, agree {share}, kappa {found.kappa:.2f} ({found.low:.2f} to {found.high:.2f})"


def kappa(counts: Counter[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa of a table of counts; None where chance alone would agree always."""
    of = counts.total()
    rows, columns = Counter[Hashable](), Counter[Hashable]()
    for (one, other), times in counts.items():
        rows[one] += times
        columns[other] += times
    chance = sum(rows[name] * columns[name] for name in rows) / of**2
    seen = sum(times for (one, other), times in counts.items() if one == other) / of
    return None if chance == 1 else (seen - chance) / (1 - chance)


def _interval(pairs: Sequence[tuple[Hashable, Hashable]]) -> tuple[float | None, float | None]:
    """The percentile bootstrap over the things that were decided. A draw without a kappa counts as no agreement."""
    import numpy as np

    random = np.random.default_rng(keys.seed_of(0, "kappa"))
    kinds = Counter(pairs)
    names, often = list(kinds), np.array(list(kinds.values())) / len(pairs)
    draws = random.multinomial(len(pairs), often, size=_RESAMPLES).tolist()
    if kappa(kinds) is None:
        return None, None
    return interval(kappa(Counter(dict(zip(names, draw, strict=True)))) or 0.0 for draw in draws)
