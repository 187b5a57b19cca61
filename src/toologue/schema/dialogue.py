"""Dialogues, at once what generation makes, gold, training rows and regression tests; plans of them (ToolTalk 2.2).

A plan is a dialogue with everything but words: acts are executed, results are in, texts are empty. Cue i belongs to
turn i and says what its words must do; a writer replaces texts, and nothing else.

    the customer   open         comes with the issue (`text`: some words for it)
                   give         gives what was asked for (`values`: slot → value)
                   volunteer    gives what was asked for, and what would have been asked next (the last of `values`)
                   choose       answers with one of the answers of the procedure (`text`), may give values with it
                   acknowledge  takes note of what was said
                   correct      takes back what was given earlier (`before`) and gives the right value (`values`)
                   change       has answered `before["choice"]` and now wants `text`
                   malformed    gives a value that cannot be right as it stands
                   contradict   sees the matter otherwise than the agent, who said `text`
                   noise        says something that no procedure foresees (`text`, word for word)
                   close        takes leave, after the agent's last word
    the agent      call         acts, and says nothing
                   ask          asks what a step asks for (`text`); after a value that cannot be right, says first what
                                one looks like (`before["form"]`)
                   say, end     says what a step says (`text`); `end` is the last word
                   refuse       answers noise (`text`, word for word), then asks `again`
                   insist       stays with what was said (`text`), then asks `again`

`before["made_up"]` names those of an agent's `values` that the world made up.

`text` and `again` are the words of the procedure; the values of what they show in braces are in `values`, by
expression. `kinds` says what kind of value each one is (`KINDS`), for whoever looks for words.

On the chains line a move is one of ToolDial's 16 actions, and `text` says what it is about:

    the user       inform_intent_clear, inform_intent_clear_add, inform_intent_vague
                                a wish (`text`: for what); `before["band"]` is how sure a retriever shall be of it:
                                confirm, suggest or clarify. `values`: what is told with it
                   inform       gives what was requested (`values`)
                   fail_inform  does not know `before["missing"]`; may give the rest (`values`). `before["mind"]`: the
                                name of what is meant, among `values`; nothing yet (open); the one there is; or an id
                   affirm, negate, user_bye
    the agent      request      asks for the parameters that `values` names; where a value is there it is a list, of
                                those to choose from
                   response     answers with `values`, of what the last call returned
                   suggest      proposes to do `text`
                   clarify, response_fail, system_bye
                   call, retriever_call    acts, and says nothing
"""

from __future__ import annotations

from typing import Literal, Self, get_args

from pydantic import Field, JsonValue, model_validator

from toologue import limits
from toologue.schema.api import Api
from toologue.schema.jsonl import Noun, Record
from toologue.schema.turn import AgentAction, Turn, UserAction

_Customers = Literal[
    "open",
    "give",
    "volunteer",
    "choose",
    "acknowledge",
    "correct",
    "change",
    "malformed",
    "contradict",
    "noise",
    "close",
]
_Agents = Literal["call", "ask", "say", "end", "refuse", "insist"]
Move = Literal[_Customers, _Agents, UserAction, AgentAction]
MOVES: tuple[Move, ...] = get_args(Move)

ValueKind = Literal[
    "order_number", "reference", "email", "phone", "name", "address", "date", "amount", "reason", "other"
]
KINDS: tuple[ValueKind, ...] = get_args(ValueKind)


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


class Cue(Noun):
    """What one turn must get across, and never how."""

    move: Move
    text: str = ""
    values: dict[str, JsonValue] = Field(default_factory=dict)
    kinds: dict[str, ValueKind] = Field(default_factory=dict[str, ValueKind])
    before: dict[str, JsonValue] = Field(default_factory=dict)
    again: str = ""


class Plan(Record):
    """A dialogue without words, and the cue of each of its turns."""

    format: Literal["plan/1"] = "plan/1"
    dialogue: Dialogue
    cues: tuple[Cue, ...]

    @model_validator(mode="after")
    def _a_cue_for_each_turn(self) -> Self:
        if len(self.cues) != len(self.dialogue.turns):
            raise ValueError(f"{len(self.cues)} cues for {len(self.dialogue.turns)} turns: give one for each")
        return self


class Flow(Noun):
    """A documented output (a path into `returns`) that a later call takes as a parameter."""

    source: str
    output: str
    target: str
    parameter: str


class Scenario(Record):
    """`calls` are names of Apis in the order of the text; `required` is the one the prompt asked for (2.2)."""

    format: Literal["scenario/1"] = "scenario/1"
    id: str = Field(min_length=1)
    text: str
    plugins: tuple[str, ...] = ()
    required: str = ""
    calls: tuple[str, ...]
    flows: tuple[Flow, ...] = ()
    origin: dict[str, JsonValue] = Field(default_factory=dict)
