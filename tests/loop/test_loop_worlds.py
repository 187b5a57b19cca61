"""The world's side of a conversation: executing, rewinding, failing, waiting; and grounding a dialogue in it."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from toologue.agents.agent import ScriptedAgent
from toologue.errors import BadSetting, UnknownName
from toologue.loop import execute, ground, play, play_async
from toologue.schema import (
    Act,
    AgentTurn,
    Call,
    Case,
    Dialogue,
    Fault,
    Program,
    Result,
    Setting,
    Turn,
    UserTurn,
    rounds,
)
from toologue.worlds.world import make_world

U, A = UserTurn, AgentTurn


def call(api: str, /, **arguments: Any) -> Call:
    return Call(api=api, arguments=arguments)


class Counter:
    """A world that counts. It notes in which thread it was asked."""

    apis = ()

    def __init__(self, *, blocking: bool = False) -> None:
        self.blocking, self.count = blocking, 0
        self.threads: list[int] = []

    def do(self, act: Act) -> Any:
        self.threads.append(threading.get_ident())
        match act:
            case Call(api="add"):
                self.count += 1
                return Result(value=self.count, changes={"number/n": {"count": self.count}})
            case Call(api="raise"):
                raise ZeroDivisionError("by nothing")
            case Call(api="mumble"):
                return {"value": 1}
            case _:
                return Result(error=Fault(type="unsupported"))

    def mark(self) -> int:
        return self.count

    def rewind(self, mark: int) -> None:
        self.count = mark


THREE = Dialogue(
    id="three",
    turns=(
        U(text="?"),
        A(acts=(call("add"),)),
        A(text="1"),
        U(text="?"),
        A(acts=(call("add"), call("add"))),
        A(text="3"),
    ),
)


def counted(turns: list[Turn]) -> list[Any]:
    return [result.value for turn in turns if turn.role == "agent" for result in turn.results if result]


@pytest.mark.parametrize(("protocol", "values"), [("forced", [1, 2, 3, 2]), ("recorded", [1, 2, 3, 4])])
def test_what_the_agent_did_wrong_is_undone_only_where_gold_is_forced(protocol: str, values: list[int]) -> None:
    """The agent adds three times in the first round, where gold adds once; then once more."""
    agent = ScriptedAgent([[A(acts=(call("add"),) * 3), A(text="3")], [A(acts=(call("add"),)), A(text="?")]])
    turns, _ = play(Case(id="three", gold=THREE, protocol=protocol), agent, Counter())
    assert counted(turns) == values


def test_next_leaves_the_world_alone() -> None:
    world = Counter()
    play(Case(id="three", gold=THREE, protocol="next"), ScriptedAgent([[A(acts=(call("add"),))]]), world)
    assert (world.count, world.threads) == (0, [])


@pytest.mark.parametrize(
    ("api", "fault"),
    [
        ("raise", Fault(type="ZeroDivisionError", message="by nothing")),
        ("mumble", Fault(type="wrong type", message="do returned dict, not Result")),
        ("elsewhere", Fault(type="unsupported")),
    ],
)
def test_a_world_that_fails_is_a_result_with_an_error(api: str, fault: Fault) -> None:
    assert execute(Counter(), call(api)) == Result(error=fault)
    agent = ScriptedAgent([[A(acts=(call(api), call("add"))), A(text="Oh.")]])
    turns, stop = play(Case(id="three", gold=THREE, protocol="recorded"), agent, Counter())
    assert turns[1].results[0].error == fault
    assert turns[1].results[1].value == 1
    assert stop == "done"


def test_what_an_agent_can_cause_is_a_result_and_what_only_the_setting_can_stops_the_run() -> None:
    class Refusing(Counter):
        """Knows no Api; and its service is gone when it is asked for one."""

        def do(self, act: Act) -> Any:
            if act == call("gone"):
                raise BadSetting("cannot reach the service")
            raise UnknownName("API", "ad", ["add"])

    error = execute(Refusing(), call("ad")).error
    assert error is not None
    assert "did you mean 'add'" in error.message
    with pytest.raises(BadSetting, match="cannot reach"):
        execute(Refusing(), call("gone"))


def test_a_gold_act_that_fails_is_relived_without_a_word() -> None:
    gold = Dialogue(id="g", turns=(U(text="?"), A(acts=(call("raise"), call("add"))), A(text="1"), U(), A(text="2")))
    agent = ScriptedAgent([[A(text="no")], [A(acts=(call("add"),)), A(text="2")]])
    turns, _ = play(Case(id="g", gold=gold, protocol="forced"), agent, Counter())
    assert counted(turns) == [2]


def test_without_a_world_every_act_fails() -> None:
    turns, _ = play(Case(id="three", gold=THREE, protocol="recorded"), ScriptedAgent([[A(acts=(call("add"),))]]))
    assert turns[1].results[0].error.type == "no world"


@pytest.mark.parametrize("blocking", [True, False])
def test_a_world_that_waits_is_asked_in_a_thread(blocking: bool) -> None:
    world, lived = Counter(blocking=blocking), list[Turn]()
    agent = ScriptedAgent([[A(acts=(call("add"),)), A(text="1")], [A(acts=(call("add"),)), A(text="2")]])
    stop = asyncio.run(play_async(Case(id="three", gold=THREE, protocol="forced"), lived, agent, world))
    assert (stop, counted(lived)) == ("done", [1, 2])
    assert (threading.get_ident() in world.threads) != blocking
    assert len(world.threads) == 4  # two acts of the agent, and gold's of the round in which it did otherwise


def test_what_the_agent_did_just_as_gold_is_not_done_again() -> None:
    world, script = Counter(), [did for _, did in rounds(THREE.turns)]
    turns, _ = play(Case(id="three", gold=THREE, protocol="forced"), ScriptedAgent(script), world)
    assert (counted(turns), len(world.threads)) == ([1, 2, 3], 3)


@pytest.mark.parametrize("value", [1.0, True])
def test_acts_whose_values_are_another_json_are_relived(value: object) -> None:
    gold = Dialogue(id="g", turns=(U(text="?"), A(acts=(call("add", by=1),)), A(text="1")))
    world, agent = Counter(), ScriptedAgent([[A(acts=(call("add", by=value),)), A(text="1")]])
    play(Case(id="g", gold=gold, protocol="forced"), agent, world)
    assert len(world.threads) == 2


def test_a_synchronous_driver_refuses_players_that_wait() -> None:
    with pytest.raises(BadSetting, match="this player waits for something"):
        play(Case(id="three", gold=THREE, protocol="next"), ScriptedAgent([], delay=0.001))


def test_a_cancelled_conversation_leaves_what_was_lived() -> None:
    class Stuck:
        async def act(self, history: Any, brief: Any) -> AgentTurn:
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

    async def cancelled() -> list[Turn]:
        lived: list[Turn] = []
        task = asyncio.create_task(play_async(Case(id="three", gold=THREE, protocol="next"), lived, Stuck()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return lived

    assert asyncio.run(cancelled()) == [U(text="?")]


class TestGround:
    """Recorded values and errors stay; what the acts do to the world is learned by doing them."""

    SETTING = Setting(
        name="assistant",
        arguments={"user": "mreyes", "now": "2025-03-10 09:00:00", "logged_in": True, "session_token": "98a5"},
    )
    GOLD = Dialogue(
        id="g",
        world=SETTING,
        turns=(
            A(text="Hello."),
            U(text="Wake me at six."),
            A(acts=(call("AddAlarm", time="06:00:00"),), results=(Result(value={"alarm_id": "as recorded"}),)),
            A(acts=(call("FindAlarms", end_range="06:05:00"),)),
            A(
                acts=(call("DeleteAlarm", alarm_id="nowhere"), Program(goal="1", status="drafting", code="?")),
                results=(Result(error=Fault(type="APIException", message="as recorded")), None),
            ),
            A(text="Done."),
        ),
    )

    @pytest.fixture
    def grounded(self) -> list[Turn]:
        case = Case(id="g", world=self.SETTING, protocol="recorded")
        return list(ground(self.GOLD, make_world(case)).turns)

    def test_a_recorded_value_stays_and_gets_its_changes(self, grounded: list[Turn]) -> None:
        (result,) = grounded[2].results
        assert result == Result(
            value={"alarm_id": "as recorded"},
            arguments={"time": "06:00:00", "session_token": "98a5"},
            changes={"Alarm/mreyes/5bff-dd80": {"alarm_id": "5bff-dd80", "time": "06:00:00"}},
            created=("Alarm/mreyes/5bff-dd80",),
        )

    def test_a_missing_result_is_the_executed_one(self, grounded: list[Turn]) -> None:
        (result,) = grounded[3].results
        assert result.value == {"alarms": [{"alarm_id": "5bff-dd80", "time": "06:00:00"}]}
        assert result.changes == {}

    def test_a_recorded_error_stays_and_drafts_have_no_result(self, grounded: list[Turn]) -> None:
        result, nothing = grounded[4].results
        assert result.error == Fault(type="APIException", message="as recorded")
        assert nothing is None

    def test_everything_else_is_untouched(self, grounded: list[Turn]) -> None:
        assert [grounded[i] for i in (0, 1, 5)] == [self.GOLD.turns[i] for i in (0, 1, 5)]

    def test_once_is_enough(self, grounded: list[Turn]) -> None:
        case = Case(id="g", world=self.SETTING, protocol="recorded")
        again = ground(self.GOLD.replace(turns=tuple(grounded)), make_world(case))
        assert list(again.turns) == grounded


@pytest.mark.parametrize("depth", [90, 101, 250, 5000])
def test_a_result_that_no_file_gives_back_is_an_error(depth: int) -> None:
    deep: list[Any] = []
    for _ in range(depth - 1):
        deep = [deep]

    class Deep:
        def do(self, act: Act) -> Result:
            return Result(value=1).replace(value=deep)

    result = execute(Deep(), Call(api="X"))  # type: ignore[arg-type]
    kinds = {90: None, 5000: "wrong type"}
    assert (result.error and result.error.type) == kinds.get(depth, "too deep")
