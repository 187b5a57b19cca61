"""Spoilt values: never the good one, never one that fits, the same under a seed, and natural ways to go wrong."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.plan.procedures.value_errors import WAYS, Spoilt, spoil
from toologue.values.json_schema import fits
from toologue.values.make import make

SHAPES: dict[str, dict[str, Any]] = {
    "order number": {"type": "string", "pattern": "^ORD-[0-9]{5}$"},
    "case number": {"type": "string", "pattern": r"^[A-Z]{2}\d{6}[A-Z]$"},
    "hyphened": {"type": "string", "pattern": "^[0-9a-f]{4}-[0-9a-f]{4}$"},
    "e-mail": {"type": "string", "format": "email"},
    "day": {"type": "string", "format": "date"},
    "moment": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    "uuid": {"type": "string", "format": "uuid"},
    "link": {"type": "string", "format": "uri"},
    "count": {"type": "integer", "minimum": 10, "maximum": 99},
    "sum": {"type": "number", "minimum": 10},
    "postcode": {"type": "string", "minLength": 5, "maxLength": 5, "pattern": "^[0-9]{5}$"},
}


def bare(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def number_in(said: str) -> float | int | str:
    """What an agent would read: a number if it is one."""
    try:
        return int(said) if said.isdigit() else float(said)
    except ValueError:
        return said


@pytest.mark.parametrize("shape", SHAPES)
@given(made=st.integers(0, 10_000), seed=st.integers(0, 10_000))
def test_a_spoilt_value_never_fits(shape: str, made: int, seed: int) -> None:
    schema = SHAPES[shape]
    good = make(schema, name=shape, seed=made)
    spoilt = spoil(good, schema, seed=seed)
    assert spoilt is not None, good
    assert spoilt.malformed
    assert spoilt.said not in ("", str(good))
    assert not fits(spoilt.said if schema["type"] == "string" else number_in(spoilt.said), schema)
    if schema.get("format") not in ("email", "uri"):
        assert bare(spoilt.said) != bare(good), "dropping signs and case does not mend it"


@given(st.text(min_size=1, max_size=30), st.integers(0, 100))
def test_without_a_schema_it_is_another_value(good: str, seed: int) -> None:
    spoilt = spoil(good, seed=seed)
    if spoilt is None:
        assert min(len(good), len(bare(good))) < 2
    else:
        assert bare(spoilt.said) not in ("", bare(good))


@given(
    st.text(max_size=20), st.dictionaries(st.sampled_from(["pattern", "format", "enum", "type"]), st.text(max_size=5))
)
def test_no_schema_and_no_value_is_too_odd(good: str, schema: dict[str, Any]) -> None:
    spoilt = spoil(good, schema, seed=1)
    assert spoilt is None or spoilt.said != good


class TestKinds:
    """What a value of a kind looks like goes without saying."""

    @pytest.mark.parametrize(
        ("kind", "good", "mended"),
        [
            ("email", "maria@post.example", r"[^@\s]+@[^@\s]+\.[^@\s.]+"),
            ("phone", "+44 20 7946 0991", r"\+?(?:[ ()./-]*\d){7,15}"),
            ("phone", "(555) 010-0199", r"\+?(?:[ ()./-]*\d){7,15}"),
            ("date", "2025-05-06", r"\d{4}-\d\d-([012]\d|30)"),
            ("date", "6 May 2025", r"([1-9]|[12]\d|3[01]) [A-Z][a-z]+( \d{4})?"),
            ("amount", "€25.90", r"€\d+\.\d\d"),
            ("amount", "1,250 euros", r"[\d,]+ euros"),
        ],
    )
    @given(seed=st.integers(0, 10_000))
    def test_is_broken(self, kind: str, good: str, mended: str, seed: int) -> None:
        spoilt = spoil(good, kind=kind, seed=seed)
        assert spoilt is not None
        assert spoilt.malformed
        assert not re.fullmatch(mended, spoilt.said)

    def test_a_name_has_no_form_so_nobody_can_tell(self) -> None:
        spoilt = spoil("Jonas Weber", kind="name", seed=3)
        assert spoilt is not None
        assert spoilt.said != "Jonas Weber"
        assert not spoilt.malformed

    def test_the_schema_comes_before_the_kind(self) -> None:
        spoilt = spoil("anna", {"type": "string", "pattern": "^[a-z]+$"}, kind="email", seed=1)
        assert spoilt is not None
        assert not re.fullmatch("[a-z]+", spoilt.said)


class TestWays:
    def ways(self, good: str, schema: dict[str, Any]) -> set[str]:
        return {spoilt.way for seed in range(200) if (spoilt := spoil(good, schema, seed=seed))}

    def test_an_order_number_goes_wrong_in_many_ways(self) -> None:
        assert self.ways("ORD-48213", SHAPES["order number"]) >= {
            "dropped",
            "swapped",
            "extra",
            "lookalike",
            "cut short",
        }

    def test_a_day_becomes_one_that_does_not_exist(self) -> None:
        assert self.ways("2025-05-06", SHAPES["day"]) == {"impossible"}
        assert {one.said for one in drawn("2025-05-06")} == {"2025-04-31"}

    def test_an_address_loses_its_signs(self) -> None:
        assert "sign" in self.ways("maria@post.example", SHAPES["e-mail"])

    def test_all_ways_are_used_somewhere(self) -> None:
        goods = [("ORD-48213", "order number"), ("2025-05-06", "day"), ("maria@post.example", "e-mail")]
        assert set().union(*(self.ways(good, SHAPES[shape]) for good, shape in goods)) == set(WAYS)


def drawn(good: str) -> list[Spoilt]:
    return [spoilt for seed in range(40) if (spoilt := spoil(good, SHAPES["day"], seed=seed))]


class TestNothingToSpoil:
    @pytest.mark.parametrize("good", [True, "", "7", "-", "  "])
    def test_too_little(self, good: Any) -> None:
        assert spoil(good, seed=1) is None

    def test_a_pattern_that_takes_anything(self) -> None:
        assert spoil("Ms Ito", {"pattern": "."}, seed=1) is None

    def test_length_alone_is_broken_where_it_can_be(self) -> None:
        tight, loose = (
            spoil("48213", {"maxLength": 5, "minLength": 5}, seed=1),
            spoil("48213", {"maxLength": 90}, seed=1),
        )
        assert tight is not None
        assert loose is not None
        assert (tight.malformed, loose.malformed) == (True, False)


def test_a_seed_gives_the_same_again_and_another_one_others() -> None:
    schema = SHAPES["order number"]
    assert spoil("ORD-48213", schema, seed=4) == spoil("ORD-48213", schema, seed=4)
    assert len({spoil("ORD-48213", schema, seed=seed) for seed in range(30)}) >= 10
