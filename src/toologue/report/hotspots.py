"""What to look at first: the places of procedures where an agent goes wrong, the worst and the most frequent ahead.

Contract: pure. What is wrong at the same line, in the same way, is one spot, with one conversation as its example.
Steps that are unsure have spots of their own, the most frequent ahead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from toologue.report.view import Charted, Conversation
from toologue.report.words import cut, explain, fault_words, merged, stop_words
from toologue.schema import Mismatch, Severity
from toologue.score.knowledge import noise_of
from toologue.score.metric import done_at
from toologue.score.steps import SEVERITIES


class Spot(NamedTuple):
    """A place where an agent goes wrong, or may: how badly, how often, an example, and what is in it, line by line.

    The severity is None where nobody knows whether it is wrong.
    """

    file: str
    line: int
    step: int | None
    severity: Severity | None
    times: int
    conversation: str
    turn: int
    what: Sequence[str]

    @property
    def where(self) -> str:
        """The place in the procedure."""
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}" + (f", step {self.step}" if self.step else "")


def spots(
    charted: Iterable[Charted], conversations: Iterable[Conversation], verdict: Literal["wrong", "unsure"] = "wrong"
) -> list[Spot]:
    """All spots of this verdict, those to look at first ahead."""
    procedures = {one.graph.id: one for one in charted}
    found: dict[tuple[str, int, str | None, str], Spot] = {}
    for conversation in conversations:
        procedure = procedures.get(str(conversation.gold.origin.get("procedure")))
        if procedure is not None:
            for kind, spot in _of(procedure, conversation, verdict):
                key = (spot.file, spot.line, spot.severity, kind)
                known = found.setdefault(key, spot)
                found[key] = known._replace(times=known.times + 1)
    bad = {None: -1, **{severity: number for number, severity in enumerate(SEVERITIES)}}
    return sorted(found.values(), key=lambda one: (-bad[one.severity], -one.times, one.file, one.line))


def _of(
    procedure: Charted, conversation: Conversation, verdict: Literal["wrong", "unsure"]
) -> Iterator[tuple[str, Spot]]:
    """(what kind of difference, the spot) of each step of this verdict."""
    gold, lived = conversation.gold, conversation.trace.turns
    by_turn: dict[int, list[Mismatch]] = {}
    for mismatch in conversation.verdict.at if conversation.verdict else ():
        if mismatch.turn is not None and mismatch.turn < len(gold.turns):
            by_turn.setdefault(mismatch.turn, []).append(mismatch)
    for turn, told in by_turn.items():
        wrong = [one for one in told if one.verdict == "wrong"]
        at = wrong if verdict == "wrong" else [] if wrong else told
        if not at:
            continue
        wanted = gold.turns[turn]
        did = done_at(conversation.trace, turn)
        node = procedure.graph.by_id.get(wanted.node or "")
        found = (SEVERITIES.index(one.severity or "no harm") for one in at)
        severity = SEVERITIES[max(found)] if wrong else None
        noise = noise_of(gold.turns[turn - 1]) if turn and not node else ""
        what = [f"after {noise.replace('_', ' ')}"] if noise else []
        what += [cut(explain(mismatch).removeprefix("unsure: "), 1000) for mismatch in merged(at)]
        what += [fault_words(did.error)] if did.error else []
        what += [stop_words(conversation)] if turn >= len(lived) and stop_words(conversation) else []
        before = (
            procedure.graph.by_id.get(said.node or "") for said in reversed(gold.turns[:turn]) if said.role == "agent"
        )
        place = node or next(filter(None, before), None)  # else where the agent spoke last
        line, step = (place.line, place.step) if place else (0, None)
        spot = Spot(procedure.file, line, step, severity, 0, gold.id, turn + 1, what)
        yield f"{noise} {did.error.type if did.error else at[0].field}", spot
