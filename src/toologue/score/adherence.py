"""Adherence: whether an agent that acted for itself kept to the procedure (protocols `live` and `recorded`).

    metric           of                               hits
    adherence        calls                            calls that the procedure makes there, with the values at hand
    guarded writes   calls of Apis that write         those of them that nothing was skipped for
    ended at a leaf  conversations                    those that end where the procedure ends

A call is allowed where questions alone lead from the last result to it; where each of those that list answers was
put (the agent spoke as often), and was last answered so, if the customer's turns say which step they answer, and how
(`extra["step"]`, `extra["answer"]`); and where its arguments are what the procedure says, of values that the customer
gave: informed, or said. Going back to a call that was made before is allowed with another value, and not behind a
write. What is not allowed is explained, and the walk goes on behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from pydantic import JsonValue

from toologue.errors import UserError
from toologue.models.similarity import TextMatch
from toologue.procedure.course import Stand, Walking, course_of, evaluate
from toologue.procedure.slot_values import mentions
from toologue.schema import Brief, Call, Dialogue, Link, Mismatch, Result, Score, Trace, UserTurn
from toologue.score.metric import no_reply, shares_of, unscored
from toologue.values.compare import same
from toologue.worlds.world import documents_seen

METRICS = ("adherence", "guarded writes", "ended at a leaf")


def adherence(gold: Dialogue, trace: Trace, judge: TextMatch) -> Mapping[str, Score]:
    """The metric. Scores nothing under a protocol that puts the gold's history in place of the agent's."""
    if trace.protocol not in ("live", "recorded") or not gold.instructions:
        return {}
    if silent := unscored(METRICS, gold, trace, no_reply(trace)):
        return silent
    try:
        course = course_of(Brief(instructions=gold.instructions, apis=tuple(documents_seen(gold).values())))
    except UserError as error:
        return unscored(METRICS, gold, trace, f"the instructions are no procedure: {str(error).splitlines()[0]}")
    walk = _Walk(Walking(course), gold.facts)
    for place, turn in enumerate(trace.turns):
        if turn.role == "user":
            walk.listen(turn)
            continue
        for slot, (act, result) in enumerate(zip(turn.acts, turn.results, strict=False)):
            if act.kind == "call" and result is not None:
                walk.follow(act, result, (place, slot))
        walk.spoken += turn.text is not None and not turn.acts
    found = zip(METRICS, (walk.allowed, walk.writes, [walk.ends()]), strict=True)
    shares = {name: (sum(hits), len(hits)) for name, hits in found}
    return shares_of(shares, gold, trace, {"adherence": walk.at})


class _Walk:
    def __init__(self, walking: Walking, facts: Mapping[str, JsonValue]):
        self._walking, self._course, self._flow = walking, walking.course, walking.course.flow.by_id
        self._stand = walking.begin(facts)
        branches = (branch for step in walking.course.procedure.steps for branch in step.branches)
        self._set_by_answers = sorted({name for branch in branches for name in branch.sets})
        self._informed: dict[str, list[JsonValue]] = {}
        self._fresh: set[str] = set()
        self._texts: list[str] = []
        self._answers: dict[int, str] = {}  # to each step, the last one
        self.spoken = 0
        self.allowed: list[bool] = []
        self.writes: list[bool] = []
        self.at: list[Mismatch] = []

    def listen(self, turn: UserTurn) -> None:
        self._texts.append(turn.text)
        for slot, value in turn.informed.items():
            self._informed.setdefault(slot, []).append(value)
            self._fresh.add(slot)
        self._stand = self._walking.give(self._stand, turn.informed)
        step, answer = turn.extra.get("step"), turn.extra.get("answer")
        if isinstance(step, int) and isinstance(answer, str):
            self._answers[step] = answer

    def follow(self, call: Call, result: Result, place: tuple[int, int]) -> None:
        tried = [(self._problems(stand, links, call), stand) for stand, links in self._ways(call)]
        problems, stand = min(tried, key=lambda one: len(one[0])) if tried else self._elsewhere(call)
        self.allowed.append(not problems)
        if self._course.writes(call.api):
            self.writes.append(not problems)
        informed = stand and self._walking.inform(stand, call)
        wanted = (informed and self._walking.arguments(informed)) or None
        told = Mismatch(turn=place[0], act=place[1], field=call.api, expected=wanted, actual=call.arguments)
        self.at += [told.replace(why=why) for why in problems]
        if informed is None:
            return
        called = self._walking.record(informed, call, result)
        link = self._walking.exit(called)
        self._stand = self._walking.take(called, link) if link else called
        self.spoken, self._answers = 0, {}
        self._fresh.clear()

    def ends(self) -> bool:
        """Whether words alone lead from here to an end, and there were some."""
        return bool(self.spoken) and any(
            self._walking.kind(stand) == "end_message" and self._count_questions(links) < self.spoken
            for stand, links in self._onward(self._stand)
        )

    def _ways(self, call: Call) -> Iterator[tuple[Stand, list[Link]]]:
        """Where questions alone lead to a call of this Api; where it was made before, if nothing was written since."""
        for stand, links in self._onward(self._stand):
            if self._flow[stand.node].type == "api" and self._flow[stand.node].text == call.api:
                yield stand, links
        for mark in takewhile(lambda mark: not mark.wrote, reversed(self._stand.trail)):
            there = mark.stand
            if self._flow[there.node].text == call.api and self._walking.inform(there, call).given != there.given:
                yield there, []

    def _onward(self, start: Stand) -> Iterator[tuple[Stand, list[Link]]]:
        """Everywhere that questions alone lead to, once for all that answers set on the way."""
        waiting, seen = deque([(start, list[Link]())]), set[tuple[object, ...]]()
        while waiting:
            stand, links = waiting.popleft()
            yield stand, links
            if self._walking.kind(stand) == "api":
                continue
            for link in self._course.steering.exits(stand.state):
                there, way = self._walking.take(stand, link), [*links, link]
                shut = any(self._is_shut(one, there) for one in way)
                key = (there.state, shut, *(str(there.values.get(name)) for name in self._set_by_answers))
                if key not in seen and len(way) <= len(self._flow):
                    seen.add(key)
                    waiting.append((there, way))

    def _problems(self, stand: Stand, links: Sequence[Link], call: Call) -> list[str]:
        informed = self._walking.inform(stand, call)
        step, arguments = self._course.step(stand.node), call.arguments or {}
        found = [f"{link.condition} does not hold" for link in links if self._is_shut(link, informed)]
        if self._count_questions(links) > self.spoken:
            found.append("made before the customer was asked")
        for link in links:
            if link.text and link.text in self._listed(link):
                answer = self._answers.get(self._course.step(link.source).number, link.text)
                if answer != link.text:
                    found.append(f"made for {link.text!r}, and the customer chose {answer!r}")
        for name, expression in step.arguments.items():
            expected = evaluate(expression, informed.values)
            if not same(expected, arguments.get(name)):
                found.append(f"{name} is {arguments.get(name)!r}, and {expression} is {expected!r}")
            elif expression.strip() in self._course.slots and not self._gave(expression.strip(), expected):
                found.append(f"{name} is {expected!r}, which the customer never said")
        return found + [f"{name} is not for this call" for name in arguments if name not in step.arguments]

    def _is_shut(self, link: Link, stand: Stand) -> bool:
        return bool(link.condition) and not evaluate(link.condition, stand.values)

    def _gave(self, slot: str, value: JsonValue) -> bool:
        if slot in self._set_by_answers or any(str(value) == str(one) for one in self._informed.get(slot, [])):
            return True
        if slot in self._informed:
            return False
        return any(mentions(text, value, self._course.slots[slot], None) for text in self._texts)

    def _count_questions(self, links: Sequence[Link]) -> int:
        """How many questions lie on a way that somebody must have asked: with answers, or for what was then given."""
        asking = [self._course.step(link.source) for link in links if self._flow[link.source].type == "message"]
        return sum(bool(self._fresh & {*step.collects}) or any(one.answer for one in step.branches) for step in asking)

    def _listed(self, link: Link) -> list[str]:
        asks = self._flow[link.source].type == "message"
        return [branch.answer for branch in self._course.step(link.source).branches] if asks else []

    def _elsewhere(self, call: Call) -> tuple[list[str], Stand | None]:
        """Why a call is not allowed to which questions alone do not lead; where it stands, if anything leads to it."""
        course = self._course
        nodes = [node.id for node in course.flow.nodes if node.type == "api" and node.text == call.api]
        ways = (course.steering.way(self._stand.state, lambda _, there, to=to: there.node == to) for to in nodes)
        way = min(filter(None, ways), key=len, default=None)
        if way is None:
            where = "after this" if call.api in course.procedure.calls else "at all"
            return [f"the procedure makes no such call {where}"], None
        skipped = [course.step(link.source) for link in way if self._flow[link.source].type == "api"]
        stand = self._stand
        for link in way:
            stand = self._walking.take(stand, link)
        return [f"skipped {step.api} (step {step.number})" for step in skipped], stand
