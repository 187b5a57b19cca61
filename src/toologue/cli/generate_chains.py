"""The part of `toologue generate` that is about chains: API documents in, a dataset of conversations out.

Not covered: going on where a run was interrupted; the files appear when all is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from toologue.cli.terminal import progress_bar, say
from toologue.errors import BadSetting
from toologue.plan.api_graph.rules import RulesName
from toologue.project.chains import ChainMaking, make_chains
from toologue.project.chains_statistics import ChainStatistics, compared


def chains(
    *apis: str,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    count: int = 1000,
    ratio: str = "80/10/10",
    most: float = 0.02,
    embedder: str = "lexical",
    rules: RulesName = "best",
    graph: Path | None = None,
    seed: int = 0,
    workers: int = 1,
) -> None:
    """A dataset of conversations in which one API finds what another needs: planned by execution, worded, verified.

    Parameters
    ----------
    apis
        RapidAPI records, OpenAPI documents, tools, apis.jsonl, module:function.
    out
        The folder for dialogues, train, validation, test, apis, graph (.jsonl) and statistics.json.
    count
        How many conversations.
    ratio
        Of train, validation and test. No API is in two of them.
    most
        The share of all conversations that one pair of APIs may have.
    embedder
        Of the graph and of the retriever: lexical, minilm, endpoint:MODEL.
    rules
        Of the graph: best, or published (ToolDial's code).
    graph
        A graph.jsonl that `toologue graph build` made; by default it is built.
    seed
        The same seed, the same files.
    workers
        Processes.
    """
    if not apis:
        raise BadSetting("name the APIs, as in: toologue generate chains apis.jsonl -o DIR")
    making = ChainMaking(count, seed, embedder, rules, ratio_of(ratio), most)
    with progress_bar("generating") as progress:
        said = make_chains(apis, out, making, graph=graph, workers=workers, progress=progress)
    say(_figures(said), *_counts(said))
    if said.dialogues < count:
        few = f"{count:,} were wanted, and no pair may be in more than {most:.0%} of them"
        print(f"{few}: give more APIs, or raise --most")
    about = f"about {said.pairs:,} pairs of APIs and {said.alone:,} APIs alone"
    print(f"{said.dialogues:,} conversations {about}, all verified, in {out}")


def ratio_of(text: str) -> tuple[float, ...]:
    """The numbers of a ratio such as 80/10/10. Raises BadSetting."""
    try:
        return tuple(map(float, text.split("/")))
    except ValueError:
        raise BadSetting(f"--ratio {text!r}: give three numbers, as in 80/10/10") from None


def _figures(said: ChainStatistics) -> Table:
    table = Table("", "here", "ToolDial", title="statistics")
    for row in compared(said):
        table.add_row(*map(Text, row))
    return table


def _counts(said: ChainStatistics) -> Iterator[Table]:
    """How often each sequence and action came; what was dropped and why."""
    shares = Table("sequence", "dialogues", "share", title="action sequences")
    for name, number in said.sequences.items():
        shares.add_row(name, f"{number:,}", f"{number / said.dialogues:.1%}")
    actions = Table("action", "turns", title="actions")
    for name, number in said.actions.items():
        actions.add_row(name, f"{number:,}")
    dropped = Table("dropped", "why", "how many", title=f"{said.documents:,} APIs, {said.edges:,} edges")
    for what, counts in said.dropped.items():
        for why, number in counts.items():
            dropped.add_row(what, Text(why), f"{number:,}")
    yield from (shares, actions, dropped)
