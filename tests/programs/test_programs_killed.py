"""A benchmark that is killed, with a real SIGKILL, goes on where it was, and reports what an undisturbed one does."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("moto")

from toologue.bench.dialog2api.files import SHIPPED
from toologue.cli import status

NAMES = ("upload-note-1", "upload-note-2", "bucket-region-1", "bucket-region-2")
AGENT = '''
import os, sys

from toologue.schema import AgentTurn, Program


class Counts:
    """Answers every turn of the user with a program and then with words."""

    async def act(self, history, brief):
        if history[-1].role == "user":
            return AgentTurn(acts=(Program(goal="1", status="final", code="return len(s3.list_buckets()['Buckets'])"),))
        done = history[-1].results[-1] if history[-1].results else None
        return AgentTurn(text=f"You have {done.value if done else 'some'} buckets.")


def agent(case):
    """Notes which case begins; where it is told to stop, it says so and waits for the end."""
    started = f"{case.protocol} {case.id}"
    with open("started.log", "a") as log:
        print(started, file=log)
    if started == os.environ.get("STOP_AT"):
        print("stopped", flush=True)
        sys.stdin.read()
    return Counts()
'''


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with the agent and some dialogues."""
    data = tmp_path / "data"
    (data / "train").mkdir(parents=True)
    shutil.copy(SHIPPED / "goals.yaml", data)
    for name in NAMES:
        shutil.copy(SHIPPED / "train" / f"{name}.yaml", data / "train")
    (tmp_path / "counting.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(out: str) -> list[str]:
    told = f"bench dialog2api --data data --agent counting:agent --concurrency 1 --out {out} --json {out}.json"
    return [sys.executable, "-m", "toologue", *told.split(), "--html", f"{out}.html"]


def killed_at(case: str, out: str) -> None:
    """Run the command until a case begins, and end it for good."""
    environment = {**os.environ, "STOP_AT": case}
    with subprocess.Popen(command(out), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"stopped\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not Path(f"{out}.json").exists()


def finished(out: str) -> tuple[bytes, str]:
    """Run the command to its end: what it reports, but for the names of its files and the clock."""
    subprocess.run(command(out), check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    page = Path(f"{out}.html").read_text()
    assert f"--out {out} --html {out}.html" in page
    timed = re.compile('<section aria-labelledby="costs">.*?</section>', re.DOTALL)
    assert timed.search(page)
    return Path(f"{out}.json").read_bytes(), timed.sub("", page.replace(f"--out {out} --html {out}.html", ""))


def started() -> list[str]:
    """What has begun since this was last asked."""
    lines = Path("started.log").read_text().splitlines()
    Path("started.log").unlink()
    return lines


def test_killed_twice_and_with_a_torn_line_it_reports_the_same(place):
    talk, code = ([f"{protocol} {name}" for name in NAMES] for protocol in ("recorded", "next"))
    whole = finished("whole")
    assert started() == [*talk, *code]

    killed_at(talk[2], "again")
    assert started() == talk[:3]
    traces = place / "again" / "talk" / "traces.jsonl"
    assert traces.read_bytes().count(b"\n") == 2
    killed_at(code[1], "again")
    assert started() == [*talk[2:], *code[:2]], "what was done is not done again"
    assert finished("again") == whole
    assert started() == code[1:]

    data = traces.read_bytes()
    traces.write_bytes(data[:-20])
    assert finished("again") == whole
    assert started() == talk[-1:]
    assert traces.read_bytes() == data


def test_a_folder_of_another_run_is_refused_and_so_are_predictions(place, capsys):
    told = ["bench", "dialog2api", "--data", "data", "--out", "kept", "--agent", "top_api"]
    assert status(told) == 0
    assert status([*told[:-1], "gold"]) == 2
    assert "belongs to another run (agent: 'top_api' there, 'gold' now)" in capsys.readouterr().err
    assert status([*told, "--predictions", "mine.xml"]) == 2
    assert "--out keeps what agents do" in capsys.readouterr().err
    assert status(["report", "kept/talk"]) == 0
