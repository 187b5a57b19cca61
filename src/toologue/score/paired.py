"""How far two runs over the same dialogues differ: paired differences of totals, with 95 % intervals.

A dialogue counts with all its trials, beside itself in the other run; dialogues are resampled in pairs, and totals are
taken of each sample. For shares (hits / of) two dialogues join them, of which one is better after and the other worse,
by as much as those that moved, and the interval is 1.96 standard errors about the mean (with conversations of one trial
that is Bonett and Price 2012). So no interval is empty where few dialogues differ, and four that broke of forty prove
nothing. Of other totals (BLEU, F1) it is the percentile bootstrap.

What is unsure makes the difference a bracket, from all of it being wrong after and right before to the contrary; the
interval holds both ends.

Contract: pure. `before` and `after` have an entry for each dialogue, in the same order.

Example:
    >>> def share(hits: float) -> Counted:
    ...     return Counted({"hits": hits, "of": 1.0})
    >>> found = difference("success", [share(1)] * 40, [share(1)] * 36 + [share(0)] * 4)
    >>> round(found.value, 2), found.verdict
    (-0.1, 'not told apart')
    >>> difference("success", [share(1)] * 40, [share(1)] * 32 + [share(0)] * 8).verdict
    'worse'

Not covered: more than two runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import comb, inf
from typing import TYPE_CHECKING, Literal, NamedTuple

from toologue import keys
from toologue.score.metric import RATIOS, interval, lower_is_better, resampled, value_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROUNDING, _Z = 1e-9, 1.96
Told = Literal["better", "worse", "not told apart"]


class Counted(NamedTuple):
    """What a metric counts in the scored trials of a dialogue, added up, and what that gains if all unsure is right.

    `alike` is the part of the gain that comes of what is the same in the other run: it makes no difference.
    """

    counts: Mapping[str, float]
    unsure: Mapping[str, float] = {}
    alike: Mapping[str, float] = {}


class Difference(NamedTuple):
    """A metric before and after, each from all unsure being wrong to all of it being right, over `of` dialogues.

    `value` and `best` are the ends of the difference, `low` and `high` those of its interval; `moved` counts the
    dialogues in which it is not the same.
    """

    metric: str
    before: tuple[float, float]
    after: tuple[float, float]
    value: float
    best: float
    low: float
    high: float
    of: int
    moved: int

    @property
    def verdict(self) -> Told:
        """Whether it is better after, worse, or not told apart: the interval holds 0."""
        if self.low <= 0 <= self.high:
            return "not told apart"
        return "better" if (self.low > 0) != lower_is_better(self.metric) else "worse"


def difference(metric: str, before: Sequence[Counted], after: Sequence[Counted], *, seed: int = 0) -> Difference | None:
    """The paired difference of a metric; None where one of the totals has no value."""
    import numpy as np

    names = sorted({name for one in (*before, *after) for name in one.counts})
    sides = [_table(side, names) for side in (before, after)]
    ends = [[_value(metric, names, table.sum(axis=0)) for table in side] for side in sides]
    (was, was_best, was_told), (now, now_best, now_told) = ends
    if was is None or was_best is None or was_told is None or now is None or now_best is None or now_told is None:
        return None
    was_counts, now_counts = (np.concatenate(side[:2], axis=1) for side in sides)
    moved = int((was_counts != now_counts).any(axis=1).sum())
    least, most = sorted((now - was_best, now_best - was))
    low, high = _interval(metric, names, sides, seed)
    furthest = 1.0 if max(was, was_told, now, now_told) <= 1 else inf
    told = (
        (was, was_told),
        (now, now_told),
        least,
        most,
        max(min(low, least), -furthest),
        min(max(high, most), furthest),
        len(before),
        moved,
    )
    return Difference(metric, *told)


def mcnemar(broke: int, mended: int) -> float:
    """The exact two-sided p of McNemar's test: how likely so unequal numbers are if both runs are equally good."""
    of = broke + mended
    return min(1.0, 2 * sum(comb(of, less) for less in range(min(broke, mended) + 1)) / 2**of)


def _table(side: Sequence[Counted], names: Sequence[str]) -> list[NDArray[np.float64]]:
    """The counts of dialogues if all unsure is wrong, if what differs of it is right, and if all of it is."""
    import numpy as np

    def table(found: Iterable[Mapping[str, float]]) -> NDArray[np.float64]:
        rows = [[counts.get(name, 0.0) for name in names] for counts in found]
        return np.array(rows, dtype=np.float64).reshape(len(side), len(names))

    worst, gain, alike = (
        table(part) for part in zip(*((one.counts, one.unsure, one.alike) for one in side), strict=True)
    )
    return [worst, worst + gain - alike, worst + gain]


def _value(metric: str, names: Sequence[str], counts: NDArray[np.float64]) -> float | None:
    return value_of(metric, dict(zip(names, counts.tolist(), strict=True)))


def _interval(
    metric: str, names: Sequence[str], sides: Sequence[Sequence[NDArray[np.float64]]], seed: int
) -> tuple[float, float]:
    """The least and the greatest end of the intervals of both ends of the bracket."""
    import numpy as np

    (was, was_best, _), (now, now_best, _) = sides
    open_ends, width, found = any((one != other).any() for one, other, _ in sides), len(names), list[float]()
    for one, other in ((was_best, now), (was, now_best))[: 1 + open_ends]:
        table = np.concatenate([one, other], axis=1)
        if metric in RATIOS or {*names} != {"hits", "of"}:
            drawn = resampled(table, keys.seed_of(seed, metric))
            pairs = ((_value(metric, names, row[:width]), _value(metric, names, row[width:])) for row in drawn)
            ends = interval(b - a for a, b in pairs if a is not None and b is not None)
            found += [end for end in ends if end is not None]
            continue
        joined = np.concatenate([table, _one_up_one_down(table)])
        drawn = np.stack([joined.sum(axis=0), *resampled(joined, keys.seed_of(seed, metric))])
        middle, *shifts = (
            drawn[:, 2] / drawn[:, 3].clip(_ROUNDING) - drawn[:, 0] / drawn[:, 1].clip(_ROUNDING)
        ).tolist()
        half = _Z * float(np.std(shifts))
        found += [middle - half, middle + half]
    return min(found, default=0.0), max(found, default=0.0)


def _one_up_one_down(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two dialogues of average size, the one better after and the other worse by what moved ones are on average.

    Where none moved, by one hit.
    """
    import numpy as np

    (hits, of, hits_after, of_after), size = table.sum(axis=0), len(table)
    share, mean, mean_after = (hits + hits_after) / (of + of_after), of / size, of_after / size
    shifts = (table[:, 2] - share * table[:, 3]) / mean_after - (table[:, 0] - share * table[:, 1]) / mean
    moved = np.abs(shifts[np.abs(shifts) > _ROUNDING])
    step = moved.mean() if len(moved) else 1 / max(mean, mean_after)
    up, down = (np.array([share * mean, mean, share * mean_after, mean_after]) for _ in range(2))
    up[2] += step * mean_after
    down[0] += step * mean
    return np.stack([up, down])
