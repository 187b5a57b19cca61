"""`toologue write` and `toologue verify`: words for plans, and an independent look at conversations."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

from toologue.cli.options import Out
from toologue.cli.terminal import progress_bar, say, write_json
from toologue.errors import BadFile, BadSetting
from toologue.models.embed import embedder
from toologue.models.model import ModelFault, model
from toologue.plan.chains.sequences import SEQUENCES
from toologue.project.generate import words
from toologue.schema import Api, Cue, Dialogue, Graph, Plan, Setting
from toologue.schema.jsonl import read
from toologue.schema.jsonl import write as write_lines
from toologue.verify.chains import verify_chain
from toologue.verify.procedures import RULES, Flaw
from toologue.verify.procedures import verify as flaws_of
from toologue.worlds.documented import Documented
from toologue.worlds.world import kind_at
from toologue.write.chains import ChainWriter, Unworded
from toologue.write.chains.model import ChainModelWriter


def is_chain(dialogue: Dialogue) -> bool:
    """Whether a dialogue is of the chains line."""
    return dialogue.origin.get("line") == "chains"


def chain_words(
    plans: Path, writer: str = "template", *, seed: int = 0, by: str = "lexical"
) -> Iterator[Dialogue | Unworded | ModelFault]:
    """The dialogue of each plan, or why there is none. The retriever knows the APIs that the plans speak of."""
    names = {name for plan in read(plans, Plan) for name in plan.dialogue.apis}
    apis: dict[str, Api] = {}
    for setting in {plan.dialogue.world.model_dump_json(): plan.dialogue.world for plan in read(plans, Plan)}.values():
        apis.update({api.name: api for api in kind_at(setting).apis if api.name in names})
    if writer == "template":
        offline = ChainWriter(list(apis.values()), embedder(by), seed=seed)
        yield from (_tried(offline.words, plan) for plan in read(plans, Plan))
        return
    online = ChainModelWriter(model(writer), list(apis.values()), embedder(by), seed=seed)
    with asyncio.Runner() as loop:
        yield from (_tried(lambda one: loop.run(online.write(one)), plan) for plan in read(plans, Plan))


def chain_flaws(file: Path) -> Callable[[Dialogue], list[Flaw]]:
    """What looks at the chains of a file: with the documents beside it, else with those that a dialogue names."""
    beside = file.with_name("apis.jsonl")

    @cache
    def known(setting: str) -> _Known:
        asked = Setting.model_validate_json(setting)
        apis = list(read(beside, Api)) if beside.exists() else kind_at(asked).apis
        return _Known({api.name: api for api in apis}, Documented(apis))

    def flaws(dialogue: Dialogue) -> list[Flaw]:
        arguments = dialogue.world.arguments
        plain = dialogue.world.replace(arguments={**arguments, "seed": 0})
        documents, world = known("{}" if beside.exists() else plain.model_dump_json())
        seed = arguments.get("seed")
        planned = SEQUENCES.get(str(dialogue.origin.get("sequence")))
        return verify_chain(
            dialogue,
            world.seeded(seed if isinstance(seed, int) else 0),
            apis=documents,
            sequence=planned.steps if planned else None,
        )

    return flaws


class _Known(NamedTuple):
    """The documents by name, and a world that answers as they say."""

    documents: dict[str, Api]
    world: Documented


def _tried(words: Callable[[Plan], Dialogue], plan: Plan) -> Dialogue | Unworded | ModelFault:
    try:
        return words(plan)
    except (Unworded, ModelFault) as reason:
        return reason


_SHOWN = 40


def write(
    plans: Path,
    /,
    *,
    out: Out,
    writer: str = "template",
    embedder: str = "lexical",
    seed: int = 0,
) -> None:
    """Words for plans: the same conversations, as people would say them.

    Parameters
    ----------
    plans
        A plans.jsonl.
    out
        The dialogues.jsonl to write.
    writer
        template, or a model that finds the words: openai:NAME or module:attribute.
    embedder
        Whose retriever is asked what users of chains open with: lexical, minilm, endpoint:MODEL.
    seed
        Chooses registers and phrases.
    """
    silent: list[Exception] = []
    first = next(iter(read(plans, Plan)))
    told = chain_words(plans, writer, seed=seed, by=embedder) if is_chain(first.dialogue) else None

    def found() -> Iterator[Dialogue]:
        with progress_bar("writing") as progress:
            for number, dialogue in enumerate(told or words(read(plans, Plan), writer, seed=seed), 1):
                if isinstance(dialogue, Exception):
                    silent.append(dialogue)
                else:
                    yield dialogue
                progress(number, 0)

    count = write_lines(out, found())
    for fault in silent[:_SHOWN]:
        print(f"left out: {fault}")
    print(f"{count} conversations in {out}" + (f"; {len(silent)} were left out" if silent else ""))


def verify(what: Path, /, *, graphs: Path | None = None, json: Path | None = None) -> int:
    """Whether conversations are valid: every act is done again, every word looked at. Exits 1 where one is not.

    Parameters
    ----------
    what
        A folder that `generate` wrote, or a dialogues.jsonl.
    graphs
        The conversation graphs that the dialogues walk; by default the graphs.jsonl of the folder.
    json
        Where the flaws go.
    """
    file = what / "dialogues.jsonl" if what.is_dir() else what
    known, flaws_of_chain = _graphs(graphs, file.parent), chain_flaws(file)
    cues = _cues(file.with_name("plans.jsonl"))
    rows, rules, total, walked = list[dict[str, object]](), Counter[str](), 0, 0
    with progress_bar("verifying") as progress:
        for total, dialogue in enumerate(read(file, Dialogue), 1):
            graph = known.get(str(dialogue.origin.get("procedure")))
            walked += graph is not None or is_chain(dialogue)
            said = cues.get(dialogue.id, ())
            if is_chain(dialogue):
                flaws = flaws_of_chain(dialogue)
            else:
                flaws = flaws_of(dialogue, graph, cues=said if len(said) == len(dialogue.turns) else ())
            rows += [_row(dialogue, flaw) for flaw in flaws]
            rules.update({flaw.rule for flaw in flaws})
            progress(total, 0)
    if graphs is not None and not walked:
        raise BadSetting(f"{graphs}: none of these graphs is one that a dialogue of {file} names as its procedure")
    if rows:
        say(_flaws(rows), _rules(rules))
    flawed = len({row["dialogue"] for row in rows})
    print(f"{total - flawed} of {total} are valid" + ("" if walked else "; without a graph, no path was looked at"))
    if json is not None:
        write_json(json, rows)
    return 1 if rows else 0


def _row(dialogue: Dialogue, flaw: Flaw) -> dict[str, object]:
    return {"dialogue": dialogue.id, **flaw._asdict()}


def _graphs(file: Path | None, folder: Path) -> dict[str, Graph]:
    beside = folder / "graphs.jsonl"
    if file is None and not beside.exists():
        return {}
    graphs = list(read(file or beside, Graph))
    wrong = next((graph for graph in graphs if graph.kind != "conversation_graph"), None)
    if wrong is not None:
        raise BadFile(f"{file or beside}: {wrong.id!r} is a {wrong.kind}; conversations walk conversation graphs")
    return {graph.id: graph for graph in graphs}


def _cues(file: Path) -> dict[str, tuple[Cue, ...]]:
    return {plan.dialogue.id: plan.cues for plan in read(file, Plan)} if file.exists() else {}


def _flaws(rows: Iterable[dict[str, object]]) -> Table:
    table = Table("dialogue", "turn", "rule", "what")
    every = list(rows)
    for row in every[:_SHOWN]:
        table.add_row(*(Text(str(row[name])) for name in ("dialogue", "turn", "rule", "what")))
    if len(every) > _SHOWN:
        table.caption = f"and {len(every) - _SHOWN} more; --json has them all"
    return table


def _rules(counts: Counter[str]) -> Table:
    table = Table("rule", "conversations")
    for rule in RULES:
        if counts[rule]:
            table.add_row(rule, str(counts[rule]))
    return table
