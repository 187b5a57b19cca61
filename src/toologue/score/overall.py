"""Overall performance: user turns in which every step is right, and whole dialogues of them (ToolDial 4.1).

Under `forced` the agent answers each user turn with steps of its own, from the gold's history. A user turn is right
where its actions and states are the gold's, step by step; a step that says no state keeps the last one that was said
since the user spoke.

    metric             of                              hits
    user turn right    user turns that gold answers    those where every step is right
    dialogue right     dialogues                       those whose user turns are all right
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from toologue.formats.tooldial import read_action, state_json
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Api, Dialogue, Mismatch, Score, State, Trace, answers
from toologue.score.actions import said_action
from toologue.score.metric import MEANINGS, TurnTest, answers_of, no_reply, shares_of, unscored
from toologue.score.states import error_kinds, said_state, schemas_of
from toologue.worlds.world import documents_seen

METRICS = ("user turn right", "dialogue right")
MEANINGS.update(
    {
        "user turn right": "user's turns whose answer has every action and state right",
        "dialogue right": "dialogues whose user's turns are all right; the paper's overall performance",
    }
)


def overall(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The metric. Scores nothing under another protocol, or where a gold step has no labels."""
    steps = [turn for _, _, turn in answers_of(gold)]
    if trace.protocol != "forced" or not steps or any(turn.action is None or turn.state is None for turn in steps):
        return {}
    silent = unscored(METRICS, gold, trace, no_reply(trace))
    return silent or scores_of(user_turn_tests(gold, trace), gold, trace)


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


def scores_of(tests: Sequence[TurnTest], gold: Dialogue, trace: Trace) -> dict[str, Score]:
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
