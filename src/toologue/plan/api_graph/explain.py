"""Why there is an edge, or none: the three similarities beside their thresholds, and what else speaks against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toologue.apis.entities import Entity, inputs, outputs
from toologue.errors import UnknownName
from toologue.models.embed import Embedder
from toologue.plan.api_graph.edges import find_edges
from toologue.plan.api_graph.pairs import similarity
from toologue.plan.api_graph.rules import (
    RulesName,
    Thresholds,
    embedded_text,
    letters,
    mismatch,
    reason_left_out,
    thresholds_of,
)
from toologue.schema import Api, Similarities

_WORDS = {"lcs": "phrases", "keyword": "keywords", "description": "description"}


class Reason(NamedTuple):
    """An output and a parameter, their similarities, whether that is an edge, whether it is kept, and why."""

    output: str
    parameter: str
    similarity: Similarities
    edge: bool
    chosen: bool
    verdict: str


def explain(
    source: Api,
    target: Api,
    embedder: Embedder,
    *,
    rules: RulesName = "best",
    thresholds: Thresholds | None = None,
    output: str | None = None,
    parameter: str | None = None,
    most: int = 10,
) -> list[Reason]:
    """A reason for each output of the source and parameter of the target that are asked for, at most so many.

    Edges come first, then what is nearest by its phrases. Raises UnknownName for an output or a parameter that is not
    there.
    """
    limits = thresholds or thresholds_of(rules, embedder.name)
    edges = find_edges([source, target], embedder, rules=rules, thresholds=limits).edges
    kept = {(edge.output, edge.parameter): edge.chosen for edge in edges if edge.source == source.name}
    above = _entities(outputs(source), output, f"output of {source.name}")
    below = _entities(inputs(target), parameter, f"parameter of {target.name}")
    near = [
        (similarity(letters(one.phrase, rules), letters(other.phrase, rules)), one, other)
        for one in above
        for other in below
    ]
    near.sort(key=lambda pair: ((pair[1].name, pair[2].name) not in kept, -pair[0]))
    near = near[:most]
    reasons: list[Reason] = []
    for (_, one, other), scores in zip(near, _scores(near, (source, target), embedder, rules), strict=True):
        chosen = kept.get((one.name, other.name))
        if chosen is None:
            verdict = f"no edge: {'; '.join(_against(one, other, scores, rules, limits))}"
        else:
            verdict = "an edge, and the one that is kept" if chosen else "an edge; another one is kept for these two"
        reasons.append(Reason(one.name, other.name, scores, chosen is not None, bool(chosen), verdict))
    return reasons


def _scores(
    near: Sequence[tuple[float, Entity, Entity]], apis: tuple[Api, Api], embedder: Embedder, rules: RulesName
) -> Iterator[Similarities]:
    source, target = apis
    first = {one.name: one.description for one in reversed(list(outputs(source)))} if rules == "published" else {}
    texts = [
        embedded_text(text, keywords if keyed else ())
        for _, one, other in near
        for keyed in (False, True)
        for text, keywords in (
            (first.get(one.name, one.description), source.keywords),
            (other.description, target.keywords),
        )
    ]
    vectors = embedder.embed(texts)
    for number, (lcs, _, _) in enumerate(near):
        one, other, keyed, other_keyed = vectors[4 * number : 4 * number + 4]
        yield Similarities(lcs=_rounded(lcs), keyword=_rounded(keyed @ other_keyed), description=_rounded(one @ other))


def _entities(entities: Iterable[Entity], name: str | None, kind: str) -> list[Entity]:
    known = list(entities)
    chosen = [entity for entity in known if name in (None, entity.name)]
    if name is not None and not chosen:
        raise UnknownName(kind, name, {entity.name for entity in known})
    return chosen


def _against(one: Entity, other: Entity, similar: Similarities, rules: RulesName, limits: Thresholds) -> Iterator[str]:
    if one.api == other.api:
        yield "an API does not feed itself"
    if reason := reason_left_out(one, "output", rules):
        yield f"of the output, {reason}"
    if reason := reason_left_out(other, "parameter", rules):
        yield f"of the parameter, {reason}"
    if rules == "best" and (reason := mismatch(one, other)):
        yield reason
    for name, limit in limits._asdict().items():
        score = float(getattr(similar, name))
        if score <= limit:
            yield f"{_WORDS[name]} {score:.2f}, not above {limit:g}"


def _rounded(score: float) -> float:
    return round(min(1.0, max(0.0, float(score))), 5)
