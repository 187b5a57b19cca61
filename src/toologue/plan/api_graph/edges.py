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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toologue.models.embed import Embedder
from toologue.models.outputs import fits
from toologue.parallel import pool
from toologue.plan.api_graph.pairs import Pairs, Progress, cosines, first_test
from toologue.plan.api_graph.rules import RulesName, Thresholds, misfit, thresholds_of
from toologue.plan.api_graph.sides import VALUES, Entities, Sides, sides
from toologue.schema import Api, Edge, Similarities

MOST = 5_000_000
"""Pairs that may pass the first test."""

_ALIKE = Similarities(lcs=0, keyword=0, description=0)
_EDGE = Edge(source="", output="", target="", parameter="", similarity=_ALIKE, chosen=False)
"""Blank nouns: what is put into them was validated before, and there are many."""
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
    apis: Iterable[Api] | Sides,
    embedder: Embedder,
    *,
    rules: RulesName = "best",
    thresholds: Thresholds | None = None,
    workers: int = 1,
    most: int = MOST,
    progress: Progress = lambda done, of: None,
) -> Found:
    """The edges between Apis, or between their sides.

    Raises BadSetting where thresholds are unknown, or too many phrases are alike.
    """
    limits = thresholds or thresholds_of(rules, embedder.name)
    given: Sides = apis if isinstance(apis, Sides) else sides(apis, rules)
    rows, columns, left, _ = given
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
    (given, outputs), (wanted, parameters) = _kinds(rows, pairs.row), _kinds(columns, pairs.column)
    joint = given * len(parameters) + wanted
    kinds, which = np.unique(joint, return_inverse=True)  # there are few, and pairs by the hundred thousand
    each = (divmod(int(kind), len(parameters)) for kind in kinds)
    fit = np.array([fits(outputs[one], parameters[other]) for one, other in each], dtype=bool)[which]
    listed = np.array(["enum" in one.schema for one in columns.entities], dtype=bool)[pairs.column]
    for at in map(int, np.flatnonzero(listed | ~fit)):
        fit[at] = not misfit(rows.entities[int(pairs.row[at])], columns.entities[int(pairs.column[at])])
    return pairs.taken(fit)


def _kinds(side: Entities, which: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Mapping[str, Any]]]:
    """The number of each one's kind; a schema of each kind: which values there are, but for those that it lists."""
    found, schemas, numbers = dict[str, int](), list[Mapping[str, Any]](), list[int]()
    entities, place = np.unique(which, return_inverse=True)
    for schema in (side.entities[at].schema for at in map(int, entities)):
        numbers.append(found.setdefault(str([schema.get(key) for key in VALUES[:-2]]), len(found)))
        if len(schemas) < len(found):
            schemas.append(schema)
    return np.array(numbers, dtype=np.int64)[place], schemas


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
    lcs, description, keyword = (score.clip(0, 1).round(_DIGITS).tolist() for score in pairs.scores)
    for at, (row, column) in enumerate(pairs.numbers()):
        output, parameter = rows.entities[row], columns.entities[column]
        yield _EDGE.but(
            source=output.api,
            output=output.name,
            target=parameter.api,
            parameter=parameter.name,
            similarity=_ALIKE.but(lcs=lcs[at], keyword=keyword[at], description=description[at]),
            chosen=bool(chosen[at]),
        )
