"""A reference is resolved to the row it means."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.text.find import find, refer

NOW = datetime(2025, 3, 12, 10, 20)
ALARMS = [{"id": "a1", "time": "06:30:00"}, {"id": "a2", "time": "18:15:00"}]
EVENTS = [
    {"id": "e1", "name": "Dentist", "start_time": "2025-03-13 09:00:00", "attendees": ["ann"]},
    {"id": "e2", "name": "Choir practice", "start_time": "2025-03-14 19:00:00"},
    {"id": "e3", "name": "Dentist follow-up", "start_time": "2025-03-20 09:00:00", "location": "Mill Lane"},
]


@pytest.mark.parametrize(
    ("said", "rows", "best"),
    [
        ("cancel choir", EVENTS, "e2"),
        ("the one with Ann", EVENTS, "e1"),
        ("the second one", EVENTS, "e2"),
        ("the last one", EVENTS, "e3"),
        ("the thing on Mill Lane", EVENTS, "e3"),
        ("delete it", EVENTS[:1], "e1"),
    ],
)
def test_the_row_that_is_meant_comes_first(said: str, rows: list[dict[str, Any]], best: str) -> None:
    assert refer(said, rows, "id", NOW)[0].value == best


def test_all_of_them() -> None:
    assert [one.value for one in refer("delete both", ALARMS, "id")] == ["a1", "a2"]


def test_nothing_is_referred_to() -> None:
    assert refer("hello", EVENTS, "id") == []
    assert refer("the dentist", EVENTS, "no_such_field") == []


def test_two_that_fit_alike_are_both_given_with_equal_scores() -> None:
    first, second = refer("the dentist one", EVENTS, "id")
    assert (first.value, second.value) == ("e1", "e3")
    assert first.score == second.score


def test_find_takes_the_field_that_the_parameter_names() -> None:
    rows = [{"event_id": row["id"], **{key: value for key, value in row.items() if key != "id"}} for row in EVENTS]
    found = find(
        "move choir to Saturday", {"type": "string"}, name="event_id", description="Identifier", known=rows, now=NOW
    )
    assert (found[0].value, found[0].kind) == ("e2", "reference")


VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=15)), lambda x: st.lists(x, max_size=3), max_leaves=4
)


@given(
    st.text(max_size=60),
    st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=5),
    st.text(max_size=5),
)
def test_any_text_and_any_rows(text: str, rows: list[dict[str, Any]], field: str) -> None:
    for one in refer(text, rows, field, NOW):
        assert text[one.start : one.end] == one.text
        assert any(row.get(field) == one.value for row in rows)
