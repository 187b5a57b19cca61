"""The course that a brief prescribes, ways through its graph, and where a conversation stands in it.

A slot is typed by what it feeds: the parameter of a call that gets it as it is, else the field of a result that a
condition compares it with, else the examples of the procedure. A condition or expression that makes no sense of the
values at hand is null.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from pydantic import JsonValue

from toologue.errors import BadSetting
from toologue.formats.procedure import read
from toologue.procedure.flowgraph import flowgraph, lost
from toologue.schema import Api, Brief, Call, Graph, Link, Procedure, Result, Step, Walk
from toologue.schema.procedure import way
from toologue.values.conditions import parse


class State(NamedTuple):
    """Where a walk stands: the node, and how often each limited node was entered (at most as often as it counts)."""

    node: str
    entered: tuple[int, ...] = ()


class Steering:
    """A graph as those see it who walk through it."""

    def __init__(self, graph: Graph):
        self.graph = graph
        if not graph.roots:
            raise BadSetting(f"graph {graph.id!r} has no node to begin at: every node is led to")
        root, *others = graph.roots
        if others:
            raise BadSetting(f"graph {graph.id!r} has {len(graph.roots)} nodes to begin at: {', '.join(graph.roots)}")
        if astray := [violation for violation in lost(graph, graph.roots) if violation.rule == "no way out"]:
            raise BadSetting(f"graph {graph.id!r}: from {astray[0].at} no way leads to an end; a walk would not end")
        self.limits = dict(sorted({link.tries.node: link.tries.times for link in graph.links if link.tries}.items()))
        self._places = {node: place for place, node in enumerate(self.limits)}
        self.start = self._entered(root, (0,) * len(self.limits))

    def exits(self, state: State) -> list[Link]:
        """The links that are open in a state; none at an end."""
        exits = self.graph.exits(state.node)
        open_ones = [link for link in exits if self.is_open(link, state)]
        if exits and not open_ones:
            raise BadSetting(f"graph {self.graph.id!r}: no exit of {state.node} is open after so many tries")
        return open_ones

    def is_open(self, link: Link, state: State) -> bool:
        """Whether a link may be taken in a state, as far as tries go."""
        tries = link.tries
        return tries is None or (state.entered[self._places[tries.node]] >= tries.times) == tries.over

    def choose(self, state: State, values: Mapping[str, JsonValue]) -> Link | None:
        """The link that values lead down: the first open one whose condition holds. None if there is no such link."""
        links = self.exits(state)
        return next((one for one in links if not one.condition or parse(one.condition).holds(values)), None)

    def after(self, state: State, link: Link) -> State:
        """The state that a link leads to."""
        return self._entered(link.target, state.entered)

    def along(self, state: State, links: Iterable[Link]) -> State:
        """The state that links lead to, one after the other."""
        return reduce(self.after, links, state)

    def way(self, state: State, wanted: Callable[[Link, State], bool]) -> list[Link] | None:
        """The shortest way on whose last link, and the state it leads to, are wanted. None if there is no such way."""
        return way(state, lambda here: ((link, self.after(here, link)) for link in self.exits(here)), wanted)

    def out(self, state: State) -> list[Link]:
        """The shortest way to an end; empty at an end."""
        if not self.graph.exits(state.node):
            return []
        return self.way(state, lambda _, there: not self.graph.exits(there.node)) or []

    def walk(self, links: list[Link]) -> Walk:
        """The walk that links make from the root."""
        nodes = (self.start.node, *(link.target for link in links))
        return Walk(graph=self.graph.id, nodes=nodes, links=tuple(link.id for link in links))

    def _entered(self, node: str, entered: tuple[int, ...]) -> State:
        if anew := self.graph.renews.get(node):
            entered = tuple(0 if one in anew else times for one, times in zip(self.limits, entered, strict=True))
        place = self._places.get(node)
        if place is not None and entered[place] < self.limits[node]:
            entered = (*entered[:place], entered[place] + 1, *entered[place + 1 :])
        return State(node, entered)


# What is looked for by words.
_SOUGHT = re.compile(r"query|search|keyword|text|name")
_COMPARED = r"(?:==|!=|<=|>=|<|>)"
_PATH = r"(?P<path>[A-Za-z]\w*(?:\.\w+|\[\d+\])+)"


@dataclass(frozen=True)
class Slot:
    """What a customer can be asked for: the JSON Schema of its values, and how the documents describe it."""

    name: str
    schema: Mapping[str, Any]
    description: str = ""
    # Whether the procedure leaves it to a call to refuse values: one that does not fit is a value as well.
    lenient: bool = False
    # Whether something is looked up by it: of free words, what looks like an id is meant.
    is_key: bool = False

    @property
    def pattern(self) -> str:
        """The pattern that values have, without its anchors; empty if there is none."""
        pattern = self.schema.get("pattern")
        return pattern.removeprefix("^").removesuffix("$") if isinstance(pattern, str) else ""

    @property
    def is_free(self) -> bool:
        """Whether any text would do: nothing in the schema tells a value from other words."""
        typed = self.schema.get("type", "string") not in ("string", ["string", "null"])
        return not (typed or self.pattern or self.schema.get("format") or self.schema.get("enum"))


@dataclass(frozen=True)
class Course:
    """A procedure that can be followed: its flowgraph, the documents of its calls, its slots."""

    procedure: Procedure
    flow: Graph
    apis: Mapping[str, Api]
    slots: Mapping[str, Slot]

    @cached_property
    def steering(self) -> Steering:
        """The flowgraph, as those see it who walk through it."""
        return Steering(self.flow)

    def step(self, node: str) -> Step:
        """The step that a node of the flowgraph stands for. The greeting has none: look at its type first."""
        number = self.flow.by_id[node].step
        assert number is not None
        return self.procedure.steps[number - 1]

    def writes(self, api: str) -> bool:
        """Whether a call may change the world; what nobody documents only reads."""
        return api in self.apis and self.apis[api].writes


def course_of(brief: Brief) -> Course:
    """Return the course that a brief prescribes, the same one for the same instructions and documents.

    Raises BadFile, with every problem, for instructions that are no procedure in our dialect.
    """
    return _compile(brief.instructions, _Documents(tuple(api.key for api in brief.apis), brief.apis))


@dataclass(frozen=True)
class _Documents:
    keys: tuple[str, ...]
    apis: tuple[Api, ...] = field(compare=False)


@lru_cache(maxsize=256)
def _compile(instructions: str, documents: _Documents) -> Course:
    apis = {api.name: api for api in documents.apis}
    procedure = read(instructions, file="<instructions>")
    collected = dict.fromkeys(name for step in procedure.steps for name in step.collects)
    slots = {name: _slot(name, procedure, apis) for name in collected}
    return Course(procedure, flowgraph(procedure), apis, slots)


def _slot(name: str, procedure: Procedure, apis: Mapping[str, Api]) -> Slot:
    fed = [
        (parameter != name, apis[step.api].parameters[parameter].json_schema, step)
        for step in procedure.steps
        for parameter, expression in step.arguments.items()
        if expression.strip() == name and step.api in apis and parameter in apis[step.api].parameters
    ]
    if fed:  # the parameter of its own name, if there is one
        _, schema, step = min(fed, key=lambda one: one[0])
        lenient = any("invalid" in branch.condition for branch in step.branches if branch.is_failure)
        is_key = not _SOUGHT.search(name) and any(not apis[one.api].writes for _, _, one in fed)
        return Slot(name, schema, str(schema.get("description", "")), lenient, is_key)
    for schema in _compared_schemas(name, procedure, apis):
        return Slot(name, schema, str(schema.get("description", "")))
    examples = procedure.examples.get(name, ())
    numbers = examples and all(isinstance(one, int | float) and not isinstance(one, bool) for one in examples)
    return Slot(name, {"type": "number" if numbers else "string"})


def _compared_schemas(name: str, procedure: Procedure, apis: Mapping[str, Api]) -> Iterator[Mapping[str, Any]]:
    """The schemas of the fields of results that a condition compares a slot with."""
    returned = {step.result: apis[step.api].returns for step in procedure.steps if step.result and step.api in apis}
    conditions = (branch.condition for step in procedure.steps for branch in step.branches)
    turned = _PATH.replace("path", "other")
    either = re.compile(rf"\b{name}\b\s*{_COMPARED}\s*{_PATH}|{turned}\s*{_COMPARED}\s*{name}\b")
    for found in (match for condition in conditions for match in either.finditer(condition)):
        root, *fields = re.findall(r"\w+", found["path"] or found["other"])
        if schema := _subschema(returned.get(root, {}), fields):
            yield schema


def _subschema(schema: Mapping[str, Any], fields: Sequence[str]) -> Mapping[str, Any]:
    for name in fields:
        inner: Any = schema.get("items") if name.isdigit() else schema.get("properties", {}).get(name)
        schema = cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else {}
    return schema


Values = Mapping[str, JsonValue]
_NOTHING: Values = MappingProxyType({})


class Mark(NamedTuple):
    """A place to go back to: where a call was made, or an answer given, before it was. `wrote`: no way back."""

    stand: Stand
    answer: str = ""
    wrote: bool = False


class Stand(NamedTuple):
    """Where a conversation stands.

    `values`: slots, results, facts. `given`: slots as the customer gave them. `early`: given before they were asked
    for. `partial`: given in answer to the question that is open, which asks for more.
    """

    state: State
    values: Values
    given: Values = _NOTHING
    early: Values = _NOTHING
    partial: Values = _NOTHING
    trail: tuple[Mark, ...] = ()

    @property
    def node(self) -> str:
        """The node of the flowgraph."""
        return self.state.node

    def replace(self, **changed: Any) -> Stand:
        """The same, but for these fields."""
        return self._replace(**changed)


class Walking:
    """A course, for those who walk along it."""

    def __init__(self, course: Course):
        self.course = course

    def begin(self, facts: Values) -> Stand:
        """At the greeting."""
        return Stand(self.course.steering.start, {**self.course.procedure.facts, **facts})

    def answers(self, stand: Stand) -> list[str]:
        """The answers that the procedure lists for the question here."""
        if self.kind(stand) == "start_message":
            return []
        return list(dict.fromkeys(one.answer for one in self.course.step(stand.node).branches if one.answer))

    def kind(self, stand: Stand) -> str:
        """The type of the node."""
        return self.course.flow.by_id[stand.node].type

    def exit(self, stand: Stand, answer: str = "") -> Link | None:
        """The link that this answer, or what is known, leads down."""
        others, links = {*self.answers(stand)} - {answer}, self.course.steering.exits(stand.state)
        open_ones = (link for link in links if link.text not in others)
        return next((one for one in open_ones if not one.condition or evaluate(one.condition, stand.values)), None)

    def take(self, stand: Stand, link: Link) -> Stand:
        """Behind a link."""
        sets = {name: evaluate(expression, stand.values) for name, expression in link.sets.items()}
        mark = (Mark(stand, link.text),) if link.text in self.answers(stand) else ()
        state = self.course.steering.after(stand.state, link)
        values = {**stand.values, **sets, "error": None}
        return stand.replace(state=state, values=values, partial={}, trail=(*stand.trail, *mark))

    def arrive(self, stand: Stand) -> Stand:
        """Where there is something to do or to say: questions whose answers are known already are passed."""
        while self.kind(stand) == "message":
            slots = self.course.step(stand.node).collects
            known = {slot: stand.early[slot] for slot in slots if slot in stand.early}
            if not known:
                return stand
            if len(known) < len(slots) or self.answers(stand):
                return stand.replace(partial=known)
            given = self.give(stand, known)
            link = self.exit(given)
            if link is None:
                return stand
            stand = self.take(given, link)
        return stand

    def give(self, stand: Stand, values: Values) -> Stand:
        """With values that the customer gave."""
        early = {slot: value for slot, value in stand.early.items() if slot not in values}
        return stand.replace(values={**stand.values, **values}, given={**stand.given, **values}, early=early)

    def arguments(self, stand: Stand) -> dict[str, JsonValue]:
        """The arguments of the call here; those that are null are left out."""
        step = self.course.step(stand.node)
        found = {name: evaluate(expression, stand.values) for name, expression in step.arguments.items()}
        return {name: value for name, value in found.items() if value is not None}

    def inform(self, stand: Stand, call: Call) -> Stand:
        """With what the arguments of the call here say about slots."""
        arguments = call.arguments or {}
        slots = {
            expression.strip(): arguments[name]
            for name, expression in self.course.step(stand.node).arguments.items()
            if name in arguments and expression.strip() in self.course.slots
        }
        return self.give(stand, slots)

    def record(self, stand: Stand, call: Call, result: Result) -> Stand:
        """At the call here, with what it gave: the way on is not taken yet."""
        fault = result.error and {"type": result.error.type, "message": result.error.message}
        name = self.course.step(stand.node).result
        came = {"error": fault, **({name: result.value} if name else {})}
        wrote = self.course.writes(call.api) and fault is None
        return stand.replace(values={**stand.values, **came}, trail=(*stand.trail, Mark(stand, wrote=wrote)))


def evaluate(expression: str, values: Values) -> JsonValue:
    """What an expression comes to; null where it makes no sense."""
    try:
        return parse(expression).value(values)
    except BadSetting:
        return None
