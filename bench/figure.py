"""Figures: CPU seconds of ours and of a plain alternative, taken in turns, and the verdict on their ratio.

CPU time, never wall time; the best of several; a ratio within one run. So a busy machine moves both sides alike, and
only the ratio is a gate: it may be at most `SLACK` times the one that `ratios.json` states. Absolute aims are printed.

Not covered: what waits for a disk or a network. Nothing here does.
"""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SLACK = 1.5
RATIOS = Path(__file__).parent / "ratios.json"


@dataclass(frozen=True)
class Figure:
    """One hot path: what it costs, what the plain alternative costs, and the most it should cost, all in `unit`."""

    path: str
    measured: float
    plain: float
    unit: str
    aim: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times the plain alternative's cost; less is better."""
        return self.measured / self.plain

    @property
    def on_aim(self) -> bool | None:
        """Whether the absolute aim is met; None where there is none."""
        return None if self.aim is None else self.measured <= self.aim


def stated_ratios(file: Path = RATIOS) -> dict[str, float]:
    """The ratio that is stated for each path."""
    return {path: entry["ratio"] for path, entry in json.loads(file.read_bytes()).items()}


def worse(figures: Sequence[Figure], stated: Mapping[str, float]) -> list[Figure]:
    """The figures whose ratio is worse than stated, by more than the slack. A path that nobody stated is a KeyError."""
    return [figure for figure in figures if figure.ratio > SLACK * stated[figure.path]]


def in_turns(
    ours: Callable[[], object], plain: Callable[[], object], *, repeat: int = 5, count: int = 1
) -> tuple[float, float]:
    """CPU milliseconds of each, per one of `count`: the best of `repeat`, taken in turns."""
    best = [float("inf"), float("inf")]
    for _ in range(repeat):
        for side, work in enumerate((ours, plain)):
            gc.collect()
            start = time.process_time()
            work()
            best[side] = min(best[side], time.process_time() - start)
    return best[0] * 1e3 / count, best[1] * 1e3 / count


def of_children(*commands: Sequence[str], repeat: int = 5) -> list[float]:
    """CPU seconds of each command in a fresh process: the best of `repeat`, taken in turns."""
    best = [float("inf")] * len(commands)
    for _ in range(repeat):
        for number, command in enumerate(commands):
            best[number] = min(best[number], _of_child(command))
    return best


def yardstick(repeat: int = 200) -> float:
    """CPU microseconds that this machine, as busy as it is now, takes for a fixed piece of work."""
    numbers = list(range(400))
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        json.loads(json.dumps(numbers))
        best = min(best, time.process_time() - start)
    return best * 1e6


def as_json(figures: Sequence[Figure], stated: Mapping[str, float]) -> list[dict[str, Any]]:
    """The figures as a program would read them."""
    failed = worse(figures, stated)
    return [
        {**vars(figure), "ratio": figure.ratio, "stated": stated[figure.path], "good": figure not in failed}
        for figure in figures
    ]


def _of_child(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
