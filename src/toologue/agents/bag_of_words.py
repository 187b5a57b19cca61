"""A baseline for procedures, there to be beaten: the step whose words are most like the last message, and no memory.

Words are counted, weighed by how few steps have them, and compared by cosine. A step that asks, says or ends is said;
one that calls is called with what the customer's last words have for its slots. After a result, the steps that it leads
to are the only candidates.

Contract: a function of the last message and the brief; instructions that are no procedure raise BadFile.

Example:
    >>> from toologue.loop import play
    >>> from toologue.schema import Brief, Case, Dialogue, UserTurn
    >>> brief = Brief(instructions='''# Tea
    ... 1. **Ask** whether they want tea or coffee.
    ...    - Tea: go to 2.
    ...    - Coffee: go to 3.
    ... 2. **End**: say that tea follows.
    ... 3. **End**: say that coffee follows.
    ... ''')
    >>> gold = Dialogue(id="tea", turns=(UserTurn(text="Let coffee follow"), AgentTurn(text="Coffee follows.")))
    >>> turns, _ = play(Case(id="tea", gold=gold, brief=brief, protocol="next"), BagOfWords())
    >>> turns[1].text, nearest("coffee, please", ["tea follows", "coffee follows"])
    ('Coffee follows.', 1)

Not covered: everything that makes `procedure` better: the conversation, conditions, corrections.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from toologue.agents.agent import AgentSpec
from toologue.errors import BadSetting
from toologue.models.lexical import words_of
from toologue.procedure.course import Course, course_of
from toologue.procedure.grammar import verbalize_step
from toologue.procedure.slot_values import read_values
from toologue.schema import AgentTurn, Brief, Call, Step, Turn


class BagOfWords:
    """The agent."""

    def __init__(self) -> None:
        self._course: tuple[Brief, Course] | None = None

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn."""
        if self._course is None or self._course[0] != brief:
            self._course = (brief, course_of(brief))
        course = self._course[1]
        last = history[-1]
        if last.role == "agent":
            message = " ".join(str(result.error or result.value) for result in last.results if result)
            called = next((act.api for act in last.acts if act.kind == "call"), "")
            targets = {target for step in course.procedure.steps if step.api == called for target in step.leads_to}
            steps = [step for step in course.procedure.steps if step.number in targets] or list(course.procedure.steps)
        else:
            message, steps = last.text, list(course.procedure.steps)
        step = steps[nearest(message, [_words(course, step) for step in steps])]
        return _turn(course, step, message)


def nearest(message: str, texts: Sequence[str]) -> int:
    """The place of the text whose words are most like the message's; the first among equals."""
    bags = [Counter(words_of(text)) for text in texts]
    spread = Counter(word for bag in bags for word in bag)
    weights = {word: math.log(1 + len(bags) / count) for word, count in spread.items()}
    said = Counter(words_of(message))

    def likeness(bag: Counter[str]) -> float:
        length = math.sqrt(sum((count * weights[word]) ** 2 for word, count in bag.items()))
        return sum(said[word] * count * weights[word] ** 2 for word, count in bag.items()) / (length or 1.0)

    return max(range(len(bags)), key=lambda place: likeness(bags[place]))


def _words(course: Course, step: Step) -> str:
    described = course.apis[step.api].description if step.api in course.apis else ""
    return " ".join([step.text, step.api, described, *step.collects, *(branch.answer for branch in step.branches)])


def _turn(course: Course, step: Step, message: str) -> AgentTurn:
    if step.kind != "call":
        return AgentTurn(text=verbalize_step(step, {}))
    wanted = {name: text for name, text in step.arguments.items() if text in course.slots}
    values = read_values(message, [course.slots[slot] for slot in wanted.values()])
    arguments = {name: values[slot] for name, slot in wanted.items() if slot in values}
    return AgentTurn(acts=(Call(api=step.api, arguments=arguments),))


def bag_of_words_agent(argument: str) -> AgentSpec:
    """The agent `bag_of_words`; it takes no argument."""
    if argument:
        raise BadSetting(f"the agent 'bag_of_words' takes no argument, got {argument!r}")
    return AgentSpec("bag_of_words", lambda case: BagOfWords())
