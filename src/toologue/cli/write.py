"""`toologue write` and `toologue verify`: words for plans, and an independent look at conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from toologue.cli.options import Out, say_instead
from toologue.cli.terminal import echo, say, table, watched, write_json
from toologue.errors import BadFile, BadSetting

if TYPE_CHECKING:
    from toologue.models.index import Index
    from toologue.models.model import ModelFault
    from toologue.schema import Api, Dialogue, Graph, Plan
    from toologue.verify.procedures import Flaw
    from toologue.worlds.documented import Documented
    from toologue.write.chains import Unworded

_SHOWN = 40


def write(
    plans: Path,
    /,
    *,
    out: Out,
    writer: str = "template",
    wordings: Path | None = None,
    embedder: str = "lexical",
    seed: int = 0,
) -> int:
    """Words for plans: the same conversations, as people would say them. Exits 3 where a model left some out.

    Where its words stay wrong, those of the template stand, and that is said.

    Args:
        plans: A plans.jsonl.
        out: The dialogues.jsonl to write. Where a model left some out, a file that holds more is not replaced.
        writer: template, or a model that finds the words: openai:NAME or module:attribute.
        wordings: What `plan words` found to be said at the steps of procedures; said in place of the template's words.
        embedder: Whose retriever is asked what users of chains open with: lexical, minilm, endpoint:MODEL.
        seed: Chooses registers and phrases.
    """
    from toologue.models.model import ModelFault
    from toologue.project.generate import words
    from toologue.schema import Plan
    from toologue.schema.jsonl import held, read
    from toologue.schema.jsonl import write as write_lines
    from toologue.write.wordings import read_wordings

    silent, instead = list[Exception](), list[tuple[str, str]]()
    if wordings is not None and not wordings.is_file():
        raise BadFile(f"there is no file {wordings}; `toologue plan words` makes one")
    if _is_chain(next(read(plans, Plan)).dialogue):
        by_plan = _chain_words(plans, writer, embedder, seed)
    else:
        by_plan = words(read(plans, Plan), writer, seed=seed, wordings=read_wordings(wordings))

    def found() -> Iterator[Dialogue]:
        worded = 0
        for dialogue in watched("writing", by_plan):
            if isinstance(dialogue, Exception):
                silent.append(dialogue)
            else:
                worded += (why := dialogue.origin.get("instead")) is None
                instead.extend([(dialogue.id, str(why))] if why else [])
                yield dialogue
        if not worded:
            why = silent[0] if silent else instead[0][1]
            raise BadSetting(f"there are no words for any plan, and nothing was written: {why}")

    before = held(out)
    fresh = out.with_name(f"{out.name}.new") if before else out
    count = write_lines(fresh, found())
    lost = any(isinstance(reason, ModelFault) for reason in silent)
    if before and not (lost and count < before):
        fresh = fresh.replace(out)
    for fault in silent[:_SHOWN]:
        echo(f"left out: {fault}")
    echo(f"{count} conversations in {fresh}" + (f"; {len(silent)} were left out" if silent else ""), note=not silent)
    say_instead(instead)
    if fresh != out:
        echo(f"{out} holds {before}, and was not replaced")
    return 3 if lost else 0


def verify(what: Path, /, *, graphs: Path | None = None, embedder: str | None = None, json: Path | None = None) -> int:
    """Whether conversations are valid: acts done again, steps followed, values looked up. Exits 1 where one is not.

    What sentences mean is not looked at: a reply without a value to say passes, whatever it is about.

    Args:
        what: A folder that `generate` wrote, or a dialogues.jsonl.
        graphs: The conversation graphs that the dialogues walk; by default the graphs.jsonl of the folder.
        embedder: Chains: ask the retriever again, by lexical, minilm or endpoint:MODEL, what the conversations asked
            it.
        json: Where the flaws go.
    """
    from toologue.schema import Dialogue, Plan
    from toologue.schema.jsonl import read
    from toologue.verify.procedures import RULES
    from toologue.verify.procedures import verify as flaws_of

    file = what / "dialogues.jsonl" if what.is_dir() else what
    known, planned = _graphs(graphs, file.parent), file.with_name("plans.jsonl")
    flaws_of_chain = _chain_flaws(file, embedder)
    cues = {plan.dialogue.id: plan.cues for plan in read(planned, Plan)} if planned.exists() else {}
    rows, rules, total, walked = list[dict[str, object]](), Counter[str](), 0, 0
    for dialogue in watched("verifying", read(file, Dialogue)):
        graph, said = known.get(str(dialogue.origin.get("procedure"))), cues.get(dialogue.id, ())
        if _is_chain(dialogue):
            flaws = flaws_of_chain(dialogue)
        else:
            flaws = flaws_of(dialogue, graph, cues=said if len(said) == len(dialogue.turns) else ())
        total += 1
        walked += graph is not None or _is_chain(dialogue)
        rows += [{"dialogue": dialogue.id, **flaw._asdict()} for flaw in flaws]
        rules.update({flaw.rule for flaw in flaws})
    if graphs is not None and not walked:
        raise BadSetting(f"{graphs}: none of these graphs is one that a dialogue of {file} names as its procedure")
    if rows:
        heads = ("dialogue", "turn", "rule", "what")
        more = f"and {len(rows) - _SHOWN} more; --json has them all" if len(rows) > _SHOWN else ""
        say(
            table(heads, ([row[name] for name in heads] for row in rows[:_SHOWN]), caption=more),
            table(("rule", "conversations"), ((rule, rules[rule]) for rule in RULES if rules[rule])),
        )
    flawed = len({row["dialogue"] for row in rows})
    echo(f"{total - flawed} of {total} are valid" + ("" if walked else "; without a graph, no path was looked at"))
    if json is not None:
        write_json(json, rows)
    return 1 if rows else 0


def _is_chain(dialogue: Dialogue) -> bool:
    return dialogue.origin.get("line") == "chains"


def _chain_words(plans: Path, writer: str, by: str, seed: int) -> Iterator[Dialogue | Unworded | ModelFault]:
    """The dialogue of each plan, or why there is none. The retriever knows the APIs that the plans speak of."""
    import asyncio

    from toologue.models.ask import model
    from toologue.models.embed import embedder
    from toologue.models.model import ModelFault
    from toologue.plan.chains.uses import Uses
    from toologue.schema import Plan, Use
    from toologue.schema.jsonl import read
    from toologue.worlds.world import kind_at
    from toologue.write.chains import ChainWriter, Unworded
    from toologue.write.chains.model import ChainModelWriter

    names = {name for plan in read(plans, Plan) for name in plan.dialogue.apis}
    settings = {plan.dialogue.world.model_dump_json(): plan.dialogue.world for plan in read(plans, Plan)}
    known = {api.name: api for world in settings.values() for api in kind_at(world).apis if api.name in names}
    apis, used = list(known.values()), {str(one.arguments.get("uses") or "") for one in settings.values()}
    uses = Uses(use for file in sorted(used - {""}) for use in read(Path(file), Use, empty=True))
    with asyncio.Runner() as loop:
        plain = ChainWriter(apis, embedder(by), seed=seed, uses=uses)
        if writer == "template":
            worded = plain.words
        else:
            online = ChainModelWriter(model(writer, "writer"), apis, embedder(by), seed=seed, plain=plain)

            def worded(plan: Plan) -> Dialogue:
                return loop.run(online.write(plan))

        for plan in read(plans, Plan):
            try:
                yield worded(plan)
            except (Unworded, ModelFault) as reason:
                yield reason


def _chain_flaws(file: Path, by: str | None) -> Callable[[Dialogue], list[Flaw]]:
    """What looks at the chains of a file: with the documents beside it, else with those that a dialogue names.

    The retriever that is asked again knows the APIs of the dialogue's split, or all that plans or dialogues speak of.
    """
    from json import loads

    from toologue.models.embed import embedder
    from toologue.models.retriever import index_of
    from toologue.plan.chains.sequences import SEQUENCES
    from toologue.schema import Api, Dialogue, Plan, Setting, Use
    from toologue.schema.jsonl import read
    from toologue.verify.chains import verify_chain
    from toologue.worlds.documented import Documented
    from toologue.worlds.world import kind_at

    beside = file.with_name("apis.jsonl")

    @cache
    def known(setting: str, used: str) -> tuple[dict[str, Api], Documented]:
        apis = list(read(beside, Api)) if beside.exists() else kind_at(Setting.model_validate_json(setting)).apis
        uses = beside.with_name("uses.jsonl") if beside.exists() else Path(used)
        return {api.name: api for api in apis}, Documented(apis, uses=read(uses, Use, empty=True) if used else ())

    @cache
    def index_of_split(split: str) -> Index:
        splits, plans = file.with_name("splits.json"), file.with_name("plans.jsonl")
        if splits.exists():
            names = set(loads(splits.read_bytes()).get(split, ()))
        else:
            spoken_of = (plan.dialogue for plan in read(plans, Plan)) if plans.exists() else read(file, Dialogue)
            names = {name for dialogue in spoken_of for name in dialogue.apis}
        documents = {api.name: api for api in read(beside, Api) if api.name in names}
        return index_of(documents, embedder(by or ""))

    def flaws(dialogue: Dialogue) -> list[Flaw]:
        arguments = dialogue.world.arguments
        plain = dialogue.world.replace(arguments={**arguments, "seed": 0})
        used = str(arguments.get("uses") or "")
        documents, world = known("" if beside.exists() else plain.model_dump_json(), used)
        seed, planned = arguments.get("seed"), SEQUENCES.get(str(dialogue.origin.get("sequence")))
        seeded = world.seeded(seed if isinstance(seed, int) else 0)
        steps, index = planned.steps if planned else None, by and index_of_split(str(dialogue.origin.get("split")))
        return verify_chain(dialogue, seeded, apis=documents, sequence=steps, index=index or None)

    return flaws


def _graphs(file: Path | None, folder: Path) -> dict[str, Graph]:
    from toologue.schema import Graph
    from toologue.schema.jsonl import read

    beside = folder / "graphs.jsonl"
    if file is None and not beside.exists():
        return {}
    graphs = list(read(file or beside, Graph))
    wrong = next((graph for graph in graphs if graph.kind != "conversation_graph"), None)
    if wrong is not None:
        raise BadFile(f"{file or beside}: {wrong.id!r} is a {wrong.kind}; conversations walk conversation graphs")
    return {graph.id: graph for graph in graphs}
