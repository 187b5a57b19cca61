"""Noun phrases of documents become speech, or are known to be none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.schema import Api, Parameter
from toologue.verify.chains.words import asks_for
from toologue.write.chains.answers import answer
from toologue.write.chains.names import output, parameters
from toologue.write.chains.words import rough, wordset

UNSAID = [
    "the for an airport", "a place identified", "the general details", "the traditional", "which exams", "the by date",
    "the results",
]  # fmt: skip


@pytest.mark.parametrize("phrase", UNSAID)
def test_some_phrases_are_none(phrase: str) -> None:
    assert rough(phrase)


@given(st.text(max_size=80))
def test_are_total(phrase: str) -> None:
    assert rough(phrase) in (True, False)


@pytest.mark.parametrize("name", sorted(wordset("seeking")))
def test_what_is_searched_for_is_asked_for_by_its_name(name: str) -> None:
    films = Api(name="Movies|films|Search movies", parameters={name: Parameter(schema={"type": "string"})})
    assert asks_for(f"Please tell me {parameters(films)[name].the}.", name, films.parameters[name])
    assert not asks_for("Please tell me the title.", "country", None)
    assert not asks_for("What's the year?", name, films.parameters[name])


@pytest.mark.parametrize(
    ("name", "said"),
    [("news/list-by-player", "player ID"), ("Stats By Player", "player ID"), ("get_news_by_team_id", "team ID")],
)
def test_an_id_is_of_what_things_are_found_by(name: str, said: str) -> None:
    assert parameters(Api(name=f"Sports|scores|{name}", parameters={"id": Parameter()}))["id"].words == said


def test_what_is_searched_for_has_a_name() -> None:
    """By the word that the API has for it; where nothing is known of it, a topic: nobody says "search string"."""
    words = {"type": "string", "description": "Free-text search string"}
    found = {name: parameters(Api(name=name, parameters={"q": Parameter(schema=words)}))["q"].words for name in (
        "Movies|films|Search movies", "Television|shows|searchShows", "Museums|visits|searchTours"
    )}  # fmt: skip
    assert [*found.values()] == ["title of the movie", "title of the show", "topic"]


class TestNamesOfDescriptions:
    @pytest.mark.parametrize(
        ("name", "described", "said"),
        [
            ("checkIn", "Arrival date", "arrival date"),
            ("trackingNumber", "Tracking number on the label", "tracking number on the label"),
            ("name", "Name of the artist to look for", "name of the artist"),
            ("maxPrice", "Maximum price per night in EUR", "maximum price per night"),
            ("city", "The city whose hotels are searched", "city"),
            ("hotelId", "Pass the value that was returned by the search", "hotel ID"),
            ("q", "The query contains one or more keywords", "topic"),
            ("id", "TVbase show identifier", "show ID"),
        ],
    )
    def test_are_taken_where_they_are_short_noun_phrases(self, name: str, described: str, said: str) -> None:
        api = Api(name="Search", parameters={name: Parameter(schema={"description": described})})
        assert parameters(api)[name].words == said

    def test_say_the_unit(self) -> None:
        price = output("quote|priceFrom", "Lowest ticket price in EUR")
        assert (price.words, price.unit) == ("lowest ticket price", "EUR")


class TestAnswers:
    def test_say_values_in_their_units_and_count_points(self) -> None:
        row = {"team": {"type": "string"}, "points": {"type": "integer"}}
        table = Api(name="Table", returns={"type": "array", "items": {"type": "object", "properties": row}})
        rows = [{"team": "Ajax", "points": 12}, {"team": "Vitesse", "points": 9}]
        assert (
            answer(rows, {"team": "Ajax", "points": 12}, api=table).listed == "Ajax (12 points) and Vitesse (9 points)"
        )
        wait = {"wait": {"type": "integer", "description": "Waiting time in minutes"}}
        queue = Api(name="Queue", returns={"type": "object", "properties": wait})
        assert answer({"wait": 12}, {"wait": 12}, api=queue).clause == "the wait is 12 minutes"

    def test_say_of_whom_they_tell_where_the_result_does(self) -> None:
        result = {"player": {"name": "Ada Almeida", "position": "Forward"}, "club": {"name": "Harbour City"}}
        told = answer(result, {"player|position": "Forward"}, about=["Harbour City", "Ada Almeida"])
        assert told.clause == "the position of Ada Almeida is Forward"

    def test_say_who_meets_whom_and_when(self) -> None:
        rows = [
            {"kickoff": "2025-05-03", "homeTeam": "Ajax", "awayTeam": "Vitesse"},
            {"kickoff": "2025-05-04", "homeTeam": "Hull", "awayTeam": "Leeds"},
        ]
        told = answer(rows, {"kickoff": "2025-05-03", "homeTeam": "Ajax", "awayTeam": "Vitesse"})
        assert told.listed == "Ajax against Vitesse (3 May 2025) and Hull against Leeds (4 May 2025)"

    def test_say_which_day_is_which(self) -> None:
        loans = [{"title": name, "borrowedOn": "2025-05-03", "dueOn": "2025-05-24"} for name in ("Emma", "Dune")]
        told = answer(loans, {"title": "Emma", "borrowedOn": "2025-05-03", "dueOn": "2025-05-24"})
        assert told.listed.startswith("Emma (borrowed on 3 May 2025, due on 24 May 2025) and Dune (")
        assert answer(loans[0], {"dueOn": "2025-05-24"}).clause == "it is due on 24 May 2025"

    def test_say_large_numbers_in_groups_and_count_what_a_plural_names(self) -> None:
        told = answer({"population": 64441729, "bedrooms": 3}, {"population": 64441729, "bedrooms": 3})
        assert told.clause == "the population is 64,441,729 and the number of bedrooms is 3"
