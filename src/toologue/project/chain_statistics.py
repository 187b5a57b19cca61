"""The figures of a dataset of chains: as data, and beside those of ToolDial's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from toologue.data import shipped
from toologue.schema import Noun
from toologue.values.json_schema import list_of

Row = tuple[str, str, str]
# Why something becomes no conversation: what that means, and what helps.
WHYS: Mapping[str, Sequence[str]] = shipped(Path(__file__).with_suffix(".yaml"))


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


def lacking(said: ChainStatistics) -> list[str]:
    """What a dataset lacks, a line each: conversations, whole splits, with what helps."""
    told: list[str] = []
    if not said.dialogues:
        whys = [(n, why) for counts in said.dropped.values() for why, n in counts.items()]
        told = [f"no conversation was made: {n:,} × {why}: {reason_words(why)}" for n, why in sorted(whys)[::-1][:3]]
    ratio = list_of(said.made.get("ratio")) or [1] * len(said.splits)
    for (split, number), share in zip(said.splits.items(), ratio, strict=True) if said.dialogues else ():
        if share and not number:
            told.append(
                f"the split {split} is empty: APIs that belong together stay in one; give more APIs, or a --ratio"
            )
    return told


def reason_words(why: str) -> str:
    """A reason in plain words, with what helps; rules that a conversation broke are said as they are."""
    meaning, helps = WHYS.get(why, ("", ""))
    return f"{meaning}; {helps}" if meaning else why
