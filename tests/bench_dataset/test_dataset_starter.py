"""The starter set is a dataset: what it covers, that it holds together, that its results are true."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from each_row import each_row
from toologue.bench.tooltalk import load
from toologue.bench.tooltalk.conversations import Review, reviews, sequence, starter
from toologue.run.runner import grounded
from toologue.schema import Dialogue, invocations
from toologue.worlds.assistant import apis

DOMAIN = {api.name: api.domain for api in apis()}
TRIPLES = set(combinations(sorted(set(DOMAIN.values())), 3))


@pytest.fixture(scope="module")
def seen() -> list[Review]:
    return list(reviews(starter()))


@pytest.fixture(scope="module")
def hard(seen: list[Review]) -> list[Review]:
    return [review for review in seen if review.dialogue.origin["split"] == "hard"]


def test_an_easy_one_for_each_tool(seen: list[Review]) -> None:
    easy = [sequence(r.dialogue) for r in seen if r.dialogue.origin["split"] == "easy"]
    assert sorted(easy) == sorted((name,) for name in DOMAIN)


def test_hard_ones_cover_tools_and_triples_of_plugins(hard: list[Review]) -> None:
    assert len(hard) >= 50
    tools = Counter(name for review in hard for name in set(sequence(review.dialogue)))
    assert {name: tools[name] for name in DOMAIN if tools[name] < 2} == {}
    assert len(TRIPLES) == 35
    assert len(TRIPLES & {tuple(sorted(review.plugins)) for review in hard}) >= 30


def test_hard_ones_are_long_and_chained(hard: list[Review]) -> None:
    assert sum(len(review.calls) for review in hard) / len(hard) >= 4.7
    assert min(len(review.calls) for review in hard) >= 3, "the paper asks for three at least"
    assert sum(bool(review.chained) for review in hard) >= 0.6 * len(hard)


def test_things_go_wrong_as_they_do(seen: list[Review]) -> None:
    """Counted: results with an error. A failed login is a UserLogin that ends in one, whatever the reason."""
    errors = [call for review in seen for call in review.calls if call.result.error]
    logins = [call for call in errors if call.act.kind == "call" and call.act.api == "UserLogin"]
    assert len(errors) - len(logins) >= 5
    assert len(logins) >= 5


def test_no_two_have_one_sequence_of_calls(hard: list[Review]) -> None:
    counts = Counter(sequence(review.dialogue) for review in hard)
    assert [names for names, n in counts.items() if n > 1] == []


def test_opening_turns_pass_the_lint_and_nothing_else_is_remarked(seen: list[Review]) -> None:
    remarks = {r.dialogue.id: r.remarks for r in seen if r.remarks}
    allowed = ("no argument comes from an earlier result", "hard, and only 2 plugins")
    assert {name: found for name, found in remarks.items() if not set(found) <= set(allowed)} == {}
    assert len(remarks) <= 5


@each_row("dialogue", load(), ids=lambda dialogue: dialogue.id)
def test_results_executed_again_are_equal(dialogue: Dialogue) -> None:
    stripped = dialogue.replace(
        turns=tuple(turn.replace(results=()) if turn.role == "agent" else turn for turn in dialogue.turns)
    )
    assert [call.result for call in invocations(grounded(stripped).turns)] == [
        call.result for call in invocations(dialogue.turns)
    ]


def test_each_says_who_and_when(seen: list[Review]) -> None:
    for review in seen:
        assert {"now", "location"} <= set(review.dialogue.facts)
        assert str(review.dialogue.origin["scenario"]).endswith(".")
        assert review.dialogue.turns[0].role == "user"
