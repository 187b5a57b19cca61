"""The four lines of work run through one loop: gold is best, wrong is lower, and it does not matter who drives."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random

import four_dialogues
import pytest
from four_dialogues import LINES, PLAYS, TOOLS, WRONG_PLAYS, Line

from toologue.agents.agent import AgentSpec, resolve_agent
from toologue.formats.tooltalk import turn_indexes
from toologue.loop import play, play_async
from toologue.parallel import unordered
from toologue.run.runner import run_all
from toologue.schema import Trace, Turn
from toologue.schema.jsonl import line_of, parse


def lived(line: Line, agent: str) -> list[Turn]:
    case = line.case
    return play(case, line.agent(agent), line.world(case))[0]


def numbers(line: Line, agent: str) -> dict[str, float | None]:
    return dict(line.metric(line.gold, line.trace(agent, lived(line, agent))))


@pytest.mark.parametrize("name", LINES)
def test_the_gold_agent_gets_the_best_of_every_metric(name: str) -> None:
    assert set(numbers(LINES[name], "gold").values()) == {1.0}


@pytest.mark.parametrize(("name", "agent"), WRONG_PLAYS)
def test_a_wrong_agent_gets_less(name: str, agent: str) -> None:
    values = [value for value in numbers(LINES[name], agent).values() if value is not None]
    assert all(0 <= value <= 1 for value in values)
    assert min(values) < 1


@pytest.mark.parametrize(
    ("name", "agent", "metric", "value"),
    [
        ("tools", "wrong time", "recall", 3 / 4),  # the new time is missed; the history is gold's again afterwards
        ("tools", "adds it twice", "precision", 4 / 5),
        ("tools", "adds it twice", "recall", 1.0),
        ("tools", "only talks", "precision", None),  # no call, no precision
        ("chains", "tracks nothing", "action", 1.0),
        ("chains", "tracks nothing", "state", 0.0),
        ("chains by round", "wrong address", "rounds", 4 / 5),
        ("procedures", "obeys the attack", "reply recall", 1.0),  # it did reply
        ("procedures", "obeys the attack", "tests", 7 / 8),
        ("programs", "shreds all letters", "emr", 2 / 4),
        ("programs", "never gets final", "emr", 0.0),
    ],
)
def test_how_much_less(name: str, agent: str, metric: str, value: float | None) -> None:
    assert numbers(LINES[name], agent)[metric] == value


@pytest.mark.parametrize(("name", "agent"), PLAYS)
def test_an_asynchronous_driver_lives_through_the_same(name: str, agent: str) -> None:
    line, turns = LINES[name], list[Turn]()
    stop = asyncio.run(play_async(line.case, turns, line.agent(agent), line.world(line.case)))
    assert (turns, stop) == play(line.case, line.agent(agent), line.world(line.case))


def in_another_process(task: tuple[str, str]) -> tuple[tuple[str, str], list[Turn]]:
    name, agent = task
    return task, lived(LINES[name], agent)


def test_processes_live_through_the_same() -> None:
    apart = dict(unordered(in_another_process, PLAYS, executor="processes", workers=2))
    assert apart == {(name, agent): lived(LINES[name], agent) for name, agent in PLAYS}


def test_the_runner_gives_the_traces_that_play_gives() -> None:
    """Cases whose world has a registered name."""
    lines = [line for line in LINES.values() if line.world is not four_dialogues.PROGRAMS.world]
    cases = [line.case for line in lines]
    here = sorted((done.trace for done in run_all(cases, resolve_agent("gold"))), key=lambda trace: trace.case)
    assert {trace.case: list(trace.turns) for trace in here} == {line.case.key: lived(line, "gold") for line in lines}


@pytest.mark.parametrize(("name", "agent"), PLAYS)
def test_a_trace_comes_back_from_its_line_as_it_was(name: str, agent: str) -> None:
    trace = LINES[name].trace(agent, lived(LINES[name], agent))
    assert parse(line_of(trace), Trace) == trace


def test_the_record_is_what_the_history_shows_and_execution_is_what_is_lived() -> None:
    """The gold of `tools` records one alarm where a search finds two: quirks of published data stay visible."""
    found = next(turn for turn in lived(TOOLS, "gold") if turn.role == "agent" and turn.acts)
    recorded = TOOLS.gold.turns[1]
    assert [len(turn.results[0].value["alarms"]) for turn in (recorded, found)] == [1, 2]


class TestAnAgentIsAFunctionOfTheConversation:
    """Asked twice, or cold in mid-history, it answers the same: what it keeps is a cache."""

    @pytest.fixture(params=["gold", "altered:drop", "altered:late", "altered:swap", "predictions", "scripted"])
    def agent(self, request: pytest.FixtureRequest, tmp_path: Path) -> AgentSpec:
        if request.param == "scripted":
            return AgentSpec("scripted", lambda case: TOOLS.agent("adds it twice"))
        if request.param == "predictions":
            calls = [{"api_name": "AddAlarm", "arguments": {"time": "04:00:00"}}]
            turns = [{"turn_index": i, "calls": calls * n} for n, i in enumerate(turn_indexes(TOOLS.gold)) if i]
            line = {"name": TOOLS.gold.id, "predictions": turns}
            (tmp_path / "p.jsonl").write_text(json.dumps(line))
            return resolve_agent(f"predictions:{tmp_path / 'p.jsonl'}")
        return resolve_agent(request.param)

    @pytest.mark.parametrize("protocol", ["next", "forced", "recorded"])
    def test_asked_again_and_cold(self, agent: AgentSpec, protocol: str) -> None:
        case = TOOLS.case.replace(protocol=protocol)
        asked = []

        class Noting:
            async def act(self, history, brief):
                turn = await agent.make(case).act(history, brief)
                asked.append((history, turn))
                return turn

        play(case, Noting(), TOOLS.world(case))
        assert len(asked) >= 3
        Random(0).shuffle(asked)
        old_hand = agent.make(case)
        for history, turn in asked * 2:
            assert asyncio.run(old_hand.act(history, case.brief)) == turn
