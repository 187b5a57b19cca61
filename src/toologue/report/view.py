"""What a report shows, as values that every output format renders, and how run folders are scored and become that."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Protocol, cast, get_args

from toologue import keys, registry
from toologue.errors import BadFile, UserError
from toologue.models.similarity import TextMatch
from toologue.plan.procedures.prose import Preamble
from toologue.report.costs import Cost, costs_record, known_costs
from toologue.run.store import RunFolder
from toologue.schema import Decision, Dialogue, Graph, Score, SecondReader, Status, Trace
from toologue.schema.jsonl import line_of, read, read_lines, replacing
from toologue.score.metric import Metric, Total, answers_of, best_of, done_at, grader, own_fault, totals
from toologue.score.questions import blamed_calls, step_question
from toologue.score.trials import Trials, trials_of, tried

# The scores that say whether a conversation passed (of two, the first), each with the one that judges its steps: where
# that leaves nothing unsure, a conversation is *fully decided*.
PASSES = {
    "reward": "reward",
    "success": "recall",
    "conversation correct": "test correct",
    "perfect dialogue": "turn match",
}
_WORDS = ("rule", "judge", "person")  # by whom what a text of a call says is decided
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True)
class Conversation:
    """One dialogue as one agent lived it: the gold, the trace, the scores by metric.

    `decisions` are those of judges and people that counted, `blamed` the gold's steps that are no tests: both by turn.
    """

    gold: Dialogue
    trace: Trace
    scores: Mapping[str, Score]
    decisions: Mapping[int, Decision] = field(default_factory=dict[int, Decision])
    blamed: Sequence[int] = ()

    @classmethod
    def read(cls, gold: Dialogue, trace: Trace, scores: Mapping[str, Score], by: SecondReader | None) -> Conversation:
        """One that was graded with a second reader."""
        if by is None:
            return cls(gold, trace, scores)
        if trace.protocol != "next":
            return cls(gold, trace, scores, blamed=blamed_calls(gold, by))
        asked = {at: step_question(gold, at, done_at(trace, at)) for at, _, _ in answers_of(gold)}
        blamed = [at for at, question in asked.items() if question.gold_key in by.blames]
        found = ((at, by.settled(question)) for at, question in asked.items() if at not in blamed)
        return cls(gold, trace, scores, {at: one for at, one in found if one is not None}, blamed)

    @property
    def verdict(self) -> Score | None:
        """The score that says whether it passed."""
        return next((self.scores[name] for name in PASSES if name in self.scores), None)

    @property
    def status(self) -> Status:
        """What became of it."""
        verdict = self.verdict
        if verdict is None or verdict.value is None:
            return "unscored"
        return "passed" if verdict.value == 1.0 else "unsure" if best_of(verdict) == 1.0 else "failed"

    @property
    def passed(self) -> bool | None:
        """Whether it succeeded; None where nothing was scored, or what was is unsure."""
        return {"passed": True, "failed": False}.get(self.status)

    @property
    def decided(self) -> bool:
        """Whether it was scored, and none of its steps is unsure."""
        judged = (self.scores[name] for pair in PASSES.items() for name in pair if name in self.scores)
        return self.status != "unscored" and not any(score.unsure for score in judged)

    @property
    def broke(self) -> bool:
        """Whether it ended in a time-out or an error, or the agent had a fault of its own on the way."""
        return self.trace.stop in ("timeout", "error") or own_fault(self.trace) is not None

    @property
    def severities(self) -> frozenset[str]:
        """What its wrong steps come to, each."""
        wrong = (one for one in self.verdict.at if one.verdict == "wrong") if self.verdict else ()
        return frozenset(one.severity for one in wrong if one.severity)

    @property
    def in_words(self) -> bool:
        """Whether it failed in words alone, a reply or a text that a call carries: every act is as expected."""
        wrong = [one for one in self.verdict.at if one.verdict == "wrong"] if self.verdict else []
        texts = (one.field == "reply" or (one.field.startswith("arguments.") and one.by in _WORDS) for one in wrong)
        return self.status == "failed" and not self.broke and bool(wrong) and all(texts)


@dataclass(frozen=True)
class RunView:
    """One agent's run: settings as people read them, totals, conversations in the order of the dialogues.

    `conversations` are those to show; `every` streams all of them, where they are more. `told`: what judges and people
    have decided of it; `costs`: what each conversation cost, and how long it took; `left`: how many are yet to be run;
    `parts`: what else it was asked for and is not shown.
    """

    name: str
    facts: Mapping[str, str]
    totals: Sequence[Total]
    conversations: Sequence[Conversation]
    every: Iterable[Conversation] = ()
    told: Sequence[str] = ()
    costs: Sequence[Cost] = ()
    left: int = 0
    parts: Iterable[Conversation] = ()

    @property
    def all(self) -> Iterable[Conversation]:
        """All conversations, whether they are shown or not."""
        return self.every or self.conversations

    @property
    def absent(self) -> int:
        """How many conversations have no score at all; of other unscored ones a metric finds nothing to score in."""
        known = self.by_metric
        return next((known[name].unscored for name in PASSES if name in known), 0)

    @cached_property
    def faults(self) -> Mapping[tuple[str, str], int]:
        """In how many conversations the agent broke first with which fault of its own."""
        return faults_in(one.trace for one in chain(self.all, self.parts))

    @property
    def by_metric(self) -> Mapping[str, Total]:
        """The totals by their metrics."""
        return {total.metric: total for total in self.totals}

    @cached_property
    def trials(self) -> Trials | None:
        """What its trials tell; None where each dialogue was run once, or nothing says which passed."""
        if not any(one.trace.trial for one in self.conversations):
            return None
        found = tried(one.verdict for one in self.all if one.verdict is not None)
        return trials_of(found) if found else None

    @property
    def decided(self) -> tuple[int, int] | None:
        """(fully decided conversations, scored ones); None where nothing says which passed."""
        known = self.by_metric
        passes = next((name for name in PASSES if name in known), None)
        if passes is None:
            return None
        told = [known[name].open for name in (passes, PASSES[passes]) if name in known]
        return known[passes].n - max(told), known[passes].n


@dataclass(frozen=True)
class Charted:
    """A procedure: what its file is called, its conversation graph, all its conversations, and what none reaches.

    `preamble`: what stands before its steps, of which no conversation is made.
    """

    file: str
    graph: Graph
    golds: Sequence[Dialogue]
    unreached: Sequence[object] = ()
    preamble: Preamble = field(default_factory=Preamble)


@dataclass(frozen=True)
class Gated:
    """What the gate says of an agent: `least` of the total is wanted, None where nothing was asked for.

    `allowed` is the share of what is unsure that counts as passing. A share hides a rule that few conversations are
    about, so nobody passes who never goes right at some way (`never`) or does once what nobody may (`forbidden`, a
    severity for each conversation), nor where ways that no conversation takes count (`untaken`).
    """

    total: Total
    least: float | None
    allowed: float = 0
    never: Sequence[str] = ()
    forbidden: Sequence[str] = ()
    untaken: int = 0

    @property
    def asked(self) -> bool:
        """Whether anything was asked for that may fail."""
        return self.least is not None or self.untaken > 0

    @property
    def verdict(self) -> Literal["passed", "failed", "undecided"]:
        """Passed by the lower end, undecided where what is unsure decides.

        Nobody passes of whom nothing was scored, or nothing is right for sure, whatever is wanted and allowed.
        """
        value, best = self.total.value or 0.0, self.total.best or 0.0
        if self.never or self.forbidden or self.untaken:
            return "failed"
        if self.least is None or (value > 0 and min(best, value + self.allowed) >= self.least - _ROUNDING):
            return "passed"
        return "undecided" if self.total.unsure and best >= self.least - _ROUNDING else "failed"


@dataclass(frozen=True)
class Report:
    """All runs of a report, and how to make it again; with `charted`, how much of procedures they cover.

    `gates`: what the gate says of each run; none where none could be asked for.
    `sections` are a benchmark's own, each a title and HTML in which all data is escaped.
    """

    title: str
    runs: Sequence[RunView]
    command: str = ""
    notes: Sequence[str] = field(default_factory=tuple[str, ...])
    charted: Sequence[Charted] = ()
    sections: Sequence[tuple[str, str]] = ()
    gates: Sequence[Gated] = ()

    @property
    def metrics(self) -> list[str]:
        """The metrics of all runs, in the order in which they first occur."""
        return list(dict.fromkeys(total.metric for run in self.runs for total in run.totals))


def faults_in(traces: Iterable[Trace]) -> dict[tuple[str, str], int]:
    """In how many traces the agent broke first with which fault (type, message), "" for none; empty if it never did."""
    found = map(own_fault, traces)
    counts = Counter(("", "") if fault is None else (fault.type, fault.message) for fault in found)
    return dict(counts.most_common()) if counts.keys() - {("", "")} else {}


# The most transcripts of a run that are held; failed conversations come first.
LIMIT = 500
_NAMED = 8
_ROUNDING = 1e-9


def scores_of(gold: Dialogue, trace: Trace, match: TextMatch) -> dict[str, Score]:
    """Every registered metric of one trace."""
    found: dict[str, Score] = {}
    for name in registry.names("metric"):
        found.update(cast("Metric", registry.find("metric", name))(gold, trace, match))
    return found


def totals_of(pairs: Iterable[tuple[Dialogue, Trace]], match: TextMatch) -> list[Total]:
    """The totals of golds and their traces; nothing is written."""
    return totals(score for gold, trace in pairs for score in scores_of(gold, trace, match).values())


class _Graded(Protocol):
    """What a benchmark is for, here: it grades what was played of a part."""

    def scores(
        self, part: str, mode: Literal["fixed", "published"], pairs: Iterable[tuple[Dialogue, Trace]], judge: TextMatch
    ) -> Iterator[Mapping[str, Score]]: ...


def _scores_in(folder: RunFolder, match: TextMatch) -> Iterator[Mapping[str, Score]]:
    """The scores of every trace of a run: as the benchmark grades that it was run for, else of all metrics."""
    kept = folder.grading
    if kept is None:
        return (scores_of(gold, trace, match) for gold, trace in folder.pairs())
    return cast("_Graded", registry.find("benchmark", kept.benchmark)).scores(
        kept.part, kept.mode, folder.pairs(), match
    )


def graded_by(folder: RunFolder, match: TextMatch) -> Mapping[str, object]:
    """Who grades a run (`score.metric`); of a benchmark's run the mode and the part, where these make a difference."""
    kept = folder.grading
    part = {"part": f"{kept.benchmark}: {kept.part}"} if kept and kept.part else {}
    return {**grader(match), **part, **({"mode": kept.mode} if kept and kept.mode != "fixed" else {})}


def score_folder(folder: RunFolder, match: TextMatch) -> list[Total]:
    """Grade a run: writes scores.jsonl, scores.json and costs.json into its folder, returns the totals."""
    known, costs = known_costs(folder), list[Cost]()

    def kept(stream: Any) -> Iterator[Score]:
        for (_, trace), found in zip(folder.pairs(), _scores_in(folder, match), strict=True):
            costs.append(Cost.of(trace, known))
            for score in found.values():
                stream.write(line_of(score))
                yield score

    by, agent = graded_by(folder, match), folder.config.agent
    about = {"format": "scores/1", "agent": agent, "similarity": match.record(), "grader": by}
    with replacing(folder.path / "scores.jsonl") as stream:
        found = totals(kept(stream))
    decided, of = RunView("", {}, found, ()).decided or (0, 0)
    summary = {**about, **_graded_files(folder), "decided": {"conversations": decided, "of": of}}
    summary |= {"totals": [total._asdict() for total in found]}
    if (trials := trials_in(folder, found)) is not None:
        summary["trials"] = trials.record()
    for name, told in (("scores.json", summary), ("costs.json", {"format": "costs/1", **costs_record(costs)})):
        with replacing(folder.path / name) as stream:
            stream.write(json.dumps(told, indent=1).encode() + b"\n")
    return found


def trials_in(folder: RunFolder, totals: Iterable[Total]) -> Trials | None:
    """What the trials of a graded run tell; None where each dialogue was run once, or nothing says which passed."""
    metrics = [total.metric for total in totals]
    passes = next((name for name in PASSES if name in metrics), None)
    if folder.config.settings.trials == 1 or passes is None:
        return None
    scores = read(folder.path / "scores.jsonl", Score, empty=True)
    return trials_of(tried(score for score in scores if score.metric == passes))


def _graded_files(folder: RunFolder) -> dict[str, Any]:
    """What was graded, and what came of it, by content: as many traces may be others, which were run again."""
    names = ("dialogues", "traces", "scores")
    return {"of": {name: keys.file_key(folder.path / f"{name}.jsonl") for name in names}}


def graded_before(folder: RunFolder, match: TextMatch) -> list[Total] | None:
    """The totals of a run that was graded by the same rules, and has not gone on since; None of another."""
    if grader_of(folder) != graded_by(folder, match):
        return None
    try:
        return totals(read(folder.path / "scores.jsonl", Score, empty=True))
    except UserError:
        return None


def grader_of(folder: RunFolder) -> Mapping[str, Any] | None:
    """Who graded a run (`score.metric`); None where it was not graded, or has gone on since."""
    try:
        about = json.loads((folder.path / "scores.json").read_bytes())
        return about["grader"] if about["of"] == _graded_files(folder)["of"] else None
    except (OSError, ValueError, KeyError, TypeError, UserError):
        return None


def left_in(folder: RunFolder) -> int:
    """How many conversations of a run are yet to be run."""
    golds, traces = (sum(1 for _ in read_lines(folder.path / f"{name}.jsonl")) for name in ("dialogues", "traces"))
    return golds * folder.config.settings.trials - traces


def view_of(folder: RunFolder, match: TextMatch) -> RunView:
    """Score a run folder and make its view."""
    scored, every, count = score_folder(folder, match), _Every(folder, match.reader), 0
    kept: dict[Status, list[Conversation]] = {status: [] for status in STATUSES}
    known, costs, splits = known_costs(folder), list[Cost](), Counter[tuple[str, Status]]()
    for conversation in every:
        count += 1
        splits[str(conversation.gold.origin.get("split", "")), conversation.status] += 1
        costs.append(Cost.of(conversation.trace, known))
        if len(same := kept[conversation.status]) < LIMIT:
            same.append(conversation)
    shown = list(chain.from_iterable(kept.values()))[:LIMIT]
    shown.sort(key=lambda conversation: (conversation.gold.id, conversation.trace.trial))
    config, settings, grading = folder.config, folder.config.settings, folder.grading
    facts = {
        **({"graded as": grading.words} if grading else {}),
        "agent": config.agent,
        "protocol": settings.protocol,
        "trials": str(settings.trials),
        "seed": str(settings.seed),
        "similarity": match.similarity.name,
        "thresholds": thresholds_text(match.thresholds),
        "dialogues": keys.file_key(folder.path / "dialogues.jsonl"),
        "toologue": config.version,
    }
    if count > len(shown):
        facts["not shown"] = f"{count - len(shown)} conversations, mostly passed ones"
    told = [*_splits_text(splits), *(decisions_text(every) if match.reader else ())]
    return RunView(config.name, facts, scored, shown, every, told, costs, left_in(folder))


def _splits_text(found: Mapping[tuple[str, Status], int]) -> Iterator[str]:
    """How many conversations passed of each split, where the dialogues have several: easy and hard ones, say."""
    splits = dict.fromkeys(split for split, _ in found)
    for split in splits if len(splits) > 1 else ():
        counts = {status: found.get((split, status), 0) for status in STATUSES}
        unsure = f", {counts['unsure']} unsure" if counts["unsure"] else ""
        yield f"{split or 'neither'}: {counts['passed']} of {sum(counts.values())} passed{unsure}"


@dataclass(frozen=True)
class _Every:
    """All conversations of a graded run, read each time they are walked through: none is held."""

    folder: RunFolder
    reader: SecondReader | None

    def __iter__(self) -> Iterator[Conversation]:
        return conversations_of(self.folder, self.reader)


def conversations_of(folder: RunFolder, reader: SecondReader | None = None) -> Iterator[Conversation]:
    """The conversations of a run as they were graded last: a stream of its traces, and of its scores beside them."""
    scores = read(folder.path / "scores.jsonl", Score, empty=True)
    following = next(scores, None)
    for gold, trace in folder.pairs():
        found: dict[str, Score] = {}
        while following is not None and following.case in ("", trace.case) and following.metric not in found:
            found[following.metric] = following
            following = next(scores, None)
        yield Conversation.read(gold, trace, found, reader)


def failed_in(run: Path) -> frozenset[str]:
    """The ids of the dialogues that failed in a graded run, were not scored, or have no trace. Raises BadFile."""
    folder = RunFolder(run)
    if folder.config and not (run / "scores.json").exists():
        raise BadFile(f"{run} is not graded, and so nobody knows what failed: toologue score {run}")
    failed = (one.gold.id for one in conversations_of(folder) if one.status in ("failed", "unscored"))
    return frozenset([*failed, *folder.missing()])


def decisions_text(every: Iterable[Conversation]) -> list[str]:
    """What judges and people have decided of conversations, and which golds are blamed, each on a line."""
    told, blamed = Counter[str](), list[str]()
    for one in every:
        told.update(decision.told for decision in one.decisions.values())
        blamed += [f"{one.gold.id}, turn {at + 1}" for at in one.blamed]
    blamed = list(dict.fromkeys(blamed))
    lines = [f"decided: {', '.join(f'{times} × {what}' for what, times in sorted(told.items()))}"] if told else []
    if blamed:
        rest = f"; and {len(blamed) - _NAMED} more" if len(blamed) > _NAMED else ""
        steps = f"{len(blamed)} step{'' if len(blamed) == 1 else 's'}"
        lines.append(f"gold blamed, and in no figure: {steps}: {'; '.join(blamed[:_NAMED])}{rest}")
    return lines


def thresholds_text(thresholds: Mapping[str, float]) -> str:
    """Thresholds in a few words."""
    return ", ".join(f"{name} ≥ {value:g}" for name, value in thresholds.items())
