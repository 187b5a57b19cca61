"""Agents that are there to be beaten; none needs a model.

    top_api        calls the best Api for the user's last words with no arguments, then says that it did
    regex_slots    the same Api, with arguments that plain patterns find in the user's words of the round
    bag_of_words   for procedures: the step whose words are most like the last message, and no memory

`top_api` and `regex_slots` rank with the same retriever as `retrieve` (`NAME:EMBEDDER`), look at the round alone, and
make one call a round; `regex_slots` makes none where a required parameter stays empty. `bag_of_words` counts words,
weighs them by how few steps have them, and compares by cosine; after a result, the steps that it leads to are the only
candidates.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toologue.agents.agent import AgentSpec, plain_agent
from toologue.models.embed import Embedder, embedder
from toologue.models.lexical import words_of
from toologue.models.retriever import Retriever
from toologue.procedure.course import Course, course_of
from toologue.procedure.grammar import verbalize_step
from toologue.procedure.slot_values import read_values
from toologue.schema import AgentTurn, Api, Brief, Call, Parameter, Step, Turn, rounds
from toologue.text.find_codes import EMAIL

Fill = Callable[[Api, str], dict[str, Any] | None]

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (r"e-?mail|address", EMAIL),
    (r"phone", re.compile(r"\+?\(?\d{3}\)?[ -]\d{3}[ -]\d{4}")),
    (r"hh:mm:ss|time of day", re.compile(r"\b\d{1,2}:\d\d\b")),
    (r"yyyy|date", re.compile(r"\b\d{4}-\d\d-\d\d\b")),
    (r"identifier|\bid\b", re.compile(r"\b[0-9a-f]{2,8}-[0-9a-f]{4}\b")),
    (r"code|number|amount", re.compile(r"\b\d+(?:\.\d+)?\b")),
    (r"", re.compile(r"(?<=\")[^\"]+(?=\")|(?<=“)[^”]+(?=”)")),
)


class Baseline:
    """One call a round: the best Api of the user's words, its arguments from `fill`; no call where that gives None."""

    def __init__(self, embedder: Embedder, fill: Fill):
        self._embedder, self._fill = embedder, fill
        self._retrievers: dict[tuple[str, ...], Retriever] = {}

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn."""
        spoken, did = list(rounds(history))[-1]
        words = " ".join(turn.text for turn in spoken)
        if did or not words.strip() or not brief.apis:
            return AgentTurn(text="Done.", action="response")
        key = tuple(api.key for api in brief.apis)
        if key not in self._retrievers:
            self._retrievers[key] = Retriever(brief.apis, self._embedder)
        api = self._retrievers[key].rank(words, 1)[0][0]
        arguments = self._fill(api, words)
        if arguments is None:
            return AgentTurn(text=f"I need more for {api.name}.", action="request")
        return AgentTurn(acts=(Call(api=api.name, arguments=arguments),), action="call")


def slots(parameters: Mapping[str, Parameter], words: str) -> dict[str, Any]:
    """Arguments by plain patterns: the first that a parameter's description asks for; none twice."""
    found: dict[str, Any] = {}
    taken: set[str] = set()
    for name, parameter in parameters.items():
        asked = f"{name} {parameter.json_schema.get('description', '')}".lower()
        pattern = next(pattern for cue, pattern in _PATTERNS if re.search(cue, asked))
        value = next((match[0] for match in pattern.finditer(words) if match[0] not in taken), None)
        if value is not None:
            taken.add(value)
            found[name] = [value] if parameter.json_schema.get("type") == "array" else value
    return found


def top_api_agent(argument: str) -> AgentSpec:
    """The player `top_api`, or `top_api:EMBEDDER`."""
    return _player("top_api", argument, lambda api, words: {})


def regex_slots_agent(argument: str) -> AgentSpec:
    """The player `regex_slots`, or `regex_slots:EMBEDDER`."""

    def fill(api: Api, words: str) -> dict[str, Any] | None:
        found = slots(api.parameters, words)
        return found if found.keys() >= set(api.required) else None

    return _player("regex_slots", argument, fill)


def _player(name: str, argument: str, fill: Fill) -> AgentSpec:
    agent = Baseline(embedder(argument or "lexical"), fill)
    return AgentSpec(f"{name}:{argument}" if argument else name, lambda case: agent)


class BagOfWords:
    """The agent."""

    def __init__(self) -> None:
        self._course: tuple[Brief, Course] | None = None

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn."""
        if self._course is None or self._course[0] != brief:
            self._course = brief, course_of(brief)
        course, last = self._course[1], history[-1]
        message, every = last.text or "", course.procedure.steps
        steps: Sequence[Step] = every
        if last.role == "agent":
            message = " ".join(str(result.error or result.value) for result in last.results if result)
            called = next((act.api for act in last.acts if act.kind == "call"), "")
            targets = {target for step in every if step.api == called for target in step.leads_to}
            steps = [step for step in every if step.number in targets] or every
        return _turn(course, steps[nearest(message, [_words(course, step) for step in steps])], message)


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
    """The player `bag_of_words`; it takes no argument."""
    return plain_agent("bag_of_words", argument, lambda case: BagOfWords())
