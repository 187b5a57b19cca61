"""The whole benchmark: agents, or conversations from elsewhere, through both parts, graded.

Contract: `evaluate` gives by agent its parts, with a graded conversation for every dialogue, in their order. An agent
is a registry string, or `predictions:FILE`: conversations in the paper's XML (`formats.dialog2api`) or a
dialogues.jsonl, told apart by their ids. Of these the agent's side is played: its programs run here, whatever results
stand in the file, and the user's words are the gold's. They were not made where the gold stands, so of them there are
no CodeEdits.

Example:
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "mine.xml"
    >>> turns = "<turn>User: Hi</turn><turn>Agent: Hello</turn>"
    >>> _ = file.write_text(f'<conversation uid="d"><turns>{turns}</turns></conversation>')
    >>> list(read_predictions(file))
    ['d']

Not covered: predictions that went on after a kill; they are quick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toologue.agents.agent import AgentSpec, ScriptedAgent
from toologue.bench.benchmark import Graded, Mode, Options
from toologue.bench.dialog2api import PARTS, PASSES, grade, play, summarize
from toologue.bench.dialog2api.tables import Results
from toologue.errors import BadSetting
from toologue.formats.dialog2api import read_conversations
from toologue.loop import Agent
from toologue.schema import Case, Dialogue, Trace, rounds
from toologue.schema.jsonl import read
from toologue.schema.stack import completed
from toologue.score.metric import unscored


def evaluate(golds: Sequence[Dialogue], agents: Sequence[str], mode: Mode, *, options: Options = Options()) -> Results:
    """Every agent through both parts."""
    found: dict[str, dict[Any, Sequence[Graded]]] = {}
    for agent in dict.fromkeys(agents):
        name, _, file = agent.partition(":")
        if name == "predictions" and file:
            found[agent] = {"talk": _replayed(golds, Path(file), mode, options)}
        else:
            found[agent] = {part: _graded(golds, play(part, golds, agent, options), mode) for part in PARTS}
    return found


def record(results: Results, mode: Mode) -> dict[str, Any]:
    """The results as JSON: totals and conversations of each part of each agent."""
    agents = [
        {
            "agent": agent,
            "parts": [
                {"part": part, "totals": summarize(mode, graded), "conversations": [one.record for one in graded]}
                for part, graded in parts.items()
            ],
        }
        for agent, parts in results.items()
    ]
    return {"benchmark": "dialog2api", "mode": mode, "agents": agents}


def read_predictions(file: Path) -> Mapping[str, Dialogue]:
    """Conversations by id. Programs that cannot go on the stack stay as they are: they are graded, not refused."""
    found = read_conversations(file, lax=True) if file.suffix == ".xml" else list(read(file, Dialogue))
    return {one.id: one.but(turns=completed(one.turns, lax=True)) for one in found}


def _graded(golds: Sequence[Dialogue], traces: Sequence[Trace], mode: Mode) -> list[Graded]:
    return [grade(mode, gold, trace) for gold, trace in zip(golds, traces, strict=True)]


def _replayed(golds: Sequence[Dialogue], file: Path, mode: Mode, options: Options) -> list[Graded]:
    known = read_predictions(file)
    strange = sorted(known.keys() - {gold.id for gold in golds})
    if len(strange) == len(known):
        raise BadSetting(f"{file} has predictions for {strange[0]!r}, which is no dialogue here, and for no other")
    there = [gold for gold in golds if gold.id in known]

    def make(case: Case) -> Agent:
        answers = (did for said, did in rounds(known[case.id].turns) if said)
        asked = [said for said, _ in rounds(case.gold.turns)] if case.gold else []
        return ScriptedAgent([next(answers, ()) if said else () for said in asked])

    agent = AgentSpec(f"predictions:{file.name}", make, reads_gold=True)
    played = {gold.id: trace for gold, trace in zip(there, play("talk", there, agent, options), strict=True)}
    return [grade(mode, gold, played[gold.id]) if gold.id in played else _absent(gold) for gold in golds]


def _absent(gold: Dialogue) -> Graded:
    why = "the predictions have no conversation for it"
    trace = Trace(case="", dialogue=gold.id, protocol=PARTS["talk"], agent="", stop="error")
    return Graded(
        gold, trace, unscored((PASSES, "EMR"), gold, trace, why), {"name": gold.id, "part": "talk", "why": why}
    )
