"""Plans of conversations for a procedure: the turns of a feasible path, executed, with a cue for each.

On the way the customer may leave the straight path, as `Detours` says:

    noise        something that no procedure foresees is said first; the agent refuses and asks again (3.6). In
                 `published` mode the conversation ends there
    malformed    a value is misspelt first; the agent asks again
    contradict   a code that the agent reported is doubted; the agent stays with it and asks again
    volunteer    what would have been asked next is given at once, and is not asked any more
    correct      another value is given first and taken back at the agent's next question
    change       another answer is given first and taken back at the agent's next question

A turn of a detour has no node, but for the answers of `volunteer`, `correct` and `change`, which are the graph's.
Nor has the goodbye of a customer (`stop`), with which most conversations end.

`plan_all` samples paths: `cover` (every pair of choices that execution can reach, in few conversations), `weighted`
(Algorithm 1) or `vanilla` (random walks). What no data lead down is dropped and counted; so is a plan said twice.
The id of a plan, and all that is drawn for it, come of what is chosen and given in it alone: with `cover`, a change of
the procedure, or of the rows, leaves most plans as they are that it is not about (`bench.stability` says how many).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Literal, cast, get_args

from pydantic import JsonValue

from toologue import keys
from toologue.errors import BadSetting
from toologue.plan.procedures.answers import Option
from toologue.plan.procedures.explore import Explorer, FeasiblePath, after_result, apply_sets, call_of, slips
from toologue.plan.procedures.far_off import FarOff, far_off
from toologue.plan.procedures.made_up import made_up_field
from toologue.plan.procedures.noise import NOISE, NoiseMessage, NoiseMode, noise_bank
from toologue.plan.procedures.paths import Coverage, coverage, greedy, vanilla, weighted
from toologue.plan.procedures.service import Service
from toologue.plan.procedures.unreached import Unreached, unreached
from toologue.plan.procedures.value_errors import spoil, wanted_form
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.course import State
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import AgentTurn, Cue, Dialogue, Graph, Node, Plan, Procedure, Result, Turn, UserTurn, ValueKind
from toologue.text.bank import Register, speaker_of
from toologue.text.tokens import singular
from toologue.values.conditions import embedded
from toologue.values.json_schema import list_of, object_of, properties_of


class Astray(Exception):
    """The way leads elsewhere."""


Detour = Literal["malformed", "contradict", "volunteer", "correct", "change"]
DETOURS: tuple[Detour, ...] = get_args(Detour)
# What is read from paper or typed, sign by sign.
_READ = ("reference", "order_number", "email", "phone")
# Answers that tell what has happened.
_FACT = re.compile(r"(?:it|they|somebody|nobody) (?!want|would|cannot|can\b|will|need|prefer|is too)", re.IGNORECASE)
# How many of those whom nobody keeps say goodbye.
_CLOSES = 0.85


@dataclass(frozen=True)
class Detours:
    """How customers leave the straight path. `noise`: the chance at each reply (3.6: 0.2); `mode`: what then happens.

    `most_noise`: how often in a conversation; `kind`: one of the other detours, made where it fits first; `own`: the
    messages to take first, where there are any; `said`: those to leave out.
    """

    noise: float = 0.0
    most_noise: int = 1
    mode: NoiseMode = "resume"
    kind: Detour | None = None
    own: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()


@dataclass
class _Conversation:
    ground: Explorer
    trail: FeasiblePath
    detours: Detours
    rng: Random
    register: Register
    done: Detour | None = None
    # Whether the last way was that of somebody who is out of tries at giving something.
    failed: bool = False
    skip: int = -1
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
        link = self.links[place]
        if self.nodes[place].type != "assistant" and self.steering.choose(self.state, self.values) != link:
            raise Astray
        self.values = apply_sets(link, self.values)
        self.state = self.steering.after(self.state, link)
        self.path.append(link.id)
        here = self.graph.by_id[link.target]
        over = link.tries is not None and link.tries.over and bool(self.graph.by_id[link.tries.node].collects)
        self.failed = over or (self.failed and here.type != "user")

    def say(self, turn: Turn, cue: Cue) -> None:
        """Add a turn; what an agent's words must get across stays with it, for whoever grades other words."""
        if turn.role == "agent" and cue.move != "call":
            turn = turn.replace(extra={"must": cue.model_dump(mode="json", exclude_defaults=True)})
        self.turns.append(turn)
        self.cues.append(cue)

    def speak(self, node: Node) -> None:
        self.say(AgentTurn(text="", node=node.id), self.cue_of(node))

    def cue_of(self, node: Node) -> Cue:
        """The cue of an agent's message. Raises Astray where it would show null."""
        step = self.ground.procedure.step(node.step or 0)
        text = step.text if step else node.text
        move = "end" if not self.graph.exits(node.id) else "say" if step and step.kind == "say" else "ask"
        found = embedded(text)
        shown = {expression.text: expression.value(self.values) for expression in found}
        if None in shown.values():
            raise Astray
        before: dict[str, JsonValue] = {"failed": True} if self.failed else {}
        made: list[JsonValue] = [
            one.text for one in found if made_up_field(one, self.ground.procedure, self.ground.service)
        ]
        before |= {"made_up": made} if made else {}
        return Cue(move=move, text=text, values=shown, kinds=self.kinds(step.collects if step else ()), before=before)

    def kinds(self, slots: Sequence[str]) -> dict[str, ValueKind]:
        return {slot: self.ground.answers.slots[slot].kind for slot in slots if slot in self.ground.answers.slots}

    def call(self, node: Node, place: int) -> None:
        act = call_of(node, self.values)
        result = self.world.do(act) if self.world else self.trail.results.get(place, Result())
        self.say(AgentTurn(acts=(act,), results=(result,), node=node.id), Cue(move="call"))
        self.values = after_result(node, self.values, result)

    def inform(self, node: Node, cue: Cue, given: Option, detour: Detour | None = None) -> None:
        """A reply of the graph, with which the customer may leave the straight path."""
        self.done = detour or self.done
        marks: dict[str, JsonValue] = {"detour": detour} if detour else {}
        marks |= {"wrong": given.wrong} if given.wrong else {}
        values = dict(given.values)
        cue = cue.replace(values=values, kinds=self.kinds([*values]))
        self.say(UserTurn(informed=values, node=node.id, extra=marks), cue)
        self.values = {**self.values, **values}

    def aside(self, cue: Cue, extra: dict[str, JsonValue], answer: Cue) -> None:
        self.say(UserTurn(extra=extra), cue)
        self.say(AgentTurn(text=""), answer)

    @property
    def question(self) -> Cue:
        return next(cue for cue in reversed(self.cues) if cue.move in ("ask", "say"))

    def all(self) -> None:
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
        if self.cues[-1].move == "end" and self.rng.random() < _CLOSES:
            self.say(UserTurn(stop="done"), Cue(move="close"))

    def reply(self, place: int, node: Node) -> None:
        given = self.trail.given.get(place - 1)
        if place == 1:
            issues = [text for text in (self.ground.procedure.issue, *self.ground.procedure.wordings) if text]
            ahead = self.ahead(place) if self.wants("volunteer") and self.rng.random() < 0.5 else None
            text = keys.drawn(issues or [self.ground.procedure.title], self.trail.signature, label=str)[0]
            self.inform(node, Cue(move="open", text=text), ahead or Option(), "volunteer" if ahead else None)
            return
        answers = {link.target for link in self.graph.exits(self.nodes[place - 1].id)}
        confirms = not {"yes", "no"}.isdisjoint(self.graph.by_id[id].text.lower() for id in answers)
        if self.make_noise(confirms) and self.detours.mode == "published":
            return
        alone = len(answers) == 1
        move = "give" if given and alone else "acknowledge" if alone else "choose"
        cue, detour = Cue(move=move, text="" if alone else node.text), None
        if (given and not given.wrong and self.misspell(given)) or self.contradict(node):
            pass
        elif given and alone and self.wants("volunteer") and not self.said(given) and (ahead := self.ahead(place)):
            cue, detour = cue.replace(move="volunteer"), "volunteer"
            given = Option({**given.values, **ahead.values})
        elif not (given and given.wrong) and (old := self.false_start(place, node, given)):
            detour = "correct" if given and alone else "change"
            cue = cue.replace(move=detour, before=old)
        self.inform(node, cue, given or Option(), detour)

    def said(self, given: Option) -> bool:
        """Whether something was given for these slots before."""
        return any(given.values.keys() & turn.informed.keys() for turn in self.turns if turn.role == "user")

    def wants(self, detour: Detour) -> bool:
        return self.detours.kind == detour and self.done is None

    def make_noise(self, confirms: bool) -> bool:
        """Something else in place of an answer, nothing in place of a nod; `confirms`: if the answer is yes or no."""
        made = sum(cue.move == "noise" for cue in self.cues)
        if made >= self.detours.most_noise or self.rng.random() >= self.detours.noise:
            return False
        question, ends, message = self.question, self.detours.mode == "published", self.message(confirms)
        if question.move != "ask" or message is None:
            return False
        noise: dict[str, JsonValue] = {"kind": message.kind, "id": message.id, "severity": message.severity}
        noise |= {"ends": True} if ends else {}
        answer = Cue(move="refuse", text=message.reply, kinds=question.kinds)
        answer = answer if ends else answer.replace(again=question.text, values=question.values)
        self.aside(Cue(move="noise", text=message.text), {"noise": noise}, answer)
        return True

    def message(self, confirms: bool) -> NoiseMessage | None:
        """One that this customer would say here and nobody has said, first of those that no other procedure has.

        In place of a yes or a no that is what tries to get more than that; abuse has a reason.
        """
        said = {*self.detours.said}
        said |= {str(object_of(turn.extra.get("noise")).get("id")) for turn in self.turns}
        failed = any(one and one.error for turn in self.turns if turn.role == "agent" for one in turn.results)
        angry = failed or self.register == "annoyed"
        every = (one for one in noise_bank() if one.id not in said)
        fitting = (one for one in every if one.is_like(self.register, angry=angry))
        fitting = (one for one in fitting if not confirms or one.severity == "wrong_write")

        def order(one: NoiseMessage) -> tuple[bool, int]:
            return one.id not in self.detours.own, keys.seed_of(self.trail.signature, one.id)

        return min(fitting, key=order, default=None)

    def misspell(self, given: Option) -> bool:
        if not self.wants("malformed") or any(one.wrong for one in self.trail.given.values()):
            return False
        for name, value in self.rng.sample([*given.values.items()], len(given.values)):
            slot = self.ground.answers.slots[name]
            if not isinstance(value, str) or slot.kind in ("reason", "name"):
                continue
            spoilt = spoil(value, slot.schema, seed=self.rng.getrandbits(32), kind=slot.kind)
            if spoilt and spoilt.malformed:
                cue = Cue(move="malformed", values={name: spoilt.said}, kinds=self.kinds([name]))
                said: dict[str, JsonValue] = {**given.values, name: spoilt.said}
                form = wanted_form(value, slot.schema, slot.kind)
                self.aside(cue, {"detour": "malformed", "said": said}, self.question.replace(before={"form": form}))
                self.done = "malformed"
                return True
        return False

    def contradict(self, reply: Node) -> bool:
        if not self.wants("contradict") or reply.text.lower() in ("yes", "no"):  # a doubt would be taken for the answer
            return False
        question = self.question
        for expression, value in question.values.items():
            root, _, name = expression.rpartition(".")
            table = self.ground.answers.table((root, name)) if root.isidentifier() else None
            stated = re.search(rf"\b(?:is|are|was|were) (?:\w+ )?\{{{re.escape(expression)}\}}", question.text)
            if table and stated and (other := self.believed(expression, str(value))):
                said, fact = (f"the {singular(table)} is {code}".replace("_", " ") for code in (value, other))
                cue = Cue(move="contradict", text=said, values={"fact": fact})
                answer = question.replace(move="insist", text=f"that {said}", again=question.text)
                self.aside(cue, {"detour": "contradict"}, answer)
                self.done = "contradict"
                return True
        return False

    def believed(self, expression: str, value: str) -> str | None:
        """What somebody takes a code for: another one that the procedure asks about, a later one if there is one."""
        returns = (properties_of(api.returns) for api in self.ground.service.apis.values())
        listed = (list_of(object_of(fields.get(expression.rpartition(".")[2])).get("enum")) for fields in returns)
        codes = next(([*map(str, found)] for found in listed if value in found), list[str]())
        conditions = (branch.condition for step in self.ground.procedure.steps for branch in step.branches)
        told = " ".join(condition for condition in conditions if expression in condition)
        others = [code for code in codes if code != value and f'"{code}"' in told]
        later = (code for code in others if codes.index(code) > codes.index(value))
        return next(later, others[-1] if others else None)

    def ahead(self, place: int) -> Option | None:
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
            if given.values.keys() & self.values.keys() or embedded(node.text) or any(map(self.is_day, given.values)):
                return None
            if any(map(self.writes, self.nodes[place:later])):
                return None
            self.skip = later + 1
            return given
        return None

    def is_day(self, slot: str) -> bool:
        """Whether a slot is a day, which says nothing before somebody has asked what happens on it."""
        known = self.ground.answers.slots[slot]
        return known.kind == "date" and not known.by_heart

    def writes(self, node: Node) -> bool:
        api = self.ground.service.apis.get(node.text) if node.type == "api" else None
        return api is not None and api.writes

    def false_start(self, place: int, node: Node, given: Option | None) -> dict[str, JsonValue] | None:
        """Another answer first, up to the agent's next question; what of it is to be taken back."""
        if self.world is None or not (self.wants("correct") or self.wants("change")):
            return None
        said, values, mark = len(self.turns), self.values, self.world.mark()
        for other, wrong in keys.drawn(self.others(place, node, given), self.trail.signature, label=_label):
            try:
                self.try_out(other, wrong, node)
                return dict(wrong.values) if wrong.values else {"choice": other.text}
            except Astray:
                del self.turns[said:], self.cues[said:]
                self.world.rewind(mark)
            finally:
                self.values = values
        return None

    def others(self, place: int, node: Node, given: Option | None) -> Iterator[tuple[Node, Option]]:
        if self.wants("correct") and given:
            asked = self.ground.given_by(node, self.nodes[place - 1].id)
            said = {one.key for one in self.trail.given.values()}
            for option in self.ground.answers.options(asked, given.knows, seed=0):
                differing = [name for name, value in given.values.items() if option.values.get(name) != value]
                if option.wrong or len(differing) != 1 or option.key in said:
                    continue
                if self.errs(differing[0], given, option):
                    yield node, option
        if self.wants("change") and not given:
            for link in self.graph.exits(self.nodes[place - 1].id):
                other = self.graph.by_id[link.target]
                facts = _FACT.match(node.text) and _FACT.match(other.text)  # what has happened nobody takes back
                if other.id != node.id and not other.collects and not facts:
                    yield other, Option()

    def errs(self, slot: str, right: Option, wrong: Option) -> bool:
        """Whether somebody could say one value for the other: none that they know by heart, no wholly other code."""
        known = self.ground.answers.slots[slot]
        return not known.by_heart and (known.kind not in _READ or slips(right, wrong) <= 2)

    def try_out(self, node: Node, given: Option, meant: Node) -> None:
        """Play another answer up to the agent's next question. Raises Astray where that does not go.

        Nor does it where that question can be answered with what is meant: nobody could tell which one it is for.
        """
        state = State(node.id, self.state.entered)
        limited = set(self.steering.limits)
        cue = Cue(move="give") if given.values else Cue(move="choose", text=node.text)
        self.inform(node, cue, given)
        while True:
            here = self.graph.by_id[state.node]
            if here.type == "api":
                if here.text not in self.ground.service.apis or self.writes(here):
                    raise Astray
                self.call(here, 0)
            elif here.type == "assistant":
                heard = {self.graph.by_id[link.target].text for link in self.graph.exits(here.id)}
                counts_anew = here.id in limited or state.entered != self.state.entered
                if not heard or meant.text in heard or counts_anew:
                    raise Astray
                self.speak(here)
                return
            onward = self.steering.choose(state, self.values)
            if onward is None or onward.target in limited:
                raise Astray
            self.values, state = apply_sets(onward, self.values), self.steering.after(state, onward)


def _label(other: tuple[Node, Option]) -> str:
    return f"{other[0].text} {other[1].key}"


def plan_of(ground: Explorer, trail: FeasiblePath, *, id: str, seed: int, detours: Detours = Detours()) -> Plan | None:
    """The plan of a trail, or None where it cannot be had."""
    register, _ = speaker_of("customer", id, seed)
    talk = _Conversation(ground, trail, detours, Random(keys.seed_of(seed, trail.signature)), register)
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


Sampler = Literal["cover", "weighted", "vanilla"]

# So many paths may be proposed for each conversation that is wanted.
_TRIES = 6


@dataclass
class Tally:
    """What became of the paths that were proposed."""

    proposed: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True)
class Planned:
    """The plans of a procedure, their graph, what they cover and do not reach or keep far off, and the tally."""

    procedure: Procedure
    graph: Graph
    plans: tuple[Plan, ...]
    coverage: Coverage
    tally: Tally
    unreached: tuple[Unreached, ...] = ()
    far: tuple[FarOff, ...] = ()


def plan_all(
    procedure: Procedure,
    service: Service,
    count: int,
    *,
    sampler: Sampler = "cover",
    noise: float = NOISE,
    most_noise: int = 1,
    mode: NoiseMode = "resume",
    detours: float = 0.3,
    until: float = 1.0,
    seed: int = 0,
    own: frozenset[str] = frozenset(),
) -> Planned:
    """Up to `count` plans; with `cover` at least as many as a cover needs, where `count` is 0 just those.

    `until`: the share of what execution can reach that a cover must see; `own`: the noise to take first.
    """
    for name, share in (("noise", noise), ("detours", detours), ("until", until)):
        if not 0 <= share <= 1:
            raise BadSetting(f"{name} is {share}: a number from 0 to 1 is wanted, for example 0.2")
    if count < 0 or (sampler != "cover" and not count):
        raise BadSetting(f"count is {count}: {'0' if sampler == 'cover' else '1'} or more is wanted")
    ground = Explorer(procedure, conversation_graph(flowgraph(procedure)), service, seed=seed)
    tally, plans, known = Tally(), list[Plan](), set[str]()
    cover = _until(ground, ground.cover(), until) if sampler == "cover" else []
    wanted = max(count, len(cover))
    ids, said = set[str](), set[str]()
    for trail in _proposed(ground, sampler, wanted, cover, seed):
        if len(plans) >= wanted:
            break
        tally.proposed += 1
        plan = None
        if trail:
            rng = Random(keys.seed_of(seed, "detours", trail.signature))
            kinds = sorted(rng.sample(DETOURS, len(DETOURS)), key="malformed".__eq__) if rng.random() < detours else []
            heard = frozenset(said)
            chosen = [Detours(noise, most_noise, mode, kind, own=own, said=heard) for kind in (*kinds, None)]
            plan = _planned(ground, trail, _id(procedure, trail, ids), chosen, seed)
        if plan is None:
            tally.dropped["words would show what is not there" if trail else "no data lead there"] += 1
        elif (key := _content(plan)) in known:
            tally.dropped["the same conversation twice"] += 1
        else:
            known.add(key)
            ids.add(plan.dialogue.id)
            said |= {str(object_of(turn.extra.get("noise")).get("id")) for turn in plan.dialogue.turns}
            plans.append(plan)
    tally.kept = len(plans)
    by_link = ground.graph.by_link
    paths = (cast("list[str]", plan.dialogue.origin["path"]) for plan in plans)
    walks = (ground.steering.walk([by_link[link] for link in path]) for path in paths)
    seen = coverage(ground.graph, walks)
    missed = tuple(unreached(ground, seen, tally.dropped))
    return Planned(procedure, ground.graph, tuple(plans), seen, tally, missed, tuple(far_off(ground)))


def _planned(ground: Explorer, trail: FeasiblePath, id: str, chosen: Sequence[Detours], seed: int) -> Plan | None:
    for detours in chosen:
        plan = plan_of(ground, trail, id=id, seed=seed, detours=detours)
        if plan is None or plan.dialogue.origin["detour"] == detours.kind:
            return plan
    return None


def _proposed(
    ground: Explorer, sampler: Sampler, wanted: int, cover: list[FeasiblePath], seed: int
) -> Iterator[FeasiblePath | None]:
    if sampler == "cover":
        yield from cover
        yield from ground.trails(wanted * _TRIES)
        return
    came = Counter[tuple[str, ...]]()
    for walk in (weighted if sampler == "weighted" else vanilla)(ground.graph, wanted * _TRIES, seed=seed):
        came[walk.links] += 1
        yield ground.along(walk, came[walk.links])


def _until(ground: Explorer, trails: list[FeasiblePath], until: float) -> list[FeasiblePath]:
    """The trails that see a share of what they all see; those that see most come first."""
    seen = [ground.sights(trail) for trail in trails]
    enough = len(frozenset[object]().union(*seen)) * (1 - until)
    return [trails[place] for place, missing in greedy(seen) if missing > enough]


def _id(procedure: Procedure, trail: FeasiblePath, taken: Collection[str]) -> str:
    """The name of the procedure, and four signs that stand for what is chosen and given."""
    ids = (f"{procedure.id}-{keys.code(trail.signature, number)}" for number in count())
    return next(id for id in ids if id not in taken)


def _content(plan: Plan) -> str:
    told = [cue.model_dump(mode="json", exclude={"kinds"}) for cue in plan.cues]
    acts = [act.model_dump(mode="json") for turn in plan.dialogue.turns if turn.role == "agent" for act in turn.acts]
    return keys.content_key([told, acts])
