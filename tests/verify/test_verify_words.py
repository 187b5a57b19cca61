"""Values in words: which wordings say a value, what words claim, what supports a claim."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from toologue.text.bank import fill, phrases
from toologue.text.claims import claims, grounds, says

NOW = datetime(2025, 3, 12, 9, 30)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("My number is o-10423, thanks.", "O-10423"),
        ("Write to Ana.Ferreira@post.example, please.", "ana.ferreira@post.example"),
        ("I was born on 12 April 1990.", "1990-04-12"),
        ("That was on April 12th, 1990", "1990-04-12"),
        ("12/04/1990 is my birthday", "1990-04-12"),
        ("It came yesterday.", "2025-03-11"),
        ("It is due on 14 March.", "2025-03-14T12:00:00Z"),
        ("It leaves at 6:05 pm.", "18:05"),
        ("It leaves at 6:05 PM.", "18:05"),
        ("It leaves at 6:05 PM.", "06:05:00 PM"),
        ("It leaves at 18:05.", "6:05pm"),
        ("It costs 39.90 euros.", 39.9),
        ("That makes €1,250.", 1250),
        ("I have two of them.", 2),
        ("The balance was 38.40 euros below zero.", -38.4),
        ("It is out for delivery now.", "out_for_delivery"),
        ("Call me: 0351-912 555 014", "0351912555014"),
        ("Send it to Rua das Flores 118, Porto", "rua das flores 118"),
        ("To PT, please.", "PT"),
        ("A knife and a stool.", ["knife", "stool"]),
        ("A knife, and nothing else.", ["knife", "", None]),
        ("anything", ""),
    ],
)
def test_says(text: str, value: JsonValue) -> None:
    assert says(text, value, NOW)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It is O-104233.", "O-10423"),
        ("It is O 10423.", "O-10423"),
        ("It is XO-10423.", "O-10423"),
        ("anna.ferreira@post.example", "ana.ferreira@post.example"),
        ("I was born on 13 April 1990.", "1990-04-12"),
        ("I was born on 12 April 2990.", "1990-04-12"),
        ("I was born on 12 April 1991.", "1990-04-12"),
        ("It costs 39.91 euros.", 39.9),
        ("It is delivered.", "out_for_delivery"),
        ("No, in it.", "IT"),
        ("A knife.", ["knife", "stool"]),
        ("", "O-10423"),
        ("anything", None),
    ],
)
def test_does_not_say(text: str, value: JsonValue) -> None:
    assert not says(text, value, NOW)


def test_claims_of_every_kind() -> None:
    reply = "Bo, your O-10423 for $39.90 comes on March 14th at 6 pm; ask Ann at help@shop.example within 24 hours."
    assert sorted(claims(reply).values()) == sorted(
        ["O-10423", "$39.90", "March 14th", "6 pm", "Ann", "help@shop.example", "24"]
    )
    assert claims("Could you tell me one more thing, please?") == {}


def test_the_same_value_supports_any_wording_of_it() -> None:
    row: JsonValue = {"id": "O-10423", "at": "2025-03-14T18:00:00Z", "total": 39.9, "to": {"name": "Ann"}, "late": True}
    for reply in ("O-10423", "o10423", "on 14 March 2025", "at 6 pm", "39.90 euros", "Yes, Ann has it"):
        assert claims(reply).keys() <= grounds(row)
    for reply in ("O-10424", "on 15 March", "on 14 March 2026", "at 7 pm", "39.99 euros", "Yes, Bea has it"):
        assert not claims(reply).keys() <= grounds(row)


def test_what_frames_say_around_values_claims_nothing() -> None:
    """The agent's phrases have no values of their own, so nothing in them can be made up."""
    forms = {"value": "xx", "noun": "a refund", "clause": "it is late", "sentence": "It is late.", "action": "send it"}
    for kind in phrases().kinds["agent"].values():
        slots = {name: forms.get(form, "whether it is late") for name, form in kind.slots.items()}
        for register in kind.frames:
            for frame in kind.of(register):
                assert claims(fill(frame, kind.slots, slots)) == {}, frame


@pytest.mark.parametrize(
    ("value", "worded"),
    [
        ("O-10423", "O-10423"),
        ("ana@post.example", "ana@post.example"),
        ("1990-04-12", "12 April 1990"),
        (39.9, "39.90"),
    ],
)
def test_every_way_in_which_customers_give_a_value_says_it(value: JsonValue, worded: str) -> None:
    for kind in phrases().kinds["customer"].values():
        if {*kind.slots} == {"value"}:
            for register in kind.frames:
                for frame in kind.of(register):
                    assert says(fill(frame, kind.slots, {"value": worded}), value, NOW), frame


@given(st.dates(date(1930, 1, 1), date(2090, 12, 31)), st.sampled_from(["%-d %B %Y", "%B %-d, %Y", "%Y-%m-%d"]))
def test_a_day_is_said_by_its_wordings_and_supports_them(day: date, form: str) -> None:
    text = f"It was on {day.strftime(form)}."
    assert says(text, day.isoformat(), NOW)
    assert claims(text).keys() <= grounds(day.isoformat())


@given(st.decimals(0, 99_999, places=2), st.sampled_from(["{:.2f} euros", "€{:,.2f}", "{:,.2f}"]))
def test_an_amount_is_said_by_its_wordings_and_supports_them(amount: object, form: str) -> None:
    value = float(str(amount))
    text = f"That makes {form.format(value)} in all"
    assert says(text, value)
    assert claims(text).keys() <= grounds(value)


@given(st.text(max_size=80), st.text(max_size=20))
def test_any_text_supports_what_it_claims(text: str, value: str) -> None:
    assert claims(text).keys() <= grounds(text)
    assert says(text, value, NOW) in (True, False)
