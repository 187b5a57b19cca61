"""Commands that are killed, again and again, and run until they are done: what is lost, played twice, left running?

    python -m bench.kills [--count 60] [--seed 0]

Each command runs undisturbed; then it is killed (SIGKILL) at a random moment of that time and started again, until it
was killed its share of times and is let finish. Agents break in every fifth conversation when they are first asked
there, so that either way the command is given once more at the end. A row says how many kills, whether all files are
equal to the byte (clock times apart), how many conversations were begun again and how many may have been in flight at
all kills, and how many processes were still there ten seconds after a kill.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

AGENT = r'''
import os, time, zlib

def agent(history, tools):
    """A step that takes a moment; each conversation that begins is noted, and every fifth breaks for once."""
    if sum(message["role"] == "user" for message in history) <= 1:
        number = zlib.crc32(history[-1]["content"].encode())
        log = os.open(os.environ["STARTED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(log, (history[-1]["content"].replace("\\\n", " ") + "\\\n").encode())
        os.close(log)
        broken = f"{os.environ['STARTED']}.{number}"
        if number % 5 == 0 and not os.path.exists(broken):
            open(broken, "w").close()
            raise ConnectionError("the line is dead for once")
    time.sleep(0.01)
    return "I see."
'''
SOURCES = [str(Path(__file__).parents[1] / "tests/golden/in/rapidapi.jsonl")]
# Conversations that may be under way at once.
IN_FLIGHT = defaultdict(int, {"run": 8, "bench tooltalk": 8, "test": 4})
IN_FLIGHT["run, processes"] = 8 * (os.cpu_count() or 1)
LOG = "started.log"
ASIDE = {"times.jsonl", "faults.jsonl", "costs.json", ".lock", "report.html"}


class Command(NamedTuple):
    """A command that writes into `out`; with `counted`, the agent notes what it plays."""

    name: str
    words: tuple[str, ...]
    counted: bool = False


class Row(NamedTuple):
    """What became of a command."""

    kills: int
    different: list[str]
    again: int
    flight: int
    left: int


def commands(home: Path) -> list[Command]:
    """What is killed. Agents wait a little, so that there is a moment to be killed in."""
    agent = ("--agent", f"callable:{home / 'agent.py'}:agent")
    talks = str(home / "talks.jsonl")
    return [
        Command("run", ("run", talks, *agent, "-o", "out"), counted=True),
        Command("bench tooltalk", ("bench", "tooltalk", *agent, "--out", "out", "--json", "out.json"), counted=True),
        Command("test", ("test", "out", "--agent", "agent.py:agent"), counted=True),
        Command("generate", ("generate", "order-not-received", "-o", "out", "--count", "60", "--noise", "0.3")),
        Command("generate chains", ("generate", "chains", *SOURCES, "--count", "60", "--most", "0.5", "-o", "out")),
    ]


def killed(command: Command, home: Path, kills: int, chance: random.Random) -> Row:
    """Run a command undisturbed, then with so many kills, and compare."""
    begin(command, home / "work")
    start = time.monotonic()
    started(command, home / "work").wait()
    seconds, left = time.monotonic() - start, 0
    started(command, home / "work").wait()
    whole = files(home / "work")
    begin(command, home / "work")
    for _ in range(kills):
        running = started(command, home / "work")
        try:
            running.wait(chance.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            children = set(descendants(running.pid))
            running.send_signal(signal.SIGKILL)
            running.wait()
            left += still_there(children)
    ends = [started(command, home / "work").wait() for _ in range(2)]
    if not {0, 1, 3}.issuperset(ends):
        sys.exit(f"{command.name}: refused to go on:\n{(home / 'output.txt').read_text()[-1000:]}")
    found = files(home / "work")
    logs = (Counter(one.pop(LOG, b"").splitlines()) for one in (found, whole))
    again = sum(count - 1 for count in next(logs).values()) - sum(count - 1 for count in next(logs).values())
    different = sorted({name for name in found.keys() | whole.keys() if found.get(name) != whole.get(name)})
    return Row(kills, different, again, IN_FLIGHT[command.name] * kills, left)


def begin(command: Command, folder: Path) -> None:
    """Make the folder that a command is run in anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if command.name == "test":
        subprocess.run([sys.executable, "-m", "toologue", "init", "out"], cwd=folder, check=True, capture_output=True)
        (folder / "out" / "agent.py").write_text(AGENT)


def started(command: Command, folder: Path) -> subprocess.Popen[bytes]:
    """The command, running in a folder."""
    environment = {**os.environ, "STARTED": str(folder / LOG), "TOOLOGUE_CACHE": ""}
    words = [sys.executable, "-m", "toologue", *command.words]
    with (folder.parent / "output.txt").open("ab") as output:
        return subprocess.Popen(words, cwd=folder, env=environment, stdout=output, stderr=output)


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process started, and those that they did."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            yield from descendants(child)


def still_there(children: set[int]) -> int:
    """How many of them run ten seconds on."""
    limit = time.monotonic() + 10
    while (running := sum(map(_runs, children))) and time.monotonic() < limit:
        time.sleep(0.1)
    return running


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def files(folder: Path) -> dict[str, bytes]:
    """Everything that a command wrote, by its place; clock times are left out."""
    found = (path for path in folder.rglob("*") if path.is_file() and not _is_aside(path))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if "__pycache__" not in path.parts}


def _is_aside(path: Path) -> bool:
    return path.name in ASIDE or (path.name.startswith(LOG) and path.name != LOG)


def main() -> None:
    """Print what became of all commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        place = Path(home)
        (place / "agent.py").write_text(AGENT)
        from toologue.bench.tooltalk import load
        from toologue.schema.jsonl import write

        write(place / "talks.jsonl", load())
        every = [command for command in commands(place) if options.only in command.name]
        table = Table("command", "kills", "files that differ", "begun again", "in flight", "processes left")
        wrong = False
        for command in every:
            row = killed(command, place, options.count // len(every), random.Random(options.seed))
            figures = (row.kills, ", ".join(row.different) or "none", row.again, row.flight, row.left)
            table.add_row(command.name, *map(str, figures))
            wrong |= bool(row.different) or row.again > row.flight or bool(row.left)
            print(json.dumps({"command": command.name, **row._asdict()}), flush=True)
        Console().print(table)
    sys.exit(int(wrong))


if __name__ == "__main__":
    main()
