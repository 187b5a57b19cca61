"""What the documented world answers: what was asked for, plausible, distinct where it must be, or a refusal."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from itertools import pairwise

import pytest

from toologue.errors import BadFile, BadSetting
from toologue.schema import Api, Call, Case, Parameter, Retrieve, Setting
from toologue.schema.jsonl import write
from toologue.worlds.documented import DOCUMENTED, Documented, arguments_for, is_credential, kind_for


def text(**more):
    return {"type": "string", **more}


def leaves(**parts):
    return {"type": "object", "properties": parts}


def answer(returns, arguments=None, seed=0, **parameters):
    api = Api(
        name="Find", parameters={name: Parameter(schema=schema) for name, schema in parameters.items()}, returns=returns
    )
    result = Documented([api], seed=seed).do(Call(api="Find", arguments=arguments or {}))
    assert result.error is None, result.error
    return result.value


def refused(arguments, **parameters):
    api = Api(name="Find", parameters={name: Parameter(schema=schema) for name, schema in parameters.items()})
    return Documented([api]).do(Call(api="Find", arguments=arguments)).error


class TestWhatIsAskedForIsAnswered:
    def test_an_id_under_any_of_its_names(self):
        user = leaves(userId={"type": "integer"}, user=leaves(id=text()), data=leaves(user_id=text()))
        found = answer(user, {"user_id": "12"}, user_id=text())
        assert found == {"userId": 12, "user": {"id": "12"}, "data": {"user_id": "12"}}

    def test_a_city_and_with_it_its_country(self):
        found = answer(
            leaves(city=text(), country=text(), lat={"type": "number"}),
            {"q": "x", "city": "oslo"},
            q=text(),
            city=text(),
        )
        assert found == {"city": "oslo", "country": "Norway", "lat": 59.9139}

    def test_not_by_rows_of_a_list_that_it_would_make_equal(self):
        rows = {"type": "array", "items": leaves(id={"type": "integer"}, leagueId={"type": "integer"}, name=text())}
        found = answer(
            leaves(teams=rows), {"id": 7, "leagueId": 9}, id={"type": "integer"}, leagueId={"type": "integer"}
        )["teams"]
        assert 2 <= len(found) <= 5
        assert {row["leagueId"] for row in found} == {9}
        assert len({row["id"] for row in found}) == len({row["name"] for row in found}) == len(found)

    def test_the_same_of_one_id_wherever_it_stands(self):
        """A team in a list, and the same team on its own, told of by another API."""
        team = leaves(id={"type": "integer"}, name=text(), city=text(), founded={"type": "integer", "examples": [1919]})
        listed = Api(name="Teams", returns={"type": "array", "items": team})
        one = Api(name="Team", parameters={"teamId": Parameter()}, returns=leaves(team=team))
        world = Documented([listed, one], seed=5)
        rows = world.do(Call(api="Teams")).value
        assert len({row["name"] for row in rows}) == len(rows)
        for row in rows:
            assert world.do(Call(api="Team", arguments={"teamId": row["id"]})).value == {"team": row}

    def test_an_id_is_one_though_it_is_written_the_other_way_round(self):
        race = leaves(id_race=text(examples=["167"]), name=text(), city=text())
        world = Documented(
            [
                Api(name="Races", returns={"type": "array", "items": race}),
                Api(name="Race", parameters={"id_race": Parameter()}, returns=race),
            ]
        )
        first = world.do(Call(api="Races")).value[0]
        assert world.do(Call(api="Race", arguments={"id_race": first["id_race"]})).value == first

    def test_what_is_searched_for_has_an_id_that_leads_to_it(self):
        film = leaves(id=text(examples=["tt0111161"]), title=text())
        find = Api(name="Movies|reel|Find movies", parameters={"query": Parameter()}, returns=leaves(results=film))
        show = Api(name="Movies|reel|Movie details", parameters={"id": Parameter()}, returns=film)
        world = Documented([find, show], seed=5)
        found = world.do(Call(api=find.name, arguments={"query": "Paper Boats"})).value["results"]
        assert found["title"] == "Paper Boats"
        assert world.do(Call(api=show.name, arguments={"id": found["id"]})).value == found

    def test_rows_of_a_place_are_there(self):
        rows = {"type": "array", "items": leaves(station=text(), country=text(), pollution={"type": "integer"})}
        found = answer(rows, {"city": "Lyon"}, city=text())
        assert {row["country"] for row in found} == {"France"}

    def test_as_many_rows_as_were_asked_for(self):
        rows = {"type": "array", "items": leaves(name=text())}
        assert len(answer(rows, {"limit": 1}, limit={"type": "integer"})) == 1

    def test_what_does_not_fit_is_not_echoed(self):
        assert answer(leaves(year={"type": "integer"}), {"year": "last"}, year=text())["year"] >= 1990


class TestValuesAreWhatTheirNamesSay:
    def test_a_row_agrees_with_itself(self):
        person = leaves(first_name=text(), last_name=text(), email=text(), country=text(), currency=text())
        for seed in range(20):
            row = answer(person, seed=seed)
            assert row["email"].startswith(f"{row['first_name']}.{row['last_name']}".lower())
            assert (row["country"] == "Japan") == (row["currency"] == "JPY")

    def test_a_country_has_as_many_people_and_the_money_that_it_has(self):
        returns = leaves(name=text(), population={"type": "integer", "examples": [9]}, currency=leaves(name=text()))
        country = Api(name="Country Details", parameters={"code": Parameter(schema=text())}, returns=returns)
        told = Documented([country]).do(Call(api="Country Details", arguments={"code": "CA"})).value
        assert told == {"name": "Canada", "population": 40_097_761, "currency": {"name": "Canadian Dollar"}}

    def test_years_are_no_quantities(self):
        house = leaves(yearBuilt={"type": "integer", "examples": [1973]})
        assert all(1950 <= answer(house, seed=seed)["yearBuilt"] < 2020 for seed in range(40))

    def test_the_end_comes_after_the_start_and_low_below_high(self):
        stay = leaves(
            check_in=text(examples=["2021-01-02"]),
            check_out=text(examples=["2021-01-04"]),
            low={"type": "number", "examples": [10.5]},
            high={"type": "number", "examples": [12.5]},
        )
        for seed in range(20):
            row = answer(stay, seed=seed)
            assert row["check_in"][:4] == "2025"
            assert row["check_in"] < row["check_out"]
            assert row["low"] < row["high"]

    @pytest.mark.parametrize(
        ("example", "pattern"),
        [
            ("tt0111161", r"tt\d{7}"),
            ("B07V1PHM66", r"[A-Z]\d\d[A-Z]\d[A-Z]{3}\d\d"),
            ("00451", r"\d{5}"),
            ("7c9e", r"\d[a-z]\d[a-z]"),
        ],
    )
    def test_ids_look_like_the_documented_one(self, example, pattern):
        rows = answer({"type": "array", "items": leaves(id=text(examples=[example]))}, seed=3)
        found = [row["id"] for row in rows]
        assert len(set(found)) == len(found)
        assert all(re.fullmatch(pattern, one) for one in found), found

    def test_names_are_of_what_stands_around_them(self):
        found = answer(leaves(players={"type": "array", "items": leaves(name=text())}, team=leaves(name=text())))
        assert all(len(row["name"].split()) == 2 for row in found["players"])
        assert found["team"]["name"] not in {row["name"] for row in found["players"]}

    def test_a_country_is_written_as_documented(self):
        assert len(answer(leaves(country=text(examples=["IN"])))["country"]) == 2


class TestArguments:
    def test_are_natural(self):
        api = Api(
            name="Book",
            parameters={
                "email": Parameter(schema=text()),
                "city": Parameter(schema=text()),
                "date": Parameter(schema=text(format="date")),
                "X-RapidAPI-Key": Parameter(schema=text()),
                "order": Parameter(schema=text(description="One of asc|desc")),
                "zone": Parameter(schema=text(default="EU-7"), required=False),
            },
        )
        made = arguments_for(api, seed=2, optional=("zone",))
        assert "@" in made["email"]
        assert made["city"].istitle()
        assert made["date"].startswith("2025-")
        assert made["X-RapidAPI-Key"] == "demo-key"
        assert made["order"] in ("asc", "desc")
        assert made["zone"] == "EU-7"

    def test_what_is_known_stays_and_what_is_optional_is_left_out(self):
        api = Api(name="A", parameters={"a": Parameter(), "b": Parameter(required=False)})
        assert arguments_for(api, 1, known={"a": [1]}) == {"a": [1]}

    @pytest.mark.parametrize(
        "name", ["api_key", "apikey", "appid", "access_token", "token", "Authorization", "client_secret"]
    )
    def test_credentials_are_known_by_name(self, name):
        assert is_credential(name)

    @pytest.mark.parametrize("name", ["keyword", "pageToken", "tokenAddress", "id", "monkey"])
    def test_other_names_are_none(self, name):
        assert not is_credential(name)


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ({"citty": "Oslo", "days": 2}, "did you mean 'city'"),
            ({"days": 2}, "city is missing"),
            ({}, "city, days are missing"),
            ({"city": "Oslo", "days": "many"}, "days: expected integer"),
            ({"city": "Oslo", "days": 9}, "days: 9 is more than 7"),
            ({"city": "Oslo", "days": True}, "days: expected integer"),
            ({"city": "Oslo", "days": float("nan")}, "days: nan is no JSON value"),
        ],
    )
    def test_say_what_is_wrong(self, arguments, said):
        call = Call.model_construct(kind="call", api="Find", arguments=arguments, raw=None)
        api = Api(
            name="Find",
            parameters={"city": Parameter(schema=text()), "days": Parameter(schema={"type": "integer", "maximum": 7})},
        )
        error = Documented([api]).do(call).error
        assert error.type == "invalid"
        assert said in error.message

    def test_enums_formats_and_patterns(self):
        assert "none of a, b" in refused({"x": "c"}, x={"enum": ["a", "b"]}).message
        assert "is no date" in refused({"x": "soon"}, x=text(format="date")).message
        assert "does not have the form" in refused({"x": "7"}, x=text(pattern="^[a-z]$")).message

    def test_numbers_are_read_as_a_service_reads_them(self):
        api = Api(name="A", parameters={"n": Parameter(schema={"type": "integer"}), "t": Parameter(schema=text())})
        result = Documented([api]).do(Call(api="A", arguments={"n": "5", "t": 5}))
        assert (result.error, result.arguments) == (None, {"n": 5, "t": "5"})

    def test_what_is_no_call_of_a_known_api(self):
        world = Documented([Api(name="Find")])
        assert world.do(Retrieve(query="x")).error.type == "unsupported"
        assert "did you mean 'Find'" in world.do(Call(api="Fnd")).error.message


class TestTheRegisteredKind:
    def test_is_made_of_a_file_and_a_seed(self, tmp_path):
        file = tmp_path / "apis.jsonl"
        write(file, [Api(name="Find", returns=leaves(name=text()))])
        setting = Setting(name="documented", arguments={"apis": str(file), "seed": 4})
        case = Case(id="c", world=setting, protocol="live")
        assert list(kind_for(setting).by_name) == ["Find"]
        one = DOCUMENTED.make(case).do(Call(api="Find"))
        assert one == Documented([Api(name="Find", returns=leaves(name=text()))], seed=4).do(Call(api="Find"))
        key = DOCUMENTED.data_key(setting)
        write(file, [Api(name="Seek")])
        assert list(kind_for(setting).by_name) == ["Seek"]
        assert DOCUMENTED.data_key(setting) != key

    def test_says_what_is_wrong_with_its_setting(self, tmp_path):
        with pytest.raises(BadSetting, match="it takes apis, seed"):
            kind_for(Setting(name="documented", arguments={"sed": 1}))
        with pytest.raises(BadFile, match="cannot read"):
            kind_for(Setting(name="documented", arguments={"apis": str(tmp_path / "none.jsonl")}))


DATE = text(examples=["2023-07-11"])


def rows_of(schema, arguments=None, seed=0, **parameters):
    return answer({"type": "array", "items": schema}, arguments, seed=seed, **parameters)


class TestDaysFollowEachOther:
    @pytest.mark.parametrize("seed", range(4))
    def test_in_a_list_day_by_day(self, seed):
        days = [date.fromisoformat(row["date"]) for row in rows_of(leaves(date=DATE, rain=text()), seed=seed)]
        assert [after - before for before, after in pairwise(days)] == [timedelta(days=1)] * (len(days) - 1)

    def test_by_the_hour_where_they_are_hours(self):
        hours = answer(leaves(hours={"type": "array", "items": leaves(time=text(examples=["2023-07-11T08:00"]))}))
        moments = [datetime.fromisoformat(row["time"]) for row in hours["hours"]]
        assert {after - before for before, after in pairwise(moments)} == {timedelta(hours=1)}

    def test_from_the_day_that_was_asked_for_on(self):
        asked = {"start_date": "2024-05-30", "end_date": "2024-06-20"}
        days = [row["date"] for row in rows_of(leaves(date=DATE), asked, start_date=text(), end_date=text())]
        assert days == [f"{date(2024, 5, 30) + timedelta(days=n)}" for n in range(len(days))]

    def test_and_stay_within_what_was_asked_for(self):
        asked = {"from": "2024-05-30", "to": "2024-05-31"}
        days = {row["date"] for row in rows_of(leaves(date=DATE), asked, **{"from": text(), "to": text()})}
        assert days == {"2024-05-30", "2024-05-31"}

    def test_what_happened_on_the_one_day_that_was_asked_for(self):
        found = rows_of(leaves(kickoff_date=DATE, id={"type": "integer"}), {"date": "2024-05-30"}, date=text())
        assert {row["kickoff_date"] for row in found} == {"2024-05-30"}

    @pytest.mark.parametrize("value", ["soon", "2024-13-40", ""])
    def test_a_day_that_is_none_bounds_nothing(self, value):
        assert rows_of(leaves(date=DATE), {"start_date": value}, start_date=text())


class TestTablesByColumns:
    TEAMS = leaves(
        id={"type": "array", "items": {"type": "integer"}}, teamName={"type": "array", "items": text()},
        country=text(),
    )  # fmt: skip

    def test_an_id_beside_the_columns_is_that_of_none_of_their_rows(self):
        columns = {name: self.TEAMS["properties"][name] for name in ("id", "teamName")}
        found = answer(leaves(seasonId={"type": "integer"}, **columns))
        assert isinstance(found["seasonId"], int)
        assert len(found["id"]) == len(found["teamName"])

    @pytest.mark.parametrize("seed", range(4))
    def test_have_columns_of_one_length(self, seed):
        found = answer(self.TEAMS, seed=seed)
        assert len(found["id"]) == len(found["teamName"]) > 1

    def test_tell_of_a_row_what_is_told_of_its_id_elsewhere(self):
        teams = Api(name="Teams", returns=self.TEAMS)
        by_id = {"teamId": Parameter(schema={"type": "integer"})}
        team = Api(name="Team", parameters=by_id, returns=leaves(teamId={"type": "integer"}, teamName=text()))
        world = Documented([teams, team], seed=2)
        table = world.do(Call(api="Teams")).value
        for one, name in zip(table["id"], table["teamName"], strict=True):
            assert world.do(Call(api="Team", arguments={"teamId": one})).value["teamName"] == name


class TestOneOfAName:
    TEAMS = leaves(teams={"type": "array", "items": leaves(id={"type": "integer"}, name=text())}, total=text())

    def find(self, query):
        api = Api(name="Sports|scores|Search teams", parameters={"query": Parameter(schema=text())}, returns=self.TEAMS)
        return Documented([api]).do(Call(api=api.name, arguments={"query": query})).value["teams"]

    def test_who_searches_by_a_name_finds_that_one(self):
        assert [row["name"] for row in self.find("Riverside United")] == ["Riverside United"]

    def test_who_searches_by_something_else_finds_some(self):
        assert len(self.find("a team")) > 1


class TestRowsArePlausible:
    def test_none_of_one_name_though_all_are_in_one_city(self):
        stop = leaves(id=text(examples=["evt_8f3k2"]), title=text(), city=text())
        api = Api(name="Find events", parameters={"city": Parameter()}, returns={"type": "array", "items": stop})
        for seed in range(20):
            rows = Documented([api], seed=seed).do(Call(api="Find events", arguments={"city": "Lyon"})).value
            assert len({row["title"] for row in rows}) == len(rows) in (2, 3)

    def test_what_ends_on_the_day_that_was_asked_for_ends_after_it_began(self):
        moment = text(format="date-time")
        for seed in range(20):
            row = answer(leaves(startsAt=moment, endsAt=moment), {"date": "2025-03-05"}, seed=seed, date=text())
            assert "2025-03-05" < row["startsAt"] < row["endsAt"] < "2025-03-06"

    def test_a_year_that_was_asked_for_is_that_of_its_days(self):
        found = answer(leaves(release_date=text(format="date")), {"year": 2020}, year={"type": "integer"})
        assert found["release_date"].startswith("2020-")

    def test_ranks_count_up_points_fall_and_totals_count_the_rows(self):
        row = leaves(rank={"type": "integer"}, points={"type": "integer"}, team=text())
        found = answer(leaves(total={"type": "integer"}, table={"type": "array", "items": row}))
        points = [row["points"] for row in found["table"]]
        assert [row["rank"] for row in found["table"]] == list(range(1, found["total"] + 1))
        assert points == sorted(points, reverse=True)

    @pytest.mark.parametrize(
        ("name", "schema", "low", "high"),
        [
            ("population", {}, 10_000, 3_000_000),
            ("height", {"description": "Height in cm"}, 150, 200),
            ("temperature_max", {"description": "Maximum temperature in °C"}, 10, 35),
            ("aqi", {"minimum": 0, "maximum": 500}, 10, 150),
            ("level", {"minimum": 3, "maximum": 7}, 3, 7),
            ("salary", {"minimum": 40_000}, 40_000, 130_000),
        ],
    )
    def test_numbers_lie_where_such_numbers_lie(self, name, schema, low, high):
        for seed in range(20):
            assert low <= answer(leaves(**{name: {"type": "integer", **schema}}), seed=seed)[name] <= high

    def test_texts_are_like_those_of_the_description(self):
        line = text(description="Number of the line, e.g. U6")
        assert re.fullmatch(r"[A-Z]\d", answer(leaves(line=line))["line"])

    def test_dishes_hold_what_was_asked_for(self):
        dish = {"type": "array", "items": leaves(id={"type": "integer"}, title=text())}
        api = Api(name="Search recipes", parameters={"ingredient": Parameter(schema=text())}, returns=dish)
        rows = Documented([api]).do(Call(api="Search recipes", arguments={"ingredient": "leeks"})).value
        assert all("Leek" in row["title"] for row in rows)
        assert len({row["title"] for row in rows}) == len(rows) > 1


def test_the_sun_rises_before_it_sets():
    for seed in range(20):
        found = answer(leaves(sunrise=text(), sunset=text()), seed=seed)
        assert "05:00" <= found["sunrise"] < "08:00" < "17:00" <= found["sunset"] < "21:00"
