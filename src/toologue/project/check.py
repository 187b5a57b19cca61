"""All stages of a project: procedures read and checked, conversations made, agents run and graded, one report.

Contract: what was done before, and has not changed, is not done again; each stage says how much of it that was. The
gate is on the first agent alone; others stand beside it.

Example:
    >>> import tempfile
    >>> from pathlib import Path
    >>> from toologue.project.settings import open_project
    >>> from toologue.project.start import start
    >>> folder = Path(tempfile.mkdtemp()) / "mine"
    >>> _ = start(folder)
    >>> def told(stage):
    ...     print(stage.name, stage.fresh, stage.kept)
    >>> checked = check(open_project(folder), agents=["gold"], tell=told)
    procedures 2 0
    conversations 2 0
    gold 19 0
    >>> checked.gate.value, checked.gate.passed
    (1.0, True)

Not covered: stages one at a time; `toologue generate`, `run`, `score` and `report` are those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from toologue.errors import BadFile, UnknownName
from toologue.models.similarity import Judge
from toologue.plan.procedures.paths import Share
from toologue.project.evaluate import Progress, Trial, tried
from toologue.project.settings import Project
from toologue.project.suite import Suite, made_of, read_chapters
from toologue.report.view import Report

Bar = Callable[[str], AbstractContextManager[Progress]]


@dataclass(frozen=True)
class Stage:
    """A stage that ended: how much was done now, how much was kept from before, what came of it."""

    name: str
    fresh: int
    kept: int
    says: str


@dataclass(frozen=True)
class Gated:
    """What the gate says of the first agent. `least` is None where nothing was asked for."""

    metric: str
    value: float | None
    least: float | None

    @property
    def passed(self) -> bool:
        """Whether it lets through; never where nothing was scored."""
        return self.least is None or (self.value is not None and self.value >= self.least - 1e-9)


@dataclass(frozen=True)
class Checked:
    """What came of all stages."""

    suites: Sequence[Suite]
    trials: Sequence[Trial]
    report: Report
    gate: Gated


def check(
    project: Project,
    *,
    agents: Sequence[str] = (),
    fail_under: float | None = None,
    fresh: bool = False,
    workers: int = 1,
    tell: Callable[[Stage], None] = lambda stage: None,
    bar: Bar = lambda what: nullcontext(lambda done, of: None),
) -> Checked:
    """Check a project. `agents` and `fail_under` go before what its settings say; `fresh` runs all agents again."""
    judge = Judge.of(project.settings.grade.similarity)
    chapters = read_chapters(project)
    remarks = sum(len(chapter.findings) for chapter in chapters)
    tell(Stage("procedures", len(chapters), 0, f"{remarks} remarks" if remarks else "nothing to remark"))
    with bar("making conversations") as progress:
        suites = made_of(project, chapters, workers=workers, progress=progress)
    fresh_made = sum(suite.fresh for suite in suites)
    tell(Stage("conversations", fresh_made, len(suites) - fresh_made, _made_words(suites)))
    if not any(suite.dialogues for suite in suites):
        raise BadFile(f"{project.folder}: no conversation could be made: {_made_words(suites)}")
    trials = list[Trial]()
    for agent in dict.fromkeys(agents or project.settings.agents):
        with bar(f"running {agent}") as progress:
            trial = tried(project, agent, suites, judge, fresh=fresh, progress=progress)
        trials.append(trial)
        every = len(trial.conversations)
        tell(Stage(agent, trial.fresh, every - trial.fresh, f"{trial.passed} of {every} conversations pass"))
    name = project.folder.resolve().name
    report = Report(
        name,
        [trial.view for trial in trials],
        command=f"toologue test {project.folder}",
        charted=[suite.charted for suite in suites],
    )
    return Checked(suites, trials, report, _gated(project, trials[0], fail_under))


def _gated(project: Project, trial: Trial, fail_under: float | None) -> Gated:
    gate = project.settings.gate
    known = {total.metric: total.value for total in trial.totals}
    if gate.metric not in known:
        raise UnknownName("metric", gate.metric, known)
    return Gated(gate.metric, known[gate.metric], gate.fail_under if fail_under is None else fail_under)


def _made_words(suites: Sequence[Suite]) -> str:
    """How many conversations there are, what they cover, and what was dropped."""
    count = sum(len(suite.dialogues) for suite in suites)
    shares = [
        f"{_added([getattr(suite.coverage, part) for suite in suites])} {word}"
        for part, word in (("nodes", "steps"), ("edges", "ways"), ("pairs", "pairs"))
    ]
    dropped = sum(times for suite in suites for why, times in suite.dropped if why != "no data lead there")
    return f"{count}, {', '.join(shares)}" + (f"; {dropped} dropped" if dropped else "")


def _added(shares: Sequence[Share[object]]) -> str:
    return f"{sum(len(share.seen) for share in shares)}/{sum(len(share.all) for share in shares)}"
