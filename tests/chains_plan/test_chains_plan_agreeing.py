"""What is found agrees with what was asked, or comes to nothing."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.apis.result_values import choices, values_of
from toologue.plan.chains.consistency import (
    contradicts,
    is_earlier,
    is_elsewhere,
    names_other_entity,
    without_contradictions,
)
from toologue.worlds.documented.leaves import maker
from toologue.worlds.documented.row import Row

DAYS = st.dates(date(2000, 1, 1), date(2030, 1, 1))


@pytest.mark.parametrize(
    ("told", "result", "wrong"),
    [
        ({"city": "Oslo"}, {"city": "Lima"}, True),
        ({"city": "Oslo"}, {"city": "oslo"}, False),
        ({"cityName": "Oslo"}, {"location": {"city": {"name": "Lima"}}}, True),
        ({"year": 2022}, {"films": [{"year": 2021}]}, True),
        ({"q": "Oslo"}, {"q": "Lima"}, False),
        ({"team": "Leeds"}, {"team": "Leeds United"}, False),
        ({"city": "Oslo"}, {"home": {"name": "Lima"}}, False),
        ({"isoDate": "2025-11-29"}, {"applicableOn": "2025-12-10"}, True),
        ({"q": "7 Wonders Tour, part 2"}, {"city": "Cusco"}, False),
        ({"birth_date": "1990-03-02"}, {"date": "2025-03-02"}, False),
        ({"departure_date": "2025-03-02", "return_date": "2025-03-09"}, {"date": "2025-03-02"}, False),
        ({"isoDate": "2025-11-29"}, {"updatedOn": "2025-12-10"}, False),
    ],
)
def test_a_result_may_not_gainsay_what_was_told(told: dict[str, str], result: object, wrong: bool) -> None:
    assert contradicts(told, values_of(result, rows=1)) is wrong


@given(DAYS, st.integers(-400, 400))
def test_what_is_dated_lies_between_start_and_end(day: date, off: int) -> None:
    told = {"start_date": str(day), "end_date": str(day + timedelta(days=30))}
    found = values_of({"days": [{"date": str(day + timedelta(days=off))}]}, rows=1)
    assert contradicts(told, found) is not (0 <= off <= 30)


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        ({"location": {"code": "US7823590"}}, False),
        ({"location": {"slug": "busan-2"}}, False),
        ({"location": "US7823590"}, True),
        ({"location": {"name": "Route 66"}}, True),
        ({"location": {"code": "OSLO"}}, True),
    ],
)
def test_a_code_with_digits_is_no_other_name(result: object, wrong: bool) -> None:
    assert contradicts({"location": "Busan"}, values_of(result, rows=1)) is wrong


@given(DAYS)
def test_days_are_the_same_however_they_are_written(day: date) -> None:
    assert not contradicts({"date": str(day)}, values_of({"date": f"{day:%d/%m/%Y}"}))


def test_a_table_by_columns_has_rows() -> None:
    assert choices({"id": [1, 2], "name": ["Ajax", "Vitesse"]}, "id", ["name"]) == (
        "name",
        [("Ajax", 1), ("Vitesse", 2)],
    )


def test_values_that_stand_in_lists_by_themselves_are_no_names_of_rows() -> None:
    rows = [{"id": 1, "tags": ["Ajax"]}, {"id": 2, "tags": ["Vitesse"]}]
    assert choices({"rows": rows}, "rows|id", ["rows|tags"]) is None


@pytest.mark.parametrize(
    ("told", "meeting", "another"),
    [
        ([("company.name", "Adobe Inc."), ("company.name", "Nestlé")], False, False),
        ([("company.name", "Nestlé")], False, True),
        ([("company.name", "Adobe Inc. (US)")], False, False),
        ([("teams", "Ajax"), ("", "Nestlé")], False, False),
        ([("company.name", "17")], False, False),
        ([("company.name", "Nestlé")], True, False),
        ([("company.name", "Nestlé"), ("company.name", "Siemens")], True, True),
        ([], False, False),
    ],
)
def test_a_result_that_names_only_others_is_of_another_thing(
    told: list[tuple[str, str]], meeting: bool, another: bool
) -> None:
    assert names_other_entity({"company.name": "adobe inc."}, told, meeting=meeting) is another


@given(st.integers(0, 10**9))
def test_nobody_meets_themselves(start: int) -> None:
    row, text = Row(start, 0, {}), {"type": "string"}
    home, away = (maker(text, (side, "team", "name"), salt=1)(row) for side in ("home", "away"))
    assert home != away


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ({"name": "Winter Cup", "price": 3}, ["name"]),
        ({"cup": {"name": "Summer Cup", "price": 2}}, ["cup|price"]),
        ({"scorer": {"name": "Ada Almeida"}}, ["scorer|name"]),
        ([{"name": "Hull City"}], ["name"]),
    ],
)
def test_two_results_say_the_same_of_one_thing_or_are_left_out(found: object, kept: list[str]) -> None:
    before = values_of({"cup": {"name": "Winter Cup", "price": 2}})
    assert [one.name for one in without_contradictions(values_of(found, rows=1), before)] == kept


@pytest.mark.parametrize(
    ("given", "told", "wrong"),
    [
        ({"place.country": "Norway"}, ("place.currency", "EUR"), True),
        ({"place.country": "Norway"}, ("place.currency", "NOK"), False),
        ({"place.country": "Norway"}, ("place.code", "NO"), False),
        ({"place.code": "NO"}, ("place.country", "Peru"), True),
        ({"place.zip": "80202"}, ("place.city", "Oslo"), True),
        ({"place.zip": "80202"}, ("place.city", "Denver"), False),
        ({"place.lat": 39.7392, "place.lon": -104.9903}, ("place.city", "Shuzenji"), True),
        ({"place.lat": 39.7392, "place.lon": -104.9903}, ("place.country", "US"), False),
        ({"place.zip": "94040"}, ("place.city", "Miami"), True),
        ({"place.city": "Springfield"}, ("place.country", "Norway"), False),
        ({"place.zip": "94040"}, ("place.zip", "94040"), False),
        ({"place.zip": "94040"}, ("teams", "Leeds United"), False),
        ({"teams": "Oslo"}, ("place.city", "Lima"), False),
    ],
)
def test_an_answer_is_of_the_place_that_was_asked_for(
    given: dict[str, str], told: tuple[str, str], wrong: bool
) -> None:
    assert is_elsewhere(given, [told]) is wrong


def test_what_documentation_shows_of_a_postal_code_is_believed() -> None:
    assert not is_elsewhere({"place.zip": "94040"}, [("place.city", "Mountain View")], shown=True)


@pytest.mark.parametrize(
    ("chosen", "day", "wrong"),
    [
        ("2025-06-14", "2025-06-13", True),
        ("2025-06-14", "2025-06-14", False),
        ("2025-06-14", "2025-07-25T10:00:00Z", False),
        ("Oslo", "2025-06-13", False),
    ],
)
def test_nothing_happens_before_what_it_is_of(chosen: str, day: str, wrong: bool) -> None:
    assert is_earlier(values_of({"deliveredOn": day}), chosen) is wrong
