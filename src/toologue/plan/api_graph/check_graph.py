"""A whole graph checked, offline or by a model, and the figures: valid edges, agreement with labels, what lies outside.

A model judges in the two steps of the paper's table 14, in our words (`edge_check.txt`): it sees both documents, what
the simulated source answered, and the call of the target that would follow.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from pydantic import ConfigDict

from toologue import keys
from toologue.formats.literals import json_values
from toologue.models.ask import ask, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.plan.api_graph.check import Checked, EdgeChecker, Verdict, Vote
from toologue.schema import Api, Edge, Similarities
from toologue.schema.jsonl import Noun, line_of, read, replacing

_LONGEST = 1500  # letters of a document, of a value, that a model is shown
_TOGETHER = 8  # edges that a model is asked about at once
_UNKNOWN = Similarities(lcs=0, keyword=0, description=0)


@dataclass(frozen=True)
class EdgeJudge:
    """A model that judges edges, and how often it is asked about each."""

    model: Model
    votes: int = 1
    seed: int = 0


async def judge_edge(edge: Edge, checker: EdgeChecker, by: EdgeJudge) -> Checked:
    """The verdict of a model's majority, and every vote; where there is no majority, the offline verdict.

    An answer that cannot be read, or none, is a vote with a named failure, and counts for neither side.
    """
    offline = checker.verdict(edge)
    if offline.reason in ("unknown", "no value"):  # there is nothing to show
        return Checked(edge=edge, verdict=offline)
    text = prompt_text(edge, checker)
    votes = [await _vote(text, by, number) for number in range(by.votes)]
    fors, against = sum(vote.valid is True for vote in votes), sum(vote.valid is False for vote in votes)
    if fors == against:
        return Checked(edge=edge, verdict=offline, votes=tuple(votes))
    why = next(vote.why for vote in votes if vote.valid is (fors > against))
    verdict = Verdict(valid=fors > against, reason="judged", stage="model", why=why)
    return Checked(edge=edge, verdict=verdict, votes=tuple(votes))


def prompt_text(edge: Edge, checker: EdgeChecker) -> str:
    """What a model is asked about an edge whose Apis are known."""
    source, target = checker.apis[edge.source], checker.apis[edge.target]
    trial = checker.try_edge(edge)
    return render_prompt(
        __file__,
        "edge_check.txt",
        source=api_text(source),
        target=api_text(target),
        arguments=_json(trial.arguments),
        output=edge.output,
        parameter=edge.parameter,
        value=_json(list(trial.values)),
        call=_json(trial.call),
        output_said=checker.documentation(edge.source, edge.output, "output"),
        parameter_said=checker.documentation(edge.target, edge.parameter, "input"),
    )


def parse_vote(answer: str) -> Vote:
    """A vote: for the edge if both steps are passed. The paper's own form, `error` and `response`, is read, too."""
    if not answer.strip():
        return Vote(failure="no answer")
    found = next(json_values(answer, "{"), None)
    if found is None:
        return Vote(failure="no object")
    why = str(found.get("why") or found.get("error") or "")[:500]
    steps = [found.get("attributes"), found.get("purpose")]
    if all(isinstance(step, bool) for step in steps):
        return Vote(valid=all(steps), why=why)
    if False in steps:
        return Vote(valid=False, why=why)
    if isinstance(found.get("error"), str) and "response" in found:
        return Vote(valid=not found["error"], why=why)
    return Vote(failure="no verdict", why=why)


async def _vote(text: str, by: EdgeJudge, number: int) -> Vote:
    try:
        return parse_vote(await ask(by.model, text, by.seed, number, text))
    except ModelFault as fault:
        return Vote(failure="model fault", why=str(fault)[:500])


def api_text(api: Api) -> str:
    """What a model is shown of an Api: its description, what it takes."""
    lines = [f"{api.name}: {api.description}"[:_LONGEST]]
    for name, parameter in list(api.parameters.items())[:40]:
        schema = parameter.json_schema
        optional = "" if parameter.required else ", optional"
        said = schema.get("x-description") or schema.get("description") or ""
        lines.append(f"  takes {name} ({schema.get('type', 'any')}{optional}): {said}"[:300])
    return "\n".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:_LONGEST]


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
    """What came out of a check. `unjudged`: edges of which a model said nothing; `fault`: why, of the last one."""

    edges: int = 0
    valid: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    failures: Counter[str] = field(default_factory=Counter[str])
    unjudged: int = 0
    fault: str = ""
    truth: Confusion | None = None
    sampled: int = 0
    sampled_invalid: int = 0

    def count(self, checked: Checked) -> None:
        """Count one edge."""
        self.edges += 1
        self.valid += checked.verdict.valid
        self.reasons[checked.verdict.reason] += 1
        self.failures.update(vote.failure for vote in checked.votes if vote.failure)
        if checked.votes and all(vote.failure for vote in checked.votes):
            self.unjudged += 1
            self.fault = checked.votes[-1].why or f"{checked.votes[-1].failure}"

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
    by: EdgeJudge | None = None,
    sample: int = 0,
) -> Figures:
    """Check a graph's edges into a file, a `Checked` for each in their order; give the figures.

    `labels` is a file of {source, output, target, parameter, label}: each is checked, whether it is in the graph or
    not. `by`: a model that judges instead of the offline stages. `sample` pairs of an output and a required parameter
    that the graph does not join say how many of those are rightly left out (the paper's NPV).
    """
    checker, figures, joined = EdgeChecker(apis), Figures(), set[int]()
    with replacing(Path(out)) as stream:
        async for checked in _checked(read(graph, Edge, empty=True), checker, by):
            figures.count(checked)
            joined.add(_pair(checked.edge))
            stream.write(line_of(checked))
    if labels is not None:
        figures.truth = await score_labels(read(labels, Label), checker, by)
    async for checked in _checked(_outside(checker, joined, sample), checker, by):
        figures.sampled += 1
        figures.sampled_invalid += not checked.verdict.valid
    return figures


async def score_labels(labels: Iterable[Label], checker: EdgeChecker, by: EdgeJudge | None = None) -> Confusion:
    """What the verdicts on labelled edges are worth."""
    truth = Confusion()
    for label in labels:
        async for checked in _checked([label.edge], checker, by):
            truth.count(checked.verdict.valid, label.label)
    return truth


async def _checked(edges: Iterable[Edge], checker: EdgeChecker, by: EdgeJudge | None) -> AsyncIterator[Checked]:
    if by is None:
        for edge in edges:
            yield Checked(edge=edge, verdict=checker.verdict(edge))
        return
    waiting = iter(edges)
    while group := list(islice(waiting, _TOGETHER)):
        for checked in await asyncio.gather(*(judge_edge(edge, checker, by) for edge in group)):
            yield checked


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
