"""Conversations by hand, for grading: a few words make a gold and a trace over the assistant's documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toologue.models.similarity import TextMatch
from toologue.schema import (
    AgentTurn,
    Call,
    Dialogue,
    Fault,
    ProtocolName,
    Result,
    Score,
    Setting,
    Trace,
    Turn,
    UserTurn,
)

EXACT, LEXICAL = TextMatch.of("exact"), TextMatch.of("lexical")
REFUSED = Fault(type="APIException", message="refused")


def did(api: str, /, value: Any = None, error: Fault | None = None, **arguments: Any) -> AgentTurn:
    """A call with its result; what it wrote can be added with `writing`."""
    return AgentTurn(acts=(Call(api=api, arguments=arguments),), results=(Result(value=value, error=error),))


def writing(turn: AgentTurn, changes: Mapping[str, Any], *created: str) -> AgentTurn:
    """The turn, its one result saying that these rows were written, and which of them are new."""
    return turn.replace(results=(turn.results[0].replace(changes=dict(changes), created=created),))


def turns(*rounds: Sequence[AgentTurn]) -> tuple[Turn, ...]:
    """In each round the user says something, the agent does these turns and says something."""
    return tuple(turn for did in rounds for turn in (UserTurn(text="?"), *did, AgentTurn(text=".")))


def gold(*rounds: Sequence[AgentTurn], world: str = "assistant") -> Dialogue:
    return Dialogue(id="d", world=Setting(name=world), turns=turns(*rounds))


def trace(*rounds: Sequence[AgentTurn], protocol: ProtocolName = "forced", **extra: Any) -> Trace:
    return Trace(case="c", dialogue="d", protocol=protocol, agent="a", turns=turns(*rounds), **extra)


def values(scores: Mapping[str, Score], *names: str) -> list[float | None]:
    return [scores[name].value for name in names]


def said(score: Score) -> Iterator[tuple[Any, ...]]:
    """The mismatches of a score: (turn, act, field, expected, actual)."""
    for m in score.at:
        yield m.turn, m.act, m.field, m.expected, m.actual
