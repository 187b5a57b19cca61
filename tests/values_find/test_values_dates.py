"""Times are read as they were labelled by hand, and whatever is said, nothing breaks."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_row import each_row
from toologue.text.find import find
from toologue.text.time_expressions import readings, whens

NOW = datetime(2025, 3, 12, 10, 20)
FORMS = {
    "date": "%Y-%m-%d",
    "time": "%H:%M",
    "moment": "%Y-%m-%d %H:%M",
    "span": "%Y-%m-%d %H:%M",
    "none": "%Y-%m-%d %H:%M",
}
FILE = Path(__file__).parents[2] / "bench" / "dates.tsv"
LABELLED = [line.split("\t")[1:] for line in FILE.read_text("utf-8").split("\n") if line and line[0] != "#"]


@each_row(("asks", "said", "means"), LABELLED)
def test_times_are_read_as_labelled(asks: str, said: str, means: str) -> None:
    if asks == "span":
        ends = [readings(said, "moment", NOW, edge="start"), readings(said, "moment", NOW, edge="end")]
        got = " / ".join(found[0].value.strftime(FORMS[asks]) for found in ends)
    else:
        found = readings(said, "moment" if asks == "none" else asks, NOW)  # type: ignore[arg-type]
        got = found[0].value.strftime(FORMS[asks]) if found else "-"
    assert got == means


@pytest.mark.parametrize(
    ("now", "said", "value"),
    [
        ("2025-03-12 06:00", "at 7", "2025-03-12 07:00"),
        ("2025-03-12 08:00", "at 7", "2025-03-12 19:00"),
        ("2025-03-12 20:00", "at 7", "2025-03-13 07:00"),
        ("2025-03-12 20:00", "at 3", "2025-03-13 15:00"),
        ("2025-12-31 23:50", "in 20 minutes", "2026-01-01 00:10"),
        ("2024-02-28 12:00", "tomorrow at noon", "2024-02-29 12:00"),
        ("2025-01-31 12:00", "in a month", "2025-02-28 00:00"),
    ],
)
def test_the_present_decides(now: str, said: str, value: str) -> None:
    (found, *_) = readings(said, "moment", datetime.fromisoformat(now))
    assert found.value == datetime.fromisoformat(value)


def test_without_now_only_what_needs_none_is_found() -> None:
    assert readings("tomorrow at 7pm", "date") == []
    assert [str(one.value) for one in readings("on 2025-06-01 at 7pm", "moment")] == ["2025-06-01 19:00:00"]
    assert [str(one.value) for one in readings("at 7pm", "time")] == ["19:00:00"]


def test_a_time_takes_the_day_that_the_text_names_elsewhere() -> None:
    (first, *_) = readings("About Friday: can we start at 4pm?", "moment", NOW)
    assert str(first.value) == "2025-03-14 16:00:00"


def test_what_is_denied_comes_last() -> None:
    found = readings("not at 4 but at 5pm", "time", NOW)
    assert str(found[0].value) == "17:00:00"


def test_a_date_time_carries_the_offset_of_now() -> None:
    there = NOW.replace(tzinfo=timezone(timedelta(hours=-5)))
    (found, *_) = find("tomorrow at noon", {"type": "string", "format": "date-time"}, name="at", now=there)
    assert found.value == "2025-03-13T12:00:00-05:00"


@pytest.mark.parametrize(
    ("description", "value"),
    [
        ("as %d.%m.%y", "13.03.25"),
        ("MM/DD/YYYY hh:mm a", "03/13/2025 07:05 PM"),
        ("yyyy-mm-dd", "2025-03-13"),
        ("e.g. 2024-01-31T08:00:00Z", "2025-03-13T19:05:00Z"),
        ("HH:MM", "19:05"),
        ("DD MMM YYYY", "13 Mar 2025"),
    ],
)
def test_the_form_is_the_one_that_the_description_shows(description: str, value: str) -> None:
    (found, *_) = find("tomorrow at 7:05 pm", {"type": "string"}, name="when", description=description, now=NOW)
    assert found.value == value


PIECES = st.sampled_from(
    [
        "tomorrow",
        "today",
        "Friday",
        "next",
        "last",
        "this",
        "week",
        "weekend",
        "month",
        "at",
        "7",
        "19:30",
        "7pm",
        "noon",
        "half",
        "past",
        "quarter",
        "to",
        "six",
        "from",
        "until",
        "and",
        "between",
        "-",
        ",",
        "in",
        "45",
        "minutes",
        "an",
        "hour",
        "ago",
        "march",
        "3",
        "the",
        "14th",
        "2025-02-30",
        "31/31",
        "99999999",
        "years",
        "days",
        "tonight",
        "morning",
        "for",
        "all",
        "day",
        "since",
        "before",
    ]
)


@given(
    st.lists(PIECES, max_size=16).map(" ".join),
    st.datetimes(),
    st.sampled_from(["date", "time", "moment"]),
    st.sampled_from(["", "start", "end"]),
)
def test_any_words_at_any_time(text: str, now: datetime, asks: str, edge: str) -> None:
    for one in readings(text, asks, now, edge=edge):  # type: ignore[arg-type]
        assert 0 <= one.start < one.end <= len(text)
    said = whens(text, now)
    assert all(one.end <= other.start for one, other in pairwise(said))
