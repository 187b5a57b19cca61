"""A project, stage by stage: procedures read, conversations made, agents run and graded, one report and a gate.

    .toologue/conversations/KEY/dialogues.jsonl    the conversations of a procedure
                                graphs.jsonl       its conversation graph
                                made.json          what was dropped or is not reached, and why
    .toologue/runs/NAME-KEY/                       a run folder (docs/files.md) an agent, with its scores
    .toologue/tested.json                          the folders of the runs of the last test
    baseline.jsonl                                 to be committed: an `Outcome` a line, of the first agent

Both are kept under a key of what they come of. Conversations: procedure, document, rows, settings, this version. Runs:
the agent, and of one that is a file all that it is made of (`agents.agent`); in it a conversation is run again where it
has changed, or where a fault that may pass is all that is there. So what nobody touched costs nothing. What a model
behind an endpoint would say today is not known: `fresh` asks again.

Contract: all that is wrong with all procedures is one BadFile, each with its line. An entry is there whole or not at
all; one that cannot be read is made again. What an agent does is data; a run that was killed goes on where it stopped.
The gate is on the first agent alone; others stand beside it. With the baseline conversations are compared by id where
the same is expected of them; one that other rules or another similarity graded is refused: it holds no words.

Not covered: removing what no settings lead to any more; `.toologue` can be removed at any time. What killed ones left
half made is swept by the next.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import cast

from toologue import __version__, keys
from toologue.agents.agent import code_of, name_of, resolve_agent, with_file
from toologue.data import text_of
from toologue.errors import BadFile, BadSetting, Denied, RunMismatch, Unfinished, UnknownName, UserError
from toologue.formats.procedure import load
from toologue.models.budget import in_force
from toologue.models.similarity import TextMatch
from toologue.plan.procedures.far_off import FarOff
from toologue.plan.procedures.lint_procedure import Finding, lint
from toologue.plan.procedures.made_up import made_up_told
from toologue.plan.procedures.paths import Coverage, coverage
from toologue.plan.procedures.prose import Preamble
from toologue.plan.procedures.service import service
from toologue.plan.procedures.unreached import Unreached
from toologue.project.generate import UNWORDED, generate, worded
from toologue.project.settings import FILE, Gate, Project
from toologue.project.statistics import Made, Seen, Source
from toologue.report import view
from toologue.report.compare import Comparison, compare_outcomes, outcomes_of
from toologue.report.costs import Cost, known_costs
from toologue.report.coverage import never_right, walk_of
from toologue.report.view import Conversation
from toologue.review.judging import Judging
from toologue.review.ledger import Ledger
from toologue.review.repair import repaired
from toologue.run.runner import Limits, Selection, Settings
from toologue.run.store import Config, RunFolder, called_apart, run_folder
from toologue.schema import Dialogue, Graph, Outcome, Procedure, Repair
from toologue.schema.jsonl import UNFINISHED, read, replacing, sweep, unfinished_folder, write
from toologue.score.metric import Total, grader, lower_is_better, totals
from toologue.score.steps import HARMLESS
from toologue.text.tokens import callable_name
from toologue.worlds.world import kind_at
from toologue.write.wordings import FILE as WORDINGS

_TESTED = "tested.json"
_STRICT = "conversation correct"  # what a strict gate is on
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, UserError)
Progress = Callable[[int, int], None]
Bar = Callable[[str], AbstractContextManager[Progress]]


@dataclass(frozen=True)
class Chapter:
    """A procedure: its file, what it says, what is to be remarked about its words, the key of what is made of it."""

    file: str
    procedure: Procedure
    findings: Sequence[Finding]
    source: Source
    key: str


@dataclass(frozen=True)
class Suite:
    """The conversations of a procedure. `fresh`: they were made just now. `dropped`: (why, how often) others were.

    `unreached`: what none of them leads through; `far`: bounds that none comes next to; `repairs`: those in them.
    """

    chapter: Chapter
    graph: Graph
    dialogues: tuple[Dialogue, ...]
    dropped: tuple[tuple[str, int], ...]
    fresh: bool
    unreached: tuple[Unreached, ...] = ()
    far: tuple[FarOff, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @cached_property
    def coverage(self) -> Coverage:
        """What the conversations lead through."""
        return coverage(self.graph, (walk_of(self.graph, dialogue) for dialogue in self.dialogues))

    @property
    def charted(self) -> view.Charted:
        """As a report shows it."""
        preamble = Preamble.of(self.chapter.procedure.context)
        return view.Charted(self.chapter.file, self.graph, self.dialogues, self.unreached, preamble)


def read_chapters(project: Project) -> list[Chapter]:
    """All procedures of a project. Raises BadFile with everything that is wrong with them."""
    world = project.world
    made_for = service(world)
    files = [Path(str(part)) for part in world.arguments.values() if isinstance(part, str) and Path(part).is_file()]
    data = [kind_at(made_for.setting).data_key(made_for.setting), *map(keys.file_key, files)]
    found, wrong = list[Chapter](), list[str]()
    for file in project.procedures:
        try:
            procedure = load(file, apis=made_for.apis.values())
        except UserError as error:
            wrong.append(str(error))
            continue
        twin = next((other.file for other in found if other.procedure.id == procedure.id), None)
        if twin:
            wrong.append(f"{file}: its id {procedure.id!r} is that of {twin}, too; give each one of its own")
        source = worded(Source(procedure, world), file.with_name(WORDINGS))
        parts = [
            __version__,
            world.model_dump(mode="json"),
            data,
            procedure.model_dump(mode="json"),
            vars(project.making),
            *(one.model_dump(mode="json") for one in source.wordings),
        ]
        findings = [*lint(text_of(file)), *made_up_told(procedure, made_for)]
        found.append(Chapter(file.name, procedure, findings, source, keys.content_key(parts)))
    if wrong:
        raise BadFile("\n".join(wrong))
    return found


def make_suites(
    project: Project,
    chapters: Sequence[Chapter],
    *,
    repairs: Sequence[Repair] = (),
    workers: int = 1,
    progress: Progress = lambda done, of: None,
) -> list[Suite]:
    """The conversations of all procedures, in their order; those that are kept are not made again, all are repaired."""
    home = project.kept / "conversations"
    sweep(home.glob(f".????????{UNFINISHED}"))
    suites = {chapter.key: _load_suite(home / chapter.key, chapter) for chapter in chapters}
    missing = [chapter for chapter in chapters if suites[chapter.key] is None]
    made_now = generate((chapter.source for chapter in missing), project.making, workers=workers)
    for done, (chapter, made) in enumerate(zip(missing, made_now, strict=True), 1):
        if lost := made.dropped[UNWORDED]:
            what = f"{chapter.file}: the model gave no words for {lost} conversations, and none of it was kept"
            raise Unfinished(f"{what}; run it again, with --cache to ask for none twice")
        suites[chapter.key] = _save_suite(home / chapter.key, chapter, made)
        progress(done, len(missing))
    return [_repaired(suite, repairs) for chapter in chapters if (suite := suites[chapter.key])]


def _repaired(suite: Suite, repairs: Sequence[Repair]) -> Suite:
    if not repairs:
        return suite
    found = [repaired(dialogue, repairs) for dialogue in suite.dialogues]
    done = {repair.key: repair for _, mine in found for repair in mine}
    return replace(suite, dialogues=tuple(gold for gold, _ in found), repairs=tuple(done.values()))


def _save_suite(folder: Path, chapter: Chapter, made: Made) -> Suite:
    dropped = tuple(sorted(made.dropped.items()))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(folder.parent) as scratch:
            write(scratch / "dialogues.jsonl", made.dialogues)
            write(scratch / "graphs.jsonl", [made.planned.graph])
            with replacing(scratch / "made.json") as stream:
                missed = {"unreached": made.unreached, "far": made.planned.far}
                left = {name: [one.model_dump(mode="json") for one in found] for name, found in missed.items()}
                stream.write(json.dumps({"format": "made/3", "dropped": dropped, **left}).encode())
            shutil.rmtree(folder, ignore_errors=True)
            scratch.rename(folder)
    except OSError as error:
        raise BadFile(f"cannot write to {folder.parent}: {error.strerror or error}") from None
    return Suite(chapter, made.planned.graph, made.dialogues, dropped, True, made.unreached, made.planned.far)


def _load_suite(folder: Path, chapter: Chapter) -> Suite | None:
    try:
        record = json.loads((folder / "made.json").read_bytes())
        dropped = tuple((str(why), int(times)) for why, times in record["dropped"])
        unreached = tuple(map(Unreached.model_validate, record["unreached"]))
        far = tuple(map(FarOff.model_validate, record["far"]))
        (graph,) = read(folder / "graphs.jsonl", Graph)
        dialogues = tuple(read(folder / "dialogues.jsonl", Dialogue, empty=True))
    except _UNREADABLE:
        return None
    return Suite(chapter, graph, dialogues, dropped, False, unreached, far)


@dataclass(frozen=True)
class Trial(view.RunView):
    """What became of an agent. `fresh`: how many of its conversations were run just now; `folder`: where they are."""

    fresh: int = 0
    folder: Path = Path()

    @property
    def agent(self) -> str:
        """Who it was."""
        return self.name

    @property
    def passed(self) -> int:
        """How many conversations it passed for sure."""
        return sum(conversation.status == "passed" for conversation in self.conversations)

    @property
    def unsure(self) -> int:
        """How many it would have passed if all that is unsure were right."""
        return sum(conversation.status == "unsure" for conversation in self.conversations)


def evaluate_agent(
    project: Project,
    agent: str,
    match: TextMatch,
    *,
    suites: Sequence[Suite],
    selection: Selection = Selection(),
    trials: int | None = None,
    fresh: bool = False,
    progress: Progress = lambda done, of: None,
) -> Trial:
    """Run and grade an agent, as far as that was not done before. `fresh`: all of it."""
    path, config = run_of(project, agent, trials)
    folder = RunFolder(path)
    if fresh:
        shutil.rmtree(folder.path, ignore_errors=True)
    run_now, stopped = -1, ""  # the first call says what was there before

    def counting(done: int, of: int) -> None:
        nonlocal run_now
        run_now += 1
        progress(done, of)

    limits = Limits(project.settings.run.concurrency, project.settings.run.timeout)
    golds = selection.of(gold for suite in suites for gold in suite.dialogues)
    others = "keep" if selection else "drop"
    try:
        run_folder(folder.path, golds, config, others=others, limits=limits, progress=counting)
    except Denied as refused:
        stopped = str(refused)
    if view.graded_before(folder, match) is None:
        view.score_folder(folder, match)
    asked, every = {gold.id for gold in golds}, view.conversations_of(folder, match.reader)
    conversations = [one for one in every if one.gold.id in asked and one.trace.trial < config.settings.trials]
    scores = (score for conversation in conversations for score in conversation.scores.values())
    compared = {"similarity": match.similarity.name, "thresholds": view.thresholds_text(match.thresholds)}
    facts = {"agent": name_of(agent), "protocol": "next", **compared, "toologue": __version__}
    told = [*(view.decisions_text(conversations) if match.reader else ()), *([stopped] if stopped else [])]
    known = known_costs(folder)
    costs = [Cost.of(one.trace, known) for one in conversations]
    read = (name_of(agent), facts, totals(scores), conversations)
    return Trial(*read, told=told, costs=costs, fresh=run_now, folder=folder.path)


def kept_runs(project: Project, agents: Sequence[str] = ()) -> Iterator[RunFolder]:
    """The runs of agents that are there; where none is named, of those of the settings and of the last test."""
    found = [run_of(project, agent)[0] for agent in agents or project.settings.agents]
    with suppress(*_UNREADABLE):
        last: list[str] = [] if agents else json.loads((project.kept / _TESTED).read_bytes())
        found += [project.kept / "runs" / name for name in last]
    for folder in (RunFolder(path) for path in dict.fromkeys(found) if (path / "traces.jsonl").exists()):
        if agents or (folder.config.version == __version__ and folder.config.code == code_of(folder.config.agent)):
            yield folder


def run_of(project: Project, agent: str, trials: int | None = None) -> tuple[Path, Config]:
    """Where an agent is run, and as what."""
    spec = _spec(project, agent)
    config = Config(
        agent=spec, code=code_of(spec), settings=Settings(protocol="next", trials=trials or project.settings.run.trials)
    )
    name = f"{callable_name(agent)[:40]}-{keys.content_key(config.identity())}"
    return project.kept / "runs" / name, config


def _spec(project: Project, agent: str) -> str:
    """What `resolve_agent` understands."""
    try:
        return with_file(project.spec(agent), project.folder)
    except BadSetting as error:
        raise BadSetting(f"{project.folder / FILE}: agents: {error}") from None


@dataclass(frozen=True)
class Stage:
    """A stage that ended: how much was done now, how much was kept from before, what came of it."""

    name: str
    fresh: int
    kept: int
    says: str


@dataclass(frozen=True)
class Checked:
    """What came of all stages."""

    suites: Sequence[Suite]
    trials: Sequence[Trial]
    report: view.Report
    gate: view.Gated
    match: TextMatch


def gate_metric(project: Project, gate: Gate) -> str:
    """The metric that a gate is on. Raises BadSetting for one that is better the lower it is."""
    metric = _STRICT if gate.strict else gate.metric
    if lower_is_better(metric):
        what = f"{metric!r} is better the lower it is, and fail_under is the least that passes"
        remedy = "leave metric out (harmless: no wrong step does harm), or set strict = true (no step is wrong)"
        raise BadSetting(f"{project.folder / FILE}: gate.metric: {what}: {remedy}")
    return metric


def check(
    project: Project,
    *,
    agents: Sequence[str] = (),
    gate: Gate | None = None,
    selection: Selection = Selection(),
    trials: int | None = None,
    fresh: bool = False,
    workers: int = 1,
    judging: Judging | None = None,
    command: str = "",
    tell: Callable[[Stage], None] = lambda stage: None,
    bar: Bar = lambda what: nullcontext(lambda done, of: None),
) -> Checked:
    """Check a project. `agents` and `gate` stand in the place of those in its settings; `fresh` runs all agents again.

    `command` makes the report again. What people and judges have decided counts; `judging` asks a judge about the rest.
    """
    ledger = judging.ledger if judging else Ledger.of(project.reviews)
    compared = TextMatch.of(project.settings.grade.similarity)
    match = ledger.reads(compared)
    gate = gate or project.settings.gate
    metric = gate_metric(project, gate)
    tested = list(dict.fromkeys(agents or project.settings.agents))
    called_apart(tested)
    for agent in tested if in_force() else ():  # one that no budget can hold is refused before another is asked
        resolve_agent(_spec(project, agent))
    chapters = read_chapters(project)
    remarks = sum(len(chapter.findings) for chapter in chapters)
    tell(Stage("procedures", len(chapters), 0, f"{remarks} remarks" if remarks else "nothing to remark"))
    with bar("making conversations") as progress:
        suites = make_suites(project, chapters, repairs=ledger.repairs, workers=workers, progress=progress)
    fresh_made = sum(suite.fresh for suite in suites)
    tell(Stage("conversations", fresh_made, len(suites) - fresh_made, _made_words(suites)))
    if not any(suite.dialogues for suite in suites):
        raise BadFile(f"{project.folder}: no conversation could be made: {_made_words(suites)}")
    run_and_grade = partial(evaluate_agent, project, suites=suites, selection=selection, trials=trials)
    done = list[Trial]()
    for agent in tested:
        with bar(f"running {agent}") as progress:
            trial = run_and_grade(agent, match, fresh=fresh, progress=progress)
        done.append(trial)
        every = len(trial.conversations)
        doubt = f", {trial.unsure} unsure" if trial.unsure else ""
        tell(
            Stage(trial.agent, trial.fresh, every - trial.fresh, f"{trial.passed} of {every} conversations pass{doubt}")
        )
    if judging and judging.consult(compared, {trial.agent: _totals(trial) for trial in done}):
        match = ledger.reads(compared)
        done = [run_and_grade(agent, match) for agent in tested]
    with replacing(project.kept / _TESTED) as stream:
        stream.write(json.dumps([trial.folder.name for trial in done]).encode())
    charted = [suite.charted for suite in suites]
    if metric not in done[0].by_metric:
        raise UnknownName("metric", metric, done[0].by_metric)
    gates = [_gated(gate, metric, trial, charted) for trial in done]
    report = view.Report(project.folder.resolve().name, done, command, charted=charted, gates=gates)
    return Checked(suites, done, report, gates[0], match)


def _gated(gate: Gate, metric: str, trial: Trial, charted: Sequence[view.Charted]) -> view.Gated:
    asked = gate.fail_under is not None
    whole = asked and gate.never == "fail" and metric in (HARMLESS, _STRICT)
    never = never_right(charted, trial.conversations, strict=metric == _STRICT) if whole else ()
    forbidden = [kind for one in trial.conversations for kind in gate.forbid if asked and kind in one.severities]
    untaken = sum(not one.after for chart in charted for one in cast("Sequence[Unreached]", chart.unreached))
    total, fails = trial.by_metric[metric], gate.unreached == "fail"
    return view.Gated(total, gate.fail_under, gate.allow_unsure, [*never], forbidden, untaken if fails else 0)


def _totals(trial: Trial) -> Callable[[TextMatch], list[Total]]:
    return lambda match: view.totals_of(((one.gold, one.trace) for one in trial.conversations), match)


def _made_words(suites: Sequence[Suite]) -> str:
    count = sum(len(suite.dialogues) for suite in suites)
    shares = (
        f"{Seen.sum(Seen.of(getattr(suite.coverage, part)) for suite in suites)} {word}"
        for part, word in (("nodes", "steps"), ("edges", "ways"), ("pairs", "pairs"))
    )
    dropped = Counter[str]()
    for suite in suites:
        dropped.update(dict(suite.dropped))
    whys = ", ".join(f"{times} × {why}" for why, times in dropped.most_common())
    mended = sum(len(suite.repairs) for suite in suites)
    notes = [f"{dropped.total()} dropped ({whys})"] if whys else []
    notes += [f"{mended} repaired"] if mended else []
    return "; ".join([f"{count}, {', '.join(shares)}", *notes])


BASELINE = "baseline.jsonl"


def keep_baseline(project: Project, agent: str, conversations: Iterable[Conversation], match: TextMatch) -> int:
    """Keep what became of conversations as the project's baseline; how many they are."""
    return write(project.folder / BASELINE, outcomes_of(conversations, agent, grader(match)))


def since_baseline(
    project: Project, agent: str, conversations: Iterable[Conversation], match: TextMatch, *, some: bool = False
) -> tuple[str, Comparison] | None:
    """(whose baseline it is, conversations compared with it); None where none is kept. Raises RunMismatch.

    `some`: they are some of those that there are, and the others are not missed.
    """
    file = project.folder / BASELINE
    if not file.exists():
        return None
    before, after = [*read(file, Outcome)], [*outcomes_of(conversations, agent, grader(match))]
    asked = {one.dialogue for one in after}
    before = [one for one in before if one.dialogue in asked or not some]
    other = next((one for one in before if after and one.grader != after[0].grader), None)
    if other:
        by = f"toologue {other.toologue}, now it is {after[0].toologue}"
        by = "other rules or another similarity" if other.toologue == after[0].toologue else by
        what = f"{file} was graded by {by}, and cannot be graded anew"
        raise RunMismatch(f"{what}: keep a run of now in its place: toologue compare {project.folder} --set")
    return (before or after)[0].agent, compare_outcomes(before, after)
