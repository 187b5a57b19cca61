"""A step of a gold conversation with all that is around it: for agents that know what is right, and do otherwise.

A `Talk` is a conversation with its documents; where its instructions are a procedure, with the graph of that and with
what is known at each turn. A `Step` is one turn of the gold's agent in it.

Example:
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello"), UserTurn(text="And bye")))
    >>> step = Step(Talk(gold, {}), 1)
    >>> step.wanted.text, step.heard.text, step.must, list(step.siblings())
    ('Hello', 'Hi', None, [])

Not covered: conversations that are lived otherwise than the gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from toologue import keys
from toologue.errors import BadSetting, UserError
from toologue.formats.procedure import read
from toologue.plan.procedures.explore import call_of, given_sets
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.procedure.saying import asked, said
from toologue.schema import AgentTurn, Api, Call, Cue, Dialogue, Graph, Node, Procedure, UserTurn
from toologue.text.bank import Voice
from toologue.values.conditions import embedded
from toologue.verify.procedures.follow import Stand, follow
from toologue.write.agent import AgentWords


@dataclass(frozen=True)
class Talk:
    """A gold conversation, its documents, and its procedure where it has one."""

    gold: Dialogue
    documents: Mapping[str, Api]

    @cached_property
    def procedure(self) -> Procedure | None:
        """The procedure that the instructions are."""
        try:
            return read(self.gold.instructions)
        except UserError:
            return None

    @cached_property
    def graph(self) -> Graph | None:
        """Its conversation graph."""
        return conversation_graph(flowgraph(self.procedure)) if self.procedure else None

    @cached_property
    def stands(self) -> list[Stand]:
        """What is known at each turn."""
        return follow(self.gold, self.graph)[0] if self.graph else []

    @cached_property
    def writes(self) -> list[Call]:
        """The calls of the gold that write; without one, a writing Api called with nothing."""
        made = [act for turn in self.gold.turns if isinstance(turn, AgentTurn) for act in turn.acts]
        writing = [act for act in made if isinstance(act, Call) and self.is_write(act)]
        return writing or [Call(api=api.name) for api in self.documents.values() if api.writes]

    @cached_property
    def words(self) -> Mapping[int, str]:
        """What another agent says in each turn that carries a cue."""
        registers = ("warm", "brief", "formal")
        place = keys.seed_of(self.gold.id, "paraphrase")
        words = AgentWords(Voice("agent", registers[place % 3], seed=place, start=place % 7), seed=place)
        steps = ((at, Step(self, at).must) for at in range(len(self.gold.turns)))
        return {at: words(must) for at, must in steps if must}

    def is_write(self, call: Call) -> bool:
        """Whether a call writes."""
        return call.api in self.documents and self.documents[call.api].writes


@dataclass(frozen=True)
class Step:
    """One turn of the gold's agent: what is right there, and what is around it."""

    talk: Talk
    at: int

    @property
    def wanted(self) -> AgentTurn:
        """The gold's turn; empty where it is the customer's."""
        turn = self.talk.gold.turns[self.at]
        return turn if isinstance(turn, AgentTurn) else AgentTurn()

    @property
    def call(self) -> Call | None:
        """The gold's first call."""
        return next((act for act in self.wanted.acts if isinstance(act, Call)), None)

    @property
    def must(self) -> Cue | None:
        """What the gold's words must get across."""
        given = self.wanted.extra.get("must")
        return None if given is None else Cue.model_validate(given)

    @property
    def later(self) -> Iterator[AgentTurn]:
        """The agent's turns that follow in the gold, up to the customer's next."""
        for turn in self.talk.gold.turns[self.at + 1 :]:
            if not isinstance(turn, AgentTurn):
                return
            yield turn

    @property
    def heard(self) -> UserTurn | None:
        """What the customer said last."""
        said = (turn for turn in reversed(self.talk.gold.turns[: self.at]) if isinstance(turn, UserTurn))
        return next(said, None)

    @property
    def asked_before(self) -> bool:
        """Whether the customer has just answered a question that was no question for a value."""
        spoken = (Step(self.talk, at).must for at in range(self.at - 1, -1, -1))
        last = next((must for must in spoken if must is not None), None)
        return last is not None and last.move == "ask" and not last.kinds

    def siblings(self) -> Iterator[AgentTurn]:
        """Where other answers, or other results, would have led, as far as that can be said with what is known."""
        graph = self.talk.graph
        before = next((turn for turn in reversed(self.talk.gold.turns[: self.at]) if turn.node), None)
        if graph is None or before is None or before.node is None or self.wanted.node not in graph.by_id:
            return
        known = self.talk.stands[self.at].values or {}
        sources = [before.node]
        if graph.by_id[before.node].type == "user":
            asking = [link.source for link in graph.links if link.target == before.node]
            sources = [link.target for source in asking for link in graph.exits(source)]
        for link in (link for source in sources for link in graph.exits(source)):
            if link.target != self.wanted.node:
                try:
                    turn = _turn_at(graph.by_id[link.target], given_sets(link, known), self.talk.procedure)
                except (BadSetting, UserError):
                    continue
                if turn is not None:
                    yield turn


def _turn_at(node: Node, known: Mapping[str, JsonValue], procedure: Procedure | None) -> AgentTurn | None:
    """What an agent does at a node. Raises BadSetting where something is not known."""
    if node.type == "api":
        return AgentTurn(acts=(call_of(node, known),))
    step = procedure.step(node.step or 0) if procedure else None
    if node.type != "assistant" or step is None:
        return None
    if any(expression.value(known) is None for expression in embedded(step.text)):
        return None
    text = (asked if step.kind == "ask" else said)(step.text, known)
    return AgentTurn(text=text, extra={"text": step.text})
