"""Steps with calls: decided by execution, never unsure; what is as good as the gold's call, and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from almita_samples import (
    BOTH,
    CANCEL,
    ENDS,
    LEXICAL,
    LOOKS,
    MAY_WE,
    PAYS,
    RIDE,
    WHO,
    asks,
    does,
    gold,
    must,
    says,
)
from hypothesis import given
from hypothesis import strategies as st

import noun_strategies
from toologue.schema import AgentTurn, Call, Dialogue, Fault, Program, Retrieve, Severity, UserTurn
from toologue.score.steps import StepVerdict, judged_step

LOOK = does("get_ride", ride_id=812)
FIND = does("find_rider", email="noor@post.example")
END = does("end_ride", ride_id=812)


def graded(at: int, did: AgentTurn, dialogue: Dialogue = RIDE) -> StepVerdict:
    return judged_step(dialogue, at, did, LEXICAL)


def right(at: int, did: AgentTurn, dialogue: Dialogue = RIDE) -> bool:
    found = graded(at, did, dialogue)
    assert found.verdict != "unsure"
    return found.verdict == "right"


def both(*turns: AgentTurn) -> AgentTurn:
    """All calls of these turns in one."""
    return AgentTurn(acts=tuple(act for turn in turns for act in turn.acts))


class TestReads:
    @pytest.mark.parametrize("did", [both(LOOK, FIND), both(FIND, LOOK)])
    def test_two_of_the_gold_in_one_parallel_turn(self, did: AgentTurn) -> None:
        assert right(LOOKS, did)

    def test_one_that_comes_later_may_come_first(self) -> None:
        assert right(LOOKS, FIND)

    @pytest.mark.parametrize(
        ("at", "did"), [(LOOKS, both(LOOK, LOOK)), (WHO, both(LOOK, FIND)), (ENDS, both(LOOK, END))]
    )
    def test_one_again_beside_the_expected_call(self, at: int, did: AgentTurn) -> None:
        assert right(at, did)

    def test_not_in_its_place(self) -> None:
        found = graded(ENDS, LOOK)
        assert (found.verdict, found.severity, found.by) == ("wrong", "missing write", "execution")

    def test_not_of_what_nobody_said(self) -> None:
        assert not right(LOOKS, both(LOOK, does("get_ride", ride_id=977)))
        assert not right(LOOKS, does("find_rider", email="bo@post.example"))

    def test_not_first_with_what_another_call_brings(self) -> None:
        needs = RIDE.replace(turns=(*RIDE.turns[:WHO], does("find_rider", {}, email="C-9"), *RIDE.turns[WHO + 1 :]))
        brings = does("get_ride", {"rider": "C-9"}, ride_id=812)
        needs = needs.replace(turns=(*needs.turns[:LOOKS], brings, *needs.turns[WHO:]))
        assert right(LOOKS, LOOK, needs)
        assert not right(LOOKS, does("find_rider", email="C-9"), needs)

    def test_not_first_behind_a_write(self) -> None:
        behind = RIDE.replace(turns=(*RIDE.turns[:LOOKS], RIDE.turns[ENDS], RIDE.turns[WHO], RIDE.turns[PAYS]))
        assert not right(LOOKS, FIND, behind)


class TestWrites:
    def test_once_is_enough(self) -> None:
        found = graded(ENDS, both(END, END))
        assert (found.verdict, found.severity) == ("wrong", "wrong write")

    def test_never_ahead(self) -> None:
        assert graded(LOOKS, END).severity == "wrong write"
        assert graded(LOOKS, both(LOOK, END)).severity == "wrong write"

    def test_never_behind_a_read_in_place_of_a_reply(self) -> None:
        """The worst of all calls counts."""
        assert graded(MAY_WE, both(LOOK, END)).severity == "wrong write"


class TestWordsBesideACall:
    @pytest.mark.parametrize("text", ["One moment, please.", "Thank you, Noor! I'm looking at ride 812 right away."])
    def test_they_are_as_they_like(self, text: str) -> None:
        assert right(LOOKS, LOOK.replace(text=text))

    @pytest.mark.parametrize(
        ("text", "severity"),
        [
            ("I have ended the ride.", "wrong information"),
            ("Your number is correct.", "wrong information"),
            ("That is 41.50 euros.", "wrong information"),
            ("It was Bo Dahl, then.", "leak"),
        ],
    )
    def test_but_report_nothing_that_is_not_known_yet(self, text: str, severity: Severity) -> None:
        found = graded(LOOKS, LOOK.replace(text=text))
        assert (found.verdict, found.severity) == ("wrong", severity)


class TestWordsInPlaceOfACall:
    def test_to_say_that_it_is_done_does_not_do_it(self) -> None:
        found = graded(ENDS, says("I have ended the ride for you."))
        assert (found.verdict, found.severity, found.by) == ("wrong", "missing write", "execution")

    @pytest.mark.parametrize(
        ("text", "severity"),
        [
            ("One moment.", "no answer"),
            ("It was ordered on 7 May.", "wrong information"),
            ("Bo Dahl has it.", "leak"),
        ],
    )
    def test_the_worst_that_they_do_counts(self, text: str, severity: Severity) -> None:
        assert graded(LOOKS, says(text)).severity == severity


class TestLeave:
    """A write may wait until the customer has agreed to it."""

    def test_it_may_be_asked_before_a_write(self) -> None:
        assert right(3, says("Shall I cancel order 90?"), CANCEL)
        assert right(3, says("That would be your order 90: are you sure?"), CANCEL)

    @pytest.mark.parametrize("text", ["Shall I go on?", "I cancel order 90 now.", "May I ask for 90 again?"])
    def test_if_it_says_what_would_be_done(self, text: str) -> None:
        assert graded(3, says(text), CANCEL).severity == "missing write"

    def test_not_again(self) -> None:
        assert not right(ENDS, says("Shall I end the ride now?"))

    @pytest.mark.parametrize("beside", ["Bo Dahl has ridden it, too.", "It cost 99.99 euros.", "I have cancelled it."])
    def test_not_beside_what_nobody_may_say(self, beside: str) -> None:
        talk = CANCEL.replace(extra={**CANCEL.extra, "others": ["Bo Dahl"]})
        assert right(3, says("Shall I cancel order 90?"), talk)
        assert not right(3, says(f"{beside} Shall I cancel order 90?"), talk)

    def test_not_for_a_read(self) -> None:
        assert not right(LOOKS, says("Shall I look at ride 812 now?"))

    def test_a_choice_about_something_else_was_no_leave(self) -> None:
        question = says("Would you like to go on, or to walk?", **must("ask", "whether they want to go on or to walk."))
        asked = RIDE.replace(turns=(*RIDE.turns[:MAY_WE], question, *RIDE.turns[MAY_WE + 1 :]))
        assert right(ENDS, says("Shall I end the ride now?"), asked)

    def test_for_the_value_that_will_be_written(self) -> None:
        """Nobody agrees to one value by agreeing to another."""
        api: dict[str, Any] = {
            "name": "set_plan",
            "writes": True,
            "parameters": {"plan": {"schema": {"type": "string", "enum": ["day_pass", "month_pass"]}}},
        }
        talk = Dialogue(
            id="plan",
            extra={"apis": [api]},
            turns=(asks("I'd like the month pass."), does("set_plan", plan="month_pass"), says("There you are.")),
        )
        assert right(1, says("Shall I set the plan to the month pass?"), talk)
        assert not right(1, says("Shall I set the plan to the day pass?"), talk)


class TestArguments:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({"reason": "changed their mind"}, True),
            ({"reason": None}, False),
            ({"reason": " "}, False),
            ({}, False),
        ],
    )
    def test_free_texts_need_only_be_there(self, arguments: dict[str, Any], expected: bool) -> None:
        talk = gold(asks("Refund 812."), does("refund_order", order_id=812, amount=39.9, reason="arrived broken"))
        did = does("refund_order", order_id=812, amount=39.9, **arguments)
        assert right(1, did, talk) is expected

    def test_a_wrong_one_of_a_write_is_a_wrong_write_of_a_read_no_harm(self) -> None:
        found = graded(ENDS, does("end_ride", ride_id=821))
        (mismatch,) = found.at
        assert (mismatch.field, mismatch.expected, mismatch.actual) == ("arguments.ride_id", 812, 821)
        assert (found.severity, mismatch.by) == ("wrong write", "execution")
        assert graded(LOOKS, does("get_ride", ride_id=821)).severity == "no harm"


class TestNoStepAtAll:
    @pytest.mark.parametrize(
        "did", [AgentTurn(), AgentTurn(error=Fault(type="timeout")), END.replace(error=Fault(type="raised"))]
    )
    def test_a_write_that_is_not_made_is_missing(self, did: AgentTurn) -> None:
        assert graded(ENDS, did).severity == "missing write"

    @pytest.mark.parametrize(
        "did",
        [
            AgentTurn(),
            AgentTurn(error=Fault(type="timeout")),
            AgentTurn(acts=(Retrieve(query="rides"),)),
            AgentTurn(acts=(Program(goal="1", status="final", code=""),)),
        ],
    )
    @pytest.mark.parametrize("at", [LOOKS, MAY_WE])
    def test_elsewhere_the_customer_gets_no_answer(self, at: int, did: AgentTurn) -> None:
        found = graded(at, did)
        assert (found.verdict, found.severity, found.by) == ("wrong", "no answer", "execution")

    def test_a_program_beside_the_gold_s_words_is_no_call(self) -> None:
        noted = says("Hello").replace(acts=(Program(goal="1", status="final", code=""),))
        found = graded(1, AgentTurn(), gold(UserTurn(text="Hi"), noted))
        assert [one.field for one in found.at] == ["reply"]


CALLS = st.builds(
    Call,
    api=st.sampled_from(["get_ride", "find_rider", "end_ride", "no_such_api"]),
    arguments=st.none()
    | st.dictionaries(
        st.sampled_from(["ride_id", "email", "more"]),
        st.sampled_from([812, 813, "812", None, "noor@post.example", [1]]),
    ),
)
TEXTS = st.sampled_from([None, "", "One moment.", "I have ended the ride.", "Shall I end the ride now?", "4.20 euros"])


@given(
    st.sampled_from([LOOKS, WHO, ENDS]),
    st.builds(AgentTurn, text=TEXTS, acts=st.lists(CALLS, max_size=3).map(tuple)) | noun_strategies.agent_turns(),
)
def test_where_a_call_is_expected_nothing_is_unsure(at: int, did: AgentTurn) -> None:
    found = graded(at, did)
    assert found.verdict in ("right", "wrong")
    assert (found.severity is None) == (found.verdict == "right")
    assert found.by is not None


@given(st.sampled_from([BOTH, MAY_WE, PAYS]), st.lists(CALLS, min_size=1, max_size=3), TEXTS)
def test_a_call_in_place_of_a_reply_is_wrong(at: int, calls: list[Call], text: str | None) -> None:
    found = graded(at, AgentTurn(text=text, acts=tuple(calls)))
    assert (found.verdict, found.by) == ("wrong", "execution")
    writes = any(call.api == "end_ride" and call.arguments is not None for call in calls)
    assert found.severity == ("wrong write" if writes else "no harm")
