"""A history, replayed along a course: what was said and called so far, and what comes next.

What the agent did need not be what it would have done: calls are found along the ways from here, and tell the values of
their slots; words count as another step's where they are clearly more like it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, NamedTuple

from pydantic import JsonValue

from toologue.models.similarity import Similarity
from toologue.procedure.answers import Hearing, Why
from toologue.procedure.course import Course, Stand, Walking, evaluate
from toologue.procedure.grammar import verbalize_step
from toologue.schema import AgentTurn, Call, Link, Turn

# How much more the agent's words in the history must be like another step than like the one that was expected.
_SURER = 0.15
_DECLINES: Mapping[str, str] = {
    "": "",
    "missing": "Thank you.",
    "malformed": "That does not look right.",
    "late": "I'm sorry, that has been done already.",
    "doubt": "I can only go by what I see here.",
    "attack": "I'm afraid I can't do that.",
    "private": "I'm afraid I can't share that.",
    "abuse": "I understand that you are upset.",
    "elsewhere": "I'm afraid I can't help with that here.",
    "chat": "I see. Let's go on.",
}


_Kind = Literal["call", "ask", "end", "bye"]


class Move(NamedTuple):
    """What comes next: a call, the words of a step, or nothing but a goodbye; `why` the agent stays where it is."""

    kind: _Kind
    why: Why = ""


_MOVES: Mapping[str, _Kind] = {"api": "call", "end_message": "end", "message": "ask"}


@dataclass(frozen=True)
class Manner:
    """How an agent carries out its procedure. Whoever is careful has all of these but the last.

    `confirms`: asks the questions that have only yes and no for answers, instead of taking a yes for granted.
    `verifies`: heeds conditions that compare what the customer says with what is on file, instead of the Otherwise.
    `refuses`: declines what is no answer, instead of making the next write.
    `invents`: makes up values that are missing.
    """

    confirms: bool = True
    verifies: bool = True
    refuses: bool = True
    invents: bool = False


CAREFUL = Manner()


class Follower:
    """Reads one conversation along one course."""

    def __init__(
        self,
        course: Course,
        alike: Similarity,
        *,
        facts: Mapping[str, JsonValue] | None = None,
        manner: Manner = CAREFUL,
    ):
        self._walking = Walking(course) if manner.verifies else _Unverified(course)
        self._hearing = Hearing(self._walking, alike)
        self._alike, self._manner = alike, manner
        self._begins = self._walking.begin(facts or {})
        self._restart()

    def _restart(self) -> None:
        self._read: list[Turn] = []
        self._stand = self._before = self._begins
        self._move = Move("bye")
        self._over = False

    @property
    def stand(self) -> Stand:
        """Where the conversation stands."""
        return self._stand

    def read(self, history: Sequence[Turn]) -> Move:
        """What comes next, after this history."""
        if self._read != list(history[: len(self._read)]):
            self._restart()
        said: list[str] = []
        for turn in history[len(self._read) :]:
            self._read.append(turn)
            if turn.role == "user":
                said.append(turn.text)
                continue
            self._hear(said)
            said = []
            self._see(turn)
        self._hear(said)
        return self._move

    def call(self) -> Call:
        """The call that comes next."""
        step = self._walking.course.step(self._stand.node)
        arguments = self._walking.arguments(self._stand)
        if self._manner.invents and step.api in self._walking.course.apis:
            arguments = _invent(self._walking.course, step.api) | arguments
        return Call(api=step.api, arguments=arguments)

    def words(self) -> str:
        """The words that come next."""
        if self._move.kind == "bye":
            return "You are welcome. Goodbye!"
        words, partial = self._words_of(self._stand), self._stand.partial
        missing = [slot for slot in self._walking.course.step(self._stand.node).collects if slot not in partial]
        if self._move.why in ("missing", "malformed") and partial and missing:
            listed = " and ".join(slot.replace("_", " ") for slot in missing)
            words = f"Could you tell me the {listed} as well?"
        return f"{_DECLINES[self._move.why]} {words}".strip()

    # ---- the customer

    def _hear(self, said: Sequence[str]) -> None:
        if not said:
            return
        if self._over:
            self._move = Move("bye")
            return
        self._before = self._stand
        stand, why = self._hearing.understand(self._stand, "\n".join(said))
        if why and not self._manner.refuses and (writing := self._next_write(stand)):
            stand, why = writing, ""
        self._go(self._arrive(stand) if not why else stand, why)

    def _go(self, stand: Stand, why: Why = "") -> None:
        kind = _MOVES.get(self._walking.kind(stand), "bye")
        self._stand, self._move = stand, Move(kind, why)

    def _arrive(self, stand: Stand) -> Stand:
        stand = self._walking.arrive(stand)
        while not self._manner.confirms and (link := self._assumed_yes(stand)):
            stand = self._walking.arrive(self._walking.take(stand, link))
        return stand

    def _assumed_yes(self, stand: Stand) -> Link | None:
        answers = {one.casefold(): one for one in self._walking.answers(stand)}
        return self._walking.exit(stand, answers["yes"]) if answers.keys() == {"yes", "no"} else None

    def _next_write(self, stand: Stand) -> Stand | None:
        course = self._walking.course
        calls = {step.api for step in course.procedure.steps if step.kind == "call" and course.writes(step.api)}
        return next((way for api in sorted(calls) if (way := self._way(stand, api, {}))), None)

    # ---- the agent

    def _see(self, turn: AgentTurn) -> None:
        for act, result in zip(turn.acts, turn.results or (None,) * len(turn.acts), strict=False):
            if act.kind == "call" and result is not None and (at := self._call_site(act)):
                at = self._walking.inform(at, act)
                self._before = self._walking.record(at, act, result)
                link = self._walking.exit(self._before)
                self._go(self._arrive(self._walking.take(self._before, link)) if link else at)
        if turn.text is not None and not turn.acts:
            self._match_words(turn.text)

    def _call_site(self, call: Call) -> Stand | None:
        flow = self._walking.course.flow
        if flow.by_id[self._stand.node].text == call.api and not self._unlike(self._stand, call):
            return self._stand
        arguments = call.arguments or {}
        back = (mark.stand for mark in reversed(self._stand.trail) if flow.by_id[mark.stand.node].text == call.api)
        ways = [self._way(stand, call.api, arguments) for stand in (self._before, self._stand)]
        return next((stand for stand in (*ways[:1], *back, *ways[1:]) if stand is not None), None)

    def _unlike(self, stand: Stand, call: Call) -> bool:
        """Whether literal arguments of the call here are others."""
        given = call.arguments or {}
        expected = {name: evaluate(text, {}) for name, text in self._walking.course.step(stand.node).arguments.items()}
        return any(expected.get(name) not in (None, value) for name, value in given.items())

    def _way(self, stand: Stand, api: str, arguments: Mapping[str, JsonValue]) -> Stand | None:
        """Behind the shortest way to a call of this Api, over questions alone where there is such a way."""
        course, call = self._walking.course, Call(api=api, arguments=dict(arguments))
        found: list[tuple[bool, int, int, Stand]] = []
        for node in (one for one in course.flow.nodes if one.type == "api" and one.text == api):
            if way := course.steering.way(stand.state, lambda _, there, to=node.id: there.node == to):
                there = reduce(self._walking.take, way, stand)
                passed = sum(course.flow.by_id[link.target].type == "api" for link in way)
                found.append((self._unlike(there, call), passed, len(way), there))
        return min(found, key=lambda one: one[:3])[3] if found else None

    def _match_words(self, text: str) -> None:
        """Words of the agent: those of the expected step, unless they are clearly more like another one's."""
        if self._move.kind != "bye" and text != self.words():
            expected = self._alike(self._words_of(self._stand), text) if self._move.kind != "call" else -1.0
            others = [(self._alike(self._words_of(one), text), one) for one in self._instead()]
            surer = _SURER if not self._move.why else _SURER / 3  # the customer was not understood
            if others and (top := max(others, key=lambda one: one[0]))[0] > expected + surer:
                self._stand = top[1]
        self._over = self._walking.kind(self._stand) == "end_message"

    def _instead(self) -> Iterator[Stand]:
        """What else could have been said: the question before once more, or what its other answers lead to."""
        if self._walking.kind(self._before) == "message":
            yield self._before
        for link in self._walking.course.steering.exits(self._before.state):
            there = self._walking.take(self._before, link)
            if self._walking.kind(there) in ("message", "end_message") and there.node != self._stand.node:
                yield there

    def _words_of(self, stand: Stand) -> str:
        return verbalize_step(self._walking.course.step(stand.node), stand.values)


class _Unverified(Walking):
    """Takes the Otherwise where what the customer says would be compared with what is on file."""

    def exit(self, stand: Stand, answer: str = "") -> Link | None:
        """The link, compared with nobody's data."""
        links = self.course.steering.exits(stand.state)
        if self.kind(stand) == "api":
            links = [link for link in links if "!=" not in link.condition or link.condition.endswith("null)")]
            return next((one for one in links if not one.condition or evaluate(one.condition, stand.values)), None)
        return super().exit(stand, answer)


def _invent(course: Course, api: str) -> dict[str, JsonValue]:
    from toologue.values.make import make

    parameters = course.apis[api].parameters
    return {name: make(parameters[name].json_schema, seed=0) for name in course.apis[api].required}
