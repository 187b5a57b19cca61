"""The part of `toologue bench` and `toologue prove` that is about Dialog2API: programs, executed and compared.

Not covered: resuming; a run that is killed begins again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toologue.bench.benchmark import Mode, Options
from toologue.bench.dialog2api import PASSES, load, of_split, play
from toologue.bench.dialog2api import grade as graded
from toologue.bench.dialog2api.evaluate import evaluate, record
from toologue.bench.dialog2api.files import Split
from toologue.bench.dialog2api.mutations import prove
from toologue.bench.dialog2api.statistics import table3, talk_table
from toologue.bench.dialog2api.tables import Results, tables
from toologue.bench.prove import Proof
from toologue.bench.tables import html
from toologue.cli.bench_tooldial import Files
from toologue.cli.run import show
from toologue.cli.terminal import progress_bar, say_tables, write_json
from toologue.errors import BadSetting
from toologue.report.view import Conversation, Report, RunView
from toologue.score.metric import totals

__all__ = ["bench_dialog2api", "prove_dialog2api"]


def bench_dialog2api(
    specs: Sequence[str], data: Path | None, split: Split | None, mode: Mode, options: Options, files: Files
) -> None:
    """Agents through both parts: the paper's tables, and what files are wanted. Without an agent, what the data is."""
    if not specs and (files.html or files.junit):
        raise BadSetting("a page is made of what agents did: give --agent or --predictions")
    golds = of_split(load(data), split)
    if not specs:
        made = [table3(golds), talk_table(golds)]
        say_tables(made)
        if files.json is not None:
            write_json(files.json, {"benchmark": "dialog2api", "tables": [table._asdict() for table in made]})
        return
    with progress_bar("running") as progress:
        results = evaluate(golds, specs, mode, options=replace(options, progress=progress))
    made = tables(results)
    say_tables(made)
    if files.json is not None:
        write_json(files.json, record(results, mode))
    own = [("Tables", html([*made, table3(golds)]))]
    report = Report(f"dialog2api ({mode})", _views(results, mode), command=files.command, sections=own)
    show(report, files.html, files.junit)


def prove_dialog2api(data: Path | None, mode: Mode, options: Options, *, gold: bool) -> tuple[float, list[Proof]]:
    """(share of the gold conversations whose EMR is 1, what became of each mutation)."""
    golds = load(data)
    played = zip(golds, play("talk", golds, "gold", options), strict=True)
    right = sum(graded(mode, one, trace).scores[PASSES].value == 1 for one, trace in played)
    return right / len(golds), [] if gold else prove(golds, mode, options)


def _views(results: Results, mode: Mode) -> list[RunView]:
    """A column an agent; conversations are those of the talk."""
    views: list[RunView] = []
    for agent, parts in results.items():
        scores = (score for graded in parts.values() for one in graded for score in one.scores.values())
        talk = [Conversation(one.gold, one.trace, one.scores) for one in parts["talk"]]
        views.append(RunView(agent, {"mode": mode}, totals(scores), talk))
    return views
