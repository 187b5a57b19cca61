"""Where the brief names a retriever, `retrieve` looks for an Api in the open, and the talk goes by ToolDial's flow."""

from __future__ import annotations

import pytest
from agents_chains_samples import (
    DETAILS,
    HOTELS,
    SEARCH,
    SUPPLIES,
    Travel,
    actions,
    agent_turns,
    converse,
    said,
    turn_after,
)

from toologue.schema import AgentTurn, Call, Result, Retrieve, State

CLEAR, MIDDLING, NOTHING = {SEARCH: 0.8, DETAILS: 0.5}, {SEARCH: 0.45}, {SEARCH: 0.1}
WISH = "Which hotels are there?"


class TestTheRetrieverIsAskedFirst:
    def test_in_the_users_words(self) -> None:
        turn = turn_after(said(WISH))
        assert (turn.action, turn.acts, turn.state) == ("retriever_call", (Retrieve(query=WISH),), State())

    def test_a_clear_answer_is_acted_upon(self) -> None:
        turns = converse(Travel(CLEAR), WISH, "The city is Oslo and the country is Norway.", "Thanks, bye!")
        assert actions(turns) == ["retriever_call", "request", "call", "response", "system_bye"]
        asks, calls, tells, leaves = agent_turns(turns)[1:]
        assert asks.state == State(api=SEARCH, required={"city": ""})
        assert calls.acts == (Call(api=SEARCH, arguments={"city": "Oslo", "country": "Norway"}),)
        known = State(api=SEARCH, required={"city": "Oslo"}, optional={"country": "Norway"})
        assert [turn.state for turn in (calls, tells, leaves)] == [known] * 3
        assert "Old Mill" in (tells.text or "")

    def test_all_that_is_needed_is_asked_for_at_once_and_one_thing_that_is_not(self) -> None:
        asks = agent_turns(converse(Travel(CLEAR), WISH))[-1]
        assert "the city" in (asks.text or "")
        assert "the country" in (asks.text or "")

    def test_a_middling_one_is_offered(self) -> None:
        turns = converse(Travel(MIDDLING), "Something with hotels.", "Yes, please.")
        assert actions(turns) == ["retriever_call", "suggest", "request"]
        assert [turn.state for turn in agent_turns(turns)][:2] == [State(), State()]

    @pytest.mark.parametrize(
        "yes", ["Yes, please.", "That is it. " + "I would like to know what they cost a night. " * 3]
    )
    def test_what_follows_a_yes_may_be_long(self, yes: str) -> None:
        assert actions(converse(Travel(MIDDLING), "Something with hotels.", yes))[-1] == "request"

    @pytest.mark.parametrize("no", ["No.", "That's not it.", "Nope, thanks.", "I don't think so."])
    def test_who_declines_is_not_pressed(self, no: str) -> None:
        turns = converse(Travel(MIDDLING), "Something with hotels.", no)
        assert actions(turns) == ["retriever_call", "suggest", "response_fail"]
        assert agent_turns(turns)[-1].state == State()

    def test_other_words_are_wanted_where_nothing_fits_and_asked_with(self) -> None:
        turns = converse(Travel(NOTHING, CLEAR), "I have a question.", "Find me a hotel, with Oslo as the city.")
        assert actions(turns)[:4] == ["retriever_call", "clarify", "retriever_call", "request"]
        assert agent_turns(turns)[2].acts == (Retrieve(query="Find me a hotel, with Oslo as the city."),)
        assert agent_turns(turns)[3].state == State(api=SEARCH, required={"city": "Oslo"})

    def test_what_fits_is_what_the_brief_says(self) -> None:
        bands = {"retriever": {"confirm": 0.3, "suggest": 0.2}}
        assert actions(converse(Travel(MIDDLING), WISH, facts=bands)) == ["retriever_call", "request"]


class TestTheEnd:
    @pytest.mark.parametrize("said", ["Thanks, bye!", "That's what I need, thanks.", "I'm done here.", "See you!"])
    def test_who_takes_leave_is_left(self, said: str) -> None:
        turns = converse(Travel(CLEAR), WISH, "The city is Oslo and the country is Norway.", said)
        assert actions(turns)[-1] == "system_bye"

    @pytest.mark.parametrize("said", ["Great, thanks.", "Thank you very much!", "OK, that is helpful, thanks."])
    def test_thanks_alone_are_no_goodbye(self, said: str) -> None:
        turns = converse(Travel(CLEAR), WISH, "The city is Oslo and the country is Norway.", said)
        assert actions(turns)[-1] == "clarify"
        assert turns[-1].text == "Gladly. Is there anything else?"


class TestWhatTheUserDoesNotKnowIsFoundOut:
    LINES = ("Tell me about that hotel.", "I don't know the hotel ID.", "Oslo, please.")

    def test_several_results_are_the_users_choice(self) -> None:
        turns = converse(
            Travel({DETAILS: 0.9}), *self.LINES, "The West Pier, please.", "Two. The guests are 2.", "Bye!"
        )
        assert actions(turns) == [
            "retriever_call", "request", "retriever_call", "request", "call", "request", "request", "call", "response",
            "system_bye",
        ]  # fmt: skip
        found, sources, asks, calls, chooses, rest, target = agent_turns(turns)[1:8]
        assert found.state == State(api=DETAILS, required={"hotelId": "", "guests": ""})
        assert sources.acts == (Retrieve(missing=(DETAILS, "hotelId")),)
        assert sources.state == found.state
        assert asks.state == State(api=SEARCH, required={"city": ""})
        assert calls.acts == (Call(api=SEARCH, arguments={"city": "Oslo"}),)
        assert "Old Mill or West Pier" in (chooses.text or "")
        assert chooses.state == found.state
        assert rest.state == State(api=DETAILS, required={"hotelId": 9, "guests": ""})
        assert target.acts == (Call(api=DETAILS, arguments={"hotelId": 9, "guests": 2}),)

    def test_one_result_is_taken_and_told(self) -> None:
        turns = converse(Travel({DETAILS: 0.9}, hotels=HOTELS[:1]), *self.LINES)
        rest = agent_turns(turns)[-1]
        assert (rest.action, rest.state) == ("request", State(api=DETAILS, required={"hotelId": 7, "guests": ""}))
        assert "7" in (rest.text or "")

    def test_what_the_retriever_says_stands_beside_it_in_its_row_comes_along(self) -> None:
        rooms = [{**HOTELS[0], "guests": 4}, {**HOTELS[1], "guests": 3}]
        told = {**SUPPLIES, "along": {"guests": "results|guests"}}
        turns = converse(Travel({DETAILS: 0.9}, hotels=rooms, supplies=told), *self.LINES, "The West Pier, please.")
        assert actions(turns)[-2:] == ["call", "response"]
        assert agent_turns(turns)[-2].acts == (Call(api=DETAILS, arguments={"hotelId": 9, "guests": 3}),)

    def test_what_was_told_beside_it_is_not_asked_again(self) -> None:
        lines = (self.LINES[0], "The guests are 2, but I don't know the hotel ID.", self.LINES[2])
        turns = converse(Travel({DETAILS: 0.9}, hotels=HOTELS[:1]), *lines)
        assert actions(turns)[-3:] == ["call", "call", "response"]
        assert agent_turns(turns)[-2].acts == (Call(api=DETAILS, arguments={"hotelId": 7, "guests": 2}),)

    @pytest.mark.parametrize("world", [Travel({DETAILS: 0.9}, supplies=None), Travel({DETAILS: 0.9}, hotels=[])])
    def test_where_nothing_is_found_it_says_so(self, world: Travel) -> None:
        assert "response_fail" in actions(converse(world, *self.LINES))


class TestAThingIsAskedForByItsName:
    """People know what a hotel is called, and not its id: the name is for the Api that finds the id."""

    WISH = "Tell me about that hotel."

    def test_the_question_is_which_one(self) -> None:
        asks = agent_turns(converse(Travel({DETAILS: 0.9}), self.WISH))[-1]
        assert "Which hotel" in (asks.text or "")
        assert "guests" in (asks.text or "")
        assert " id" not in (asks.text or "").lower()

    @pytest.mark.parametrize("answer", ["That's Bergen.", "Bergen.", "It's called Bergen.", "Bergen, please."])
    def test_an_answer_that_is_no_id_goes_to_the_source_at_once(self, answer: str) -> None:
        turns = converse(Travel({DETAILS: 0.9}, hotels=HOTELS[:1]), self.WISH, answer)
        assert actions(turns) == ["retriever_call", "request", "retriever_call", "call", "request"]
        found, sources, calls, rest = agent_turns(turns)[1:]
        assert sources.acts == (Retrieve(missing=(DETAILS, "hotelId")),)
        assert sources.state == found.state == State(api=DETAILS, required={"hotelId": "", "guests": ""})
        assert calls.acts == (Call(api=SEARCH, arguments={"city": "Bergen"}),)
        assert calls.state == State(api=SEARCH, required={"city": "Bergen"})
        assert rest.state == State(api=DETAILS, required={"hotelId": 7, "guests": ""})

    def test_what_else_was_said_in_that_turn_is_kept(self) -> None:
        turns = converse(Travel({DETAILS: 0.9}, hotels=HOTELS[:1]), self.WISH, "It's Bergen. The guests are 2.")
        assert actions(turns)[2:] == ["retriever_call", "call", "call", "response"]
        assert agent_turns(turns)[-2].acts == (Call(api=DETAILS, arguments={"hotelId": 7, "guests": 2}),)

    @pytest.mark.parametrize("answer", ["I'm open.", "The name escapes me.", "I don't have one in mind yet."])
    def test_who_has_none_in_mind_is_asked_for_what_the_source_needs(self, answer: str) -> None:
        turns = converse(Travel({DETAILS: 0.9}), self.WISH, answer)
        assert actions(turns)[2:] == ["retriever_call", "request"]
        assert agent_turns(turns)[-1].state == State(api=SEARCH, required={"city": ""})

    def test_an_id_is_taken_for_one(self) -> None:
        turns = converse(Travel({DETAILS: 0.9}), self.WISH, "The hotel ID is 9 and the guests are 2.")
        assert actions(turns)[2:] == ["call", "response"]


class TestOnlyWhereItIsWanted:
    def test_without_a_retriever_nothing_is_asked_of_it(self) -> None:
        turns = converse(Travel(CLEAR), "Search hotels in Oslo, please.", facts={})
        assert "retriever_call" not in actions(turns)

    def test_a_history_that_asks_one_goes_on_with_the_papers_thresholds(self) -> None:
        def after(score: float) -> str | None:
            found = (Result(value={"retrieved": {SEARCH: score}}),)
            return turn_after(said(WISH, AgentTurn(acts=(Retrieve(query=WISH),), results=found)), facts={}).action

        assert [after(score) for score in (0.61, 0.55, 0.49)] == ["request", "suggest", "clarify"]

    def test_labels_in_the_history_are_believed(self) -> None:
        found = AgentTurn(acts=(Retrieve(query=WISH),), results=(Result(value={"retrieved": CLEAR}),))
        shown = AgentTurn(text="Where?", state=State(api=SEARCH, required={"city": "Bergen"}))
        assert turn_after(said(WISH, found, shown, "Never mind where.")).acts == (
            Call(api=SEARCH, arguments={"city": "Bergen"}),
        )


def test_it_is_a_function_of_the_history() -> None:
    turns = converse(
        Travel({DETAILS: 0.9}), *TestWhatTheUserDoesNotKnowIsFoundOut.LINES, "Old Mill.", "The guests are 3."
    )
    for at, turn in enumerate(turns):
        if isinstance(turn, AgentTurn):
            assert turn_after(turns[:at]) == turn.replace(results=())
