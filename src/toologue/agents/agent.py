"""What an agent is to the runner, the scripted one that needs no model, and gold, which plays the agent's side itself.

A `AgentSpec` is a named recipe: `make(case)` gives the agent of one case. Only players that say `reads_gold` get a case
with its gold; all others get it blind. An agent is a function of the conversation so far: asked twice, or cold in
mid-history, it answers the same. `resolve_agent` understands

    NAME or NAME:ARGUMENT     a registered one: gold, altered:drop, predictions:FILE
    PROVIDER:NAME             a language model, which calls functions
    FILE.py:NAME              a function or an agent of a file, in processes (callable:FILE.py:NAME)
    module:attribute          yours, in a thread: an agent, a function of (messages, tools), or of a Case that gives one

each with `?name=SHORT` behind it, or `&name=SHORT` behind other options: what traces and reports call it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast
from urllib.parse import unquote_plus

from toologue import registry
from toologue.agents.apart import apart
from toologue.agents.code import with_file
from toologue.errors import BadSetting
from toologue.loop import Agent
from toologue.schema import AgentTurn, Brief, Case, Turn, place, rounds

AgentFactory = Callable[[Case], Agent]


@dataclass(frozen=True)
class AgentSpec:
    """A named recipe for agents. `name` is what traces and reports call it."""

    name: str
    factory: AgentFactory
    reads_gold: bool = False

    def make(self, case: Case) -> Agent:
        """The agent of one case."""
        return self.factory(case if self.reads_gold else case.blind())


class ScriptedAgent:
    """Plays a script: `script[r]` are its turns in round r. Where the script ends it says nothing.

    `delay` (seconds) makes each turn really take that long, for tests of time and interruption.
    """

    def __init__(self, script: Sequence[Sequence[AgentTurn]], *, delay: float = 0.0):
        self._script, self._delay = script, delay

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The scripted turn of this place in the conversation."""
        if self._delay:
            await asyncio.sleep(self._delay)
        number, taken = place(history)
        turns = self._script[number] if number < len(self._script) else ()
        turn = turns[taken] if taken < len(turns) else AgentTurn()
        return turn.replace(results=()) if turn.results else turn


def resolve_agent(spec: str) -> AgentSpec:
    """The player that a spec names."""
    asked, named = split_options(spec, "name")
    found = _resolve(asked)
    return replace(found, name=named["name"]) if named.get("name") else found


def name_of(spec: str) -> str:
    """What an agent of this spec is called."""
    return split_options(spec, "name")[1].get("name") or spec


def split_options(spec: str, *names: str) -> tuple[str, dict[str, str]]:
    """(the spec without these options, those of them that it has, by name)."""
    asked, _, options = spec.partition("?")
    kept, found = list[str](), dict[str, str]()
    for option in filter(None, options.split("&")):
        name, _, value = option.partition("=")
        if name in names:
            found[name] = unquote_plus(value)
        else:
            kept.append(option)
    return "?".join([asked, "&".join(kept)]) if kept else asked, found


def _resolve(spec: str) -> AgentSpec:
    name, _, argument = spec.partition(":")
    if name.endswith(".py"):
        return replace(_resolve(with_file(spec, Path.cwd())), name=spec)
    if name in registry.names("model") and name not in registry.names("agent"):  # a model calls functions
        return replace(cast("AgentSpec", registry.find("agent", "function_calling")(spec)), name=spec)
    if name in registry.names("agent") or not argument:  # what is unknown raises, with the nearest names
        return cast("AgentSpec", registry.find("agent", name)(argument))
    thing = registry.load(spec)
    if hasattr(thing, "act") and not isinstance(thing, type):
        asked = apart(thing)
        return AgentSpec(spec, lambda case: asked)
    if not callable(thing):
        raise BadSetting(
            f"{spec!r} is no agent: no object with async act, no function of (messages, tools) or of a Case"
        )
    if is_chat_function(thing):
        return replace(cast("AgentSpec", registry.find("agent", "thread")(spec)), name=spec)
    factory = cast("AgentFactory", thing)
    return AgentSpec(spec, lambda case: apart(factory(case)))


def is_chat_function(thing: Callable[..., object]) -> bool:
    """Whether it is called with messages and tools; a function from a Case takes one thing."""
    try:
        inspect.signature(thing).bind([], [])
    except (TypeError, ValueError):
        return False
    return not isinstance(thing, type)


def plain_agent(name: str, argument: str, factory: AgentFactory, *, reads_gold: bool = False) -> AgentSpec:
    """A player that takes no argument. Raises BadSetting where it is given one."""
    if argument:
        raise BadSetting(f"the agent {name!r} takes no argument, got {argument!r}")
    return AgentSpec(name, factory, reads_gold)


def script_of(case: Case) -> list[list[AgentTurn]]:
    """The agent's turns of the gold, by round."""
    if case.gold is None:
        raise BadSetting(f"case {case.id!r} has no gold dialogue to play from")
    return [list(did) for _, did in rounds(case.gold.turns)]


def gold_agent(argument: str) -> AgentSpec:
    """The player `gold`; it takes no argument."""
    return plain_agent("gold", argument, lambda case: ScriptedAgent(script_of(case)), reads_gold=True)
