"""Agents that ask a language model, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from toologue.agents.agent import AgentSpec
from toologue.errors import BadSetting
from toologue.formats.openai import Message
from toologue.loop import Agent
from toologue.models.ask import model
from toologue.models.model import Model, ModelFault, Reply
from toologue.schema import AgentTurn

__all__ = ["SEEDS", "ModelAgent", "about", "asking"]

SEEDS = 2**31
"""Endpoints differ in how large a seed may be."""


def asking(agent: str, spec: str, make: Callable[..., Agent], *, name: str = "", ways: str = "") -> AgentSpec:
    """The agent that `make(model, seed=...)` gives for each case. Raises BadSetting where no model is named."""
    if not spec:
        raise BadSetting(f"the agent {agent!r} needs a model: {ways or f'{agent}:openai:NAME'}")
    asked = model(spec, "agent")
    return AgentSpec(name or f"{agent}:{spec}", lambda case: make(asked, seed=case.seed % SEEDS))


class ModelAgent:
    """An agent whose turn is one reply of a model. `seed` is sent with every request."""

    def __init__(self, model: Model, *, seed: int | None = None):
        self._model, self._seed = model, seed

    async def replied(
        self, sent: Sequence[Message], turn_of: Callable[[Reply], AgentTurn], tools: Sequence[Message] = ()
    ) -> AgentTurn:
        """The turn that a reply makes, with what is known of the reply; with an error where there is none."""
        try:
            reply = await self._model.reply(sent, tools=tools, seed=self._seed)
        except ModelFault as fault:
            return fault.turn()
        turn = turn_of(reply)
        extra = {**about(reply), **turn.extra}
        return turn.replace(usage=reply.usage, thought=turn.thought or reply.thought, extra=extra)


def about(reply: Reply) -> dict[str, JsonValue]:
    """What a turn keeps of the reply that it is made of."""
    return {"reply": {"model": reply.model, "finish": reply.finish, "tries": reply.tries}}
