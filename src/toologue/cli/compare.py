"""`toologue compare`: two runs, or a project and its baseline, with what broke, what was mended, what flickers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from toologue.cli.options import Alike, Flag
from toologue.cli.run import say_missing
from toologue.cli.terminal import command_line, echo, say, say_first, unlike_default, write_json
from toologue.errors import BadFile, BadSetting, RunMismatch

if TYPE_CHECKING:
    from toologue.models.similarity import TextMatch
    from toologue.project.evaluate import Suite
    from toologue.project.settings import Project
    from toologue.report.compare import Change, Comparison
    from toologue.report.view import Conversation
    from toologue.run.store import RunFolder
    from toologue.schema import Outcome, Status

_NAMED = 8
Places = dict[tuple[str, str], str]


def compare(
    *what: Path,
    keep: Annotated[bool, Parameter(name="--set", negative="")] = False,
    fail_on_regression: Flag = False,
    json: Path | None = None,
    alike: Alike = Alike(),
) -> int:
    """Two runs over the same dialogues, or a project's last run and its baseline. Exits 3 where some are not scored.

    A conversation broke if it passed before and fails now, for sure and in every trial; it flickers if its trials
    disagree, or something of it is unsure. Better and worse is what the 95 % interval of the paired difference says.

    Args:
        what: RUN0 RUN1, two run folders, the older one first; or a project.
        keep: Of a project: keep what became of its first agent as the baseline, baseline.jsonl, to be committed.
        fail_on_regression: Exit 1 where a conversation broke, or where the interval of the share of passed ones lies
            below 0.
        json: Where the comparison goes.
        alike: When two texts say the same, for runs that are not graded yet.
    """
    from toologue.project.evaluate import BASELINE, keep_baseline, since_baseline
    from toologue.project.settings import open_project
    from toologue.report.compare import compare_outcomes
    from toologue.run.store import RunFolder

    status, places = 0, dict[tuple[str, str], str]()
    if len(what) == 1 and not (what[0] / "run.json").exists():
        project = open_project(what[0])
        agent, conversations, match, places = _last_run(project)
        if keep:
            count = keep_baseline(project, agent, conversations, match)
            echo(f"{count} conversations of {agent} kept in {project.folder / BASELINE}")
            return 0
        found = since_baseline(project, agent, conversations, match)
        if found is None:
            raise BadFile(
                f"{project.folder} has no {BASELINE}: {command_line('compare', what[0])} --set keeps the last run"
            )
        names, comparison = (f"baseline, {found[0]}", agent), found[1]
    elif len(what) == 2 and not keep:
        folders = [RunFolder(path) for path in what]
        comparison, names = compare_outcomes(*_graded(folders, alike)), (str(what[0]), str(what[1]))
        status = say_missing(folders)
    else:
        raise BadSetting("name two run folders, the older one first, or one project (--set is for a project)")
    if not comparison.of:
        raise BadSetting(f"{names[0]} and {names[1]} have no conversation in common of which the same is expected")
    _say(comparison, names, places)
    if json is not None:
        write_json(json, {"before": names[0], "after": names[1], **comparison.record()})
    return max(status, 3 * any(comparison.unscored), int(fail_on_regression and comparison.regressed))


def _graded(folders: Sequence[RunFolder], alike: Alike) -> list[list[Outcome]]:
    """The outcomes of both runs; those that are not graded are graded. Raises RunMismatch for different graders."""
    from toologue.report.compare import outcomes_of
    from toologue.report.view import conversations_of, grader_of, score_folder

    found: list[list[Outcome]] = []
    graders = [grader_of(folder) for folder in folders]
    for at, folder in enumerate(folders):
        if graders[at] is None:
            score_folder(folder, alike.judge(beside=folder.path, kept=folder.grading))
            graders[at] = grader_of(folder)
    if graders[0] != graders[1]:
        _refuse_modes(folders)
        parts = [name for name in graders[0] or {} if (graders[0] or {})[name] != (graders[1] or {}).get(name)]
        again = (command_line("score", folder.path, **unlike_default(alike)) + " --again" for folder in folders)
        what = f"{folders[0].path} and {folders[1].path} were graded by different graders ({', '.join(parts)})"
        raise RunMismatch(f"{what}: grade both anew: {' && '.join(again)}")
    for folder, by in zip(folders, graders, strict=True):
        assert by is not None, "it was graded just now"
        found.append([*outcomes_of(conversations_of(folder), folder.config.name, by)])
    return found


def _refuse_modes(folders: Sequence[RunFolder]) -> None:
    """Raises RunMismatch where a benchmark graded runs in different modes, or they are different parts of one."""
    kept = [folder.grading for folder in folders]
    for name, default in (("mode", "fixed"), ("part", "")):
        here, there = (getattr(one, name) if one else default for one in kept)
        if here != there:
            what = f"{folders[0].path} is graded as {name} {here!r}, {folders[1].path} as {name} {there!r}"
            again = "; `toologue bench … --out` with the other --mode grades it anew, and plays nothing again"
            raise RunMismatch(f"{what}: their numbers are not comparable{again if name == 'mode' else ''}")


def _last_run(project: Project) -> tuple[str, list[Conversation], TextMatch, Places]:
    """(the first agent, its conversations as they were run last, how they are graded, names of places)."""
    from toologue.models.similarity import TextMatch
    from toologue.project.evaluate import kept_runs, make_suites, read_chapters
    from toologue.report.view import Conversation, conversations_of, graded_before, score_folder
    from toologue.review.ledger import Ledger

    ledger, agent = Ledger.of(project.reviews), next(iter(project.settings.agents))
    match = ledger.reads(TextMatch.of(project.settings.grade.similarity))
    suites = [
        suite for suite in make_suites(project, read_chapters(project), repairs=ledger.repairs) if suite.dialogues
    ]
    golds, found = {one.key for suite in suites for one in suite.dialogues}, list[Conversation]()
    for folder in kept_runs(project, [agent]):
        if graded_before(folder, match) is None:
            score_folder(folder, match)
        found += (one for one in conversations_of(folder, match.reader) if one.gold.key in golds)
    if {one.gold.key for one in found} < golds:
        raise BadFile(f"{project.folder}: {agent} was not run as it is now: {command_line('test', project.folder)}")
    return agent, found, match, places_of(suites)


def places_of(suites: Sequence[Suite]) -> Places:
    """Where the nodes of procedures stand in their files."""
    return {
        (suite.graph.id, node.id): f"{suite.chapter.file}:{node.line}" + (f", step {node.step}" if node.step else "")
        for suite in suites
        for node in suite.graph.nodes
        if node.line
    }


def _say(found: Comparison, names: Sequence[str], places: Places) -> None:
    from toologue.report.tables import comparison_table

    say(comparison_table(found, f"{found.of} conversations, {names[0]} → {names[1]}"))
    if found.p is not None and (found.broke or found.mended):
        echo(f"of one trial each: {len(found.broke)} broke, {len(found.mended)} mended, McNemar p = {found.p:.3g}")
    for name, ids in (("before", found.gone), ("after", found.new)):
        if ids:
            echo(f"only {name}: {len(ids)}: {_listed(ids)}")
    if found.altered:
        echo(f"something else is expected now, not compared: {len(found.altered)}: {_listed(found.altered)}")
    if any(found.unscored):
        echo(f"without a score, in no figure: {found.unscored[0]} trials before, {found.unscored[1]} after")
    for name, changes in (("broke", found.broke), ("mended", found.mended), ("flickers", found.flickers)):
        _say_changes(name, changes, places)


def _say_changes(name: str, changes: Sequence[Change], places: Places) -> None:
    if not changes:
        return
    echo(f"\n{name}: {len(changes)}")
    say_first([f"  {one.dialogue}: {_told(one.before)} → {_told(one.after)}" for one in changes], _NAMED)
    slips = [(one.procedure, slip) for one in changes for slip in one.slips]
    steps = [places.get(key, " ".join(key)) for key in ((file, slip.node) for file, slip in slips if slip.node)]
    counts = {
        "procedure": Counter(one.procedure for one in changes),
        "step": Counter(steps),
        "tool": Counter(slip.tool for _, slip in slips),
        "severity": Counter(slip.severity for _, slip in slips),
    }
    for what, counted in counts.items():
        if told := [f"{value} × {times}" for value, times in counted.most_common(_NAMED) if value]:
            echo(f"  by {what}: {'; '.join(told)}")


def _told(trials: Sequence[Status]) -> str:
    if len(trials) == 1:
        return trials[0]
    counts = Counter(trials)
    return ", ".join(f"{times} {status}" for status, times in counts.most_common())


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_NAMED]) + (", …" if len(ids) > _NAMED else "")


def since_words(agent: str, of: str, found: Comparison) -> list[str]:
    """How a run differs from the baseline of an agent: one line, and the names of what broke."""
    from toologue.report.tables import difference_words

    if not found.of:
        return [f"baseline ({of}): no conversation in common of which the same is expected"]
    whose = f" ({of})" if of != agent else ""
    counts = {"broke": found.broke, "mended": found.mended, "flicker": found.flickers, "new": found.new}
    counts |= {"gone": found.gone, "expect something else": found.altered}
    told = [f"{len(some)} {what}" for what, some in counts.items() if some] or ["nothing differs"]
    one = found.passing
    figure = "; {} {} ({}), {}".format(one.metric, *difference_words(one)[2:], one.verdict) if one else ""
    broke = [f"broke: {_listed([one.dialogue for one in found.broke])}"] if found.broke else []
    return [f"since the baseline{whose}: {', '.join(told)}{figure}", *broke]
