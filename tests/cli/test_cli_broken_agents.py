"""Agents that raise, and agents that never end: said first, and no conversation of theirs passes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import Done, toologue
from toologue import evaluate
from toologue.bench.tooltalk import load

AGENTS = """
def raises(messages, tools):
    raise ValueError("my client is not configured")

def sometimes(messages, tools):
    if "alarm" in str(messages[-1]["content"]):
        raise ValueError("no alarms here")
    return "Sorry."

def endless(messages, tools):
    return {"name": "QueryAlarm", "arguments": {}}
"""
RAISED = "ValueError: my client is not configured (broken.py, line 3)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "broken.py").write_text(AGENTS)
    return tmp_path


def bench(folder: Path, agent: str, *options: object) -> Done:
    files = ("--json", "out.json", "--junit", "out.xml", "--html", "out.html")
    return toologue(
        "bench", "tooltalk", "--agent", f"callable:broken.py:{agent}", "--limit", 3, *options, *files, cwd=folder
    )


def test_an_agent_that_raises_everywhere_is_said_first_and_the_command_fails(folder: Path) -> None:
    done = bench(folder, "raises")
    words = f"the agent broke in 3 of 3 conversations, which fail: {RAISED} × 3"
    assert (done.returncode, done.stdout.count(words)) == (1, 1)
    assert done.stdout.index(words) < done.stdout.index("precision")
    assert json.loads((folder / "out.json").read_text())["broken"] == words
    assert f'name="broken" value="{words}"' in (folder / "out.xml").read_text()
    assert (folder / "out.xml").read_text().count(f'<error message="The agent broke. {RAISED}"') == 3
    assert words in (folder / "out.html").read_text()


@pytest.mark.parametrize("agent", ["broken.py:sometimes", "./broken.py:sometimes"])
def test_a_file_of_the_folder_is_named_as_in_a_project(folder: Path, agent: str) -> None:
    done = toologue("bench", "tooltalk", "--agent", agent, "--limit", 1, "--out", "kept", cwd=folder)
    assert (done.returncode, agent in done.stdout) == (0, True)
    missing = toologue("bench", "tooltalk", "--agent", "other.py:agent", "--limit", 1, cwd=folder)
    assert "'other.py:agent': there is no file other.py in " in missing.stderr


def test_one_that_raises_now_and_then_is_graded(folder: Path) -> None:
    done = bench(folder, "sometimes", "--only", "a*")
    assert done.returncode == 0
    assert "the agent broke in " in done.stdout


def test_in_python_the_findings_begin_with_what_was_raised() -> None:
    def agent(messages: object, tools: object) -> str:
        raise ValueError("my client is not configured")

    report = evaluate(agent, "tooltalk", limit=2)
    assert {one.findings[0] for one in report.failed} == {
        "Round 1: the agent broke: ValueError: my client is not configured"
    }
    assert str(report).startswith("agent: the agent broke in 2 of 2 conversations")
    assert "my client is not configured" in report.record()["broken"]


def test_an_agent_that_never_speaks_is_stopped_and_fails(folder: Path) -> None:
    """It did what was expected, and went on: nobody ever heard of it."""
    gold = load()[0].id
    done = bench(folder, "endless", "--only", gold, "--cap", 4)
    why = "cap: 4 steps in one round, and no reply to the user"
    assert (done.returncode, why in done.stdout) == (1, True)
    (found,) = json.loads((folder / "out.json").read_text())["conversations"]
    assert found["status"] == "failed"
    assert "50 steps in one round" in bench(folder, "endless", "--only", gold).stdout


def test_right_calls_and_no_reply_are_no_success() -> None:
    report = evaluate(
        lambda messages, tools: {"name": "FindAlarms", "arguments": {"end_range": "06:00:00"}},
        "tooltalk",
        only=["alarms-before-six"],
    )
    assert (report["recall"].value, report["incorrect action rate"].value) == (1.0, None)
    assert (report["success"].value, "no reply to the user" in report.failed[0].findings[0]) == (0.0, True)
