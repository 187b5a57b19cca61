"""Conversations straight from a procedure (A.7): the prompt, what is read, what is fed back."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadSetting
from toologue.models.model import ScriptedModel
from toologue.plan.procedures import procedure
from toologue.plan.procedures.service import service
from toologue.verify.procedures import verify
from toologue.write.direct_generation import conversations_in, generate_directly, prompt_text

LATE = procedure("order-not-received")
SHOP = service("shop")
TALK = [
    {"role": "user", "content": "My parcel has not come."},
    {"role": "assistant", "content": "What are the order number and the e-mail address?"},
    {"role": "user", "content": "O-99999, a@b.example"},
    {"role": "api", "content": 'get_order(order_id="O-99999")'},
    {"role": "api_output", "content": '{"error": {"type": "not_found", "message": "there is none"}}'},
    {"role": "assistant", "content": "There is no O-99999. What is the number?"},
]
OTHER = [*TALK[:2], {"role": "user", "content": "Never mind."}, {"role": "assistant", "content": "Good-bye then."}]


def made(*replies: str, count: int = 1, tries: int = 3):
    model = ScriptedModel(list(replies))
    return asyncio.run(generate_directly(LATE, SHOP.apis.values(), model, count=count, tries=tries)), model


def test_the_prompt_has_the_procedure_and_every_api_and_none_of_the_customers_wordings():
    text = prompt_text(LATE, SHOP.apis.values(), 4)
    assert "Write 4 conversations" in text
    assert all(f'"name": "{name}"' in text for name in SHOP.apis)
    assert LATE.title in text
    assert not any(wording in text for wording in LATE.wordings)


def test_a_conversation_becomes_a_dialogue_that_nothing_was_executed_for():
    (result, _) = made(f"Here you are:\n```json\n{json.dumps([TALK])}\n```")
    (dialogue,) = result.dialogues
    assert result.faults == ()
    assert dialogue.world.name == "recorded"
    assert dialogue.origin["status"] == "consistent, not executed"
    assert dialogue.turns[3].results[0].error.type == "not_found"


def test_what_is_wrong_is_fed_back_and_only_the_rest_is_asked_for():
    broken = [*TALK[:3], {"role": "api", "content": 'refund_all(to="me")'}, *TALK[4:]]
    (result, model) = made(json.dumps([TALK, broken]), json.dumps([OTHER]), count=2)
    assert len(result.dialogues) == 2
    assert result.faults == ("message 3: calls are of the given APIs, not refund_all",)
    assert "refund_all" in model.asked[1].messages[-1]["content"]
    assert "Write 1 more" in model.asked[1].messages[-1]["content"]


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("I'd rather not.", "there was no JSON array of conversations"),
        ('[[{"role": "robot", "content": "beep"}]]', "robot"),
        (json.dumps([TALK[1:]]), "the customer begins"),
    ],
)
def test_tries_are_bounded_and_each_fault_is_named(reply, fault):
    (result, model) = made(reply, reply, tries=2)
    assert (result.dialogues, len(result.faults), len(model.asked)) == ((), 2, 2)
    assert fault in result.faults[0]


def test_a_world_tells_what_would_not_have_happened():
    lie = [*TALK[:4], {"role": "api_output", "content": '{"status": "lost"}'}, *TALK[5:]]
    (result, _) = made(json.dumps([TALK, lie]), count=2)
    executed = [verify(dialogue, world=SHOP.make()) for dialogue in result.dialogues]
    assert "execution" in {flaw.rule for flaw in executed[1]}


@given(st.text())
def test_any_reply_is_read_without_a_crash(text):
    assert isinstance(conversations_in(text), list)


def test_nothing_can_be_made_of_nothing():
    with pytest.raises(BadSetting, match="count is 0"):
        made("", count=0)
