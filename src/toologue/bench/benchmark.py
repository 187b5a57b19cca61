"""What a benchmark is: gold dialogues, and one grader a mode.

Contract: `load(data)` gives the dialogues, grounded, of a published data folder or of the starter set that ships here
(None). `grade(mode, gold, trace, judge)` is pure; `published` is bug for bug, `fixed` repaired, and their numbers are
never mixed: every result names its mode.

Example:
    >>> benchmark("tooltalk").modes
    ('fixed', 'published')

Not covered: benchmarks that need the network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from toologue import registry
from toologue.agents.agent import player
from toologue.agents.predictions import read_predictions
from toologue.models.similarity import Judge
from toologue.run.cases import Settings, cases_of
from toologue.run.runner import Finished, Limits, run_to_end
from toologue.schema import Dialogue, Score, Trace

__all__ = ["Benchmark", "Graded", "Mode", "Options", "benchmark", "play", "predicted"]

Mode = Literal["fixed", "published"]
CAP = 10_000  # agent turns a round: the published loop has no limit


@dataclass(frozen=True)
class Graded:
    """One conversation, graded: its scores, and its record in the benchmark's own result format."""

    gold: Dialogue
    trace: Trace
    scores: Mapping[str, Score]
    record: Mapping[str, Any]


@dataclass(frozen=True)
class Benchmark:
    """A registered benchmark."""

    name: str
    load: Callable[[Path | None], Sequence[Dialogue]]
    grade: Callable[[Mode, Dialogue, Trace, Judge], Graded]
    summarize: Callable[[Mode, Sequence[Graded]], Mapping[str, Any]]
    modes: tuple[Mode, ...] = ("fixed", "published")


def benchmark(name: str) -> Benchmark:
    """The benchmark that a name stands for."""
    return cast("Benchmark", registry.find("benchmark", name))


@dataclass(frozen=True)
class Options:
    """How a benchmark is played and graded."""

    mode: Mode = "fixed"
    seed: int = 0
    limits: Limits = Limits()
    progress: Callable[[int, int], None] = lambda done, of: None


def play(
    benchmark: Benchmark, golds: Sequence[Dialogue], agent: str, judge: Judge, options: Options = Options()
) -> list[Graded]:
    """Run an agent by name through dialogues, teacher-forced, and grade it; in the order of the dialogues."""
    cases = list(cases_of(golds, Settings(seed=options.seed, cap=CAP)))
    traces: dict[str, Trace] = {}

    def keep(finished: Finished) -> None:
        traces[finished.trace.case] = finished.trace
        options.progress(len(traces), len(cases))

    run_to_end(cases, player(agent), keep, limits=options.limits)
    pairs = zip(golds, cases, strict=True)
    return [benchmark.grade(options.mode, gold, traces[case.key], judge) for gold, case in pairs]


def predicted(golds: Sequence[Dialogue], file: Path) -> tuple[list[Dialogue], list[Dialogue], list[str]]:
    """(dialogues that a predictions file has, those that it lacks, its names that are no dialogue)."""
    names = read_predictions(file).keys()
    there = [gold for gold in golds if gold.id in names]
    absent = [gold for gold in golds if gold.id not in names]
    return there, absent, sorted(names - {gold.id for gold in golds})
