"""`toologue plan` and `toologue show`, as they are typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from plan_samples import TRAVEL

from toologue import cli
from toologue.bench.tooltalk import load
from toologue.schema import Scenario
from toologue.schema.jsonl import read, write


def status(arguments: list[str]) -> int:
    """The exit status of a command, run here. The module `toologue.cli.list`, once loaded, hides the builtin there."""
    return cli.status(arguments)


def test_a_whole_command_in_a_process_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "toologue", "plan", "scenarios", "-o", "s.jsonl", "--count", "30"]
    environment = {**os.environ, "COLUMNS": "160"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "420" in done.stdout
    made = list(read(tmp_path / "s.jsonl", Scenario))
    assert (len(made), len({one.required for one in made})) == (30, 28)


def test_scenarios_of_other_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "apis.jsonl", TRAVEL)
    arguments = ["plan", "scenarios", str(tmp_path / "apis.jsonl"), "-o", str(tmp_path / "s.jsonl"), "--seed", "4"]
    assert status(arguments) == 0
    first = (tmp_path / "s.jsonl").read_bytes()
    assert status(arguments) == 0
    assert (tmp_path / "s.jsonl").read_bytes() == first
    assert "BookHotel" in capsys.readouterr().out


MODEL = """
from toologue.models.model import ModelFault, ScriptedModel
GOOD = "They look ahead (QueryCalendar) and move it (ModifyEvent), read (SearchMessages), write (SendMessage), " \\
       "go through what rings in the morning (FindAlarms) and drop one of those, as it is far too early (DeleteAlarm)."
good = ScriptedModel(lambda asked: GOOD)
silent = ScriptedModel(lambda asked: ModelFault("unauthorized", "no key was given"))
empty = ScriptedModel(lambda asked: "I would rather not.")
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of scripted models that can be named on the command line."""
    name = f"models_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_scenarios_by_a_model(models: str, tmp_path: Path) -> None:
    assert status(["plan", "scenarios", "-o", str(tmp_path / "s.jsonl"), "--model", f"{models}:good"]) == 0
    (one,) = read(tmp_path / "s.jsonl", Scenario)
    assert one.origin["writer"] == "scripted"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scenarios", "-o", "{}/s", "--model", "{models}:silent"], "does not answer: no key was given"),
        (["scenarios", "-o", "{}/s", "--model", "{models}:empty"], "no scenario was left of 0 proposed"),
        (["scenarios", "-o", "{}/s", "--model", "opnai:x"], "cannot load 'opnai:x'"),
        (["scenarios", "-o", "{}/s", "--count", "0"], "--count 0: give 1 or more"),
        (["scenarios", "-o", "{}/s", "--concurrency", "0"], "--concurrency 0: give 1 or more"),
        (["scenarios", "{}/none.jsonl", "-o", "{}/s"], "cannot read"),
        (["scenarios", "{}/two.jsonl", "-o", "{}/s"], "three plugins, and there are 1"),
        (["scenarios", "{}/dialogues.jsonl", "-o", "{}/s"], "expected 'api/1'"),
        (["lint"], "name a file, or give a query"),
        (["lint", "{}/none.yaml"], "cannot read"),
        (["lint", "{}/none.txt"], "there is no file"),
        (["lint", "{}"], "holds no conversation"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_says_what_to_do_and_exits_with_2(
    arguments: list[str], message: str, models: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "two.jsonl", TRAVEL[:2])
    write(tmp_path / "dialogues.jsonl", load()[:1])
    typed = [argument.replace("{}", str(tmp_path)).replace("{models}", models) for argument in arguments]
    assert status(["plan", *typed]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "s").exists()


def test_lint_is_a_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "good.jsonl", load()[:3])
    (tmp_path / "queries.txt").write_text("wake me at six\n\nBegin!!!\n")
    assert status(["plan", "lint", str(tmp_path / "good.jsonl"), "is it dry today?"]) == 0
    assert "0 of 4 look unrealistic" in capsys.readouterr().out
    found = tmp_path / "found.json"
    assert status(["plan", "lint", str(tmp_path / "queries.txt"), "--json", str(found)]) == 1
    assert "1 of 2 look unrealistic" in capsys.readouterr().out
    assert [(row["where"], row["rule"]) for row in json.loads(found.read_text())] == [
        ("queries.txt:3", "machine phrasing")
    ]
