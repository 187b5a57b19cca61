"""`toologue write` and `toologue verify`: words for plans, and an independent look at conversations.

Not covered: plans of scenarios; people write those conversations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from toologue.cli.terminal import progress_bar, say, write_json
from toologue.cli.write_chains import chain_flaws, chain_words, is_chain
from toologue.errors import BadFile, BadSetting
from toologue.project.generate import words
from toologue.schema import Cue, Dialogue, Graph, Plan
from toologue.schema.jsonl import read
from toologue.schema.jsonl import write as write_lines
from toologue.verify.procedures import RULES, Flaw
from toologue.verify.procedures import verify as flaws_of

_SHOWN = 40


def write(
    plans: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
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
