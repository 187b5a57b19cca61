"""Action prediction: how often the next action is the right one (ToolDial 4.1, tables 4 and 5).

A test is one labelled agent turn of the gold, whatever it does; under `next` each begins at the gold.

    metric             counts                       value
    action accuracy    hits, of = tests             hits / of
    F1 ACTION          tp, fp, fn of one action     2 tp / (2 tp + fp + fn); None where nobody took or expected it

Words are an action where they name it and no other (`formats.tooldial.read_action`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toologue.formats.tooldial import ACTIONS, read_action
from toologue.models.similarity import TextMatch
from toologue.schema import AgentAction, AgentTurn, Dialogue, Mismatch, Score, Trace
from toologue.score.metric import MEANINGS, RATIOS, answers_of, done_at, no_reply, score_of, shares_of, unscored
from toologue.values.json_schema import object_of

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


RATIOS.update({f"F1 {action}": _f1 for action in ACTIONS})
