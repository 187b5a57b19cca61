"""How often 95 % intervals hold the truth: pass^k, pass@k, paired differences, the noise floor, over made-up agents.

    python -m bench.coverage_intervals [--runs 1000]

An agent is a law from which each dialogue's chance to pass is drawn. `found` is how often the later of two agents, of
which it is worse by 0.1 or the same, is told apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from toologue.score.paired import Counted, difference
from toologue.score.trials import Tried, trials_of

Chances = Callable[[np.random.Generator, int], NDArray[np.float64]]
AGENTS: dict[str, Chances] = {
    "each passes 8 of 10": lambda random, size: np.full(size, 0.8),
    "half always, half now and then": lambda random, size: random.choice([0.98, 0.5], p=[0.5, 0.5], size=size),
    "mostly always, some never": lambda random, size: random.choice([0.02, 0.7, 0.98], p=[0.15, 0.25, 0.6], size=size),
    "nearly always": lambda random, size: random.choice([0.1, 0.99], p=[0.05, 0.95], size=size),
}
SIZES, TRIALS = (10, 20, 50, 100), ((1, 1), (4, 1), (4, 4))
_MANY = 1_000_000


def pass_k(chances: Chances, size: int, trials: int, k: int, runs: int) -> tuple[float, float]:
    """The shares of runs whose intervals of pass^k and pass@k hold the truth."""
    random = np.random.default_rng([size, trials, k])
    law = chances(random, _MANY)
    truths = (law**k).mean(), 1 - ((1 - law) ** k).mean()
    held = np.zeros(2)
    for _ in range(runs):
        passed = random.binomial(trials, chances(random, size)).tolist()
        tried = [Tried(str(name), count, trials) for name, count in enumerate(passed)]
        one = trials_of(tried).by_k[k - 1]
        held += [
            rate.low <= truth + 1e-4 and truth - 1e-4 <= rate.high
            for rate, truth in zip((one.every, one.any), truths, strict=True)
        ]
    return held[0] / runs, held[1] / runs


def paired(chances: Chances, size: int, trials: int, worse: float, runs: int) -> tuple[float, float]:
    """The shares of pairs of runs whose interval holds the true difference, and that are told apart."""
    random = np.random.default_rng([size, trials])
    truth, held, told = _shift(chances(random, _MANY), worse)[1].mean(), 0, 0
    for seed in range(runs):
        before, shift = _shift(chances(random, size), worse)
        sides = (random.binomial(trials, chance).tolist() for chance in (before, before + shift))
        counted = ([Counted({"hits": float(hits), "of": float(trials)}) for hits in side] for side in sides)
        found = difference("success", *counted, seed=seed)
        assert found is not None
        held += found.low <= truth + 1e-4 and truth - 1e-4 <= found.high
        told += found.verdict != "not told apart"
    return held / runs, told / runs


def _shift(before: NDArray[np.float64], worse: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(chances before, how they change)."""
    return before, np.maximum(before - worse, 0) - before


def main() -> None:
    """Print a line for each agent, size and number of trials."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("agent | dialogues | trials | k | pass^k | pass@k | same: held | found | worse: held | found")
    for (name, chances), size, (trials, k) in product(AGENTS.items(), SIZES, TRIALS):
        cells = [*pass_k(chances, size, trials, k, runs)]
        cells += [*paired(chances, size, trials, 0, runs), *paired(chances, size, trials, 0.1, runs)] if k == 1 else []
        print(" | ".join([name, str(size), str(trials), str(k), *(f"{cell:.3f}" for cell in cells)]), flush=True)


if __name__ == "__main__":
    main()
