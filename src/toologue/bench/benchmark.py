"""What a benchmark is, and how agents go through one: parts played and graded, their totals, tables and page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, cast

from toologue import registry
from toologue.agents.agent import AgentFactory, AgentSpec, instantiated, name_of, resolve_agent
from toologue.bench.tables import Cell, Table, html
from toologue.errors import BadSetting, Denied, UnknownName
from toologue.loop import Agent
from toologue.models.budget import in_force
from toologue.models.similarity import TextMatch
from toologue.models.spent import Spent
from toologue.report.costs import Cost, known_costs, spent_on
from toologue.report.view import Conversation, Report, RunView, decisions_text, faults_in, thresholds_text
from toologue.report.words import broken_words, metric_words
from toologue.run.runner import Finished, Limits, Selection, Settings, cases_of, faults_of, run_all
from toologue.run.store import Config, Grading, RunFolder, places, run_folder
from toologue.schema import AgentTurn, Case, Dialogue, ProtocolName, Score, Setting, Trace, Verdict
from toologue.score.metric import Total, totals, unscored

if TYPE_CHECKING:
    from toologue.verify.procedures import Flaw

Mode = Literal["fixed", "published"]
Tested = str | AgentSpec | Agent | AgentFactory
_SHOWN = ("success", "precision", "recall", "incorrect action rate")


@dataclass(frozen=True)
class Part:
    """What an agent is asked for: how it is played, the labels that the history shows (`see`), the metrics.

    `about` says in JSON which part it is, `facts` on the page; the only part of a benchmark has no name. `world`: where
    it is played, if not in the gold's. `cap`: the most steps of the agent in a round, if not `Options.cap`.
    `predicted`: answers made elsewhere can be graded.
    """

    name: str
    protocol: ProtocolName
    metrics: tuple[str, ...]
    see: tuple[str, ...] = ()
    cap: int | None = None
    world: str = ""
    predicted: bool = True
    about: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    facts: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)


@dataclass(frozen=True)
class Graded:
    """One conversation, graded: its scores, its record in the benchmark's own result format, and what it cost."""

    gold: Dialogue
    trace: Trace
    scores: Mapping[str, Score]
    record: Mapping[str, Any]
    cost: Cost = field(default=Cost())


@dataclass(frozen=True)
class Options:
    """How a benchmark is played and graded.

    `selection`: of which dialogues. `out`: a folder that keeps what was played, so that a run can go on; of several
    agents each has one in it. `cap`: the most steps of an agent in a round, if not 50 or what a part says. `replies`: a
    folder of labelled replies, by which `prove` tells whether words are told apart, in place of those that ship.
    """

    mode: Mode = "fixed"
    seed: int = 0
    selection: Selection = Selection()
    trials: int = 1
    limits: Limits = Limits()
    progress: Callable[[int, int], None] = lambda done, of: None
    warn: Callable[[str], None] = lambda text: None
    cap: int | None = None
    out: Path | None = None
    replies: Path | None = None


# By agent, and by part, the graded conversations in the order of the dialogues.
Results = Mapping[str, Mapping[Part, Sequence[Graded]]]


@dataclass(frozen=True)
class Proof:
    """One alteration of gold over all conversations: where it applied, where it took, and the verdicts on those.

    `caught` counts those graded wrong, `missed` names those that got the verdict of the other kind.
    """

    heads: ClassVar[Sequence[str]] = ("altered gold", "applies", "took")
    nothing: ClassVar[str] = "nothing took"
    examples: ClassVar[int] = 3
    gates: ClassVar[bool] = False  # whether a kind that is not accepted fails the command
    tolerated: ClassVar[float] = 0.0  # the greatest share of wrong ones that may pass, of right ones that may fail

    kind: str
    wrong: bool
    applied: int
    took: int
    caught: int
    unsure: int
    missed: tuple[str, ...]

    @classmethod
    def of(cls, kind: str, graded: Sequence[tuple[str, Verdict]], *, wrong: bool, applied: int) -> Self:
        """The proof of (place, verdict) wherever the alteration took."""
        found = Counter(verdict for _, verdict in graded)
        missed = tuple(place for place, verdict in graded if verdict == ("right" if wrong else "wrong"))
        return cls(kind, wrong, applied, len(graded), found["wrong"], found["unsure"], missed)

    @property
    def share(self) -> float:
        """The share that got the verdict of the other kind."""
        return len(self.missed) / self.took if self.took else 0.0

    @property
    def accepted(self) -> bool | None:
        """Whether the grader behaved as well as it must; None where none shows it: none took, or all are unsure."""
        return self.share <= self.tolerated if self.took > self.unsure else None


class StepProof(Proof):
    """One kind of mistake at every step where it can be made; a share of them may be taken for the other."""

    heads = ("misstep", "conversations", "steps")
    nothing = "applies nowhere"
    examples = 2
    gates = True
    tolerated = 0.05


class ReplyProof(StepProof):
    """Replies of one label that others wrote."""

    heads = ("replies written apart", "conversations", "steps")
    tolerated = 0.08


class GoldCheck(NamedTuple):
    """What became of the gold: who failed and why, conversations that are not valid, JSON beside."""

    failed: Mapping[str, str]
    flaws: Sequence[tuple[str, Flaw]] = ()
    more: Mapping[str, Any] = {}


def ungraded(part: Part, mode: Mode, gold: Dialogue, trace: Trace, why: str) -> Graded:
    """A conversation that cannot be graded, and why."""
    return Graded(gold, trace, unscored(part.metrics, gold, trace, why), {"name": gold.id, **part.about, "why": why})


@dataclass(frozen=True)
class Benchmark:
    """A registered benchmark.

    `load(data)` gives the dialogues, grounded, of published data or of the set that ships (None). `grade` is pure;
    `published` is bug for bug, `fixed` repaired. `split` says in which part of the set a conversation is; the metrics
    that are `shown` make a table of the parts where there are no `tables`. `passes` is the score that says whether a
    conversation passed. `alike`: texts are compared by a similarity.
    """

    name: str
    parts: tuple[Part, ...]
    load: Callable[[Path | None], Sequence[Dialogue]]
    grade: Callable[[Part, Mode, Dialogue, Trace, TextMatch], Graded]
    split: Callable[[Graded], str] = lambda one: ""
    passes: str = "success"
    alike: bool = True
    modes: tuple[Mode, ...] = ("fixed", "published")
    shown: Sequence[str] = _SHOWN
    tables: Callable[[Results], list[Table]] | None = None
    # What a page shows beside the tables of runs: (heading, HTML).
    sections: Callable[[Results], Sequence[tuple[str, str]]] = lambda results: ()
    # What the dialogues are made of, where that is asked without an agent.
    describe: Callable[[Sequence[Dialogue]], list[Table]] | None = None
    # Options that only some benchmarks have: what each makes of the benchmark.
    choices: Mapping[str, Callable[[Benchmark, Any], Benchmark]] = field(
        default_factory=dict[str, "Callable[[Benchmark, Any], Benchmark]"]
    )
    # The player of a part, where an agent is not asked everywhere.
    prepare: Callable[[Part, Tested], AgentSpec] | None = None
    # By dialogue, the traces that a file of answers makes; dialogues without one are unscored.
    predictions: Callable[[Benchmark, Part, Sequence[Dialogue], Path, Options], Mapping[str, Trace]] | None = None
    absent: str = "the predictions have no line for it"
    ungraded: Callable[[Part, Mode, Dialogue, Trace, str], Graded] = ungraded
    # A last look at all of a part, once it is graded.
    review: Callable[[Part, list[Graded], Options], list[Graded]] = lambda part, graded, options: graded
    # Whether `prove` of a file is this benchmark's.
    owns: Callable[[Path], bool] = lambda file: False
    check: Callable[[Benchmark, Sequence[Dialogue], TextMatch, Options], GoldCheck] | None = None
    proofs: Callable[[Benchmark, Sequence[Dialogue], TextMatch, Options], Iterable[Proof]] | None = None

    def choose(self, option: str, value: Any) -> Benchmark:
        """This benchmark with an option that not all have. Raises BadSetting where it has none."""
        if option not in self.choices:
            takers = [name for name in registry.names("benchmark") if option in benchmark(name).choices]
            raise BadSetting(f"--{option} is for {', '.join(takers)}: leave it out for the benchmark {self.name!r}")
        return self.choices[option](self, value)

    def choosing(self, **options: Any) -> Benchmark:
        """This benchmark with those options that are given. Raises BadSetting."""
        chosen = self
        for option, value in options.items():
            chosen = chosen.choose(option, value) if value else chosen
        return chosen

    def refuse(self, mode: Mode) -> None:
        """Raises BadSetting for a mode that this benchmark is not graded in."""
        if mode not in self.modes:
            raise BadSetting(f"--mode {mode}: {self.name!r} is graded in mode {' or '.join(self.modes)} alone")

    def scores(
        self, part: str, mode: Mode, pairs: Iterable[tuple[Dialogue, Trace]], judge: TextMatch
    ) -> Iterator[Mapping[str, Score]]:
        """The scores of what was played of a part, as `evaluate` gives them."""
        chosen = next(one for one in self.parts if one.name == part)
        graded = [self.grade(chosen, mode, gold, trace, judge) for gold, trace in pairs]
        yield from (one.scores for one in self.review(chosen, graded, Options(mode=mode)))

    @property
    def part(self) -> Part:
        """The first part."""
        return self.parts[0]


def of_split(benchmark: Benchmark, split: str) -> Benchmark:
    """A benchmark with the dialogues of one split alone. Raises UnknownName for one that they do not name."""

    def load(data: Path | None) -> Sequence[Dialogue]:
        golds = benchmark.load(data)
        if found := [gold for gold in golds if gold.origin.get("split") == split]:
            return found
        raise UnknownName("split", split, {str(gold.origin.get("split", "none")) for gold in golds})

    return replace(benchmark, load=load)


def benchmark(name: str) -> Benchmark:
    """The benchmark that a name stands for."""
    return cast("Benchmark", registry.find("benchmark", name))


def benchmark_of(what: str) -> Benchmark:
    """The benchmark of this name, or the first one that knows how to prove such a file. Raises UnknownName."""
    names = registry.names("benchmark")
    owner = next((one for one in map(benchmark, names) if what == one.name or one.owns(Path(what))), None)
    if owner is None:
        raise UnknownName("benchmark or file", what, names)
    return owner


def evaluate(
    benchmark: Benchmark,
    golds: Sequence[Dialogue],
    agents: Iterable[Tested],
    *,
    judge: TextMatch | None = None,
    options: Options = Options(),
) -> Results:
    """Every agent through every part, graded.

    An agent is a registry string, an agent object, a function from a Case to one, or `predictions:FILE`: answers that
    were made elsewhere.
    """
    benchmark.refuse(options.mode)
    tested = [*agents]
    named = {_name(agent): agent for agent in tested}
    folders = places(options.out or Path(), [*map(_name, tested)])
    if benchmark.predictions is None and any(map(predictions_file, named.values())):
        what = f"{benchmark.name!r} has no predictions made elsewhere"
        raise BadSetting(f"{what}: predictions are calls of tooltalk; give --agent")
    for agent in named.values() if in_force() else ():  # one that no budget can hold is refused before another is asked
        player_of(agent)
    if options.trials > 1 and any(map(predictions_file, named.values())):
        raise BadSetting(
            f"--trials {options.trials}: predictions were made once; give an agent that can be asked again"
        )
    by = judge or TextMatch.of("exact")
    kept = {name: replace(options, out=options.out and folder) for name, folder in zip(named, folders, strict=True)}
    return {
        name: {
            part: _evaluate_part(benchmark, part, golds, agent, by, kept[name])
            for part in benchmark.parts
            if part.predicted or not predictions_file(agent)
        }
        for name, agent in named.items()
    }


def regraded(benchmark: Benchmark, results: Results, judge: TextMatch, options: Options = Options()) -> Results:
    """Results as another match of texts grades them: nothing is played again."""

    def again(part: Part, graded: Sequence[Graded]) -> list[Graded]:
        anew = (benchmark.grade(part, options.mode, one.gold, one.trace, judge) for one in _played(graded))
        again = [replace(next(anew), cost=one.cost) if one.trace.case else one for one in graded]
        return benchmark.review(part, again, options)

    return {agent: {part: again(part, one) for part, one in parts.items()} for agent, parts in results.items()}


def totals_by_agent(results: Results) -> Mapping[str, list[Total]]:
    """The totals of each agent over all parts."""
    return {
        agent: totals(score for graded in parts.values() for one in graded for score in one.scores.values())
        for agent, parts in results.items()
    }


def play(
    benchmark: Benchmark,
    golds: Sequence[Dialogue],
    agent: Tested,
    judge: TextMatch | None = None,
    options: Options = Options(),
    *,
    part: Part | None = None,
) -> list[Graded]:
    """Run an agent through a part, by default the first, and grade it; in the order of the dialogues and trials."""
    chosen, by = part or benchmark.part, judge or TextMatch.of("exact")
    lived, costs = _lived(benchmark, chosen, golds, agent, options)
    if options.out is not None and isinstance(agent, str):
        graded_by = Grading(
            benchmark=benchmark.name,
            part=chosen.name,
            mode=options.mode,
            similarity=by.spec or "lexical",
            thresholds=by.thresholds,
        )
        RunFolder(options.out / chosen.name).keep(graded_by)
    pairs = zip((gold for gold in golds for _ in range(options.trials)), lived, strict=True)
    graded = (benchmark.grade(chosen, options.mode, gold, trace, by) for gold, trace in pairs)
    return [replace(one, cost=Cost.of(one.trace, costs)) for one in graded]


def traces_of(
    benchmark: Benchmark, part: Part, golds: Sequence[Dialogue], agent: Tested, options: Options = Options()
) -> list[Trace]:
    """Run an agent through a part; traces in the order of the dialogues, the trials of one together.

    With `options.out` into a run folder there, by the name of the part: what an earlier run did is not done again.
    Where every further request would be refused nothing more is asked, and what was left has the same fault.
    """
    return _lived(benchmark, part, golds, agent, options)[0]


def _lived(
    benchmark: Benchmark, part: Part, golds: Sequence[Dialogue], agent: Tested, options: Options
) -> tuple[list[Trace], Mapping[str, tuple[float, Spent]]]:
    """The traces, and by case how long it took and what was spent."""
    cap = options.cap or part.cap or Settings().cap
    settings = Settings(protocol=part.protocol, seed=options.seed, trials=options.trials, see=part.see, cap=cap)
    if part.world:
        there = Setting(name=part.world)
        golds = [gold if gold.world.name == part.world else gold.replace(world=there) for gold in golds]
    played = player_of(agent) if benchmark.prepare is None else benchmark.prepare(part, agent)
    cases, lived = list(cases_of(golds, settings)), dict[str, Finished]()

    def keep(finished: Finished) -> None:
        lived[finished.trace.case] = finished
        options.progress(len(lived), len(cases))

    folder = RunFolder(options.out / part.name) if options.out is not None and isinstance(agent, str) else None
    try:
        if folder:
            run_folder(
                folder.path,
                golds,
                Config(agent=str(agent), settings=settings),
                agent=played,
                others="keep" if options.selection else "refuse",
                limits=options.limits,
                progress=options.progress,
            )
        else:
            run_all(cases, played, keep, limits=options.limits)
    except Denied as refused:
        options.warn(str(refused))
    traces, costs = {key: one.trace for key, one in lived.items()}, {key: one[1:] for key, one in lived.items()}
    if folder:
        chosen = {gold.id for gold in golds}
        cases = list(cases_of((gold for gold in folder.dialogues() if gold.id in chosen), settings))
        traces, costs = {trace.case: trace for trace in folder.traces()}, known_costs(folder)
    return [traces.get(case.key) or _refused(case, traces.values()) for case in cases], costs


def _refused(case: Case, lived: Iterable[Trace]) -> Trace:
    """A case that nothing was asked of, since every request would be refused as one of those that were was."""
    refusal = next(fault for trace in lived for fault in faults_of(trace) if fault.lasting)
    turns = (AgentTurn(error=refusal),)
    return Trace(case=case.key, dialogue=case.id, protocol=case.protocol, agent="", turns=turns, stop="error")


def player_of(agent: Tested) -> AgentSpec:
    """The player that an agent is: of a registry string, an agent object, or a function from a Case to one."""
    if isinstance(agent, str):
        return resolve_agent(agent)
    if isinstance(agent, AgentSpec):
        return agent
    made = instantiated(agent)
    if isinstance(made, type) or not hasattr(made, "act"):
        return AgentSpec(_name(agent), cast("AgentFactory", made))
    return AgentSpec(_name(agent), lambda case: cast("Agent", made))


def predictions_file(agent: Tested) -> Path | None:
    """The file of an agent `predictions:FILE`."""
    name, _, file = agent.partition(":") if isinstance(agent, str) else ("", "", "")
    return Path(file) if name == "predictions" and file else None


def record(
    benchmark: Benchmark, results: Results, *, judge: TextMatch | None = None, mode: Mode = "fixed"
) -> dict[str, Any] | list[dict[str, Any]]:
    """The results as JSON: totals and conversations of each part of each agent.

    Totals take what is unsure for wrong, and have the `best`, taking it for right; `decided` says how many of the
    scored conversations have nothing unsure.
    """

    def told(graded: Sequence[Graded]) -> dict[str, Any]:
        lived = [Conversation(one.gold, one.trace, one.scores) for one in graded]
        decided = sum(one.decided for one in lived), sum(one.status != "unscored" for one in lived)
        return {
            "totals": summarize(benchmark, graded),
            "decided": dict(zip(("conversations", "of"), decided, strict=True)),
            **({"spent": spent.record()} if (spent := spent_on(one.cost for one in graded)).requests else {}),
            **({"broken": words} if (words := broken_words(faults_in(one.trace for one in graded))) else {}),
            **({"trials": trials.record()} if (trials := RunView("", {}, [], lived).trials) else {}),
            "conversations": [{**_told(one), "status": it.status} for one, it in zip(graded, lived, strict=True)],
        }

    if benchmark.part.name:
        agents = [
            {"agent": agent, "parts": [{**part.about, **told(graded)} for part, graded in parts.items()]}
            for agent, parts in results.items()
        ]
        return {"benchmark": benchmark.name, "mode": mode, "agents": agents}
    similarity = (judge or TextMatch.of("exact")).record()
    rows = [
        {"benchmark": benchmark.name, "agent": agent, "mode": mode, "similarity": similarity, **told(graded)}
        for agent, parts in results.items()
        for graded in parts.values()
    ]
    return rows[0] if len(rows) == 1 else rows


def _told(one: Graded) -> dict[str, Any]:
    return {**one.record, "trial": one.trace.trial} if one.trace.trial else {**one.record}


def tables_of(
    benchmark: Benchmark, results: Results, *, judge: TextMatch | None = None, mode: Mode = "fixed"
) -> list[Table]:
    """The benchmark's own tables; else one for each agent, with a row a split and what is `shown` of its totals.

    There is none where the set is not split, and all is scored.
    """
    if benchmark.tables is not None:
        return benchmark.tables(results)
    compared = (judge or TextMatch.of("exact")).similarity.name
    title, made = f"{benchmark.name}, {mode}, {compared}", list[Table]()
    for agent, parts in results.items():
        graded = parts[benchmark.part]
        verdicts = (one.scores[benchmark.passes] for one in graded)
        whys = Counter(verdict.why for verdict in verdicts if verdict.value is None)
        reasons = "; ".join(f"{count} unscored: {why}" for why, count in whys.most_common())
        rows = list[list[Cell]]()
        for split, some in parts_of(benchmark, graded).items():
            found = {one.metric: one for one in figures_of(some)}
            rows.append([split, len(some), _silent(some), *map(found.get, benchmark.shown)])
        heads = ["", "n", "unscored", *map(metric_words, benchmark.shown)]
        if len(rows) > 2 or reasons:  # else the totals say it
            made.append(Table(title if len(results) == 1 else agent, heads, rows, reasons))
    return made


def report_of(
    benchmark: Benchmark, results: Results, *, judge: TextMatch | None = None, mode: Mode = "fixed", command: str = ""
) -> Report:
    """A page: a column an agent, of its last part that says who passed, with the totals of parts that do not."""
    compared: dict[str, str] = {}
    if benchmark.alike and judge is not None:
        compared = {"similarity": judge.similarity.name, "thresholds": thresholds_text(judge.thresholds)}
    views: list[RunView] = []
    for agent, parts in results.items():
        passing = [part for part in parts if benchmark.passes in part.metrics]
        told = (part for part in reversed(passing) if any("why" not in one.record for one in parts[part]))
        shown = next(told, passing[-1])
        counted = (parts[part] for part in parts if part == shown or benchmark.passes not in part.metrics)
        scores = (score for graded in counted for one in _played(graded) for score in one.scores.values())
        by = judge.reader if judge else None
        told = [Conversation.read(one.gold, one.trace, one.scores, by) for one in _played(parts[shown])]
        facts = {"mode": mode, **compared, **shown.facts}
        said, costs = decisions_text(told) if by else (), [one.cost for part in parts.values() for one in _played(part)]
        hidden = (parts[part] for part in parts if part != shown)
        others = [Conversation(one.gold, one.trace, {}) for graded in hidden for one in _played(graded)]
        views.append(RunView(agent, facts, totals(scores), told, told=said, costs=costs, parts=others))
    title = f"{benchmark.name} ({mode})" if len(benchmark.modes) > 1 else benchmark.name
    parts = [] if benchmark.tables else tables_of(benchmark, results, judge=judge, mode=mode)
    split = [("By part of the set", html(parts))] if parts else []
    return Report(title, views, command=command, sections=[*split, *benchmark.sections(results)])


def sums(graded: Sequence[Graded], part: Literal["counts", "unsure"] = "counts") -> dict[str, dict[str, float]]:
    """The counts of every metric, or what they gain if all that is unsure is right, added up."""
    found: dict[str, dict[str, float]] = {}
    for name, score in (pair for one in graded for pair in one.scores.items()):
        counts, more = found.setdefault(name, {}), score.counts if part == "counts" else score.unsure
        counts |= {key: counts.get(key, 0.0) + number for key, number in more.items()}
    return found


def parts_of(benchmark: Benchmark, graded: Sequence[Graded]) -> dict[str, Sequence[Graded]]:
    """The parts of a set that has several, and all of it, last."""
    splits = sorted({benchmark.split(one) for one in graded})
    parts = {name: [one for one in graded if benchmark.split(one) == name] for name in splits if len(splits) > 1}
    return {**parts, "all": graded}


def figures_of(graded: Iterable[Graded]) -> list[Total]:
    """The totals of all metrics, with their intervals."""
    return totals(score for one in graded for score in one.scores.values())


def summarize(benchmark: Benchmark, graded: Sequence[Graded]) -> dict[str, dict[str, Any]]:
    """The totals of each part of the set: of each metric value, best, ends of the interval, counts, what these gain."""
    return {name: _total(part) for name, part in parts_of(benchmark, graded).items()}


def _total(graded: Sequence[Graded]) -> dict[str, Any]:
    names = ("value", "best", "low", "high", "counts", "unsure")
    scores = {total.metric: {name: getattr(total, name) for name in names} for total in figures_of(graded)}
    return {"num_conversations": len(graded), "unscored": _silent(graded), "scores": scores}


def _silent(graded: Sequence[Graded]) -> int:
    return sum(all(score.value is None for score in one.scores.values()) for one in graded)


def _evaluate_part(
    benchmark: Benchmark, part: Part, golds: Sequence[Dialogue], agent: Tested, judge: TextMatch, options: Options
) -> list[Graded]:
    file, chosen = predictions_file(agent), options.selection.of(golds)
    if file is None or benchmark.predictions is None:
        graded = play(benchmark, chosen, agent, judge, options, part=part)
        return benchmark.review(part, graded, options)
    traces = benchmark.predictions(benchmark, part, golds, file, options)
    graded = list[Graded]()
    for gold in chosen:
        if (trace := traces.get(gold.id)) is not None:
            graded.append(benchmark.grade(part, options.mode, gold, trace, judge))
        else:
            missing = Trace(case="", dialogue=gold.id, protocol=part.protocol, agent="", stop="error")
            graded.append(benchmark.ungraded(part, options.mode, gold, missing, benchmark.absent))
    return benchmark.review(part, graded, options)


def _name(agent: Tested) -> str:
    if isinstance(agent, str):
        return name_of(agent)
    return agent.name if isinstance(agent, AgentSpec) else getattr(agent, "__name__", type(agent).__name__)


def _played(graded: Sequence[Graded]) -> Iterator[Graded]:
    return (one for one in graded if one.trace.case)
