"""From Apis to the edges between them, by three tests: phrases, then descriptions, then descriptions with keywords.

outputs × required parameters ──LCS of phrases──▶ ──types (best)──▶ ──description──▶ ──with keywords──▶ edges
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toologue.models.embed import Embedder
from toologue.models.retriever import fits
from toologue.parallel import pool
from toologue.plan.api_graph.pairs import Pairs, Progress, cosines, first_test
from toologue.plan.api_graph.rules import VALUES, Entities, RulesName, Sides, Thresholds, mismatch, sides, thresholds_of
from toologue.schema import Api, Edge, Similarities

MOST = 5_000_000  # pairs that may pass the first test
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
