"""A run that is killed at any moment, or interrupted by hand, is finished by running it again.

One process stays (the script below): it forks the processes that write, kills them for good, and looks at what they
left. Forking saves the imports, so that dozens of deaths cost seconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from run_players import many
from test_run_folder import CANONICAL, content

from toologue.run.runner import Limits
from toologue.run.store import Config, run_folder

KILLER = '''
import json, os, random, signal, sys, time
from pathlib import Path

from run_players import many, slow
from toologue.run.runner import grounded
from toologue.run.runner import Limits
from toologue.run.store import Config, run_folder

HERE, DIALOGUES, CONCURRENCY = Path(sys.argv[1]), list(map(grounded, many(40))), 8
FILES = ("run.json", "dialogues.jsonl", "traces.jsonl")


def logged(case):
    """The slow scripted agent; it notes each case that it starts, before it starts it."""
    log = os.open(HERE / "started.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, (case.id + "\\n").encode())
    os.close(log)
    return slow(case)


def write(folder, progress):
    config, limits = Config(agent="killer:logged"), Limits(concurrency=CONCURRENCY)
    run_folder(folder, DIALOGUES, config, limits=limits, progress=progress)


def started():
    return (HERE / "started.log").read_text().split() if (HERE / "started.log").exists() else []


def on_disk(folder):
    """The dialogues whose trace is there, newline included."""
    file = folder / "traces.jsonl"
    data = file.read_bytes() if file.exists() else b""
    return {json.loads(line)["dialogue"] for line in data[: data.rfind(b"\\n") + 1].splitlines()}


def life(folder, kill_after=None, kill_at_replace=None):
    """One process that writes, killed so many steps and seconds later. Returns whether it was killed."""
    sys.stdout.flush()
    steps, step = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            if kill_at_replace is not None:
                die_at_replace(*kill_at_replace)
            write(folder, lambda done, of: os.write(step, b"."))
            status = 0
        finally:
            os._exit(status)
    os.close(step)
    if kill_after is not None:
        count, seconds = kill_after
        while count and os.read(steps, 1):
            count -= 1
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    os.close(steps)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def die_at_replace(count, before):
    """Die when a file is put in its place for the count-th time: just before, or just after."""
    real, calls = os.replace, 0

    def replace(source, target, **options):
        nonlocal calls
        calls += 1
        if calls == count and before:
            os.kill(os.getpid(), signal.SIGKILL)
        real(source, target, **options)
        if calls == count:
            os.kill(os.getpid(), signal.SIGKILL)

    os.replace = replace


def lived_on(folder, **death):
    """A life on what the earlier ones left: no case of which the record is on disk is started again."""
    known, before = on_disk(folder), len(started())
    killed = life(folder, **death)
    again = known & set(started()[before:])
    assert not again, ("started again", again)
    assert len(started()[before:]) == len(set(started()[before:])), "started twice in one life"
    assert known <= on_disk(folder), ("lost", known - on_disk(folder))
    lost = set(started()[before:]) - on_disk(folder)
    assert len(lost) <= CONCURRENCY, ("lost more than was in flight", lost)
    return killed


def main():
    assert not life(HERE / "whole")
    wanted = {name: (HERE / "whole" / name).read_bytes() for name in FILES}
    chance, kills, runs, instants = random.Random(20250310), 0, 0, []
    while kills < 21:
        folder = HERE / f"run-{runs}"
        runs += 1
        for _ in range(min(8, 21 - kills)):
            steps = chance.randint(0, 41 - len(on_disk(folder)))  # 0: while it still prepares
            if not lived_on(folder, kill_after=(steps, chance.uniform(0, 0.02))):
                break
            kills += 1
            instants.append(len(on_disk(folder)))
        assert not lived_on(folder)
        check(folder, wanted)
    for count in (1, 2):  # run.json; the traces in order
        for before in (True, False):
            folder = HERE / f"replace-{count}-{before}"
            assert lived_on(folder, kill_at_replace=(count, before))
            assert not lived_on(folder)
            check(folder, wanted)
    print(json.dumps({"kills": kills, "runs": runs, "traces at death": instants}))


def check(folder, wanted):
    assert {name: (folder / name).read_bytes() for name in FILES} == wanted, folder
    assert {file.name for file in folder.iterdir()} == {*FILES, "times.jsonl", ".lock"}, list(folder.iterdir())


if __name__ == "__main__":
    main()
'''

INTERRUPTED = """
import sys
from run_players import many
from toologue.run.runner import Limits
from toologue.run.store import Config, run_folder


def tell(done, of):
    if done == 3:
        print("three are done", flush=True)
        sys.stdin.read()  # until the signal is on its way, so that the run cannot end before


if __name__ == "__main__":
    config = Config(agent="run_players:slow")
    run_folder(sys.argv[1], many(40), config, limits=Limits(concurrency=4), progress=tell)
"""


def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parent)])}


@pytest.mark.slow
def test_killed_at_any_moment_a_run_loses_at_most_what_was_in_flight(tmp_path: Path) -> None:
    """More than 20 deaths, over the whole life of a run and around each file that is put in place."""
    script = tmp_path / "killer.py"
    script.write_text(KILLER)
    command, env = [sys.executable, script, tmp_path], environment(tmp_path)
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["kills"] >= 20
    assert len(set(report["traces at death"])) > 5, "the instants are spread"


def test_interrupted_by_hand_a_run_can_be_resumed(tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    command = [sys.executable, str(script), str(tmp_path / "run")]
    with subprocess.Popen(
        command,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "three are done\n"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate("")
    assert process.returncode == -signal.SIGINT, told
    assert "KeyboardInterrupt" in told
    there = (tmp_path / "run" / "traces.jsonl").read_bytes().count(b"\n")
    assert 3 <= there <= 40

    config = Config(agent="run_players:slow")
    told_again: list[int] = []
    run_folder(tmp_path / "run", many(40), config, progress=lambda done, of: told_again.append(done))
    assert told_again[0] == there
    run_folder(tmp_path / "whole", many(40), config, limits=Limits(concurrency=20))
    assert content(tmp_path / "run") == content(tmp_path / "whole")
    assert {file.name for file in (tmp_path / "run").iterdir()} == {*CANONICAL, "times.jsonl", ".lock"}
