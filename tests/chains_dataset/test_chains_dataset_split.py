"""The split: no API in two of its parts, the ratio where components allow, cuts that lose little and say what."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadSetting
from toologue.plan.chains.split import NEAR, SPLITS, Division, Joined, divide

NAMES = st.integers(0, 30).map(lambda number: f"Api {number}")
PAIRS = st.dictionaries(st.tuples(st.none() | NAMES, NAMES), st.integers(1, 9), max_size=60)


def check(weights: Mapping[Joined, int], divided: Division) -> None:
    """The law: every API in one split, every pair in the split of its APIs or among the lost, nothing uncounted."""
    assert set(divided.of) == {name for pair in weights for name in pair if name is not None}
    for (source, target), weight in weights.items():
        apart = source is not None and divided.of[source] != divided.of[target]
        assert divided.lost.get((source, target)) == (weight if apart else None)
        assert divided.split_of((source, target)) == (None if apart else divided.of[target])
    assert sum(divided.weights.values()) + sum(divided.lost.values()) == sum(weights.values())


class TestLaws:
    @given(weights=PAIRS, seed=st.integers(0, 5))
    def test_no_api_is_in_two_splits(self, weights: dict[Joined, int], seed: int) -> None:
        check(weights, divide(weights, seed=seed))

    @given(
        sizes=st.lists(st.integers(1, 4), min_size=120, max_size=200),
        ratio=st.sampled_from([(80, 10, 10), (60, 20, 20), (1, 1, 1), (8, 2, 0)]),
        seed=st.integers(0, 99),
    )
    def test_many_small_components_give_the_ratio_and_lose_nothing(
        self, sizes: list[int], ratio: tuple[float, ...], seed: int
    ) -> None:
        weights: dict[Joined, int] = {
            (f"{number}", f"{number} {at}"): 1 for number, size in enumerate(sizes) for at in range(size)
        }
        divided = divide(weights, ratio=ratio, seed=seed)
        assert not divided.lost
        for name, share in zip(SPLITS, ratio, strict=True):
            assert divided.shares[name] == pytest.approx(share / sum(ratio), abs=NEAR)

    @given(weights=PAIRS, seed=st.integers(0, 5), shuffle=st.randoms(use_true_random=False))
    def test_the_order_of_pairs_says_nothing(
        self, weights: dict[Joined, int], seed: int, shuffle: random.Random
    ) -> None:
        pairs = list(weights)
        shuffle.shuffle(pairs)
        assert divide({pair: weights[pair] for pair in pairs}, seed=seed) == divide(weights, seed=seed)


class TestOneGiantComponent:
    def test_it_is_cut_where_little_is_lost(self) -> None:
        rng = random.Random(3)
        towns = {(f"{town}.{a}", f"{town}.{b}"): 1 for town in range(20) for a in range(12) for b in range(a)}
        roads = {(f"{town}.0", f"{rng.randrange(town)}.{rng.randrange(12)}"): 1 for town in range(1, 20)}
        weights: dict[Joined, int] = {**towns, **roads}
        divided = divide(weights)
        check(weights, divided)
        assert 0 < sum(divided.lost.values()) <= 0.02 * len(weights)
        for name, share in zip(SPLITS, (0.8, 0.1, 0.1), strict=True):
            assert divided.shares[name] == pytest.approx(share, abs=NEAR)

    @pytest.mark.parametrize("kind", ["star", "clique"])
    def test_what_cannot_be_cut_without_losing_more_than_is_moved_stays_whole(self, kind: str) -> None:
        ends = [("hub", f"{at}") for at in range(40)]
        all_of_all = [(f"{one}", f"{at}") for one in range(20) for at in range(one)]
        divided = divide(dict.fromkeys(ends if kind == "star" else all_of_all, 1))
        assert divided.shares == {"train": 1.0, "validation": 0.0, "test": 0.0}
        assert not divided.lost

    def test_a_chain_is_cut_twice(self) -> None:
        weights: dict[Joined, int] = {(f"{at:03}", f"{at + 1:03}"): 1 for at in range(200)}
        divided = divide(weights)
        check(weights, divided)
        assert len(divided.lost) <= 4


class TestSettings:
    @pytest.mark.parametrize("ratio", [(80, 20), (0, 0, 0), (-1, 1, 1), (float("nan"), 1, 1)])
    def test_a_ratio_that_is_none(self, ratio: tuple[float, ...]) -> None:
        with pytest.raises(BadSetting, match="give three numbers for train, validation, test"):
            divide({}, ratio=ratio)

    def test_nothing_to_divide(self) -> None:
        divided = divide({})
        assert (divided.of, divided.lost, divided.shares) == ({}, {}, dict.fromkeys(SPLITS, 0.0))

    def test_seeds_choose(self) -> None:
        weights: dict[Joined, int] = {(None, f"{at}"): 1 for at in range(100)}
        assert divide(weights, seed=1).of == divide(weights, seed=1).of != divide(weights, seed=2).of
