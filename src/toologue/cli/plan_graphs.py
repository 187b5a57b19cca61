"""The parts of `toologue plan` that plan conversations: over procedures, and over chains of APIs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue import keys, limits
from toologue.cli.options import OptionalOut, Out, at_least_one
from toologue.cli.talks import Sampler, Talks
from toologue.cli.terminal import ask, echo, say, table, watched, write_json, write_lines
from toologue.errors import BadSetting, UnknownName

if TYPE_CHECKING:
    from rich.table import Table

    from toologue.plan.chains.catalog import Reason
    from toologue.plan.chains.pairs import EdgeKey, Pair
    from toologue.plan.chains.planner import Tally
    from toologue.plan.procedures.ask_flowgraph import AskedGraph
    from toologue.schema import Graph, Plan

_SHOWN = 20


def procedures(*what: str, out: Out, talks: Talks = Talks()) -> None:
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
    from toologue.plan.procedures.noise import dealt
    from toologue.project.generate import plans_of
    from toologue.schema.jsonl import write

    chosen = talks.sources(what)
    rows: list[tuple[object, ...]] = []
    noise = dealt(one.procedure.id for one in chosen)

    def planned() -> Iterator[Plan]:
        for one in watched("planning", chosen, len(chosen)):
            made = plans_of(one, talks.making(), noise[one.procedure.id])
            seen = made.coverage
            dropped = ", ".join(f"{reason} ({times})" for reason, times in made.tally.dropped.most_common())
            rows.append((one.procedure.id, len(made.plans), seen.nodes, seen.edges, seen.pairs, dropped))
            yield from made.plans

    total = write(out, planned())
    say(table(("procedure", "plans", "nodes", "edges", "pairs", "dropped"), rows))
    echo(f"{total} plans in {out}", note=True)


def graph(
    what: str,
    /,
    *,
    flow: bool = False,
    mermaid: bool = False,
    model: str | None = None,
    tries: int = 3,
    seed: int = 0,
) -> int:
    """The conversation graph of a procedure, as flow text. Exits 3 where a model's flowgraph breaks rules.

    Parameters
    ----------
    what
        A procedure that ships, or a file: a procedure (.md), a flowgraph as flow text.
    flow
        The flowgraph instead: what the agent does.
    mermaid
        As a Mermaid flowchart.
    model
        openai:NAME or module:attribute draws the flowgraph (3.4); by default it is made by rule.
    tries
        How often the model is asked, repairs included.
    seed
        Sent to the model.
    """
    from toologue.formats.flow import write_flow_text, write_mermaid
    from toologue.procedure.conversation_graph import conversation_graph

    if model is None:
        found = _flowgraph(what)
    else:
        asked = _asked(what, model, tries, seed)
        for problem in asked.problems[-1]:
            echo(problem, error=True)
        if asked.graph is None:
            echo(f"the model's flowgraph of {what} breaks rules, after {len(asked.problems)} tries", error=True)
            return 3
        found = asked.graph
    found = found if flow or found.kind == "conversation_graph" else conversation_graph(found)
    echo(write_mermaid(found) if mermaid else write_flow_text(found))
    return 0


def _asked(what: str, model: str, tries: int, seed: int) -> AskedGraph:
    from toologue.formats.procedure import load
    from toologue.models.ask import model as model_of
    from toologue.plan.procedures import files
    from toologue.plan.procedures.ask_flowgraph import ask_flowgraph

    at_least_one(tries=tries)
    known = files()
    if what not in known and not what.endswith(".md"):
        raise UnknownName("procedure", what, known)
    procedure = load(known.get(what, what))
    return ask(model, ask_flowgraph(procedure, model_of(model, "planner"), tries=tries, seed=seed))


def paths(
    *what: str,
    count: int | None = None,
    sampler: Sampler = "cover",
    goal: Literal["edges", "pairs"] = "pairs",
    until: float = 1.0,
    seed: int = 0,
    out: OptionalOut = None,
) -> None:
    """What paths through the graphs of procedures see, by line; nothing is executed.

    Parameters
    ----------
    what
        Procedures that ship, or files: procedures (.md), flowgraphs as flow text; by default all
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
    from toologue.plan.procedures import files
    from toologue.plan.procedures.paths import cover, coverage, fewest, missing_lines, vanilla, weighted
    from toologue.schema import Walk
    from toologue.schema.jsonl import write

    at_least_one(count=count)
    rows, missing, walks = list[tuple[object, ...]](), list[tuple[object, ...]](), list[Walk]()
    for name in what or files():
        found = _graph(name)
        covering = cover(found, goal, until=until, seed=seed)
        enough = len(covering) if count is None else count
        by_chance = weighted if sampler == "weighted" else vanilla
        taken = covering[:enough] if sampler == "cover" else list(by_chance(found, enough, seed=seed))
        seen = coverage(found, taken)
        rows.append((found.id, len(taken), fewest(found, goal), seen.nodes, seen.edges, seen.pairs))
        unseen = missing_lines(found, seen)[:_SHOWN]
        missing += [(found.id, one.line, one.step or "", one.what, one.text) for one in unseen]
        walks += taken
    heads = ("graph", "paths", "a flow needs", "nodes", "edges", "pairs")
    say(table(heads, rows, title=f"{sampler}: what paths see"))
    if missing:
        say(table(("graph", "line", "step", "what", "not seen"), missing))
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
    from toologue.data import text_of
    from toologue.plan.procedures.lint_procedure import lint as lint_text

    if not what:
        raise BadSetting("name a file: toologue plan lint-procedure my-procedure.md")
    found = [(file, each) for file in what for each in lint_text(text_of(file, limits.PAGE))]
    rows = [{"file": str(file), **each._asdict()} for file, each in found]
    places = [f"{file.name}:{each.line}" for file, each in found]
    return say_findings(places, rows, f"{len(rows)} findings in {len(what)} files", json)


def say_findings(places: Iterable[str], rows: Sequence[Mapping[str, object]], said: str, json: Path | None) -> int:
    """Say what was found where, and what to do; 1 where there is anything. The rows go into a file."""
    named = ("rule", "quote", "why", "remedy")
    told = ((place, *(row[name] for name in named)) for place, row in zip(places, rows, strict=True))
    if rows:
        say(table(("where", "rule", "what", "why", "remedy"), told))
    echo(said, note=True)
    if json is not None:
        write_json(json, rows)
    return 1 if rows else 0


def _graph(what: str) -> Graph:
    """The conversation graph of what was named; a file may hold one already."""
    from toologue.procedure.conversation_graph import conversation_graph

    found = _flowgraph(what)
    return found if found.kind == "conversation_graph" else conversation_graph(found)


def _flowgraph(what: str) -> Graph:
    from toologue.data import text_of
    from toologue.formats.flow import read_flow_text
    from toologue.formats.procedure import load
    from toologue.plan.procedures import files
    from toologue.procedure.flowgraph import flowgraph

    path = Path(what)
    if path.suffix == ".md":
        return flowgraph(load(path))
    if path.suffix:
        return read_flow_text(text_of(path, limits.PAGE), id=path.stem, file=path)
    known = files()
    if what not in known:
        raise UnknownName("procedure", what, known)
    return flowgraph(load(known[what]))


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
    know: Literal["fixed", "published"] = "fixed",
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
    from toologue.plan.api_graph.check import Checked
    from toologue.plan.chains.catalog import Catalog, Reason
    from toologue.plan.chains.pairs import edge_pairs, sample_pairs, single_api_pairs
    from toologue.plan.chains.planner import Tally, plan_lines
    from toologue.schema import Edge
    from toologue.schema.jsonl import read

    if min(count, workers, pairs) < 1 or not 0 < most <= 1:
        given = f"--count {count} --workers {workers} --pairs {pairs} --most {most}"
        raise BadSetting(f"{given}: give 1 or more, and a share above 0 and up to 1")
    catalog, tally = Catalog(apis), Tally()
    edges, alones = Counter[Reason](), Counter[Reason]()
    verdicts: dict[EdgeKey, bool] | None = None
    if checked is not None:
        judged = ((one.edge, one.verdict.valid) for one in read(checked, Checked))
        verdicts = {(edge.source, edge.output, edge.target, edge.parameter): valid for edge, valid in judged}
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
    total = write_lines(out, "planning", lines, count)
    say(_sequences(tally), _pairs(known, chosen, tally))
    for what, dropped in (("edges", edges), ("APIs by themselves", alones), ("plans", tally.dropped)):
        if dropped:
            say(_dropped(what, dropped))
    if total < count:
        most_of_one = f"no pair may be in more than {100 * most:g} % of them"
        echo(f"{count} were wanted, and {most_of_one}: give more edges, or raise --most", note=True)
    echo(f"{total} plans in {out}", note=True)


def _sequences(tally: Tally) -> Table:
    from toologue.plan.chains.sequences import SEQUENCES

    times, total = tally.sequences, tally.sequences.total() or 1
    rows = (
        (key, times[key], f"{100 * times[key] / total:.1f} %", one.apis, f"{one.opening}: {one.course}")
        for key, one in SEQUENCES.items()
        if times[key] or not one.published_code_only
    )
    return table(("sequence", "plans", "share", "APIs", "how it goes"), rows, title="sequences")


def _pairs(known: list[Pair], chosen: list[Pair], tally: Tally) -> Table:
    rows: list[tuple[object, ...]] = []
    for what, chained in (("pairs", True), ("APIs", False)):
        taken = sum((pair.source is not None) == chained for pair in chosen)
        used = [times for (source, _), times in tally.pairs.items() if (source is not None) == chained]
        rows.append((what, len(known) if chained else "", taken, len(used), sum(used), max(used, default=0)))
    rows += [(f"  {name}", "", "", "", times, "") for name, times in sorted(tally.categories.items())]
    heads = ("", "known", "chosen", "used", "plans", "most of one")
    return table(heads, rows, title="pairs of APIs, and APIs by themselves")


def _dropped(what: str, dropped: Counter[Reason]) -> Table:
    from toologue.plan.chains.catalog import REASONS

    rows = ((reason, dropped[reason]) for reason in REASONS if dropped[reason])
    return table(("reason", "n"), rows, title=f"{what} dropped")
