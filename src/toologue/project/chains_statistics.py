"""What there is to say of a dataset of chains: the paper's table 2, and how even and how clean it is.

Contract: counts are of what stands in the files; `dropped` says what does not, and why: edges of the graph, documents
that users would not ask for by themselves, pairs between two splits, dialogues. `compared` sets the figures beside
those of ToolDial (tables 2 and 11 to 13; section 3.4).

Example:
    >>> census = Census(Prepared(pairs={}, apis=2, edges=1, lost=0))
    >>> census.drop(REPEATS)
    >>> said = census.statistics({})
    >>> said.documents, said.dropped, next(compared(said))
    (2, {'dialogues': {'nearly repeats another': 1}}, ('train', '0', '8,859'))

Not covered: how dialogues read; people say that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue

from toologue.plan.chains.split import SPLITS
from toologue.plan.chains.statistics import Statistics
from toologue.project.chains_pairs import Prepared
from toologue.project.chains_words import Done
from toologue.schema.noun import Noun

REPEATS = "nearly repeats another"
Row = tuple[str, str, str]


class ChainStatistics(Noun):
    """The figures of a dataset. `turns` are messages that are seen; `most_used`, `rarest` and `repeats` are shares.

    `pairs`: of a source and a target; `alone`: APIs that are called without a source.
    """

    splits: dict[str, int]
    dialogues: int
    turns: int
    turns_per_dialogue: float | None
    user_messages: int
    agent_messages: int
    actions: dict[str, int]
    agent_actions: int
    states: int
    sequences: dict[str, int]
    categories: dict[str, int]
    pairs: int
    alone: int
    most_used: float
    rarest: float
    apis: int
    repeats: float
    documents: int
    edges: int
    dropped: dict[str, dict[str, int]]
    made: dict[str, JsonValue]


class Census:
    """Counts dialogues as they are made, and what is dropped."""

    def __init__(self, prepared: Prepared):
        self.total = Statistics()
        self._prepared, self._dropped = prepared, Counter[str]()

    def add(self, one: Done) -> None:
        """Count a dialogue."""
        for name, value in vars(one.counts).items():
            if isinstance(value, Counter):
                getattr(self.total, name).update(value)
            else:
                setattr(self.total, name, getattr(self.total, name) + value)

    def drop(self, reason: str) -> None:
        """Count what did not come about."""
        self._dropped[reason] += 1

    def statistics(self, made: Mapping[str, Any]) -> ChainStatistics:
        """What there is to say so far; `made`: the settings."""
        said, prepared = self.total, self._prepared
        repeats = self._dropped[REPEATS]
        dropped: dict[str, Counter[Any]] = {
            "edges": prepared.edges_dropped,
            "documents": prepared.apis_dropped,
            "pairs": Counter({"between two splits": prepared.lost}),
            "dialogues": self._dropped,
        }
        total = said.dialogues or 1
        return ChainStatistics(
            splits={name: said.splits[name] for name in SPLITS},
            dialogues=said.dialogues,
            turns=said.turns,
            turns_per_dialogue=said.mean,
            user_messages=said.user_messages,
            agent_messages=said.agent_messages,
            actions=_sorted(said.actions),
            agent_actions=said.agent_actions,
            states=said.states,
            sequences=_sorted(said.sequences),
            categories=_sorted(said.categories),
            pairs=(pairs := sum(source is not None for source, _ in said.pairs)),
            alone=len(said.pairs) - pairs,
            most_used=max(said.pairs.values(), default=0) / total,
            rarest=min(said.sequences.values(), default=0) / total,
            apis=said.apis,
            repeats=repeats / (said.dialogues + repeats) if said.dialogues else 0.0,
            documents=prepared.apis,
            edges=prepared.edges,
            dropped={name: _sorted(+counts) for name, counts in dropped.items() if +counts},
            made={**made, "ratio": list(made.get("ratio", ()))},
        )


def compared(said: ChainStatistics) -> Iterator[Row]:
    """(what, here, in the paper)."""
    paper = {"train": "8,859", "validation": "1,086", "test": "1,166"}
    for name, number in said.splits.items():
        yield name, f"{number:,}", paper[name]
    mean = "–" if said.turns_per_dialogue is None else f"{said.turns_per_dialogue:.2f}"
    yield "dialogues", f"{said.dialogues:,}", "11,111"
    yield "turns", f"{said.turns:,}", "99,476"
    yield "turns per dialogue", mean, "8.95"
    yield "action sequences", str(len(said.sequences)), "23"
    yield "rarest sequence", f"{said.rarest:.1%}", "–"
    yield "pairs of APIs", f"{said.pairs:,}", "–"
    yield "APIs without a source", f"{said.alone:,}", "–"
    yield "most used of both", f"{said.most_used:.1%}", "–"
    yield "APIs that are called", f"{said.apis:,}", "–"
    yield "near-duplicates, dropped", f"{said.repeats:.1%}", "–"


def _sorted(counts: Counter[Any]) -> dict[str, int]:
    return {str(name): number for name, number in sorted(counts.items(), key=lambda one: (-one[1], str(one[0])))}
