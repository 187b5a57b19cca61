"""A simulated customer for procedures, with no model: answers what it is asked, from what it knows, until all is over.

It recognises what the agent asks for by the words of the steps and the names of slots; calls and results that it
observes say what is likely to be asked next. Asked for the same again, it gives the next value, then repeats itself.

`stop` on its last turn says why it leaves: done (the goal's end), refused (another end), loops (asked too often), lost
(twice not understood). What it gave is in `informed`, an answer in `extra["answer"]`, and the number of the step
that it answers in `extra["step"]`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import JsonValue

from toologue.errors import BadSetting
from toologue.models.lexical import words_of
from toologue.models.similarity import Similarity, similarity
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.course import Course, course_of
from toologue.procedure.follower import Follower
from toologue.procedure.grammar import to_me, verbalize_step
from toologue.schema import Case, Dialogue, Step, Turn, UserTurn
from toologue.text.bank import REGISTERS, Register, Voice

_T = TypeVar("_T")
_REPEATS = 2
# How much the agent's words must be like a step's to be recognised, and to say all of it; how much an expected step has
# in advance.
_KNOWN, _WHOLE, _EXPECTED = 0.3, 0.6, 0.15
_REQUEST = re.compile(r"\?|\b(?:need|please|tell me|give me)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Goal:
    """What a customer knows and wants: `answers` by the number of the step that asks, `end` the step it ends with."""

    issue: str
    values: Mapping[str, tuple[JsonValue, ...]] = field(default_factory=dict[str, tuple[JsonValue, ...]])
    answers: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    end: int | None = None


def goal_of(dialogue: Dialogue, course: Course) -> Goal:
    """The goal of a dialogue's customer: what is informed, the nodes of its answers, the node of the last words."""
    nodes = conversation_graph(course.flow).by_id
    values: dict[str, tuple[JsonValue, ...]] = {}
    answers: dict[int, tuple[str, ...]] = {}
    end: int | None = None
    for turn in dialogue.turns:
        node = nodes.get(turn.node or "")
        if turn.role == "user":
            back = -1 if turn.extra.get("detour") in ("correct", "change") else None  # takes the last one back
            for slot, value in turn.informed.items():
                values[slot] = (*values.get(slot, ())[:back], value)
            step = course.procedure.step(node.step or 0) if node else None
            if step and node and node.text in {branch.answer for branch in step.branches}:
                answers[step.number] = (*answers.get(step.number, ())[:back], node.text)
        elif node and node.step:
            end = node.step
    opening = next((turn.text for turn in dialogue.turns if turn.role == "user"), "")
    words = opening or course.procedure.issue or course.procedure.title
    return Goal(words, values, answers, end)


class GraphUser:
    """The customer of one conversation. Without a register it is of the first one, terse."""

    def __init__(
        self,
        course: Course,
        goal: Goal,
        *,
        alike: Similarity | None = None,
        facts: Mapping[str, JsonValue] | None = None,
        register: Register = "terse",
        seed: int | str = 0,
    ):
        self._course, self._goal = course, goal
        self._register: Register = register
        self._seed = seed
        self._alike = alike or similarity("lexical")
        self._facts = facts
        self._restart()

    def _restart(self) -> None:
        self._spoken = list[UserTurn]()
        self._given = Counter[str]()
        self._confused = 0
        self._voice = Voice("customer", self._register, seed=self._seed)
        self._follower = Follower(self._course, self._alike, facts=self._facts)

    async def say(self, history: Sequence[Turn]) -> UserTurn:
        """The next words."""
        return self.next(history)

    def next(self, history: Sequence[Turn]) -> UserTurn:
        """The same, at once."""
        places = [place for place, turn in enumerate(history) if turn.role == "user"]
        if len(places) < len(self._spoken):
            self._restart()
        for place in places[len(self._spoken) :]:  # asked cold, in the middle of a conversation
            self._spoken.append(self._answer(history[:place]))
        turn = self._answer(history)
        self._spoken.append(turn)
        return turn

    def _answer(self, history: Sequence[Turn]) -> UserTurn:
        heard = next((turn.text for turn in reversed(history) if turn.role == "agent" and turn.text), "")
        if not any(turn.role == "user" for turn in history):
            return UserTurn(text=self._goal.issue)
        step, whole = self._recognise(history, heard)
        slots = self._slots_in(heard, step, whole=whole)
        if step is not None and step.kind == "end" and not slots:
            return self._leave("done" if self._goal.end in (None, step.number) else "refused")
        if slots:
            informed = {slot: value for slot in slots for value in self._next_of(slot, self._goal.values[slot])}
            if len(informed) < len({*slots}):
                return self._leave("loops")
            values = {
                slot: str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
                for slot, value in informed.items()
            }
            return UserTurn(text=self._voice("give", value=", ".join(values.values())), informed=informed)
        if step is not None and (answers := list(dict.fromkeys(one.answer for one in step.branches if one.answer))):
            return self._choose(step, answers)
        if step is not None and step.kind == "say":
            return UserTurn(text="All right.")
        self._confused += 1
        if self._confused > _REPEATS:
            return self._leave("lost")
        return UserTurn(text=f"Sorry, I don't understand. {self._goal.issue}")

    def _leave(self, why: str) -> UserTurn:
        return UserTurn(text=self._voice("close"), stop=why)

    # ---- what is asked

    def _recognise(self, history: Sequence[Turn], heard: str) -> tuple[Step | None, bool]:
        """The step that the agent's words are most like, and whether they say all of it."""
        self._follower.read(history)
        stand, asks = self._follower.stand, heard.rstrip().endswith("?")

        def score(step: Step) -> float:
            like = self._alike(verbalize_step(step, stand.values), heard)
            return like + _EXPECTED * (f"N{step.number}" == stand.node) - _EXPECTED * (step.kind == "end" and asks)

        scored = ((score(step), step) for step in self._course.procedure.steps if step.kind != "call")
        best, step = max(scored, key=lambda one: one[0])
        return step if best >= _KNOWN else None, best >= _WHOLE

    def _slots_in(self, heard: str, step: Step | None, *, whole: bool) -> list[str]:
        """The slots that are asked for: those of the step, or those that a question names."""
        named = [name for name in self._course.slots if name in self._goal.values and _names(heard, name)]
        if step is None:
            return named if _REQUEST.search(heard) else []
        mine = [slot for slot in step.collects if slot in self._goal.values]
        return (not whole and [slot for slot in mine if slot in named]) or mine

    # ---- what is answered

    def _choose(self, step: Step, answers: Sequence[str]) -> UserTurn:
        wanted = self._goal.answers.get(step.number) or answers[:1]
        for answer in self._next_of(f"step {step.number}", wanted):
            return UserTurn(text=self._words_of(answer), extra={"answer": answer, "step": step.number})
        return self._leave("loops")

    def _next_of(self, asked: str, known: Sequence[_T]) -> Sequence[_T]:
        """The next of what is known, the last again and again; nothing where that was asked for too often."""
        times = self._given[asked]
        self._given[asked] += 1
        return known[-1:] if len(known) <= times < len(known) + _REPEATS else known[times : times + 1]

    def _words_of(self, answer: str) -> str:
        if answer.casefold() in ("yes", "no"):
            return self._voice("affirms" if answer.casefold() == "yes" else "denies")
        mine = to_me(answer)
        if re.match(r"(?:the|an?|another|one|my)\b", mine, re.IGNORECASE):
            return self._voice("give_choice", choice=mine[:1].lower() + mine[1:])
        return f"{mine}."


def graph_user(case: Case) -> GraphUser:
    """Return the user `graph` of a case: its goal is that of the gold, whose instructions are the procedure."""
    if case.gold is None:
        raise BadSetting(f"case {case.id!r} has no gold dialogue to take a customer's goal from")
    course = course_of(case.brief.replace(instructions=case.gold.instructions or case.brief.instructions))
    *registers, _ = REGISTERS["customer"]
    register = registers[(case.seed + case.trial) % len(registers)]
    seed = f"{case.id}/{case.seed}/{case.trial}"
    return GraphUser(course, goal_of(case.gold, course), facts=case.brief.facts, register=register, seed=seed)


def _names(heard: str, slot: str) -> bool:
    """Whether words name a slot: `order_id` by "order number", `email` by "e-mail"."""
    said = set(words_of(heard.replace("e-mail", "email").replace("E-mail", "email").replace("post code", "postcode")))
    wanted = [word for word in words_of(slot) if word not in ("id", "on", "of", "number")]
    return bool(wanted) and all(word in said or f"{word}s" in said for word in wanted)
