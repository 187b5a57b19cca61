"""Databases of the assistant: a folder of JSON files in, the same out, and errors that say where."""

from __future__ import annotations

import json
import shutil

import pytest

from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName
from toologue.schema import AgentTurn, Call, Case, Dialogue, Fault, Result, Setting, UserTurn
from toologue.worlds.assistant import Assistant
from toologue.worlds.assistant.desk import STARTER, data_key, load
from toologue.worlds.recorded import Recorded
from toologue.worlds.world import kind_of, make_world

NOW = "2025-03-10 09:00:00"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(STARTER, tmp_path / "databases")


def test_databases_go_out_as_they_came_in():
    for name, rows in Assistant(now=NOW).databases().items():
        assert rows == json.loads((STARTER / f"{name}.json").read_bytes())


def test_sessions_and_codes_are_written_into_the_accounts():
    world = Assistant(user="mreyes", now=NOW, logged_in=True)
    world.do(Call(api="SendVerificationCode", arguments={"username": "tdesai", "email": "t.desai@strathwell.example"}))
    accounts = world.databases()["Account"]
    assert accounts["mreyes"]["session_token"] == world.session_token
    assert accounts["tdesai"]["session_token"] is None
    assert accounts["tdesai"]["verification_code"] == "984520"
    assert "verification_code" not in accounts["mreyes"]


def test_a_folder_of_ones_own(folder):
    (folder / "Alarm.json").write_text(json.dumps({"mreyes": {"a": {"alarm_id": "a", "time": "01:00:00"}}}))
    for name in ("Calendar", "Email", "Message", "Reminder", "Weather", "HistoricWeather"):
        (folder / f"{name}.json").unlink()  # only accounts must be there
    world = Assistant(str(folder), user="mreyes", now=NOW, logged_in=True)
    assert world.do(Call(api="FindAlarms")).value == {"alarms": [{"alarm_id": "a", "time": "01:00:00"}]}
    assert world.do(Call(api="GetReminders")).value == {"reminders": []}


def test_a_session_token_in_a_file_is_nobodys_session(folder):
    accounts = json.loads((folder / "Account.json").read_bytes())
    accounts["mreyes"]["session_token"] = "left over"
    (folder / "Account.json").write_text(json.dumps(accounts))
    world = Assistant(str(folder), now=NOW)
    assert world.session_token is None
    assert world.databases()["Account"]["mreyes"]["session_token"] is None


def test_the_key_of_the_data_is_that_of_its_content(folder):
    assert data_key(str(folder)) == data_key("starter")
    other = shutil.copytree(folder, folder.parent / "other")
    (other / "Alarm.json").write_text("{}")
    assert data_key(str(other)) != data_key("starter")


def test_a_missing_folder(tmp_path):
    with pytest.raises(BadFile, match=r"nowhere is not a folder of databases \(Account\.json, Alarm\.json, …\)"):
        load(str(tmp_path / "nowhere"))


def test_a_folder_without_accounts(tmp_path):
    with pytest.raises(BadFile, match=r"cannot read .*Account\.json: No such file"):
        load(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("Account", '{"a": {},\n 7}', r"Account\.json:2: \$: Expecting property name .*\(one JSON object a file\)"),
        ("Account", "[]", r"Account\.json: \$: expected an object, got \[\]"),
        ("Account", '{"ann": 7}', r"Account\.json: \$\.ann: expected an object, got 7"),
        ("Alarm", "", r"Alarm\.json:1: \$: Expecting value"),
        ("Alarm", '{"ann": ["a"]}', r"Alarm\.json: \$\.ann: expected an object, got \['a'\]"),
        ("Alarm", '{"ann": {"a1": "07:00:00"}}', r"Alarm\.json: \$\.ann\.a1: expected an object, got '07:00:00'"),
        ("Alarm", b"\xff{}", r"Alarm\.json: \$: .*can't decode"),
    ],
)
def test_files_of_another_shape_say_where(folder, name, content, message):
    (folder / f"{name}.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadRecord, match=message):
        load(str(folder))


# kinds of worlds --------------------------------------------------------------------------------------------------


def case(name, gold=None, **arguments):
    return Case(id="d", gold=gold, world=Setting(name=name, arguments=arguments), protocol="forced")


def test_a_world_is_made_by_name():
    world = make_world(case("assistant", now=NOW, user="mreyes", logged_in=True))
    assert world.do(Call(api="GetAccountInformation")).value["user"]["name"] == "Marisol Reyes"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({}, "missing 1 required keyword-only argument: 'now'"),
        ({"now": NOW, "mood": "good"}, "unexpected keyword argument 'mood'"),
        ({"now": "today"}, "time data 'today' does not match format"),
        ({"now": 7}, "must be str, not int"),
    ],
)
def test_a_world_with_wrong_arguments_names_its_dialogue(arguments, what):
    with pytest.raises(BadSetting, match=f"dialogue 'd': the world 'assistant' cannot be made: .*{what}"):
        make_world(case("assistant", **arguments))


def test_a_world_that_nobody_knows():
    with pytest.raises(UnknownName, match="no world is called 'asistant'; did you mean 'assistant'"):
        make_world(case("asistant"))


def test_no_world_does_nothing():
    world = make_world(case("none"))
    assert world.do(Call(api="A")).error.type == "no world"
    assert world.rewind(world.mark()) is None
    assert kind_of("none").apis == ()


def test_the_recorded_world_answers_from_the_dialogue():
    acts = tuple(Call(api="Find", arguments={"n": n}) for n in (1, 2, 1))
    results = (Result(value="one"), Result(error=Fault(type="t", message="m")), Result(value="one again"))
    gold = Dialogue(id="d", turns=(AgentTurn(acts=acts[:1], results=results[:1]), UserTurn(), AgentTurn()))
    gold = gold.replace(turns=(*gold.turns, AgentTurn(acts=acts[1:], results=results[1:])))
    world = make_world(case("recorded", gold))
    again = Call(api="Find", arguments={"n": 1.0}, raw="whatever was written")
    assert [world.do(again).value for _ in range(3)] == ["one", "one again", "one again"]
    assert world.do(acts[1]) == results[1]
    assert world.do(Call(api="Find")).error.type == "unrecorded"


def test_the_recorded_world_needs_a_record():
    with pytest.raises(BadSetting, match="answers from a gold dialogue, and there is none"):
        make_world(case("recorded"))
    assert Recorded.apis == ()
