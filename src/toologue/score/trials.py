"""What trials of the same dialogues tell: pass^k, pass@k, which conversations flicker, how far runs differ by chance.

Of a dialogue with n scored trials, c of them passed, of k trials drawn without replacement

    pass^k   all pass              C(c, k) / C(n, k)            (tau-bench, arXiv 2406.12045)
    pass@k   at least one passes   1 - C(n - c, k) / C(n, k)    (HumanEval, arXiv 2107.03374)

both unbiased, and averaged over the dialogues that have k scored trials. Trials that are unsure make them brackets:
failed at the lower end, passed at the upper one. The 95 % interval is `metric.share_interval` over dialogues, trials
together, as that of the total. The noise floor is how far the shares of passed trials of two runs of the same agent
over these dialogues differ by chance, in 95 of 100 pairs:

    1.96 * sqrt(2 / D * mean of s_i^2 / n_i),   s_i^2 = p_i (1 - p_i) n_i / (n_i - 1)

over D dialogues with two scored trials or more; of both readings of what is unsure, the greater.

Contract: pure; trials without a score are in no figure but `unscored`.

Example:
    >>> found = trials_of([Tried("a", 4, 4), Tried("b", 2, 4)])
    >>> [(one.k, round(one.every.value, 3), round(one.any.value, 3)) for one in found.by_k]
    [(1, 0.75, 0.75), (2, 0.583, 0.917), (3, 0.5, 1.0), (4, 0.5, 1.0)]
    >>> [one.dialogue for one in found.flaky]
    ['b']

Not covered: which trial was which; trials are exchangeable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, sqrt
from typing import Any, NamedTuple

from toologue.schema import Score
from toologue.score.metric import share_interval, verdict_on

_Z = 1.96


class Tried(NamedTuple):
    """The trials of a dialogue: how many passed of how many that have a score, how many of the others are unsure."""

    dialogue: str
    passed: int
    of: int
    unsure: int = 0
    unscored: int = 0

    @property
    def flaky(self) -> bool:
        """Whether it passed in some trials, and failed in others, for sure."""
        return 0 < self.passed < self.of - self.unsure


class Rate(NamedTuple):
    """A share from what is unsure being failed to being passed, and its 95 % interval."""

    value: float
    best: float
    low: float
    high: float


class PassK(NamedTuple):
    """pass^k (`every`) and pass@k (`any`), over `of` dialogues with k scored trials."""

    k: int
    of: int
    every: Rate
    any: Rate


class Trials(NamedTuple):
    """What the trials of a run tell. `noise` is None where no dialogue has two scored trials."""

    by_k: Sequence[PassK]
    flaky: Sequence[Tried]
    noise: float | None
    unscored: int

    def record(self) -> dict[str, Any]:
        """These figures in JSON."""
        by_k = [{"k": k, "dialogues": n, "pass^k": up._asdict(), "pass@k": at._asdict()} for k, n, up, at in self.by_k]
        flaky = [one._asdict() for one in self.flaky]
        return {"passes": by_k, "flaky": flaky, "noise": self.noise, "unscored": self.unscored}


def tried(scores: Iterable[Score]) -> list[Tried]:
    """The trials of each dialogue, of the scores that say whether one passed."""
    found: dict[str, Tried] = {}
    for score in scores:
        one = found.get(score.dialogue) or Tried(score.dialogue, 0, 0)
        if score.value is None:
            found[score.dialogue] = one._replace(unscored=one.unscored + 1)
            continue
        verdict = verdict_on(score)
        passed, unsure = one.passed + (verdict == "right"), one.unsure + (verdict == "unsure")
        found[score.dialogue] = one._replace(passed=passed, of=one.of + 1, unsure=unsure)
    return [*found.values()]


def trials_of(dialogues: Sequence[Tried]) -> Trials:
    """The figures of dialogues that were tried."""
    most = max((one.of for one in dialogues), default=0)
    return Trials(
        [_pass_k([one for one in dialogues if one.of >= k], k) for k in range(1, most + 1)],
        [one for one in dialogues if one.flaky],
        _noise([one for one in dialogues if one.of > 1]),
        sum(one.unscored for one in dialogues),
    )


def _pass_k(dialogues: Sequence[Tried], k: int) -> PassK:
    import numpy as np

    rows: list[list[float]] = []
    for one in dialogues:
        tries, ways = (one.passed, one.passed + one.unsure), comb(one.of, k)
        rows.append([comb(end, k) / ways for end in tries] + [1 - comb(one.of - end, k) / ways for end in tries])
    table = np.array(rows)
    ends = [share_interval(column, np.ones(len(rows))) for column in table.T]
    mean = table.mean(axis=0).tolist()
    every, some = (Rate(mean[at], mean[at + 1], ends[at][0], ends[at + 1][1]) for at in (0, 2))
    return PassK(k, len(rows), every, some)


def _noise(dialogues: Sequence[Tried]) -> float | None:
    if not dialogues:
        return None

    def variance(passed: int, of: int) -> float:
        """Of the share of passed trials of a dialogue: s^2 / n."""
        return passed * (of - passed) / (of * of * (of - 1))

    ends = (sum(variance(one.passed + gain * one.unsure, one.of) for one in dialogues) for gain in (0, 1))
    return _Z * sqrt(2 * max(ends)) / len(dialogues)
