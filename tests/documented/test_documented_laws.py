"""Laws of the documented world: values fit their documents, equal worlds answer equally, nothing crashes."""

from __future__ import annotations

import json

import pytest
from documented_strategies import NAMES, junk, plain, schemas
from hypothesis import given, settings
from hypothesis import strategies as st

from toologue.schema import Api, Call, Parameter
from toologue.values.json_schema import fits
from toologue.worlds.contract import check_world
from toologue.worlds.documented import Documented, arguments_for

SEEDS = st.integers(0, 10**6)
objects = st.dictionaries(NAMES, schemas, max_size=5).map(lambda parts: {"type": "object", "properties": parts})


@given(schema=objects | schemas.filter(bool), seed=SEEDS)
def test_whatever_is_documented_a_value_fits_it(schema, seed):
    result = Documented([Api(name="A", returns=schema)], seed=seed).do(Call(api="A"))
    assert result.error is None
    assert fits(result.value, schema), result.value


@given(schema=objects, seed=SEEDS)
def test_equal_worlds_answer_equally_and_a_seed_is_a_world(schema, seed):
    api = Api(name="A", parameters={"x": Parameter(required=False)}, returns=schema)
    one, other = Documented([api], seed=seed), Documented([api], seed=0).seeded(seed)
    call = Call(api="A", arguments={"x": "7"})
    assert one.do(call) == other.do(call) == one.do(call)


@given(parameters=st.dictionaries(NAMES, plain, max_size=5), seed=SEEDS)
def test_arguments_made_up_are_arguments_that_are_accepted(parameters, seed):
    api = Api(name="A", parameters={name: Parameter(schema=schema) for name, schema in parameters.items()})
    made = arguments_for(api, seed)
    assert made == arguments_for(api, seed)
    assert list(made) == list(parameters)
    assert Documented([api]).do(Call(api="A", arguments=made)).error is None


@settings(max_examples=4)
@given(schema=objects, seed=SEEDS)
def test_it_is_a_world(schema, seed):
    find = Api(name="Find", parameters={"city": Parameter(schema={"type": "string"})}, returns=schema)
    check_world(lambda: Documented([find], seed=seed), seed=seed, scripts=1)


@given(schema=junk, seed=SEEDS)
def test_nonsense_is_answered_or_refused_and_never_raises(schema, seed):
    api = Api(name="A", parameters={"x": Parameter(schema=schema, required=False)}, returns=schema)
    world = Documented([api], seed=seed)
    for arguments in ({}, {"x": 5}, {"x": [None]}):
        result = world.do(Call(api="A", arguments=arguments))
        assert result.error is None or result.error.type in ("invalid", "undocumented")
        json.dumps(result.value)


NODE = {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/node"}}}
WIDE = {"type": "object", "properties": {f"field{n}": {"type": "string"} for n in range(20_000)}}


def deep(levels):
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": {"type": "object", "properties": {"a": schema, "b": schema}}}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"$ref": "#"},
        {**NODE, "$defs": {"node": NODE}},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "array"},
        {"type": "string"},
        {"type": "frobnicate"},
        {"type": "object", "properties": {"a": {"type": "frobnicate"}}},
        {"type": "object", "properties": {"a": False}},
        WIDE,
        deep(6),
        {"type": "array", "items": {"type": "string"}, "minItems": 10**9},
    ],
    ids=[
        "nothing",
        "itself",
        "cycle",
        "list",
        "bare list",
        "text",
        "no type",
        "odd leaf",
        "never",
        "wide",
        "deep",
        "long",
    ],
)
def test_hostile_schemas_are_answered_or_refused(schema):
    result = Documented([Api(name="A", returns=schema)]).do(Call(api="A"))
    assert result.error is None or result.error.type == "undocumented"
    assert len(json.dumps(result.value)) < 2_000_000
