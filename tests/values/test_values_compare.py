"""How an actual value is judged against an expected one: total, reflexive, and each comparer's own idea of equal."""

from __future__ import annotations

from datetime import datetime
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import noun_strategies as some
from toologue.schema import Compare
from toologue.values.compare import agree, moment_of, never_alike, same

COMPARES = get_args(Compare)
moments = st.sampled_from(
    [
        "2025-03-10 07:00:00",
        "2025-3-10 7:0:0",
        "2025-03-10T07:00:00",
        "2025-03-10 07:00",
        "2025-03-10",
        "07:00:00",
        "7:00",
    ]
)
anything = some.values | moments | st.lists(some.scalars, max_size=3)
compares = st.sampled_from(COMPARES)


def always_alike(compare, expected, actual):
    return True


@given(compares, anything, anything)
@example("from", "2025-03-10", None)
@example("ids", [[{"a": 1}]], [[{"a": 1.0}]])
@example("set", [{}], [[]])
@example("moment", "\x00", "24:00:00")
@example("exact", 10**400, 1e300)
def test_any_two_values_have_an_answer(compare, expected, actual):
    for alike in (never_alike, always_alike):
        assert agree(compare, expected, actual, alike) in (True, False)


@given(compares, anything)
def test_every_value_agrees_with_itself(compare, value):
    assert agree(compare, value, value, never_alike)


@given(st.sampled_from([c for c in COMPARES if c not in ("from", "until", "ids")]), anything, anything)
def test_agreement_is_mutual_but_for_ranges_and_ids(compare, one, other):
    assert agree(compare, one, other, never_alike) == agree(compare, other, one, never_alike)


@given(anything, anything)
def test_what_is_exactly_equal_agrees_in_every_way(one, other):
    if agree("exact", one, other, never_alike):
        assert all(agree(compare, one, other, never_alike) for compare in COMPARES)
    assert agree("ignored", one, other, never_alike)


CASES = {
    "exact": [
        (25, 25.0, True),
        ("a", "A", False),
        (1, True, False),
        (0, False, False),
        (None, "", False),
        ([1, 2], [2, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
        ({"a": True}, {"a": 1}, False),
        ([[True]], [[1]], False),
    ],
    "folded": [
        (" New  York ", "new york", True),
        ("STRASSE", "straße", True),
        ("ann@here", "ANN@HERE", True),
        ("a", "b", False),
        ("1", 1, False),
        (None, "", False),
    ],
    "date": [
        ("2025-03-10 07:00:00", "2025-3-10 23:59:59", True),
        ("2025-03-10 07:00:00", "2025-03-10", True),
        ("2025-03-10", "2025-03-11", False),
        ("2025-03-10", None, False),
        ("tomorrow", "Tomorrow", False),
        ("2025-03-10", 20250310, False),
    ],
    "moment": [
        ("2025-03-10 07:00:00", "2025-3-10 7:0:0", True),
        ("2025-03-10 07:00:00", "2025-03-10T07:00:00", True),
        ("07:00:00", "7:00", True),
        ("07:00:00", "07:00:01", False),
        ("2025-03-10 00:00:00", "2025-03-10", True),
        ("07:00:00", None, False),
    ],
    "from": [
        ("2025-03-10", "2025-03-09", True),
        ("2025-03-10", "2025-3-10 0:0:0", True),
        ("2025-03-10", "2025-03-11", False),
        ("2025-03-10", None, True),
        ("2025-03-10", "early", False),
        ("early", "2025-03-10", False),
    ],
    "until": [
        ("12:00:00", "12:00:01", True),
        ("12:00:00", "12:00", True),
        ("12:00:00", "11:59:59", False),
        ("12:00:00", None, True),
    ],
    "set": [
        (["ann", "bob"], ["bob", "ann"], True),
        (["ann", "bob"], ["bob", "ann", "bob"], True),
        (["ann"], ["ann", "bob"], False),
        ([1, {"a": 2}], [{"a": 2.0}, 1.0], True),
        (["ann"], "ann", False),
        ([], None, False),
        ([1], [True], False),
    ],
    "ids": [
        (["a"], ["b", "a"], True),
        (["a", "b"], ["a"], False),
        ([], ["a"], True),
        (["a"], "a", False),
    ],
    "ignored": [("a", "b", True), (1, None, True)],
}


@pytest.mark.parametrize(
    ("compare", "expected", "actual", "agreed"),
    [(compare, *row) for compare, rows in CASES.items() for row in rows],
)
def test_each_comparer_has_its_own_idea_of_equal(compare, expected, actual, agreed):
    assert agree(compare, expected, actual, never_alike) is agreed


@pytest.mark.parametrize("compare", ["text", "prose"])
def test_texts_are_judged_by_the_similarity_that_is_given(compare):
    asked = []

    def alike(kind, expected, actual):
        asked.append((kind, expected, actual))
        return actual == "Pay rent."

    assert agree(compare, "Pay the rent", "Pay rent.", alike)
    assert not agree(compare, "Pay the rent", "Call Ann", alike)
    assert asked == [(compare, "Pay the rent", "Pay rent."), (compare, "Pay the rent", "Call Ann")]


@pytest.mark.parametrize("compare", ["text", "prose"])
@pytest.mark.parametrize(("expected", "actual"), [("1", 1), (None, "a"), ("a", None), (["a"], "a"), (True, "True")])
def test_what_is_no_text_is_never_put_to_the_similarity(compare, expected, actual):
    assert not agree(compare, expected, actual, always_alike)


def test_every_comparer_is_tried_here():
    assert {*CASES, "text", "prose"} == set(COMPARES)


@given(some.values, some.values)
def test_sameness_is_mutual_and_deep(one, other):
    assert same(one, other) == same(other, one)
    assert same({"x": [one]}, {"x": [one]})
    assert same([one], [other]) == same(one, other)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        (" 2025-03-10 07:05:09 ", datetime(2025, 3, 10, 7, 5, 9)),
        ("2025-03-10T07:05:09", datetime(2025, 3, 10, 7, 5, 9)),
        ("2025-3-1", datetime(2025, 3, 1)),
        ("7:5", datetime(1900, 1, 1, 7, 5)),
        ("2025-02-30", None),
        ("24:00", None),
        ("", None),
    ],
)
def test_moments_in_the_usual_forms(text, moment):
    assert moment_of(text) == moment
