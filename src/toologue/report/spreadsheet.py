"""The totals of runs as CSV, for the table of a paper: a row an agent, and one for each split of its conversations.

Contract: facts come first (mode, similarity, …), then of each metric its value if all that is unsure is wrong, the best
one, if all of it is right, and the ends of the 95 % interval. Nothing is rounded; what is missing is empty. Splits are
those that dialogues name (ToolTalk's easy and hard), where there are several.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from toologue.report.view import Report, RunView
from toologue.schema import Score
from toologue.schema.jsonl import replacing
from toologue.score.metric import Total, totals

_PARTS = {"": "value", " best": "best", " low": "low", " high": "high"}
ALL = "all"


def write_csv(file: Path, report: Report) -> None:
    """Write the totals of a report as CSV, replacing the file in one step."""
    facts = list(dict.fromkeys(name for run in report.runs for name in run.facts if name != "agent"))
    metrics = [f"{metric}{part}" for metric in report.metrics for part in _PARTS]
    text = io.StringIO()
    rows = csv.DictWriter(text, ["agent", "split", "conversations", *facts, *metrics], lineterminator="\n")
    rows.writeheader()
    for run in report.runs:
        for split, count, found in _splits(run):
            about = {**run.facts, "agent": run.name, "split": split, "conversations": count}
            figures = {f"{one.metric}{part}": getattr(one, name) for one in found for part, name in _PARTS.items()}
            rows.writerow({**about, **figures})
    with replacing(file) as stream:
        stream.write(text.getvalue().encode())


def _splits(run: RunView) -> Iterator[tuple[str, int, Sequence[Total]]]:
    """(split, its conversations, their totals) of each split of a run that has several, then of all."""
    sizes, scores = dict[str, int](), dict[str, list[Score]]()
    for one in run.all:
        split = str(one.gold.origin.get("split") or "")
        sizes[split] = sizes.get(split, 0) + 1
        scores.setdefault(split, []).extend(one.scores.values())
    for split in sizes if len(sizes) > 1 else ():
        yield split or "neither", sizes[split], totals(scores[split])
    yield ALL, sum(sizes.values()), run.totals
