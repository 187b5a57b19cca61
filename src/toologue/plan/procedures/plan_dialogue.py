"""From a trail to a plan: the turns of one conversation, executed, with a cue for each.

`plan_of` walks along a trail (`plan.turns`). On the way the customer may leave the straight path, as `Detours` says:

    noise        something that no procedure foresees is said first; the agent refuses and asks again (3.6). In
                 `published` mode the conversation ends there
    malformed    a value is misspelt first; the agent asks again
    contradict   a code that the agent reported is doubted; the agent stays with it and asks again
    volunteer    what would have been asked next is given at once, and is not asked any more
    correct      another value is given first and taken back at the agent's next question
    change       another answer is given first and taken back at the agent's next question

The latter two go back to where the answer was given; only what reads may have been called in between. A turn of a
detour has no node, but for the answers of `volunteer`, `correct` and `change`, which are replies of the graph.

Contract: the plan of a trail is a function of it, the seed and the settings. None where an executed result leads
elsewhere than the trail says, or where a text would have to show null.

Example:
    >>> from toologue.procedure.conversation_graph import conversation_graph
    >>> from toologue.procedure.flowgraph import flowgraph
    >>> from toologue.plan.procedures.explore import Ground
    >>> from toologue.plan.procedures import procedure
    >>> from toologue.plan.procedures.service import service
    >>> late = procedure("order-not-received")
    >>> ground = Ground(late, conversation_graph(flowgraph(late)), service("shop"))
    >>> plan = plan_of(ground, ground.trails(1)[0], id="late-1", seed=1)
    >>> [cue.move for cue in plan.cues][:4], plan.cues[-1].move
    (['open', 'ask', 'give', 'call'], 'end')

Not covered: more than one of the last five detours in a conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, cast

from pydantic import JsonValue

from toologue import keys
from toologue.plan.procedures.explore import Given, Ground, Trail, given_sets
from toologue.plan.procedures.noise_bank import NoiseKind, NoiseMessage, noise_bank
from toologue.plan.procedures.turns import Astray, Turns
from toologue.plan.procedures.value_errors import spoil
from toologue.procedure.steering import State
from toologue.schema import Cue, Dialogue, Node, Plan
from toologue.values.conditions import embedded

Detour = Literal["malformed", "contradict", "volunteer", "correct", "change"]
DETOURS: tuple[Detour, ...] = ("malformed", "contradict", "volunteer", "correct", "change")
NoiseMode = Literal["resume", "published"]


@dataclass(frozen=True)
class Detours:
    """How customers leave the straight path. `noise`: the chance at each reply (3.6: 0.2); `mode`: what then happens.

    `kind`: one of the other detours, made where it fits first; `noises`: the kinds of noise to choose from.
    """

    noise: float = 0.0
    mode: NoiseMode = "resume"
    kind: Detour | None = None
    noises: tuple[NoiseKind, ...] | None = None


@dataclass
class _Talk(Turns):
    """A conversation on which the customer may leave the straight path."""

    detours: Detours = Detours()
    rng: Random = field(default_factory=Random)
    done: Detour | None = None
    skip: int = -1

    def all(self) -> None:
        """Every turn, from the customer's first word on."""
        for place, node in enumerate(self.nodes):
            if place and node.type == "assistant" and place > self.skip:
                self.speak(node)
            elif node.type == "user" and place > self.skip:
                self.reply(place, node)
                if self.detours.mode == "published" and self.cues[-1].move == "refuse":
                    return
            elif node.type == "api":
                self.call(node, place)
            if place < len(self.links):
                self.step(place)

    def reply(self, place: int, node: Node) -> None:
        """What the customer says, and what comes before it."""
        given = self.trail.given.get(place - 1)
        if place == 1:
            issues = [text for text in (self.ground.procedure.issue, *self.ground.procedure.wordings) if text]
            ahead = self.ahead(place) if self.wants("volunteer") and self.rng.random() < 0.5 else None
            text = self.rng.choice(issues or [self.ground.procedure.title])
            self.left("volunteer" if ahead else None, node, Cue(move="open", text=text), ahead or Given())
            return
        if self.noisy() and self.detours.mode == "published":
            return
        alone = len({link.target for link in self.graph.exits(self.nodes[place - 1].id)}) == 1
        move = "give" if given and alone else "acknowledge" if alone else "choose"
        cue = Cue(move=move, text="" if alone else node.text)
        if (given and not given.wrong and self.malformed(given)) or self.contradicted(node):
            pass
        elif given and alone and (ahead := self.ahead(place) if self.wants("volunteer") else None):
            self.left("volunteer", node, cue.but(move="volunteer"), Given({**given.values, **ahead.values}))
            return
        elif not (given and given.wrong) and (old := self.false_start(place, node, given)):
            correcting = "correct" if given and alone else "change"
            self.left(correcting, node, cue.but(move=correcting, before=old), given or Given())
            return
        self.told(node, cue, given or Given())

    def left(self, detour: Detour | None, node: Node, cue: Cue, given: Given) -> None:
        """A reply of the graph with which the customer leaves the straight path, if there is such a detour."""
        self.done = detour or self.done
        self.told(node, cue, given, {"detour": detour} if detour else {})

    def wants(self, detour: Detour) -> bool:
        """Whether this detour is wanted, and was not made yet."""
        return self.detours.kind == detour and self.done is None

    def noisy(self) -> bool:
        """Noise, by chance: a message and a refusal."""
        if self.rng.random() >= self.detours.noise:
            return False
        message = self.rng.choice(_messages(self.detours.noises))
        refusal, question = self.rng.choice(noise_bank().replies_to(message)), self.question
        again = question.text if self.detours.mode == "resume" and question.move == "ask" else ""
        noise: dict[str, JsonValue] = {"kind": message.kind, "id": message.id, "severity": message.severity}
        answer = Cue(
            move="refuse", text=refusal, again=again, values=question.values if again else {}, kinds=question.kinds
        )
        self.aside(Cue(move="noise", text=message.text), {"noise": noise}, answer)
        return True

    def malformed(self, given: Given) -> bool:
        """A value that is misspelt first."""
        if not self.wants("malformed"):
            return False
        for slot, value in given.values.items():
            known_slot = self.ground.answers.slots[slot]
            if not isinstance(value, str) or known_slot.kind in ("reason", "name"):
                continue
            spoilt = spoil(value, known_slot.schema, seed=self.rng.getrandbits(32), kind=known_slot.kind)
            if spoilt is not None and spoilt.malformed:
                question, said = self.question, {**given.values, slot: spoilt.said}
                cue = Cue(move="malformed", values={slot: spoilt.said}, kinds=self.kinds([slot]))
                detour: dict[str, JsonValue] = {"detour": "malformed", "said": dict(said)}
                self.aside(cue, detour, question)
                self.done = "malformed"
                return True
        return False

    def contradicted(self, reply: Node) -> bool:
        """A code that the agent has just said, doubted."""
        if not self.wants("contradict") or reply.text.lower() in ("yes", "no"):  # a doubt would be taken for the answer
            return False
        question = self.question
        for expression, value in question.values.items():
            root, _, name = expression.rpartition(".")
            others = [one for one in self.codes(name) if one != value] if root.isidentifier() else []
            if isinstance(value, str) and others and len(others) > 1:
                said = f"the {root.replace('_', ' ')} is {value.replace('_', ' ')}"
                fact = f"the {root.replace('_', ' ')} is {self.rng.choice(others).replace('_', ' ')}"
                cue = Cue(move="contradict", text=said, values={"fact": fact})
                answer = Cue(
                    move="insist",
                    text=f"that {said}",
                    again=question.text,
                    values=question.values,
                    kinds=question.kinds,
                )
                self.aside(cue, {"detour": "contradict"}, answer)
                self.done = "contradict"
                return True
        return False

    def codes(self, name: str) -> list[str]:
        """The codes that a field of this name can have, by the documents."""
        for api in self.ground.service.apis.values():
            rule = cast("Any", api.returns.get("properties") or {}).get(name)
            if isinstance(rule, dict) and isinstance(cast("Any", rule).get("enum"), list):
                return [str(code) for code in cast("Any", rule)["enum"]]
        return []

    def ahead(self, place: int) -> Given | None:
        """What the next question will be answered with, if it can be answered before it is asked."""
        for later in range(place + 1, len(self.nodes) - 1):
            node = self.nodes[later]
            if node.type == "api":
                continue
            given = self.trail.given.get(later)
            step = self.ground.procedure.step(node.step or 0)
            choices = {link.target for link in self.graph.exits(node.id)}
            fresh = node.id not in {one.id for one in self.nodes[:later]} and step is not None and step.limit is None
            if node.type != "assistant" or not given or given.wrong or len(choices) > 1 or not fresh:
                return None
            if set(given.values) & set(self.values) or embedded(node.text) or self.written(place, later):
                return None
            self.skip = later + 1
            return given
        return None

    def written(self, start: int, end: int) -> bool:
        """Whether a call that writes lies between."""
        names = (self.nodes[place].text for place in range(start, end) if self.nodes[place].type == "api")
        apis = self.ground.service.apis
        return any(apis[name].writes for name in names if name in apis)

    def false_start(self, place: int, node: Node, given: Given | None) -> dict[str, JsonValue] | None:
        """Another answer first, up to the agent's next question; what of it is to be taken back."""
        if self.world is None or not (self.wants("correct") or self.wants("change")):
            return None
        for other, wrong in self.rng.sample(found := list(self.others(place, node, given)), len(found)):
            turns, cues, mark = len(self.turns), len(self.cues), self.world.mark()
            values, state = self.values, self.state
            try:
                self.try_out(other, wrong, place)
                return dict(wrong.values) if wrong.values else {"choice": other.text}
            except Astray:
                del self.turns[turns:], self.cues[cues:]
                self.world.rewind(mark)
            finally:
                self.values, self.state = values, state
        return None

    def others(self, place: int, node: Node, given: Given | None) -> Iterator[tuple[Node, Given]]:
        """(reply, what it gives): what might be said here in place of this."""
        if self.wants("correct") and given:
            asked = self.ground.given_by(node, self.nodes[place - 1].id)
            knows = self.trail.knows if self.rng.random() < 0.5 else frozenset[tuple[str, str]]()
            options = self.ground.answers.options(asked, knows, seed=self.rng.getrandbits(32))
            yield from (
                (node, Given(option.values))
                for option in options
                if not option.wrong and _one_differs(option.values, given.values)
            )
        if self.wants("change") and not given:
            for link in self.graph.exits(self.nodes[place - 1].id):
                if link.target != node.id and not self.graph.by_id[link.target].collects:
                    yield self.graph.by_id[link.target], Given()

    def try_out(self, node: Node, given: Given, place: int) -> None:
        """Play another answer up to the agent's next question. Raises Astray where that does not go."""
        link = next(one for one in self.graph.exits(self.nodes[place - 1].id) if one.target == node.id)
        state = State(link.target, self.state.entered)
        limited = set(self.steering.limits)
        move = "choose" if not given.values else "give"
        self.told(node, Cue(move=move, text=node.text if move == "choose" else ""), given)
        while True:
            here = self.graph.by_id[state.node]
            if here.type == "api":
                if (api := self.ground.service.apis.get(here.text)) is None or api.writes:
                    raise Astray
                self.call(here, 0)
            elif here.type == "assistant":
                if not self.graph.exits(here.id) or here.id in limited:
                    raise Astray
                self.speak(here)
                return
            onward = self.steering.taken(state, self.values)
            if onward is None or onward.target in limited:
                raise Astray
            self.values, state = given_sets(onward, self.values), self.steering.after(state, onward)


def plan_of(ground: Ground, trail: Trail, *, id: str, seed: int, detours: Detours = Detours()) -> Plan | None:
    """The plan of a trail, or None where it cannot be had."""
    talk = _Talk(ground, trail, detours=detours, rng=Random(keys.seed_of(seed, id)))
    try:
        talk.all()
    except Astray:
        return None
    procedure, service = ground.procedure, ground.service
    extra: dict[str, JsonValue] = {"others": list(ground.answers.strangers(trail.knows))} if service.rows else {}
    if not service.executes:
        extra["apis"] = [api.model_dump(mode="json", by_alias=True) for api in service.apis.values()]
    dialogue = Dialogue(
        id=id,
        instructions=ground.instructions,
        facts=ground.facts,
        apis=tuple(service.apis),
        world=service.setting,
        turns=tuple(talk.turns),
        origin={
            "line": "procedures",
            "procedure": procedure.id,
            "intent": procedure.intent,
            "path": talk.path,
            "status": "executed" if service.executes else "consistent, not executed",
            "detour": talk.done,
            "seed": seed,
        },
        extra=extra,
    )
    return Plan(dialogue=dialogue, cues=tuple(talk.cues))


def _messages(kinds: tuple[NoiseKind, ...] | None) -> Sequence[NoiseMessage]:
    bank = noise_bank()
    return bank.messages if kinds is None else [message for kind in kinds for message in bank.of(kind)]


def _one_differs(values: Mapping[str, JsonValue], right: Mapping[str, JsonValue]) -> bool:
    return sum(values.get(name) != value for name, value in right.items()) == 1
