"""How much a command tells, and to whom: `--quiet`, `--log-json`, lines of progress where there is no terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import toologue
from toologue.bench.tooltalk import load
from toologue.cli import terminal
from toologue.schema.jsonl import write

AGENT = """
def raises(history, tools):
    raise ValueError("no")
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with three conversations, and an agent that raises."""
    write(tmp_path / "talks.jsonl", load()[:3])
    (tmp_path / "agent.py").write_text(AGENT)
    return tmp_path


def events(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_quiet_leaves_tables_and_errors(here: Path) -> None:
    run = ("run", "talks.jsonl", "--agent", "gold", "-o", "run")
    assert toologue(*run, "--quiet", cwd=here) == (0, "", "")
    assert "3 traces in" in toologue(*run, cwd=here).stdout, "of one command alone"
    shown = toologue("report", "run", "--quiet", cwd=here)
    assert ("success" in shown.stdout, "page:" in shown.stdout) == (True, False)
    wrong = toologue("run", "talks.jsonl", "--agent", "glod", "-o", "other", "--quiet", cwd=here)
    assert (wrong.returncode, "gold" in wrong.stderr) == (2, True)


def test_a_log_has_a_line_for_every_stage_and_case(here: Path) -> None:
    command = ("run", "talks.jsonl", "--agent", "gold?name=best", "-o", "run", "--trials", 2)
    assert toologue(*command, "--log-json", "log.jsonl", cwd=here).returncode == 0
    begun, *cases, ended = events(here / "log.jsonl")
    assert (begun["event"], begun["stage"]) == ("begun", "running gold?name=best")
    ran = {(one["event"], one["id"], one["trial"], one["agent"], one["stop"], one["fault"]) for one in cases}
    ids = [gold.id for gold in load()[:3]]
    assert ran == {("case", id, trial, "best", "done", None) for id in ids for trial in (0, 1)}
    assert {*begun, *cases[0], *ended} == {
        "at", "event", "stage", "id", "agent", "trial", "seconds", "stop", "fault", "done", "of",
    }  # fmt: skip
    assert (ended["event"], ended["done"], ended["of"]) == ("ended", 6, 6)
    assert toologue(*command, "--log-json", "log.jsonl", "--quiet", cwd=here).returncode == 0
    again = events(here / "log.jsonl")[8:]
    assert [one["event"] for one in again] == ["begun", "ended"], "nothing was run again, and the log goes on"


def test_a_log_names_faults(here: Path) -> None:
    toologue(
        "run", "talks.jsonl", "--agent", "callable:agent.py:raises", "-o", "run", "--log-json", "log.jsonl", cwd=here
    )
    assert {one["fault"] for one in events(here / "log.jsonl") if one["event"] == "case"} == {"ValueError"}


def test_without_a_terminal_progress_is_a_line_now_and_then(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ("run", "talks.jsonl", "--agent", "gold", "--concurrency", 1, "-o")
    assert terminal.SECONDS == 30
    monkeypatch.setattr(terminal, "SECONDS", 1e9)
    assert toologue(*run, "first", cwd=here).stderr == ""
    monkeypatch.setattr(terminal, "SECONDS", 0.0)
    assert toologue(*run, "second", cwd=here).stderr.splitlines()[1:] == [f"running gold: {n} of 3" for n in (1, 2, 3)]
    assert toologue(*run, "third", "--quiet", cwd=here).stderr == ""


def test_quiet_commands_tell_what_was_asked_for_alone(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('[{"name": "find_user", "inputSchema": {}}]')
    read = toologue("apis", "tools.json", "-o", "apis.jsonl", "--quiet", cwd=tmp_path)
    assert ("find_user" in read.stdout, "APIs write" in read.stdout) == (True, False)
    assert "0 of 1 APIs write" in toologue("apis", "tools.json", cwd=tmp_path).stdout
    assert toologue("plan", "lint", "wake me at six", "--quiet", cwd=tmp_path).stdout == ""
    assert toologue("review", "--agreement", ".", "--quiet", cwd=tmp_path).stdout == ""
