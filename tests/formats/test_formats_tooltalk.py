"""Conversations in the published ToolTalk format, read as dialogues."""

from __future__ import annotations

import json

import pytest

from toologue.errors import BadFile, BadRecord
from toologue.formats.tooltalk import read_conversation, turn_indexes
from toologue.schema import AgentTurn, Call, Fault, Result, UserTurn

FOUND = {"request": {"api_name": "FindAlarms", "parameters": {"session_token": "t"}}, "response": {"alarms": []}}
FAILED = {
    "request": {"api_name": "UserLogin", "parameters": {"username": "ann"}},
    "response": None,
    "exception": "The password is incorrect.",
}
PUBLISHED = {
    "name": "hello",
    "conversation_id": "1",
    "scenario": "A greeting.",
    "user": {"username": "ann", "session_token": "t", "verification_code": "123456", "email": "a@b"},
    "metadata": {"location": "Oslo", "timestamp": "2025-03-10 09:00:00", "username": "ann"},
    "conversation": [
        {"index": 0, "role": "user", "text": "Hello"},
        {"role": "user", "text": "my alarms?"},
        {"role": "assistant", "text": "None.", "apis": [FOUND, FAILED]},
        {"role": "user", "text": "Thanks"},
        {"role": "assistant", "text": "Bye."},
        {"role": "user", "text": "Bye"},
    ],
}


@pytest.fixture
def written(tmp_path):
    def write(changed=PUBLISHED):
        file = tmp_path / "hello.json"
        file.write_bytes(changed if isinstance(changed, bytes) else json.dumps(changed).encode())
        return file

    return write


def test_a_conversation_becomes_a_dialogue(written):
    dialogue = read_conversation(written(), split="hard", databases="starter")
    assert dialogue.id == "hello"
    assert dialogue.facts == {"now": "2025-03-10 09:00:00", "location": "Oslo", "username": "ann"}
    assert dialogue.world.arguments == {
        "databases": "starter",
        "user": "ann",
        "now": "2025-03-10 09:00:00",
        "logged_in": True,
        "session_token": "t",
        "verification_code": "123456",
    }
    assert dialogue.origin["split"] == "hard"
    assert dialogue.turns == (
        UserTurn(text="Hello"),
        UserTurn(text="my alarms?"),
        AgentTurn(
            acts=(Call(api="FindAlarms", arguments={"session_token": "t"}),), results=(Result(value={"alarms": []}),)
        ),
        AgentTurn(
            acts=(Call(api="UserLogin", arguments={"username": "ann"}),),
            results=(Result(error=Fault(type="APIException", message="The password is incorrect.")),),
        ),
        AgentTurn(text="None."),
        UserTurn(text="Thanks"),
        AgentTurn(text="Bye."),
        UserTurn(text="Bye"),
    )


def test_rounds_know_their_place_in_the_published_format(written):
    dialogue = read_conversation(written(), split="easy", databases="starter")
    assert turn_indexes(dialogue) == [2, 4, None]


def test_who_has_no_session_is_not_logged_in(written):
    file = written({**PUBLISHED, "user": {"username": "ann", "session_token": None}})
    dialogue = read_conversation(file, split="easy", databases="starter")
    assert "username" not in dialogue.facts
    assert "logged_in" not in dialogue.world.arguments


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (b"{", r"hello\.json: \$: Invalid JSON"),
        ({**PUBLISHED, "name": ""}, r"hello\.json: \$\.name: String should have at least 1 character"),
        ({"name": "x"}, r"hello\.json: \$\.user: this key is missing"),
        (
            {**PUBLISHED, "conversation": [{"role": "robot", "text": ""}]},
            r"\$\.conversation\[0\]\.role: Input should be 'user' or 'assistant', got 'robot'",
        ),
        ({**PUBLISHED, "conversation": []}, r"\$\.conversation: the conversation has no user turn"),
        (
            {**PUBLISHED, "conversation": [{"role": "assistant", "text": "", "apis": [{"request": {}}]}]},
            r"\$\.conversation\[0\]\.apis\[0\]\.request\.api_name: this key is missing",
        ),
    ],
)
def test_what_is_no_conversation_says_where(written, changed, message):
    with pytest.raises(BadRecord, match=message):
        read_conversation(written(changed), split="easy", databases="starter")


def test_a_missing_file(tmp_path):
    with pytest.raises(BadFile, match=r"cannot read .*nowhere\.json: No such file"):
        read_conversation(tmp_path / "nowhere.json", split="easy", databases="starter")
