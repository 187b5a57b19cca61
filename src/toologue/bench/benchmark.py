"""What a benchmark is: gold dialogues, and one grader a mode.

Contract: `load(data)` gives the dialogues, grounded, of published data or of the set that ships here (None). They are
played under the benchmark's `protocol`. `grade(mode, gold, trace, judge)` is pure; `published` is bug for bug, `fixed`
repaired, and their numbers are never mixed: every result names its mode. `summarize` gives the totals by split; those
that `shown` names, as (heading, key), make a table. `passes` is the score that says whether a conversation passed.

Example:
    >>> benchmark("tooltalk").modes
    ('fixed', 'published')

Not covered: benchmarks that need the network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from toologue import registry
from toologue.agents.agent import AgentSpec, resolve_agent
from toologue.agents.predictions import read_predictions
from toologue.errors import BadSetting
from toologue.formats.almita_files import columns_of
from toologue.models.similarity import TextMatch
from toologue.run.runner import Finished, Limits, Settings, cases_of, run_all
from toologue.run.store import Config, run_folder
from toologue.schema import Dialogue, ProtocolName, Score, Trace
from toologue.score.metric import warmed

Mode = Literal["fixed", "published"]
CAP = 10_000  # agent turns a round: the published loop has no limit
_SHOWN = (
    ("success", "success_rate"),
    ("precision", "precision"),
    ("recall", "recall"),
    ("incorrect actions", "bad_action_rate"),
)


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
    grade: Callable[[Mode, Dialogue, Trace, TextMatch], Graded]
    summarize: Callable[[Mode, Sequence[Graded]], Mapping[str, Any]]
    modes: tuple[Mode, ...] = ("fixed", "published")
    protocol: ProtocolName = "forced"
    passes: str = "success"
    shown: Sequence[tuple[str, str]] = _SHOWN
    tabular: Callable[[Path | None, Mapping[str, str]], Sequence[Dialogue]] | None = None
    """`load` for files whose columns are called otherwise, where the benchmark reads any."""

    def with_columns(self, columns: str) -> Benchmark:
        """This benchmark for a file with such columns: `conversation=messages,id=name`."""
        if self.tabular is None:
            raise BadSetting(f"the benchmark {self.name!r} reads no columns: leave --columns out")
        named, read = columns_of(columns), self.tabular

        def load(data: Path | None) -> Sequence[Dialogue]:
            return read(data, named)

        return replace(self, load=load)


def benchmark(name: str) -> Benchmark:
    """The benchmark that a name stands for."""
    return cast("Benchmark", registry.find("benchmark", name))


@dataclass(frozen=True)
class Options:
    """How a benchmark is played and graded. `out`: a folder that keeps what was played, so that a run can go on."""

    mode: Mode = "fixed"
    seed: int = 0
    limits: Limits = Limits()
    progress: Callable[[int, int], None] = lambda done, of: None
    out: Path | None = None


def play(
    benchmark: Benchmark, golds: Sequence[Dialogue], agent: str, judge: TextMatch, options: Options = Options()
) -> list[Graded]:
    """Run an agent by name through dialogues, and grade it; in the order of the dialogues."""
    settings = Settings(protocol=benchmark.protocol, seed=options.seed, cap=CAP)
    pairs = zip(golds, traces_of(golds, settings, agent, options), strict=True)
    return [benchmark.grade(options.mode, gold, trace, judge) for gold, trace in warmed(pairs, judge)]


def traces_of(
    golds: Sequence[Dialogue], settings: Settings, agent: str | AgentSpec, options: Options, part: str = ""
) -> list[Trace]:
    """Run an agent through dialogues; traces in their order.

    With `options.out` into a run folder there, by the name of the part: what an earlier run did is not done again.
    """
    if options.out is not None and isinstance(agent, str):
        config = Config(agent=agent, settings=settings)
        folder = run_folder(options.out / part, golds, config, limits=options.limits, progress=options.progress)
        return list(folder.traces())
    cases = list(cases_of(golds, settings))
    traces: dict[str, Trace] = {}

    def keep(finished: Finished) -> None:
        traces[finished.trace.case] = finished.trace
        options.progress(len(traces), len(cases))

    run_all(cases, agent if isinstance(agent, AgentSpec) else resolve_agent(agent), keep, limits=options.limits)
    return [traces[case.key] for case in cases]


def predicted(golds: Sequence[Dialogue], file: Path) -> tuple[list[Dialogue], list[Dialogue], list[str]]:
    """(dialogues that a predictions file has, those that it lacks, its names that are no dialogue)."""
    names = read_predictions(file).keys()
    there = [gold for gold in golds if gold.id in names]
    absent = [gold for gold in golds if gold.id not in names]
    return there, absent, sorted(names - {gold.id for gold in golds})


def sums(graded: Sequence[Graded]) -> dict[str, dict[str, float]]:
    """The counts of every metric, added up."""
    found: dict[str, dict[str, float]] = {}
    for name, score in (pair for one in graded for pair in one.scores.items()):
        counts = found.setdefault(name, {})
        for key, number in score.counts.items():
            counts[key] = counts.get(key, 0.0) + number
    return found
