"""Trials: pass^k and pass@k by hand and against a known truth, who flickers, how far runs differ by chance."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.schema import Score
from toologue.score.trials import Tried, trials_of, tried

TRIALS = st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=6)


def of(dialogues: list[list[bool]]) -> list[Tried]:
    return [Tried(str(name), sum(passed), len(passed)) for name, passed in enumerate(dialogues)]


def score(dialogue: str, value: float | None, *, unsure: bool = False) -> Score:
    counts = {} if value is None else {"hits": value, "of": 1.0}
    gain = {"hits": 1.0} if unsure else {}
    return Score(metric="success", dialogue=dialogue, counts=counts, value=value, unsure=gain)


def test_by_hand() -> None:
    """Three of four trials pass: of six pairs three pass whole, and none fails whole."""
    first, second, third, fourth = trials_of([Tried("a", 3, 4)]).by_k
    assert (first.every.value, first.any.value) == (0.75, 0.75)
    assert (second.every.value, second.any.value) == (0.5, 1.0)
    assert (third.every.value, third.any.value) == (0.25, 1.0)
    assert (fourth.every.value, fourth.any.value) == (0.0, 1.0)


@given(TRIALS)
def test_the_estimators_are_what_all_draws_of_k_trials_come_to(dialogues: list[list[bool]]) -> None:
    for one in trials_of(of(dialogues)).by_k:
        draws = [[*combinations(passed, one.k)] for passed in dialogues if len(passed) >= one.k]
        assert one.of == len(draws)
        assert one.every.value == pytest.approx(np.mean([np.mean([all(draw) for draw in mine]) for mine in draws]))
        assert one.any.value == pytest.approx(np.mean([np.mean([any(draw) for draw in mine]) for mine in draws]))
        assert 0 <= one.every.low <= one.every.value + 1e-9 <= one.every.high + 2e-9 <= 1 + 3e-9


def test_the_order_of_dialogues_does_not_matter() -> None:
    dialogues = [Tried("a", 1, 3), Tried("b", 3, 3), Tried("c", 0, 3, unsure=1)]
    assert trials_of(dialogues).by_k == trials_of(dialogues[::-1]).by_k


def test_what_is_unsure_makes_a_bracket() -> None:
    """Failed at the lower end, passed at the upper."""
    scores = [score("a", 1.0), score("a", 1.0), score("a", 0.0, unsure=True)]
    one, two, three = trials_of(tried(scores)).by_k
    assert (one.every.value, one.every.best) == (pytest.approx(2 / 3), 1.0)
    assert (two.every.value, two.every.best) == (pytest.approx(1 / 3), 1.0)
    assert (three.every.value, three.every.best) == (0.0, 1.0)
    assert (three.any.value, three.any.best) == (1.0, 1.0)


def test_trials_without_a_score_are_in_no_figure() -> None:
    """A dialogue whose model gave no reply in two of three trials tells of one trial, and of no pair."""
    found = trials_of(tried([score("a", 1.0), score("a", None), score("a", None), score("b", 0.0), score("b", 1.0)]))
    assert [(one.k, one.of) for one in found.by_k] == [(1, 2), (2, 1)]
    assert found.unscored == 2
    assert found.by_k[1].every.value == 0.0


def test_flaky_is_what_passed_and_failed_for_sure() -> None:
    found = trials_of([Tried("ever", 3, 3), Tried("never", 0, 3), Tried("now and then", 1, 3), Tried("open", 2, 3, 1)])
    assert [one.dialogue for one in found.flaky] == ["now and then"]


def test_nothing_that_was_scored_tells_nothing() -> None:
    found = trials_of(tried([score("a", None)]))
    assert (found.by_k, found.noise, found.unscored) == ([], None, 1)


def test_the_interval_of_a_run_that_passes_everywhere_has_a_width() -> None:
    """Ten of ten, by hand: 12 of 14, less 1.96 standard errors of that."""
    (one,) = trials_of([Tried(str(name), 1, 1) for name in range(10)]).by_k
    assert one.every.value == one.every.high == 1.0
    assert one.every.low == pytest.approx(12 / 14 - 1.96 * (12 / 14 * 2 / 14 / 14) ** 0.5)


def test_the_noise_floor_by_hand() -> None:
    """Of two dialogues one flickers: s^2 = 2 * 1/2 * 1/2 = 1/2, over two trials 1/4; two runs, two dialogues."""
    assert trials_of([Tried("a", 1, 2), Tried("b", 2, 2)]).noise == pytest.approx(1.96 * (2 / 2 * (0.25 / 2)) ** 0.5)
    assert trials_of([Tried("a", 2, 2), Tried("b", 0, 2)]).noise == 0
    assert trials_of([Tried("a", 1, 1)]).noise is None


def test_two_runs_of_one_agent_differ_by_less_than_the_noise_floor() -> None:
    """In at least 93 of 100 pairs: the floor of one run against what twenty others come to."""
    random, inside = np.random.default_rng(3), 0
    chances = random.beta(2, 1, size=40)
    for _ in range(100):
        first, *others = random.binomial(4, chances, size=(21, 40)).tolist()
        noise = trials_of([Tried(str(name), passed, 4) for name, passed in enumerate(first)]).noise
        inside += sum(abs(sum(first) - sum(other)) / 160 <= (noise or 0) for other in others)
    assert inside >= 0.93 * 2000


@pytest.mark.parametrize(("trials", "k"), [(1, 1), (4, 1), (4, 3)])
def test_intervals_hold_the_truth(trials: int, k: int) -> None:
    """In at least 93 of 100 runs over 30 dialogues, of an agent that mostly passes always, and sometimes never.

    `python -m bench.coverage_intervals` does so for more agents, sizes and trials.
    """
    random = np.random.default_rng(5)
    levels, shares = np.array([0.05, 0.7, 0.98]), [0.15, 0.25, 0.6]
    every, some = (levels**k) @ shares, (1 - (1 - levels) ** k) @ shares
    inside = np.zeros(2)
    for _ in range(200):
        passed = random.binomial(trials, random.choice(levels, p=shares, size=30)).tolist()
        one = trials_of([Tried(str(name), count, trials) for name, count in enumerate(passed)]).by_k[k - 1]
        inside += [one.every.low <= every <= one.every.high, one.any.low <= some <= one.any.high]
    assert (inside >= 0.93 * 200).all(), inside
