"""Noun phrases of documents become speech, or are known to be none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.schema import Api, Parameter
from toologue.verify.chains.words import asks_for
from toologue.write.chains.intents import intent_of, unspeakable_reason
from toologue.write.chains.names import answer, parameters
from toologue.write.chains.words import brand, field, rough, smooth, within, wordset

SPOKEN = [
    ("the players stats", "the player stats"),
    ("tournament list", "list of tournaments"),
    ("the channel info", "information about a channel"),
    ("the user's details", "details of a user"),
    ("the city", "information about a city"),
    ("the timezone for location", "the timezone for a location"),
    ("fixtures and Results for a tournament", "fixtures and results for a tournament"),
    ("the list of available coaches", "the list of coaches"),
    ("the songs by artist", "the songs"),
    ("the sports news", "the sports news"),
    ("a list of teams participating in a tournament", "a list of teams participating in a tournament"),
]
UNSAID = [
    "the for an airport", "a place identified", "the traditional", "the to 30 results", "which exams", "the by date",
    "the chart in Quote tab", "the languages all countries", "the take a text address", "the statistics",
]  # fmt: skip


@pytest.mark.parametrize(("phrase", "said"), SPOKEN)
def test_phrases_become_speech(phrase: str, said: str) -> None:
    assert smooth(phrase) == said
    assert not rough(said)


@pytest.mark.parametrize("phrase", UNSAID)
def test_some_phrases_are_none(phrase: str) -> None:
    assert rough(smooth(phrase))


@given(st.text(max_size=80), st.sampled_from(["handball", "stock"]))
def test_are_total(phrase: str, kind: str) -> None:
    assert rough(smooth(phrase)) in (True, False)
    assert kind in within(phrase, kind)


def test_an_api_without_a_phrase_is_not_talked_about() -> None:
    assert (
        unspeakable_reason(Api(name="Data|tool|auto-complete", description="Get suggestions by term or phrase"))
        == "wordless"
    )
    assert unspeakable_reason(Api(name="Sports|stats|Players", description="Get the players stats of a team")) is None


def test_a_word_alone_says_of_what_kind_it_is() -> None:
    assert (
        intent_of(Api(name="Sports|api_handball|Games", description="Get the games.")).action
        == "see the handball games"
    )


def test_tools_that_everybody_knows_go_by_their_names() -> None:
    assert brand("Social|instagram_scrapper_bulk|Profile") == "Instagram"
    assert (brand("Location|spott|Places"), field("Sports|soccer_data|Teams")) == ("Spott", "soccer")


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
    films = Api(name="Movies|films|Search movies", parameters={"q": Parameter(schema={"type": "string"})})
    assert parameters(films)["q"].words == "title of the film"


class TestAnswers:
    def test_say_of_whom_they_tell_where_the_result_does(self) -> None:
        result = {"player": {"name": "Ada Almeida", "position": "Forward"}, "club": {"name": "Harbour City"}}
        told = answer(result, {"player|position": "Forward"}, about=["Harbour City", "Ada Almeida"])
        assert told.clause == "for Ada Almeida, the position is Forward"

    def test_say_large_numbers_in_groups_and_count_what_a_plural_names(self) -> None:
        told = answer({"population": 64441729, "bedrooms": 3}, {"population": 64441729, "bedrooms": 3})
        assert told.clause == "the population is 64,441,729 and the number of bedrooms is 3"
