"""The parts of `toologue plan` that plan conversations: over procedures, and over chains of APIs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rich.table import Table
from rich.text import Text

from toologue import keys
from toologue.cli.options import OptionalOut, Out, Talks, at_least_one
from toologue.cli.terminal import progress_bar, say, write_json
from toologue.errors import BadFile, BadSetting, UnknownName
from toologue.formats.flow import read_flow_text, read_mermaid, write_flow_text, write_mermaid
from toologue.formats.procedure import load
from toologue.plan.api_graph.check import Checked
from toologue.plan.chains.actions import ACTIONS
from toologue.plan.chains.catalog import REASONS, Catalog, Reason
from toologue.plan.chains.pairs import EdgeKey, Pair, edge_pairs, sample_pairs, single_api_pairs
from toologue.plan.chains.planner import Tally, plan_lines
from toologue.plan.chains.sequences import SEQUENCES
from toologue.plan.procedures import files
from toologue.plan.procedures.lint_procedure import lint as lint_text
from toologue.plan.procedures.paths import Goal, cover, coverage, fewest, missing_lines, vanilla, weighted
from toologue.plan.procedures.plan_dialogue import Sampler
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.project.generate import plans_of
from toologue.report.drawing import action_graph
from toologue.schema import Edge, Graph, Plan, Walk
from toologue.schema.jsonl import read, replacing, write
from toologue.text.names import KnowRule

_SHOWN = 20


def procedures(
    *what: str,
    out: Out,
    talks: Talks = Talks(),
) -> None:
    """Plans of conversations for procedures: paths, executed, with noise and detours, and no words yet.

    Parameters
    ----------
    what
        Procedures or services that ship, or .md files of yours with --service; by default all that ship.
    out
        The plans.jsonl to write.
    talks
        How conversations are planned.
    """
    chosen = talks.sources(what)
    table = Table("procedure", "plans", "nodes", "edges", "pairs", "dropped")

    def planned() -> Iterator[Plan]:
        with progress_bar("planning") as progress:
            for number, one in enumerate(chosen, 1):
                made = plans_of(one, talks.making())
                seen, dropped = made.coverage, made.tally.dropped
                reasons = ", ".join(f"{reason} ({times})" for reason, times in dropped.most_common())
                shares = (str(len(made.plans)), str(seen.nodes), str(seen.edges), str(seen.pairs), reasons)
                table.add_row(Text(one.procedure.id), *shares)
                yield from made.plans
                progress(number, len(chosen))

    total = write(out, planned())
    say(table)
    print(f"{total} plans in {out}")


def graph(what: str, /, *, flow: bool = False, mermaid: bool = False) -> None:
    """The conversation graph of a procedure, as flow text.

    Parameters
    ----------
    what
        A procedure that ships, or a file: a procedure (.md), a flowgraph as Mermaid (.mmd) or flow text.
    flow
        The flowgraph instead: what the agent does.
    mermaid
        As a Mermaid flowchart.
    """
    found = _flowgraph(what) if flow else _graph(what)
    print(write_mermaid(found) if mermaid else write_flow_text(found))


def paths(
    *what: str,
    count: int | None = None,
    sampler: Sampler = "cover",
    goal: Goal = "pairs",
    until: float = 1.0,
    seed: int = 0,
    out: OptionalOut = None,
) -> None:
    """What paths through the graphs of procedures see, by line; nothing is executed.

    Parameters
    ----------
    what
        Procedures that ship, or files: procedures (.md), flowgraphs as Mermaid (.mmd) or flow text; by default all
        that ship.
    count
        How many paths a graph; by default as many as a cover needs.
    sampler
        cover, weighted (the paper's Algorithm 1), vanilla.
    goal
        What a cover sees: edges, or pairs of consecutive choices.
    until
        The share of it that is enough.
    seed
        The same seed, the same paths.
    out
        The walks.jsonl to write.
    """
    at_least_one(count=count)
    table = Table("graph", "paths", "a flow needs", "nodes", "edges", "pairs", title=f"{sampler}: what paths see")
    missing = Table("graph", "line", "step", "what", "not seen")
    walks: list[Walk] = []
    for name in what or files():
        found = _graph(name)
        covering = cover(found, goal, until=until, seed=seed)
        enough = len(covering) if count is None else count
        by_chance = weighted if sampler == "weighted" else vanilla
        taken = covering[:enough] if sampler == "cover" else list(by_chance(found, enough, seed=seed))
        seen = coverage(found, taken)
        shares = (str(seen.nodes), str(seen.edges), str(seen.pairs))
        table.add_row(Text(found.id), str(len(taken)), str(fewest(found, goal)), *shares)
        for one in missing_lines(found, seen)[:_SHOWN]:
            missing.add_row(*map(Text, (found.id, str(one.line), str(one.step or ""), one.what, one.text)))
        walks += taken
    say(table, *([missing] if missing.row_count else []))
    if out is not None:
        write(out, walks)


def lint_procedure(*what: Path, json: Path | None = None) -> int:
    """What makes procedures impossible to follow to the letter, in prose or Markdown. Exits 1 where there is anything.

    Parameters
    ----------
    what
        Files of text.
    json
        Where the findings go.
    """
    if not what:
        raise BadSetting("name a file: toologue plan lint-procedure my-procedure.md")
    table, rows = Table("where", "rule", "what", "why", "remedy"), list[dict[str, object]]()
    for file in what:
        for found in lint_text(_text(file)):
            where = f"{file.name}:{found.line}"
            table.add_row(*map(Text, (where, found.rule, found.quote, found.why, found.remedy)))
            rows.append({"file": str(file), **found._asdict()})
    if rows:
        say(table)
    print(f"{len(rows)} findings in {len(what)} files")
    if json is not None:
        write_json(json, rows)
    return 1 if rows else 0


def _graph(what: str) -> Graph:
    """The conversation graph of what was named; a file may hold one already."""
    found = _flowgraph(what)
    return found if found.kind == "conversation_graph" else conversation_graph(found)


def _flowgraph(what: str) -> Graph:
    path = Path(what)
    if path.suffix == ".md":
        return flowgraph(load(path))
    if path.suffix in (".mmd", ".mermaid"):
        return read_mermaid(_text(path), id=path.stem, file=path)
    if path.suffix:
        return read_flow_text(_text(path), id=path.stem, file=path)
    known = files()
    if what not in known:
        raise UnknownName("procedure", what, known)
    return flowgraph(load(known[what]))


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadFile(f"cannot read {file}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise BadFile(f"{file}: byte {error.start} is not UTF-8; save it as UTF-8") from None


def chains(
    graph: Path,
    apis: Path,
    /,
    *,
    out: Out,
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


def actions(*, out: OptionalOut = None) -> None:
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
