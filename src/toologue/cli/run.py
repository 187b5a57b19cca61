"""`toologue run`, `score`, `report`: an agent through dialogues, its grades, its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue.cli.options import Alike, Flag, Judged, Out, Some, at_least_one
from toologue.cli.terminal import command_line, echo, progress_bar, say, say_tables, unlike_default
from toologue.errors import BadSetting
from toologue.models.spent import SPENT

if TYPE_CHECKING:
    from toologue.bench.tables import Table
    from toologue.models.similarity import TextMatch
    from toologue.report.view import Report
    from toologue.run.store import RunFolder
    from toologue.score.metric import Total

_NAMED = 5


def run(
    dialogues: Path,
    /,
    *,
    agent: list[str],
    out: Out,
    protocol: Literal["next", "forced", "recorded", "live"] = "forced",
    user: str | None = None,
    some: Some = Some(),
    trials: int = 1,
    seed: int = 0,
    cap: int = 50,
    concurrency: int = 8,
    timeout: float | None = None,
    apis: Path | None = None,
) -> int:
    """Run an agent through dialogues, into a folder that can be resumed. Exits 3 where a model gave no reply, 1 where
    the agent broke in every conversation.

    The same command goes on where it stopped, and runs again what a fault has spoilt: no reply of a model, time that
    was up. It stops where every further request would be refused, too (a key that is none, a quota that is used up).

    Args:
        dialogues: A dialogues.jsonl.
        agent: retrieve, gold, openai:NAME, predictions:FILE, … or module:attribute (an agent, or a function of messages
            and tools); `?name=SHORT` behind it is what it is called. Given several times, each has a run folder in
            --out.
        out: The run folder. If it holds a part of this very run, the run goes on.
        protocol: How the gold takes part: next, forced, recorded; or live, where a simulated customer speaks.
        user: Who speaks under live: graph, a customer who walks the procedure's graph; scenario:openai:NAME, a model
            that plays what the dialogue's extra["scenario"] says.
        some: Which dialogues; by default all.
        trials: How often each dialogue is run.
        seed: Seeds every case.
        cap: The most turns an agent may take in one round.
        concurrency: How many cases at once.
        timeout: Seconds a case may take.
        apis: An apis.jsonl, for dialogues whose world brings no documents.
    """
    from toologue.agents.agent import code_of
    from toologue.run.runner import Limits, Settings
    from toologue.run.store import Config, places, run_folder
    from toologue.schema import Api, Dialogue
    from toologue.schema.jsonl import read

    at_least_one(trials=trials, cap=cap)
    settings = Settings(protocol=protocol, trials=trials, seed=seed, cap=cap)
    documents = {api.name: api for api in read(apis, Api)} if apis is not None else None
    selection, speaking = some.selection, user or ("graph" if protocol == "live" else "")
    statuses = list[int]()
    for tested, place in zip(agent, places(out, agent), strict=True):
        golds = read(dialogues, Dialogue)
        with progress_bar(f"running {tested}") as progress:
            folder = run_folder(
                place,
                selection.of(golds) if selection else golds,
                Config(agent=tested, code=code_of(tested), user=speaking, settings=settings),
                others="keep" if selection else "refuse",
                limits=Limits(concurrency, timeout),
                apis=documents,
                progress=progress,
            )
        statuses.append(_ran(folder))
    return max(statuses)


def _ran(folder: RunFolder) -> int:
    """Say what became of a run; 1 where the agent broke in every conversation, 3 where a model gave no reply."""
    from toologue.report.view import faults_in
    from toologue.report.words import broken_words
    from toologue.score.metric import no_reply

    agent, faults = folder.config.name, faults_in(folder.traces())
    if words := broken_words(faults):
        echo(f"{agent}: {words}")
    whys = Counter(map(no_reply, folder.traces()))
    echo(f"{whys.total()} traces in {folder.path / 'traces.jsonl'}; next: toologue report {folder.path}", note=True)
    return max(_all_broken(faults), _scored(agent, whys))


def _all_broken(faults: Mapping[tuple[str, str], int]) -> int:
    """1 where the agent broke in every conversation."""
    return 1 if faults and ("", "") not in faults else 0


def score(run: Path, /, *, again: Flag = False, alike: Alike = Alike(), judged: Judged = Judged()) -> int:
    """Grade a run folder; writes scores.jsonl and scores.json into it. Exits 3 where something is not scored.

    A run that the same rules have graded, and that has not gone on since, is not graded again: scores.json names the
    version, the rules (by a hash of them, their weights and words) and the similarity.

    Args:
        run: The run folder.
        again: Grade it anew, whoever graded it.
        alike: When two texts say the same.
        judged: Who is asked about what rules leave open.
    """
    from toologue.report import view
    from toologue.report.tables import totals_table, trials_table
    from toologue.run.store import RunFolder
    from toologue.score.metric import no_reply

    folder = RunFolder(run)
    match = _read_by(judged, alike, [folder])[0]
    kept = None if again else view.graded_before(folder, match)
    totals = view.score_folder(folder, match) if kept is None else kept
    graded = view.RunView(folder.config.name, {}, totals, [], left=view.left_in(folder))
    say(totals_table(view.Report(_title(folder), [graded])))
    if (trials := view.trials_in(folder, totals)) is not None:
        say(trials_table(folder.config.name, trials))
    for line in view.decisions_text(view.conversations_of(folder, match.reader)) if match.reader else ():
        echo(line)
    return max(say_missing([folder]), _scored(folder.config.name, Counter(map(no_reply, folder.traces()))))


def _title(folder: RunFolder) -> str:
    """What a run is called, with how it is graded where a benchmark made it."""
    kept = folder.grading
    return f"{folder.path.name} ({kept.words})" if kept else folder.path.name


def say_missing(folders: Iterable[RunFolder]) -> int:
    """Say which conversations have no trace, and so no score; 3 where there is one."""
    status = 0
    for folder in folders:
        if missing := list(folder.missing()):
            named = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
            echo(f"{folder.path}: {len(missing)} traces are missing and not scored ({named}); the same run goes on")
            status = 3
    return status


def _read_by(judged: Judged, alike: Alike, folders: Sequence[RunFolder]) -> list[TextMatch]:
    """When two texts say the same, in each run, with what is decided of it; a judge is asked about them before."""
    from toologue.review.ledger import FOLDER

    judging = judged.at_work(alike.folder(folders[0].path) or Path(FOLDER))
    matches = [alike.judge(beside=folder.path, kept=folder.grading) for folder in folders]
    if judging is None:
        return matches
    judging.consult(matches[0], {str(folder.path): partial(_totals, folder) for folder in folders})
    return [judging.ledger.reads(match) for match in matches]


def _totals(folder: RunFolder, match: TextMatch) -> list[Total]:
    from toologue.report.view import totals_of

    return totals_of(folder.pairs(), match)


def report(
    *runs: Path,
    html: Path | None = None,
    junit: Path | None = None,
    csv: Path | None = None,
    alike: Alike = Alike(),
    judged: Judged = Judged(),
) -> int:
    """One page, JUnit XML, and CSV, of one or more run folders. Exits 3 where something is not scored.

    Args:
        runs: Run folders over the same dialogues.
        html: Where the page goes; by default report.html in the first folder.
        junit: Where JUnit XML goes; none by default.
        csv: Where the totals go as CSV, a row an agent and split, each metric with its interval.
        alike: When two texts say the same.
        judged: Who is asked about what rules leave open.
    """
    from toologue.report.view import Report, view_of
    from toologue.run.store import RunFolder

    if not runs:
        raise BadSetting("name at least one run folder")
    folders = [RunFolder(path) for path in runs]
    views = [view_of(folder, match) for folder, match in zip(folders, _read_by(judged, alike, folders), strict=True)]
    title = ", ".join(map(_title, folders))
    command = command_line("report", *runs, html=html, **unlike_default(alike))
    scored = show(Report(title, views, command=command), html or runs[0] / "report.html", junit, csv=csv)
    return max(say_missing(map(RunFolder, runs)), scored)


def _scored(agent: str, whys: Counter[str]) -> int:
    """Say why conversations are not scored; 3 where there are any. Those that are have no reason."""
    reasons = {why: number for why, number in whys.items() if why}
    if reasons:
        told = ", ".join(f"{why} × {number}" for why, number in reasons.items())
        echo(f"{agent}: {sum(reasons.values())} of {whys.total()} conversations are not scored: {told}")
    return 3 if reasons else 0


def show(
    made: Report,
    html: Path | None,
    junit: Path | None,
    *,
    csv: Path | None = None,
    failures: bool = True,
    own: Iterable[Table] = (),
) -> int:
    """Print a report's tables (`failures`: that of what failed, too), and write its page, JUnit XML, and CSV.

    What an agent broke with comes first, then a benchmark's `own` tables.

    Gives the exit status: 1 where an agent broke in every conversation, 3 where one is not scored, since a model gave
    no reply.
    """
    from toologue.report.junit import write_junit
    from toologue.report.page import write_page
    from toologue.report.spreadsheet import write_csv
    from toologue.report.tables import costs_table, failures_table, totals_table, trials_table
    from toologue.report.words import broken_words
    from toologue.score.metric import no_reply

    asked = [f"{stage}: {spent}" for stage, spent in SPENT.items() if stage != "agent"]
    made = replace(made, notes=[*made.notes, *asked])
    for view in made.runs:
        if words := broken_words(view.faults):
            echo(f"{view.name}: {words}")
    say_tables(own)
    say(totals_table(made))
    for view in made.runs:
        if view.trials is not None:
            say(trials_table(view.name, view.trials))
        if failures and any(conversation.status in ("failed", "unsure") for conversation in view.conversations):
            say(failures_table(view))
    if costs := costs_table(made):
        say(costs)
    for view in made.runs:
        for line in view.told:
            echo(f"{view.name}: {line}")
    for name, file, write in (("page", html, write_page), ("junit", junit, write_junit), ("csv", csv, write_csv)):
        if file is not None:
            write(file, made)
            echo(f"{name}: {file}", note=True)
    statuses = [0]
    for view in made.runs:
        statuses.append(_scored(view.name, Counter(no_reply(one.trace) for one in view.all)))
        statuses.append(_all_broken(view.faults))
    return max(statuses)
