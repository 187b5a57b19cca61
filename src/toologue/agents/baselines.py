"""Agents that are there to be beaten by `retrieve`; none needs a model.

    top_api        calls the best Api for the user's last words with no arguments, then says that it did
    regex_slots    the same Api, with arguments that plain patterns find in the user's words of the round

Both rank with the same retriever as `retrieve` (`NAME:EMBEDDER`), look at the round alone, and make one call a round;
`regex_slots` makes none where a required parameter stays empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toologue.agents.agent import AgentSpec
from toologue.models.embed import Embedder, embedder
from toologue.models.retriever import Retriever
from toologue.schema import AgentTurn, Api, Brief, Call, Parameter, Turn, rounds
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
        api = self._retriever(brief).rank(words, 1)[0][0]
        arguments = self._fill(api, words)
        if arguments is None:
            return AgentTurn(text=f"I need more for {api.name}.", action="request")
        return AgentTurn(acts=(Call(api=api.name, arguments=arguments),), action="call")

    def _retriever(self, brief: Brief) -> Retriever:
        key = tuple(api.key for api in brief.apis)
        if key not in self._retrievers:
            self._retrievers[key] = Retriever(brief.apis, self._embedder)
        return self._retrievers[key]


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
