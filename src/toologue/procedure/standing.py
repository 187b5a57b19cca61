"""Where somebody stands in a course: the node, what is known, what was given and volunteered, the way that led here.

A `Stand` never changes; whatever happens makes another, so that going back is looking up an old one. `Walking` knows
the steps that words do not decide: taking a link, passing questions that are answered already, what a call gave.

Contract: pure. A condition or an expression that makes no sense of the values at hand is null.

Example:
    >>> from toologue.procedure.course import course_of
    >>> from toologue.schema import Brief
    >>> walking = Walking(course_of(Brief(instructions='''# Hello
    ... 1. **Ask** who they are. Collect `name`.
    ... 2. **Ask** whether {name} is right.
    ...    - Yes: go to 3.
    ...    - No: go to 1.
    ... 3. **End**: say goodbye.
    ... ''')))
    >>> start = walking.begin({})
    >>> asked = walking.arrived(walking.taken(start, walking.exit(start)))
    >>> asked.node, walking.arrived(asked.but(early={"name": "Ann"})).node
    ('N1', 'N2')

Not covered: what words mean; see `following`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import JsonValue

from toologue.errors import BadSetting
from toologue.procedure.course import Course
from toologue.procedure.steering import State
from toologue.schema import Call, Link, Result
from toologue.values.conditions import parse

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

    def but(self, **changed: Any) -> Stand:
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
        answers = self.answers(stand)
        links = (
            link for link in self.course.steering.exits(stand.state) if link.text not in answers or link.text == answer
        )
        return next((link for link in links if not link.condition or evaluated(link.condition, stand.values)), None)

    def taken(self, stand: Stand, link: Link) -> Stand:
        """Behind a link."""
        sets = {name: evaluated(expression, stand.values) for name, expression in link.sets.items()}
        mark = (Mark(stand, link.text),) if link.text in self.answers(stand) else ()
        state = self.course.steering.after(stand.state, link)
        values = {**stand.values, **sets, "error": None}
        return stand.but(state=state, values=values, partial={}, trail=(*stand.trail, *mark))

    def arrived(self, stand: Stand) -> Stand:
        """Where there is something to do or to say: questions whose answers are known already are passed."""
        while self.kind(stand) == "message":
            slots = self.course.step(stand.node).collects
            known = {slot: stand.early[slot] for slot in slots if slot in stand.early}
            if not known:
                return stand
            if len(known) < len(slots) or self.answers(stand):
                return stand.but(partial=known)
            given = self.given(stand, known)
            link = self.exit(given)
            if link is None:
                return stand
            stand = self.taken(given, link)
        return stand

    def given(self, stand: Stand, values: Values) -> Stand:
        """With values that the customer gave."""
        early = {slot: value for slot, value in stand.early.items() if slot not in values}
        return stand.but(values={**stand.values, **values}, given={**stand.given, **values}, early=early)

    def arguments(self, stand: Stand) -> dict[str, JsonValue]:
        """The arguments of the call here; those that are null are left out."""
        step = self.course.step(stand.node)
        found = {name: evaluated(expression, stand.values) for name, expression in step.arguments.items()}
        return {name: value for name, value in found.items() if value is not None}

    def informed(self, stand: Stand, call: Call) -> Stand:
        """With what the arguments of the call here say about slots."""
        arguments = call.arguments or {}
        slots = {
            expression.strip(): arguments[name]
            for name, expression in self.course.step(stand.node).arguments.items()
            if name in arguments and expression.strip() in self.course.slots
        }
        return self.given(stand, slots)

    def called(self, stand: Stand, call: Call, result: Result) -> Stand:
        """At the call here, with what it gave: the way on is not taken yet."""
        fault = result.error and {"type": result.error.type, "message": result.error.message}
        name = self.course.step(stand.node).result
        came = {"error": fault, **({name: result.value} if name else {})}
        wrote = self.course.writes(call.api) and fault is None
        return stand.but(values={**stand.values, **came}, trail=(*stand.trail, Mark(stand, wrote=wrote)))


def evaluated(expression: str, values: Values) -> JsonValue:
    """What an expression comes to; null where it makes no sense."""
    try:
        return parse(expression).value(values)
    except BadSetting:
        return None
