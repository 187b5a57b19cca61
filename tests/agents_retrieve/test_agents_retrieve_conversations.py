"""What the agent `retrieve` does, one small conversation a behaviour."""

from __future__ import annotations

import pytest
from retrieve_samples import (
    LEXICAL,
    LIBRARY,
    Canned,
    agent_turns,
    assistant,
    calls,
    converse,
    turn_after,
    visit,
    words,
)

from toologue.agents.agent import resolve_agent
from toologue.agents.retrieve import Retrieve
from toologue.errors import UnknownName
from toologue.schema import AgentTurn, Call, Fault, Result, UserTurn

ASSISTANT = assistant().apis


class TestCalls:
    def test_at_once_when_all_is_said(self) -> None:
        turns = converse("Set an alarm for 6:45 am, please.")
        assert calls(turns) == [("AddAlarm", {"time": "06:45:00"})]
        assert words(turns) == ["Done: add alarm (time 06:45:00)."]

    def test_several_in_one_breath(self) -> None:
        turns = converse("Set an alarm for 7 pm and remind me to call the plumber tomorrow at noon.")
        assert [name for name, _ in calls(turns)] == ["AddAlarm", "AddReminder"]
        assert calls(turns)[1][1] == {"task": "call the plumber", "due_date": "2025-03-11 12:00:00"}

    def test_the_end_follows_from_how_long_it_lasts(self) -> None:
        turns = converse('Put "Roof inspection" into my calendar tomorrow at 10:00, for half an hour.')
        ((name, arguments),) = calls(turns)
        assert (name, arguments["start_time"], arguments["end_time"]) == (
            "CreateEvent",
            "2025-03-11 10:00:00",
            "2025-03-11 10:30:00",
        )

    def test_a_fact_of_the_brief_need_not_be_said(self) -> None:
        assert calls(converse("What is the current weather?")) == [("CurrentWeather", {"location": "Lisbon"})]

    def test_what_stands_in_quotes_asks_for_nothing(self) -> None:
        turns = converse('Send user bcosta a message: "Bring the ladder, and delete the old photos."')
        assert [name for name, _ in calls(turns)] == ["SendMessage"]


class TestAsks:
    def test_for_what_is_missing_in_the_order_of_the_documentation(self) -> None:
        turns = visit("I want to suggest a purchase.", "Salt and Iron", "Ada Brandt")
        first, second = words(turns)[:2]
        assert "title" in first.lower()
        assert "author" in second.lower()
        assert calls(turns) == [("SuggestPurchase", {"title": "Salt and Iron", "author": "Ada Brandt"})]

    def test_what_is_wanted_where_nobody_could_tell(self) -> None:
        for said in ("Hello!", "Blue is a nice colour.", ""):
            turn = turn_after([UserTurn(text=said)], ASSISTANT)
            assert (turn.action, turn.acts) == ("clarify", ())

    def test_but_not_before_it_did_what_can_be_done(self) -> None:
        lines = (
            "Send an email to bo@pipes.example. And set an alarm for 8 pm.",
            "The subject is Keys.",
            "They are with Bo.",
        )
        turns = converse(*lines)
        assert [turn.action for turn in agent_turns(turns)][:2] == ["call", "request"]
        assert calls(turns) == [
            ("AddAlarm", {"time": "20:00:00"}),
            ("SendEmail", {"to": ["bo@pipes.example"], "subject": "Keys", "body": "They are with Bo"}),
        ]
        assert words(turns)[0].startswith("Done: add alarm (time 20:00:00).")


class TestUnderstandsAnswers:
    def test_to_its_own_question(self) -> None:
        assert calls(converse("Please set an alarm.", "Quarter past seven in the evening."))[-1] == (
            "AddAlarm",
            {"time": "19:15:00"},
        )

    @pytest.mark.parametrize(
        ("answer", "secret"),
        [("Teal!Kettle9!", "Teal!Kettle9!"), ("How about Teal!Kettle9!", "Teal!Kettle9!"), ("Kettle-9.", "Kettle-9")],
    )
    def test_a_secret_keeps_its_marks(self, answer: str, secret: str) -> None:
        history = [
            UserTurn(text="I'd like to change my password. The old one is Rain&Iron5."),
            AgentTurn(text="What shall the new password be?"),
            UserTurn(text=answer),
        ]
        (call,) = turn_after(history, ASSISTANT).acts
        assert call == Call(api="ChangePassword", arguments={"old_password": "Rain&Iron5", "new_password": secret})

    def test_in_a_sentence(self) -> None:
        history = [
            UserTurn(text="Send an email to bo@pipes.example with the body: hello there"),
            AgentTurn(text="What should the subject be?"),
            UserTurn(text="put 'test' as the subject"),
        ]
        agent = Retrieve(LEXICAL)
        turn = turn_after(history, ASSISTANT, agent=agent)
        sent = Call(api="SendEmail", arguments={"to": ["bo@pipes.example"], "subject": "test", "body": "hello there"})
        assert turn.acts == (sent,)
        done = turn.replace(results=(Result(value={"email_id": "1a"}),))
        assert turn_after([*history, done], ASSISTANT, agent=agent).action == "response", "the answer was no new wish"


class TestRefersToResults:
    def test_by_a_word(self) -> None:
        assert calls(visit("Which books have I borrowed?", "Renew the bread one, please."))[-1] == (
            "RenewLoan",
            {"book_id": "b-08"},
        )

    def test_by_a_place_in_the_list(self) -> None:
        assert calls(visit("Which books have I borrowed?", "Renew the second one."))[-1] == (
            "RenewLoan",
            {"book_id": "b-17"},
        )

    def test_what_was_deleted_is_gone(self) -> None:
        turns = converse("Set an alarm for 5:05 am.", "Delete it.", "Delete the 5:05 am alarm.")
        assert [name for name, _ in calls(turns)][:2] == ["AddAlarm", "DeleteAlarm"]
        assert "DeleteAlarm" not in [name for name, _ in calls(turns)[2:]]


class TestLooksUp:
    def test_the_id_that_another_api_supplies_and_then_calls(self) -> None:
        turns = visit("Could you reserve Salt and Iron for Friday?")
        assert [name for name, _ in calls(turns)] == ["FindBooks", "ReserveBook"]
        assert calls(turns)[1][1] == {"book_id": "b-42", "pickup_date": "2025-03-14"}


class TestCloses:
    def test_a_failure_is_admitted_in_the_words_of_the_world(self) -> None:
        turns = converse("Set an alarm for 7 am.", world=Canned(error="The bell is broken."), apis=ASSISTANT)
        assert agent_turns(turns)[-1].action == "response_fail"
        assert "The bell is broken." in words(turns)[-1]

    def test_one_failure_does_not_keep_it_from_the_rest(self) -> None:
        turns = converse("Delete the alarm 0000-0000. And which reminders do I have?")
        assert [name for name, _ in calls(turns)] == ["DeleteAlarm", "GetReminders"]
        assert "Alarm 0000-0000 not found" in words(turns)[-1]

    def test_results_are_read_out(self) -> None:
        assert words(visit("Which books have I borrowed?")) == [
            "Here is what I found: title Bread at Home, due 2025-03-12; title The Lighthouse Year, due 2025-03-20."
        ]

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ("10 to 18", "10 to 18"),
            (["red", "teal"], "red; teal"),
            ({"opens": 10}, "opens 10"),
            (7.5, "7.5"),
            (None, "nothing"),
            ([], "nothing"),
            ({}, "nothing"),
            ([[None]], "nothing"),
        ],
    )
    def test_whatever_they_are(self, value: object, said: str) -> None:
        world = Canned(other=value)
        assert said in words(converse("When is the branch called Millpond open?", apis=LIBRARY, world=world))[-1]

    @pytest.mark.parametrize("bye", ["Thanks, bye!", "No, that's all. Thank you!", "Goodbye."])
    def test_goodbye(self, bye: str) -> None:
        turns = converse("Set an alarm for 7 am.", bye)
        assert agent_turns(turns)[-1].action == "system_bye"

    def test_goodbye_is_no_answer(self) -> None:
        turns = converse("Please set an alarm.", "Thanks, bye!")
        assert [turn.action for turn in agent_turns(turns)] == ["request", "system_bye"]


class TestLabels:
    def test_every_turn_says_what_it_does_and_why(self) -> None:
        turns = agent_turns(converse("Please set an alarm.", "7 am", "Bye"))
        assert [turn.action for turn in turns] == ["request", "call", "response", "system_bye"]
        assert all(turn.thought and turn.state is not None for turn in turns)

    def test_the_state_holds_the_api_and_its_slots(self) -> None:
        asked, called, *_ = agent_turns(visit('I want to suggest a purchase, "Salt and Iron".', "Ada Brandt"))
        assert asked.state is not None
        assert called.state is not None
        assert (asked.state.api, asked.state.required["author"]) == ("SuggestPurchase", "")
        assert called.state.required == {"title": "Salt and Iron", "author": "Ada Brandt"}
        assert called.thought is not None
        assert "asks for SuggestPurchase" in called.thought


class TestSettings:
    def test_the_name_says_which_embedder(self) -> None:
        for spec in ("retrieve", "retrieve:lexical"):
            assert resolve_agent(spec).name == spec
        with pytest.raises(UnknownName, match="no embedder is called 'lexicall'"):
            resolve_agent("retrieve:lexicall")

    def test_a_failing_lookup_is_no_dead_end(self) -> None:
        history = [
            UserTurn(text="Could you reserve Salt and Iron for Friday?"),
            AgentTurn(
                acts=(Call(api="FindBooks", arguments={"query": "Salt Iron Friday"}),),
                results=(Result(error=Fault(type="down", message="no catalogue")),),
            ),
        ]
        turn = turn_after(history, LIBRARY)
        assert (turn.action, turn.acts) in (("request", ()), ("call", (Call(api="ListLoans"),)))
