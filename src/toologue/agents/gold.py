"""The gold agent: plays the agent's side of the dialogue. It scores 100 %, or the benchmark is wrong.

Example:
    >>> from toologue.agents.agent import resolve_agent
    >>> resolve_agent("gold").name
    'gold'

Not covered: `live` conversations, which have no gold to follow.
"""

from __future__ import annotations

from toologue.agents.agent import AgentSpec, ScriptedAgent
from toologue.errors import BadSetting
from toologue.schema import AgentTurn, Case, rounds


def script_of(case: Case) -> list[list[AgentTurn]]:
    """The agent's turns of the gold, by round."""
    if case.gold is None:
        raise BadSetting(f"case {case.id!r} has no gold dialogue to play from")
    return [list(did) for _, did in rounds(case.gold.turns)]


def _play(case: Case) -> ScriptedAgent:
    return ScriptedAgent(script_of(case))


def gold_agent(argument: str) -> AgentSpec:
    """The agent `gold`; it takes no argument."""
    if argument:
        raise BadSetting(f"the agent 'gold' takes no argument, got {argument!r}")
    return AgentSpec("gold", _play, reads_gold=True)
