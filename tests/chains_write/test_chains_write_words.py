"""Documentation in people's words: parameters, outputs, needs, results."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.schema import Api, Parameter
from toologue.text.find import find
from toologue.write.chains.answers import answer
from toologue.write.chains.names import Name, clause, output, parameters, value_text


class TestNames:
    @pytest.mark.parametrize(
        ("name", "described", "words"),
        [
            ("teamId", "", "team ID"),
            ("start_date", "", "start date"),
            ("q", "The city to look for", "city"),
            ("lat", "", "latitude"),
            ("lng", "", "longitude"),
            ("id", "insert ID Game you find it elsewhere", "game ID"),
            ("id", "The id of the tournament you want", "tournament ID"),
            ("from", "The three-letter currency code", "currency to convert from"),
            ("to", "End date, YYYY-MM-DD", "end date"),
            ("countryCode", "", "country code"),
            ("s", "season id", "season ID"),
            ("ip", "", "IP"),
        ],
    )
    def test_of_parameters_are_what_people_would_say(self, name: str, described: str, words: str) -> None:
        api = Api(name="X|y|Z", parameters={name: Parameter(schema={"description": described})})
        assert parameters(api)[name].words == words

    def test_of_one_api_differ(self) -> None:
        api = Api(name="X|y|Player", parameters={"playerId": Parameter(), "id": Parameter(), "player_id": Parameter()})
        assert len({name.words for name in parameters(api).values()}) == 3

    def test_agree_with_their_verbs(self) -> None:
        assert [Name(one).are for one in ("symbols", "status", "number of results", "team IDs")] == [
            "are", "is", "is", "are",
        ]  # fmt: skip

    def test_of_outputs_say_whose_they_are(self) -> None:
        paths = ("data|teams|name", "events|awayTeam|id", "results|price", "id")
        assert [output(path).words for path in paths] == ["team", "away team ID", "price", "ID"]

    @given(st.text(max_size=40), st.text(max_size=60))
    def test_are_total(self, name: str, described: str) -> None:
        api = Api(name=f"a|b|{name or 'x'}", parameters={name: Parameter(schema={"description": described})})
        assert parameters(api)[name].words
        assert output(name).words


class TestAnswers:
    def test_say_what_is_given_and_what_stands_beside_it(self) -> None:
        result = {"teams": [{"name": name, "points": 30 - at} for at, name in enumerate("ABCDEF")]}
        told = answer(result, {"teams|name": "A", "teams|points": 30})
        assert (told.rows, told.listed) == (
            6, "A (30 points), B (29 points), C (28 points), D (27 points) and 2 more",
        )  # fmt: skip

    def test_never_leave_out_one_row(self) -> None:
        result = [{"name": name} for name in "ABCDE"]
        assert answer(result, {"name": "A"}).listed == "A, B, C, D and E"

    def test_count_no_row_twice(self) -> None:
        told = answer([{"name": name} for name in "AABCD"], {"name": "A"})
        assert (told.rows, told.listed) == (0, "A, B, C and D")  # 0: they are not counted aloud

    def test_tell_rows_of_one_name_by_what_tells_them_apart(self) -> None:
        result = [{"title": "Nurse", "company": company} for company in ("Holm", "Alder")]
        assert answer(result, {"title": "Nurse", "company": "Holm"}).listed == "Holm and Alder"

    def test_say_of_which_of_several_things(self) -> None:
        result = {"petrol": {"price": 1.8}, "diesel": {"price": 1.7}}
        assert answer(result, {"petrol|price": 1.8}).clause == "the petrol price is 1.8"
        e5 = {"regular_gas": {"price": 1.8}, "premium_gas": {"price": 1.9}}
        assert answer(e5, {"premium_gas|price": 1.9}).clause == "the premium gas price is 1.9"
        assert answer({"petrol": {"price": 1.8}}, {"petrol|price": 1.8}).clause == "the price is 1.8"

    def test_of_single_rows_are_records(self) -> None:
        told = answer({"city": "Rome", "open": True}, {"city": "Rome", "open": True})
        assert told.clause == "the city is Rome and the open is true"

    def test_that_nobody_would_say_are_odd(self) -> None:
        assert answer({"public_holiday": 0}, {"public_holiday": 0}).kind == "odd"
        assert answer({"bestHomeTeamPlayerRating": 5.5}, {"bestHomeTeamPlayerRating": 5.5}).kind == "odd"
        days = {"last": [{"day": "2025-02-06"}, {"day": "2025-07-17"}]}
        assert answer(days, {"last|day": "2025-02-06"}).kind == "odd"  # of what, nobody says

    def test_of_one_name_leave_out_that_it_is_one(self) -> None:
        told = answer({"name": "French"}, {"name": "French"})
        assert (told.kind, told.listed) == ("name", "French")

    def test_measure_shares_and_degrees(self) -> None:
        sky = {"humidity": 97, "temperature": 12}
        assert answer(sky, sky).clause == "the humidity is 97% and the temperature is 12 degrees"

    def test_of_nothing_are_empty(self) -> None:
        assert answer([], {}).kind == "empty"

    def test_long_values_of_other_rows_are_cut(self) -> None:
        rows = [{"title": "Short"}, {"title": "word " * 40}]
        assert answer(rows, {"title": "Short"}).listed.endswith("word…")

    @given(st.dates(date(1900, 1, 1), date(2099, 12, 31)).map(str))
    def test_dates_are_found_again(self, day: str) -> None:
        schema = {"type": "string", "format": "date"}
        assert find(f"The start date is {value_text(day)}.", schema, name="start_date")[0].value == day

    @given(st.dictionaries(st.text(max_size=9), st.integers() | st.text(max_size=9) | st.booleans(), max_size=4))
    def test_are_total(self, row: dict[str, int | str | bool]) -> None:
        assert answer({"rows": [row, row]}, {f"rows|{name}": value for name, value in row.items()})
        assert clause([(Name("day"), value) for value in row.values()]) or not row
