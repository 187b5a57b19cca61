"""Conversations of the published ToolTalk benchmark (one JSON object a file) as dialogues.

A ground-truth call becomes an agent turn of its own, the assistant's text the turn after it: so the history shows the
calls before the words, and a round is what the benchmark calls an assistant turn. Recorded responses are kept as they
are; they differ from what execution gives in places.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, JsonValue, ValidationError

from toologue.data import bytes_of, reason
from toologue.errors import BadRecord
from toologue.schema import AgentTurn, Call, Dialogue, Fault, Noun, Result, Setting, Turn, UserTurn, rounds
from toologue.schema.jsonl import parse


class _Loose(Noun):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Request(_Loose):
    api_name: str
    parameters: dict[str, JsonValue]


class _Api(_Loose):
    request: _Request
    response: dict[str, JsonValue] | None = None
    exception: str | None = None


class _Turn(_Loose):
    role: Literal["user", "assistant"]
    text: str
    apis: tuple[_Api, ...] = ()


class _User(_Loose):
    username: str
    session_token: str | None = None
    verification_code: str | None = None


class _Metadata(_Loose):
    location: str
    timestamp: str


class _Conversation(_Loose):
    name: str = Field(min_length=1)
    conversation_id: str = ""
    scenario: str = ""
    user: _User
    metadata: _Metadata
    conversation: tuple[_Turn, ...]


def read_conversation(file: Path, *, split: str, databases: str) -> Dialogue:
    """One conversation as a dialogue in the assistant world over these databases."""
    record = parse(bytes_of(file), _Conversation, file)
    user = record.user
    facts: dict[str, Any] = {"now": record.metadata.timestamp, "location": record.metadata.location}
    arguments: dict[str, Any] = {"databases": databases, "user": user.username, "now": record.metadata.timestamp}
    if user.session_token:
        facts["username"] = user.username
        arguments |= {"logged_in": True, "session_token": user.session_token}
    if user.verification_code:
        arguments["verification_code"] = user.verification_code
    try:
        return Dialogue(
            id=record.name,
            facts=facts,
            world=Setting(name="assistant", arguments=arguments),
            turns=tuple(turn for said in record.conversation for turn in _turns(said)),
            origin={"line": "tools", "benchmark": "tooltalk", "split": split, "scenario": record.scenario},
        )
    except ValidationError as error:
        raise BadRecord(file, 0, "$.conversation", reason(error)) from None


def turn_indexes(dialogue: Dialogue) -> list[int | None]:
    """Per round, the position of its assistant turn in the published format; None where the agent has none."""
    indexes: list[int | None] = []
    position = 0
    for said, did in rounds(dialogue.turns):
        position += len(said) + bool(did)
        indexes.append(position - 1 if did else None)
    return indexes


def _turns(turn: _Turn) -> list[Turn]:
    if turn.role == "user":
        return [UserTurn(text=turn.text)]
    turns: list[Turn] = []
    for api in turn.apis:
        fault = None if api.exception is None else Fault(type="APIException", message=api.exception)
        call = Call(api=api.request.api_name, arguments=api.request.parameters)
        turns.append(AgentTurn(acts=(call,), results=(Result(value=api.response, error=fault),)))
    return [*turns, AgentTurn(text=turn.text)]
