"""Turns, the acts in them with their results, and rounds.

One agent turn is *one decision*: words, acts, or both; parallel calls are one turn. `results[i]` answers `acts[i]`.
A round lasts until the floor is the user's again; `rounds` is the only notion of turn number in this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, NamedTuple, Self, get_args

from pydantic import (
    Field,
    JsonValue,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from toologue.schema.jsonl import Noun

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
    "request", "response", "clarify", "suggest", "response_fail", "system_bye", "call", "retriever_call"
]


class Call(Noun):
    """A call of an Api. `arguments` is None where what the model wrote did not parse; `raw` is then its text."""

    kind: Literal["call"] = "call"
    api: str
    arguments: dict[str, JsonValue] | None = Field(default_factory=dict)
    raw: str | None = None


class Retrieve(Noun):
    """A question to the retriever: which Apis fit `query`, or who can supply the `missing` (api, parameter)."""

    kind: Literal["retrieve"] = "retrieve"
    query: str = ""
    missing: tuple[str, str] | None = None


class Program(Noun):
    """A program for one goal of the stack. Only a `final` program runs."""

    kind: Literal["program"] = "program"
    goal: str
    status: Literal["drafting", "final", "abandoned"]
    code: str


Act = SerializeAsAny[Annotated[Call | Retrieve | Program, Field(discriminator="kind")]]


# What a request to a language model came to, if not to a reply (docs/your-agent.md has the table).
FaultType = Literal[
    "rate_limited", "quota_exceeded", "server_error", "timeout", "connection", "bad_response", "unauthorized",
    "not_found", "too_long", "bad_request", "budget",
]  # fmt: skip
_NO_REPLY = frozenset[str](get_args(FaultType))
_LASTING = frozenset({"quota_exceeded", "unauthorized", "not_found", "budget"})
_ANSWERS = frozenset({"cap", "wrong type", "too long"})


class Fault(Noun):
    """Something went wrong, as data: `type` is a short stable word or a class name, `message` is for people."""

    type: str
    message: str = ""

    @property
    def no_reply(self) -> bool:
        """Whether a language model gave no reply, or a time was up."""
        return self.type in _NO_REPLY

    @property
    def lasting(self) -> bool:
        """Whether every further request would meet it, too."""
        return self.type in _LASTING

    @property
    def may_pass(self) -> bool:
        """Whether asking again may help: what an agent answers, be it nothing that can be used, is its answer."""
        return self.type not in _ANSWERS


class Result(Noun):
    """What the world answered, and what the act wrote.

    `changes` maps the path of a row (`table/row`, `/` and `~` inside the row's name written `~1`
    and `~0`) to the new row, or to
    None where the row is gone; only rows that *this* act wrote. `created` lists those paths that held no row before.
    `arguments` are the arguments as executed, where the world changed them (an injected session).
    """

    value: JsonValue = None
    error: Fault | None = None
    arguments: dict[str, JsonValue] | None = None
    changes: dict[str, JsonValue] = Field(default_factory=dict)
    created: tuple[str, ...] = ()


def executable(act: Call | Retrieve | Program) -> bool:
    """Whether the world is asked to do this act: drafts and abandoned programs are not."""
    return act.kind != "program" or act.status == "final"


class State(Noun):
    """A dialogue state (ToolDial 3.3): the Api in hand (None: not confirmed yet) and its slots."""

    api: str | None = None
    required: dict[str, JsonValue] = Field(default_factory=dict)
    optional: dict[str, JsonValue] = Field(default_factory=dict)


class Usage(Noun):
    """Tokens a model spent on one turn; of those that it read the endpoint had cached `cached_tokens`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    @model_serializer(mode="wrap")
    def _told(self, told: SerializerFunctionWrapHandler) -> dict[str, int]:
        return {name: tokens for name, tokens in told(self).items() if tokens or name != "cached_tokens"}


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


Turn = SerializeAsAny[Annotated[UserTurn | AgentTurn, Field(discriminator="role")]]


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


def answers(turns: Iterable[UserTurn | AgentTurn]) -> Iterator[tuple[int, int, tuple[AgentTurn, ...]]]:
    """(number of the user's turn, from 1; where its answer begins; the answer) of each round that the user opens."""
    number = start = 0
    for said, did in rounds(turns):
        start += len(said)
        if said:
            number += 1
            yield number, start, did
        start += len(did)


class Invocation(NamedTuple):
    """An executed act with its result and its place: round, index of the turn among all turns, slot in the turn."""

    round: int
    turn: int
    slot: int
    act: Call | Retrieve | Program
    result: Result

    @property
    def call(self) -> Call:
        """The act, where it is known to be a call."""
        assert isinstance(self.act, Call)
        return self.act


def invocations(turns: Iterable[UserTurn | AgentTurn], *, opening: bool = False) -> Iterator[Invocation]:
    """Every executed act, in order. Drafts and unanswered acts are left out, and the opening unless asked for."""
    position = 0
    for number, (said, did) in enumerate(rounds(turns)):
        position += len(said)
        for turn in did:
            if turn.results and (said or opening):
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
