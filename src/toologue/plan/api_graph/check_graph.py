"""A whole graph checked, and the figures: valid edges, agreement with labels, what lies outside."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from pydantic import ConfigDict

from toologue import keys
from toologue.plan.api_graph.check import Checked, EdgeChecker
from toologue.schema import Api, Edge, Similarities
from toologue.schema.jsonl import Noun, line_of, read, replacing

_LONGEST = 1500  # letters of a description that are shown
_UNKNOWN = Similarities(lcs=0, keyword=0, description=0)


def api_text(api: Api) -> str:
    """An Api as a reader is shown it: its description, what it takes."""
    lines = [f"{api.name}: {api.description}"[:_LONGEST]]
    for name, parameter in list(api.parameters.items())[:40]:
        schema = parameter.json_schema
        optional = "" if parameter.required else ", optional"
        said = schema.get("x-description") or schema.get("description") or ""
        lines.append(f"  takes {name} ({schema.get('type', 'any')}{optional}): {said}"[:300])
    return "\n".join(lines)


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
class Confusion:
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
        said, true = self.hits + self.slips, self.hits + self.misses
        total = true + self.rejected + self.slips
        root = math.sqrt(said * true * (total - said) * (total - true))
        return (self.hits * self.rejected - self.slips * self.misses) / root if root else None


@dataclass
class Figures:
    """What came out of a check."""

    edges: int = 0
    valid: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    truth: Confusion | None = None
    sampled: int = 0
    sampled_invalid: int = 0

    def count(self, checked: Checked) -> None:
        """Count one edge."""
        self.edges += 1
        self.valid += checked.verdict.valid
        self.reasons[checked.verdict.reason] += 1

    @property
    def precision(self) -> float | None:
        """The share of valid edges."""
        return _share(self.valid, self.edges)

    @property
    def npv(self) -> float | None:
        """The share of invalid pairs among sampled ones that the graph does not join."""
        return _share(self.sampled_invalid, self.sampled)


def check_graph(
    graph: Path | str,
    apis: Iterable[Api],
    out: Path | str,
    *,
    labels: Path | str | None = None,
    sample: int = 0,
) -> Figures:
    """Check a graph's edges into a file, a `Checked` for each in their order; give the figures.

    `labels` is a file of {source, output, target, parameter, label}: each is checked, whether it is in the graph or
    not. `sample` pairs of an output and a required parameter that the graph does not join say how many of those are
    rightly left out (the paper's NPV).
    """
    checker, figures, joined = EdgeChecker(apis), Figures(), set[int]()
    with replacing(Path(out)) as stream:
        for edge in read(graph, Edge, empty=True):
            checked = Checked(edge=edge, verdict=checker.verdict(edge))
            figures.count(checked)
            joined.add(_pair(edge))
            stream.write(line_of(checked))
    if labels is not None:
        figures.truth = score_labels(read(labels, Label), checker)
    for edge in _outside(checker, joined, sample):
        figures.sampled += 1
        figures.sampled_invalid += not checker.verdict(edge).valid
    return figures


def score_labels(labels: Iterable[Label], checker: EdgeChecker) -> Confusion:
    """What the verdicts on labelled edges are worth."""
    truth = Confusion()
    for label in labels:
        truth.count(checker.verdict(label.edge).valid, label.label)
    return truth


def _outside(checker: EdgeChecker, joined: set[int], count: int) -> Iterator[Edge]:
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
