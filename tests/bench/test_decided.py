"""How many conversations leave nothing unsure: the gold all, other words fewer (`bench.decided`)."""

from __future__ import annotations

from bench.decided import Share, Suite, reply_shares, shares
from toologue.bench.benchmark import benchmark
from toologue.models.similarity import TextMatch

LEXICAL = TextMatch.of("lexical")


def test_of_an_agent_those_count_in_which_it_does_otherwise_than_the_gold() -> None:
    tooltalk = benchmark("tooltalk")
    suite = Suite("t", tooltalk, tooltalk.load(None)[:4], ["gold"], ["altered:silence"])
    gold, right, wrong = shares(suite, LEXICAL)
    assert (gold, right) == (Share("t", "gold", 4, 4), Share("t", "right", 0, 0))
    assert wrong.decided == wrong.of > 0


def test_gold_replies_are_decided_and_those_of_others_not_all() -> None:
    gold, right, wrong = reply_shares(LEXICAL)
    assert gold.decided == gold.of
    assert 0 < right.decided < right.of
    assert 0 < wrong.decided < wrong.of
