"""What to look at first: the places of procedures where an agent goes wrong, the worst and the most frequent ahead.

Contract: pure. What is wrong at the same line, in the same way, is one spot, with one conversation as its example.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toologue.report.view import Charted, Conversation
from toologue.report.words import cut, explain, fault_words, stop_words
from toologue.schema import AgentTurn, Mismatch
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
        if procedure is None or conversation.passed is not False:
            continue
        for kind, spot in _of(procedure, conversation):
            key = (spot.file, spot.line, spot.severity, kind)
            times = found[key].times + 1 if key in found else 1
            found[key] = found.get(key, spot)._replace(times=times)
    return sorted(
        found.values(), key=lambda spot: (-SEVERITIES.index(spot.severity), -spot.times, spot.file, spot.line)
    )


def _of(procedure: Charted, conversation: Conversation) -> Iterator[tuple[str, Spot]]:
    """(what kind of difference, the spot) of each wrong step."""
    gold, lived = conversation.gold, conversation.trace.turns
    knowledge = Knowledge(gold, documents_of(gold))
    for turn, at in _by_turn(conversation).items():
        wanted = gold.turns[turn]
        did = lived[turn] if turn < len(lived) else None
        did = did if isinstance(did, AgentTurn) else AgentTurn()
        node = procedure.graph.by_id.get(wanted.node or "")
        severity = knowledge.severity(turn, did)
        noise = noise_of(gold.turns[turn - 1]) if turn and not node else ""
        what = [f"after {noise.replace('_', ' ')}"] if noise else []
        what += [cut(explain(mismatch), 300) for mismatch in at]
        what += [fault_words(did.error)] if did.error else []
        what += [stop_words(conversation)] if turn >= len(lived) and stop_words(conversation) else []
        line, step = (node.line, node.step) if node else _before(procedure, conversation, turn)
        spot = Spot(procedure.file, line, step, severity, 1, gold.id, turn + 1, what)
        yield f"{noise} {did.error.type if did.error else at[0].field}", spot


def _by_turn(conversation: Conversation) -> Mapping[int, list[Mismatch]]:
    found: dict[int, list[Mismatch]] = {}
    for mismatch in conversation.verdict.at if conversation.verdict else ():
        if mismatch.turn is not None and mismatch.turn < len(conversation.gold.turns):
            found.setdefault(mismatch.turn, []).append(mismatch)
    return found


def _before(procedure: Charted, conversation: Conversation, turn: int) -> tuple[int, int | None]:
    """Line and step of what the agent said last before a turn that is in no step."""
    for earlier in reversed(conversation.gold.turns[:turn]):
        node = procedure.graph.by_id.get(earlier.node or "")
        if earlier.role == "agent" and node is not None:
            return node.line, node.step
    return 0, None
