"""What to look at first: the places of procedures where an agent goes wrong, the worst and the most frequent ahead.

Contract: pure. What is wrong at the same line, in the same way, is one spot, with one conversation as its example.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toologue.report.view import Charted, Conversation
from toologue.report.words import cut, explain, fault_words, stop_words
from toologue.schema import Mismatch
from toologue.score.metric import done_at
from toologue.score.steps import SEVERITIES, Knowledge, Severity, noise_of
from toologue.worlds.world import documents_of


class Spot(NamedTuple):
    """A place where an agent goes wrong: how badly, how often, an example, and what is wrong in it, line by line."""

    file: str
    line: int
    step: int | None
    severity: Severity
    times: int
    conversation: str
    turn: int
    what: Sequence[str]

    @property
    def where(self) -> str:
        """The place in the procedure."""
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}" + (f", step {self.step}" if self.step else "")


def spots(charted: Iterable[Charted], conversations: Iterable[Conversation]) -> list[Spot]:
    """All spots, those to look at first ahead."""
    procedures = {one.graph.id: one for one in charted}
    found: dict[tuple[str, int, str, str], Spot] = {}
    for conversation in conversations:
        procedure = procedures.get(str(conversation.gold.origin.get("procedure")))
        if procedure is not None and conversation.passed is False:
            for kind, spot in _of(procedure, conversation):
                key = (spot.file, spot.line, spot.severity, kind)
                known = found.setdefault(key, spot)
                found[key] = known._replace(times=known.times + 1)
    return sorted(found.values(), key=lambda one: (-SEVERITIES.index(one.severity), -one.times, one.file, one.line))


def _of(procedure: Charted, conversation: Conversation) -> Iterator[tuple[str, Spot]]:
    """(what kind of difference, the spot) of each wrong step."""
    gold, lived = conversation.gold, conversation.trace.turns
    knowledge = Knowledge(gold, documents_of(gold))
    by_turn: dict[int, list[Mismatch]] = {}
    for mismatch in conversation.verdict.at if conversation.verdict else ():
        if mismatch.turn is not None and mismatch.turn < len(gold.turns):
            by_turn.setdefault(mismatch.turn, []).append(mismatch)
    for turn, at in by_turn.items():
        wanted = gold.turns[turn]
        did = done_at(conversation.trace, turn)
        node = procedure.graph.by_id.get(wanted.node or "")
        severity = knowledge.severity(turn, did)
        noise = noise_of(gold.turns[turn - 1]) if turn and not node else ""
        what = [f"after {noise.replace('_', ' ')}"] if noise else []
        what += [cut(explain(mismatch), 300) for mismatch in at]
        what += [fault_words(did.error)] if did.error else []
        what += [stop_words(conversation)] if turn >= len(lived) and stop_words(conversation) else []
        before = (
            procedure.graph.by_id.get(said.node or "") for said in reversed(gold.turns[:turn]) if said.role == "agent"
        )
        place = node or next(filter(None, before), None)  # else where the agent spoke last
        line, step = (place.line, place.step) if place else (0, None)
        spot = Spot(procedure.file, line, step, severity, 0, gold.id, turn + 1, what)
        yield f"{noise} {did.error.type if did.error else at[0].field}", spot
