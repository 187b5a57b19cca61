"""Made values fit their schema, look plausible, and depend on nothing but schema and seed."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toologue.errors import UserError
from toologue.values.json_schema import fits
from toologue.values.make import make, text_for

CHECKER = jsonschema.Draft202012Validator.FORMAT_CHECKER
FORMATS = ["date", "time", "date-time", "email", "uri", "uuid", "hostname", "ipv4", "ipv6"]
PATTERNS = [
    "^[A-Z]{3}-\\d{4}$",
    "^(a|bc)+$",
    "\\w+@\\w+",
    "^[^x]{2,5}$",
    "^\\+?[0-9]{7,15}$",
    "^v\\d+(\\.\\d+){2}$",
    "^(?:on|off)?$",
]


def bounded(low: str, high: str, most: int) -> st.SearchStrategy[dict[str, int]]:
    """Two bounds in order, either or both."""
    pair = st.tuples(st.integers(0, most), st.integers(0, most)).map(sorted)
    return st.builds(
        lambda ends, keep: {k: v for k, v in zip((low, high), ends, strict=True) if k in keep},
        pair,
        st.sets(st.sampled_from([low, high])),
    )


NAMES_WORDS = "email phone city name id start_time price count url tags user_name country address description year"
NAMES = st.sampled_from(NAMES_WORDS.split())
LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.just(True),
    st.just({}),
    st.sampled_from([{"type": kind} for kind in ("string", "integer", "number", "boolean", "null")]),
    bounded("minLength", "maxLength", 30).map(lambda bounds: {"type": "string", **bounds}),
    bounded("minimum", "maximum", 1000).map(lambda bounds: {"type": "integer", **bounds}),
    bounded("minimum", "maximum", 1000).map(lambda bounds: {"type": "number", **bounds}),
    st.builds(
        lambda low, step: {"type": "integer", "minimum": low, "multipleOf": step},
        st.integers(-50, 50),
        st.integers(1, 9),
    ),
    st.builds(lambda low: {"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": low + 1}, st.integers(-5, 5)),
    st.sampled_from(FORMATS).map(lambda form: {"type": "string", "format": form}),
    st.sampled_from(PATTERNS).map(lambda pattern: {"type": "string", "pattern": pattern}),
    st.lists(st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)), min_size=1, max_size=4).map(
        lambda values: {"enum": values}
    ),
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)).map(lambda value: {"const": value}),
    st.just({"type": ["null", "integer"]}),
    st.just({"$ref": "#/$defs/tree"}),
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(NAMES, inner, max_size=4).flatmap(
        lambda parts: st.builds(
            lambda required, open_: {
                "type": "object",
                "properties": parts,
                "required": required,
                **({} if open_ else {"additionalProperties": False}),
            },
            st.lists(st.sampled_from(sorted(parts)), unique=True) if parts else st.just([]),
            st.booleans(),
        )
    )


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        objects(inner),
        st.builds(
            lambda items, bounds: {"type": "array", "items": items, **bounds}, inner, bounded("minItems", "maxItems", 4)
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"anyOf": parts}),
        inner.map(lambda part: {"oneOf": [part, {"type": "array", "items": False, "minItems": 1}]}),
        inner.map(lambda part: {"allOf": [part, {"description": "the same"}]}),
    ),
    max_leaves=6,
)
TREE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "branches": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
    "required": ["name"],
}


@settings(max_examples=100)
@given(SCHEMAS, st.integers(0, 10**6))
def test_what_is_made_fits(schema: Any, seed: int) -> None:
    whole = {"allOf": [schema], "$defs": {"tree": TREE}}
    value = make(whole, seed=seed)
    jsonschema.Draft202012Validator(whole, format_checker=CHECKER).validate(value)
    assert fits(value, whole)
    assert make(whole, seed=seed) == value


@settings(max_examples=100)
@given(
    SCHEMAS,
    st.one_of(st.none(), st.booleans(), st.integers(-9, 99), st.text(max_size=6), st.lists(st.integers(), max_size=3)),
)
def test_what_fits_is_what_jsonschema_says(schema: Any, value: Any) -> None:
    whole = {"allOf": [schema], "$defs": {"tree": TREE}}
    text_formats = {"date", "time", "date-time", "email", "uri", "uuid"}
    if not (isinstance(value, str) and any(form in str(schema) for form in text_formats)):
        assert fits(value, whole) == jsonschema.Draft202012Validator(whole).is_valid(value)


class TestPlausible:
    def test_names_lead_to_their_kind(self) -> None:
        made = make(
            {
                "properties": {key: {"type": "string"} for key in ("email", "phone", "city", "start_time", "username")},
                "type": "object",
            },
            seed=3,
        )
        assert re.fullmatch(r"[a-z]+\.[a-z]+@\w+\.example", made["email"])
        assert re.fullmatch(r"\d{3}-555-01\d\d", made["phone"])
        assert re.fullmatch(r"\d\d:\d\d", made["start_time"])
        assert made["city"][0].isupper()

    def test_descriptions_say_how_times_are_written(self) -> None:
        assert re.fullmatch(
            r"2025-\d\d-\d\d \d\d:\d\d:00",
            make({"type": "string"}, name="due", description="YYYY-MM-DD HH:MM:SS", seed=1),
        )

    def test_a_place_keeps_its_value_when_its_neighbours_change(self) -> None:
        one = {"type": "object", "properties": {"city": {"type": "string"}}}
        two = {"type": "object", "properties": {"age": {"type": "integer"}, "city": {"type": "string"}}}
        assert make(one, seed=5)["city"] == make(two, seed=5)["city"]

    def test_seeds_differ(self) -> None:
        assert len({make({"type": "string"}, name="email", seed=seed) for seed in range(20)}) > 10


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"enum": []},
        {"type": "integer", "minimum": 3, "maximum": 2},
        {"$ref": "#"},
        {"type": "string", "pattern": "(?=a)b"},
    ],
)
def test_where_nothing_fits_the_user_is_told(schema: Any) -> None:
    with pytest.raises(UserError, match="no value was found"):
        make(schema, seed=1)


@given(st.sampled_from(PATTERNS), st.integers())
def test_texts_match_their_pattern(pattern: str, seed: int) -> None:
    made = text_for(pattern, Random(seed))
    assert made is not None
    assert re.search(pattern, made)


@given(st.text(alphabet="ab[](){}|*+?^$\\d-,0123.:<>P=", max_size=20), st.integers())
def test_any_pattern_is_read_or_left(pattern: str, seed: int) -> None:
    text_for(pattern, Random(seed))
