"""`toologue init` and `toologue test`: a project of your own, through all stages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from toologue.cli.run import show
from toologue.cli.terminal import echo, progress_bar, say_first
from toologue.errors import BadSetting
from toologue.plan.procedures.paths import missing_lines
from toologue.project.evaluate import Checked, Gated, Stage, Suite, Trial, check
from toologue.project.hotspots import spots
from toologue.project.settings import Project, open_project
from toologue.project.start import start
from toologue.report.coverage import sight_of

_SPOTS, _LINES, _REMARKS = 5, 6, 10


def init(folder: Path = Path(), /) -> None:
    """A project of your own: procedures, API documents, an agent. Nothing that is there is written over.

    Parameters
    ----------
    folder
        Where it goes; by default this folder.
    """
    for file in start(folder):
        echo(file)
    there = "" if folder == Path() else f" {folder}"
    echo(f"next: toologue test{there}   then put your agent into {folder / 'agent.py'}")


def run_stages(
    folder: Path = Path(),
    /,
    *,
    agent: list[str] | None = None,
    fail_under: float | None = None,
    fresh: Annotated[bool, Parameter(negative="")] = False,
    html: Path | None = None,
    junit: Path | None = None,
) -> int:
    """Every stage of a project.

    Exits 1 where fewer conversations pass than the gate wants, 3 where some are not scored.

    Parameters
    ----------
    folder
        The project; by default this folder.
    agent
        Who is tested, in place of the agents in toologue.toml: agent.py:agent, procedure, gold, openai:NAME, … Given
        several times, agents stand beside each other, and the gate is on the first.
    fail_under
        The share of conversations, from 0 to 1, that the first agent must pass.
    fresh
        Run all agents again, those too that have not changed. What endpoints answered is kept otherwise.
    html
        Where the page goes; by default report.html in the project.
    junit
        Where JUnit XML goes; none by default.
    """
    if fail_under is not None and not 0 <= fail_under <= 1:
        raise BadSetting(f"--fail-under is {fail_under}: a share from 0 to 1 is wanted, for example 0.9")
    found = checked(open_project(folder), agents=agent or (), fail_under=fail_under, fresh=fresh)
    _remarks(found.suites)
    scored = show(found.report, html or folder / "report.html", junit, failures=False)
    first_looks(found, found.trials[0])
    return max(_gate(found.gate), scored)


def checked(
    project: Project, *, agents: Sequence[str] = (), fail_under: float | None = None, fresh: bool = False
) -> Checked:
    """Check a project, saying what each stage does."""
    wide, workers = max(map(len, ("conversations", *agents, *project.settings.agents))), os.cpu_count() or 1

    def tell(stage: Stage) -> None:
        done = {"procedures": "read", "conversations": "made"}.get(stage.name, "run")
        amount = f"{stage.fresh} {done}" + ("" if done == "read" else f", {stage.kept} kept")
        echo(f"{stage.name:{wide}}  {amount:18}  {stage.says}")

    return check(
        project, agents=agents, fail_under=fail_under, fresh=fresh, workers=workers, tell=tell, bar=progress_bar
    )


def _remarks(suites: Sequence[Suite]) -> None:
    found = ((suite.chapter.file, finding) for suite in suites for finding in suite.chapter.findings)
    say_first([f"  {file}:{one.line}: {one.rule}: {one.quote!r}: {one.remedy}" for file, one in found], _REMARKS)
    for suite in suites:
        if not suite.dialogues:
            whys = ", ".join(f"{why} × {times}" for why, times in suite.dropped) or "no way leads to an end"
            echo(f"  {suite.chapter.file}: no conversation could be made: {whys}")


def first_looks(found: Checked, trial: Trial) -> None:
    """Where the first agent goes wrong, and what it never passes."""
    charted = found.report.charted
    every = [
        f"  {spot.where}: {spot.severity}, {spot.times} ×   e.g. {spot.conversation}, turn {spot.turn}"
        + "".join(f"\n      {line}" for line in spot.what)
        for spot in spots(charted, trial.conversations)
    ]
    if every:
        echo(f"\nlook first, {trial.agent}:")
    say_first(every, _SPOTS, "more places; the page has all of them")
    for one in charted:
        seen = sight_of(one, trial.conversations).coverage
        missing = [left for left in missing_lines(one.graph, seen) if left.what == "way" and left.line]
        if missing:
            echo(f"\n{one.file}: {len(missing)} ways are in no conversation that {trial.agent} passes:")
        say_first([f"  line {left.line}, step {left.step}: {left.text}" for left in missing], _LINES)


def _gate(gate: Gated) -> int:
    if gate.least is None:
        return 0
    value = "nothing was scored" if gate.value is None else f"{gate.value:.1%}"
    echo(f"\ngate: {gate.metric}: {value}, {'at least' if gate.passed else 'below'} {gate.least:.1%}")
    return 0 if gate.passed else 1
