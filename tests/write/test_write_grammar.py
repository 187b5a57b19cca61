"""The words of a procedure, taken apart: who, what, why; turned to the customer, and by the customer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from write_samples import lines

from toologue.procedure.grammar import (
    Asking,
    action,
    asking,
    contracted,
    direct,
    disputed_fact,
    is_offer,
    options,
    saying,
    to_me,
    to_you,
)


class TestAsks:
    @pytest.mark.parametrize(
        ("text", "ask"),
        [
            ("for the order number.", Asking(noun="the order number")),
            ("Ask for their e-mail address", Asking(noun="your e-mail address")),
            ("the customer for the order number", Asking(noun="the order number")),
            ("{customer.name} for the day.", Asking(who="{customer.name}", noun="the day")),
            ("for another day, as {day} is full", Asking(noun="another day", link="as", reason="{day} is full")),
            ("for the address as it stands there", Asking(noun="the address as it stands there")),
            ("for the bill, as soon as they can", Asking(noun="the bill, as soon as you can")),
            (
                "for the number again, because they have no order {id}: it is short.",
                Asking(noun="the number again", reason="you have no order {id}", note="it is short"),
            ),
            (
                "who receives it, and for street and city.",
                Asking(question="who receives it, and street and city"),
            ),
            (
                "from which day and for how many months they need it",
                Asking(question="from which day and for how many months you need it"),
            ),
            (
                "them to check the number of the fee, since there is no fee {fee}.",
                Asking(deed="check the number of the fee", link="since", reason="there is no fee {fee}"),
            ),
            ("why they want it back.", Asking(question="why you want it back")),
            ("if they have it", Asking(question="whether you have it")),
            (
                "whether this is right, reading it back: {street}, {city}.",
                Asking(question="whether this is right", back="{street}, {city}"),
            ),
            ("Have they got it yet?", Asking(words="Have you got it yet?")),
            ("", Asking()),
        ],
    )
    def test_say_what_is_asked_and_why(self, text: str, ask: Asking) -> None:
        assert asking(text) == ask

    def test_a_colon_in_quotes_or_braces_ends_nothing(self) -> None:
        ask = asking('whether they know it: the last word is "Note: at the door"')
        assert (ask.question, ask.note) == ("whether you know it", 'the last word is "Note: at the door"')


class TestSays:
    @pytest.mark.parametrize(
        ("text", "statements"),
        [
            ("that it is settled.", ("it is settled",)),
            ("say that it is late, that we are sorry, and that they win.", ("it is late", "we are sorry", "you win")),
            ("that it left, and that it comes on {day}", ("it left", "it comes on {day}")),
            ("that it was not cancelled: it leaves at {time}", ("it was not cancelled", "it leaves at {time}")),
            ("that they can go, and wish them joy", ("you can go, and we wish you joy",)),
            ("wish them a good journey.", ("we wish you a good journey",)),
        ],
    )  # fmt: skip
    def test_are_main_clauses(self, text: str, statements: tuple[str, ...]) -> None:
        assert saying(text).statements == statements

    def test_what_does_not_follow_that_is_no_fact(self) -> None:
        assert saying("that it left").facts
        assert not saying("goodbye to them").facts

    def test_what_can_be_disputed_is_the_reason_or_the_first_statement(self) -> None:
        assert disputed_fact("for another number, because there is no {number}") == "there is no {number}"
        assert disputed_fact("that it is late, and that it comes") == "it is late"
        assert disputed_fact("whether to stop it: that cannot be undone") == "this cannot be undone"
        assert disputed_fact("for the number") == ""


class TestQuestions:
    @pytest.mark.parametrize(
        ("indirect", "asked"),
        [
            ("you want the money or the same again", "Do you want the money or the same again"),
            ("you still have the card", "Do you still have the card"),
            ("you have receipts for meals", "Do you have receipts for meals"),
            ("you have already received it", "Have you already received it"),
            ("you are at home", "Are you at home"),
            ("you would rather wait", "Would you rather wait"),
            ("you can fetch it", "Can you fetch it"),
            ("we may charge {price} euros now", "May we charge {price} euros now"),
            ("to wait or cancel", "Would you rather wait or cancel"),
            ("to cancel it", "Should we cancel it"),
            ("it is the same", "Is it the same"),
            ("this is right", "Is this right"),
            ("another bag should come along", "Should another bag come along"),
            ("somebody you travel with has it", "Does somebody you travel with have it"),
            ("the parcel has arrived", "Has the parcel arrived"),
            ("{shop} in {city} means anything to you", "Does {shop} in {city} mean anything to you"),
            ("{limit} euros a month are enough", "Are {limit} euros a month enough"),
        ],
    )
    def test_are_put_directly_where_that_is_safe(self, indirect: str, asked: str) -> None:
        assert direct(f"whether {indirect}") == asked

    @pytest.mark.parametrize(
        "indirect", ["you ordered it yourself", "the person you are with has it", "something helps", "you got one"]
    )
    def test_and_stay_indirect_where_it_is_not(self, indirect: str) -> None:
        assert direct(f"whether {indirect}") is None

    def test_that_are_no_yes_or_no_questions_stay_as_they_are(self) -> None:
        assert direct("why you want it") is None

    def test_offer_options(self) -> None:
        assert options("whether you want the money or the same again") == "the money or the same again"
        assert options("whether you prefer {sum} euros or a voucher") == "{sum} euros or a voucher"
        assert options("whether you want to wait or cancel") is None
        assert options("whether you want the money") is None

    def test_ask_to_be_allowed_something(self) -> None:
        assert action("whether we may cancel {id} for good") == "cancel {id} for good"
        assert action("whether we should block the card now") == "block the card"
        assert action("whether you may cancel it") is None

    def test_accept_something_or_state_a_fact(self) -> None:
        offers = ["we may charge it", "you want it back", "another day would do", "{flight} suits you"]
        facts = ["you have receipts", "this is right", "you mean another order", "somebody has it"]
        assert all(is_offer(f"whether {clause}") for clause in offers)
        assert not any(is_offer(f"whether {clause}") for clause in facts)


class TestPersons:
    def test_are_turned_to_the_customer(self) -> None:
        assert to_you("They lost their card themselves; is it theirs? Tell them.") == (
            "You lost your card yourself; is it yours? Tell you."
        )

    def test_and_by_the_customer(self) -> None:
        assert to_me("they are sure that we have their parcel") == "I am sure that you have my parcel"
        assert to_me("They were deceived") == "I was deceived"

    @pytest.mark.parametrize(
        "text",
        [
            "{open} euros are unpaid, and they have to be paid first",
            "the membership number and the date of birth once more, since they do not match",
        ],
    )
    def test_things_that_are_named_before_stay_they(self, text: str) -> None:
        assert to_you(text) == text

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("the notes are there, and they can have them", "the notes are there, and you can have you"),
            ("{x} euros are enough, because they have that limit", "{x} euros are enough, because you have that limit"),
            (
                "claims have to be made in a year, and they can ask us",
                "claims have to be made in a year, and you can ask us",
            ),
            ("they are told by noon", "you are told by noon"),
        ],
    )
    def test_who_does_something_is_the_customer(self, text: str, said: str) -> None:
        assert to_you(text) == said

    def test_braces_are_left_alone(self) -> None:
        assert to_you("{their.they} is theirs") == "{their.they} is yours"

    def test_contractions_end_no_sentence(self) -> None:
        assert contracted("it is late, and we do not know where it is.") == "it's late, and we don't know where it is."
        assert contracted("there is none, you cannot go, leave it as it is now") == (
            "there's none, you can't go, leave it as it is now"
        )
        assert contracted("they will not come, that is {it is so}") == "they won't come, that is {it is so}"


@given(st.text())
def test_any_text_can_be_taken_apart(text: str) -> None:
    asking(text), saying(text), disputed_fact(text), to_me(text), contracted(text), direct(text)


def test_everything_that_ships_is_understood() -> None:
    """No ask of a procedure that ships is spoken as written, and every say is a fact."""
    for line in lines():
        if line.cue.move == "ask":
            assert asking(line.cue.text).asked, line.where
        else:
            assert saying(line.cue.text).facts, line.where
