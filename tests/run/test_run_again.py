"""What a run forgives: faults that pass, other patience, more dialogues and trials, a part of a set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_players import many

from toologue.agents.agent import AgentSpec, ScriptedAgent, script_of
from toologue.errors import Denied
from toologue.loop import Agent
from toologue.models.model import ModelFault
from toologue.run.runner import Limits, Settings
from toologue.run.store import Config, RunFolder, run_folder
from toologue.schema import AgentTurn, Case, Fault


class Failing:
    """Plays gold, but for the cases that it is to fail in; keeps which cases it was asked about."""

    def __init__(self, *faults: tuple[str, AgentTurn]):
        self.faults, self.asked = dict(faults), list[str]()

    def __call__(self, case: Case) -> Agent:
        self.asked.append(case.id)
        if case.id in self.faults:
            return ScriptedAgent([[self.faults[case.id]]] * 20)
        return ScriptedAgent(script_of(case))


GOLDS = many(6)
FIRST = GOLDS[0].id


def play(folder: Path, agent: Failing, count: int = 6, *, one_by_one: bool = True, **options: object) -> list[str]:
    """Run, and return about which cases the agent was asked."""
    agent.asked.clear()
    spec = AgentSpec("mine", agent, reads_gold=True)
    limits = Limits(concurrency=1 if one_by_one else 8)
    config = Config(agent="mine", settings=Settings(trials=options.pop("trials", 1)))  # type: ignore[arg-type]
    run_folder(folder, many(count), config, agent=spec, limits=limits, **options)  # type: ignore[arg-type]
    return list(agent.asked)


def traces(folder: Path) -> dict[str, bool]:
    """By dialogue, whether its trace shows a fault."""
    return {
        trace.dialogue: any(turn.role == "agent" and turn.error is not None for turn in trace.turns)
        for trace in RunFolder(folder).traces()
    }


BUSY = ModelFault("server_error", "busy").turn()
NO_KEY = ModelFault("unauthorized", "'mine' wants a key").turn()
CRASHED = AgentTurn(error=Fault(type="ConnectionError", message="gone"))
NO_TURN = AgentTurn(error=Fault(type="wrong type", message="a number"))


@pytest.mark.parametrize("fault", [BUSY, CRASHED], ids=["the model gave no reply", "the agent raised"])
def test_a_fault_that_may_pass_is_run_again_and_what_it_cost_is_kept(fault: AgentTurn, tmp_path: Path) -> None:
    assert len(play(tmp_path, Failing((FIRST, fault)))) == 6
    assert traces(tmp_path)[FIRST]
    assert play(tmp_path, Failing()) == [FIRST]
    assert not traces(tmp_path)[FIRST]
    assert [*traces(tmp_path)] == [gold.id for gold in GOLDS]
    (line,) = (tmp_path / "faults.jsonl").read_text().splitlines()
    assert json.loads(line)["dialogue"] == FIRST


def test_what_an_agent_answers_is_its_answer(tmp_path: Path) -> None:
    play(tmp_path, Failing((FIRST, NO_TURN)))
    assert play(tmp_path, Failing((FIRST, NO_TURN))) == []


def test_after_a_fault_of_a_model_nothing_more_of_the_conversation_is_asked(tmp_path: Path) -> None:
    play(tmp_path, Failing((FIRST, BUSY)))
    (trace,) = (trace for trace in RunFolder(tmp_path).traces() if trace.dialogue == FIRST)
    assert trace.stop == "error"
    assert sum(turn.role == "agent" for turn in trace.turns) == 1


def test_a_run_stops_at_what_every_further_request_would_meet(tmp_path: Path) -> None:
    agent = Failing((GOLDS[2].id, NO_KEY))
    with pytest.raises(Denied, match="would be refused as this one was: 'mine' wants a key"):
        play(tmp_path, agent)
    assert agent.asked == [gold.id for gold in GOLDS[:3]]
    assert play(tmp_path, Failing()) == [gold.id for gold in GOLDS[2:]]
    assert not any(traces(tmp_path).values())


def test_more_dialogues_and_more_trials_go_into_the_same_run(tmp_path: Path) -> None:
    assert len(play(tmp_path / "grown", Failing(), 3)) == 3
    assert len(play(tmp_path / "grown", Failing(), 6)) == 3
    assert len(play(tmp_path / "grown", Failing(), 6, trials=2)) == 6
    assert play(tmp_path / "grown", Failing(), 6) == [], "fewer trials are there already"
    play(tmp_path / "whole", Failing(), 6, trials=2, one_by_one=False)
    for name in ("run.json", "dialogues.jsonl", "traces.jsonl"):
        assert (tmp_path / "grown" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_part_of_a_set_leaves_the_rest_of_the_run_alone(tmp_path: Path) -> None:
    play(tmp_path, Failing(), 6)
    assert play(tmp_path, Failing(), 2, others="keep") == []
    assert len(traces(tmp_path)) == 6
    assert play(tmp_path, Failing(), 2, others="drop") == []
    assert len(traces(tmp_path)) == 2


def test_of_an_unfinished_run_a_part_is_run_alone(tmp_path: Path) -> None:
    play(tmp_path, Failing(), 6)
    (tmp_path / "traces.jsonl").write_bytes(b"")
    assert play(tmp_path, Failing(), 2, others="keep") == [gold.id for gold in GOLDS[:2]]
    assert [*traces(tmp_path)] == [gold.id for gold in GOLDS[:2]]
    assert play(tmp_path, Failing(), 6) == [gold.id for gold in GOLDS[2:]], "the whole run goes on"


@pytest.mark.parametrize("spec", ["openai:m?timeout=9", "openai:m?tries=1&timeout=3", "openai:m"])
def test_patience_makes_no_other_run(spec: str) -> None:
    assert Config(agent=spec).identity() == Config(agent="openai:m").identity()
    assert Config(agent=f"{spec.partition('?')[0]}?seed=3").identity() != Config(agent="openai:m").identity()
