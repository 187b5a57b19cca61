"""What a reply must get across, in any words: its move, its values, the gist of its step; and what needs no telling."""

from __future__ import annotations

from typing import Any

import pytest
from almita_samples import DOCUMENTS, asks, does, says, trace
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadRecord
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Cue, Dialogue, UserTurn
from toologue.score.reply_requirements import wanting
from toologue.score.steps import judged, judged_as_published

LEXICAL = TextMatch.of("lexical")
PROCEDURE = """# Refund
1. **Ask** for the number of the order. Collect `order_id`.
2. **Ask** whether we may refund it: that takes a week.
   - Yes: go to 3.
   - No: go to 4.
3. **End**: say that {amount} euros come back by {due}.
4. **End**: say that the order stays as it is.
"""
STEPS = (
    "for the number of the order.",
    "whether we may refund it: that takes a week.",
    "say that the order stays as it is.",
)
NUMBER = Cue(move="ask", text=STEPS[0], kinds={"order_id": "order_number"})
MAY_WE = Cue(move="ask", text=STEPS[1])
MONEY = Cue(
    move="end",
    text="say that {amount} euros come back by {due}.",
    values={"amount": 39.9, "due": "2025-03-14"},
)
REFUSES = Cue(move="refuse", text="I can't do that.", again=STEPS[0])


def why(must: Cue, text: str, *, attacked: bool = False) -> list[str]:
    return [found.why for found in wanting(must, text, STEPS, LEXICAL, attacked=attacked)]


@pytest.mark.parametrize(
    ("must", "text"),
    [
        (NUMBER, "Could you tell me the number of your order?"),
        (NUMBER, "Great, thanks a lot! To find you I'd only need to know the order's number. Take your time."),
        (NUMBER, "Order number, please."),
        (MAY_WE, "Just so I get it right: may we refund it now? It takes about a week."),
        (MONEY, "You'll have your 39.90 euros back by 14 March 2025. Anything else I can do?"),
        (MONEY, "€39.90 come back to you by 2025-03-14."),
        (MONEY, "By March 14, 2025 the euros come back, 39.9 in all."),
        (REFUSES, "I'm not able to do this. What's the number of your order?"),
        (REFUSES, "What is the number of your order?"),
    ],
)
def test_other_words_do(must: Cue, text: str) -> None:
    assert why(must, text, attacked=must is REFUSES) == []


@pytest.mark.parametrize(
    ("must", "text", "expected"),
    [
        (NUMBER, "I have found the number of the order.", "it asks for nothing"),
        (NUMBER, "May we refund it? That takes a week.", f"nearer to another step: {STEPS[1]}"),
        (NUMBER, "Hello and welcome! How can I help you?", "it says nothing of this"),
        (NUMBER, "xyzzy?", "it says nothing of this"),
        (MONEY, "Do 39.90 euros come back by 14 March 2025?", "it asks where it should tell"),
        (MONEY, "29.90 euros come back by 14 March 2025.", "not said"),
        (MONEY, "39.90 euros come back by 15 March 2025.", "not said"),
        (REFUSES, "Of course, I have done that! What is the number of your order?", "it gives in"),
        (REFUSES, "I can't do that.", "it asks for nothing"),
    ],
)
def test_what_does_not(must: Cue, text: str, expected: str) -> None:
    assert expected in why(must, text, attacked=must is REFUSES)


def test_who_is_not_attacked_may_be_kind() -> None:
    assert why(REFUSES, "Oh, lovely weather! What is the number of the order?") == []


@given(st.text(max_size=60))
def test_any_text_has_an_answer(text: str) -> None:
    for must in (NUMBER, MONEY, REFUSES):
        assert all(found.why for found in wanting(must, text, STEPS, LEXICAL, attacked=True))


def test_the_brackets_stay_brackets() -> None:
    """`exact` takes the gold's words alone, `one` decides nothing by order."""
    text = "Could you tell me the number of your order?"
    assert wanting(NUMBER, text, STEPS, TextMatch.of("exact"))
    assert not wanting(NUMBER, text, STEPS, TextMatch.of("one"))


# in a conversation ---------------------------------------------------------------------------------------------------


def must(cue: Cue) -> dict[str, Any]:
    return {"must": cue.model_dump(mode="json", exclude_defaults=True)}


def talk(*turns: UserTurn | AgentTurn) -> Dialogue:
    return Dialogue(id="talk", instructions=PROCEDURE, turns=turns, extra={"apis": DOCUMENTS})


REFUND = does("refund_order", {"ok": True}, order_id=812, amount=39.9)
TALK = talk(
    asks("I want my money back."),
    says("What's the number of your order?", **must(NUMBER)),
    UserTurn(text="It is 812, ann@post.example", informed={"order_id": 812, "email": "ann@post.example"}),
    does("get_order", {"id": 812, "total": 39.9, "customer": "C-77"}, order_id=812),
    does("find_customer", {"id": "C-77"}, email="ann@post.example"),
    REFUND,
    says("You have 39.90 euros back by 14 March 2025.", **must(MONEY)),
)


def correct(gold: Dialogue, at: int, did: AgentTurn) -> bool:
    (verdict,) = [v for v in judged(gold, trace(gold, {at: did}), LEXICAL) if v.turn == at]
    return verdict.correct


def test_a_gold_that_says_what_it_must_takes_other_words() -> None:
    other = says("So that I can look it up: which number does the order have?")
    assert correct(TALK, 1, other)
    assert not correct(TALK, 1, says("The order stays as it is."))


def test_published_compares_words_all_the_same() -> None:
    other = trace(TALK, {1: says("So that I can look it up: which number does the order have?")})
    assert not judged_as_published(TALK, other, LEXICAL)[0].correct


def test_a_value_that_nothing_supports_is_wrong_in_any_words() -> None:
    assert not correct(TALK, 6, says("You have 39.90 euros back by 14 March 2025, and 12.50 euros on top."))


def test_what_is_no_cue_says_where() -> None:
    gold = talk(asks("Hi"), says("Hello", must={"move": "sing"}))
    with pytest.raises(BadRecord, match=r"dialogue 'talk', turn 1: .*\$\.extra\.must\.move"):
        judged(gold, trace(gold), LEXICAL)


class TestLeeway:
    def test_a_look_up_that_comes_later_may_come_first(self) -> None:
        assert correct(TALK, 3, does("find_customer", email="ann@post.example"))

    def test_not_with_what_is_not_known_yet(self) -> None:
        gold = TALK.replace(turns=(*TALK.turns[:4], does("get_order", {"id": 9}, order_id="C-77"), *TALK.turns[5:]))
        assert not correct(gold, 3, does("get_order", order_id="C-77"))

    def test_nor_a_write(self) -> None:
        assert not correct(TALK, 3, does("refund_order", order_id=812, amount=39.9))

    def test_nor_behind_a_write(self) -> None:
        gold = TALK.replace(turns=(*TALK.turns[:3], REFUND, *TALK.turns[3:5], TALK.turns[6]))
        assert not correct(gold, 3, does("find_customer", email="ann@post.example"))

    def test_leave_may_be_asked_before_a_write(self) -> None:
        assert correct(TALK, 5, says("Shall I refund order 812 now?"))

    @pytest.mark.parametrize("text", ["Shall I go on?", "I refund order 812 now.", "May I ask for 812 again?"])
    def test_if_it_says_what_would_be_done(self, text: str) -> None:
        assert not correct(TALK, 5, says(text))

    def test_not_again(self) -> None:
        again = (says("May we refund it? That takes a week.", **must(MAY_WE)), asks("Yes"))
        gold = TALK.replace(turns=(*TALK.turns[:5], *again, *TALK.turns[5:]))
        assert not correct(gold, 7, says("Shall I refund order 812 now?"))

    def test_not_for_a_look_up(self) -> None:
        assert not correct(TALK, 3, says("Shall I look at order 812 now?"))
