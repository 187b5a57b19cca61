"""pytest: each conversation of a project is a test, and tests of one's own take conversations."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from project_samples import AGENT, SETTINGS, checked, project

from command import toologue
from toologue import load
from toologue.project import playable
from toologue.project.evaluate import Suite, make_suites
from toologue.project.playable import Playable

GERMAN = AGENT.replace("A colleague comes to open {said}.", "Ein Kollege kommt und öffnet {said}.")
WRONG = GERMAN.replace("{said} is open already.", "L-99 is open already.")
OPTIONS = ("-p", "toologue.pytest_plugin", "-rA")


class Done(NamedTuple):
    """How a run of pytest ended, and what it printed."""

    returncode: int
    stdout: str

    @property
    def last(self) -> str:
        """What became of the tests."""
        return self.stdout.rstrip().rpartition("\n")[2].strip("= ").partition(" in ")[0]


def pytest_of(*arguments: object, cwd: Path) -> Done:
    """pytest in this process: quick."""
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(io.StringIO()) as out,
    ):
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.setenv("COLUMNS", "160")
        patch.delenv("PYTEST_ADDOPTS", raising=False)
        status = pytest.main([*OPTIONS, "--capture=sys", *map(str, arguments)])
        return Done(int(status), out.getvalue())


def pytest_apart(*arguments: object, cwd: Path) -> Done:
    """pytest in a process of its own."""
    command = [sys.executable, "-m", "pytest", *OPTIONS, *map(str, arguments)]
    here = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "160"}
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=here)
    return Done(ran.returncode, ran.stdout)


def collected(*arguments: object, cwd: Path) -> list[str]:
    done = pytest_of("--collect-only", "-q", *arguments, cwd=cwd)
    assert done.returncode in (0, 5), done.stdout
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, and its agent: of three conversations one passes, one fails, one is unsure."""
    folder = tmp_path_factory.mktemp("wrong")
    project(folder / "lockers", agent=WRONG)
    return folder


@pytest.fixture(scope="module")
def done(wrong: Path) -> Done:
    return pytest_of("lockers", "--junitxml", "junit.xml", cwd=wrong)


class TestAProject:
    def test_each_conversation_is_a_test_with_the_verdict_of_toologue_test(self, wrong: Path, done: Done) -> None:
        assert done.returncode == 1, done.stdout
        assert done.last == "1 failed, 1 passed, 1 skipped"
        statuses = {one.gold.id: one.status for one in checked(wrong / "lockers").trials[0].conversations}
        words = {"passed": "PASSED", "failed": "FAILED"}
        for name, status in statuses.items():
            if status in words:
                assert f"{words[status]} lockers/toologue.toml::{name}[agent.py:agent]" in done.stdout
        assert sorted(statuses.values()) == ["failed", "passed", "unsure"]

    def test_a_failure_says_what_was_expected_and_said_and_where(self, done: Done) -> None:
        assert "lockers/procedures/locker.md:12, step 3: wrong information\n    reply: expected " in done.stdout
        assert 'got "L-99 is open already."' in done.stdout
        assert "Captured conversation call" in done.stdout
        assert "wrong  agent:      L-99 is open already.\n         expected: " in done.stdout

    def test_what_is_unsure_is_skipped_at_its_place(self, done: Done) -> None:
        assert "SKIPPED [1] lockers/procedures/locker.md:14: lockers/procedures/locker.md:14, step 5: unsure" in (
            done.stdout
        )
        assert "(in another language)" in done.stdout

    def test_agents_and_conversations_are_chosen(self, wrong: Path) -> None:
        both = collected("--toologue-agent", "gold", "--toologue-agent", "procedure", cwd=wrong)
        names = [one.id for one in load(wrong / "lockers")]
        assert both == [f"lockers/toologue.toml::{name}[{agent}]" for agent in ("gold", "procedure") for name in names]
        assert len(collected("-k", f"{names[1]} and gold", "--toologue-agent", "gold", cwd=wrong)) == 1
        assert len(collected(f"lockers/toologue.toml::{names[2]}", cwd=wrong)) == 1
        assert collected("-m", "not toologue", cwd=wrong) == []
        (wrong / "pytest.ini").write_text("[pytest]\ntoologue_agent = gold\n")
        done = pytest_of("-k", f"{names[1]} or {names[2]}", cwd=wrong)
        (wrong / "pytest.ini").unlink()
        assert (done.returncode, done.last) == (0, "2 passed, 1 deselected")

    def test_what_failed_last_is_run_alone(self, wrong: Path) -> None:
        assert pytest_of(cwd=wrong).last == "1 failed, 1 passed, 1 skipped"
        assert pytest_of("--lf", cwd=wrong).last == "1 failed"

    def test_who_gives_no_reply_is_an_error_and_no_failure(self, wrong: Path) -> None:
        quota = "from toologue.schema import AgentTurn, Fault\n"
        quota += "def agent(history, tools):\n    return AgentTurn(error=Fault(type='quota_exceeded', message='no'))\n"
        (wrong / "lockers" / "quota.py").write_text(quota)
        done = pytest_of("--toologue-agent", "quota.py:agent", cwd=wrong)
        assert (done.returncode, done.last) == (1, "3 errors")
        assert "Failed: not scored: the model gave no reply: quota_exceeded" in done.stdout

    @pytest.mark.parametrize(
        ("agent", "said"),
        [("gould", "no agent is called 'gould'; did you mean 'gold'?"), ("none.py:agent", "there is no file none.py")],
    )
    def test_an_agent_that_is_not_there(self, agent: str, said: str, wrong: Path) -> None:
        done = pytest_of("--toologue-agent", agent, cwd=wrong)
        assert (done.returncode, done.last) == (1, "3 errors")
        assert said in done.stdout
        assert "Traceback" not in done.stdout

    def test_settings_that_are_wrong_are_told_once(self, tmp_path: Path) -> None:
        project(tmp_path, settings=SETTINGS + "[gate]\nfail_under = 0.9\nmetric = 'wrong write'\n")
        done = pytest_of(cwd=tmp_path)
        assert done.returncode == 2
        assert "toologue.toml: gate.metric: 'wrong write' is better the lower it is" in done.stdout
        assert "Traceback" not in done.stdout

    def test_a_project_without_conversations_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(playable, "make_suites", lambda *given, **more: [])
        done = pytest_of(cwd=project(tmp_path))
        assert done.returncode == 2
        assert "no conversation could be made; `toologue test " in done.stdout

    def test_what_people_have_decided_counts(self, tmp_path: Path) -> None:
        project(tmp_path, agent=GERMAN)
        assert pytest_of(cwd=tmp_path).last == "2 passed, 1 skipped"
        toologue("test", ".", cwd=tmp_path)
        (asked,) = map(json.loads, toologue("review", ".", "--list", cwd=tmp_path).stdout.splitlines())
        (tmp_path / "answers").write_text(json.dumps({"question": asked["question"], "verdict": "right"}))
        assert toologue("review", ".", "--as", "ana", "--decide", "answers", cwd=tmp_path).returncode == 0
        assert pytest_of(cwd=tmp_path).last == "3 passed"


class TestOneByOne:
    """Where a run may stop before its end, nothing is played that is not due."""

    AGENT = """
def agent(messages, tools):
    with open("asked", "a") as asked:
        asked.write(messages[1]["content"] + "\\n")
    return "Certainly."
"""

    def asked(self, folder: Path, *arguments: str) -> int:
        """How many conversations were played."""
        (folder / "asked").unlink(missing_ok=True)
        pytest_of(*arguments, cwd=folder)
        return len(set((folder / "asked").read_text().splitlines()))

    def test_and_else_all_that_are_selected_at_once(self, tmp_path: Path) -> None:
        project(tmp_path, agent=self.AGENT)
        assert self.asked(tmp_path) == 3
        assert self.asked(tmp_path, "-k", load(tmp_path)[0].id) == 1
        assert self.asked(tmp_path, "-x") == 1
        assert self.asked(tmp_path, "--maxfail", "2") == 2


class TestWorkers:
    TWO = ("-p", "xdist.plugin", "-n", "2", "--toologue-agent", "agent.py:agent", "--toologue-agent", "gold")
    LOST = AGENT.replace("{said} is open already.", "L-99 is open already.")

    @pytest.mark.parametrize("dist", ["load", "loadscope"])
    def test_they_make_the_conversations_once_and_agree(self, dist: str, tmp_path: Path) -> None:
        project(tmp_path, agent=self.LOST)
        done = pytest_apart(*self.TWO, "--dist", dist, cwd=tmp_path)
        assert done.last == "1 failed, 5 passed", done.stdout
        assert done.returncode == 1
        assert len([*(tmp_path / ".toologue" / "conversations").iterdir()]) == 1


@pytest.mark.slow
def test_one_makes_the_conversations_and_others_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both, met = threading.Barrier(2, timeout=0.3), list[bool]()

    def making(*given: Any, **more: Any) -> list[Suite]:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait()
            met.append(True)
        return make_suites(*given, **more)

    monkeypatch.setattr(playable, "make_suites", making)
    with ThreadPoolExecutor(2) as two:
        assert [len(one.golds) for one in two.map(Playable.of, [project(tmp_path)] * 2)] == [3, 3]
    assert not met


OWN = """
import pytest

def says_nothing(messages, tools):
    return "Certainly."

class Deaf:
    async def act(self, history, brief):
        raise ValueError("I hear nothing")

@pytest.fixture
def db():
    return {}

@pytest.mark.toologue("lockers")
@pytest.mark.parametrize("agent", ["agent.py:agent", "gold"])
def test_names(conversation, db, agent):
    result = conversation.play(agent)
    assert result.passed
    assert result.scores["conversation correct"].value == 1

@pytest.mark.toologue("conversations.jsonl", protocol="next")
def test_functions(conversation):
    result = conversation.play(says_nothing)
    assert result.status == "failed" and result.findings and result.trace.turns
    assert result.passed

@pytest.mark.toologue("lockers")
def test_objects(conversation):
    assert "I hear nothing" in conversation.play(Deaf()).transcript

def test_unsaid(conversation):
    pass
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, a file of its conversations, and tests that name both."""
    folder = tmp_path_factory.mktemp("own")
    project(folder / "lockers")
    toologue("test", "lockers", cwd=folder)
    (file,) = (folder / "lockers").glob(".toologue/conversations/*/dialogues.jsonl")
    (folder / "conversations.jsonl").write_bytes(file.read_bytes())
    (folder / "test_own.py").write_text(OWN)
    return folder


class TestTestsOfOnesOwn:
    def test_they_play_conversations_with_agents_of_any_kind(self, own: Path) -> None:
        done = pytest_of("test_own.py", cwd=own)
        assert done.last == "3 failed, 9 passed, 1 error", done.stdout
        first = load(own / "lockers")[0].id
        assert f"PASSED test_own.py::test_names[{first}-gold]" in done.stdout
        assert "assert None" not in done.stdout
        assert f"<{first}: failed; Round 1" in done.stdout
        assert "Captured conversation call" in done.stdout
        assert 'say which: @pytest.mark.toologue("PROJECT or dialogues.jsonl")' in done.stdout

    def test_a_file_of_conversations_is_collected_where_it_is_named(self, own: Path) -> None:
        assert not any("conversations.jsonl" in one for one in collected("--ignore", "lockers", cwd=own))
        done = pytest_of("conversations.jsonl", "--toologue-agent", "gold", cwd=own)
        assert (done.returncode, done.last) == (0, "3 passed")
        (own / "pytest.ini").write_text("[pytest]\ntestpaths = conversations.jsonl\ntoologue_agent = gold\n")
        named = pytest_of(cwd=own)
        (own / "pytest.ini").unlink()
        assert named.last == "3 passed"
        nobody = pytest_of("conversations.jsonl", cwd=own)
        assert nobody.returncode == 2
        assert "who is tested? Give --toologue-agent AGENT" in nobody.stdout


def test_loading_the_plugin_loads_nothing_else_of_toologue() -> None:
    script = "import sys, toologue.pytest_plugin; print(*sorted(name for name in sys.modules if 'toologue' in name))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["toologue", "toologue.pytest_plugin"]
