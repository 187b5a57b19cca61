"""ToolDial: dialogue states, actions, faithful replies, whole steps (arXiv 2503.00564, section 4).

A part of the benchmark is a task with what the history shows of the gold's labels (`labels`: the paper's "w GT" is
`gold`, "w/o GT" is `none`):

    task           protocol   asked for                        the history shows: gold             none
    dst            next       the dialogue state               actions, thoughts, states           actions, thoughts
    action         next       the next action                  actions, states                     states
    faithfulness   next       the response                     actions, thoughts, states           nothing
    overall        forced     every step until the user speaks actions, thoughts, states of        nothing of earlier
                              (world `observed`)               earlier rounds; the agent's own in  rounds
                                                               this one

That `none` leaves in the other labels is as published: there, "w/o GT" hides the labels of the task alone.

Contract: `load` reads the paper's JSON, or our dialogues (with the apis.jsonl beside them, if there is one), that carry
labels. `play` runs an agent through one part, and asks it only where there is a test; `grade` grades a conversation:
both modes do what `score.states`, `score.actions`, `score.faithfulness` and `score.overall` say. A model agent
`talm:MODEL` gets the prompt of the task.
`TOOLDIAL` is the three tasks under `next` at once, nothing shown: what a benchmark is to everybody else.

Example:
    >>> [part.name for part in parts(["dst", "overall"])]
    ['dst, gold', 'dst, none', 'overall, gold', 'overall, none']
    >>> parts(["action"], ["none"])[0].see
    ('state',)

Not covered: prompts that hold words of the turn that is asked about, as the published samples of dst do; they are made
by `formats.tooldial_text.samples`, and what models answer to them is graded from a file (`bench.tooldial.predictions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from toologue.agents.agent import AgentSpec, resolve_agent
from toologue.bench.benchmark import Benchmark, Graded, Mode, Options, sums, traces_of
from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName
from toologue.formats.tooldial import read_tooldial
from toologue.formats.tooldial_text import LABELS, TASKS, Labels, Task
from toologue.loop import Agent
from toologue.models.similarity import TextMatch
from toologue.run.runner import Settings
from toologue.schema import AgentTurn, Brief, Case, Dialogue, ProtocolName, Score, Setting, Trace, Turn
from toologue.schema.jsonl import read, read_lines
from toologue.score import actions, faithfulness, overall, states
from toologue.score.faithfulness import Votes
from toologue.score.metric import no_reply, unscored, value_of
from toologue.worlds.world import documents_of

__all__ = ["PASSES", "TOOLDIAL", "Part", "asked_at", "grade", "load", "parts", "play", "summarize"]

PASSES = "conversation correct"
STEPS = 7
"""Steps in a round of the overall task; the published loop gives up after as many."""

_SEE: dict[tuple[Task, Labels], tuple[str, ...]] = {
    ("dst", "gold"): ("action", "thought", "state"),
    ("dst", "none"): ("action", "thought"),
    ("action", "gold"): ("action", "state"),
    ("action", "none"): ("state",),
    ("faithfulness", "gold"): ("action", "thought", "state"),
    ("faithfulness", "none"): (),
    ("overall", "gold"): ("action", "thought", "state"),
    ("overall", "none"): (),
}
_SUBSTRING = "action accuracy (substring)"
_METRICS: dict[Task, tuple[str, ...]] = {
    "dst": states.METRICS,
    "action": (*actions.METRICS, _SUBSTRING),
    "faithfulness": (*faithfulness.METRICS, faithfulness.VOTED),
    "overall": overall.METRICS,
}
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Part:
    """A task, and which labels its history shows."""

    task: Task
    labels: Labels = "none"

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.task}, {self.labels}"

    @property
    def protocol(self) -> ProtocolName:
        """How it is played."""
        return "forced" if self.task == "overall" else "next"

    @property
    def see(self) -> tuple[str, ...]:
        """The labels that its history shows."""
        return _SEE[self.task, self.labels]


def parts(tasks: Sequence[str] = (), labels: Sequence[str] = ()) -> list[Part]:
    """The parts that are named; all tasks, with both kinds of history, where none is."""
    for kind, given, known in (("task", tasks, TASKS), ("kind of labels", labels, LABELS)):
        for name in given:
            if name not in known:
                raise UnknownName(kind, name, known)
    return [Part(t, one) for t in TASKS if not tasks or t in tasks for one in LABELS if not labels or one in labels]


def load(data: Path | None = None) -> list[Dialogue]:
    """The labelled dialogues of a file, with their documents, in the world that their results record."""
    if data is None:
        raise BadSetting("the benchmark 'tooldial' needs --data: the paper's JSON, or dialogues.jsonl with labels")
    if data.is_dir():
        data = data / "dialogues.jsonl"
    ours = _is_ours(data)
    found = [_staged(one, data) for one in read(data, Dialogue)] if ours else list(read_tooldial(data))
    if not found:
        raise BadFile(f"{data} has no dialogues: there is nothing to play")
    return found


def play(part: Part, golds: Sequence[Dialogue], agent: str | AgentSpec, options: Options = Options()) -> list[Trace]:
    """Run an agent through one part; traces in the order of the dialogues."""
    settings = Settings(protocol=part.protocol, seed=options.seed, see=part.see, cap=STEPS)
    return traces_of(list(map(_observed, golds)), settings, _asked(_player(agent, part.task), part.task), options)


def grade(part: Part, mode: Mode, gold: Dialogue, trace: Trace, votes: Sequence[Votes] = ()) -> Graded:
    """Grade one conversation of a part. Where a model gave no reply it is unscored."""
    head = {"name": gold.id, "task": part.task, "labels": part.labels}
    if why := no_reply(trace):
        return Graded(gold, trace, unscored((*_METRICS[part.task], PASSES), gold, trace, why), head | {"why": why})
    scores, rows = _GRADERS[part.task](mode, gold, trace)
    if votes:
        scores |= faithfulness.voted(mode, votes, gold, trace)
    scores[PASSES] = _passed(rows, gold, trace)
    kept = {"votes": [one._asdict() for one in votes]} if votes else {}
    metrics = {name: score.value for name, score in scores.items()}
    return Graded(gold, trace, scores, {**head, "metrics": metrics, "tests": rows, **kept})


def asked_at(task: Task, gold: Dialogue) -> frozenset[int]:
    """The turns of a dialogue that are tests of a task."""
    if task == "dst":
        return frozenset(turn for turn, _, _ in states.labelled(gold))
    if task == "faithfulness":
        return frozenset(turn for turn, _ in faithfulness.responses(gold))
    return frozenset(turn for turn, _, _ in actions.labelled(gold))


def summarize(mode: Mode, graded: Sequence[Graded]) -> dict[str, Any]:
    """The totals of a part: for each metric its value, null where 0/0, and what it was counted from."""
    counted = sums(graded)
    absent = sum("why" in one.record for one in graded)
    values = {_key(name): value_of(name, counts) if counts else None for name, counts in counted.items()}
    return {"all": {"num_conversations": len(graded), "unscored": absent, **values, "sums": counted}}


def _dst(mode: Mode, gold: Dialogue, trace: Trace) -> tuple[dict[str, Score], Rows]:
    tests = states.state_tests(mode, gold, trace)
    rows = [
        {**test._asdict(), "label": test.label.model_dump(mode="json"), "errors": list(test.errors)} for test in tests
    ]
    return states.scores_of(tests, gold, trace), rows


def _action(mode: Mode, gold: Dialogue, trace: Trace) -> tuple[dict[str, Score], Rows]:
    tests = actions.action_tests(mode, gold, trace)
    scores = actions.scores_of(tests, gold, trace)
    if mode == "published":
        lax = actions.scores_of(actions.action_tests("substring", gold, trace), gold, trace)[actions.ACCURACY]
        scores[_SUBSTRING] = lax.but(metric=_SUBSTRING)
    return scores, [test._asdict() for test in tests]


def _faithfulness(mode: Mode, gold: Dialogue, trace: Trace) -> tuple[dict[str, Score], Rows]:
    tests = faithfulness.reply_tests(gold, trace)
    rows = [{**test._asdict(), "correct": test.grounded and test.reports is not False} for test in tests]
    return faithfulness.scores_of(tests, gold, trace), rows


def _overall(mode: Mode, gold: Dialogue, trace: Trace) -> tuple[dict[str, Score], Rows]:
    tests = overall.user_turn_tests(mode, gold, trace)
    at = [[one.model_dump(exclude={"turn"}) for one in test.at] for test in tests]
    rows = [
        {"turn": test.turn, "round": test.round, "correct": test.correct, "at": why}
        for test, why in zip(tests, at, strict=True)
    ]
    return overall.scores_of(tests, gold, trace), rows


_GRADERS: dict[Task, Callable[[Mode, Dialogue, Trace], tuple[dict[str, Score], Rows]]] = {
    "dst": _dst,
    "action": _action,
    "faithfulness": _faithfulness,
    "overall": _overall,
}


def _at_once(mode: Mode, gold: Dialogue, trace: Trace, judge: TextMatch) -> Graded:
    """The three tasks under `next`, of one run that shows no labels."""
    graded = [grade(Part(task), mode, gold, trace) for task in TASKS if task != "overall"]
    scores = {name: score for one in graded for name, score in one.scores.items()}
    rows = sorted((row for one in graded for row in one.record.get("tests", ())), key=lambda row: row["turn"])
    if "why" not in graded[0].record:
        scores[PASSES] = _passed(rows, gold, trace)
    metrics = {name: score.value for name, score in scores.items()}
    record = {**graded[0].record, "task": "next", "metrics": metrics, "tests": rows}
    return Graded(gold, trace, scores, record)


def _passed(rows: Rows, gold: Dialogue, trace: Trace) -> Score:
    of, right = int(bool(rows)), int(bool(rows) and all(row["correct"] for row in rows))
    counts = {"hits": float(right), "of": float(of)}
    why = "" if of else "nothing to score"
    value = float(right) if of else None
    return Score(metric=PASSES, dialogue=gold.id, case=trace.case, counts=counts, value=value, why=why)


def _player(agent: str | AgentSpec, task: Task) -> AgentSpec:
    """The player that a spec names; a `talm` that names no task gets this one."""
    if isinstance(agent, AgentSpec):
        return agent
    name, _, rest = agent.partition(":")
    return resolve_agent(f"talm:{task}:{rest}" if name == "talm" and rest.partition(":")[0] not in TASKS else agent)


class _Tested:
    """An agent that is asked only where there is a test: under `next` the history says which turn it is."""

    def __init__(self, agent: Agent, turns: frozenset[int]):
        self._agent, self._turns = agent, turns

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        return await self._agent.act(history, brief) if len(history) in self._turns else AgentTurn()


def _asked(agent: AgentSpec, task: Task) -> AgentSpec:
    if task in ("action", "overall"):  # everywhere
        return agent

    def make(case: Case) -> Agent:
        return _Tested(agent.make(case), asked_at(task, cast("Dialogue", case.gold)))

    return AgentSpec(agent.name, make, reads_gold=True)


def _observed(gold: Dialogue) -> Dialogue:
    return gold if gold.world.name == "observed" else gold.but(world=Setting(name="observed"))


def _staged(dialogue: Dialogue, file: Path) -> Dialogue:
    """A dialogue of ours, played from its record, with the documents beside it or those of its world."""
    if not any(turn.role == "agent" and (turn.state or turn.action) for turn in dialogue.turns):
        what = f"dialogue {dialogue.id!r} has no labels (action, state)"
        raise BadRecord(file, 0, "$.turns", what, "dialogues of the chains line have them")
    for apis in (file.with_name("apis.jsonl"), Path(str(dialogue.world.arguments.get("apis", "")))):
        if apis.is_file():
            return dialogue.but(world=Setting(name="observed", arguments={"apis": str(apis)}))
    there = documents_of(dialogue)
    carried: list[Any] = [there[n].model_dump(mode="json", by_alias=True) for n in dialogue.apis if n in there]
    return _observed(dialogue).but(extra={**dialogue.extra, "apis": carried})


def _is_ours(file: Path) -> bool:
    return b'"dialogue/1"' in next((line for _, line, _ in read_lines(file)), b"")


def _key(metric: str) -> str:
    return metric.lower().replace(": ", "_").replace(" ", "_")


_SHOWN = ("state accuracy", "action accuracy", "grounded", "reported", PASSES)
TOOLDIAL = Benchmark(
    "tooldial",
    load,
    _at_once,
    summarize,
    protocol="next",
    passes=PASSES,
    shown=tuple((name, _key(name)) for name in _SHOWN),
)
