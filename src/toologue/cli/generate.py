"""`toologue generate`: procedures in, verified conversations out, and what there is to say of them.

Not covered: going on where a run was interrupted; the files appear when all is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table
from rich.text import Text

from toologue.cli.generate_chains import chains
from toologue.cli.talks import Talks
from toologue.cli.terminal import progress_bar, say
from toologue.errors import BadSetting
from toologue.project.generate import Making, write_suite
from toologue.project.generate import generate as made_of
from toologue.project.made import Made, Source
from toologue.project.statistics import Statistics, compared


def procedures(
    *what: str,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    talks: Talks = Talks(),
    workers: int = 1,
    model: str | None = None,
) -> None:
    """Conversations from procedures: planned by execution, worded, verified, into a folder with their statistics.

    Parameters
    ----------
    what
        Procedures or services that ship, or .md files of yours with --service; by default all that ship.
    out
        The folder for dialogues, plans, graphs, apis (.jsonl), procedures and statistics.json.
    talks
        How conversations are planned.
    workers
        Processes; procedures are shared out among them.
    model
        openai:NAME or module:attribute finds the words; by default templates do, offline.
    """
    if workers < 1:
        raise BadSetting(f"--workers {workers}: give 1 or more")
    chosen = talks.sources(what)
    making = talks.making(model or "template")
    said = write_suite(out, _shown(chosen, making, workers))
    say(_figures(said), _procedures(said), *_counts(said))
    print(f"{said.conversations} conversations, {said.tests:,} tests, in {out}")


def _generate() -> App:
    """The command, and the one of its parts that is named."""
    whole, part = App(name="generate"), App(name="chains")
    whole.default(procedures)
    part.default(chains)
    whole.command(part)
    return whole


generate = _generate()


def _shown(chosen: Sequence[Source], making: Making, workers: int) -> Iterator[Made]:
    """What is made, with a progress bar."""
    with progress_bar("generating") as progress:
        for number, made in enumerate(made_of(chosen, making, workers=workers), 1):
            yield made
            progress(number, len(chosen))


def _figures(said: Statistics) -> Table:
    table = Table("", "here", "ALMITA", "auto-ALMITA", "in the paper", title="statistics")
    for row in compared(said):
        table.add_row(*map(Text, row))
    return table


def _procedures(said: Statistics) -> Table:
    numbers = ("conversations", "tests", "different", "nodes", "edges", "pairs", "paths")
    table = Table("procedure", title="per procedure")
    for name in numbers:
        table.add_column(name, justify="right")
    for one in said.procedures:
        seen = map(str, (one.nodes, one.edges, one.pairs))
        counts = (f"{number:,}" for number in (one.conversations, one.tests, one.distinct_tests))
        table.add_row(Text(one.id), *counts, *seen, str(one.paths))
    return table


def _counts(said: Statistics) -> Iterator[Table]:
    """What was dropped and why; how often each kind of noise and detour came; who spoke how."""
    table = Table("", "how often", title=f"{said.proposed} paths proposed, {said.planned} planned")
    sections: Mapping[str, Mapping[str, int]] = {
        "dropped": said.dropped,
        "noise": said.noise,
        "detour": said.detours,
        "wrong value": said.wrong,
        **said.registers,
    }
    for name, counts in sections.items():
        for what, number in counts.items():
            table.add_row(Text(f"{name}: {what}"), str(number))
    yield table
