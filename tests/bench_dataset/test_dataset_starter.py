"""The starter set is a dataset: what it covers, that it holds together, that its results are true."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from each_row import each_row
from toologue.bench.tooltalk import load
from toologue.plan.scenarios.lint import lint
from toologue.run.runner import grounded
from toologue.schema import Dialogue, invocations
from toologue.worlds.assistant import apis

DOMAIN = {api.name: api.domain for api in apis()}
TRIPLES = set(combinations(sorted(set(DOMAIN.values())), 3))


EASY, HARD = ([one for one in load() if one.origin["split"] == split] for split in ("easy", "hard"))


def called(dialogue: Dialogue) -> tuple[str, ...]:
    """The names of what is called, in order."""
    return tuple(one.call.api for one in invocations(dialogue.turns))


def test_an_easy_one_for_each_tool() -> None:
    assert sorted(map(called, EASY)) == sorted((name,) for name in DOMAIN)


def test_hard_ones_cover_tools_and_triples_of_plugins() -> None:
    assert len(HARD) >= 50
    tools = Counter(name for dialogue in HARD for name in set(called(dialogue)))
    assert {name: tools[name] for name in DOMAIN if tools[name] < 2} == {}
    assert len(TRIPLES) == 35
    plugins = (sorted({DOMAIN[name] for name in called(dialogue)}) for dialogue in HARD)
    assert len(TRIPLES & set(map(tuple, plugins))) >= 30


def test_hard_ones_are_long() -> None:
    lengths = [len(called(dialogue)) for dialogue in HARD]
    assert sum(lengths) / len(lengths) >= 4.7
    assert min(lengths) >= 3, "the paper asks for three at least"


def test_things_go_wrong_as_they_do() -> None:
    """Counted: results with an error. A failed login is a UserLogin that ends in one, whatever the reason."""
    made = (one for dialogue in load() for one in invocations(dialogue.turns))
    errors = [one.call.api for one in made if one.result.error]
    assert errors.count("UserLogin") >= 5
    assert len(errors) - errors.count("UserLogin") >= 5


def test_no_two_have_one_sequence_of_calls() -> None:
    assert [names for names, n in Counter(map(called, HARD)).items() if n > 1] == []


def test_opening_turns_pass_the_lint() -> None:
    assert [lint(one.turns[0].text or "", apis()) for one in load() if lint(one.turns[0].text or "", apis())] == []


@each_row("dialogue", load(), ids=lambda dialogue: dialogue.id)
def test_results_executed_again_are_equal(dialogue: Dialogue) -> None:
    stripped = dialogue.replace(
        turns=tuple(turn.replace(results=()) if turn.role == "agent" else turn for turn in dialogue.turns)
    )
    assert [call.result for call in invocations(grounded(stripped).turns)] == [
        call.result for call in invocations(dialogue.turns)
    ]


def test_each_says_who_and_when() -> None:
    for dialogue in load():
        assert {"now", "location"} <= set(dialogue.facts)
        assert str(dialogue.origin["scenario"]).endswith(".")
        assert dialogue.turns[0].role == "user"
