"""A scripted conversation of five calls, played teacher-forced and graded.

Plain: the same, but the conversation's databases are a deep copy of its own instead of a copy-on-write store. One copy
a conversation: marks stay as cheap as ours, so a simulation that copies at every turn pays more than this.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from unittest.mock import patch

from bench.figure import Figure, in_turns
from bench.workload import of_calls, varied
from toologue.agents.agent import ScriptedAgent
from toologue.loop import play
from toologue.models.similarity import TextMatch
from toologue.schema import Case, Dialogue, Score, Trace, rounds
from toologue.score.calls import calls
from toologue.score.outcome import outcome
from toologue.worlds import assistant
from toologue.worlds.assistant.desk import load
from toologue.worlds.world import make_world

AIM = 1.0  # ms
JUDGE = TextMatch.of("lexical")


def ours(dialogues: Sequence[Dialogue]) -> list[dict[str, Score]]:
    """The scores of each conversation."""
    return [_graded(gold) for gold in dialogues]


def plain(dialogues: Sequence[Dialogue]) -> list[dict[str, Score]]:
    """The same scores, from worlds that own a deep copy of the databases."""
    with patch.object(assistant, "load", lambda name: deepcopy(load(name))):
        return ours(dialogues)


def _graded(gold: Dialogue) -> dict[str, Score]:
    case = Case(id=gold.id, gold=gold, world=gold.world, protocol="forced")
    agent = ScriptedAgent([did for _, did in rounds(gold.turns)])
    turns, stop = play(case, agent, make_world(case))
    trace = Trace(case="", dialogue=gold.id, protocol="forced", agent="scripted", turns=tuple(turns), stop=stop)
    return {**calls(gold, trace, JUDGE), **outcome(gold, trace, JUDGE)}


def figures() -> list[Figure]:
    """CPU milliseconds a conversation."""
    dialogues = list(varied(of_calls(5, 5), 40))
    measured, alternative = in_turns(lambda: ours(dialogues), lambda: plain(dialogues), count=len(dialogues), repeat=12)
    return [Figure("conversation", measured, alternative, "ms", AIM, "five calls, played and graded")]
