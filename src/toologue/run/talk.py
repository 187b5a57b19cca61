"""A conversation that somebody has with an agent in a world, turn by turn: `toologue.chat` and `toologue chat`.

The loop is `converse` under `live`; `asked` answers for the agent, and may be overridden.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Sequence

from toologue.agents.agent import AgentSpec
from toologue.agents.apart import Guarded
from toologue.errors import Unfinished
from toologue.loop import Ask, Listen, Session, converse
from toologue.schema import AgentTurn, Case, Turn, UserTurn
from toologue.worlds.world import make_world


class Talk:
    """A conversation with an agent in a world. `turns` are all that was said and done."""

    def __init__(self, case: Case, agent: AgentSpec):
        self.turns: list[Turn] = []
        self.world = make_world(case)
        self._brief, self._agent, self._session = case.brief, Guarded(agent.make(case)), Session(self.world)
        self._loop, self._runner = converse(case, self.turns), asyncio.Runner()
        weakref.finalize(self, self._runner.close)
        next(self._loop)

    def say(self, text: str) -> str:
        """Say something: what the agent answers, after all that it does. Raises Unfinished where it fails."""
        before = len(self.turns)
        self.hear(UserTurn(text=text))
        answers = [turn for turn in self.turns[before:] if isinstance(turn, AgentTurn)]
        if fault := next((turn.error for turn in answers if turn.error), None):
            raise Unfinished(f"the agent gave no answer: {fault.type}: {fault.message}")
        return "\n".join(turn.text for turn in answers if turn.text)

    def hear(self, said: UserTurn) -> bool:
        """Go on until the user is to speak again; whether that is so."""
        try:
            request = self._loop.send(said)
            while not isinstance(request, Listen):
                answer = self.asked(request.history) if isinstance(request, Ask) else self._session.answer(request)
                request = self._loop.send(answer)
        except StopIteration:
            return False
        return True

    def asked(self, history: Sequence[Turn]) -> AgentTurn:
        """What the agent does next."""
        return self._runner.run(self._agent.act(history, self._brief))
