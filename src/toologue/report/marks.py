"""Which call of a trace answers which of the gold, read off the scores alone: nothing is graded again.

Contract: what the verdict's `at` names is wrong, bad or missing. Of the other calls, as many answer a gold call of the
same Api as the precision counted: equal ones first, then those of the same round, then any. Without a verdict calls are
paired for the layout, and none is marked.

Marks: same (as expected), match (accepted, though not equal), wrong (answers a gold call, with a difference), bad (took
effect, not expected), extra (expected by nobody, not counted as bad), missing (in the gold only), draft (not executed).

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, Result, Trace, UserTurn
    >>> turns = (UserTurn(text="?"), AgentTurn(acts=(Call(api="Find"),), results=(Result(value=1),)))
    >>> lived = Trace(case="", dialogue="d", protocol="forced", agent="gold", turns=turns)
    >>> marks(Conversation(Dialogue(id="d", turns=turns), lived, {})).partner
    {(1, 0): (1, 0)}

Not covered: a metric that pairs otherwise; where several pairings agree with the scores, one of them is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from toologue import keys
from toologue.report.view import Conversation
from toologue.report.words import located
from toologue.schema import Call, Mismatch, Turn, invocations

Mark = Literal["", "same", "match", "wrong", "bad", "extra", "missing", "draft"]
Place = tuple[int, int]
"""(index of the turn among all turns, slot among its acts)."""


@dataclass(frozen=True)
class _Act:
    place: Place
    round: int
    call: Call

    @cached_property
    def content(self) -> tuple[str, bytes]:
        return self.call.api, keys.canonical(self.call.arguments)


Fits = Callable[[_Act, _Act], bool]


@dataclass
class Marks:
    """What the scores say about each call, by place; `partner` goes from the trace to the gold."""

    partner: dict[Place, Place] = field(default_factory=dict[Place, Place])
    agent: dict[Place, Mark] = field(default_factory=dict[Place, Mark])
    gold: dict[Place, Mark] = field(default_factory=dict[Place, Mark])
    why: dict[Place, list[Mismatch]] = field(default_factory=dict[Place, list[Mismatch]])


def marks(conversation: Conversation) -> Marks:
    """The marks of all calls of a conversation."""
    verdict, precision = conversation.verdict, conversation.scores.get("precision")
    found = _named(conversation)
    mine, free = _calls(conversation.trace.turns), _calls(conversation.gold.turns)
    budget = int(precision.counts.get("hits", len(mine))) if precision else len(mine)
    free = [act for act in free if act.place not in found.gold]
    unnamed = [act for act in mine if act.place not in found.agent]
    budget = _pair(unnamed, free, found, budget, lambda a, b: a.content == b.content and a.round == b.round)
    _pair_wrong([act for act in mine if found.agent.get(act.place) == "wrong"], free, found)
    budget = _pair(unnamed, free, found, budget, lambda a, b: a.call.api == b.call.api and a.round == b.round)
    _pair(unnamed, free, found, budget, lambda a, b: a.call.api == b.call.api)
    for act in unnamed:
        found.agent.setdefault(act.place, "extra")
    scored = verdict is not None and verdict.value is not None
    return found if scored else Marks(partner=found.partner)


def _named(conversation: Conversation) -> Marks:
    """The marks of the calls that the score names."""
    found = Marks()
    for mismatch in conversation.verdict.at if conversation.verdict else ():
        if mismatch.turn is None:
            continue
        place = mismatch.turn, mismatch.act or 0
        if located(conversation, mismatch).side == "gold":
            found.gold[place] = "missing"
        else:
            found.agent[place] = "bad" if mismatch.field == "call" else "wrong"
            found.why.setdefault(place, []).append(mismatch)
    return found


def _pair(mine: Sequence[_Act], free: list[_Act], found: Marks, budget: int, fits: Fits) -> int:
    """Pair calls with free gold calls that fit, at most `budget`; returns what is left of it."""
    for act in mine:
        if budget > 0 and act.place not in found.partner:
            mate = next((other for other in free if fits(act, other)), None)
            if mate is not None:
                free.remove(mate)
                budget -= 1
                found.partner[act.place] = mate.place
                found.agent[act.place] = found.gold[mate.place] = "same" if act.content == mate.content else "match"
    return budget


def _pair_wrong(mine: Sequence[_Act], free: list[_Act], found: Marks) -> None:
    """Pair each wrong call with the gold call that it was compared to: the one that has what was expected."""
    for act in mine:
        wanted = {m.field.removeprefix("arguments."): m.expected for m in found.why[act.place] if "." in m.field}
        rivals = [other for other in free if other.call.api == act.call.api]
        if rivals:
            mate = min(rivals, key=lambda other: (not _has(other.call, wanted), abs(other.round - act.round)))
            free.remove(mate)
            found.partner[act.place] = mate.place
            found.gold[mate.place] = "wrong"


def _has(call: Call, wanted: Mapping[str, Any]) -> bool:
    return all((call.arguments or {}).get(name) == value for name, value in wanted.items())


def _calls(turns: Iterable[Turn]) -> list[_Act]:
    found = invocations(turns)
    return [_Act((i.turn, i.slot), i.round, i.act) for i in found if i.act.kind == "call"]
