"""The part of `toologue graph` that tries edges: whether what one API gives out can be fed to the other.

Not covered: real services; APIs answer as their documents say, or a language model judges.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from toologue.apis.load import apis_of_all
from toologue.cli.terminal import say
from toologue.errors import BadSetting
from toologue.models.model import model
from toologue.plan.api_graph.check_graph import EdgeJudge, Figures, check_graph


def check(
    graph: Path,
    /,
    *apis: str,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    labels: Path | None = None,
    judge: str | None = None,
    votes: int = 1,
    sample: int = 0,
    seed: int = 0,
) -> None:
    """Which edges hold: source and target are executed as their documents say, and what they mean is compare_block.

    Parameters
    ----------
    graph
        A graph.jsonl.
    apis
        The documents that it was built from.
    out
        Where the verdicts go, one a line; `toologue plan chains --checked` reads them.
    labels
        Edges that somebody judged, one a line with source, output, target, parameter, label: what verdicts are worth.
    judge
        openai:NAME or module:attribute judges in two steps, in place of the offline stages.
    votes
        How often the judge is asked of each edge.
    sample
        How many pairs that are no edges are tried as well, for the share of them that is rightly none.
    seed
        Of what the APIs answer.
    """
    if not apis:
        raise BadSetting("name the documents too, as in: toologue graph check graph.jsonl apis.jsonl -o checked.jsonl")
    by = None if judge is None else EdgeJudge(model(judge), votes, seed)
    found = asyncio.run(check_graph(graph, apis_of_all(apis), out, labels=labels, by=by, sample=sample))
    say(_reasons(found))
    print(f"{found.valid:,} of {found.edges:,} edges hold ({_share(found.precision)}; ToolDial's graph: 70.9 %): {out}")
    if found.truth is not None:
        truth = found.truth
        print(
            f"labels: {_share(truth.kept)} of the true ones kept, {_share(truth.refused)} of the false ones refused, ",
            end="",
        )
        print(f"MCC {'–' if truth.mcc is None else f'{truth.mcc:.3f}'} (ToolDial's judge: 0.868)")
    if found.sampled:
        print(f"of {found.sampled:,} pairs that are no edges, {_share(found.npv)} would not hold (ToolDial: 95.0 %)")


def _reasons(found: Figures) -> Table:
    table = Table("reason", "edges")
    for reason, number in (found.reasons + found.failures).most_common():
        table.add_row(reason, f"{number:,}")
    return table


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
