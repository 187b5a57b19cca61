"""Values beside the names of what they are, as people say them when they are asked, and when they are not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.agents.retrieve.filling import form_of
from toologue.agents.retrieve.slot_values import answered, volunteered
from toologue.schema import Api, Parameter

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
PARAMETERS = {"lon": TEXT, "day": TEXT, "page": NUMBER}
FORM = form_of(Api(name="Sky", parameters={name: Parameter(schema=schema) for name, schema in PARAMETERS.items()}))
SLOTS = list(FORM.slots.values())
QUESTION = "Would you tell me the longitude, the day and the page number?"


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        (
            "The longitude is 10.75, the day is Monday and the page number is 2.",
            {"lon": "10.75", "day": "Monday", "page": 2},
        ),
        ("Longitude 10.75, day Monday.", {"lon": "10.75", "day": "Monday"}),
        ("Sure: page number 2, longitude -10.75, thanks.", {"page": 2, "lon": "-10.75"}),
        ("The day would be 6 May 2025, as far as I know.", {"day": "2025-05-06"}),
        ("The day is The Fifth of May. I hope this helps.", {"day": "The Fifth of May"}),
        ("Hm, no idea.", {}),
    ],
)
def test_answers_to_a_question_for_several(answer: str, values: dict[str, Any]) -> None:
    assert answered(answer, QUESTION, SLOTS).values == values


@pytest.mark.parametrize(
    "answer",
    [
        "Monday.",
        "It's Monday.",
        "Okay, that would be Monday.",
        "Let me think... Monday!",
        "Certainly. It is Monday.",
        "Monday. It's about the wind and the clouds.",
    ],
)
def test_an_answer_to_a_question_for_one(answer: str) -> None:
    assert answered(answer, "I have the page. Which is the day?", SLOTS).values == {"day": "Monday"}


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        ("10.75, Monday and 2.", {"lon": "10.75", "day": "Monday", "page": 2}),
        ("That would be 10.75, 6 May 2025, 2, please.", {"lon": "10.75", "day": "2025-05-06", "page": 2}),
        ("10.75, Monday, soon.", {"page": "10.75, Monday, soon"}),  # "soon" is no page number
    ],
)
def test_an_answer_that_names_nothing_is_in_the_order_of_the_question(answer: str, values: dict[str, Any]) -> None:
    assert answered(answer, QUESTION, SLOTS).values == values


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know the longitude.",
        "I do not have the longitude at my disposal.",
        "The longitude? No idea.",
        "The longitude: no clue.",
        "I'm missing the longitude, sorry.",
    ],
)
def test_a_name_without_a_value(answer: str) -> None:
    assert answered(answer, QUESTION, SLOTS) == ({}, ("lon",))


@pytest.mark.parametrize(
    ("wish", "values"),
    [
        ("How is the sky, with 10.75 as the longitude?", {"lon": "10.75"}),
        ("Show me the sky for the day Monday.", {"day": "Monday"}),
        ("Show me the sky. I have the longitude at hand.", {}),
        ("Show me the sky of the day and the longitude.", {}),
        ("The sky for the day, please.", {}),
    ],
)
def test_what_comes_with_a_wish(wish: str, values: dict[str, Any]) -> None:
    assert volunteered(wish, SLOTS) == values


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_words_can_be_read(answer: str, question: str) -> None:
    said = answered(answer, question, SLOTS)
    assert not set(said.unknown) & said.values.keys()
    assert {*said.values, *said.unknown, *volunteered(answer, SLOTS)} <= PARAMETERS.keys()
    assert answered(answer, question, []) == ({}, ())


@given(st.from_regex(r"[A-Z][a-z]{3,9}", fullmatch=True), st.integers(min_value=0, max_value=10**6))
def test_what_is_said_is_read_back(word: str, number: int) -> None:
    """The law of the reader: what is said as it was asked for is what is understood."""
    said = answered(f"The page number is {number} and the day is {word}day.", QUESTION, SLOTS)
    assert said.values == {"page": number, "day": f"{word}day"}
