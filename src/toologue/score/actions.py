"""Actions: how often the next one is right (ToolDial 4.1, tables 4 and 5), and how often all of a user turn is.

A test is one labelled agent turn of the gold, whatever it does; under `next` each begins at the gold.

    metric             counts                       value
    action accuracy    hits, of = tests             hits / of
    F1 ACTION          tp, fp, fn of one action     2 tp / (2 tp + fp + fn); None where nobody took or expected it
    user turn right    hits, of = user turns        hits / of, under `forced` (`overall`)
    dialogue right     hits, of = dialogues         those whose user turns are all right

Words are an action where they name it and no other (`formats.tooldial.read_action`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from toologue.formats.tooldial import ACTIONS, read_action, state_json
from toologue.models.similarity import TextMatch
from toologue.schema import AgentAction, AgentTurn, Api, Dialogue, Mismatch, Score, State, Trace, answers
from toologue.score import metric
from toologue.score.metric import MEANINGS, TurnTest, answers_of, done_at, no_reply, score_of, shares_of, unscored
from toologue.score.states import error_kinds, said_state, schemas_of
from toologue.values.json_schema import object_of
from toologue.worlds.world import documents_seen

ACCURACY = "action accuracy"
MEANINGS[ACCURACY] = "next actions that are the expected ones; the paper's accuracy (table 4)"
METRICS = (ACCURACY, *(f"F1 {action}" for action in ACTIONS))


class ActionTest(NamedTuple):
    """One action of the gold beside the agent's: index of the turn, number of the user's turn, the words.

    `taken` is which of the eight they are; None for none of them.
    """

    turn: int
    round: int
    expected: AgentAction
    said: str
    taken: AgentAction | None
    correct: bool


def actions(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The metric. Scores nothing under another protocol, or where the gold has no actions."""
    if trace.protocol != "next" or not any(labelled(gold)):
        return {}
    silent = unscored(METRICS, gold, trace, no_reply(trace))
    return silent or scores_of(action_tests(gold, trace), gold, trace)


def action_tests(gold: Dialogue, trace: Trace) -> list[ActionTest]:
    """The tests of a conversation that was lived under `next`."""
    found: list[ActionTest] = []
    for at, number, expected in labelled(gold):
        said = said_action(done_at(trace, at))
        taken = read_action(said).value
        found.append(ActionTest(at, number, expected, said, taken, taken == expected))
    return found


def scores_of(tests: Sequence[ActionTest], gold: Dialogue, trace: Trace) -> dict[str, Score]:
    """Tests as scores. The mismatches explain the conversation."""
    wrong = (test for test in tests if not test.correct)
    at = (Mismatch(turn=test.turn, field="action", expected=test.expected, actual=test.said) for test in wrong)
    scores = shares_of({ACCURACY: (sum(test.correct for test in tests), len(tests))}, gold, trace, {ACCURACY: at})
    for action in ACTIONS:
        pairs = [(test.expected == action, test.taken == action) for test in tests]
        tp, fp, fn = (pairs.count(kind) for kind in ((True, True), (False, True), (True, False)))
        scores[f"F1 {action}"] = score_of(f"F1 {action}", gold, trace, {"tp": tp, "fp": fp, "fn": fn})
    return scores


def said_action(turn: AgentTurn) -> str:
    """The action as it was said: a model's words (`extra["answer"]["action"]`) where they are no clean action."""
    said = object_of(turn.extra.get("answer")).get("action")
    return said if isinstance(said, str) else turn.action or ""


def labelled(gold: Dialogue) -> Iterator[tuple[int, int, AgentAction]]:
    """(turn, number of the user's turn, from 1, action) of every label."""
    for at, number, turn in answers_of(gold):
        if turn.action is not None:
            yield at, number, turn.action


def _f1(counts: Mapping[str, float]) -> float | None:
    of = 2 * counts["tp"] + counts["fp"] + counts["fn"]
    return 2 * counts["tp"] / of if of else None


metric.RATIOS.update({f"F1 {action}": _f1 for action in ACTIONS})


TURNS = ("user turn right", "dialogue right")
MEANINGS.update(
    {
        "user turn right": "user's turns whose answer has every action and state right",
        "dialogue right": "dialogues whose user's turns are all right; the paper's overall performance",
    }
)


def overall(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The metric: user turns in which every step is right, and whole dialogues of them (ToolDial 4.1).

    Under `forced` the agent answers each user turn with steps of its own, from the gold's history. A user turn is right
    where its actions and states are the gold's, step by step; a step that says no state keeps the last one since the
    user spoke. Scores nothing under another protocol, or where a gold step has no labels.
    """
    steps = [turn for _, _, turn in answers_of(gold)]
    if trace.protocol != "forced" or not steps or any(turn.action is None or turn.state is None for turn in steps):
        return {}
    silent = unscored(TURNS, gold, trace, no_reply(trace))
    return silent or turn_scores(user_turn_tests(gold, trace), gold, trace)


def user_turn_tests(gold: Dialogue, trace: Trace) -> list[TurnTest]:
    """The tests of a conversation that was lived under `forced`."""
    documents = documents_seen(gold)
    lived = {number: did for number, _, did in answers(trace.turns)}
    found: list[TurnTest] = []
    for number, start, wanted in answers(gold.turns):
        if wanted:
            wrong = _wrong(wanted, lived.get(number, ()), documents)
            found.append(TurnTest(number, start, tuple(one.replace(turn=start) for one in wrong)))
    return found


def turn_scores(tests: Sequence[TurnTest], gold: Dialogue, trace: Trace) -> dict[str, Score]:
    """Tests as scores. The mismatches explain the conversation."""
    right, of = sum(test.correct for test in tests), len(tests)
    shares = {"user turn right": (right, of), "dialogue right": (of > 0 and right == of, of > 0)}
    return shares_of(shares, gold, trace, {"dialogue right": [mismatch for test in tests for mismatch in test.at]})


def _wrong(wanted: Sequence[AgentTurn], did: Sequence[AgentTurn], documents: Mapping[str, Api]) -> Iterator[Mismatch]:
    last = None
    for one, other in zip_longest(wanted, did):
        if one is None or other is None:
            why = "a step too many" if one is None else "no such step"
            yield Mismatch(field="action", expected=one and one.action, actual=other and said_action(other), why=why)
            continue
        if one.action is None or read_action(said_action(other)).value != one.action:
            yield Mismatch(field="action", expected=one.action, actual=said_action(other))
        said = said_state(other)
        last = last if said is None else said
        label = one.state or State()
        if error_kinds(label, last, schemas_of(documents, label.api))[0]:
            yield Mismatch(field="state", expected=state_json(label), actual=last)
