"""A project's procedures and its conversations: read, checked, made where they are not there yet.

What is made of a procedure is kept under a key of all that it is made of: the procedure, the document and the rows, the
settings, this version. So a procedure that nobody touched costs nothing.

    .toologue/conversations/KEY/dialogues.jsonl    its conversations
                                graphs.jsonl       its conversation graph
                                made.json          what was dropped, and why

Contract: all that is wrong with all procedures is one BadFile, each with its line. An entry is there whole or not at
all; one that cannot be read is made again.

Example:
    >>> import tempfile
    >>> from toologue.project.settings import open_project
    >>> from toologue.project.start import start
    >>> folder = Path(tempfile.mkdtemp()) / "mine"
    >>> _ = start(folder)
    >>> chapters = read_chapters(open_project(folder))
    >>> [chapter.file for chapter in chapters]
    ['broken-bicycle.md', 'hire-still-running.md']

Not covered: removing what no settings lead to any more; `.toologue` can be removed at any time.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from toologue import __version__, keys
from toologue.errors import BadFile, UserError
from toologue.formats.procedure import load
from toologue.plan.procedures.lint_procedure import Finding, lint
from toologue.plan.procedures.paths import Coverage, coverage
from toologue.plan.procedures.service import service
from toologue.project.generate import Making, generate
from toologue.project.made import Made, Source
from toologue.project.settings import Project
from toologue.report.coverage import walk_of
from toologue.report.view import Charted
from toologue.schema import Dialogue, Graph, Procedure
from toologue.schema.jsonl import read, replacing, write


@dataclass(frozen=True)
class Chapter:
    """A procedure: its file, what it says, what is to be remarked about its words, the key of what is made of it."""

    file: str
    procedure: Procedure
    findings: Sequence[Finding]
    source: Source
    key: str


Chapters = Sequence[Chapter]


@dataclass(frozen=True)
class Suite:
    """The conversations of a procedure. `fresh`: they were made just now. `dropped`: (why, how often) others were."""

    chapter: Chapter
    graph: Graph
    dialogues: tuple[Dialogue, ...]
    dropped: tuple[tuple[str, int], ...]
    fresh: bool

    @cached_property
    def coverage(self) -> Coverage:
        """What the conversations lead through."""
        return coverage(self.graph, (walk_of(self.graph, dialogue) for dialogue in self.dialogues))

    @property
    def charted(self) -> Charted:
        """The suite, for a report."""
        return Charted(self.chapter.file, self.graph, self.dialogues)


def read_chapters(project: Project) -> list[Chapter]:
    """All procedures of a project. Raises BadFile with everything that is wrong with them."""
    seed = project.seed
    document = str(project.document)
    known = service(document, seed).apis
    data = [keys.file_key(file) for file in (Path(document), seed) if file is not None]
    found, wrong = list[Chapter](), list[str]()
    for file in project.procedures:
        try:
            procedure = load(file, apis=known.values())
        except UserError as error:
            wrong.append(str(error))
            continue
        twin = next((other.file for other in found if other.procedure.id == procedure.id), None)
        if twin:
            wrong.append(f"{file}: its id {procedure.id!r} is that of {twin}, too; give each one of its own")
        parts = [__version__, document, data, procedure.model_dump(mode="json"), vars(project.making)]
        source = Source(procedure, document, seed and str(seed))
        found.append(Chapter(file.name, procedure, lint(file.read_text("utf-8-sig")), source, keys.content_key(parts)))
    if wrong:
        raise BadFile("\n".join(wrong))
    return found


def made_of(
    project: Project, chapters: Chapters, *, workers: int = 1, progress: Callable[[int, int], None] | None = None
) -> list[Suite]:
    """The conversations of all procedures, in their order; those that are kept are not made again."""
    home = project.kept / "conversations"
    kept = {chapter.key: _kept(home / chapter.key, chapter) for chapter in chapters}
    missing = [chapter for chapter in chapters if kept[chapter.key] is None]
    for done, (chapter, made) in enumerate(_generated(missing, project.making, workers), 1):
        kept[chapter.key] = _keep(home / chapter.key, chapter, made)
        if progress:
            progress(done, len(missing))
    return [suite for chapter in chapters if (suite := kept[chapter.key])]


def _generated(missing: Chapters, making: Making, workers: int) -> Iterator[tuple[Chapter, Made]]:
    yield from zip(missing, generate((one.source for one in missing), making, workers=workers), strict=True)


def _keep(folder: Path, chapter: Chapter, made: Made) -> Suite:
    """Put what was made into its folder, in one step."""
    dropped = tuple(sorted(made.dropped.items()))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
        write(scratch / "dialogues.jsonl", made.dialogues)
        write(scratch / "graphs.jsonl", [made.planned.graph])
        with replacing(scratch / "made.json") as stream:
            stream.write(json.dumps({"format": "made/1", "dropped": dropped}).encode())
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    except OSError as error:
        raise BadFile(f"cannot write to {folder.parent}: {error.strerror or error}") from None
    return Suite(chapter, made.planned.graph, made.dialogues, dropped, fresh=True)


def _kept(folder: Path, chapter: Chapter) -> Suite | None:
    """What is kept, if it is there and whole."""
    try:
        said = json.loads((folder / "made.json").read_bytes())
        dropped = tuple((str(why), int(times)) for why, times in said["dropped"])
        (graph,) = read(folder / "graphs.jsonl", Graph)
        dialogues = tuple(read(folder / "dialogues.jsonl", Dialogue, empty=True))
    except (OSError, ValueError, KeyError, TypeError, UserError):
        return None
    return Suite(chapter, graph, dialogues, dropped, fresh=False)
