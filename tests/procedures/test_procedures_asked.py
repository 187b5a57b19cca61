"""Procedures for an intent, by a model: the prompt, two an intent, what does not become sound."""

from __future__ import annotations

import asyncio

import pytest

from toologue.errors import BadSetting
from toologue.models.model import ModelFault, ScriptedModel
from toologue.plan.procedures.intents import intents
from toologue.plan.procedures.rewrite import ask_procedures, procedure_prompt
from toologue.plan.procedures.service import service

(OVERDUE,) = (one for one in intents() if one.id == "refund-overdue")
PROSE = "# Refund\n1. Ask for the order number. 2. Look it up. 3. Say when the money comes."
SOUND = """# A refund
1. **Ask** for the order number. Collect `order_id`.
2. **Call** `get_order` with `order_id`, giving `order`.
   - If it fails: go to 1.
   - Otherwise: go to 3.
3. **End**: say that {order.refundable} euros come within five working days.
"""


def test_two_procedures_are_asked_for_the_second_goes_another_way():
    model = ScriptedModel([PROSE, SOUND, PROSE, SOUND.replace("A refund", "By phone")])
    made = asyncio.run(ask_procedures(OVERDUE, model, apis=service("shop").apis.values()))
    assert [one.procedure.id for one in made] == ["refund-overdue-1", "refund-overdue-2"]
    assert [one.procedure.title for one in made] == ["A refund", "By phone"]
    assert {one.procedure.issue for one in made} == {OVERDUE.issue}
    first, second = (model.asked[place].messages[0]["content"] for place in (0, 2))
    assert "another way" not in first
    assert "Go about it in another way than these: A refund." in second
    assert "of these only: find_customer" in first


def test_what_does_not_become_sound_is_said_and_the_rest_goes_on():
    lost = SOUND.replace("go to 3", "go to 9")
    model = ScriptedModel([PROSE, lost, PROSE, SOUND])
    bad, good = asyncio.run(ask_procedures(OVERDUE, model, tries=1))
    assert (bad.procedure, good.procedure.title) == (None, "A refund")
    assert "step 2 goes to 9" in bad.problems[0][0]


def test_a_model_that_does_not_answer_is_a_fault():
    with pytest.raises(ModelFault):
        asyncio.run(ask_procedures(OVERDUE, ScriptedModel([ModelFault("timeout", "no answer")])))


def test_the_prompt_is_whole_and_says_what_the_paper_forbids():
    text = procedure_prompt(OVERDUE)
    assert OVERDUE.issue in text
    assert "<" not in text
    assert all(word in text for word in ("150 to 500 words", "6 to 19", "clicks", "examples", "general remarks"))


def test_none_is_too_few():
    with pytest.raises(BadSetting, match="count is 0"):
        asyncio.run(ask_procedures(OVERDUE, ScriptedModel([]), count=0))
