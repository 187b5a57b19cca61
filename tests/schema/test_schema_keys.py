"""Identity: equal JSON, equal key; randomness is a function of names."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import noun_strategies as some
from toologue.keys import canonical, content_key, file_key, seed_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (25, 25.0),
        ({"a": 25, "b": [1.0]}, {"b": [1], "a": 25.0}),
        (0, -0.0),
        (1000, 1e3),
        ([], ()),
        ("\u00e9", "é"),
    ],
)
def test_equal_values_have_equal_keys(one, other):
    assert canonical(one) == canonical(other)
    assert content_key(one) == content_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (0, None),
        ("1", 1),
        ([1, 2], [2, 1]),
        ({}, []),
        ({"a": None}, {}),
        (0.5, 0),
        ("25.0", "25"),
    ],
)
def test_different_values_have_different_keys(one, other):
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_nan_and_infinities_have_no_key(bad):
    with pytest.raises(ValueError, match="JSON compliant"):
        content_key({"deep": [bad]})


@given(some.values)
def test_canonical_is_json_of_the_same_value(value):
    text = canonical(value)
    assert text.isascii()
    assert b"\n" not in text
    assert json.loads(text) == value


@given(st.dictionaries(some.texts, some.values, min_size=2, max_size=4))
def test_order_does_not_matter(value):
    backwards = dict(reversed(value.items()))
    assert list(backwards) != list(value)
    assert content_key(backwards) == content_key(value)


@given(st.lists(some.values, min_size=2, max_size=8))
def test_different_values_of_any_kind_have_different_keys(many):
    by_key = {}
    for value in many:
        assert by_key.setdefault(content_key(value), value) == value


def test_a_key_is_16_hex_digits_of_the_hash_of_the_canonical_bytes():
    value = {"b": 25.0, "a": [1, "é"]}
    assert canonical(value) == b'{"a":[1,"\\u00e9"],"b":25}'
    assert content_key(value) == hashlib.sha256(canonical(value)).hexdigest()[:16]


def test_seeds_are_functions_of_names():
    assert seed_of(7, "move-the-dentist", 0) == seed_of(7, "move-the-dentist", 0)
    assert len({seed_of(seed, name, trial) for seed in range(5) for name in "abc" for trial in range(3)}) == 45
    assert seed_of("1") != seed_of(1)
    assert 0 <= seed_of("any") < 2**63


def test_the_key_of_a_folder_follows_its_data(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("not data")
    before = file_key(tmp_path)
    (tmp_path / "notes.txt").write_text("still not data")
    assert file_key(tmp_path) == before
    (tmp_path / "a.json").write_text("[]")
    assert file_key(tmp_path) != before
    assert file_key(tmp_path / "a.json") != file_key(tmp_path / "notes.txt")
