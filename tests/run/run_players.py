"""Agents for the tests of runs, named as `run_players:NAME` so that folders and processes can make them."""

from __future__ import annotations

from toologue.agents.agent import ScriptedAgent
from toologue.bench.tooltalk.conversations import starter
from toologue.loop import Agent
from toologue.schema import AgentTurn, Call, Case, Dialogue, rounds

SCRIPTS = {dialogue.id: [list(did) for _, did in rounds(dialogue.turns)] for dialogue in starter()}


def many(count: int) -> list[Dialogue]:
    """The starter set over and over, with ids of their own: `swap-thursday-shift@2`."""
    once = starter()
    return [once[n % len(once)].replace(id=f"{once[n % len(once)].id}@{n // len(once)}") for n in range(count)]


def slow(case: Case) -> Agent:
    """Plays the gold by heart, some milliseconds a turn; case by case a little faster or slower."""
    return ScriptedAgent(SCRIPTS[case.id.partition("@")[0]], delay=0.001 + case.seed % 5 / 1000)


def by_seed(case: Case) -> Agent:
    """Sets an alarm at a time that only its seed decides."""
    minute = case.seed % 1440
    alarm = Call(api="AddAlarm", arguments={"time": f"{minute // 60:02}:{minute % 60:02}:00"})
    return ScriptedAgent([[AgentTurn(acts=(alarm,)), AgentTurn(text="Set.")]] * 20, delay=case.seed % 3 / 1000)


def now_and_then(case: Case) -> Agent:
    """Plays the gold by heart in every second trial, and says nothing in the others."""
    return ScriptedAgent(SCRIPTS[case.id.partition("@")[0]] if case.trial % 2 else [])


NO_AGENT = "just a string"
