"""One step beside the expected one: the same kind of step, the same API, the same arguments, the same words, or not.

A step is a reply or a call. Words beside a call do not count; a turn with an error, or with neither words nor calls, is
no step. Several calls in a turn are one step, in any order.

Contract: pure. What counts as the same reply, and as the same arguments, comes in as two functions (`Same`) that give
what speaks against it.

Example:
    >>> def differ(one, other):
    ...     return [] if one == other else [Mismatch(field="reply", expected=one, actual=other)]
    >>> verdict = compare(1, AgentTurn(text="Hello"), AgentTurn(text="Hullo"), Same(differ, lambda wanted, did: []))
    >>> verdict.expected, verdict.done, verdict.correct, verdict.at[0].actual
    ('reply', 'reply', False, 'Hullo')

Not covered: retriever questions and programs. Of calls of one Api the first that fits is taken, not the best pairing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from toologue.schema import AgentTurn, Call, Mismatch
from toologue.score.severity import Severity

Kind = Literal["reply", "call", "nothing"]


class Verdict(NamedTuple):
    """One test: its turn in the gold, what was expected and done, whether both call the same `api`, what is wrong."""

    turn: int
    expected: Kind
    done: Kind
    api: bool
    correct: bool
    at: tuple[Mismatch, ...] = ()
    severity: Severity | None = None


class Same(NamedTuple):
    """(expected, actual) → what speaks against taking one for the other; empty: nothing."""

    reply: Callable[[str, str], list[Mismatch]]
    call: Callable[[Call, Call], list[Mismatch]]


def kind_of_step(turn: AgentTurn) -> Kind:
    """What kind of step a turn is."""
    if turn.error is not None:
        return "nothing"
    return "call" if _calls(turn) else "reply" if (turn.text or "").strip() else "nothing"


def compare(turn: int, wanted: AgentTurn, did: AgentTurn, same: Same) -> Verdict:
    """The verdict on a step, where another (or the same) was expected."""
    expected, done, api = kind_of_step(wanted), kind_of_step(did), False
    if expected != done:
        found = [_other_step(wanted, did)]
    elif expected == "reply":
        found = same.reply(wanted.text or "", did.text or "")
    else:
        theirs, mine = _calls(wanted), _calls(did)
        names, called = (", ".join(sorted(call.api for call in calls)) for calls in (theirs, mine))
        api = names == called
        found = _paired(theirs, mine, same) if api else [Mismatch(act=0, field="api", expected=names, actual=called)]
    return Verdict(turn, expected, done, api, not found, tuple(mismatch.but(turn=turn) for mismatch in found))


def _paired(wanted: Sequence[Call], made: Sequence[Call], same: Same) -> list[Mismatch]:
    """What is wrong with calls of the same Apis, once each has its twin: the first that fits, else the first left."""
    left = dict(enumerate(made))
    missed: list[Call] = []
    for call in wanted:
        twin = next((slot for slot, other in left.items() if other.api == call.api and not same.call(call, other)), -1)
        if left.pop(twin, None) is None:
            missed.append(call)
    found: list[Mismatch] = []
    for call in missed:
        slot = next(slot for slot, other in left.items() if other.api == call.api)
        found += [mismatch.but(act=slot) for mismatch in same.call(call, left.pop(slot))]
    return found


def _other_step(wanted: AgentTurn, did: AgentTurn) -> Mismatch:
    """Something else was done than what was expected."""
    if kind_of_step(did) == "call":
        return Mismatch(act=0, field="call", actual=_shown(did), why="made where a reply was expected")
    if kind_of_step(wanted) == "call":
        return Mismatch(act=0, field="call", expected=_shown(wanted), why="expected, not made")
    why = "nothing was said" if did.error is None else f"no step: {did.error.type}"
    return Mismatch(field="reply", expected=wanted.text, why=why)


def _calls(turn: AgentTurn) -> list[Call]:
    return [act for act in turn.acts if act.kind == "call"]


def _shown(turn: AgentTurn) -> JsonValue:
    call = _calls(turn)[0]
    return {"api": call.api, "arguments": call.arguments}
