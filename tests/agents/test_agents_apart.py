"""Agents of others are kept apart: whatever one does, its case is recorded, and the run goes on or says why not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest

from command import toologue
from toologue.agents.agent import AgentSpec
from toologue.bench.benchmark import Tested, player_of
from toologue.errors import Unfinished
from toologue.run.runner import Finished, Limits, Settings, cases_of, run_all
from toologue.run.store import RunFolder
from toologue.schema import AgentTurn, Brief, Case, Dialogue, Trace, Turn, UserTurn
from toologue.schema.jsonl import read, write

AGENTS = """
import asyncio, os, sys, time
from collections.abc import Iterator
from pathlib import Path

def kind(history, tools):
    return "I see."

def exits(history, tools):
    os._exit(0)

def crashes(history, tools):
    os.kill(os.getpid(), 11)

def loops(history, tools):
    while not Path("stop").exists():
        pass

def leaves(history, tools):
    sys.exit("bye")

def interrupts(history, tools):
    raise KeyboardInterrupt

class Unspeakable(Exception):
    def __str__(self):
        raise SystemExit

def unspeakable(history, tools):
    raise Unspeakable

class Hanging:
    def __repr__(self):
        loops([], [])

def hanging(history, tools):
    return Hanging()

async def cancels(history, tools):
    asyncio.current_task().cancel()
    await asyncio.sleep(0)

async def closes(history, tools):
    raise GeneratorExit

def much(history, tools):
    return "x" * (1 << 25)

def process(history, tools):
    return str(os.getpid())

def notes_and_loops(history, tools):
    Path(f"process-{os.getpid()}").touch()
    loops(history, tools)

class Blocks:
    async def act(self, history, brief):
        loops([], [])

class Cancels:
    async def act(self, history, brief):
        await cancels([], [])

class Exits:
    async def act(self, history, brief):
        os._exit(0)

blocks, stops_itself, exits_here = Blocks(), Cancels(), Exits()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with agents and four conversations; whatever loops there ends with the test."""
    turns = (UserTurn(text="Hello"), AgentTurn(text="Hi"), UserTurn(text="Bye"), AgentTurn(text="Bye"))
    write(tmp_path / "talks.jsonl", [Dialogue(id=f"talk-{number}", turns=turns) for number in range(4)])
    (tmp_path / "agents_apart.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    (tmp_path / "stop").touch()
    sys.modules.pop("agents_apart", None)


def errors(folder: Path) -> set[tuple[str, str]]:
    """(type, message) of what went wrong first in each conversation."""
    return errors_of([*RunFolder(folder).traces()])


def errors_of(traces: Sequence[Trace]) -> set[tuple[str, str]]:
    """(type, message) of what went wrong first in each trace."""
    found = [turn.error for trace in traces for turn in trace.turns[1:2] if turn.role == "agent"]
    return {(error.type, error.message) for error in found if error}


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("exits", "exited", "the agent's process ended with status 0, and gave no turn"),
        ("crashes", "exited", "the agent's process was killed by signal 11, and gave no turn"),
        ("loops", "timeout", "cut off after 0.5 s"),
        ("leaves", "SystemExit", "bye (agents_apart.py, line 20)"),
        ("interrupts", "KeyboardInterrupt", " (agents_apart.py, line 23)"),
        ("unspeakable", "Unspeakable", "(its text cannot be had: SystemExit) (agents_apart.py, line 30)"),
        ("hanging", "timeout", "cut off after 0.5 s"),
        ("cancels", "CancelledError", "the agent stopped itself"),
        ("closes", "GeneratorExit", ""),
        ("much", "too long", "an answer of 33,554,432 characters, and at most 100,000 are taken"),
    ],
)
def test_in_a_process_nothing_that_an_agent_does_stops_the_run(
    folder: Path, name: str, kind: str, message: str
) -> None:
    agent, timeout = f"callable:agents_apart.py:{name}", "0.5" if kind == "timeout" else "30"
    done = toologue("run", "talks.jsonl", "--agent", agent, "-o", "run", "--timeout", timeout, cwd=folder)
    assert (done.returncode, "4 traces in run/traces.jsonl" in done.stdout) == (1, True), done.stderr
    assert f"{agent}: the agent broke in 4 of 4 conversations, which fail: {kind}" in done.stdout
    [(found, why)] = errors(folder / "run")
    assert (found, why[: len(message)]) == (kind, message)


def test_a_file_that_ends_its_process_when_it_is_loaded_is_refused(folder: Path) -> None:
    (folder / "dies.py").write_text("import os\nos._exit(0)\n")
    done = toologue("run", "talks.jsonl", "--agent", "callable:dies.py:agent", "-o", "run", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.endswith("dies.py:agent: the agent's process ended with status 0, and gave no turn\n")
    assert not (folder / "run").exists()


def test_a_process_is_killed_when_its_time_is_up(folder: Path) -> None:
    arguments = ("--agent", "callable:agents_apart.py:notes_and_loops", "--timeout", "0.5")
    assert toologue("run", "talks.jsonl", *arguments, "-o", "run", cwd=folder).returncode == 1
    asked = {int(file.name.partition("-")[2]) for file in folder.glob("process-*")}
    assert len(asked) == 4
    limit = time.monotonic() + 10
    while any(map(alive, asked)) and time.monotonic() < limit:
        os.sched_yield()
    assert not [one for one in asked if alive(one)]


def test_a_process_is_kept_for_the_next_question(folder: Path) -> None:
    arguments = ("--agent", "callable:agents_apart.py:process", "--concurrency", "1")
    toologue("run", "talks.jsonl", *arguments, "-o", "run", cwd=folder)
    said = {turn.text for trace in RunFolder(folder / "run").traces() for turn in trace.turns if turn.role == "agent"}
    assert len(said) == 1
    assert said != {str(os.getpid())}


@pytest.mark.parametrize("agent", ["thread:agents_apart.py:loops", "agents_apart:blocks"])
def test_in_threads_it_ends_with_3_where_as_many_as_run_at_once_cannot_be_stopped(folder: Path, agent: str) -> None:
    arguments = ("run", "talks.jsonl", "--agent", agent, "-o", "run", "--timeout", "0.6", "--concurrency", "2")
    done = toologue(*arguments, cwd=folder)
    assert done.returncode == 3
    assert done.stderr.startswith(f"toologue: 2 threads of {agent!r} went on after their time, and cannot be stopped")
    assert errors(folder / "run") == {("timeout", "cut off after 0.6 s")}
    (folder / "stop").touch()  # what hung is mended, and the same command goes on
    assert toologue(*arguments[:-4], "--timeout", "0.6", cwd=folder).returncode == 1
    assert len([*RunFolder(folder / "run").traces()]) == 4


class Blocks:
    """Gives nobody else a turn until the test is over, ten seconds at most; made for a case, in `talk-0` alone."""

    def __init__(self, case: Case | None = None):
        self.case = case

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """Late."""
        if self.case is None or self.case.id == "talk-0":
            over.wait(10)
        return AgentTurn(text="Here I am")


def blocking(case: Case) -> Blocks:
    """One for each case."""
    return Blocks()


over = Event()


@pytest.fixture
def until_over() -> Iterator[None]:
    """Whatever blocks ends with the test."""
    over.clear()
    yield
    over.set()


@pytest.mark.slow
@pytest.mark.usefixtures("until_over")
@pytest.mark.parametrize("given", [Blocks(), blocking, AgentSpec("blocking", blocking)])
def test_given_in_python_it_is_recorded_and_ends_the_run_in_the_same_way(folder: Path, given: Tested) -> None:
    done, cases = list[Finished](), cases_of(read(folder / "talks.jsonl", Dialogue), Settings())
    with pytest.raises(Unfinished, match=r"2 threads of .* went on after their time, and cannot be stopped"):
        run_all(cases, player_of(given), done.append, limits=Limits(concurrency=2, timeout=0.6))
    assert errors_of([one.trace for one in done]) == {("timeout", "cut off after 0.6 s")}


@pytest.mark.usefixtures("until_over")
def test_cases_after_one_that_hangs_are_played_in_another_thread(folder: Path) -> None:
    """`talk-1` waits for the thread that `talk-0` holds: its time is up as well, unless it began a moment later."""
    cases = cases_of(read(folder / "talks.jsonl", Dialogue), Settings())
    done = run_all(cases, player_of(Blocks), limits=Limits(concurrency=2, timeout=1.0))
    stops = {one.trace.dialogue: one.trace.stop for one in done}
    assert stops.pop("talk-1") in ("timeout", "done")
    assert stops == {"talk-0": "timeout", "talk-2": "done", "talk-3": "done"}


def test_in_a_thread_an_object_that_cancels_itself_stops_nothing_else(folder: Path) -> None:
    done = toologue("run", "talks.jsonl", "--agent", "agents_apart:stops_itself", "-o", "run", cwd=folder)
    assert done.returncode == 1, done.stderr
    assert errors(folder / "run") == {("CancelledError", "the agent stopped itself")}


def test_processes_end_with_a_killed_parent(folder: Path) -> None:
    command = [sys.executable, "-m", "toologue", "run", "talks.jsonl", "-o", "run", "--concurrency", "2"]
    running = subprocess.Popen([*command, "--agent", "callable:agents_apart.py:loops"], cwd=folder)
    children = set[int]()
    limit = time.monotonic() + 60
    while len(children) < 4 and time.monotonic() < limit:  # forkserver, resource tracker, two agents
        children = descendants(running.pid)
    running.send_signal(signal.SIGKILL)
    running.wait()
    limit = time.monotonic() + 10
    while any(map(alive, children)) and time.monotonic() < limit:
        os.sched_yield()
    assert not [child for child in children if alive(child)]


def descendants(pid: int) -> set[int]:
    """The processes that a process started, and those that they did."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found |= {int(child), *descendants(int(child))}
    return found


def alive(pid: int) -> bool:
    """Whether a process runs, and is not only waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
