"""The part of `toologue plan` that is about chains: plans of conversations in which one API finds what another needs.

Not covered: words; `toologue write` finds them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from toologue import keys
from toologue.cli.terminal import progress_bar, say
from toologue.errors import BadSetting
from toologue.plan.api_graph.check import Checked
from toologue.plan.chains.actions import ACTIONS
from toologue.plan.chains.catalog import REASONS, Catalog, Reason
from toologue.plan.chains.pairs import EdgeKey, Pair, edge_pairs, sample_pairs, single_api_pairs
from toologue.plan.chains.planner import Tally, plan_lines
from toologue.plan.chains.sequences import SEQUENCES
from toologue.report.drawing import action_graph
from toologue.schema import Edge
from toologue.schema.jsonl import read, replacing
from toologue.text.names import KnowRule


def chains(
    graph: Path,
    apis: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    count: int = 1000,
    checked: Path | None = None,
    pairs: int = 600,
    most: float = 0.02,
    know: KnowRule = "fixed",
    published_code: bool = False,
    seed: int = 0,
    workers: int = 1,
) -> None:
    """Plans of conversations over an API graph: 23 action sequences, pairs of APIs, executed, and no words yet.

    Parameters
    ----------
    graph
        The edges, a graph.jsonl of `toologue graph build`; chosen ones become pairs.
    apis
        The apis.jsonl that the graph was built from.
    out
        The plans.jsonl to write.
    count
        How many plans.
    checked
        What `toologue graph check` found about the edges; without it every chosen edge is taken.
    pairs
        How many pairs of APIs to use at most, evenly over their kinds, and half as many APIs by themselves.
    most
        The share of all plans that one pair may have.
    know
        What users know of themselves: fixed (ids, codes, keys, coordinates they do not), published (the paper's code).
    published_code
        Also the three sequences that only the published code has.
    seed
        The same seed, the same plans, at any number of workers.
    workers
        How many processes.
    """
    if min(count, workers, pairs) < 1 or not 0 < most <= 1:
        given = f"--count {count} --workers {workers} --pairs {pairs} --most {most}"
        raise BadSetting(f"{given}: give 1 or more, and a share above 0 and up to 1")
    catalog, tally = Catalog(apis), Tally()
    edges, alones = Counter[Reason](), Counter[Reason]()
    verdicts = None if checked is None else _verdicts(checked)
    known = list(
        edge_pairs(catalog, read(graph, Edge), edges, verdicts=verdicts, rule=know, published_code=published_code)
    )
    names = random.Random(keys.seed_of(seed, "alone")).sample(list(catalog), len(catalog))
    chosen = sample_pairs(known, pairs, seed=seed)
    chosen += islice(single_api_pairs(catalog, alones, names=names, rule=know), max(1, pairs // 2))
    if not chosen:
        say(_dropped("edges", edges), _dropped("APIs", alones))
        raise BadSetting(f"nothing to plan: no edge of {graph} and no API of {apis} can become a conversation")
    lines = plan_lines(
        apis, chosen, tally, count=count, most=most, seed=seed, workers=workers, published_code=published_code
    )
    total = _write(out, lines, count)
    say(_sequences(tally), _pairs(known, chosen, tally))
    for what, dropped in (("edges", edges), ("APIs by themselves", alones), ("plans", tally.dropped)):
        if dropped:
            say(_dropped(what, dropped))
    if total < count:
        most_of_one = f"no pair may be in more than {100 * most:g} % of them"
        print(f"{count} were wanted, and {most_of_one}: give more edges, or raise --most")
    print(f"{total} plans in {out}")


def actions(*, out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None) -> None:
    """What users and agents do in a conversation about tools: the 16 actions, and the graph of what may follow.

    Parameters
    ----------
    out
        Where the drawing goes, an .svg file.
    """
    table = Table("action", "who", "what", title="actions")
    for action in ACTIONS.values():
        table.add_row(action.name, action.who, action.meaning)
    say(table)
    if out is not None:
        with replacing(out) as stream:
            stream.write(action_graph().encode())
        print(f"the action graph in {out}")


def _write(out: Path, lines: Iterator[bytes], count: int) -> int:
    total = 0
    with progress_bar("planning") as progress, replacing(out) as stream:
        for line in lines:
            stream.write(line)
            total += 1
            progress(total, count)
    return total


def _verdicts(file: Path) -> dict[EdgeKey, bool]:
    checked = ((one.edge, one.verdict.valid) for one in read(file, Checked))
    return {(edge.source, edge.output, edge.target, edge.parameter): valid for edge, valid in checked}


def _sequences(tally: Tally) -> Table:
    table = Table("sequence", "plans", "share", "APIs", "how it goes", title="sequences")
    total = tally.sequences.total() or 1
    for key, one in SEQUENCES.items():
        if tally.sequences[key] or not one.published_code_only:
            share = f"{100 * tally.sequences[key] / total:.1f} %"
            table.add_row(key, str(tally.sequences[key]), share, str(one.apis), Text(f"{one.opening}: {one.course}"))
    return table


def _pairs(known: list[Pair], chosen: list[Pair], tally: Tally) -> Table:
    table = Table("", "known", "chosen", "used", "plans", "most of one", title="pairs of APIs, and APIs by themselves")
    for what, chained in (("pairs", True), ("APIs", False)):
        taken = sum((pair.source is not None) == chained for pair in chosen)
        used = [times for (source, _), times in tally.pairs.items() if (source is not None) == chained]
        counts = (len(known) if chained else "", taken, len(used), sum(used), max(used, default=0))
        table.add_row(what, *map(str, counts))
    for name, times in sorted(tally.categories.items()):
        table.add_row(f"  {name}", "", "", "", str(times), "")
    return table


def _dropped(what: str, dropped: Counter[Reason]) -> Table:
    table = Table("reason", "n", title=f"{what} dropped")
    for reason in REASONS:
        if dropped[reason]:
            table.add_row(reason, str(dropped[reason]))
    return table
