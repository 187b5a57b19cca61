"""Gold that is blamed, and mended: one more reply that is as good, or another turn in the place of the gold's.

Contract: a repair is keyed by what the step expects after which history (`schema.Question.gold_key`), so it is found
again when the conversations are generated anew. Nothing is repaired by what is not valid: the conversation with the
reply in it is executed and verified first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from pydantic import JsonValue

from toologue.loop import ground
from toologue.review.ledger import Ledger
from toologue.schema import AgentTurn, Case, Dialogue, Graph, Question, Repair, Turn
from toologue.score.questions import step_question
from toologue.verify.procedures import verify
from toologue.worlds.world import make_world


class Blamed(NamedTuple):
    """A step of a gold that people blame, as a question, and the replies that they accepted in its place."""

    gold: Dialogue
    at: int
    question: Question
    accepted: tuple[str, ...]


def blamed_steps(golds: Iterable[Dialogue], ledger: Ledger) -> Iterator[Blamed]:
    """Every blamed step, once, though it may stand in several conversations."""
    turns = ((gold, at) for gold in golds for at, turn in enumerate(gold.turns) if turn.role == "agent")
    seen = set[str]()
    for gold, at in turns if ledger.blames else ():
        question = step_question(gold, at, AgentTurn())
        if question.gold_key in ledger.blames and question.gold_key not in seen:
            seen.add(question.gold_key)
            yield Blamed(gold, at, question, tuple(_accepted(question.gold_key, ledger)))


def _accepted(gold_key: str, ledger: Ledger) -> Iterator[str]:
    told = [one for who in ledger.people for one in ledger.decisions(who).values() if one.gold == gold_key]
    for one in told:
        counts, said = ledger.of_people(one.question), one.notes.get("said")
        if counts is one and one.verdict == "right" and isinstance(said, str):
            yield said


def flaws(gold: Dialogue, at: int, repair: Repair, graph: Graph | None = None) -> list[str]:
    """What is wrong with a conversation that has the repair's turn, and was not wrong with it before.

    What takes the gold's place must say all that its step shows. Of a reply that is as good people have said that it
    does what the step is for: it must say nothing that nothing supports.
    """
    walked = graph if repair.instead or repair.turn.acts else None
    mended = _with(gold, at, repair.replace(instead=True))
    known = set(map(str, verify(gold, walked)))
    return [flaw for flaw in map(str, verify(mended, walked)) if flaw not in known]


def repaired(gold: Dialogue, repairs: Sequence[Repair]) -> tuple[Dialogue, list[Repair]]:
    """A gold with the repairs that are on its steps, and those. One may be on the gold as others have left it."""
    wanted, done, now = {one.gold for one in repairs}, list[Repair](), gold
    for at, turn in enumerate(gold.turns):
        if turn.role == "agent":
            known = {step_question(one, at, AgentTurn()).gold_key for one in (gold, now)} & wanted
            for repair in (one for one in repairs if one.gold in known):
                now, done = _with(now, at, repair), [*done, repair]
    return now, done


def _with(gold: Dialogue, at: int, repair: Repair) -> Dialogue:
    turns, was = list[Turn](gold.turns), cast("AgentTurn", gold.turns[at])
    if repair.instead:
        turns[at] = was.replace(text=repair.turn.text, acts=repair.turn.acts, results=())
    else:
        allowed = was.extra.get("allowed", [])
        steps = [*(allowed if isinstance(allowed, list) else [allowed]), *_allowed(repair.turn)]
        turns[at] = was.replace(extra={**was.extra, "allowed": steps})
    mended = gold.replace(turns=tuple(turns))
    if not (repair.instead and repair.turn.acts) or gold.world.name in ("none", "recorded"):
        return mended
    return ground(mended, make_world(Case(id=gold.id, gold=mended, world=gold.world, protocol="recorded")))


def _allowed(turn: AgentTurn) -> Iterator[JsonValue]:
    """A turn as what the gold lists beside its own step."""
    for act in turn.acts:
        if act.kind == "call":
            yield {"kind": "call", "api": act.api, "arguments": act.arguments or {}}
    if turn.text:
        yield {"kind": "say", "text": turn.text}
