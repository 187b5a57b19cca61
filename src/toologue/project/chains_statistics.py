"""The figures of a dataset of chains: the paper's table 2, how even and how clean it is, beside ToolDial's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from toologue.plan.chains.split import SPLITS
from toologue.plan.chains.statistics import Statistics
from toologue.project.statistics import by_frequency
from toologue.schema.jsonl import Noun

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


def chain_statistics(
    total: Statistics, *, documents: int, edges: int, dropped: Mapping[str, Counter[Any]], made: Mapping[str, Any]
) -> ChainStatistics:
    """The figures of what stands in the files; `dropped` says by reason what does not, `made` are the settings."""
    repeats = dropped["dialogues"][REPEATS]
    pairs = sum(source is not None for source, _ in total.pairs)
    return ChainStatistics(
        splits={name: total.splits[name] for name in SPLITS},
        dialogues=total.dialogues,
        turns=total.turns,
        turns_per_dialogue=total.mean,
        user_messages=total.user_messages,
        agent_messages=total.agent_messages,
        actions=by_frequency(total.actions),
        agent_actions=total.agent_actions,
        states=total.states,
        sequences=by_frequency(total.sequences),
        categories=by_frequency(total.categories),
        pairs=pairs,
        alone=len(total.pairs) - pairs,
        most_used=max(total.pairs.values(), default=0) / (total.dialogues or 1),
        rarest=min(total.sequences.values(), default=0) / (total.dialogues or 1),
        apis=total.apis,
        repeats=repeats / (total.dialogues + repeats) if total.dialogues else 0.0,
        documents=documents,
        edges=edges,
        dropped={name: by_frequency(+counts) for name, counts in dropped.items() if +counts},
        made={**made, "ratio": list(made.get("ratio", ()))},
    )


def compared(said: ChainStatistics) -> list[Row]:
    """(what, here, in the paper): tables 2 and 11 to 13, and section 3.4 of ToolDial."""
    mean = said.turns_per_dialogue
    papers = ("8,859", "1,086", "1,166")
    return [
        *((name, f"{number:,}", paper) for (name, number), paper in zip(said.splits.items(), papers, strict=True)),
        ("dialogues", f"{said.dialogues:,}", "11,111"),
        ("turns", f"{said.turns:,}", "99,476"),
        ("turns per dialogue", "–" if mean is None else f"{mean:.2f}", "8.95"),
        ("action sequences", str(len(said.sequences)), "23"),
        ("rarest sequence", f"{said.rarest:.1%}", "–"),
        ("pairs of APIs", f"{said.pairs:,}", "–"),
        ("APIs without a source", f"{said.alone:,}", "–"),
        ("most used of both", f"{said.most_used:.1%}", "–"),
        ("APIs that are called", f"{said.apis:,}", "–"),
        ("near-duplicates, dropped", f"{said.repeats:.1%}", "–"),
    ]
