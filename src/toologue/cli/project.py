"""`toologue init` and `toologue test`: a project of your own, through all stages."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from toologue.cli.compare import since_words
from toologue.cli.from_prose import FromProse, from_prose
from toologue.cli.options import Flag, Judged, Some, Unreached, at_least_one, say_far, say_unreached
from toologue.cli.run import show
from toologue.cli.terminal import command_line, echo, folded, progress_bar, say_first
from toologue.errors import BadSetting, RunMismatch

if TYPE_CHECKING:
    from toologue.models.similarity import TextMatch
    from toologue.project.evaluate import Checked, Stage, Suite, Trial
    from toologue.project.settings import Project
    from toologue.report.view import Gated

_SPOTS, _LINES, _REMARKS = 5, 6, 10


def init(folder: Path = Path(), /, *, given: FromProse = FromProse()) -> int:
    """A project of your own: procedures, API documents, an agent. Nothing that is there is written over.

    With --api alone it is a project over that document: a copy of it, rows, a short procedure to begin with, an agent.

    With --from, --api and --model it is made of a policy in prose: a model finds the issues in it, and writes a
    procedure for each, with the rows that it needs; all of it is executed. One request finds the issues, one writes
    each procedure, one each repair. Killed and run again, it goes on with the replies that are kept. Exits 3 where an
    issue has no procedure in the end.

    Args:
        folder: Where it goes; by default this folder.
        given: What it is made of; by default a first project of ours.
    """
    if given.prose or given.model:
        return from_prose(folder, given)
    from toologue.project.start import start, start_over

    if given != FromProse() and given.api is None:
        raise BadSetting("--overlay, --rows … say more of an API: name it, too, with --api FILE")
    for file in start(folder) if given.api is None else start_over(folder, given.provision):
        echo(file)
    there = "" if folder == Path() else f" {folder}"
    echo(f"next: toologue test{there}   then put your agent into {folder / 'agent.py'}", note=True)
    return 0


def run_stages(
    folder: Path = Path(),
    /,
    *,
    agent: list[str] | None = None,
    fail_under: float | None = None,
    strict: Flag = False,
    allow_unsure: float | None = None,
    unreached: Unreached | None = None,
    some: Some = Some(),
    trials: int | None = None,
    fresh: Flag = False,
    judged: Judged = Judged(),
    html: Path | None = None,
    junit: Path | None = None,
) -> int:
    """Every stage of a project.

    Exits 1 where the gate fails: fewer conversations pass than it wants, the first agent is never right at some way of
    a procedure and does harm there, leaks or obeys an attack, or, with --unreached fail, a way is in no conversation.
    3 where some conversations are not scored, 4 where only what is unsure keeps the first agent from passing.

    Args:
        folder: The project; by default this folder.
        agent: Who is tested, in place of the agents in toologue.toml, or one of them: agent.py:agent, procedure, gold,
            openai:NAME, … Given several times, agents stand beside each other, and the gate is on the first.
        fail_under: The share of conversations, from 0 to 1, in which the first agent must do no harm for sure.
        strict: Every wrong step counts, not only those that do harm.
        allow_unsure: The share of conversations, from 0 to 1, that may be unsure: they count as passing.
        unreached: fail: exit 1 where a way of a procedure is in no conversation; tell: say so, with what would reach
            it.
        some: Which conversations; by default all.
        trials: How often each conversation is run.
        fresh: Run all agents again, those too that have not changed. What endpoints answered is kept otherwise;
            conversations in which a model gave no reply, or time was up, are run again without it.
        judged: Who is asked about what rules leave open.
        html: Where the page goes; by default report.html in the project.
        junit: Where JUnit XML goes; none by default.
    """
    from toologue.project.settings import open_project

    for option, share, example in (("fail-under", fail_under, 0.9), ("allow-unsure", allow_unsure, 0.1)):
        if share is not None and not 0 <= share <= 1:
            raise BadSetting(f"--{option} is {share}: a share from 0 to 1 is wanted, for example {example}")
    at_least_one(trials=trials)
    options = {"fail_under": fail_under, "strict": strict or None, "allow_unsure": allow_unsure, "unreached": unreached}
    also = {"trials": trials, "html": html}
    again = command_line("test", folder, agent=agent, **options, **also, **vars(some), **vars(judged))
    project, page = open_project(folder), html or folder / "report.html"
    gate = project.settings.gate.replace(**{name: one for name, one in options.items() if one is not None})
    asked = {"gate": gate, "fresh": fresh, "trials": trials, "selection": some.selection, "command": again}
    grade = project.settings.grade
    judged = replace(judged, judge=judged.judge or grade.judge, judge_votes=judged.judge_votes or grade.judge_votes)
    found = checked(project, agents=agent or (), judging=judged.at_work(project.reviews), **asked)
    _remarks(found.suites)
    _say_prose(folder)
    scored = show(found.report, page, junit, failures=False)
    first_looks(found, found.trials[0], folder)
    _since(project, found.trials[0], found.match, some=bool(asked["selection"]))
    say_unreached((suite.chapter.file, suite.unreached) for suite in found.suites)
    say_far((suite.chapter.file, suite.far) for suite in found.suites)
    _say_rules(found.suites)
    return max(_gate(found.gate, folder, page), scored)


def checked(project: Project, *, agents: Sequence[str] = (), **asked: Any) -> Checked:
    """Check a project, saying what each stage does. The rest is as `evaluate.check` takes it."""
    from toologue.project.evaluate import check

    wide, workers = max(map(len, ("conversations", *agents, *project.settings.agents))), os.cpu_count() or 1

    def tell(stage: Stage) -> None:
        done = {"procedures": "read", "conversations": "made"}.get(stage.name, "run")
        amount = f"{stage.fresh} {done}" + ("" if done == "read" else f", {stage.kept} kept")
        echo(folded(f"{stage.name:{wide}}  {amount:18}  {stage.says}"), note=True)

    found = check(project, agents=agents, workers=workers, tell=tell, bar=progress_bar, **asked)
    steps = "step: what is said, called or answered; way: what may follow it; pair: two ways, one right after the other"
    what = f"{steps}; kept: from an earlier test"
    echo(folded(f"({what})"), note=True)
    return found


def _remarks(suites: Sequence[Suite]) -> None:
    found = ((suite.chapter.file, finding) for suite in suites for finding in suite.chapter.findings)
    say_first([f"  {file}:{one.line}: {one.rule}: {one.quote!r}: {one.remedy}" for file, one in found], _REMARKS)
    for suite in suites:
        if not suite.dialogues:
            whys = ", ".join(f"{why} × {times}" for why, times in suite.dropped) or "no way leads to an end"
            echo(f"  {suite.chapter.file}: no conversation could be made: {whys}")


def _say_prose(folder: Path) -> None:
    """How much of the prose that a project was made of is tested."""
    from toologue.plan.procedures.prose import Sentence, said_words
    from toologue.project.from_prose import SOURCES
    from toologue.schema.jsonl import read

    if (folder / SOURCES).is_file():
        where = command_line("plan", "sources", folder)
        echo(f"prose: {said_words([*read(folder / SOURCES, Sentence)])}   {where}", note=True)


def _say_rules(suites: Sequence[Suite]) -> None:
    """The rules that only the paragraph before the steps says."""
    from toologue.plan.procedures.prose import UNTESTED

    rules = [f"  {suite.chapter.file}: {rule}" for suite in suites for rule in suite.charted.preamble.rules]
    if rules:
        echo(folded(f"\n{UNTESTED}:"))
    say_first(rules, _LINES)


def first_looks(found: Checked, trial: Trial, folder: Path | None = None) -> None:
    """Where an agent goes wrong, where that is unsure, and what it never passes; `folder`: where that is reviewed."""
    from toologue.plan.procedures.paths import missing_lines
    from toologue.report.coverage import sight_of, spots
    from toologue.report.words import kind_words

    charted = found.report.charted
    looks: Mapping[Literal["wrong", "unsure"], str] = {"wrong": "look first", "unsure": "unsure"}
    for verdict, heading in looks.items():
        every = [
            f"  {spot.where}: {kind_words(spot.severity)}, {spot.times} ×"
            f"   e.g. {spot.conversation}, round {spot.round}" + "".join(f"\n      {line}" for line in spot.what)
            for spot in spots(charted, trial.conversations, verdict)
        ]
        if every:
            echo(f"\n{heading}, {trial.agent}:")
        say_first(every, _SPOTS, "more places; the page has all of them")
        if every and folder and verdict == "wrong":
            echo(f"  a verdict that you doubt: `{command_line('review', folder, failed=True)}`", note=True)
    for one, suite in zip(charted, found.suites, strict=True):
        seen = sight_of(one, trial.conversations).coverage
        unseen = missing_lines(one.graph, suite.coverage)
        passed = (left for left in missing_lines(one.graph, seen) if left.what == "way" and left.line)
        missing = [left for left in passed if left not in unseen]
        if missing:
            ways = "this way" if len(missing) == 1 else f"one of these {len(missing)} ways"
            echo(f"\n{one.file}: {trial.agent} passes no conversation that takes {ways}:")
        say_first([f"  line {left.line}, step {left.step}: {left.text}" for left in missing], _LINES)


def _since(project: Project, trial: Trial, match: TextMatch, *, some: bool) -> None:
    """Say how the first agent differs from the baseline, where one is kept."""
    from toologue.project.evaluate import since_baseline

    try:
        found = since_baseline(project, trial.agent, trial.conversations, match, some=some)
    except RunMismatch as refused:
        echo(f"\n{refused}")
        return
    if found is not None:
        echo()
        for line in since_words(trial.agent, *found):
            echo(line)


def _gate(gate: Gated, folder: Path, page: Path) -> int:
    from toologue.report.words import GATE, gate_words

    if not gate.asked:
        echo(folded(f"\ngate: {gate_words(gate)}"), note=True)
        return 0
    total = gate.total
    echo(folded(f"\ngate {GATE[gate.verdict]}: {gate_words(gate)}"))
    say_first([f"  {one}" for one in gate.never], _LINES)
    if gate.verdict == "undecided" and gate.least is not None:
        lacking = math.ceil(100 * (gate.least - (total.value or 0)) - 1e-6) / 100
        lets = f"--allow-unsure {lacking:g} lets them pass" if total.value else "none is sure to pass"
        echo(f"  {total.open} of {total.n} conversations are unsure: {lets}")
        echo(f"  what decides them is a person: {command_line('review', folder)}; {page} marks them, with the reason")
    return {"passed": 0, "failed": 1, "undecided": 4}[gate.verdict]
