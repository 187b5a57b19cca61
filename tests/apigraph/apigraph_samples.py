"""Small APIs, an embedder that counts words, and the rule of the paper as plainly as it can be written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

from toologue.apis.entities import inputs, outputs
from toologue.models.embed import Embedder
from toologue.schema import Api, Edge, Parameter

WORDS = ("team", "player", "city", "match", "id", "name", "of", "a", "page", "status")


class Counting:
    """Counts of a few words, of length one. It is told apart by nothing else, and it is quick."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        rows = np.array([[text.split().count(word) for word in WORDS] for text in texts], dtype=np.float32)
        rows = rows.reshape(len(texts), len(WORDS))
        return rows / np.maximum(np.sqrt((rows**2).sum(axis=1, keepdims=True)), 1e-12)


def entity(phrase: str, description: str | None = None, **more: Any) -> dict[str, Any]:
    """The schema of an entity."""
    return {"type": "string", "title": phrase, "x-description": phrase if description is None else description, **more}


def api(
    name: str,
    gives: Iterable[tuple[str, dict[str, Any]]] = (),
    takes: Iterable[tuple[str, dict[str, Any]]] = (),
    *,
    keywords: Sequence[str] = (),
    required: bool = True,
) -> Api:
    """An Api. What it gives may have several entities of one name."""
    returns = {f"{number}": {**schema, "x-name": called} for number, (called, schema) in enumerate(gives)}
    parameters = {called: Parameter(schema=schema, required=required) for called, schema in takes}
    whole = {"type": "object", "properties": returns} if returns else {}
    return Api(name=name, parameters=parameters, returns=whole, keywords=tuple(keywords))


def folded(text: str) -> str:
    return re.sub("[^a-zA-Z0-9]", "", text).lower()


def common(one: str, other: str) -> float:
    """The similarity of two folded phrases by dynamic programming."""
    row = [0] * (len(other) + 1)
    for letter in one:
        before = row
        row = [0]
        for at, mate in enumerate(other):
            row.append(before[at] + 1 if letter == mate else max(before[at + 1], row[-1]))
    return row[-1] / ((len(one) + len(other)) / 2) if one or other else 0.0


def plainly(
    apis: Sequence[Api], embedder: Embedder, thresholds: tuple[float, float, float]
) -> list[tuple[str, str, str, str, bool]]:
    """The published rule, pair by pair: (source, output, target, parameter, chosen), by parameter, then by output."""
    lcs, keyword, description = thresholds
    found: list[tuple[str, str, str, str, bool]] = []
    seen: set[tuple[str, str]] = set()
    rows = [(source, output) for source in apis for output in outputs(source)]
    first: dict[tuple[str, str], str] = {}
    for source, output in rows:
        first.setdefault((source.name, output.name), output.description)
    vector = {
        text: embedder.embed([text])[0]
        for one in apis
        for side in (outputs, inputs)
        for it in side(one)
        for text in (it.description, " ".join((it.description, *one.keywords)))
    }
    columns = [(target, parameter) for target in apis for parameter in inputs(target) if parameter.required]
    for target, parameter in columns:
        if any(word in folded(parameter.name) for word in ("page", "limit")):
            continue
        for source, output in rows:
            texts = (output.name, output.phrase, output.description)
            if any(word in text for word in ("status", "message", "messages") for text in texts):
                continue
            if any(word in folded(output.name) for word in ("page", "limit")) or source.name == target.name:
                continue
            if common(folded(output.phrase), folded(parameter.phrase)) <= lcs:
                continue
            said = first[source.name, output.name]
            if vector[said] @ vector[parameter.description] <= description:
                continue
            keyed = [" ".join((t, *one.keywords)) for t, one in ((said, source), (parameter.description, target))]
            if vector[keyed[0]] @ vector[keyed[1]] <= keyword:
                continue
            pair = (source.name, target.name)
            found.append((source.name, output.name, target.name, parameter.name, pair not in seen))
            seen.add(pair)
    return found


def densely(
    apis: Sequence[Api], embedder: Embedder, thresholds: tuple[float, float, float]
) -> list[tuple[str, str, str, str, bool]]:
    """The published rule as the reference code computes it: whole matrices, and then a look at every pair."""
    lcs, keyword, description = thresholds
    rows, columns = list[tuple[Api, str, str, str]](), list[tuple[Api, str, str, str]]()
    for one in apis:
        first = {output.name: output.description for output in reversed(list(outputs(one)))}
        for output in outputs(one):
            texts = (output.name, output.phrase, output.description)
            if not any(word in text for word in ("status", "message") for text in texts):
                rows.append((one, output.name, folded(output.phrase), first[output.name]))
        columns += [(one, it.name, folded(it.phrase), it.description) for it in inputs(one) if it.required]
    shared = cdist([row[2] for row in rows], [column[2] for column in columns], scorer=LCSseq.similarity)
    mean = np.add.outer([len(row[2]) for row in rows], [len(column[2]) for column in columns]) / 2
    alike = shared / np.maximum(mean, 1e-12) > lcs
    for limit, texts in (
        (description, [[one[3] for one in side] for side in (rows, columns)]),
        (keyword, [[" ".join((one[3], *one[0].keywords)) for one in side] for side in (rows, columns)]),
    ):
        above, below = (embedder.embed(side) for side in texts)
        alike &= above @ below.T > limit
    found, seen = list[tuple[str, str, str, str, bool]](), set[tuple[str, str]]()
    for column, row in np.argwhere(alike.T).tolist():
        source, output, target, parameter = rows[row][0].name, rows[row][1], columns[column][0].name, columns[column][1]
        if source != target and not any(
            word in folded(name) for name in (output, parameter) for word in ("page", "limit")
        ):
            found.append((source, output, target, parameter, (source, target) not in seen))
            seen.add((source, target))
    return found


def names(edges: Iterable[Edge]) -> list[tuple[str, str, str, str, bool]]:
    """What an edge joins, and whether it is chosen."""
    return [(edge.source, edge.output, edge.target, edge.parameter, edge.chosen) for edge in edges]
