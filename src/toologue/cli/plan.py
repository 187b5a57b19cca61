"""`toologue plan`: what conversations shall be about: scenarios, openings, plans over procedures and chains of APIs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue import keys, limits
from toologue.cli.from_prose import sources
from toologue.cli.options import OptionalOut, Out, Sampler, Talks, at_least_one
from toologue.cli.terminal import (
    ask,
    echo,
    group,
    progress_bar,
    say,
    say_first,
    table,
    watched,
    write_json,
    write_lines,
)
from toologue.errors import BadFile, BadSetting, UnknownName

if TYPE_CHECKING:
    from rich.table import Table

    from toologue.plan.chains.catalog import Reason
    from toologue.plan.chains.planner import Tally as ChainTally
    from toologue.project.statistics import Source
    from toologue.schema import Api, Graph, Plan, Scenario
    from toologue.write.ask_wordings import Tally as WordingTally

_SHOWN, _WORDS = 20, 160
_PAIRS = 600  # so many pairs of APIs are planned over at most, and half as many APIs by themselves


def scenarios(
    apis: Path | None = None,
    /,
    *,
    out: Out,
    count: int | None = None,
    seed: int = 0,
    model: str | None = None,
    concurrency: int = 8,
) -> None:
    """Scenarios over every three plugins, for somebody to write conversations from.

    Args:
        apis: An apis.jsonl whose Apis have a domain; by default the assistant's.
        out: The scenarios.jsonl to write.
        count: How many to draw, evenly over the tools; by default all.
        seed: Chooses what is told, and what is drawn.
        model: openai:NAME or module:attribute; by default they are told by templates, offline.
        concurrency: How many requests to the model at once.
    """
    from toologue.models.ask import model as model_of
    from toologue.plan.scenarios import Tally, sample, tell_all
    from toologue.plan.scenarios.ask import ask_all
    from toologue.schema.jsonl import write

    at_least_one(count=count, concurrency=concurrency)
    documents, tally = _documents(apis), Tally()
    if model is None:
        kept = list(tell_all(documents, tally, seed=seed))
    else:
        asked = ask_all(documents, model_of(model, "planner"), tally, count=count, seed=seed, concurrency=concurrency)
        kept = ask(model, _collected(asked, count or 0))
    drawn = kept if count is None else sample(kept, count, seed=seed)
    if not drawn:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in tally.dropped.most_common())
        raise BadSetting(f"no scenario was left of {tally.proposed} proposed: {reasons or 'nothing came back'}")
    write(out, drawn)
    dropped = ((f"  dropped: {reason}", n, tally.examples[reason]) for reason, n in tally.dropped.most_common())
    rows = (
        ("prompts", tally.prompts, ""),
        *([("  without an answer", tally.unanswered, "")] if tally.unanswered else []),
        ("proposed", tally.proposed, ""),
        ("  asked for and absent", tally.absent, ""),
        *dropped,
        ("kept", tally.kept, ""),
        ("drawn", len(drawn), ""),
    )
    say(table(("", "n", "for example"), rows, title="scenarios"))
    if count is not None and len(drawn) < count:
        echo(f"{count} were wanted, and there are only {len(drawn)}", note=True)
    echo(f"{len(drawn)} scenarios in {out}", note=True)


def lint(*what: str, apis: Path | None = None, json: Path | None = None) -> int:
    """What makes opening turns unrealistic. Exits 1 where there is anything.

    Args:
        what: Files of conversations (.yaml, .jsonl), folders of them, .txt files with a query a line, or a query in
            quotes.
        apis: An apis.jsonl, whose names queries should not use; by default the assistant's.
        json: Where the findings go.
    """
    from toologue.plan.scenarios.lint import lint as lint_text

    if not what:
        raise BadSetting('name a file, or give a query in quotes: toologue plan lint "wake me at six"')
    documents, openings = _documents(apis), list(_openings(what))
    found = [(where, each) for where, text in openings for each in lint_text(text, documents)]
    if found:
        rows = ((where, one.rule, one.quote, one.why, one.remedy) for where, one in found)
        say(table(("where", "rule", "what", "why", "remedy"), rows))
    echo(f"{len({where for where, _ in found})} of {len(openings)} look unrealistic", note=True)
    if json is not None:
        write_json(json, [{"where": where, **one._asdict()} for where, one in found])
    return 1 if found else 0


def _documents(apis: Path | None) -> tuple[Api, ...]:
    from toologue.schema import Api
    from toologue.schema.jsonl import read

    if apis is not None:
        return tuple(read(apis, Api))
    from toologue.worlds.assistant import apis as assistant

    return tuple(assistant())


async def _collected(asked: AsyncIterable[Scenario], of: int) -> list[Scenario]:
    kept: list[Scenario] = []
    with progress_bar("asking") as progress:
        async for made in asked:
            kept.append(made)
            progress(len(kept), of)
    return kept


def _openings(what: Sequence[str]) -> Iterator[tuple[str, str]]:
    from toologue.bench.tooltalk.conversations import conversations_in
    from toologue.data import text_of

    for number, given in enumerate(what, 1):
        path = Path(given)
        if path.suffix == ".txt" and path.is_file():
            for line, text in enumerate(text_of(path).splitlines(), 1):
                if text.strip():
                    yield f"{path.name}:{line}", text
        elif path.suffix in (".yaml", ".jsonl", ".gz") or (len(given) < 256 and path.is_dir()):
            for dialogue in conversations_in([path]):
                yield dialogue.id, next(turn.text for turn in dialogue.turns if turn.role == "user")
        elif path.suffix == ".txt" and " " not in given:
            raise BadFile(f"there is no file {given}")
        else:
            yield f"query {number}", given


def procedures(*what: str, out: Out, talks: Talks = Talks()) -> None:
    """Plans of conversations for procedures: paths, executed, with noise and detours, and no words yet.

    Args:
        what: Procedures or services that ship, or .md files of yours with --service; by default all that ship.
        out: The plans.jsonl to write.
        talks: How conversations are planned.
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


def graph(what: str, /, *, flow: bool = False, mermaid: bool = False) -> None:
    """The conversation graph of a procedure, as flow text.

    Args:
        what: A procedure that ships, or a file: a procedure (.md), a flowgraph as flow text.
        flow: The flowgraph instead: what the agent does.
        mermaid: As a Mermaid flowchart.
    """
    from toologue.formats.flow import write_flow_text, write_mermaid

    found = _flowgraph(what) if flow else _conversation_graph(what)
    echo(write_mermaid(found) if mermaid else write_flow_text(found))


def paths(
    *what: str,
    count: int | None = None,
    sampler: Sampler = "cover",
    goal: Literal["edges", "pairs"] = "pairs",
    seed: int = 0,
    out: OptionalOut = None,
) -> None:
    """What paths through the graphs of procedures see, by line; nothing is executed.

    Args:
        what: Procedures that ship, or files: procedures (.md), flowgraphs as flow text; by default all that ship.
        count: How many paths a graph; by default as many as a cover needs.
        sampler: cover, weighted (the paper's Algorithm 1), vanilla.
        goal: What a cover sees: edges, or pairs of consecutive choices.
        seed: The same seed, the same paths.
        out: The walks.jsonl to write.
    """
    from toologue.plan.procedures import files
    from toologue.plan.procedures.paths import cover, coverage, missing_lines, vanilla, weighted
    from toologue.schema import Walk
    from toologue.schema.jsonl import write

    at_least_one(count=count)
    rows, missing, walks = list[tuple[object, ...]](), list[tuple[object, ...]](), list[Walk]()
    for name in what or files():
        found = _conversation_graph(name)
        covering = cover(found, goal) if sampler == "cover" or count is None else []
        enough = len(covering) if count is None else count
        by_chance = weighted if sampler == "weighted" else vanilla
        taken = covering[:enough] if sampler == "cover" else list(by_chance(found, enough, seed=seed))
        seen = coverage(found, taken)
        rows.append((found.id, len(taken), seen.nodes, seen.edges, seen.pairs))
        unseen = missing_lines(found, seen)[:_SHOWN]
        missing += [(found.id, one.line, one.step or "", one.what, one.text) for one in unseen]
        walks += taken
    heads = ("graph", "paths", "nodes", "edges", "pairs")
    say(table(heads, rows, title=f"{sampler}: what paths see"))
    if missing:
        say(table(("graph", "line", "step", "what", "not seen"), missing))
    if out is not None:
        write(out, walks)


def _conversation_graph(what: str) -> Graph:
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


def words(
    *what: str,
    model: str,
    out: OptionalOut = None,
    service: str | None = None,
    count: int = 2,
    tries: int = 2,
    seed: int = 0,
) -> None:
    """What people say at the steps of procedures, in some registers: asked once of a model, checked, used ever after.

    `generate`, `test` and `write` say it in place of the template's words. What a file holds of a step is asked for
    again only where the step has changed; killed and run again, nothing is asked twice.

    Args:
        what: Procedures or services that ship, .md files of yours with --service, or the folder of a project.
        model: openai:NAME or module:attribute.
        out: The wordings.jsonl, which keeps what it has; by default that beside the procedures (or here).
        service: What the calls of .md files are made to, as `generate --service` takes it.
        count: How many texts for each register at each place.
        tries: How often the model is asked for the places of a procedure, those for which it found nothing again.
        seed: Sent to the model.
    """
    from toologue.models.ask import model as model_of
    from toologue.models.recording import keeping_replies, told_spec
    from toologue.plan.procedures.service import service as service_of
    from toologue.schema.jsonl import write
    from toologue.write.ask_wordings import Tally, ask_wordings
    from toologue.write.wordings import read_wordings

    at_least_one(count=count, tries=tries)
    if not what:
        raise BadSetting("name procedures, or the folder of a project: toologue plan words order-not-received")
    chosen, beside = _chosen(what, service)
    file = out or beside
    known, tallies = {one.place: one for one in read_wordings(file)}, list[Tally]()
    with keeping_replies(file.parent, "words", told_spec(model), count, tries, seed):
        asked = model_of(model, "writer")
        for source in chosen:
            tally, apis = Tally(), service_of(source.world).apis.values()
            asking = ask_wordings(
                source.procedure, apis, asked, tally, known=known, count=count, tries=tries, seed=seed
            )
            found = ask(model, asking)
            known |= {one.place: one for one in found}
            tallies.append(tally)
            if found:
                write(file, known.values())
    _say_wordings(tallies)
    echo(f"wordings for {len(known)} places in {file}", note=True)


def _chosen(what: Sequence[str], service: str | None) -> tuple[list[Source], Path]:
    from toologue.project.generate import sources
    from toologue.project.settings import FILE, open_project
    from toologue.worlds.named import given_setting
    from toologue.write.wordings import FILE as WORDINGS

    if len(what) == 1 and (Path(what[0]) / FILE).is_file():
        project = open_project(Path(what[0]))
        files = project.procedures
        return sources([*map(str, files)], project.world), files[0].with_name(WORDINGS)
    own = next((Path(name) for name in what if name.endswith(".md")), Path())
    return sources(what, given_setting(service)), own.with_name(WORDINGS) if own.name else Path(WORDINGS)


def _say_wordings(tallies: Sequence[WordingTally]) -> None:
    heads = ("places", "asked for", "requests", "texts kept", "dropped", "places without")
    rows = (
        (one.procedure, one.places, one.asked, one.replies, one.kept, one.dropped.total(), len(one.without))
        for one in tallies
    )
    say(table(("procedure", *heads), rows, title="wordings", right=heads))
    examples = {why: text for one in reversed(tallies) for why, text in one.examples.items()}
    every = sum((one.dropped for one in tallies), Counter[str]())
    if every:
        dropped = ((why, times, limits.cut(examples[why], _WORDS)) for why, times in every.most_common())
        say(table(("dropped", "how often", "for example"), dropped, right=("how often",)))
    if without := [
        f"  {one.procedure}: step {place.step}: {place.answer or place.text}"
        for one in tallies
        for place in one.without
    ]:
        echo("the template's words stand at places without any:")
        say_first(without, _SHOWN)


def chains(
    graph: Path,
    apis: Path,
    /,
    *,
    out: Out,
    count: int = 1000,
    checked: Path | None = None,
    uses: Path | None = None,
    most: float = 0.02,
    know: Literal["fixed", "published"] = "fixed",
    published_code: bool = False,
    seed: int = 0,
    workers: int = 1,
) -> None:
    """Plans of conversations over an API graph: 23 action sequences, pairs of APIs, executed, and no words yet.

    Args:
        graph: The edges, a graph.jsonl of `toologue graph build`.
        apis: The apis.jsonl that the graph was built from.
        out: The plans.jsonl to write.
        count: How many plans.
        checked: What `toologue graph check` found about the edges; without it every chosen edge is taken.
        uses: A uses.jsonl that `toologue apis enrich` made of these APIs: what people want, with which results.
        most: The share of all plans that one pair may have.
        know: What users know of themselves: fixed (ids, codes, keys, coordinates they do not), published (the paper's
            code).
        published_code: Also the three sequences that only the published code has.
        seed: The same seed, the same plans, at any number of workers.
        workers: Processes.
    """
    from toologue.plan.api_graph.check import Checked
    from toologue.plan.chains.catalog import Catalog, Reason
    from toologue.plan.chains.pairs import EdgeKey, edge_pairs, sample_pairs, single_api_pairs
    from toologue.plan.chains.planner import Tally, plan_lines
    from toologue.plan.chains.uses import NO_USES, read_uses
    from toologue.schema import Edge
    from toologue.schema.jsonl import read

    at_least_one(count=count, workers=workers)
    if not 0 < most <= 1:
        raise BadSetting(f"--most {most}: give a share above 0 and up to 1")
    catalog, tally, verdicts = Catalog(apis), Tally(), dict[EdgeKey, bool]()
    edges, alones = Counter[Reason](), Counter[Reason]()
    for one in read(checked, Checked) if checked is not None else ():
        edge = one.edge
        verdicts[edge.source, edge.output, edge.target, edge.parameter] = one.verdict.valid
    held = verdicts if checked is not None else None
    said = read_uses(uses, catalog.apis()) if uses else NO_USES
    every = read(graph, Edge)
    known = edge_pairs(catalog, every, edges, verdicts=held, rule=know, published_code=published_code, uses=said)
    names = random.Random(keys.seed_of(seed, "alone")).sample(list(catalog), len(catalog))
    chosen = sample_pairs(known, _PAIRS, seed=seed)
    chosen += islice(single_api_pairs(catalog, alones, names=names, rule=know, uses=said), _PAIRS // 2)
    if not chosen:
        say(_dropped("edges", edges), _dropped("APIs", alones))
        raise BadSetting(f"nothing to plan: no edge of {graph} and no API of {apis} can become a conversation")
    lines = plan_lines(
        apis, chosen, tally,
        count=count, most=most, seed=seed, workers=workers, published_code=published_code, uses=uses,
    )  # fmt: skip
    total = write_lines(out, "planning", lines, count)
    say(_sequences(tally))
    for what, dropped in (("edges", edges), ("APIs by themselves", alones), ("plans", tally.dropped)):
        if dropped:
            say(_dropped(what, dropped))
    if total < count:
        most_of_one = f"no pair may be in more than {100 * most:g} % of them"
        echo(f"{count} were wanted, and {most_of_one}: give more edges, or raise --most", note=True)
    echo(f"{total} plans in {out}; next: toologue write {out} -o dialogues.jsonl", note=True)


def _sequences(tally: ChainTally) -> Table:
    from toologue.plan.chains.sequences import SEQUENCES

    times, total = tally.sequences, tally.sequences.total() or 1
    rows = (
        (key, times[key], f"{100 * times[key] / total:.1f} %", one.apis, f"{one.opening}: {one.course}")
        for key, one in SEQUENCES.items()
        if times[key] or not one.published_code_only
    )
    return table(("sequence", "plans", "share", "APIs", "how it goes"), rows, title="sequences")


def _dropped(what: str, dropped: Counter[Reason]) -> Table:
    from toologue.plan.chains.catalog import REASONS

    rows = ((reason, dropped[reason]) for reason in REASONS if dropped[reason])
    return table(("reason", "n"), rows, title=f"{what} dropped")


plan = group("plan", scenarios, lint, sources, procedures, graph, paths, words, chains)
