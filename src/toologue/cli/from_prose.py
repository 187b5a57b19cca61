"""`toologue init --from`, `plan sources`: prose becomes a project, and what became of each sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from toologue import limits
from toologue.cli.options import Operations, at_least_one, say_unreached
from toologue.cli.terminal import ask, command_line, echo, folded, say, say_first, table, write_json
from toologue.errors import BadFile, BadSetting

if TYPE_CHECKING:
    from toologue.plan.procedures.prose import Prose, Sentence
    from toologue.project.from_prose import Stage
    from toologue.project.provision import Provision

_LINES = 20
_WORDS = 90


def prose_of(files: Sequence[Path]) -> Prose:
    """The prose of files. Raises BadFile, BadSetting."""
    from toologue.data import text_of
    from toologue.plan.procedures.prose import Prose

    prose = Prose.of({file.name if len(files) > 1 else str(file): text_of(file, limits.PAGE) for file in files})
    if not prose.sentences:
        raise BadSetting(f"{', '.join(map(str, files))}: there is no sentence in it")
    return prose


@Parameter(name="*")
@dataclass(frozen=True)
class FromProse:
    """What a project is made of."""

    prose: Annotated[
        tuple[Path, ...],
        Parameter(name="--from", help="Prose, .md or .txt: what support does for customers, and how. May be repeated."),
    ] = ()
    api: Annotated[
        str | None,
        Parameter(
            help="What may be called: an OpenAPI document, a service that ships, a world of yours (module:Class), a "
            "registered one (tau2?domain=retail), or a file that only describes APIs (apis.jsonl, tools.json)."
        ),
    ] = None
    model: Annotated[
        str | None,
        Parameter(help="openai:NAME or module:attribute; openai:NAME?timeout=3600 waits an hour for each reply."),
    ] = None
    overlay: Annotated[Path | None, Parameter(help="What the document of --api does not say of its world.")] = None
    rows: Annotated[Path | None, Parameter(help="What is stored, in YAML; the model adds to it.")] = None
    operations: Operations = Operations()
    tries: Annotated[int, Parameter(help="How often the model is asked for each procedure, repairs included.")] = 3
    seed: Annotated[int, Parameter(help="Sent to the model.")] = 0
    concurrency: Annotated[int, Parameter(help="How many procedures are asked for at a time.")] = 4

    @property
    def provision(self) -> Provision:
        """The service that --api names, with what is said of it. Raises UserError."""
        from toologue.apis.choice import Choice
        from toologue.project.provision import Provision

        choice = self.operations.choice
        return Provision.of(self.api or "", self.rows, self.overlay, None if choice == Choice() else choice)


def from_prose(folder: Path, given: FromProse) -> int:
    """A project from prose, and what there is to say of it. Exits 3 where an issue has no procedure."""
    from tempfile import TemporaryDirectory

    from toologue import keys
    from toologue.models.ask import model as model_of
    from toologue.models.recording import VARIABLES, keeping, told_spec
    from toologue.plan.procedures.prose import said_words
    from toologue.project.from_prose import drafted, write_project
    from toologue.project.settings import FILE

    api, model, tries, seed = given.api, given.model, given.tries, given.seed
    if not given.prose:
        raise BadSetting("--model writes procedures of prose: name it, too, with --from FILE")
    if api is None:
        raise BadSetting("--from needs --api FILE, what may be called")
    if model is None:
        first = f"`{command_line('init', folder, api=api)}` makes a project over it"
        hand = f"{first}; write the steps by hand, a file an issue, into its procedures/ (docs/procedures.md)"
        raise BadSetting(f"--from needs --model, who writes the procedures, such as openai:NAME. Without one: {hand}")
    at_least_one(tries=tries, concurrency=given.concurrency)
    prose, provision = prose_of(given.prose), given.provision
    key = keys.content_key([prose.numbered, api, told_spec(model), tries, seed])
    replies = folder / ".toologue" / f"replies-{key}.sqlite"
    elsewhere = any(os.environ.get(VARIABLES[name]) for name in ("replay", "cache"))
    if (folder / FILE).exists() and not elsewhere and not replies.exists():
        raise BadFile(f"{folder} is a project already, of something else; choose another folder")
    with nullcontext() if elsewhere else keeping(cache=replies), TemporaryDirectory() as scratch:
        asked = model_of(model, "planner")
        tell = partial(echo, error=True, note=True)
        at_once = given.concurrency
        made = drafted(prose, provision, asked, Path(scratch), tries=tries, seed=seed, concurrency=at_once, tell=tell)
        done = ask(model, made)
    written = write_project(folder, done)
    say_stages(done.stages)
    unsaid = [one for one in done.sources if not one.steps]
    echo(f"{said_words(done.sources)}{':' if unsaid else ''}")
    say_first([f"  {_said(one)}" for one in unsaid], _LINES)
    say_unreached(done.unreached)
    for one in done.kept:
        remarks = [remark for remark in one.remarks if "no conversation takes" not in remark]
        say_first([f"  {one.procedure.id}: {remark}" for remark in remarks], _LINES)
    for file in written:
        echo(file, note=True)
    where = command_line("plan", "sources", folder)
    echo(f"each sentence with its steps: {where}   then: {command_line('test', folder)}", note=True)
    return 3 if done.dropped else 0


def say_stages(stages: Iterable[Stage], title: str = "from prose") -> None:
    """Say how much each stage made, and what was dropped, and why."""
    rows = list[tuple[object, ...]]()
    for stage in stages:
        rows.append((stage.name, stage.generated, stage.repaired or None, sum(stage.dropped.values()), stage.kept, ""))
        for why, times in stage.dropped.items():
            example = stage.examples.get(why, "")
            told = limits.cut(f"{why}: {example}" if example else why, 2 * _WORDS)
            rows.append(("", "", "", times, "", " ".join(told.split())))
    heads = ("generated", "repaired", "dropped", "kept")
    say(table(("stage", *heads, "why"), rows, title=title, right=heads))


def _said(one: Sentence) -> str:
    whys = list(dict.fromkeys(one.left_out.values()))
    return f"{one.file}:{one.line}: {one.text!r}: {'; '.join(whys) or 'nobody says why'}"


def sources(folder: Path = Path(), /, *, json: Path | None = None) -> None:
    """Each sentence of the prose that a project was made of, with the steps that say it, or why none does.

    Args:
        folder: The project; by default this folder.
        json: Where the same goes, for programs.
    """
    from toologue.formats.procedure import file_names
    from toologue.plan.procedures.prose import Sentence, said_words
    from toologue.project.from_prose import SOURCES, STAGES, Stage
    from toologue.schema.jsonl import read

    if not (folder / SOURCES).is_file():
        raise BadFile(
            f"{folder} was not made of prose: there is no {folder / SOURCES}; `toologue init --from` makes one"
        )
    found = list(read(folder / SOURCES, Sentence))
    ids = list(dict.fromkeys(id for one in found for id in one.steps))
    files = (folder / SOURCES.parent / name for name in file_names(ids))
    steps = {id: _steps(file) for id, file in zip(ids, files, strict=True)}
    for one in found:
        echo(folded(f"{one.file}:{one.line}  {one.text}"))
        for id, number in ((id, number) for id, numbers in one.steps.items() for number in numbers):
            before = "in the paragraph, too" if one.is_tested else "in the paragraph only: nothing tests it"
            said = f"step {number}: {steps[id].get(number, '')}" if number else before
            echo(folded(f"    {id}, {said}"))
        for id, why in one.left_out.items() if not one.steps else ():
            echo(folded(f"    in no step: {f'{id}: ' if id else ''}{why}"))
    echo(said_words(found))
    say_stages(read(folder / STAGES, Stage))
    if json is not None:
        write_json(json, [one.model_dump(mode="json") for one in found])


def _steps(file: Path) -> dict[int, str]:
    """The first lines of a procedure's steps by their numbers, as they stand in its file."""
    from toologue.data import text_of

    text = text_of(file, limits.PAGE) if file.is_file() else ""
    return {int(number): words.replace("**", "") for number, words in re.findall(r"^(\d+)\. (.*)$", text, re.M)}
