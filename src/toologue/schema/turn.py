"""Turns and rounds: a turn is the user's or the agent's; a round lasts until the floor is the user's again.

One agent turn is *one decision*: words, acts, or both; parallel calls are one turn. `results[i]` answers `acts[i]`.
`rounds` is the only notion of turn number in this package.

Example:
    >>> turns = [UserTurn(text="Hi"), AgentTurn(acts=(Call(api="FindAlarms"),)), AgentTurn(text="None."), UserTurn()]
    >>> [(len(r.said), len(r.did)) for r in rounds(turns)]
    [(1, 2), (1, 0)]

Not covered: overlapping speech, and words spoken while a call still runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, JsonValue, model_validator

from toologue.schema.act import Act, Call, Fault, Program, Result, Retrieve, executable
from toologue.schema.noun import Noun

UserAction = Literal[
    "inform_intent_clear",
    "inform_intent_clear_add",
    "inform_intent_vague",
    "inform",
    "fail_inform",
    "affirm",
    "negate",
    "user_bye",
]
AgentAction = Literal[
    "request",
    "response",
    "clarify",
    "suggest",
    "response_fail",
    "system_bye",
    "call",
    "retriever_call",
]


class State(Noun):
    """A dialogue state (ToolDial 3.3): the Api in hand (None: not confirmed yet) and its slots."""

    api: str | None = None
    required: dict[str, JsonValue] = Field(default_factory=dict)
    optional: dict[str, JsonValue] = Field(default_factory=dict)


class Usage(Noun):
    """Tokens a model spent on one turn."""

    input_tokens: int = 0
    output_tokens: int = 0


class UserTurn(Noun):
    """What the user says. `stop` is set where the user leaves after it, and says why."""

    role: Literal["user"] = "user"
    text: str = ""
    action: UserAction | None = None
    informed: dict[str, JsonValue] = Field(default_factory=dict)
    stop: str | None = None
    node: str | None = None
    extra: dict[str, JsonValue] = Field(default_factory=dict)


class AgentTurn(Noun):
    """One decision of the agent. `action`, `state` and `thought` are labels; `usage` and `error` occur in traces."""

    role: Literal["agent"] = "agent"
    text: str | None = None
    acts: tuple[Act, ...] = ()
    results: tuple[Result | None, ...] = ()
    action: AgentAction | None = None
    state: State | None = None
    thought: str | None = None
    usage: Usage | None = None
    error: Fault | None = None
    node: str | None = None
    extra: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _answers(self) -> Self:
        if self.results and len(self.results) != len(self.acts):
            raise ValueError(f"{len(self.results)} results for {len(self.acts)} acts: give one each, None for a draft")
        return self

    @property
    def yields(self) -> bool:
        """Whether the floor returns to the user: nothing is left to execute, and something was said or nothing done."""
        if self.error is not None:
            return True
        return (self.text is not None or not self.acts) and not any(executable(act) for act in self.acts)


Turn = Annotated[UserTurn | AgentTurn, Field(discriminator="role")]


class Round(NamedTuple):
    """What the user said, and all that the agent did until the floor returned. Either may be empty, not both."""

    said: tuple[UserTurn, ...]
    did: tuple[AgentTurn, ...]


def rounds(turns: Iterable[UserTurn | AgentTurn]) -> Iterator[Round]:
    """Cut turns into rounds. Opening agent turns make a first round in which nothing was said."""
    said: list[UserTurn] = []
    did: list[AgentTurn] = []
    for turn in turns:
        if turn.role == "agent":
            did.append(turn)
            continue
        if did:
            yield Round(tuple(said), tuple(did))
            said, did = [], []
        said.append(turn)
    if said or did:
        yield Round(tuple(said), tuple(did))


class Invocation(NamedTuple):
    """An executed act with its result and its place: round, index of the turn among all turns, slot in the turn."""

    round: int
    turn: int
    slot: int
    act: Call | Retrieve | Program
    result: Result


def invocations(turns: Iterable[UserTurn | AgentTurn], *, opening: bool = False) -> Iterator[Invocation]:
    """Every executed act, in order. Drafts and unanswered acts are left out, and the opening unless asked for."""
    position = 0
    for number, (said, did) in enumerate(rounds(turns)):
        position += len(said)
        for turn in did:
            if said or opening:
                for index, (act, result) in enumerate(zip(turn.acts, turn.results, strict=False)):
                    if result is not None:
                        yield Invocation(number, position, index, act, result)
            position += 1


def place(history: Iterable[UserTurn | AgentTurn]) -> tuple[int, int]:
    """Where a history stands: (number of the round under way, agent turns in it so far)."""
    number, taken, after_agent = 0, 0, False
    for turn in history:
        if turn.role == "agent":
            taken, after_agent = taken + 1, True
        elif after_agent:
            number, taken, after_agent = number + 1, 0, False
    return number, taken
