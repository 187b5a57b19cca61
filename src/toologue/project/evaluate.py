"""An agent through a project's conversations: run under the protocol `next`, graded, kept.

    .toologue/runs/KEY/    a run folder (docs/files.md) for each agent and procedure, with its scores

A run is kept under a key of the agent and the conversations; of an agent that is a file, of all Python files beside and
below it. So a procedure that changed is run again, and no other; a changed agent is run again. What a model behind an
endpoint would say today is not known: `fresh` asks again.

Contract: what an agent does is data (`run.runner`); only what the user must mend is raised. A run that was killed goes
on where it stopped.

Example:
    >>> import tempfile
    >>> from toologue.project.settings import open_project
    >>> from toologue.project.start import start
    >>> from toologue.project.suite import made_of, read_chapters
    >>> folder = Path(tempfile.mkdtemp()) / "mine"
    >>> _ = start(folder)
    >>> project = open_project(folder)
    >>> suites = made_of(project, read_chapters(project)[1:])
    >>> again = [tried(project, "gold", suites, Judge.of("lexical")) for _ in range(2)]
    >>> [(trial.fresh, len(trial.conversations), trial.passed) for trial in again]
    [(8, 8, 8), (0, 8, 8)]

Not covered: agents in other processes than this one; give those an address.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from toologue import __version__, keys
from toologue.agents.agent import player
from toologue.errors import BadSetting, UserError
from toologue.models.similarity import Judge
from toologue.project.settings import FILE, Project
from toologue.project.suite import Suite
from toologue.report.build import score_folder, thresholds_text
from toologue.report.view import Conversation, RunView
from toologue.run.cases import Settings
from toologue.run.runner import Limits
from toologue.run.store import Config, RunFolder, run_folder
from toologue.schema import Score
from toologue.schema.jsonl import read
from toologue.score.metric import Total, totals

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Trial:
    """What became of an agent. `fresh`: how many of its conversations were run just now."""

    agent: str
    conversations: Sequence[Conversation]
    totals: Sequence[Total]
    fresh: int
    facts: dict[str, str]

    @property
    def passed(self) -> int:
        """How many conversations it passed."""
        return sum(conversation.passed is True for conversation in self.conversations)

    @property
    def view(self) -> RunView:
        """The same for a report."""
        return RunView(self.agent, self.facts, self.totals, self.conversations)


def tried(
    project: Project,
    agent: str,
    suites: Sequence[Suite],
    judge: Judge,
    *,
    fresh: bool = False,
    progress: Progress = lambda done, of: None,
) -> Trial:
    """Run and grade an agent, as far as that was not done before. `fresh`: all of it."""
    spec, code = _resolved(project, agent)
    player(spec)
    found, run_now, before = list[Conversation](), 0, 0
    of = sum(len(suite.dialogues) for suite in suites)
    for suite in suites:
        if not suite.dialogues:
            continue
        told = [__version__, spec, code, suite.chapter.key, project.settings.run.timeout]
        folder = RunFolder(project.kept / "runs" / keys.content_key(told))
        if fresh:
            shutil.rmtree(folder.path, ignore_errors=True)
        kept = _graded(folder, suite, judge)
        if kept is None:
            run_now += _run(project, folder, spec, suite, _counted(progress, before, of))
            score_folder(folder, judge)
            kept = _graded(folder, suite, judge)
        assert kept is not None, "what was just written can be read"
        found += kept
        before += len(suite.dialogues)
        progress(before, of)
    scores = (score for conversation in found for score in conversation.scores.values())
    facts = {
        "agent": agent,
        "protocol": "next",
        "similarity": judge.similarity.name,
        "thresholds": thresholds_text(judge.thresholds),
        "toologue": __version__,
    }
    return Trial(agent, found, totals(scores), run_now, facts)


def _resolved(project: Project, agent: str) -> tuple[str, str]:
    """(what `player` understands, the key of its code)."""
    file, _, name = agent.rpartition(":")
    if not file.endswith(".py"):
        return agent, ""
    path = (project.folder / file).resolve()
    if not path.is_file():
        raise BadSetting(f"{project.folder / FILE}: agents: {agent!r}: there is no file {path}; paths start at {FILE}")
    return f"callable:{path}:{name}", keys.content_key([keys.file_key(each) for each in _code(path.parent)])


def _code(folder: Path) -> Iterator[Path]:
    """The Python files of a folder and those below; hidden folders and installed packages left out."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.is_file():
            yield path
        elif path.is_dir() and not path.name.startswith((".", "__")) and not (path / "pyvenv.cfg").exists():
            yield from _code(path)


def _run(project: Project, folder: RunFolder, spec: str, suite: Suite, progress: Progress) -> int:
    """Run what is missing; how many conversations that were."""
    first = list[int]()

    def counting(done: int, of: int) -> None:
        first.append(done)
        progress(done, of)

    settings = project.settings.run
    limits = Limits(settings.concurrency, settings.timeout)
    config = Config(agent=spec, settings=Settings(protocol="next"))
    run_folder(folder.path, suite.dialogues, config, limits=limits, progress=counting)
    return len(suite.dialogues) - first[0]


def _graded(folder: RunFolder, suite: Suite, judge: Judge) -> list[Conversation] | None:
    """The conversations with their scores, if they were run to the end and graded by this judge."""
    try:
        summary = json.loads((folder.path / "scores.json").read_bytes())
        if summary["similarity"] != judge.record():
            return None
        scores: dict[str, dict[str, Score]] = {}
        for score in read(folder.path / "scores.jsonl", Score, empty=True):
            scores.setdefault(score.dialogue, {})[score.metric] = score
        traces = {trace.dialogue: trace for trace in folder.traces()}
    except (OSError, ValueError, KeyError, TypeError, UserError):
        return None
    if traces.keys() != {gold.id for gold in suite.dialogues}:
        return None
    return [Conversation(gold, traces[gold.id], scores.get(gold.id, {})) for gold in suite.dialogues]


def _counted(progress: Progress, before: int, of: int) -> Progress:
    return lambda done, _: progress(before + done, of)
