"""`toologue demo`: the starter set, played by gold and by two agents that are wrong in a known way.

Not covered: your own agent; `toologue run` takes it.
"""

from __future__ import annotations

from pathlib import Path

from toologue.bench.tooltalk import load
from toologue.cli.run import show
from toologue.models.similarity import Judge
from toologue.report.build import view_of
from toologue.report.view import Report
from toologue.run.store import Config, run_folder

__all__ = ["demo"]

AGENTS = ("gold", "altered:wrong_argument", "altered:extra_write")


def demo(*, out: Path = Path("toologue-demo")) -> None:
    """The shipped example, offline: a table, and a page to open.

    Parameters
    ----------
    out
        Where the run folders and report.html go.
    """
    dialogues, judge = load(), Judge.of("lexical")
    folders = [run_folder(out / agent.replace(":", "-"), dialogues, Config(agent=agent)) for agent in AGENTS]
    notes = (
        "gold plays the expected calls; it must pass everywhere, or the tests are wrong.",
        "wrong_argument gives one call of a conversation a wrong value; extra_write writes what nobody asked for.",
    )
    title = f"{len(dialogues)} conversations with a personal assistant"
    made = Report(title, [view_of(folder, judge) for folder in folders], command="toologue demo", notes=notes)
    show(made, out / "report.html", None)
