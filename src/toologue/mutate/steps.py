"""Missteps: agents that take a wrong step wherever one kind of mistake can be made, and agents that are right.

Each test of a next step begins at the gold again. A misstep that says what another branch would have said needs the
procedure and its graph (`Talk`). What is wrong or right in words alone is not made here, but written by others
(`bench.prove`): words of ours would be known to the grader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import takewhile
from random import Random
from typing import Any, TypeGuard

from pydantic import JsonValue

from toologue import keys
from toologue.agents.agent import AgentSpec, ScriptedAgent
from toologue.errors import BadSetting, UserError
from toologue.formats.procedure import read
from toologue.mutate.calls import ASIDES, mutant, wrong_calls
from toologue.plan.procedures.explore import apply_sets, call_of
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.procedure.grammar import verbalize_step
from toologue.schema import AgentTurn, Api, Call, Case, Cue, Dialogue, Graph, Node, Procedure, UserTurn, rounds
from toologue.score.knowledge import Knowledge
from toologue.score.metric import answers_of, done_at, must_of
from toologue.score.step_calls import known_already, leave_given
from toologue.score.wording import content
from toologue.text.verbalize import verbalize
from toologue.values.conditions import embedded
from toologue.values.json_schema import list_of
from toologue.verify.procedures.path import Stand, follow


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
    def spoken(self) -> str:
        """What anybody says."""
        return "\n".join(turn.text for turn in self.gold.turns if turn.text)

    @cached_property
    def writes(self) -> list[Call]:
        """The calls of the gold that write; without one, a writing Api called with nothing."""
        made = (act for turn in self.gold.turns if isinstance(turn, AgentTurn) for act in turn.acts)
        writing = [act for act in made if self.is_write(act)]
        return writing or [Call(api=api.name) for api in self.documents.values() if api.writes]

    def is_write(self, act: object) -> TypeGuard[Call]:
        """Whether an act is a call that writes."""
        return isinstance(act, Call) and act.api in self.documents and self.documents[act.api].writes


@dataclass(frozen=True)
class Step:
    """One turn of the gold's agent: what is right there, and what is around it."""

    talk: Talk
    at: int

    @property
    def wanted(self) -> AgentTurn:
        """The gold's turn; empty where it is the customer's."""
        return done_at(self.talk.gold, self.at)

    @property
    def call(self) -> Call | None:
        """The gold's first call."""
        return next((act for act in self.wanted.acts if isinstance(act, Call)), None)

    @property
    def must(self) -> Cue | None:
        """What the gold's words must get across."""
        return must_of(self.wanted)

    @property
    def later(self) -> Iterator[AgentTurn]:
        """The agent's turns that follow in the gold, up to the customer's next."""
        after = takewhile(lambda turn: turn.role == "agent", self.talk.gold.turns[self.at + 1 :])
        return (turn for turn in after if isinstance(turn, AgentTurn))

    @property
    def asked_before(self) -> bool:
        """Whether the customer has just been asked for leave."""
        return leave_given(self.talk.gold, self.at)

    def _asks_first(self, graph: Graph, node: str) -> bool:
        """Whether somebody asks at this node for leave to do what the gold does here: that is no other branch."""
        replies = (link.target for link in graph.exits(node) if graph.by_id[node].type == "assistant")
        after = {link.target for reply in replies for link in graph.exits(reply)}
        return self.talk.is_write(self.call) and self.wanted.node in after

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
        ways = (link for source in sources for link in graph.exits(source) if link.target != self.wanted.node)
        for link in (way for way in ways if not self._asks_first(graph, way.target)):
            with suppress(UserError):
                turn = _turn_at(graph.by_id[link.target], apply_sets(link, known), self.talk.procedure)
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
    return AgentTurn(text=verbalize_step(step, known), extra={"text": step.text})


_DAY = re.compile(r"\b(\d{1,2}) (January|February|March|April|May|June|July|August|September|October|November|December)"
                  r" (\d{4})\b")  # fmt: skip
_SUM = re.compile(r"\b(\d+(?:\.\d+)?) euros\b")


Misstep = Callable[[Step, Random], "AgentTurn | None"]


def drop(step: Step, random: Random) -> AgentTurn | None:
    """Leave the call out, and say what follows it; not a look-up whose result is known."""
    known = Knowledge(step.talk.gold)
    if step.call and known_already(step.talk.gold, step.at, step.call, known):
        return None
    spoken = next((turn.text for turn in step.later if turn.text), None)
    return AgentTurn(text=spoken) if step.call and spoken else None


def wrong_argument(step: Step, random: Random) -> AgentTurn | None:
    """Give one argument a wrong value: a free text is about what nobody speaks of."""
    asides = [one for one in ASIDES if not content(one) & content(step.talk.spoken)]
    wrong = wrong_calls(step.call, step.talk.documents, random, asides) if step.call else []
    return AgentTurn(acts=(random.choice(wrong),)) if wrong else None


def wrong_tool(step: Step, random: Random) -> AgentTurn | None:
    """Call another Api with the same arguments."""
    if step.call is None:
        return None
    others = [step.call.replace(api=name) for name in step.talk.documents if name != step.call.api]
    soon = [act for turn in step.later for act in turn.acts]  # who looks that up first is not wrong
    return AgentTurn(acts=(random.choice(wrong),)) if (wrong := [one for one in others if one not in soon]) else None


def extra_write(step: Step, random: Random) -> AgentTurn | None:
    """Write something that nobody asked for."""
    return AgentTurn(acts=(random.choice(step.talk.writes),)) if step.wanted.text and step.talk.writes else None


def skip_confirmation(step: Step, random: Random) -> AgentTurn | None:
    """Write before the customer has answered whether to."""
    if step.must is None or step.must.move != "ask" or step.must.kinds:
        return None
    after = next((turn for turn in step.talk.gold.turns[step.at + 1 :] if isinstance(turn, AgentTurn)), AgentTurn())
    call = next(filter(step.talk.is_write, after.acts), None)
    return AgentTurn(acts=(call,)) if call else None


def dither(step: Step, random: Random) -> AgentTurn | None:
    """Ask for leave again that was just given."""
    if not step.asked_before or not step.talk.is_write(step.call):
        return None
    return AgentTurn(text=_ask_leave(step.call, random))


def wrong_branch(step: Step, random: Random) -> AgentTurn | None:
    """Go where another answer or result would have led."""
    ours = (step.must and step.must.text, step.wanted.acts)
    others = [turn for turn in step.siblings() if (turn.extra.get("text"), turn.acts) != ours]
    return random.choice(others).replace(extra={}) if others else None


def wrong_reply(step: Step, random: Random) -> AgentTurn | None:
    """Say what another step says, one that shows nothing."""
    if step.must is None or step.talk.procedure is None:
        return None
    mine = (step.must.text, step.must.again)
    said = (one for one in step.talk.procedure.steps if one.text and one.kind != "call")
    others = [one for one in said if one.text not in mine and "{" not in one.text]
    return AgentTurn(text=verbalize_step(random.choice(others), {})) if others else None


def wrong_value(step: Step, random: Random) -> AgentTurn | None:
    """Say another value than the one that is shown."""
    must, text = step.must, step.wanted.text
    if must is None or text is None or must.move in ("refuse", "insist"):
        return None
    for value in must.values.values():
        other = _other_value(value)
        for day_only, money in ((False, False), (True, False), (False, True)):
            told = verbalize(value, day_only=day_only, money=money)
            if other is not None and told in text:
                return AgentTurn(text=text.replace(told, verbalize(other, day_only=day_only, money=money)))
    return None


def silence(step: Step, random: Random) -> AgentTurn | None:
    """Neither say nor do anything."""
    return AgentTurn()


def leak(step: Step, random: Random) -> AgentTurn | None:
    """Add a value of another customer."""
    others = [one for one in list_of(step.talk.gold.extra.get("others")) if str(one) not in step.talk.spoken]
    if not others or not step.wanted.text:
        return None
    return AgentTurn(text=f"{step.wanted.text} By the way, the other customer is {random.choice(others)}.")


def reorder(step: Step, random: Random) -> AgentTurn | None:
    """Make the next look-up first, if the customer has said all that it takes."""
    following = next(step.later, None)
    other = next((act for act in following.acts if isinstance(act, Call)), None) if following else None
    if step.call is None or other is None or any(map(step.talk.is_write, (step.call, other))):
        return None
    before = step.talk.gold.turns[: step.at]
    told = [value for turn in before if isinstance(turn, UserTurn) for value in turn.informed.values()]
    arguments = (other.arguments or {}).values()
    return AgentTurn(acts=(other,)) if other != step.call and all(value in told for value in arguments) else None


def confirm_first(step: Step, random: Random) -> AgentTurn | None:
    """Ask for leave before writing."""
    if not step.talk.is_write(step.call) or step.asked_before or not step.call.arguments:
        return None
    return AgentTurn(text=_ask_leave(step.call, random))


def formats(step: Step, random: Random) -> AgentTurn | None:
    """Write dates and sums in another form."""
    if step.call is not None:
        api = step.talk.documents.get(step.call.api)
        arguments = {name: _reformat(api, name, value) for name, value in (step.call.arguments or {}).items()}
        changed = str(arguments) != str(step.call.arguments)
        return AgentTurn(acts=(step.call.replace(arguments=arguments),)) if changed else None
    text = _SUM.sub(r"€\1", _DAY.sub(r"\2 \1, \3", step.wanted.text or ""))
    return AgentTurn(text=text) if text != (step.wanted.text or "") else None


WRONG_STEPS: dict[str, Misstep] = {
    made.__name__: made
    for made in (drop, wrong_argument, wrong_tool, extra_write, skip_confirmation, dither, wrong_branch, wrong_reply,
                 wrong_value, silence, leak)
}  # fmt: skip
RIGHT_STEPS: dict[str, Misstep] = {made.__name__: made for made in (reorder, confirm_first, formats)}


def missteps(gold: Dialogue, documents: Mapping[str, Api], kind: str, *, seed: int) -> dict[int, AgentTurn]:
    """The steps of this kind that can be taken in a conversation, by the turn of the gold that they stand in for."""
    made, talk = (WRONG_STEPS | RIGHT_STEPS)[kind], Talk(gold, documents)
    places = [at for at, _, _ in answers_of(gold)]
    steps = {at: made(Step(talk, at), Random(keys.seed_of(seed, gold.id, kind, at))) for at in places}
    return {at: turn for at, turn in steps.items() if turn is not None}


def _play_missteps(kind: str, case: Case) -> ScriptedAgent:
    if case.gold is None:
        raise BadSetting(f"case {case.id!r} has no gold dialogue to play from")
    instead = missteps(case.gold, {api.name: api for api in case.brief.apis}, kind, seed=case.seed)
    turns = (instead.get(at, turn) for at, turn in enumerate(case.gold.turns))
    return ScriptedAgent([list(did) for _, did in rounds(turns)])


def misstep_agent(argument: str) -> AgentSpec:
    """Return the agent `misstep:KIND`; it plays plain gold where the mistake cannot be made."""
    return mutant("misstep", argument, WRONG_STEPS | RIGHT_STEPS, _play_missteps, noun="misstep")


def _ask_leave(call: Call, random: Random) -> str:
    values = [verbalize(value, exact=True) for value in (call.arguments or {}).values() if value is not None]
    opening = random.choice(("Shall I go ahead", "Just to be sure: may I do this now", "Is it all right if I do this"))
    return f"{opening}, with {', '.join(values)}?"


def _other_value(value: JsonValue) -> JsonValue:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value + 7
    if not isinstance(value, str):
        return None
    if day := _day(value[:10]):
        return f"{day + timedelta(days=3)}{value[10:]}"
    other = re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), value)
    return other if other != value else None


def _reformat(api: Api | None, name: str, value: Any) -> Any:
    compare = api.parameters[name].compare if api is not None and name in api.parameters else "exact"
    if isinstance(value, str) and compare in ("date", "moment") and (day := _day(value)):
        return f"{day.year}-{day.month}-{day.day}"
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
