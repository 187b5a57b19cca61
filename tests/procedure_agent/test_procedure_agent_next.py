"""Under `next` another agent's turns stand in the history; `procedure` finds its place among them all the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from procedure_agent_talks import brief_of, talk

from toologue.agents.agent import resolve_agent
from toologue.loop import play
from toologue.models.similarity import TextMatch
from toologue.plan.procedures import procedure
from toologue.plan.procedures.plan_dialogue import plan_all
from toologue.plan.procedures.service import service
from toologue.procedure.answers import polarity
from toologue.procedure.course import Slot, course_of
from toologue.procedure.slot_values import read_values
from toologue.run.runner import Settings, cases_of
from toologue.schema import AgentTurn, Case, Dialogue, Trace
from toologue.score.metric import totals
from toologue.score.steps import steps
from toologue.text.bank import phrases
from toologue.write.procedures import TemplateWriter

OTHER_WORDS = {
    "Could you tell me the order number and the e-mail address you used?": "Which order is it, and which mail address?",
    "Do you want the money or the same again, at no cost? The carrier has lost the parcel, and we are sorry.": (
        "I am so sorry, your parcel got lost! Would a refund do, or shall we send the same once more?"
    ),
    "69.70 euros come back within five working days.": "You will have 69.70 euros within the week.",
}


def test_an_agent_of_other_words_is_followed() -> None:
    turns = talk("order-not-received", "Where is it?", "O-10367, k.nowak@poczta.example", "Can you dance?", "the money")
    reworded = [turn.replace(text=OTHER_WORDS.get(turn.text or "", turn.text)) for turn in turns]
    brief = brief_of("order-not-received")
    gold = Dialogue(id="d", instructions=brief.instructions, facts=brief.facts, turns=tuple(reworded))
    case = Case(id="d", gold=gold, brief=brief, protocol="next")
    lived, _ = play(case, resolve_agent("procedure").make(case))
    assert [turn.acts for turn in lived if isinstance(turn, AgentTurn)] == [
        turn.acts for turn in turns if isinstance(turn, AgentTurn)
    ]
    assert lived[-1].text == turns[-1].text


@pytest.mark.parametrize(("agent", "least", "most"), [("procedure", 0.85, 1.0), ("bag_of_words", 0.0, 0.4)])
def test_it_follows_planned_conversations_with_noise_and_detours(agent: str, least: float, most: float) -> None:
    shop = service("shop")
    made = plan_all(procedure("order-not-received"), shop, 8, sampler="weighted", noise=0.3, detours=0.6, seed=5)
    golds = [TemplateWriter(seed=2).words(plan) for plan in made.plans]
    judge, scores = TextMatch.of("lexical"), []
    for gold, case in zip(golds, cases_of(golds, Settings(protocol="next"), shop.apis), strict=True):
        turns, _ = play(case, resolve_agent(agent).make(case))
        trace = Trace(case="", dialogue=gold.id, protocol="next", agent=agent, turns=tuple(turns))
        scores += steps(gold, trace, judge).values()
    found = {total.metric: total.value for total in totals(scores)}
    assert least <= (found["test correct"] or 0.0) <= most
    if agent == "procedure":
        assert (found["API recall"] or 0.0) >= 0.97
        assert (found["obeyed an attack"] or 0.0) == 0.0


ORDER = Slot("order_id", {"type": "string", "pattern": r"^O-\d{5}$"})
EMAIL = Slot("email", {"type": "string", "format": "email"})
AROUND = st.sampled_from(["{}", "it's {}", "{}, I think.", "Right, {} - please!", "my number is {}."])


@given(st.integers(0, 99999), AROUND, st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_code_is_found_in_any_words_and_any_case(number: int, around: str, lower: bool) -> None:
    code = f"O-{number:05}"
    said = around.format(code.lower() if lower else code)
    assert read_values(said, [ORDER, EMAIL]) == {"order_id": code}
    assert read_values(f"{said} and O-00000x", [ORDER], avoid=[code]) == {}


CHARGE = Slot("charge", {"type": "string", "maxLength": 5000}, is_key=True)


@pytest.mark.parametrize(
    ("said", "charge"),
    [
        ("In my case it is ch_1004", "ch_1004"),
        ("Good question! ch_1004, it seems.", "ch_1004"),
        ("The one from the 2nd of March, K-17", "K-17"),
        ("Order #K44Z, please.", "#K44Z"),
        ("It's lamp", "lamp"),
        ("How do you tune a guitar to drop D?", None),
    ],
)
def test_what_looks_like_an_id_is_the_key_and_a_whole_sentence_is_none(said: str, charge: str | None) -> None:
    assert read_values(said, [CHARGE]).get("charge") == charge
    note = read_values(said, [replace(CHARGE, is_key=False)])
    assert note, "where nothing is looked up by it, any words will do"


@pytest.mark.parametrize(
    "said", ["ana@mail.example, all lower case", "- ana@mail.example", "email is ana@mail.example"]
)
def test_an_address_is_found_among_words_where_only_the_name_says_that_it_is_one(said: str) -> None:
    assert read_values(said, [Slot("email", {"type": "string"})]) == {"email": "ana@mail.example"}


def test_a_key_is_what_a_call_looks_up_by() -> None:
    slots = course_of(brief_of("order-not-received")).slots
    assert {name for name, slot in slots.items() if slot.is_key} == {"order_id", "email"}


@given(st.text(max_size=80))
@settings(max_examples=80, deadline=None)
def test_reading_is_total_and_uses_nothing_twice(text: str) -> None:
    slots = [ORDER, EMAIL, Slot("street", {"type": "string"}), Slot("city", {"type": "string"})]
    found = read_values(text, slots)
    assert found.keys() <= {slot.name for slot in slots}
    assert polarity(text) in ("yes", "no", None)


@pytest.mark.parametrize("words", ["I cannot confirm that.", "Sorry, I can't confirm this."])
def test_who_cannot_confirm_something_says_neither_yes_nor_no(words: str) -> None:
    assert polarity(words, "whether they still have the card.") is None
    assert polarity(f"No, {words}") == "no"


@pytest.mark.parametrize("kind", ["denies", "declines"])
def test_every_no_that_customers_say_is_one(kind: str) -> None:
    said = [words for frames in phrases().kind("customer", kind).frames.values() for words in frames]
    assert said
    assert [words for words in said if polarity(words) != "no"] == []
