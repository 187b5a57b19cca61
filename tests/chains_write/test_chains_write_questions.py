"""What people may ask an Api: facts of a thing, or things of a kind, in words that a retriever hears."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from toologue.models.retriever import index_texts
from toologue.schema import Api, Parameter
from toologue.write.chains.answers import answer
from toologue.write.chains.names import spoken
from toologue.write.chains.questions import estimate, of_value, question_of, questions_of, unspeakable_reason

_TEXT: JsonValue = {"type": "string"}
_NUMBER: JsonValue = {"type": "integer"}
_CELSIUS: JsonValue = {"type": "number", "description": "In degrees Celsius"}


def api(name: str, description: str = "", given: dict[str, JsonValue] | None = None, **returns: JsonValue) -> Api:
    """An Api that takes some parameters and returns an object."""
    asked = {key: Parameter(schema=schema if isinstance(schema, dict) else {}) for key, schema in (given or {}).items()}
    return Api(name=name, description=description, parameters=asked, returns={"type": "object", "properties": returns})


def rows(**fields: JsonValue) -> JsonValue:
    return {"type": "array", "items": {"type": "object", "properties": fields}}


WEATHER = api("Weather|sky|Current", "Current weather.", {"city": _TEXT}, humidity=_NUMBER, temperature=_CELSIUS)
LEAGUES = api(
    "Sports|volleyball_data|Leagues", "Get a list of available leagues.", {"country": _TEXT}, leagues=rows(name=_TEXT)
)
PLAYERS = api("Sports|goals|Team Players", "Get the players.", {"teamId": _NUMBER}, players=rows(name=_TEXT))


def nouns(one: Api) -> list[str]:
    return [question.noun for question in questions_of(one)]


def test_facts_are_asked_for_one_by_one_and_two_together() -> None:
    assert nouns(WEATHER) == [
        "the humidity in a city", "the temperature in a city", "the humidity and the temperature in a city",
    ]  # fmt: skip


def test_things_are_called_what_documents_call_them_and_of_their_sport() -> None:
    assert nouns(LEAGUES)[0] == "volleyball leagues"
    listed = "Daily match list, including scheduled basketball games."
    games = api("Sports|scores|Match List", listed, {"date": _TEXT}, homeTeam=_TEXT, awayTeam=_TEXT)
    assert nouns(games)[0] == "scheduled basketball games"


def test_who_lacks_an_id_asks_of_its_thing() -> None:
    assert nouns(PLAYERS)[0] == "the players of a team"


def test_an_estimate_is_heard_by_the_retriever_and_says_what_it_is() -> None:
    told = estimate(WEATHER)
    assert told.wishes == ()
    assert told.questions == (
        "the humidity in a city", "the humidity", "the temperature in a city", "the temperature",
        "the humidity and the temperature in a city", "the humidity and the temperature",
    )  # fmt: skip
    assert {*told.questions} <= {*index_texts(told)}
    assert estimate(WEATHER.replace(wishes=("hear about the sky",))).questions == ()


def test_a_number_without_its_unit_is_not_asked_for() -> None:
    metres: JsonValue = {"type": "number", "description": "Elevation in metres", "examples": [612]}
    place: dict[str, JsonValue] = {"city": _TEXT}
    plain = api("Places|hills|Height", "", place, elevation={"type": "number", "examples": [612]}, population=_NUMBER)
    assert not any("elevation" in noun for noun in nouns(plain))
    assert any("elevation" in noun for noun in nouns(api("Places|hills|Height", "", place, elevation=metres)))


def test_a_question_is_for_what_the_answer_tells() -> None:
    told = answer({"humidity": 85}, {"humidity": 85}, api=WEATHER)
    asked = question_of(WEATHER, told, ["Oslo"], "in a city")
    assert (asked.noun, asked.are) == ("the humidity in a city", "is")
    several = answer({"leagues": [{"name": "A Cup"}, {"name": "B Cup"}]}, {"leagues|name": "A Cup"}, api=LEAGUES)
    assert question_of(LEAGUES, several, ["Peru"], "").noun == "volleyball leagues"


def test_facts_of_a_row_are_asked_for_by_its_name_alone() -> None:
    found: JsonValue = {"leagues": [{"name": "Coastal Cup", "founder": "Ada Almeida"}]}
    told = answer(found, {"leagues|name": "Coastal Cup", "leagues|founder": "Ada Almeida"}, api=LEAGUES)
    assert question_of(LEAGUES, told, ["coastal"], "").nouns == "the founder"
    assert question_of(LEAGUES, told, ["Peru"], "").nouns == "volleyball leagues"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("city", "Porto Alegre", "in Porto Alegre"),
        ("date", "2025-04-30", "on 30 April 2025"),
        ("year", 2012, "in 2012"),
        ("month", 9, "in September"),
        ("symbol", "MSFT", "of MSFT"),
        ("vin", "5N3AA08D68N901917", "for the VIN 5N3AA08D68N901917"),
        ("zip", "02674", "in zip code 02674"),
        ("email", "ada@mail.example", "for ada@mail.example"),
    ],
)
def test_values_follow_what_is_asked_for(name: str, value: JsonValue, said: str) -> None:
    schema: JsonValue = {"type": "integer" if isinstance(value, int) else "string"}
    one = api("Data|things|Lookup", "", {name: schema}, rating=_NUMBER)
    assert of_value(one, name, value, listed=False) == said


def test_days_are_said_as_people_say_them_if_they_can_be_read_again() -> None:
    written = Parameter(schema={"type": "string", "description": "The day, DD/MM/YYYY"})
    assert spoken("07/04/2025", "date", written) == "7 April 2025"
    assert spoken("99/99/2025", "date", written) == "99/99/2025"


def test_who_has_no_question_says_nothing() -> None:
    assert unspeakable_reason(Api(name="Data|tool|get", description="Get the results.")) == "wordless"
    assert unspeakable_reason(WEATHER) is None


@given(st.text(max_size=200), st.text(min_size=1, max_size=60))
def test_are_total(described: str, name: str) -> None:
    one = Api(name=name, description=described, parameters={name: Parameter()})
    assert unspeakable_reason(one) in (None, "foreign", "technical", "wordless")
    assert of_value(one, name, "Oslo", listed=True)
