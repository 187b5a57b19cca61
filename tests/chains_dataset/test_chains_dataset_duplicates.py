"""Near-duplicates: what the exact index says, found without comparing all with all."""

from __future__ import annotations

import random
from itertools import combinations
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadSetting
from toologue.write.duplicates import likeness, repeats

WORDS = [f"word{number}" for number in range(300)]


def varied(rng: random.Random, count: int) -> list[str]:
    """Texts of many degrees of likeness: each is a fresh one, or an earlier one with some words changed."""
    texts: list[str] = []
    for _ in range(count):
        words = rng.choice(texts).split() if texts and rng.random() < 0.6 else rng.choices(WORDS, k=40)
        for _ in range(rng.choice((0, 0, 1, 2, 4, 8))):
            words[rng.randrange(len(words))] = rng.choice(WORDS)
        texts.append(" ".join(words))
    return texts


class TestRecall:
    @pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8, 0.9, 1.0])
    def test_the_same_as_brute_force(self, threshold: float) -> None:
        texts = varied(random.Random(7), 100)
        kept: list[int] = []
        expected: list[int | None] = []
        for number, text in enumerate(texts):
            first = next((other for other in kept if likeness(text, texts[other]) >= threshold), None)
            expected.append(first)
            if first is None:
                kept.append(number)
        assert list(repeats(texts, threshold=threshold)) == expected
        assert 5 < sum(first is not None for first in expected) < 90

    @given(st.lists(st.text(alphabet="ab .,é\n\ud800", max_size=12), max_size=12))
    def test_what_is_left_has_no_two_alike(self, texts: list[str]) -> None:
        found = list(repeats(texts))
        left = [text for text, first in zip(texts, found, strict=True) if first is None]
        assert all(likeness(one, other) < 0.8 for one, other in combinations(left, 2))
        for number, first in enumerate(found):
            assert first is None or (first < number and likeness(texts[number], texts[first]) >= 0.8)


class TestLikeness:
    def test_case_and_spaces_do_not_count(self) -> None:
        assert likeness("Wake  me at six, please", "wake me\nat SIX, please") == 1
        assert likeness("Wake me at six", "Who won the final") == 0

    def test_short_texts_and_none(self) -> None:
        assert list(repeats(["", "", "Yes", "yes", "No"])) == [None, 0, None, 2, None]

    def test_three_words_that_follow_each_other(self) -> None:
        assert likeness("a b c d", "a b c e") == pytest.approx(1 / 3)


class TestStreams:
    def test_answers_come_with_the_texts(self) -> None:
        def endless():
            while True:
                yield "the same words again"

        answers = repeats(endless())
        assert [next(answers) for _ in range(3)] == [None, 0, 0]

    def test_copies_cost_no_more_than_others(self) -> None:
        start = process_time()
        assert sum(first == 0 for first in repeats(["one and the same text, said often"] * 5000)) == 4999
        assert process_time() - start < 5

    @pytest.mark.parametrize("threshold", [0.0, 0.2, 1.1])
    def test_a_threshold_that_says_nothing(self, threshold: float) -> None:
        with pytest.raises(BadSetting, match=r"give a Jaccard index from 0.3 to 1"):
            next(repeats(["a"], threshold=threshold))
