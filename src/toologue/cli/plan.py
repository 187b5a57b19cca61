"""`toologue plan`: what conversations shall be about. Scenarios and how they open, intents, procedures by a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from toologue.cli.from_prose import prose_of, sources
from toologue.cli.options import OptionalOut, Out, at_least_one
from toologue.cli.plan_graphs import chains, graph, lint_procedure, paths, procedures, say_findings
from toologue.cli.plan_words import words
from toologue.cli.terminal import ask, echo, group, progress_bar, say, table
from toologue.errors import BadFile, BadSetting

if TYPE_CHECKING:
    from rich.table import Table

    from toologue.plan.procedures.by_model import IntentTally
    from toologue.plan.procedures.intents import Intent
    from toologue.plan.procedures.prose import Prose
    from toologue.plan.procedures.rewrite import Rewritten
    from toologue.plan.scenarios import Tally
    from toologue.schema import Api, Scenario


def intents(
    *,
    out: OptionalOut = None,
    model: str | None = None,
    prose: Annotated[list[Path] | None, Parameter(name="--from")] = None,
    service: str | None = None,
    count: int = 84,
    industries: list[str] | None = None,
    seed: int = 0,
) -> None:
    """What customers contact support about: our catalogue, or intents that a model thinks of, or finds in prose.

    Parameters
    ----------
    out
        The intents.jsonl to write.
    model
        openai:NAME or module:attribute; by default the catalogue is shown, offline.
    prose
        Prose of yours, .md or .txt, whose issues are wanted: each that it settles, and how many that are.
    service
        What may be called, for --from: an OpenAPI document, a shipped service, a world of yours.
    count
        How many a model is asked for; none of them is like one of the catalogue.
    industries
        Only of these.
    seed
        Sent to the model.
    """
    from toologue.models.ask import model as model_of
    from toologue.plan.procedures.by_model import IntentTally, ask_intents
    from toologue.plan.procedures.intents import intents as catalogue
    from toologue.schema.jsonl import write

    found, tally = [one for one in catalogue() if not industries or one.industry in industries], IntentTally()
    if prose:
        found = _in_prose(prose, model, service, tally, seed)
    elif model is not None:
        asked = ask_intents(
            model_of(model, "planner"), count, tally, industries=industries or (), known=catalogue(), seed=seed
        )
        found = list(ask(model, asked))
    if not found:
        raise BadSetting(f"there are no intents: {', '.join(industries or ())}")
    if out is not None:
        write(out, found)
    first = {one.industry: one.name for one in reversed(found)}
    counts = Counter(one.industry for one in found)
    rows = ((industry, number, first[industry]) for industry, number in counts.items())
    say(table(("industry", "intents", "for example"), rows))
    for why, number in tally.dropped.most_common():
        echo(f"{number} dropped: {why}", note=True)
    echo(f"{len(found)} intents{f' in {out}' if out else ''}", note=True)


def _in_prose(
    files: Sequence[Path], model: str | None, service: str | None, tally: IntentTally, seed: int
) -> list[Intent]:
    from toologue.models.ask import model as model_of
    from toologue.plan.procedures.by_model import intents_in_prose
    from toologue.plan.procedures.prose import listed
    from toologue.plan.procedures.service import service as service_of

    if model is None:
        raise BadSetting("--from: a model finds the issues; name it, as in --model openai:NAME")
    apis = service_of(service).apis.values() if service else ()
    asked = intents_in_prose(prose_of(files), model_of(model, "planner"), tally, apis=apis, seed=seed)
    found = ask(model, asked)
    for one in found.intents:
        echo(f"{one.id}: sentences {listed(found.sentences[one.id])}")
    return list(found.intents)


def rewrite(
    what: str,
    /,
    *,
    model: str,
    out: Out,
    service: str | None = None,
    intents: Path | None = None,
    count: int = 2,
    tries: int = 3,
    seed: int = 0,
) -> int:
    """Procedures in our dialect by a model, from prose or for an intent. Exits 1 where one does not become sound.

    Parameters
    ----------
    what
        A file of free prose, or the id of an intent of the catalogue.
    model
        openai:NAME or module:attribute.
    out
        The folder for ID.md.
    service
        An OpenAPI document, or the name of a shipped service, whose operations may be called.
    intents
        The issues of the prose, as `plan intents --from` finds them: a procedure is written for each.
    count
        How many procedures for an intent of the catalogue.
    tries
        How often the model may mend one.
    seed
        Sent to the model.
    """
    from toologue.models.ask import model as model_of
    from toologue.plan.procedures.intents import intent, read_intents
    from toologue.plan.procedures.reference import reference
    from toologue.plan.procedures.rewrite import Rewritten, Task, ask_procedures
    from toologue.plan.procedures.rewrite import rewrite as rewrite_prose
    from toologue.plan.procedures.service import service as service_of
    from toologue.project.provision import Provision

    file, asked = Path(what), model_of(model, "planner")
    provision = None if service is None else Provision.of(service)
    apis = None if service is None else tuple(service_of(service).apis.values())
    if file.suffix in (".md", ".txt"):
        prose, known = prose_of([file]), provision.simulator if provision else None
        told, made = reference(apis or (), simulator=known, words=prose.numbered), list[Rewritten]()
        for one in [None] if intents is None else read_intents(intents):
            task, id = Task(intent=one, reference=told), one.id if one else file.stem
            given = rewrite_prose(prose, asked, apis=apis, id=id, tries=tries, seed=seed, task=task)
            made.append(ask(model, given))
        return _kept(out, made, prose)
    chosen = ask_procedures(intent(what), asked, count=count, apis=apis, tries=tries, seed=seed)
    return _kept(out, ask(model, chosen))


def _kept(out: Path, made: Sequence[Rewritten], prose: Prose | None = None) -> int:
    from toologue.formats.procedure import file_names
    from toologue.formats.procedure import write as write_procedure
    from toologue.schema.jsonl import replacing

    names = file_names(one.procedure.id for one in made if one.procedure is not None)
    for one in made:
        if one.procedure is not None:
            file = out / next(names)
            with replacing(file) as stream:
                stream.write(write_procedure(one.procedure).encode())
            echo(f"{file}: {len(one.procedure.steps)} steps, after {len(one.problems)} tries", note=True)
        for finding in one.findings:
            echo(f"  line {finding.line}: {finding.quote!r} is a {finding.rule}: {finding.remedy}")
        for problem in one.problems[-1] if one.procedure is None else ():
            echo(f"  not sound: line {problem}")
        for remark in one.remarks:
            echo(f"  {remark}")
        for sentence in prose.sentences if prose else ():
            if why := one.told.left_out.get(sentence.number):
                echo(f"  left out: {sentence.file}:{sentence.line}: {sentence.text!r}: {why}")
    return 3 if any(one.procedure is None for one in made) else 0


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
    say(_tally_table(tally, drawn), _tools_table(documents, drawn))
    if count is not None and len(drawn) < count:
        echo(f"{count} were wanted, and there are only {len(drawn)}", note=True)
    echo(f"{len(drawn)} scenarios in {out}", note=True)


def lint(*what: str, apis: Path | None = None, json: Path | None = None) -> int:
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
    from toologue.plan.scenarios.lint import lint as lint_text

    if not what:
        raise BadSetting('name a file, or give a query in quotes: toologue plan lint "wake me at six"')
    documents, openings = _documents(apis), list(_openings(what))
    found = [(where, each) for where, text in openings for each in lint_text(text, documents)]
    rows = [{"where": where, **each._asdict()} for where, each in found]
    places = [where for where, _ in found]
    return say_findings(places, rows, f"{len(set(places))} of {len(openings)} look unrealistic", json)


_PARTS = (scenarios, lint, intents, rewrite, sources, procedures, graph, paths, words, lint_procedure, chains)
plan = group("plan", *_PARTS)


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


def _tally_table(tally: Tally, drawn: Sequence[Scenario]) -> Table:
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
    return table(("", "n", "for example"), rows, title="scenarios")


def _tools_table(documents: Sequence[Api], drawn: Sequence[Scenario]) -> Table:
    required = Counter(made.required for made in drawn)
    used = Counter(name for made in drawn for name in set(made.calls))
    rows = [(api.domain, api.name, required[api.name], used[api.name]) for api in documents]
    needed, least = [row[2] for row in rows], min(row[3] for row in rows)
    title = f"per tool: required {min(needed)} to {max(needed)} times, used {least} or more"
    return table(("plugin", "tool", "required", "used"), rows, title=title)
