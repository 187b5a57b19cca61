"""What the tests share: a shop to talk to, and conversations as lists of what was done."""

from __future__ import annotations

from functools import cache

from toologue.agents.agent import resolve_agent
from toologue.loop import play
from toologue.plan.procedures import files, procedure
from toologue.schema import Brief, Case, Turn
from toologue.users import ScriptedUser
from toologue.worlds.crud.simulator import Simulator


@cache
def service(name: str) -> Simulator:
    """A service that ships."""
    return Simulator(name)


@cache
def brief_of(id: str) -> Brief:
    """What an agent is told that carries out a shipped procedure."""
    simulator = service(procedure(id).apis)
    return Brief(instructions=files()[id].read_text(), facts={"now": simulator.now}, apis=simulator.apis)


def talk(id: str, *lines: str, agent: str = "procedure") -> list[Turn]:
    """A live conversation with a customer who says these lines."""
    case = Case(id=id, protocol="live", brief=brief_of(id))
    world = service(procedure(id).apis).world()
    return play(case, resolve_agent(agent).make(case), world, ScriptedUser(lines))[0]


def calls(turns: list[Turn]) -> list[str]:
    """The calls, as "api(value, value)"."""
    acts = (act for turn in turns if turn.role == "agent" for act in turn.acts if act.kind == "call")
    return [f"{act.api}({', '.join(map(str, (act.arguments or {}).values()))})" for act in acts]


def replies(turns: list[Turn]) -> list[str]:
    """What the agent said."""
    return [turn.text for turn in turns if turn.role == "agent" and turn.text]
