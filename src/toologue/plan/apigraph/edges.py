"""From Apis to the edges between them, by three tests: phrases, then descriptions, then descriptions with keywords.

    outputs × required parameters ──LCS of phrases──▶ ──types (best)──▶ ──description──▶ ──with keywords──▶ edges

Contract: an edge joins an output with a required parameter of an Api of another name; all three similarities lie
strictly above their thresholds. Edges come by source, then by target, in the order of the documents; `chosen` marks one
for each pair of Apis: under `published` the first (by parameter, then by output), under `best` that with the highest
mean of the three, then the first. Equal input, equal edges, at any number of workers. Only what passed the first test
is embedded; memory is that of a block and of what passed. More than `most` pairs that pass are refused, with the phrase
that is to blame.

Example:
    >>> from toologue.models.lexical import Lexical
    >>> from toologue.schema import Api, Parameter
    >>> team = {"type": "integer", "title": "number of a football team", "description": "Which football team it is."}
    >>> search = Api(name="Search", returns={"type": "object", "properties": {"id": team}})
    >>> players = Api(name="Players", parameters={"team": Parameter(schema=team)})
    >>> found = find_edges([search, players], Lexical(), rules="published")
    >>> [(edge.source, edge.output, edge.target, edge.parameter, edge.chosen) for edge in found.edges]
    [('Search', 'id', 'Players', 'team', True)]
    >>> found.survivors.pairs, found.survivors.lcs, found.survivors.edges
    (1, 1, 1)

Not covered: optional parameters as targets, and outputs that make up a parameter together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toologue.apis.entities import Entity
from toologue.models.embed import Embedder
from toologue.models.outputs import fits
from toologue.parallel import pool
from toologue.plan.apigraph.pairs import Pairs, Progress, cosines, first_test
from toologue.plan.apigraph.rules import RulesName, Thresholds, misfit, thresholds_of
from toologue.plan.apigraph.sides import VALUES, Entities, sides
from toologue.schema import Api, Edge, Similarities

__all__ = ["MOST", "Found", "Survivors", "find_edges"]

MOST = 5_000_000
"""Pairs that may pass the first test."""

_DIGITS = 5  # of a similarity: what batches do to the seventh decimal chooses no edge


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


class Found(NamedTuple):
    """The edges, what they were found by, and what was left after each test."""

    edges: Iterator[Edge]
    rules: RulesName
    embedder: str
    thresholds: Thresholds
    survivors: Survivors


def find_edges(
    apis: Iterable[Api],
    embedder: Embedder,
    *,
    rules: RulesName = "best",
    thresholds: Thresholds | None = None,
    workers: int = 1,
    most: int = MOST,
    progress: Progress = lambda done, of: None,
) -> Found:
    """The edges between Apis. Raises BadSetting where thresholds are unknown, or too many phrases are alike."""
    limits = thresholds or thresholds_of(rules, embedder.name)
    rows, columns, left = sides(apis, rules)
    with pool(workers):
        pairs = first_test(rows, columns, limits.lcs, rules=rules, most=most, workers=workers, progress=progress)
        alike = len(pairs.row)
        if rules == "best":
            pairs = _fitting(pairs, rows, columns)
        passed = [len(pairs.row)]
        described = rows.texts.__getitem__, columns.texts.__getitem__, limits.description
        for text, other, threshold in (described, (rows.keyed, columns.keyed, limits.keyword)):
            cosine = cosines(pairs, text, other, embedder)
            pairs = pairs.taken(cosine > threshold, cosine)
            passed.append(len(pairs.row))
    pairs, chosen = _ordered(pairs, rows, columns, rules)
    outputs, parameters = len(rows.entities), len(columns.entities)
    fit, of_description, of_keywords = passed
    survivors = Survivors(
        outputs=outputs, parameters=parameters, pairs=outputs * parameters, lcs=alike, fit=fit,
        description=of_description, edges=of_keywords, api_pairs=int(chosen.sum()),
        left_out=dict(sorted(left.items())),
    )  # fmt: skip
    return Found(_edges(pairs, chosen, rows, columns), rules, embedder.name, limits, survivors)


def _fitting(pairs: Pairs, rows: Entities, columns: Entities) -> Pairs:
    """Those pairs whose types, formats and enumerations agree."""
    known = dict[tuple[str, str], bool]()  # by types and formats: there are few, and pairs by the hundred thousand
    given = {at: _typing(rows.entities[at]) for at in map(int, np.unique(pairs.row))}
    wanted = {at: _typing(columns.entities[at]) for at in map(int, np.unique(pairs.column))}

    def fit(row: int, column: int) -> bool:
        output, parameter = rows.entities[row], columns.entities[column]
        typing = given[row], wanted[column]
        if typing not in known:
            known[typing] = fits(output.schema, parameter.schema)
        return (known[typing] and "enum" not in parameter.schema) or not misfit(output, parameter)

    return pairs.taken(np.array([fit(*pair) for pair in pairs.numbers()], dtype=bool))


def _typing(entity: Entity) -> str:
    """What of a schema says which values there may be, but for those that it lists."""
    return str([entity.schema.get(key) for key in VALUES[:-2]])


def _ordered(pairs: Pairs, rows: Entities, columns: Entities, rules: RulesName) -> tuple[Pairs, NDArray[np.bool_]]:
    """The pairs by source and target, and which of them are chosen."""
    source, target = np.array(rows.owners)[pairs.row], np.array(columns.owners)[pairs.column]
    pairs = pairs.taken(order := np.lexsort((pairs.row, pairs.column, target, source)))
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
    lcs, description, keyword = pairs.scores
    for at, (row, column) in enumerate(pairs.numbers()):
        output, parameter = rows.entities[row], columns.entities[column]
        yield Edge(
            source=output.api,
            output=output.name,
            target=parameter.api,
            parameter=parameter.name,
            similarity=Similarities(
                lcs=_shown(lcs[at]), keyword=_shown(keyword[at]), description=_shown(description[at])
            ),
            chosen=bool(chosen[at]),
        )


def _shown(score: float) -> float:
    return round(min(1.0, max(0.0, float(score))), _DIGITS)
