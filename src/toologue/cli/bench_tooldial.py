"""The part of `toologue bench` and `toologue prove` that is about ToolDial: four tasks, with labels shown or not.

Not covered: resuming; a run that is killed begins again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from toologue.bench.benchmark import Mode, Options
from toologue.bench.prove import Proved
from toologue.bench.tooldial import PASSES, load, parts
from toologue.bench.tooldial.evaluate import evaluate, record
from toologue.bench.tooldial.mutations import prove
from toologue.bench.tooldial.tables import Results, section, tables
from toologue.cli.run import show
from toologue.cli.terminal import say_tables, write_json
from toologue.errors import BadSetting
from toologue.models.model import model
from toologue.report.view import Conversation, Report, RunView
from toologue.score.metric import totals


class Asked(NamedTuple):
    """What is played: tasks and kinds of labels (all where none is named), and who votes on responses."""

    tasks: Sequence[str] = ()
    labels: Sequence[str] = ()
    judge: str | None = None


class Files(NamedTuple):
    """Where results go, where they are wanted, and the command that makes them again."""

    command: str
    json: Path | None = None
    html: Path | None = None
    junit: Path | None = None


def bench_tooldial(
    specs: Sequence[str], data: Path | None, mode: Mode, options: Options, asked: Asked, files: Files
) -> None:
    """Agents through all parts: the paper's tables, and what files are wanted."""
    chosen = parts(asked.tasks, asked.labels)
    if any(spec.partition(":")[0] == "predictions" for spec in specs) and len({part.task for part in chosen}) > 1:
        raise BadSetting("predictions are for one task: name it, as in --task dst")
    judge = None if asked.judge is None else model(asked.judge)
    results = evaluate(load(data), specs, chosen, mode, options=options, model=judge)
    say_tables(tables(results))
    if files.json is not None:
        write_json(files.json, record(results, mode))
    own = [("Tasks and tables", section(results))]
    report = Report(f"tooldial ({mode})", _views(results, mode), command=files.command, sections=own)
    show(report, files.html, files.junit)


def prove_tooldial(data: Path | None, mode: Mode, options: Options, *, gold: bool) -> Proved:
    """The share of the gold conversations that pass every part, and what became of each mutation."""
    golds = load(data)
    played = evaluate(golds, ["gold"], parts(), mode, options=options)["gold"]
    wrong = {one.gold.id for _, graded in played for one in graded if one.scores[PASSES].value == 0}
    return Proved(1 - len(wrong) / len(golds), [] if gold else prove(golds, mode))


def _views(results: Results, mode: Mode) -> list[RunView]:
    """A column an agent, of its last part: the whole of it where all parts were played."""
    views: list[RunView] = []
    for agent, played in results.items():
        part, graded = played[-1]
        scores = (score for one in graded for score in one.scores.values())
        facts = {"mode": mode, "task": part.task, "labels in the history": part.labels}
        views.append(RunView(agent, facts, totals(scores), [Conversation(g.gold, g.trace, g.scores) for g in graded]))
    return views
