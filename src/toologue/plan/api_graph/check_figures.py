"""A whole graph checked, and the figures of it: valid edges, agreement with labels, what lies outside the graph.

Contract: `await check_graph(graph, apis, out)` reads edges, writes a `Checked` for each in their order, and gives
`Figures`; nothing is held but counts. `labels` is a file of {source, output, target, parameter, label} (other keys are
left alone): each is checked, whether it is in the graph or not. `sample` pairs of an output and a required parameter
that the graph does not join say how many of those are rightly left out (the paper's NPV). `passed(file)` reads the
edges of a checked graph that are valid.

Example:
    >>> figures = Truth(hits=85, misses=15, rejected=90, slips=10)
    >>> round(figures.mcc, 2), figures.kept, figures.refused
    (0.75, 0.85, 0.9)

Not covered: how sure the figures are; label more edges.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from pydantic import ConfigDict

from toologue import keys
from toologue.plan.api_graph.check import Checked, Checker
from toologue.plan.api_graph.edge_judge import Judge, judge
from toologue.schema import Api, Edge, Similarities
from toologue.schema.jsonl import line_of, read, replacing
from toologue.schema.noun import Noun

_TOGETHER = 8
_UNKNOWN = Similarities(lcs=0, keyword=0, description=0)


class Label(Noun):
    """What a person says of an edge."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    source: str
    output: str
    target: str
    parameter: str
    label: bool

    @property
    def edge(self) -> Edge:
        """The edge, its similarities unknown."""
        return _edge(self.source, self.output, self.target, self.parameter)


@dataclass
class Truth:
    """Verdicts against labels: true edges kept (hits) or lost (misses), false ones rejected or let through (slips)."""

    hits: int = 0
    misses: int = 0
    rejected: int = 0
    slips: int = 0

    def count(self, said: bool, true: bool) -> None:
        """Count one verdict."""
        name = ("hits" if said else "misses") if true else ("slips" if said else "rejected")
        setattr(self, name, getattr(self, name) + 1)

    @property
    def kept(self) -> float | None:
        """The share of true edges that are kept."""
        return _share(self.hits, self.hits + self.misses)

    @property
    def refused(self) -> float | None:
        """The share of false edges that are rejected."""
        return _share(self.rejected, self.rejected + self.slips)

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation coefficient; None where one side is empty."""
        sides = (
            self.hits + self.slips,
            self.hits + self.misses,
            self.rejected + self.slips,
            self.rejected + self.misses,
        )
        root = math.sqrt(math.prod(sides))
        return (self.hits * self.rejected - self.slips * self.misses) / root if root else None


@dataclass
class Figures:
    """What came out of a check."""

    edges: int = 0
    valid: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    failures: Counter[str] = field(default_factory=Counter[str])
    truth: Truth | None = None
    sampled: int = 0
    sampled_invalid: int = 0

    def count(self, checked: Checked) -> None:
        """Count one edge."""
        self.edges += 1
        self.valid += checked.verdict.valid
        self.reasons[checked.verdict.reason] += 1
        self.failures.update(vote.failure for vote in checked.votes if vote.failure)

    @property
    def precision(self) -> float | None:
        """The share of valid edges."""
        return _share(self.valid, self.edges)

    @property
    def npv(self) -> float | None:
        """The share of invalid pairs among sampled ones that the graph does not join."""
        return _share(self.sampled_invalid, self.sampled)


async def check_graph(
    graph: Path | str,
    apis: Iterable[Api],
    out: Path | str,
    *,
    labels: Path | str | None = None,
    by: Judge | None = None,
    sample: int = 0,
) -> Figures:
    """Check a graph's edges into a file; give the figures. `by`: a model that judges instead of the offline stages."""
    checker, figures, joined = Checker(apis), Figures(), set[int]()
    with replacing(Path(out)) as stream:
        async for checked in _checked(read(graph, Edge, empty=True), checker, by):
            figures.count(checked)
            joined.add(_pair(checked.edge))
            stream.write(line_of(checked))
    if labels is not None:
        figures.truth = await against(read(labels, Label), checker, by)
    async for checked in _checked(_outside(checker, joined, sample), checker, by):
        figures.sampled += 1
        figures.sampled_invalid += not checked.verdict.valid
    return figures


async def against(labels: Iterable[Label], checker: Checker, by: Judge | None = None) -> Truth:
    """What the verdicts on labelled edges are worth."""
    truth = Truth()
    for label in labels:
        async for checked in _checked([label.edge], checker, by):
            truth.count(checked.verdict.valid, label.label)
    return truth


def passed(file: Path | str) -> Iterator[Edge]:
    """The valid edges of a checked graph."""
    return (checked.edge for checked in read(file, Checked, empty=True) if checked.verdict.valid)


async def _checked(edges: Iterable[Edge], checker: Checker, by: Judge | None) -> AsyncIterator[Checked]:
    """The edges checked, in order; a model is asked about a few at a time."""
    if by is None:
        for edge in edges:
            yield Checked(edge=edge, verdict=checker.verdict(edge))
        return
    waiting = iter(edges)
    while group := list(islice(waiting, _TOGETHER)):
        for checked in await asyncio.gather(*(judge(edge, checker, by) for edge in group)):
            yield checked


def _outside(checker: Checker, joined: set[int], count: int) -> Iterator[Edge]:
    """Random pairs of an output and a required parameter of another Api that are not joined."""
    given, taken = checker.sides()
    if not (count and given and taken):
        return
    random = Random(keys.seed_of("non-edges"))
    drawn = (_edge(*random.choice(given), *random.choice(taken)) for _ in range(20 * count))
    yield from islice((edge for edge in drawn if edge.source != edge.target and _pair(edge) not in joined), count)


def _edge(source: str, output: str, target: str, parameter: str) -> Edge:
    return Edge(source=source, output=output, target=target, parameter=parameter, similarity=_UNKNOWN)


def _pair(edge: Edge) -> int:
    return hash((edge.source, edge.output, edge.target, edge.parameter))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
