"""`toologue demo`: each line on what ships, offline: a table, a page, and the command to type next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from toologue.cli.options import Out
from toologue.cli.project import checked, first_looks
from toologue.cli.run import show
from toologue.cli.terminal import echo, folded, progress_bar

if TYPE_CHECKING:
    from toologue.project.evaluate import Checked

Line = Literal["procedures", "tools", "chains", "programs"]
_NOTES = (
    "procedure carries out the procedures, with no language model; it fails where it mishears a value.",
    "procedure_careless skips checks, writes when it is pressed, and invents what it should ask for.",
)
_SETTINGS = """# The demo: a shop's help desk. Change a procedure, and run `toologue test` on this folder.
apis = "apis/openapi.yaml"
seed = "seed/rows.yaml"
agents = ["procedure", "procedure_careless"]

[conversations]
seed = 1

[gate]
fail_under = 0.9
"""
_RECORDED = Path(__file__).parents[1] / "bench" / "dialog2api" / "recorded.xml"
# Documents of a bank, and what was written by hand, as a model would, of what people want of them.
_BANK = Path(__file__).parents[1] / "bench" / "tooldial" / "bank"


class _Benchmark(NamedTuple):
    """A line that its benchmark shows: agents by what they are called, a title, notes, the command to type next."""

    benchmark: str
    agents: dict[str, str]
    title: str
    notes: tuple[str, ...]
    then: str


_BENCHMARKS = {
    "tools": _Benchmark(
        "tooltalk",
        {"gold": "gold", "wrong_argument": "altered:wrong_argument", "extra_write": "altered:extra_write"},
        "Conversations with a personal assistant of 28 tools",
        (
            "gold plays the expected calls; it must pass everywhere, or the tests are wrong.",
            "wrong_argument gives one call of a conversation a wrong value; extra_write writes what nobody asked for.",
        ),
        "toologue bench tooltalk --agent retrieve",
    ),
    "chains": _Benchmark(
        "tooldial",
        {"gold": "gold", "retrieve": "retrieve"},
        "Conversations in which one API finds what another needs",
        (
            "They were made just now, from the API documents of a bank and what people want of them (toologue apis "
            "enrich), written by hand as a model would.",
            "retrieve finds APIs, asks, looks up and answers with no language model.",
        ),
        "toologue apis enrich YOUR_OPENAPI.yaml -o uses.jsonl --model openai:NAME",
    ),
    "programs": _Benchmark(
        "dialog2api",
        {"gold": "gold", "recorded": f"predictions:{_RECORDED}"},
        "A chatbot that writes programs over a stack of goals",
        (
            "recorded: what a language model's session answered, request by request; its programs were executed just "
            "now, in the sandbox.",
            "No figure of it stands for a model that has a name.",
        ),
        'toologue chat --agent "program_stack:openai:NAME"',
    ),
}


def demo(*, out: Out = Path("toologue-demo"), line: Line = "procedures") -> int:
    """The shipped example, offline: a table, and a page to open.

    Args:
        out: Where everything goes, report.html among it.
        line: procedures (a help desk: procedures, conversations, tests), tools (a personal assistant with 28 tools),
            chains (API documents, conversations over two of them) or programs (a chatbot that writes programs,
            recorded).
    """
    if line != "procedures":
        status, then = _benchmark(line, out), _BENCHMARKS[line].then
    else:
        found = _procedures(out)
        report = replace(found.report, title="A shop's help desk", command="toologue demo", notes=_NOTES)
        status, then = show(report, out / "report.html", None, failures=False), f"toologue test {out}"
        for trial, note in zip(found.trials, _NOTES, strict=True):
            echo(folded(f"\n{note}", more=0))
            first_looks(found, trial)
    echo(f"next: {then}", note=True)
    return status


def _procedures(out: Path) -> Checked:
    from toologue.plan.procedures import files
    from toologue.project.settings import FILE, open_project
    from toologue.schema.jsonl import check_owned, replacing
    from toologue.worlds.crud.simulator import files_of

    check_owned(out, FILE)
    document, seed = files_of("shop", None)
    texts = {"apis/openapi.yaml": document, "seed/rows.yaml": seed}
    texts |= {f"procedures/{file.name}": file for file in files("shop").values()}
    held = {name: Path(str(file)).read_bytes() for name, file in texts.items()} | {FILE: _SETTINGS.encode()}
    for name, text in held.items() if not (out / FILE).exists() else ():
        with replacing(out / name) as stream:
            stream.write(text)
    return checked(open_project(out))


def _benchmark(name: Line, out: Path) -> int:
    from toologue.bench import benchmark as benchmarks
    from toologue.bench.dialog2api import read_predictions
    from toologue.models.similarity import TextMatch

    line = _BENCHMARKS[name]
    chosen, judge = benchmarks.benchmark(line.benchmark), TextMatch.of("lexical")
    golds = chosen.load(_chains(out) if line.benchmark == "tooldial" else None)
    if line.benchmark == "dialog2api":
        recorded = read_predictions(_RECORDED)
        golds = [gold for gold in golds if gold.id in recorded]
    with progress_bar("running") as progress:
        options = benchmarks.Options(out=None if chosen.prepare else out, progress=progress)
        found = benchmarks.evaluate(chosen, golds, line.agents.values(), judge=judge, options=options)
    results = dict(zip(line.agents, found.values(), strict=True))
    made = benchmarks.report_of(chosen, results, judge=judge, command=f"toologue demo --line {name}")
    return show(replace(made, title=line.title, notes=line.notes), out / "report.html", None, failures=False)


def _chains(out: Path) -> Path:
    """Conversations over the documents of a bank, generated where they are not there yet."""
    from toologue.project.chains import ChainMaking, make_chains

    folder = out / "chains"
    if not (folder / "statistics.json").exists():
        with progress_bar("generating") as progress:
            making = ChainMaking(40, ratio=(1.0, 0.0, 0.0))
            make_chains([_BANK / "apis.jsonl"], folder, making, uses=_BANK / "uses.jsonl", progress=progress)
    return folder / "dialogues.jsonl"
