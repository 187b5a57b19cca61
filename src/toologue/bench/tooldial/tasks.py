"""The tasks of ToolDial: how each is played, which turns are its tests, and how one conversation is graded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toologue.bench.benchmark import Graded, Options, Part, ungraded
from toologue.errors import UnknownName
from toologue.formats.tooldial import LABELS, TASKS, Labels, Task
from toologue.schema import AgentTurn, Dialogue, Score, Trace
from toologue.score import actions, faithfulness, states
from toologue.score.metric import no_reply, own_fault, score_of

PASSES = "conversation correct"
# Steps in a round of the overall task; the published loop gives up after as many.
STEPS = 7

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
_METRICS: dict[Task, tuple[str, ...]] = {
    "dst": states.METRICS,
    "action": actions.METRICS,
    "faithfulness": (*faithfulness.METRICS, faithfulness.VOTED),
    "overall": actions.TURNS,
}
_UNLABELLED = (
    "writes words and calls, and no labels: of tooldial it is scored in faithfulness alone; for dst, action and "
    "overall give a class with act(history, brief) -> AgentTurn(action=…, state=State(…)) (docs/benchmarks.md)"
)


def part_of(task: Task, labels: Labels = "none") -> Part:
    """A task, with the labels that its history shows."""
    return Part(
        f"{task}, {labels}",
        "forced" if task == "overall" else "next",
        (*_METRICS[task], PASSES),
        see=_SEE[task, labels],
        cap=STEPS,
        world="observed",
        about={"task": task, "labels": labels},
        facts={"task": task, "labels in the history": labels},
    )


def parts(tasks: Sequence[str] = (), labels: Sequence[str] = ()) -> list[Part]:
    """The parts that are named; all tasks, with both kinds of history, where none is."""
    for kind, given, known in (("task", tasks, TASKS), ("kind of labels", labels, LABELS)):
        for name in given:
            if name not in known:
                raise UnknownName(kind, name, known)
    return [part_of(t, one) for t in TASKS if not tasks or t in tasks for one in LABELS if not labels or one in labels]


def asked_at(task: str, gold: Dialogue) -> frozenset[int]:
    """The turns of a dialogue that are tests of a task."""
    asked = {"dst": states.labelled, "faithfulness": faithfulness.responses}.get(task, actions.labelled)
    return frozenset(test[0] for test in asked(gold))


def grade(part: Part, gold: Dialogue, trace: Trace) -> Graded:
    """Grade one conversation of a part. Where a model gave no reply it is unscored."""
    if why := no_reply(trace):
        return ungraded(part, "fixed", gold, trace, why)
    scores, rows = _graded(part.about["task"], gold, trace)
    right = bool(rows) and all(row["correct"] for row in rows)
    scores[PASSES] = score_of(PASSES, gold, trace, {"hits": right, "of": bool(rows)})
    metrics = {name: score.value for name, score in scores.items()}
    return Graded(gold, trace, scores, {"name": gold.id, **part.about, "metrics": metrics, "tests": rows})


def labelled(part: Part, graded: list[Graded], options: Options) -> list[Graded]:
    """The conversations, unscored where an agent says no label at all: it writes words and calls, as functions do."""
    turns = [turn for one in graded for turn in one.trace.turns if isinstance(turn, AgentTurn)]
    broken = any(own_fault(one.trace) or no_reply(one.trace) for one in graded)
    said = any(turn.action or turn.state or turn.extra.get("answer") for turn in turns)
    if part.about["task"] == "faithfulness" or said or broken or not any(turn.text or turn.acts for turn in turns):
        return graded
    who = graded[0].trace.agent
    options.warn(f"{who} {_UNLABELLED}")
    return [ungraded(part, "fixed", one.gold, one.trace, "the agent says no labels") for one in graded]


def _graded(task: str, gold: Dialogue, trace: Trace) -> tuple[dict[str, Score], list[dict[str, Any]]]:
    """The scores of a conversation, and a row a test."""
    match task:
        case "dst":
            told = states.state_tests(gold, trace)
            rows = [
                one._asdict() | {"label": one.label.model_dump(mode="json"), "errors": [*one.errors]} for one in told
            ]
            return states.scores_of(told, gold, trace), rows
        case "action":
            taken = actions.action_tests(gold, trace)
            return actions.scores_of(taken, gold, trace), [one._asdict() for one in taken]
        case "faithfulness":
            said = faithfulness.reply_tests(gold, trace)
            rows = [{**one._asdict(), "correct": one.grounded and one.reports is not False} for one in said]
            return faithfulness.scores_of(said, gold, trace), rows
        case _:
            lived = actions.user_turn_tests(gold, trace)
            at = ([why.model_dump(exclude={"turn"}) for why in one.at] for one in lived)
            both = zip(lived, at, strict=True)
            rows = [{"turn": one.turn, "round": one.round, "correct": one.correct, "at": why} for one, why in both]
            return actions.turn_scores(lived, gold, trace), rows
