"""Counting: a file of the shape of the paper's test split has the paper's totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from chains_plan_samples import EDGES, files

from toologue.plan.chains.pairs import Job, Pair, edge_pairs, single_api_pairs
from toologue.plan.chains.planner import Planner
from toologue.plan.chains.statistics import statistics
from toologue.schema import Dialogue

MIX = {
    "11.8": 23, "11.9": 17, "11.6": 17, "11.11": 17, "11.3": 17, "11.14": 17, "11.1": 17, "11.2": 17, "11.15": 17,
    "11.7": 119, "11.13": 119, "11.5": 105, "11.4": 105, "11.12": 85, "11.10": 84,
    "12.1": 30, "12.2": 15, "12.3": 26, "12.4": 20, "12.5": 24, "12.6": 12, "12.7": 40,
    "13.1": 223,
}  # fmt: skip
"""One of the mixes of sequences that solve the totals."""


@pytest.fixture(scope="module")
def test_split(tmp_path_factory: pytest.TempPathFactory) -> list[Dialogue]:
    _, apis = files(tmp_path_factory.mktemp("chains"))
    planner = Planner(apis, seed=1)
    shelf = planner.catalog
    pairs = [*edge_pairs(shelf, EDGES, Counter()), *single_api_pairs(shelf, Counter())]
    return [planner.plan(job).dialogue for job in _mixed(pairs)]


def _mixed(pairs: list[Pair]) -> Iterator[Job]:
    number = 0
    for key, times in MIX.items():
        fitting = [pair for pair in pairs if key in [one.key for one in pair.sequences()]]
        fitting = fitting or [pair for pair in pairs if pair.source is None]
        for _ in range(times):
            yield Job(number, key, fitting[number % len(fitting)])
            number += 1


def test_the_totals_of_the_published_test_split(test_split: list[Dialogue]) -> None:
    found = statistics(test_split)
    wanted = {
        "inform": 1533, "request": 2309, "retriever_call": 2268, "call": 1719, "suggest": 469, "clarify": 326,
        "response": 943, "system_bye": 943, "response_fail": 223,
    }  # fmt: skip
    assert {action: found.actions[action] for action in wanted} == wanted
    assert found.agent_actions == 9200
    assert (found.dialogues, found.user_messages, found.agent_messages) == (1166, 5213, 5213)
    assert found.turns == 10426
    assert round(found.mean or 0, 2) == 8.94
    assert (found.states, found.unconfirmed) == (6746, 1961)
    assert sum(times for (source, _), times in found.pairs.items() if source is not None) == 776
    assert found.sequences == Counter(MIX)


def test_counts_do_not_depend_on_the_order(test_split: list[Dialogue]) -> None:
    assert statistics(reversed(test_split)) == statistics(test_split)


def test_nothing_has_no_mean() -> None:
    assert statistics([]).mean is None
