"""Agents of any kind go through a benchmark: by name, as an object, as a function from a case to one."""

from __future__ import annotations

from collections.abc import Sequence

from toologue.agents.agent import ScriptedAgent
from toologue.bench.benchmark import evaluate, report_of, tables_of
from toologue.bench.tooltalk import TOOLTALK, load
from toologue.schema import AgentTurn, Brief, Turn


class Silent:
    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        return AgentTurn(text="")


def scripted(case: object) -> ScriptedAgent:
    return ScriptedAgent([])


def test_an_agent_is_a_name_an_object_or_a_function() -> None:
    results = evaluate(TOOLTALK, load()[:3], ["gold", Silent(), scripted])
    passed = {
        agent: [graded.scores["success"].value for graded in parts[TOOLTALK.part]] for agent, parts in results.items()
    }
    assert passed == {"gold": [1.0] * 3, "Silent": [0.0] * 3, "scripted": [0.0] * 3}
    assert not tables_of(TOOLTALK, results), "the totals say it all"
    both = evaluate(TOOLTALK, load()[26:30], ["gold", Silent()])
    assert [table.title for table in tables_of(TOOLTALK, both)] == ["gold", "Silent"]
    assert [run.name for run in report_of(TOOLTALK, results).runs] == ["gold", "Silent", "scripted"]
