"""The part of `toologue bench` and `toologue prove` that is about Dialog2API: programs, executed and compared.

Not covered: resuming a proof; one that is killed begins again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toologue.bench.benchmark import Mode, Options
from toologue.bench.dialog2api import load, of_split
from toologue.bench.dialog2api.evaluate import evaluate, record
from toologue.bench.dialog2api.files import Split
from toologue.bench.dialog2api.mutations import prove
from toologue.bench.dialog2api.places import run_everywhere, table
from toologue.bench.dialog2api.statistics import table3, talk_table
from toologue.bench.dialog2api.tables import Results, tables
from toologue.bench.prove import Proved
from toologue.bench.tables import html
from toologue.cli.bench_tooldial import Files
from toologue.cli.run import show
from toologue.cli.terminal import progress_bar, say_tables, write_json
from toologue.errors import BadSetting
from toologue.report.view import Conversation, Report, RunView
from toologue.schema import Dialogue
from toologue.schema.jsonl import read
from toologue.score.metric import totals
from toologue.worlds.s3 import prefix_at


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


def prove_dialog2api(
    data: Path | None, mode: Mode, options: Options, *, gold: bool, endpoint: str | None = None
) -> Proved:
    """The share of the gold conversations that come to the same in every place, and what became of each mutation."""
    if endpoint is not None:
        prefix_at(endpoint)  # refused before anything has run
    golds = load(data)
    with progress_bar("running the gold") as progress:
        places = run_everywhere(golds, mode, endpoint, progress)
    say_tables([table(places)])
    for place in places:
        if place.name == "monty" and place.by_cpython:
            print(f"outside Monty's part of Python: {', '.join(place.by_cpython)}")
        if place.unequal:
            print(f"not as the gold in {place.name}: {', '.join(place.unequal[:10])}")
    wrong = {name for place in places for name in place.wrong}
    more = {"places": [vars(place) for place in places]}
    return Proved(1 - len(wrong) / len(golds), [] if gold else prove(golds, mode, options), more)


def over_s3(file: Path) -> bool:
    """Whether a file, or a folder with goals.yaml, holds conversations with programs over S3, and no others."""
    if not file.is_file():
        return (file / "goals.yaml").is_file()
    if file.suffix == ".xml":
        return True
    kinds: set[str] = set()
    for gold in read(file, Dialogue):
        if gold.world.name not in ("s3", "s3_programs"):
            return False
        kinds |= {act.kind for turn in gold.turns if turn.role == "agent" for act in turn.acts}
    return "program" in kinds


def _views(results: Results, mode: Mode) -> list[RunView]:
    """A column an agent; conversations are those of the talk."""
    views: list[RunView] = []
    for agent, parts in results.items():
        scores = (score for graded in parts.values() for one in graded for score in one.scores.values())
        talk = [Conversation(one.gold, one.trace, one.scores) for one in parts["talk"]]
        views.append(RunView(agent, {"mode": mode}, totals(scores), talk))
    return views
