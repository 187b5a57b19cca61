"""The turns of a conversation as it grows: a trail is walked, messages become turns with cues, calls are executed.

`Turns` stands at a place of a trail and knows what is known there. Whoever leads the conversation (`plan.talk`) says
what comes next: `speak` for the agent's words, `call` for its calls, `told` for a reply of the graph, `aside` for what
stands beside the graph, `step` for the way on.

Contract: raises Astray where values lead elsewhere than the trail says, or where a text would have to show null.

Example:
    >>> from random import Random
    >>> from toologue.procedure.conversation_graph import conversation_graph
    >>> from toologue.procedure.flowgraph import flowgraph
    >>> from toologue.plan.procedures import procedure
    >>> from toologue.plan.procedures.service import service
    >>> late = procedure("order-not-received")
    >>> ground = Ground(late, conversation_graph(flowgraph(late)), service("shop"))
    >>> turns = Turns(ground, ground.trails(1)[0])
    >>> turns.step(0)
    >>> turns.told(turns.nodes[1], Cue(move="open", text=late.issue), Given())
    >>> turns.step(1)
    >>> turns.speak(turns.nodes[2])
    >>> [cue.move for cue in turns.cues], turns.path
    (['open', 'ask'], ['E0', 'E1'])

Not covered: what customers do beside the straight path; `plan.talk` knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import JsonValue

from toologue.plan.procedures.explore import Given, Ground, Trail, call_of, given_sets, known
from toologue.schema import AgentTurn, Cue, Node, Result, Turn, UserTurn, ValueKind
from toologue.values.conditions import embedded


class Astray(Exception):
    """The way leads elsewhere."""


@dataclass
class Turns:
    """A conversation as it grows."""

    ground: Ground
    trail: Trail
    turns: list[Turn] = field(default_factory=list[Turn])
    cues: list[Cue] = field(default_factory=list[Cue])
    path: list[JsonValue] = field(default_factory=list[JsonValue])

    def __post_init__(self) -> None:
        self.graph, self.steering = self.ground.graph, self.ground.steering
        self.links = [self.graph.by_link[id] for id in self.trail.links]
        self.nodes = [self.graph.by_id[self.graph.roots[0]], *(self.graph.by_id[link.target] for link in self.links)]
        self.values: Mapping[str, JsonValue] = self.ground.facts
        self.world = self.ground.service.make() if self.ground.service.make else None
        self.state = self.steering.start

    def step(self, place: int) -> None:
        """Take the next link, if values lead down it."""
        link = self.links[place]
        if self.nodes[place].type != "assistant" and self.steering.taken(self.state, self.values) != link:
            raise Astray
        self.values = given_sets(link, self.values)
        self.state = self.steering.after(self.state, link)
        self.path.append(link.id)

    def say(self, turn: Turn, cue: Cue) -> None:
        """Add a turn; what an agent's words must get across stays with it, for whoever grades other words."""
        if turn.role == "agent" and cue.move != "call":
            turn = turn.but(extra={"must": cue.model_dump(mode="json", exclude_defaults=True)})
        self.turns.append(turn)
        self.cues.append(cue)

    def speak(self, node: Node) -> None:
        """What the agent says."""
        self.say(AgentTurn(text="", node=node.id), self.spoken(node))

    def spoken(self, node: Node) -> Cue:
        """The cue of an agent's message. Raises Astray where it would show null."""
        step = self.ground.procedure.step(node.step or 0)
        text = step.text if step else node.text
        move = "end" if not self.graph.exits(node.id) else "say" if step and step.kind == "say" else "ask"
        return Cue(move=move, text=text, values=self.shown(text), kinds=self.kinds(step.collects if step else ()))

    def shown(self, text: str) -> dict[str, JsonValue]:
        """The values that the braces of a text show."""
        shown = {expression.text: expression.value(self.values) for expression in embedded(text)}
        if None in shown.values():
            raise Astray
        return shown

    def kinds(self, slots: Sequence[str]) -> dict[str, ValueKind]:
        """What kind of value each slot is."""
        return {slot: self.ground.answers.slots[slot].kind for slot in slots if slot in self.ground.answers.slots}

    def call(self, node: Node, place: int) -> None:
        """A call, and its result."""
        act = call_of(node, self.values)
        result = self.world.do(act) if self.world else self.trail.results.get(place, Result())
        self.say(AgentTurn(acts=(act,), results=(result,), node=node.id), Cue(move="call"))
        self.values = known(node, self.values, result)

    def told(self, node: Node, cue: Cue, given: Given, extra: Mapping[str, JsonValue] = MappingProxyType({})) -> None:
        """A reply of the graph. `extra` is what else there is to say of the turn."""
        marks = {**extra, "wrong": given.wrong} if given.wrong else dict(extra)
        values = dict(given.values)
        turn = UserTurn(informed=values, node=node.id, extra=marks)
        self.say(turn, cue.but(values=values, kinds=self.kinds([*values])))
        self.values = {**self.values, **values}

    def aside(self, cue: Cue, extra: dict[str, JsonValue], answer: Cue) -> None:
        """Something beside the graph, and the agent's answer."""
        self.say(UserTurn(extra=extra), cue)
        self.say(AgentTurn(text=""), answer)

    @property
    def question(self) -> Cue:
        """What the agent has said last that waits for an answer."""
        return next(cue for cue in reversed(self.cues) if cue.move in ("ask", "say"))
