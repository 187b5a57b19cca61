"""`toologue generate`: procedures in, verified conversations out, and what there is to say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue.cli.options import Operations, Out, Talks, Unreached, at_least_one, say_far, say_instead, say_unreached
from toologue.cli.terminal import ask, echo, group, progress_bar, say, table, watched
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from rich.table import Table

    from toologue.project.chain_statistics import ChainStatistics
    from toologue.project.statistics import Made, Source, Statistics


def chains(
    *apis: str,
    out: Out,
    count: int = 1000,
    ratio: str = "80/10/10",
    most: float = 0.02,
    embedder: str = "lexical",
    rules: Literal["published", "best"] = "best",
    graph: Path | None = None,
    uses: Path | None = None,
    operations: Operations = Operations(),
    writer: str = "template",
    seed: int = 0,
    workers: int = 1,
) -> int:
    """A dataset of conversations in which one API finds what another needs: planned by execution, worded, verified.

    Exits 3 where none could be made.

    Args:
        apis: RapidAPI records, OpenAPI documents, tools, apis.jsonl, module:function.
        out: The folder for dialogues, train, validation, test, apis, graph (.jsonl) and statistics.json.
        count: How many conversations.
        ratio: Of train, validation and test. No API is in two of them.
        most: The share of all conversations that one pair of APIs may have.
        embedder: Of the graph and of the retriever: lexical, minilm, endpoint:MODEL.
        rules: Of the graph: best, or published (ToolDial's code).
        graph: A graph.jsonl that `toologue graph build` made; by default it is built.
        uses: A uses.jsonl that `toologue apis enrich` made: what people want, in which words, with which results.
        operations: Which operations of the documents; by default all that can be read.
        writer: template, or a model that finds the words: openai:NAME or module:attribute. Where they stay wrong, those
            of the template stand.
        seed: The same seed, the same files.
        workers: Processes.
    """
    from toologue.project.chain_statistics import compared as compared_chains
    from toologue.project.chain_statistics import lacking
    from toologue.project.chains import ChainMaking, make_chains
    from toologue.schema import Dialogue
    from toologue.schema.jsonl import read

    if not apis:
        raise BadSetting("name the APIs, as in: toologue generate chains apis.jsonl -o DIR")
    making = ChainMaking(count, seed, embedder, rules, ratio_of(ratio), most, writer=writer)
    replaced = "; what was there is replaced" if (out / "dialogues.jsonl").exists() else ""
    with progress_bar("generating") as progress:
        said = make_chains(
            apis, out, making, graph=graph, uses=uses, choice=operations.choice, workers=workers, progress=progress
        )
    say(table(("", "here", "ToolDial"), compared_chains(said), title="statistics"), *_chain_counts(said))
    if writer != "template":
        every = read(out / "dialogues.jsonl", Dialogue, empty=True)
        say_instead((one.id, str(why)) for one in every if (why := one.origin.get("instead")))
    if said.dialogues < count:
        echo(f"{count:,} were wanted, and no more come of these pairs (see above why): give more APIs, or raise --most")
    about = f"about {said.pairs:,} pairs of APIs and {said.alone:,} APIs alone"
    echo(f"{said.dialogues:,} conversations {about}, all verified, in {out}{replaced}", note=True)
    for line in lacking(said):
        echo(line)
    return 0 if said.dialogues else 3


def ratio_of(text: str) -> tuple[float, ...]:
    """The numbers of a ratio such as 80/10/10. Raises BadSetting."""
    try:
        return tuple(map(float, text.split("/")))
    except ValueError:
        raise BadSetting(f"--ratio {text!r}: give three numbers, as in 80/10/10") from None


def _chain_counts(said: ChainStatistics) -> Iterator[Table]:
    shares = ((name, f"{number:,}", number / said.dialogues) for name, number in said.sequences.items())
    yield table(("sequence", "dialogues", "share"), shares, title="action sequences")
    actions = ((name, f"{number:,}") for name, number in said.actions.items())
    yield table(("action", "turns"), actions, title="actions")
    from toologue.project.chain_statistics import reason_words

    every = ((what, why, n) for what, counts in said.dropped.items() for why, n in counts.items())
    dropped = ((what, f"{n:,}", f"{why}: {reason_words(why)}") for what, why, n in every)
    title = f"{said.documents:,} APIs, {said.edges:,} edges"
    yield table(("dropped", "how many", "why"), dropped, title=title)


def procedures(
    *what: str,
    out: Out,
    talks: Talks = Talks(),
    workers: int = 1,
    writer: str = "template",
    wordings: Path | None = None,
    model: str | None = None,
    intents: int | None = None,
    each: int = 2,
    unreached: Unreached = "tell",
) -> int:
    """Conversations from procedures: planned by execution, worded, verified, into a folder with their statistics.

    With --model it thinks up intents and their procedures first (ALMITA, 3.1 and 3.2); killed and run again, nothing
    is asked twice. Exits 3 where the writer gave no words for some of them, 1 where `--unreached fail` finds anything.

    Args:
        what: Procedures or services that ship, or .md files of yours with --service; by default all that ship.
        out: The folder for dialogues, plans, graphs, apis (.jsonl), procedures and statistics.json.
        talks: How conversations are planned.
        workers: Processes; procedures are shared out among them.
        writer: template, or a model that finds the words: openai:NAME or module:attribute. Where its words stay wrong,
            those of the template stand.
        wordings: What `plan words` found to be said at the steps, in place of the template's words; by default the
            wordings.jsonl beside .md files.
        model: openai:NAME or module:attribute: thinks up what --intents says, or writes it all with --mode straight.
        intents: How many intents the model is asked for, none of them in our catalogue; by default 10.
        each: How many procedures for each of them.
        unreached: fail: exit 1 where a way of a procedure is in no conversation; tell: say so, with what would reach
            it.
    """
    from toologue.project.generate import UNWORDED, write_suite
    from toologue.project.generate import generate as made_of
    from toologue.project.statistics import compared

    at_least_one(workers=workers)
    few, instead = list[str](), list[tuple[str, str]]()
    if model is not None and talks.mode != "straight":
        made = _thought_up(out, what, talks, model, writer, (10 if intents is None else intents, each))
    else:
        if intents is not None:
            raise BadSetting(f"--intents {intents}: a model thinks them up; name it, as in --model openai:NAME")
        chosen = talks.sources(what, wordings)
        if talks.mode == "straight":
            return _straight(chosen, out, talks, model)
        made = watched("generating", made_of(chosen, talks.making(writer), workers=workers), len(chosen))
    said = write_suite(out, _counting(made, talks.count, few, instead))
    beside = ("", "here", "ALMITA", "auto-ALMITA", "in the paper")
    say(table(beside, compared(said), title="statistics"), _procedures(said), _counts(said))
    echo(f"{said.conversations} conversations, {said.tests:,} tests, in {out}", note=True)
    for line in few:
        echo(line)
    say_instead(instead)
    left = say_unreached((one.id, one.unreached) for one in said.procedures)
    say_far((one.id, one.far) for one in said.procedures)
    if lost := said.dropped.get(UNWORDED, 0):
        echo(f"the model found no words for {lost} more")
    return 3 if lost else int(left and unreached == "fail")


def _thought_up(
    out: Path, what: Sequence[str], talks: Talks, model: str, writer: str, counts: tuple[int, int]
) -> list[Made]:
    """What comes of intents that a model thinks up; every stage is told, and kept in stages.jsonl."""
    from toologue.cli.from_prose import say_stages
    from toologue.models.ask import model as model_of
    from toologue.models.recording import keeping_replies, told_spec
    from toologue.project.from_intents import STAGES, staged, think_up
    from toologue.schema.jsonl import check_owned
    from toologue.schema.jsonl import write as write_lines

    if what:
        raise BadSetting(f"{what[0]}: --model thinks up procedures; who words those that are named is --writer {model}")
    at_least_one(intents=counts[0], each=counts[1])
    check_owned(out, "plans.jsonl")
    making, world, tell = talks.making(writer), talks.world, partial(echo, error=True, note=True)
    with keeping_replies(out, told_spec(model), *counts, talks.seed, talks.service):
        asked = think_up(model_of(model, "planner"), out, *counts, world=world, seed=talks.seed, tell=tell)
        sources, stages = ask(model, asked)
        with progress_bar("generating") as progress:
            made = staged(sources, stages, making, progress)
    write_lines(out / STAGES, stages)
    say_stages(stages, "with a model (ALMITA, table 1); APIs, graphs, paths by rule")
    return made


def _counting(made: Iterable[Made], count: int, few: list[str], instead: list[tuple[str, str]]) -> Iterator[Made]:
    """All that is made; where it is fewer than was wanted, a line is added that says so, and why.

    With the conversations that have other words `instead` of a model's.
    """
    for one in made:
        instead += one.instead
        if len(one.dialogues) < count:
            why = ", ".join(f"{n} × {reason}" for reason, n in one.dropped.most_common()) or "nothing was dropped"
            told = f"{one.source.procedure.id}: {len(one.dialogues)} conversations of the {count} that --count wants"
            few.append(
                f"{told}; no other ways or values were found among {one.planned.tally.proposed} proposed ({why})"
            )
        yield one


def _straight(chosen: Sequence[Source], out: Path, talks: Talks, by: str | None) -> int:
    from toologue.models.ask import model
    from toologue.project.ablation import generate_straight, write_straight

    if by is None:
        raise BadSetting("--mode straight: a model writes the conversations; name it, as in --model openai:NAME")
    made = generate_straight(chosen, model(by, "writer"), talks.count, seed=talks.seed)
    found = write_straight(out, chosen, watched("generating", made, len(chosen)))
    told = (", ".join(f"{times} × {rule}" for rule, times in one.flaws.items()) for one in found)
    counts = ((one.procedure, one.wanted, len(one.dialogues), one.valid) for one in found)
    rows = ((*numbers, why) for numbers, why in zip(counts, told, strict=True))
    title = "straight from procedures (ALMITA 4.2: 34 of 50 valid)"
    say(table(("procedure", "asked for", "read", "valid", "rules broken"), rows, title=title))
    read, valid = sum(len(one.dialogues) for one in found), sum(one.valid for one in found)
    echo(f"{valid} of {read} conversations are valid; all are in {out}, with their flaws", note=True)
    return 0


generate = group("generate", chains, default=procedures)


def _procedures(said: Statistics) -> Table:
    numbers = ("conversations", "tests", "different", "nodes", "edges", "pairs", "paths")
    rows = (
        [one.id]
        + [f"{number:,}" for number in (one.conversations, one.tests, one.distinct_tests)]
        + [str(number) for number in (one.nodes, one.edges, one.pairs, one.paths)]
        for one in said.procedures
    )
    return table(("procedure", *numbers), rows, title="per procedure", right=numbers)


def _counts(said: Statistics) -> Table:
    sections = {"dropped": said.dropped, "noise": said.noise, "detour": said.detours, "wrong value": said.wrong}
    rows = (
        (f"{name}: {what}", number)
        for name, counts in (sections | said.registers).items()
        for what, number in counts.items()
    )
    return table(("", "how often"), rows, title=f"{said.proposed} paths proposed, {said.planned} planned")
