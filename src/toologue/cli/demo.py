"""`toologue demo`: the main job on what ships, offline. Two agents live a shop's procedures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue.cli.project import checked, first_looks
from toologue.cli.run import show

if TYPE_CHECKING:
    from toologue.project.evaluate import Checked
    from toologue.report.view import Report

_AGENTS = ("gold", "altered:wrong_argument", "altered:extra_write")
_NOTES = (
    "procedure carries out the procedures, with no language model.",
    "procedure_careless skips checks, obeys what it should refuse, and invents what it should ask for.",
)
_SETTINGS = """# The demo: a shop's help desk. Change a procedure, and run `toologue test` on this folder.
apis = "apis/openapi.yaml"
seed = "seed/rows.yaml"
agents = ["procedure", "procedure_careless"]

[conversations]
seed = 1
"""


def demo(*, out: Path = Path("toologue-demo"), line: Literal["procedures", "tools"] = "procedures") -> int:
    """The shipped example, offline: a table, and a page to open.

    Parameters
    ----------
    out
        Where everything goes, report.html among it.
    line
        procedures (a help desk: procedures, conversations, tests) or tools (a personal assistant with 28 tools).
    """
    from toologue.report.view import Report

    if line == "tools":
        return show(_tools(out), out / "report.html", None)
    found = _procedures(out)
    report = Report("A shop's help desk", found.report.runs, "toologue demo", _NOTES, found.report.charted)
    status = show(report, out / "report.html", None, failures=False)
    first_looks(found, found.trials[-1])
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


def _tools(out: Path) -> Report:
    from toologue.bench.tooltalk import load
    from toologue.models.similarity import TextMatch
    from toologue.report.view import Report, view_of
    from toologue.run.store import Config, run_folder

    dialogues, judge = load(), TextMatch.of("lexical")
    folders = [run_folder(out / agent.replace(":", "-"), dialogues, Config(agent=agent)) for agent in _AGENTS]
    notes = (
        "gold plays the expected calls; it must pass everywhere, or the tests are wrong.",
        "wrong_argument gives one call of a conversation a wrong value; extra_write writes what nobody asked for.",
    )
    title = f"{len(dialogues)} conversations with a personal assistant"
    return Report(title, [view_of(folder, judge) for folder in folders], "toologue demo --line tools", notes)
