"""tau2-bench: `toologue import tau2`, the world `tau2`, the customer `scenario`. On a small checkout of ours.

With TOOLOGUE_TAU2=DIR in the environment, on that checkout, too: minutes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.command import toologue
from tests.worlds.tau2_sample import TOOLS, checkout, task
from toologue.errors import BadFile, BadSetting, Unfinished, UnknownName
from toologue.loop import play_async
from toologue.models.model import ModelFault, ScriptedModel
from toologue.project.tau2 import import_tau2
from toologue.schema import AgentTurn, Api, Brief, Call, Case, Dialogue, Setting, Turn, UserTurn
from toologue.schema.jsonl import read
from toologue.users import speaker
from toologue.users.scenario import ScenarioUser
from toologue.worlds.contract import check_world
from toologue.worlds.tau2 import Tau2, Tools
from toologue.worlds.world import kind_at, make_world

REAL = os.environ.get("TOOLOGUE_TAU2", "")
SETTING = Setting(name="tau2", arguments={"domain": "kennel"})
BOOK = Call(api="book_walk", arguments={"dog": "D1", "day": "Friday"})


@pytest.fixture
def kennel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout, named by the environment."""
    monkeypatch.setenv("TOOLOGUE_TAU2", str(tmp_path / "tau2"))
    return checkout(tmp_path / "tau2")


def test_tasks_become_conversations_with_gold_that_was_executed(kennel: Path, tmp_path: Path) -> None:
    done = toologue("import", "tau2", kennel, "--domain", "kennel", "-o", "OUT", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 of 3" in done.stdout
    assert "rewarded by DB" in done.stdout
    booked, failed, idle = read(tmp_path / "OUT" / "dialogues.jsonl", Dialogue)
    assert booked.instructions.startswith("# Kennel")
    assert booked.world == SETTING
    assert "You want a walk for D1." in str(booked.extra["scenario"])
    found, walk = (turn.results[0] for turn in booked.turns if turn.role == "agent")
    assert found
    assert found.value == {"name": "Ada", "walks": []}
    assert not found.changes
    assert walk
    assert walk.changes == {"dogs/D1": {"name": "Ada", "walks": ["Friday"]}}
    assert not walk.created
    fault = failed.turns[1].results[0].error if failed.turns[1].role == "agent" and failed.turns[1].results[0] else None
    assert fault
    assert (fault.type, fault.message) == ("ValueError", "no dog D9")
    assert len(idle.turns) == 1
    writes = {api.name: api.writes for api in read(tmp_path / "OUT" / "apis.jsonl", Api)}
    assert writes == {"bite": True, "book_walk": True, "find_dog": False}


def test_gold_passes_when_it_is_played(kennel: Path, tmp_path: Path) -> None:
    import_tau2(kennel, "kennel", tmp_path / "OUT")
    run = toologue("run", "OUT/dialogues.jsonl", "--agent", "gold", "--protocol", "recorded", "-o", "RUN", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "100.0 %" in toologue("score", "RUN", cwd=tmp_path).stdout.partition("outcome")[2]


def test_gold_that_leaves_another_database_is_named(tmp_path: Path) -> None:
    """A tool says that it writes nothing, and does."""
    lying = checkout(
        tmp_path / "tau2", tools=TOOLS.replace('@is_tool(True, "dog", "day")', '@is_tool(False, "dog", "day")')
    )
    done = toologue("import", "tau2", lying, "--domain", "kennel", "-o", "OUT", cwd=tmp_path)
    assert done.returncode == 1
    assert "2 of 3" in done.stdout
    assert "another database: kennel-0" in done.stdout


def test_it_keeps_the_laws_of_worlds(kennel: Path) -> None:
    tools = Tools(kennel, "kennel")
    acts = [Call(api="find_dog", arguments={"dog": "D1"}), BOOK, BOOK, Call(api="find_dog", arguments={"dog": "D9"})]
    check_world(lambda: Tau2(tools), acts)


def test_a_task_begins_with_its_initial_state(kennel: Path, tmp_path: Path) -> None:
    begun: dict[str, Any] = {
        "initialization_data": {"agent_data": {"dogs": {"D7": {"name": "Cy", "walks": []}}}},
        "initialization_actions": [{"func_name": "book_walk", "arguments": {"dog": "D7", "day": "Sunday"}}],
        "message_history": [{"role": "user", "content": "Hello"}],
    }
    checkout(kennel, [task("7", ("find_dog", {"dog": "D7"}), initial_state=begun)])
    made = import_tau2(kennel, "kennel", tmp_path / "OUT")
    (found,) = made.calls
    assert found.result.value == {"name": "Cy", "walks": ["Sunday"]}
    assert not made.unlike
    assert made.ungraded["message_history"] == 1


def test_a_tool_that_ends_its_process_fails_its_call_and_no_other_conversation(kennel: Path) -> None:
    world, case = Tau2(Tools(kennel, "kennel")), Case(id="later", world=SETTING, protocol="live")
    error = world.do(Call(api="bite", arguments={"dog": "D1"})).error
    assert error
    assert (error.type, error.message) == ("exited", "its process ended with status 3")
    assert make_world(case).do(Call(api="bite", arguments={"dog": "D1"})).error
    assert make_world(case).do(BOOK).value == "booked"


def test_it_is_a_world_for_procedures(kennel: Path) -> None:
    kind = kind_at(SETTING)
    assert kind.rows()["dogs"]["D2"]["name"] == "Bo"
    before = kind.data_key(SETTING)
    (kennel / "data" / "tau2" / "domains" / "kennel" / "db.json").write_text('{"dogs": {}}')
    assert kind.data_key(SETTING) != before


def test_what_cannot_be_imported_says_why(kennel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match="did you mean 'kennel'"):
        import_tau2(kennel, "kennels", tmp_path / "OUT")
    with pytest.raises(BadFile, match="is no checkout of tau2-bench"):
        import_tau2(tmp_path, "kennel", tmp_path / "OUT")
    with pytest.raises(BadSetting, match="--python /no/such: No such file"):
        import_tau2(kennel, "kennel", tmp_path / "OUT", python="/no/such")
    checkout(kennel, [task("0", ("find_cat", {}))])
    with pytest.raises(UnknownName, match="tool of tau2's kennel"):
        import_tau2(kennel, "kennel", tmp_path / "OUT")
    checkout(kennel, tools="import tau2.nothing")
    with pytest.raises(BadSetting, match="cannot be loaded: ModuleNotFoundError"):
        import_tau2(kennel, "kennel", tmp_path / "OUT")
    (kennel / "src" / "tau2" / "domains" / "kennel" / "user_tools.py").touch()
    (kennel / "data" / "tau2" / "domains" / "kennel" / "db.json").unlink()
    with pytest.raises(BadSetting, match="its customers act by tools of their own"):
        import_tau2(kennel, "kennel", tmp_path / "OUT")
    monkeypatch.delenv("TOOLOGUE_TAU2")
    with pytest.raises(BadSetting, match="export TOOLOGUE_TAU2=DIR"):
        make_world(Case(id="nowhere", world=SETTING, protocol="live"))
    assert not (tmp_path / "OUT").exists()


def test_tasks_in_which_the_customer_acts_are_left_out(kennel: Path, tmp_path: Path) -> None:
    theirs = task("8", ("find_dog", {"dog": "D1"}))
    theirs["evaluation_criteria"]["actions"][0]["requestor"] = "user"
    begun: dict[str, Any] = {"initialization_actions": [{"env_type": "user", "func_name": "bark", "arguments": {}}]}
    checkout(kennel, [task("7"), theirs, task("9", initial_state=begun)])
    done = toologue("import", "tau2", kennel, "--domain", "kennel", "-o", "OUT", cwd=tmp_path)
    assert "1 of 1" in done.stdout
    assert "left out: kennel-8: the customer calls find_dog" in done.stdout
    assert "left out: kennel-9: it begins with what the customer has" in done.stdout
    checkout(kennel, [theirs])
    with pytest.raises(BadSetting, match="no task of tau2's kennel can be imported: kennel-8"):
        import_tau2(kennel, "kennel", tmp_path / "NONE")


class Clerk:
    """Books a walk for whoever asks."""

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        booked = any(turn.role == "agent" and turn.acts for turn in history)
        return AgentTurn(text="It is booked for Friday.") if booked else AgentTurn(acts=(BOOK,))


def test_a_model_plays_the_customer_of_a_task(kennel: Path, tmp_path: Path) -> None:
    gold = import_tau2(kennel, "kennel", tmp_path / "OUT").dialogues[0]
    model = ScriptedModel(["Could D1 have a walk on Friday?", "Thank you! [END]"])
    user, lived = ScenarioUser(model, str(gold.extra["scenario"]), 0), list[Turn]()
    case = Case(id=gold.id, gold=gold, world=gold.world, protocol="live")
    assert asyncio.run(play_async(case, lived, Clerk(), make_world(case), user)) == "user"
    assert [turn.text for turn in lived if turn.role == "user"] == ["Could D1 have a walk on Friday?", "Thank you!"]
    told, *_, heard = model.asked[1].messages
    assert "You want a walk for D1." in str(told["content"])
    assert heard == {"role": "user", "content": "It is booked for Friday."}


def test_a_customer_without_a_model_a_scenario_or_a_reply_says_so() -> None:
    bare = Case(id="bare", gold=Dialogue(id="bare", turns=(UserTurn(text="Hi"),)), protocol="live")
    with pytest.raises(BadSetting, match="scenario:openai:NAME"):
        speaker("scenario")(bare)  # type: ignore[misc]
    with pytest.raises(BadSetting, match="tells its customer nothing"):
        speaker("scenario:openai:any?base_url=http://127.0.0.1:9/v1")(bare)  # type: ignore[misc]
    mute = ScenarioUser(ScriptedModel([ModelFault("server_error", "later")]), "You want a walk.", 0)
    with pytest.raises(Unfinished, match="the customer's model gave no reply"):
        asyncio.run(mute.say(()))


@pytest.mark.skipif(not REAL, reason="TOOLOGUE_TAU2 names no checkout of tau2-bench: its tools were NOT compared")
@pytest.mark.parametrize(("domain", "tasks"), [("retail", 114), ("airline", 50), ("mock", 9)])
def test_all_gold_of_tau2_leaves_its_database(domain: str, tasks: int, tmp_path: Path) -> None:
    made = import_tau2(Path(REAL), domain, tmp_path / domain, python=os.environ.get("TOOLOGUE_TAU2_PYTHON", "python"))
    assert (len(made.dialogues), made.unlike) == (tasks, ())
