"""Answers that were asked for where the gold stands, executed there, too: each turn of the user apart, no cascades.

Contract: of a `next` trace `teacher_forced` makes one of the protocol `forced`: in every round the programs with which
the agent answered the user, run in the account as the gold's programs left it; then these run instead. What the agent
wrote in later turns of the round is no answer to the user and is left out.
"""

from __future__ import annotations

from toologue.loop import Do, Replay, Session
from toologue.schema import Case, Dialogue, Trace, Turn, executable, rounds
from toologue.schema.stack import completed
from toologue.score.metric import done_at
from toologue.worlds.world import make_world


def teacher_forced(gold: Dialogue, trace: Trace) -> Trace:
    """The trace, each answer's programs executed in the gold's account."""
    session = Session(make_world(Case(id=gold.id, gold=gold, world=gold.world, protocol="forced")))
    lived, place = list[Turn](), 0
    for said, did in rounds(gold.turns):
        lived += said
        place += len(said)
        if not said:
            lived += did
        elif did:
            turn = completed((*gold.turns[:place], done_at(trace, place)), lax=True)[-1]
            assert turn.role == "agent"
            done = (session.answer(Do(act)) if executable(act) else None for act in turn.acts)
            lived.append(turn.replace(results=tuple(done)))
        session.answer(Replay(tuple(act for turn in did for act in turn.acts if executable(act))))
        place += len(did)
    return trace.replace(protocol="forced", turns=tuple(lived))
