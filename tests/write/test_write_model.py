"""A model as a writer: what it is told, what its words are checked for, and how they are asked for again."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from write_samples import EMAIL, KIND, LOST, plan_of

from toologue.errors import BadSetting
from toologue.models.model import Asked, ModelFault, ScriptedModel
from toologue.schema import Cue, Dialogue, Plan
from toologue.write.model import ModelWriter, faults, parse_words, prompt_text
from toologue.write.procedures import TemplateWriter

PLAN = plan_of(
    [
        Cue(move="open", text="My parcel is late."),
        Cue(move="ask", text="for the order number.", kinds={"order_id": "order_number"}),
        Cue(move="give", values={"order_id": "O-70412"}, kinds={"order_id": "order_number"}),
        Cue(move="call"),
        Cue(move="end", text="say that it comes on {day}", values={"day": "2025-03-14"}),
    ]
)
GOOD = ["My parcel is late!", "Which order is it?", "It's O-70412.", "It comes on 14 March 2025."]


def write(model: ScriptedModel, plan: Plan = PLAN, **options: Any) -> Dialogue:
    return asyncio.run(ModelWriter(model, **options).write(plan))


def replies(*answers: list[Any]) -> ScriptedModel:
    return ScriptedModel([json.dumps({"messages": answer}) for answer in answers], name="scripted-1")


class TestPrompt:
    TEXT = prompt_text(PLAN, customer="annoyed", agent="warm")

    def test_has_a_line_for_each_message_with_its_values_in_marks(self) -> None:
        assert (
            "1. Customer comes with an issue: My parcel is late.\n2. Agent asks: for the order number.\n" in self.TEXT
        )
        assert "\n3. Customer gives what was asked for: order id «O-70412»\n" in self.TEXT
        assert "\n4. Agent says as the last word: say that it comes on «2025-03-14»\n" in self.TEXT
        assert "Nothing but a JSON object with 4 texts" in self.TEXT

    def test_says_who_speaks(self) -> None:
        assert "the customer is annoyed, yet not abusive, the agent is warm" in self.TEXT

    def test_tells_both_values_of_a_correction_and_the_question_after_a_refusal(self) -> None:
        plan = plan_of(
            [
                Cue(move="correct", values={"order_id": "O-2"}, before={"order_id": "O-1"}),
                Cue(move="refuse", text="No {recipes} here.", again="for {x}", values={"x": "tea"}),
            ]
        )
        text = prompt_text(plan, customer="terse", agent="formal")
        assert "order id «O-2» instead of «O-1»" in text
        assert 'says, word for word: "No {recipes} here.", then asks for «tea»' in text

    def test_a_value_that_is_not_there_is_named(self) -> None:
        plan = plan_of([Cue(move="open"), Cue(move="say", text="that {order} is late")])
        with pytest.raises(BadSetting, match=r"shows \{order\}, and the cue has no value for it"):
            prompt_text(plan, customer="terse", agent="formal")


@pytest.mark.parametrize(
    "reply",
    [
        '["a", "b"]',
        '```json\n["a", "b"]\n```',
        'Sure [I am] [1], here: ["a", "b"] Bye!',
        '{"texts": ["a", "b"]}',
        '\n\n["a",\n "b"]',
    ],
)
def test_the_parser_takes_what_models_write(reply: str) -> None:
    assert parse_words(reply) == ["a", "b"]


@given(st.text())
def test_and_survives_anything(reply: str) -> None:
    texts = parse_words(reply)
    assert texts is None or isinstance(texts, list)


class TestFaults:
    def named(self, cue: Cue, text: Any) -> list[str]:
        return [fault.name for fault in faults([cue], [text], datetime(2025, 3, 10))]

    def test_no_list_and_a_wrong_count_are_said_of_all(self) -> None:
        assert [str(fault) for fault in faults(PLAN.cues, None)] == ["no list: there was no JSON array of texts"]
        assert [str(fault) for fault in faults(PLAN.cues, ["a"])] == [
            "wrong count: 5 messages are wanted, and there are 1"
        ]

    @pytest.mark.parametrize("text", ["", " ", 7, None, ["a"]])
    def test_no_text(self, text: Any) -> None:
        assert self.named(Cue(move="open"), text) == ["no text"]

    @pytest.mark.parametrize(
        ("value", "said", "missing"),
        [
            ("O-70412", "It is O-70412.", False),
            ("O-70412", "It is 70412.", True),
            (EMAIL, f"Write to {EMAIL.title()}", False),
            ("2025-03-14", "On 14 March 2025", False),
            ("2025-03-14", "On the 14th of March", False),
            ("2025-03-14T09:12:00Z", "On 14 March 2025", False),
            ("2025-03-14", "One of these days", True),
            ("out_for_delivery", "It is out for delivery", False),
            (9.5, "9.50 euros", False),
            (9.5, "nine and a half", True),
            (None, "There is none", False),
        ],
    )
    def test_values_are_looked_for_as_people_say_them(self, value: Any, said: str, missing: bool) -> None:
        assert self.named(Cue(move="give", values={"x": value}), said) == ["value missing"] * missing

    def test_a_correction_names_both_values(self) -> None:
        cue = Cue(move="correct", values={"id": "O-2"}, before={"id": "O-1"})
        assert self.named(cue, "It is O-2, not O-1.") == []
        assert self.named(cue, "It is O-2.") == ["value missing"]

    def test_noise_and_its_refusal_stand_word_for_word(self) -> None:
        assert self.named(Cue(move="noise", text="Sing [a song]!"), "Sing [a song]!") == []
        assert self.named(Cue(move="noise", text="Sing!"), "Please sing!") == ["not word for word"]
        assert (
            self.named(Cue(move="refuse", text="I cannot sing.", again="for it"), "I cannot sing. Which is it?") == []
        )

    @pytest.mark.parametrize("text", ["It is ProductX.", "Dear [name], hello.", "Your {order} is late."])
    def test_generic_entities(self, text: str) -> None:
        assert self.named(Cue(move="say", text="that it is late"), text) == ["generic entity"]

    def test_what_the_cue_itself_says_is_not_generic(self) -> None:
        assert self.named(Cue(move="give", values={"id": "12345"}), "It is 12345.") == []

    def test_the_words_of_the_template_writer_have_none(self) -> None:
        told = TemplateWriter().words(LOST)
        pairs = [(cue, turn.text) for cue, turn in zip(LOST.cues, told.turns, strict=True) if cue.move != "call"]
        assert faults([cue for cue, _ in pairs], [text for _, text in pairs]) == []


class TestWriting:
    def test_good_words_are_taken_at_once(self) -> None:
        model = replies(GOOD)
        told = write(model)
        assert [turn.text for turn in told.turns] == [*GOOD[:3], None, GOOD[3]]
        assert told.origin["writer"] == "scripted-1"
        assert told.turns[3] == PLAN.dialogue.turns[3]
        assert len(model.asked) == 1
        assert "attempts" not in told.origin

    def test_what_is_asked_for_is_an_object_since_endpoints_refuse_other_roots(self) -> None:
        model = replies(GOOD)
        write(model)
        output = model.asked[0].output
        assert output is not None
        assert output["type"] == "object"
        assert output["properties"]["messages"] == {"type": "array", "items": {"type": "string"}}

    def test_faults_are_fed_back(self) -> None:
        model = replies(GOOD[:3], [*GOOD[:2], "It's on my sheet.", GOOD[3]], GOOD)
        told = write(model)
        assert told.turns[2].text == "It's O-70412."
        attempts = told.origin["attempts"]
        assert isinstance(attempts, list)
        assert [json.loads(attempt["reply"])["messages"] for attempt in attempts][0::2] == [GOOD[:3], GOOD]
        asked = [one.messages[-1]["content"] for one in model.asked]
        assert "- wrong count: 4 messages are wanted, and there are 3" in asked[1]
        assert '- value missing: message 3: «O-70412» is not in "It\'s on my sheet."' in asked[2]
        assert [message["role"] for message in model.asked[2].messages] == ["user", "assistant"] * 2 + ["user"]

    def test_what_stays_faulty_is_a_fault_of_the_model(self) -> None:
        with pytest.raises(ModelFault, match="plan 'sample-1' are not what was asked for: no list") as caught:
            write(ScriptedModel(lambda asked: "I cannot do that."), tries=2)
        assert (caught.value.type, caught.value.tries) == ("bad_response", 2)
        assert "I cannot do that." in caught.value.excerpt

    def test_a_model_that_does_not_answer_says_so(self) -> None:
        with pytest.raises(ModelFault, match="too slow"):
            write(ScriptedModel([ModelFault("timeout", "too slow")]))

    def test_there_is_at_least_one_try(self) -> None:
        with pytest.raises(BadSetting, match="tries is 0"):
            write(replies(), tries=0)

    def test_one_seed_asks_alike_and_another_otherwise(self) -> None:
        def asked(seed: int) -> list[Asked]:
            model = replies(["?"], GOOD)
            write(model, seed=seed)
            return model.asked

        assert asked(4) == asked(4)
        assert {one.seed for one in asked(4)}.isdisjoint(one.seed for one in asked(5))

    def test_kinds_and_values_of_the_plan_stay(self) -> None:
        plan = plan_of([Cue(move="open", text="Hi.", values={"order_id": "O-1", "email": EMAIL}, kinds=KIND)])
        told = write(replies([f"Hi, O-1, {EMAIL}."]), plan)
        assert told.turns[0].replace(text="") == plan.dialogue.turns[0]
