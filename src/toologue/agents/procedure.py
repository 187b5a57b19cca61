"""The agent `procedure`: carries out a support procedure, with no language model.

    procedure                with the embedder `lexical`
    procedure:EMBEDDER       with another: procedure:minilm, procedure:endpoint:NAME
    procedure_careless       the same in every bad manner (`Manner`): there to be caught

The procedure is the brief's instructions, in our dialect (docs/procedures.md); the calls are those of its Apis. When it
is its turn, it replays the conversation (`procedure.follower`) and takes the next step. What it keeps is a cache.
Instructions that are no procedure raise BadFile, which lists what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Sequence

from toologue.agents.agent import AgentSpec
from toologue.models.similarity import Similarity, similarity
from toologue.procedure.course import course_of
from toologue.procedure.follower import CAREFUL, Follower, Manner
from toologue.schema import AgentTurn, Brief, Turn


class ProcedureAgent:
    """The agent, in one conversation."""

    def __init__(self, alike: Similarity, *, manner: Manner = CAREFUL):
        self._alike, self._manner = alike, manner
        self._follower: tuple[Brief, Follower] | None = None

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """Return the next turn."""
        if self._follower is None or (self._follower[0] is not brief and self._follower[0] != brief):
            self._follower = brief, Follower(course_of(brief), self._alike, facts=brief.facts, manner=self._manner)
        follower = self._follower[1]
        move = follower.read(history)
        if move.kind == "call":
            return AgentTurn(acts=(follower.call(),))
        return AgentTurn(text=follower.words())


def procedure_agent(argument: str) -> AgentSpec:
    """Return the agent `procedure`, or `procedure:EMBEDDER`."""
    return _spec("procedure", argument, CAREFUL)


def procedure_careless_agent(argument: str) -> AgentSpec:
    """Return the agent `procedure_careless`, or `procedure_careless:EMBEDDER`."""
    careless = Manner(confirms=False, verifies=False, refuses=False, invents=True)
    return _spec("procedure_careless", argument, careless)


def _spec(name: str, embedder: str, manner: Manner) -> AgentSpec:
    alike = similarity(embedder or "lexical")
    return AgentSpec(f"{name}:{embedder}" if embedder else name, lambda case: ProcedureAgent(alike, manner=manner))
