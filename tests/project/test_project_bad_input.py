"""What is wrong with a project is said with its place and what to do; what is wrong with an agent is a wrong step."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from project_samples import PROCEDURE, SETTINGS, checked, project

from toologue.agents.callable import LONGEST, Called, turn_of
from toologue.cli import status
from toologue.project.evaluate import Checked
from toologue.schema import AgentTurn, Api, Brief, UserTurn

SETTINGS_ERRORS = {
    "apis = 'apis.yaml": "toologue.toml: this is no TOML: ",
    "": "toologue.toml: apis: this key is missing",
    'apis = "other.yaml"': "toologue.toml: apis: there is no file",
    'apis = "apis.yaml"\nseed = "other.yaml"': "toologue.toml: seed: there is no file",
    'apis = "apis.yaml"\nseed = 2': "seed: expected a text, got 2; the seed of [conversations] stands below",
    'apis = "apis.yaml"\n[conversations]\nseed = "rows.yaml"': "; the seed that stands above all tables is another one",
    'apis = "apis.yaml"\nproceedures = "p"': "proceedures: no key is called so; did you mean 'procedures'?",
    'apis = "apis.yaml"\nprocedures = "p"': "procedures: no procedure is there: put *.md files into",
    'apis = "apis.yaml"\nagents = []': "toologue.toml: agents: ",
    'apis = "apis.yaml"\n[conversations]\ncount = -1': "conversations.count: ",
    'apis = "apis.yaml"\n[conversations]\nnoise = 7': "conversations.noise: ",
    'apis = "apis.yaml"\n[conversations]\nsampler = "all"': "conversations.sampler: expected 'cover', 'weighted' or",
    'apis = "apis.yaml"\n[run]\ntimeout = 0': "run.timeout: ",
    'apis = "apis.yaml"\n[run]\ntimeout = "soon"': "run.timeout: ",
    SETTINGS + "[grade]\nsimilarity = 'lexcal'": "no similarity is called 'lexcal'; did you mean 'lexical'?",
    SETTINGS + "[gate]\nmetric = 'reply recal'": "no metric is called 'reply recal'; did you mean 'reply recall'?",
    SETTINGS.replace("agent.py:agent", "agents.py:agent"): "agents: 'agents.py:agent': there is no file",
    SETTINGS.replace("agent.py:agent", "agent.py:agnet"): "no function in",
    SETTINGS.replace('"agent.py:agent"', '"gold?name=one", "silent?name=one"'): "two agents are called 'one'",
    SETTINGS.replace("agent.py:agent", "glod"): "no agent is called 'glod'; did you mean 'gold'?",
}


@pytest.mark.parametrize(("settings", "says"), SETTINGS_ERRORS.items(), ids=lambda text: text[-30:])
def test_settings(settings: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["test", str(project(tmp_path, settings=settings))]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert "Traceback" not in said


def test_a_folder_that_is_no_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["test", str(tmp_path)]) == 2
    assert f"it has no toologue.toml; `toologue init {tmp_path}` makes one" in capsys.readouterr().err


def test_a_gate_that_is_no_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["test", str(project(tmp_path)), "--fail-under", "90"]) == 2
    assert "--fail-under is 90.0: a share from 0 to 1 is wanted" in capsys.readouterr().err


def test_all_that_is_wrong_with_procedures_is_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = PROCEDURE.replace("go to 4", "go to 9")
    folder = project(tmp_path, one=wrong, two=PROCEDURE.replace("get_locker", "get_lokcer"))
    assert status(["test", str(folder)]) == 2
    said = capsys.readouterr().err
    assert "one.md" in said
    assert "goes to 9, and there is no such step" in said
    assert "two.md" in said
    assert "get_lokcer" in said


def test_two_procedures_with_one_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twin = PROCEDURE.replace("---\nissue", "---\nid: locker\nissue", 1)
    assert status(["test", str(project(tmp_path, other=twin))]) == 2
    assert "its id 'locker' is that of locker.md, too" in capsys.readouterr().err


def test_a_procedure_that_nobody_can_follow_to_the_letter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vague = PROCEDURE.replace("comes to open {locker_id}.", "comes to open {locker_id} where applicable.")
    assert status(["test", str(project(tmp_path, locker=vague)), "--agent", "gold"]) == 0
    assert "locker.md:14: unresolved conditional" in capsys.readouterr().out


AGENTS = {
    "def agent(history, tools):\n    return 1 / 0\n": ("ZeroDivisionError", "division by zero (agent.py, line 2)"),
    "def agent(history, tools):\n    return 7\n": ("wrong type", "the agent returned 7: return words, a call"),
    "def agent(history, tools):\n    return None\n": ("wrong type", "the agent returned None"),
    "def agent(history, tools):\n    return []\n": ("wrong type", "the agent returned []"),
    "def agent(history, tools):\n    return {'nmae': 'get_locker'}\n": ("wrong type", "{'nmae': 'get_locker'}"),
    "def agent(history, tools):\n    return {'name': 'x', 'arguments': 7}\n": ("wrong type", "the arguments of x"),
    "def agent(history, tools):\n    return 'x' * (1 << 20)\n": ("too long", "an answer of 1,048,576 characters"),
    "def agent(history, tools):\n    raise SystemExit(3)\n": ("SystemExit", "3 (agent.py, line 2)"),
    "async def agent(history, tools):\n    raise KeyError('x')\n": ("KeyError", "'x' (agent.py, line 2)"),
    "def agent(history, tools):\n    raise StopIteration\n": ("StopIteration", "(agent.py, line 2)"),
}


@pytest.mark.parametrize(("code", "fault"), AGENTS.items(), ids=[fault[0] for fault in AGENTS.values()])
def test_what_an_agent_does_wrong_is_a_wrong_step(code: str, fault: tuple[str, str], tmp_path: Path) -> None:
    found = checked(project(tmp_path, agent=code))
    faults = faults_of(found)
    assert faults
    for kind, message in faults:
        assert kind == fault[0]
        assert fault[1] in message
        assert len(message) < 1000
    assert found.gate.total.value == 0, "every conversation was played to its end, and graded"


@pytest.mark.slow
def test_one_that_hangs_is_cut_off(tmp_path: Path) -> None:
    hangs = "import threading\n\n\ndef agent(history, tools):\n    threading.Event().wait(60)\n"
    short = SETTINGS.replace("timeout = 20", "timeout = 0.1\nconcurrency = 50")
    found = checked(project(tmp_path, agent=hangs, settings=short))
    assert {conversation.trace.stop for conversation in found.trials[0].conversations} == {"timeout"}
    assert found.trials[0].passed == 0


LOADING = {
    "import nothing_of_this_name\n": "ModuleNotFoundError: No module named 'nothing_of_this_name' (agent.py, line 1)",
    "def agent(history, tools:\n": "SyntaxError: ",
    "agent = 7\n": "agent cannot be called as agent(history, tools)",
    "def agent(case):\n    pass\n": "agent cannot be called as agent(history, tools): too many positional arguments",
    "def agnet(history, tools):\n    pass\n": "did you mean 'agnet'?",
}


@pytest.mark.parametrize(("code", "says"), LOADING.items(), ids=list(LOADING.values()))
def test_one_that_cannot_be_loaded(code: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["test", str(project(tmp_path, agent=code))]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert "Traceback" not in said


def faults_of(found: Checked) -> list[tuple[str, str]]:
    turns = (turn for conversation in found.trials[0].conversations for turn in conversation.trace.turns)
    return [(turn.error.type, turn.error.message) for turn in turns if turn.role == "agent" and turn.error]


class TestAnswers:
    """Each form of an answer, and the turn that it is."""

    CALL: dict[str, Any] = {"name": "get_locker", "arguments": {"locker_id": "L-11"}}  # noqa: RUF012
    THEIRS: dict[str, Any] = {  # noqa: RUF012
        "id": "x",
        "type": "function",
        "function": {"name": "get_locker", "arguments": '{"locker_id": "L-11"}'},
    }

    def test_calls(self) -> None:
        message = {"role": "assistant", "content": None, "tool_calls": [self.THEIRS]}
        whole = {"choices": [{"message": message}]}
        for answer in (self.CALL, [self.CALL], (self.CALL,), self.THEIRS, [self.THEIRS], message, whole):
            (act,) = turn_of(answer).acts
            assert act.kind == "call"
            assert (act.api, act.arguments) == ("get_locker", {"locker_id": "L-11"})

    def test_words(self) -> None:
        assert turn_of("Hello").text == "Hello"
        assert turn_of({"role": "assistant", "content": "Hello", "tool_calls": None}).text == "Hello"
        assert turn_of(AgentTurn(text="Hello")).text == "Hello"

    def test_arguments_that_are_no_json_stay_as_they_were_written(self) -> None:
        (act,) = turn_of({"function": {"name": "f", "arguments": "{locker"}}).acts
        assert act.kind == "call"
        assert (act.arguments, act.raw) == (None, "{locker")

    @given(
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(),
            lambda some: (
                st.lists(some)
                | st.dictionaries(
                    st.sampled_from(["name", "arguments", "role", "content", "tool_calls", "function", "choices"]), some
                )
            ),
        )
    )
    def test_whatever_comes_is_a_turn(self, answer: Any) -> None:
        assert isinstance(turn_of(answer), AgentTurn)

    @given(st.integers(LONGEST + 1, LONGEST + 9))
    def test_too_much_is_refused_in_words_and_calls(self, size: int) -> None:
        for answer in ("x" * size, {"name": "f", "arguments": {"x": "x" * size}}):
            fault = turn_of(answer).error
            assert fault is not None
            assert fault.type == "too long"

    def test_an_agent_sees_messages_and_tools(self) -> None:
        seen: list[Any] = []

        def agent(history: Any, tools: Any) -> str:
            seen.append((history, tools))
            return "Hello"

        brief = Brief(instructions="Be kind.", facts={"now": "noon"}, apis=(Api(name="get_locker"),))
        turn = asyncio.run(Called(agent).act((UserTurn(text="Hi"),), brief))
        ((history, tools),) = seen
        assert turn.text == "Hello"
        assert [message["role"] for message in history] == ["system", "user"]
        assert "Be kind." in history[0]["content"]
        assert tools[0]["function"]["name"] == "get_locker"
