"""A whole benchmark, played by gold and graded.

Plain: what the published reference does. Before every turn of the assistant the databases are loaded anew and all
earlier gold calls executed again; the tools and the grader are ours. It keeps no history, asks no agent, names no case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.figure import Figure, in_turns
from bench.workload import published, starter, varied
from toologue.bench.benchmark import play
from toologue.bench.tooltalk import TOOLTALK, grade, load
from toologue.models.similarity import TextMatch
from toologue.schema import Act, Case, Dialogue, Trace, Turn, rounds
from toologue.worlds.assistant import desk
from toologue.worlds.world import make_world

Records = list[Mapping[str, Any]]
JUDGE = TextMatch.of("lexical")


def ours(golds: Sequence[Dialogue]) -> Records:
    """The benchmark's records, conversation by conversation."""
    return [graded.record for graded in play(TOOLTALK, golds, "gold", JUDGE)]


def plain(golds: Sequence[Dialogue]) -> Records:
    """The same records, with state made anew for every turn."""
    return [grade("fixed", gold, _replayed(gold), JUDGE).record for gold in golds]


def _replayed(gold: Dialogue) -> Trace:
    case = Case(id=gold.id, gold=gold, world=gold.world, protocol="forced")
    turns: list[Turn] = []
    earlier: list[Act] = []
    for said, did in rounds(gold.turns):
        turns += said
        desk.load.cache_clear()
        world = make_world(case)
        for act in earlier:
            world.do(act)
        for turn in did:
            turns.append(turn.replace(results=tuple(world.do(act) for act in turn.acts)))
            earlier += turn.acts
    return Trace(case="", dialogue=gold.id, protocol="forced", agent="gold", turns=tuple(turns))


def figures() -> list[Figure]:
    """CPU milliseconds for the whole benchmark."""
    data = published()
    golds = load(data) if data else list(varied(starter(), 50))
    measured, alternative = in_turns(lambda: ours(golds), lambda: plain(golds))
    note = f"{len(golds)} {'published' if data else 'starter'} conversations"
    return [Figure("replay", measured, alternative, "ms", note=note)]
