"""The agent `retrieve` is made for no domain: other documents, odd documents, odd histories."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from retrieve_samples import LEXICAL, LIBRARY, Canned, api, assistant, calls, converse, library, turn_after, words

from toologue.agents.retrieve import Retrieve
from toologue.errors import BadSetting
from toologue.schema import AgentTurn, Api, Call, Parameter, Program, Result, Turn, UserTurn

FLIGHTS = {"flights": [{"id": "f-1", "to": "Porto", "price": 80}, {"id": "f-2", "to": "Porto", "price": 120}]}
TRAVEL = (
    Api(
        name="searchFlights",
        description="Flights between two towns on a day.",
        parameters={
            "origin": Parameter(schema={"type": "string", "description": "Town of departure."}),
            "destination": Parameter(schema={"type": "string", "description": "Town of arrival."}),
            "date": Parameter(schema={"type": "string", "format": "date"}),
            "passengers": Parameter(schema={"type": "integer", "description": "How many fly."}, required=False),
        },
        returns={
            "properties": {
                "flights": {
                    "type": "array",
                    "items": {"properties": {"id": {"type": "string", "description": "Identifier of the flight."}}},
                }
            }
        },
    ),
    Api(
        name="bookFlight",
        description="Book a flight.",
        writes=True,
        parameters={"flight_id": Parameter(schema={"type": "string", "description": "Identifier of the flight."})},
    ),
    Api(
        name="convertMoney",
        description="What an amount of money is in another currency.",
        parameters={
            "amount": Parameter(schema={"type": "number"}),
            "base_currency": Parameter(schema={"type": "string", "description": "Currency code."}),
            "target_currency": Parameter(schema={"type": "string", "description": "Currency code."}),
        },
    ),
)


def plain(apis: Sequence[Api], domain: str) -> list[Api]:
    return [one.replace(domain=domain) for one in apis]


@pytest.mark.parametrize("domain", ["", "Everything"])
class TestWhateverTheDomainsAre:
    def test_a_library(self, domain: str) -> None:
        lines = ("Which books have I borrowed?", "Renew the bread one.", "Now reserve Salt and Iron for Friday.")
        turns = converse(*lines, apis=plain(LIBRARY, domain), world=library())
        assert calls(turns) == [
            ("ListLoans", {}),
            ("RenewLoan", {"book_id": "b-08"}),
            ("FindBooks", {"query": "Salt and Iron"}),
            ("ReserveBook", {"book_id": "b-42", "pickup_date": "2025-03-14"}),
        ]

    def test_a_travel_desk(self, domain: str) -> None:
        lines = ("Are there flights from Lisbon to Porto on Friday?", "Book the second one.")
        turns = converse(*lines, apis=plain(TRAVEL, domain), world=Canned({"searchFlights": FLIGHTS}))
        assert calls(turns) == [
            ("searchFlights", {"origin": "Lisbon", "destination": "Porto", "date": "2025-03-14"}),
            ("bookFlight", {"flight_id": "f-2"}),
        ]

    def test_small_talk_asks_for_nothing(self, domain: str) -> None:
        for said in ("Hello there!", "I like trains.", "Blue is a nice colour."):
            assert turn_after([UserTurn(text=said)], plain(LIBRARY, domain)).action == "clarify"

    def test_nothing_is_deleted_that_was_to_be_changed(self, domain: str) -> None:
        """Where there is no Api for a change, a thing is deleted and made anew: the same kind of thing."""
        makes = api("AddNote", "Write a note.", {"title": "Title of the note."}, writes=True)
        drops = api("DeleteFolder", "Delete a folder with all that is in it.", {"name": "Name of it."}, writes=True)
        turns = converse(
            "Add a note called Boats.", "Change the title to Ships.", apis=plain([makes, drops], domain), world=Canned()
        )
        assert "DeleteFolder" not in [name for name, _ in calls(turns)]


def test_typed_values() -> None:
    turns = converse("Convert 250.50 USD to EUR, please.", apis=TRAVEL, world=Canned(other=231.4))
    assert calls(turns) == [("convertMoney", {"amount": 250.5, "base_currency": "USD", "target_currency": "EUR"})]
    assert "231.4" in words(turns)[-1]


class TestOddDocuments:
    def test_none_at_all(self) -> None:
        assert turn_after([UserTurn(text="Set an alarm for 7 am.")], ()).action == "clarify"

    def test_no_descriptions_no_schemas(self) -> None:
        bare = [
            Api(name="AddAlarm", parameters={"time": Parameter()}, writes=True),
            Api(name="X"),
            Api(name="überprüfen"),
        ]
        turn = turn_after([UserTurn(text="add an alarm")], bare)
        assert turn.action in ("request", "suggest", "call")

    def test_parameters_that_are_objects_are_asked_for(self) -> None:
        nested = Api(
            name="CreateOrder",
            description="Create an order.",
            parameters={"order": Parameter(schema={"type": "object"})},
        )
        assert turn_after([UserTurn(text="create an order")], [nested]).action == "request"

    def test_two_of_one_name_are_the_users_to_mend(self) -> None:
        with pytest.raises(BadSetting, match="two Apis of one name"):
            turn_after([UserTurn(text="hi")], [LIBRARY[0], LIBRARY[0]])

    def test_one_agent_for_many_lists(self) -> None:
        agent = Retrieve(LEXICAL)
        for _ in range(2):
            for apis, said, name in (
                (LIBRARY, "Which books have I borrowed?", "ListLoans"),
                (assistant().apis, "Which alarms do I have?", "FindAlarms"),
            ):
                (call,) = turn_after([UserTurn(text=said)], apis, agent=agent).acts
                assert call.api == name  # type: ignore[union-attr]


class TestOddHistories:
    LOANS = Call(api="ListLoans")

    def test_the_agent_speaks_first(self) -> None:
        history = [AgentTurn(text="Welcome! What may I do?"), UserTurn(text="Which books have I borrowed?")]
        assert turn_after(history, LIBRARY).acts == (self.LOANS,)

    def test_nobody_said_anything(self) -> None:
        for history in ([], [AgentTurn(text="Welcome!")], [UserTurn()]):
            assert turn_after(history, LIBRARY).action == "clarify"

    def test_several_user_turns_are_one(self) -> None:
        history = [UserTurn(text="Hi."), UserTurn(text="Which books"), UserTurn(text="have I borrowed?")]
        assert turn_after(history, LIBRARY).acts == (self.LOANS,)

    @pytest.mark.parametrize(
        "value", [None, "text", 3, True, [], ["a", {"b": [None]}], {"rows": [[{"book_id": None}]]}]
    )
    def test_tools_that_nobody_knows(self, value: object) -> None:
        history: list[Turn] = [
            UserTurn(text="Do something."),
            AgentTurn(
                acts=(Call(api="Unheard", arguments={"book_id": 7}), Call(api="", raw="{", arguments=None)),
                results=(Result(value=value), Result(value=value)),  # type: ignore[arg-type]
            ),
            AgentTurn(text="Done.", acts=(Program(goal="1", status="drafting", code="x"),), results=(None,)),
            UserTurn(text="Which books have I borrowed?"),
        ]
        assert turn_after(history, LIBRARY).acts == (self.LOANS,)
