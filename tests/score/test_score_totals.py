"""Totals: counts are added, then divided once; in any order, with an interval that says how sure they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toologue.schema import Score
from toologue.score.metric import RATIOS, Total, ratio, totals, value_of
from toologue.score.trials import trials_of, tried


def score(dialogue: str, hits: float, of: float, metric: str = "recall") -> Score:
    return Score(metric=metric, dialogue=dialogue, counts={"hits": hits, "of": of}, value=hits / of if of else None)


def total(scores: list[Score], **options: int) -> Total:
    (found,) = totals(scores, **options)
    return found


def interval(scores: list[Score], **options: int) -> tuple[float | None, float | None]:
    found = total(scores, **options)
    return found.low, found.high


COUNTS = st.integers(0, 9).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))
SCORES = st.lists(
    st.builds(
        lambda dialogue, counts, metric: score(dialogue, *counts, metric),
        st.sampled_from("abcdefg"),
        COUNTS,
        st.sampled_from(["recall", "precision"]),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=20)
@given(SCORES, st.data())
def test_order_does_not_matter(scores: list[Score], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(scores))
    assert sorted(totals(scores)) == sorted(totals(shuffled))


@settings(max_examples=20)
@given(SCORES)
def test_a_total_is_a_micro_average(scores: list[Score]) -> None:
    for one in totals(scores):
        mine = [s for s in scores if s.metric == one.metric]
        hits, of = (sum(s.counts[name] for s in mine) for name in ("hits", "of"))
        assert one.value == (hits / of if of else None)
        assert (one.n, one.unscored) == (sum(s.value is not None for s in mine), sum(s.value is None for s in mine))


@settings(max_examples=20)
@given(SCORES)
def test_the_interval_holds_the_value(scores: list[Score]) -> None:
    for one in totals(scores):
        if one.low is not None and one.high is not None:
            assert 0 <= one.low <= one.value <= one.high <= 1


def test_missing_scores_are_counted_and_never_zero() -> None:
    found = total([score("a", 1, 1), score("b", 0, 0)])
    assert (found.value, found.n, found.unscored) == (1.0, 1, 1)
    nothing = total([score("a", 0, 0), Score(metric="recall", dialogue="b", why="no gold")])
    assert nothing[1:6] == (None, None, None, 0, 2)


def test_metrics_come_in_the_order_in_which_they_occur() -> None:
    names = ["success", "recall", "a"]
    assert [t.metric for t in totals([score("d", 1, 1, name) for name in names * 2])] == names


def test_no_scores_no_totals() -> None:
    assert totals([]) == []


class TestTheInterval:
    HALF = [score(str(n), n % 2, 1) for n in range(40)]  # noqa: RUF012 - never changed

    def test_is_the_same_every_time(self) -> None:
        uneven = [score(str(n), n % 5, 4 + n % 7) for n in range(40)]
        assert interval(uneven) == interval(uneven) == interval(uneven[::-1])
        assert interval(uneven, seed=1) != interval(uneven)

    def test_one_dialogue_says_nothing(self) -> None:
        assert interval([score("a", 1, 2)]) == (None, None)
        assert interval([score("a", 1, 2), score("a", 2, 2)]) == (None, None), "two trials of one dialogue"

    def test_trials_of_a_dialogue_are_not_independent(self) -> None:
        """Twenty trials a dialogue make the interval no narrower than one."""
        twenty = [s for s in self.HALF for _ in range(20)]
        assert interval(twenty) == pytest.approx(interval(self.HALF))

    def test_more_dialogues_make_it_narrower(self) -> None:
        more = [score(str(n), n % 2, 1) for n in range(400)]
        (low, high), (lower, higher) = interval(more), interval(self.HALF)
        assert high - low < (higher - lower) / 2

    def test_it_is_about_as_wide_as_the_textbook_says(self) -> None:
        """For 40 even coins the standard error is 0.079; two of them on either side."""
        low, high = interval(self.HALF)
        assert low == pytest.approx(0.5 - 2 * 0.079, abs=0.04)
        assert high == pytest.approx(0.5 + 2 * 0.079, abs=0.04)

    @pytest.mark.parametrize("of", [1, 2, 7])
    def test_all_alike_makes_it_no_point(self, of: int) -> None:
        """Of ninety that are right, some that were not asked about may be wrong: one in twenty, say. (Wilson: 95.9.)"""
        low, high = interval([score(str(n), of, of) for n in range(90)])
        assert (low, high) == (pytest.approx(0.95, abs=0.01), 1.0)
        assert interval([score(str(n), 0, of) for n in range(90)]) == (0.0, pytest.approx(0.05, abs=0.01))
        assert interval([score(str(n), of, of) for n in range(5)])[0] == pytest.approx(7 / 9 - 1.96 * 14**0.5 / 27)

    def test_what_has_nothing_to_score_makes_it_no_narrower(self) -> None:
        few = [score(str(n), n % 2, 1) for n in range(6)]
        assert interval(few) == interval([*few, *(score(f"none {n}", 0, 0) for n in range(60))])

    @pytest.mark.parametrize("passed", [0, 3, 20])
    @pytest.mark.parametrize("trials", [1, 3])
    def test_of_whole_conversations_it_is_that_of_pass_1(self, passed: int, trials: int) -> None:
        scores = [score(str(n), n < passed, 1, "success") for n in range(20) for _ in range(trials)]
        once = trials_of(tried(scores)).by_k[0].every
        assert interval(scores) == pytest.approx((once.low, once.high))

    def test_nothing_scored(self) -> None:
        assert interval([score("a", 0, 0), score("b", 0, 0)]) == (None, None)


class TestOtherRatios:
    """A metric whose total is not hits / of registers its own function of the added counts."""

    @pytest.fixture
    def f1(self) -> Iterator[str]:
        RATIOS["f1"] = lambda n: 2 * n["both"] / (n["mine"] + n["theirs"]) if n["mine"] + n["theirs"] else None
        yield "f1"
        del RATIOS["f1"]

    def test_it_is_applied_once_to_the_sums(self, f1: str) -> None:
        counts = [{"both": 1, "mine": 1, "theirs": 3}, {"both": 0, "mine": 4, "theirs": 0}]
        scores = [Score(metric=f1, dialogue=str(n), counts=c, value=0.5) for n, c in enumerate(counts)]
        found = total(scores)
        assert found.value == 2 * 1 / 8
        assert found.low <= found.value <= found.high

    def test_a_score_and_a_total_have_the_same_function(self, f1: str) -> None:
        assert value_of(f1, {"both": 1, "mine": 1, "theirs": 3}) == 0.5
        assert value_of(f1, {"both": 0, "mine": 0, "theirs": 0}) is None

    def test_the_default(self) -> None:
        assert ratio({"hits": 1, "of": 4}) == 0.25
        assert ratio({"hits": 0, "of": 0}) is None
        assert ratio({}) is None
