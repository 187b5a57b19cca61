"""A dialogue: at once what generation makes, the gold of evaluation, a training row and a regression test."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from toologue import limits
from toologue.schema.api import Api
from toologue.schema.jsonl import Noun, Record
from toologue.schema.turn import Turn


class Setting(Noun):
    """How to make the world a dialogue plays in: a registered name and its arguments. Hidden from the agent."""

    name: str = "none"
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class Brief(Noun):
    """All that an agent is told before the first word: never the gold, never a password it was not told."""

    instructions: str = ""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    apis: tuple[Api, ...] = ()

    @property
    def known(self) -> dict[str, JsonValue]:
        """The facts that one tells in words: not what programs and retrievers go by."""
        return {name: value for name, value in self.facts.items() if name not in ("programs", "retriever")}


class Dialogue(Record):
    """One conversation. `apis` are names; their documents stand once, in `apis.jsonl` or in the world.

    `instructions` and `facts` (now, location, user) are what the agent may see; `origin` says where the dialogue comes
    from (line, plan, path, seed, writer, split).
    """

    format: Literal["dialogue/1"] = "dialogue/1"
    id: str = Field(min_length=1)
    instructions: str = ""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    apis: tuple[str, ...] = ()
    world: Setting = Setting()
    turns: tuple[Turn, ...]
    origin: dict[str, JsonValue] = Field(default_factory=dict)
    extra: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _someone_speaks(self) -> Self:
        if not any(turn.role == "user" for turn in self.turns):
            raise ValueError("the conversation has no user turn: there is nobody to answer")
        longest = max((len(turn.text or "") for turn in self.turns), default=0)
        if longest > limits.TURN:
            raise ValueError(f"a message of {longest:,} characters: no more than {limits.TURN:,} are taken")
        return self


class Similarities(Noun):
    """The three similarities between an output and a parameter (ToolDial 3.1), each in [0, 1]."""

    lcs: float
    keyword: float
    description: float


class Edge(Record):
    """An output of one Api that can feed a parameter of another. `chosen` marks the one kept per Api pair."""

    format: Literal["edge/1"] = "edge/1"
    source: str
    output: str
    target: str
    parameter: str
    similarity: Similarities
    chosen: bool = False
