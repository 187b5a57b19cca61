"""From Apis to the edges between them, by three tests: phrases, then descriptions, then descriptions with keywords.

outputs × required parameters ──LCS of phrases──▶ ──types (best)──▶ ──description──▶ ──with keywords──▶ edges

`explain` says why there is an edge, or none: the similarities beside their thresholds, and what else is against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toologue.apis.entities import Entity, inputs, outputs
from toologue.errors import UnknownName
from toologue.models.embed import Embedder
from toologue.models.retriever import fits
from toologue.parallel import pool
from toologue.plan.api_graph.pairs import Pairs, Progress, cosines, first_test, similarity
from toologue.plan.api_graph.rules import (
    VALUES,
    Entities,
    RulesName,
    Sides,
    Thresholds,
    embedded_text,
    letters,
    mismatch,
    reason_left_out,
    sides,
    thresholds_of,
)
from toologue.schema import Api, Edge, Similarities

MOST = 5_000_000  # pairs that may pass the first test
_WORDS = {"lcs": "phrases", "keyword": "keywords", "description": "description"}
_DIGITS = 5  # of a similarity: what batches do to the seventh decimal chooses no edge

# Blank nouns: what is put into them was validated before, and there are many.
_SIMILARITIES = Similarities(lcs=0, keyword=0, description=0)
_EDGE = Edge(source="", output="", target="", parameter="", similarity=_SIMILARITIES, chosen=False)


class Survivors(NamedTuple):
    """How many pairs were left after each test; `left_out` counts the entities that took no part, by reason."""

    outputs: int
    parameters: int
    pairs: int
    lcs: int
    fit: int
    description: int
    edges: int
    api_pairs: int
    left_out: Mapping[str, int]


class Graph(NamedTuple):
    """The edges, what they were found by, and what was left after each test."""

    edges: Iterator[Edge]
    rules: RulesName
    embedder: str
    thresholds: Thresholds
    survivors: Survivors


def find_edges(
    apis: Iterable[Api] | Sides,
    embedder: Embedder,
    *,
    rules: RulesName = "best",
    thresholds: Thresholds | None = None,
    workers: int = 1,
    most: int = MOST,
    progress: Progress = lambda done, of: None,
) -> Graph:
    """The edges between Apis, or between their sides: equal ones at any number of workers.

    They come by source, then by target, in the order of the documents; `chosen` marks one for each pair of Apis: under
    `published` the first (by parameter, then by output), under `best` that with the highest mean of the three
    similarities. Only what passed the first test is embedded; more than `most` pairs that pass are refused.

    Raises BadSetting where thresholds are unknown, or too many phrases are alike.
    """
    limits = thresholds or thresholds_of(rules, embedder.name)
    rows, columns, left, _ = apis if isinstance(apis, Sides) else sides(apis, rules)
    with pool(workers):
        pairs = first_test(rows, columns, limits.lcs, rules=rules, most=most, workers=workers, progress=progress)
        alike = len(pairs.row)
        if rules == "best":
            pairs = _fitting(pairs, rows, columns)
        fit = len(pairs.row)
        cosine = cosines(pairs, rows.texts.__getitem__, columns.texts.__getitem__, embedder)
        pairs = pairs.select(cosine > limits.description, cosine)
        described = len(pairs.row)
        cosine = cosines(pairs, rows.keyed, columns.keyed, embedder)
        pairs = pairs.select(cosine > limits.keyword, cosine)
    pairs, chosen = _ordered(pairs, rows, columns, rules)
    outputs, parameters = len(rows.entities), len(columns.entities)
    survivors = Survivors(
        outputs=outputs, parameters=parameters, pairs=outputs * parameters, lcs=alike, fit=fit,
        description=described, edges=len(pairs.row), api_pairs=int(chosen.sum()), left_out=dict(sorted(left.items())),
    )  # fmt: skip
    return Graph(_edges(pairs, chosen, rows, columns), rules, embedder.name, limits, survivors)


def _fitting(pairs: Pairs, rows: Entities, columns: Entities) -> Pairs:
    (given, outputs), (wanted, parameters) = _kinds(rows, pairs.row), _kinds(columns, pairs.column)
    joint = given * len(parameters) + wanted
    kinds, which = np.unique(joint, return_inverse=True)  # there are few, and pairs by the hundred thousand
    each = (divmod(int(kind), len(parameters)) for kind in kinds)
    fit = np.array([fits(outputs[one], parameters[other]) for one, other in each], dtype=bool)[which]
    listed = np.array(["enum" in one.schema for one in columns.entities], dtype=bool)[pairs.column]
    for at in map(int, np.flatnonzero(listed | ~fit)):
        fit[at] = not mismatch(rows.entities[int(pairs.row[at])], columns.entities[int(pairs.column[at])])
    return pairs.select(fit)


def _kinds(side: Entities, which: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Mapping[str, Any]]]:
    """The number of each one's kind; a schema of each kind: which values there are, but for those that it lists."""
    numbered, schemas, numbers = dict[str, int](), list[Mapping[str, Any]](), list[int]()
    entities, place = np.unique(which, return_inverse=True)
    for schema in (side.entities[at].schema for at in map(int, entities)):
        numbers.append(numbered.setdefault(str([schema.get(key) for key in VALUES[:-2]]), len(numbered)))
        if len(schemas) < len(numbered):
            schemas.append(schema)
    return np.array(numbers, dtype=np.int64)[place], schemas


def _ordered(pairs: Pairs, rows: Entities, columns: Entities, rules: RulesName) -> tuple[Pairs, NDArray[np.bool_]]:
    source, target = np.array(rows.owners)[pairs.row], np.array(columns.owners)[pairs.column]
    pairs = pairs.select(order := np.lexsort((pairs.row, pairs.column, target, source)))
    source, target = source[order], target[order]
    chosen = np.zeros(len(order), dtype=bool)
    if rules == "best":
        mean = np.sum([score.round(_DIGITS) for score in pairs.scores], axis=0)
        best = np.lexsort((np.arange(len(mean)), -mean, target, source))
    else:
        best = np.arange(len(order))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(source) != 0) | (np.diff(target) != 0)
    chosen[best[first]] = True
    return pairs, chosen


def _edges(pairs: Pairs, chosen: NDArray[np.bool_], rows: Entities, columns: Entities) -> Iterator[Edge]:
    lcs, description, keyword = (score.clip(0, 1).round(_DIGITS).tolist() for score in pairs.scores)
    for at, (row, column) in enumerate(zip(map(int, pairs.row), map(int, pairs.column), strict=True)):
        output, parameter = rows.entities[row], columns.entities[column]
        yield _EDGE.replace(
            source=output.api,
            output=output.name,
            target=parameter.api,
            parameter=parameter.name,
            similarity=_SIMILARITIES.replace(lcs=lcs[at], keyword=keyword[at], description=description[at]),
            chosen=bool(chosen[at]),
        )


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
        for one, other in product(above, below)
    ]
    near = sorted(near, key=lambda pair: ((pair[1].name, pair[2].name) not in kept, -pair[0]))[:most]
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
    texts = list[str]()
    for _, one, other in near:
        text, another = first.get(one.name, one.description), other.description
        texts += map(embedded_text, (text, another))
        texts += map(embedded_text, (text, another), (source.keywords, target.keywords))
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
    return round(min(1.0, max(0.0, float(score))), _DIGITS)
