"""`toologue plan`: what conversations shall be about. `scenarios` plans them, `lint` looks at how they open.

The parts about procedures are in `cli.procedures`.

Not covered: resuming a model's enumeration; a file of scenarios is written when it is complete.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from toologue.bench.tooltalk.authoring import conversations_in
from toologue.cli.asked import intents, rewrite
from toologue.cli.chains import actions, chains
from toologue.cli.procedures import graph, lint_procedure, paths, procedures
from toologue.cli.terminal import progress_bar, say, write_json
from toologue.errors import BadFile, BadSetting
from toologue.models.model import ModelFault, model
from toologue.plan.scenarios import Tally, sample, tell_all
from toologue.plan.scenarios.ask import ask_all
from toologue.plan.scenarios.lint import lint as lint_text
from toologue.schema import Api, Scenario
from toologue.schema.jsonl import read, write


def scenarios(
    apis: Path | None = None,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    count: int | None = None,
    seed: int = 0,
    model: str | None = None,
    concurrency: int = 8,
) -> None:
    """Scenarios over every three plugins, for somebody to write conversations from.

    Parameters
    ----------
    apis
        An apis.jsonl whose Apis have a domain; by default the assistant's.
    out
        The scenarios.jsonl to write.
    count
        How many to draw, evenly over the tools; by default all.
    seed
        Chooses what is told, and what is drawn.
    model
        openai:NAME or module:attribute; by default they are told by templates, offline.
    concurrency
        How many requests to the model at once.
    """
    if count is not None and count < 1:
        raise BadSetting(f"--count {count}: give 1 or more")
    if concurrency < 1:
        raise BadSetting(f"--concurrency {concurrency}: give 1 or more")
    documents, tally = _documents(apis), Tally()
    if model is None:
        kept = list(tell_all(documents, tally, seed=seed))
    else:
        kept = _asked(documents, model, tally, count, (seed, concurrency))
    drawn = kept if count is None else sample(kept, count, seed=seed)
    if not drawn:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in tally.dropped.most_common())
        raise BadSetting(f"no scenario was left of {tally.proposed} proposed: {reasons or 'nothing came back'}")
    write(out, drawn)
    say(_tally_table(tally, drawn), _tools_table(documents, drawn))
    if count is not None and len(drawn) < count:
        print(f"{count} were wanted, and there are only {len(drawn)}")
    print(f"{len(drawn)} scenarios in {out}")


def lint(
    *what: str,
    apis: Path | None = None,
    json: Path | None = None,
) -> int:
    """What makes opening turns unrealistic. Exits 1 where there is anything.

    Parameters
    ----------
    what
        Files of conversations (.yaml, .jsonl), folders of them, .txt files with a query a line, or a query in quotes.
    apis
        An apis.jsonl, whose names queries should not use; by default the assistant's.
    json
        Where the findings go.
    """
    if not what:
        raise BadSetting('name a file, or give a query in quotes: toologue plan lint "wake me at six"')
    documents, table = _documents(apis), Table("where", "rule", "what", "why", "remedy")
    total, rows = 0, list[dict[str, object]]()
    for where, text in _openings(what):
        total += 1
        for found in lint_text(text, documents):
            table.add_row(where, found.rule, found.quote, found.why, found.remedy)
            rows.append({"where": where, **found._asdict()})
    flagged = len({row["where"] for row in rows})
    if rows:
        say(table)
    print(f"{flagged} of {total} look unrealistic")
    if json is not None:
        write_json(json, rows)
    return 1 if rows else 0


def _plan() -> App:
    """The command with its parts, named, so that help says the same however it is called."""
    whole = App(name="plan")
    parts = (scenarios, lint, intents, rewrite, procedures, graph, paths, lint_procedure, chains, actions)
    for part in parts:
        command = App(name=part.__name__.replace("_", "-"))
        command.default(part)
        whole.command(command)
    return whole


plan = _plan()


def _documents(apis: Path | None) -> tuple[Api, ...]:
    if apis is not None:
        return tuple(read(apis, Api))
    from toologue.worlds.assistant import apis as assistant

    return tuple(assistant())


def _asked(
    documents: Sequence[Api], spec: str, tally: Tally, count: int | None, how: tuple[int, int]
) -> list[Scenario]:
    """Scenarios by a model, with a progress bar. Raises BadSetting where it does not answer."""
    seed, concurrency = how
    asked = model(spec)

    async def collect() -> list[Scenario]:
        kept: list[Scenario] = []
        with progress_bar("asking") as progress:
            async for made in ask_all(documents, asked, tally, count=count, seed=seed, concurrency=concurrency):
                kept.append(made)
                progress(len(kept), count or 0)
        return kept

    try:
        return asyncio.run(collect())
    except ModelFault as fault:
        raise BadSetting(f"the model {spec!r} does not answer: {fault}") from None


def _openings(what: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(where, text) of everything that is to be looked at."""
    for number, given in enumerate(what, 1):
        path = Path(given)
        if path.suffix == ".txt" and path.is_file():
            for line, text in enumerate(path.read_text("utf-8").splitlines(), 1):
                if text.strip():
                    yield f"{path.name}:{line}", text
        elif path.suffix in (".yaml", ".jsonl", ".gz") or (len(given) < 256 and path.is_dir()):
            for dialogue in conversations_in([path]):
                yield dialogue.id, next(turn.text for turn in dialogue.turns if turn.role == "user")
        elif path.suffix == ".txt" and " " not in given:
            raise BadFile(f"there is no file {given}")
        else:
            yield f"query {number}", given


def _tally_table(tally: Tally, drawn: Sequence[Scenario]) -> Table:
    table = Table("", "n", "for example", title="scenarios")
    table.add_row("prompts", str(tally.prompts))
    if tally.unanswered:
        table.add_row("  without an answer", str(tally.unanswered))
    table.add_row("proposed", str(tally.proposed))
    table.add_row("  asked for and absent", str(tally.absent))
    for reason, n in tally.dropped.most_common():
        table.add_row(f"  dropped: {reason}", str(n), tally.examples[reason])
    table.add_row("kept", str(tally.kept))
    table.add_row("drawn", str(len(drawn)))
    return table


def _tools_table(documents: Sequence[Api], drawn: Sequence[Scenario]) -> Table:
    required = Counter(made.required for made in drawn)
    used = Counter(name for made in drawn for name in set(made.calls))
    counts = [required[api.name] for api in documents]
    title = (
        f"per tool: required {min(counts)} to {max(counts)} times, used {min(used[a.name] for a in documents)} or more"
    )
    table = Table("plugin", "tool", "required", "used", title=title)
    for api in documents:
        table.add_row(api.domain, api.name, str(required[api.name]), str(used[api.name]))
    return table
