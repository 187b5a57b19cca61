"""What the agent `retrieve` is worth on the easy conversations that ship here, beside its two baselines."""

from __future__ import annotations

from typing import Any

import pytest
from retrieve_samples import LIBRARY, calls, converse, library

from toologue.agents.agent import resolve_agent
from toologue.agents.baselines import slots
from toologue.bench.benchmark import benchmark, play, summarize
from toologue.models.similarity import TextMatch
from toologue.schema import Brief, Case, Dialogue, Parameter, UserTurn


@pytest.fixture(scope="module")
def easy() -> list[Dialogue]:
    return [one for one in benchmark("tooltalk").load(None) if one.origin.get("split") == "easy"]


def recall_of(agent: str, dialogues: list[Dialogue]) -> float:
    tooltalk = benchmark("tooltalk")
    graded = play(tooltalk, dialogues, agent, TextMatch.of("lexical"))
    return summarize(tooltalk, graded)["all"]["scores"]["recall"]["value"]


def test_its_recall_is_at_least_double_that_of_each_baseline(easy: list[Dialogue]) -> None:
    recall = {agent: recall_of(agent, easy) for agent in ("retrieve", "top_api", "regex_slots")}
    assert recall["retrieve"] >= 0.5
    assert recall["retrieve"] >= 2 * max(recall["top_api"], recall["regex_slots"])


class TestBaselines:
    def does(self, agent: str, *lines: str) -> list[tuple[str, dict[str, Any]]]:
        return calls(converse(*lines, apis=LIBRARY, world=library(), agent=self.of(agent)))

    def of(self, agent: str) -> Any:
        return resolve_agent(agent).make(Case(id="x", protocol="live"))

    def test_top_api_calls_the_best_api_with_nothing(self) -> None:
        assert self.does("top_api", "renew the loan of the book b-08") == [("RenewLoan", {})]

    def test_regex_slots_fills_what_patterns_find(self) -> None:
        said = "reserve the book with the identifier 1a2b-3c4d to be fetched on 2025-03-14"
        assert self.does("regex_slots", said) == [
            ("ReserveBook", {"book_id": "1a2b-3c4d", "pickup_date": "2025-03-14"})
        ]

    def test_regex_slots_makes_no_call_with_a_gap(self) -> None:
        assert self.does("regex_slots", "reserve the book about lighthouses for Friday") == []

    def test_no_value_is_used_twice(self) -> None:
        numbers = {name: Parameter(schema={"description": "A number."}) for name in ("one", "other")}
        assert slots(numbers, "7 and 9") == {"one": "7", "other": "9"}
        assert slots(numbers, "7") == {"one": "7"}

    @pytest.mark.parametrize("agent", ["top_api", "regex_slots"])
    def test_they_survive_having_nothing_to_go_by(self, agent: str) -> None:
        for brief in (Brief(), Brief(apis=LIBRARY)):
            coroutine = self.of(agent).act([UserTurn()], brief)
            with pytest.raises(StopIteration) as done:
                coroutine.send(None)
            assert done.value.value.text == "Done."
