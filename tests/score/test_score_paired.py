"""Paired differences of two runs: by hand, against a known truth, and with what is unsure."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tooldial.tooldial_samples import suite
from toologue.bench.benchmark import benchmark, play
from toologue.models.similarity import TextMatch
from toologue.schema import Score, Trace
from toologue.score.metric import RATIOS, lower_is_better, totals
from toologue.score.paired import Counted, Difference, difference, mcnemar
from toologue.score.steps import SEVERITIES, steps


def shares(*hits: float, of: float = 1.0) -> list[Counted]:
    return [Counted({"hits": float(each), "of": of}) for each in hits]


def between(before: list[Counted], after: list[Counted], metric: str = "success", seed: int = 0) -> Difference:
    found = difference(metric, before, after, seed=seed)
    assert found is not None
    return found


def test_the_difference_is_that_of_the_totals() -> None:
    found = between(shares(1, 1, 0, 0), shares(1, 1, 1, 0))
    assert (found.before, found.after) == ((0.5, 0.5), (0.75, 0.75))
    assert (found.value, found.best, found.of, found.moved) == (0.25, 0.25, 4, 1)
    assert found.low < 0 < 0.25 < found.high


def test_the_interval_of_four_dialogues_by_hand() -> None:
    """With those that join, differences of 0, 0, 0, 1, 1 and -1: mean 1/6, variance 1/2 - 1/36, over six of them."""
    found = between(shares(1, 1, 0, 0), shares(1, 1, 1, 0))
    half = 1.96 * ((1 / 2 - 1 / 36) / 6) ** 0.5
    assert (found.low, found.high) == (pytest.approx(1 / 6 - half, rel=0.05), pytest.approx(1 / 6 + half, rel=0.05))


def test_few_that_broke_are_not_told_apart_and_many_are() -> None:
    """As exact tests say: of forty, four that broke may be chance, and eight are none."""
    good = shares(*[1] * 40)
    assert between(good, shares(*[0] * 4, *[1] * 36)).verdict == "not told apart"
    assert between(good, shares(*[0] * 8, *[1] * 32)).verdict == "worse"
    assert between(shares(*[0] * 8, *[1] * 32), good).verdict == "better"
    assert (mcnemar(4, 0), mcnemar(8, 0)) == (0.125, 0.0078125)


def test_three_dialogues_prove_nothing() -> None:
    assert between(shares(0, 0, 0), shares(1, 1, 1)).verdict == "not told apart"


def test_mcnemar_by_hand() -> None:
    """One of five one way: (1 + 5) of 32, twice."""
    assert mcnemar(1, 4) == mcnemar(4, 1) == 12 / 32
    assert mcnemar(0, 0) == mcnemar(3, 3) == 1.0


def test_more_of_what_is_better_the_lower_it_is_is_worse() -> None:
    assert between(shares(*[0] * 30), shares(*[1] * 30), "wrong write").verdict == "worse"
    assert between(shares(*[0] * 30), shares(*[1] * 30), "state error: unconfirmed").verdict == "worse"


def test_what_is_unsure_makes_a_bracket_and_is_not_told_apart() -> None:
    """Half of it is open after: it may be as good, or far worse."""
    before = shares(*[1] * 20)
    after = shares(*[1] * 10) + [Counted({"hits": 0.0, "of": 1.0}, {"hits": 1.0})] * 10
    found = between(before, after)
    assert (found.after, found.value, found.best) == ((0.5, 1.0), -0.5, 0.0)
    assert found.verdict == "not told apart"


def test_what_is_unsure_in_both_alike_makes_no_difference() -> None:
    """The same words twice: whoever decides them decides both."""
    same = [Counted({"hits": 0.0, "of": 1.0}, {"hits": 1.0}, {"hits": 1.0})] * 20
    found = between(same, same)
    assert (found.before, found.value, found.best, found.moved) == ((0.0, 1.0), 0.0, 0.0, 0)


def test_trials_of_a_dialogue_stay_together() -> None:
    """Ten trials each of few dialogues tell less than one each of many."""
    few = between(shares(0, 0, 0, 10, 10, 10, of=10), shares(0, 0, 10, 0, 10, 10, of=10))
    many = between(shares(*[0] * 30, *[1] * 30), shares(*[0] * 20, *[1] * 10, *[0] * 10, *[1] * 20))
    assert few.value == many.value == 0
    assert few.high - few.low > 2 * (many.high - many.low)


def test_other_totals_than_shares_are_compared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RATIOS, "mean", lambda counts: counts["sum"] / counts["n"] if counts["n"] else None)
    before, after = ([Counted({"sum": level + at % 3, "n": 1.0}) for at in range(30)] for level in (0, 2))
    found = between(before, after, "mean")
    assert found.value == pytest.approx(2)
    assert (found.low, found.high) == (pytest.approx(2), pytest.approx(2))


def test_nothing_to_score_is_no_difference() -> None:
    assert difference("success", shares(0, of=0), shares(1)) is None


@pytest.mark.parametrize("trials", [1, 4])
def test_intervals_hold_the_truth_and_equal_agents_are_rarely_told_apart(trials: int) -> None:
    """In at least 93 of 100 pairs of runs over 30 dialogues (more: `python -m bench.coverage_intervals`)."""
    random, inside, wrong = np.random.default_rng(8), 0, 0
    levels, shares_of_levels = np.array([0.05, 0.7, 0.98]), [0.15, 0.25, 0.6]
    for seed in range(100):
        chances = random.choice(levels, p=shares_of_levels, size=30)
        first, same, worse = (
            shares(*random.binomial(trials, chances * factor).tolist(), of=trials) for factor in (1, 1, 0.8)
        )
        found = between(first, worse, seed=seed)
        inside += found.low <= -0.2 * levels @ shares_of_levels <= found.high
        wrong += between(first, same, seed=seed).verdict != "not told apart"
    assert inside >= 93
    assert wrong <= 7


def test_of_what_gold_has_none_less_is_better_and_of_all_else_more() -> None:
    """Who does all as expected has all of what is good, and nothing of what is bad: of every metric, asked or not."""
    exact, scores = TextMatch.of("exact"), list[Score]()
    for chosen in map(benchmark, ("tooldial", "tooltalk", "dialog2api")):
        golds = suite() if chosen.name == "tooldial" else chosen.load(None)[:20]
        for part in chosen.parts:
            graded = play(chosen, golds, "gold", part=part)
            scores += (score for one in graded for score in one.scores.values())
    for gold in suite():
        lived = Trace(case=gold.id, dialogue=gold.id, protocol="next", agent="gold", turns=gold.turns)
        scores += steps(gold, lived, exact).values()
    values = {one.metric: one.value for one in totals(scores) if one.value is not None}
    assert {*SEVERITIES, "state error: unconfirmed", "bad call", "CodeEdits", "success", "EMR"} <= values.keys()
    assert [name for name in values if lower_is_better(name)] == [name for name in values if values[name] == 0]
