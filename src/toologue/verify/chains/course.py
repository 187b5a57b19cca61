"""The course of a conversation: turns as they must be, actions in an order that the action graph allows.

`FOLLOWS` is the action graph (ToolDial, figure 3), read from the paper's tables of sequences. A selection request
(`request_multi` in a planned sequence) is a `request` that comes while several results are left to choose from.

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> turns = (UserTurn(text="Trains!", action="inform_intent_clear"), AgentTurn(text="At six.", action="response"))
    >>> for flaw in off_course(Dialogue(id="d", turns=turns), [Stand(), Stand()], None):
    ...     print(flaw)
    turn 1: path: a response may not follow an inform_intent_clear
    turn 1: path: a conversation does not end with a response

Not covered: whether a sequence suits a pair of APIs; whoever plans decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toologue.schema import AgentTurn, Dialogue, UserTurn
from toologue.verify.chains.known import Stand
from toologue.verify.flaw import Flaw

FOLLOWS: Mapping[str, tuple[str, ...]] = {
    "": ("inform_intent_clear", "inform_intent_clear_add", "inform_intent_vague"),
    "inform_intent_clear": ("retriever_call",),
    "inform_intent_clear_add": ("retriever_call",),
    "inform_intent_vague": ("retriever_call",),
    "inform": ("call",),
    "fail_inform": ("retriever_call",),
    "affirm": ("request",),
    "negate": ("response_fail",),
    "user_bye": ("system_bye",),
    "retriever_call": ("call", "clarify", "request", "suggest"),
    "call": ("call", "request", "response"),
    "request": ("fail_inform", "inform"),
    "clarify": ("inform_intent_clear", "inform_intent_clear_add"),
    "suggest": ("affirm", "negate"),
    "response": ("user_bye",),
    "response_fail": (),
    "system_bye": (),
}
"""What may follow an action; "" is the beginning."""

_ACTS = {"call": "call", "retriever_call": "retrieve"}


def misshapen(dialogue: Dialogue) -> Iterator[Flaw]:
    """Every turn that lacks a label, or words, or an act with its result."""
    for place, turn in enumerate(dialogue.turns):
        wrong = _wrong_user_turn(turn) if turn.role == "user" else _wrong_agent_turn(turn)
        yield from (Flaw("shape", place, what) for what in wrong)


def _wrong_user_turn(turn: UserTurn) -> Iterator[str]:
    if not turn.text.strip():
        yield "the user says nothing"
    if turn.action is None:
        yield "no action is labelled"
    if turn.action == "inform_intent_clear_add" and not turn.informed:
        yield "an inform_intent_clear_add gives a value"
    if turn.informed and turn.action in ("inform_intent_vague", "affirm", "negate", "user_bye"):
        yield f"{_a(turn.action)} gives no values"


def _wrong_agent_turn(turn: AgentTurn) -> Iterator[str]:
    missing = [name for name in ("action", "state", "thought") if not getattr(turn, name)]
    if missing:
        yield f"no {', '.join(missing)} is labelled"
    kinds = [act.kind for act in turn.acts]
    if turn.action not in _ACTS:
        if kinds:
            yield f"{_a(turn.action or 'reply')} does nothing but speak"
        if not (turn.text or "").strip():
            yield "the agent says nothing"
        return
    if kinds != [_ACTS[turn.action]]:
        yield f"{_a(turn.action)} is one act of kind {_ACTS[turn.action]}, and not {kinds}"
    if turn.text is not None:
        yield f"{_a(turn.action)} is silent"
    result = turn.results[0] if turn.results else None
    if result is None:
        yield f"the {turn.action} has no result"
    elif result.error is not None:
        yield f"the {turn.action} fails: {result.error.message}"


def off_course(dialogue: Dialogue, stands: Sequence[Stand], sequence: Sequence[str] | None) -> Iterator[Flaw]:
    """Every action that may not come where it does, and the first that is not the planned one."""
    before, last = "", len(dialogue.turns) - 1
    for place, turn in enumerate(dialogue.turns):
        action = turn.action or ""
        if action not in FOLLOWS[before]:
            after = f"follow {_a(before)}" if before else "come first"
            yield Flaw("path", place, f"{_a(action or 'turn without an action')} may not {after}")
        before = action
    if not before or FOLLOWS[before]:
        yield Flaw("path", last, f"a conversation does not end with {_a(before or 'turn without an action')}")
    if sequence is not None:
        yield from _unplanned(dialogue, stands, sequence)


def _unplanned(dialogue: Dialogue, stands: Sequence[Stand], sequence: Sequence[str]) -> Iterator[Flaw]:
    steps = [
        "request_multi" if stand.choosing and turn.action == "request" else turn.action
        for turn, stand in zip(dialogue.turns, stands, strict=True)
    ]
    for place, (step, planned) in enumerate(zip(steps, sequence, strict=False)):
        if step != planned:
            yield Flaw("path", place, f"planned is {_a(planned)}, and this is {_a(step or 'turn without an action')}")
            return
    if len(steps) != len(sequence):
        last = len(dialogue.turns) - 1
        yield Flaw("path", last, f"{len(sequence)} steps are planned, and these are {len(steps)}")


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
