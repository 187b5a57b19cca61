"""How right the verdicts on words are: labelled replies, graded (`toologue prove verdicts`).

A folder holds `dialogues.jsonl[.gz]` (golds) and `replies.jsonl`: a reply or calls in place of one of their turns, with
a label that a person would give. Rows that a careful reader calls debatable are counted, and belong to no rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from toologue.errors import BadFile, BadRecord
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Call, DecidedBy, Dialogue, Noun, Verdict
from toologue.schema.jsonl import read
from toologue.score.steps import judged_step

Label = Literal["right", "wrong", "debatable"]
LABELS: tuple[Label, ...] = ("right", "wrong", "debatable")
VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "unsure")


OPEN_SET = Path(__file__).resolve().with_name("replies")
"""443 replies to 160 turns of generated conversations, and 170 calls, by writers who saw the request alone."""


class LabelledReply(Noun):
    """A step in place of turn `turn` of a dialogue, and whether it would do there."""

    id: str
    dialogue: str
    turn: int
    text: str | None = None
    calls: tuple[Call, ...] = ()
    label: Label
    kind: str = ""
    why: str = ""


class Graded(NamedTuple):
    """A labelled row with its verdict, what decided it, and why."""

    id: str
    label: Label
    dialogue: str
    kind: str
    verdict: Verdict
    decided_by: DecidedBy | None
    why: str


def graded_replies(folder: Path, match: TextMatch) -> list[Graded]:
    """The labelled replies of a folder, graded. Raises BadFile where it has none."""
    golds = {gold.id: gold for gold in read(_file(folder, "dialogues.jsonl"), Dialogue)}
    return [_graded(row, golds, match) for row in labelled(folder)]


def labelled(folder: Path) -> Iterator[LabelledReply]:
    """The labelled replies of a folder."""
    return read(_file(folder, "replies.jsonl"), LabelledReply)


def tally(rows: Iterable[Graded]) -> Mapping[Label, Mapping[Verdict, int]]:
    """How often each label got each verdict."""
    found = Counter((row.label, row.verdict) for row in rows)
    return {label: {verdict: found[label, verdict] for verdict in VERDICTS} for label in LABELS}


def _graded(row: LabelledReply, golds: Mapping[str, Dialogue], match: TextMatch) -> Graded:
    gold = golds.get(row.dialogue)
    if gold is None or not 0 <= row.turn < len(gold.turns) or gold.turns[row.turn].role != "agent":
        raise BadRecord(f"reply {row.id!r}", 0, "$.turn", f"dialogue {row.dialogue!r} has no agent turn {row.turn}")
    found = judged_step(gold, row.turn, AgentTurn(text=row.text, acts=row.calls), match)
    why = "; ".join(f"{one.field}: {one.why}" for one in found.at)
    return Graded(row.id, row.label, row.dialogue, row.kind, found.verdict, found.by, why)


def _file(folder: Path, name: str) -> Path:
    found: Sequence[Path] = [path for path in (folder / name, folder / f"{name}.gz") if path.exists()]
    if not found:
        raise BadFile(f"{folder} has no {name}: give a folder of labelled replies (docs/judges-and-review.md)")
    return found[0]
