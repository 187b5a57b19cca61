"""The paper's table 4 for any agents, its own rows beside it, and what lies behind: by API, by complexity, by turn.

Shares are floats in [0, 1]; CodeEdits, which is no share, is a text. The paper's rows are of another dataset and of
language models: they say what is hard, and are not to be beaten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toologue.bench.benchmark import Graded, Results, sums
from toologue.bench.dialog2api.statistics import apis_in
from toologue.bench.tables import Table
from toologue.sandbox.program import raised_in
from toologue.schema import rounds
from toologue.score.metric import value_of
from toologue.score.programs import METRICS

_EMR, _PERFECT, _, _BLEU, _EDITS = METRICS
_MODELS = ("Codex", "Bloom", "NeoX")
# Table 4, by setting: CodeEdits, EMR (%), BLEU of each model.
_PAPER: dict[str, tuple[tuple[float, float, float], ...]] = {
    "API document": ((23.7, 8.4, 15.7), (40.5, 0.9, 5.4), (31.2, 3.6, 6.8)),
    "examples": ((14.7, 30.0, 28.3), (38.8, 7.7, 14.9), (21.3, 7.5, 18.2)),
    "both": ((13.2, 33.0, 29.5), (27.6, 4.41, 10.9), (23.5, 2.59, 13.1)),
}
_PERFECT_OF = {("Codex", "both"): 0.22}


def tables(results: Results) -> list[Table]:
    """All of them."""
    return [
        table for table in (table4(results), by_api(results), by_complexity(results), by_turn(results)) if table.rows
    ]


def table4(results: Results) -> Table:
    """Table 4, with the share of perfect dialogues and of turns that match."""
    rows: list[list[Any]] = []
    for agent, parts in results.items():
        found = sums([one for graded in parts.values() for one in graded])
        values = {name: value_of(name, found[name]) if found.get(name) else None for name in METRICS}
        edits = values[_EDITS]
        rows.append([agent, None if edits is None else f"{edits:.1f}", *(values[name] for name in METRICS[:4])])
    for setting, models in _PAPER.items():
        for model, (edits, emr, bleu) in zip(_MODELS, models, strict=True):
            perfect = _PERFECT_OF.get((model, setting))
            rows.append([f"the paper's: {model}, {setting}", f"{edits:.1f}", emr / 100, perfect, None, bleu / 100])
    title = "Programs (table 4; the paper's rows: language models, on another dataset)"
    return Table(title, ["agent", "CodeEdits (lower is better)", *METRICS[:4]], rows)


def by_api(results: Results) -> Table:
    """The share of turns that match, by what the gold executes there: an Api, or a conversational exception."""
    columns: dict[str, dict[str, list[bool]]] = {}
    for agent, graded in _talks(results):
        for one in graded:
            for matches, uses in zip(one.record.get("turns", ()), _uses(one), strict=False):
                for use in uses:
                    columns.setdefault(agent, {}).setdefault(use, []).append(matches)
    return _shares("Turns that match, by what the gold executes", columns)


def by_complexity(results: Results) -> Table:
    """The EMR, by the complexities that a dialogue's goal suggests."""
    columns: dict[str, dict[str, list[float]]] = {}
    for agent, graded in _talks(results):
        for one in graded:
            complexities, value = one.gold.origin.get("complexities"), one.scores[_EMR].value
            for name in complexities if isinstance(complexities, list) and value is not None else ():
                columns.setdefault(agent, {}).setdefault(str(name), []).append(value or 0.0)
    return _shares("EMR, by complexity", columns)


def by_turn(results: Results) -> Table:
    """The share of dialogues that match up to each turn of the user, of those that go so far."""
    columns: dict[str, dict[str, list[bool]]] = {}
    for agent, graded in _talks(results):
        for one in graded:
            far = True
            for number, matches in enumerate(one.record.get("turns", ()), 1):
                far = far and matches
                columns.setdefault(agent, {}).setdefault(f"{number:2}", []).append(far)
    return _shares("Dialogues that match so far, by turn of the user", columns)


def _talks(results: Results) -> Iterator[tuple[str, Sequence[Graded]]]:
    for agent, parts in results.items():
        yield from ((agent, graded) for part, graded in parts.items() if part.name == "talk")


def _uses(one: Graded) -> Iterator[list[str]]:
    """By turn of the user, what the gold's programs call or raise."""
    for said, did in rounds(one.gold.turns):
        if said:
            acts = [act for turn in did for act in turn.acts if act.kind == "program" and act.status == "final"]
            found = [use for act in acts for use in apis_in(act.code) or [raised_in(act.code)] if use]
            yield list(dict.fromkeys(found)) if acts else ["nothing"]


def _shares(title: str, columns: Mapping[str, Mapping[str, Sequence[float]]]) -> Table:
    """Means by row, with their n, one column an agent."""
    names = sorted({name for column in columns.values() for name in column})
    counts = [max(len(column.get(name, ())) for column in columns.values()) for name in names]
    rows: list[list[Any]] = []
    for name, n in zip(names, counts, strict=True):
        found = [column.get(name) for column in columns.values()]
        rows.append([name.strip(), n, *(sum(values) / len(values) if values else None for values in found)])
    return Table(title, ["", "n", *columns], rows)
