"""What is reviewed in these tests: replies in words of their own, and a project whose agent never names a locker."""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path

from tests.command import toologue
from tests.project.project_samples import AGENT, project
from toologue.schema import Decision, Dialogue, Question, UserTurn
from toologue.schema.jsonl import read, write
from toologue.schema.turn import AgentTurn

VAGUE = AGENT.replace("{said}", "that one").replace('f"that one is', 'f"It is')
_LONGEST = 60  # seconds without a sign of life: it waits for keys


def questions(count: int) -> list[Question]:
    return [
        Question(kind="reply", expected="It leaves today.", said=f"Before {hour} o'clock.") for hour in range(count)
    ]


def conversations(file: Path, count: int) -> Path:
    """A dialogues.jsonl."""
    turns = ((UserTurn(text=f"Where is O-{n}?"), AgentTurn(text=f"O-{n} is on its way.")) for n in range(count))
    write(file, (Dialogue(id=f"d{n}", turns=said) for n, said in enumerate(turns)))
    return file


def vague_project(folder: Path) -> Path:
    """A project whose agent was run."""
    made = project(folder, agent=VAGUE)
    assert toologue("test", made, cwd=folder).returncode == 0
    return made


def decisions(file: Path) -> list[Decision]:
    return list(read(file, Decision, empty=True))


def typed(keys: str, *arguments: object, until: str = "") -> tuple[int, str]:
    """The command in a terminal of its own, with these keys typed before it reads any: its status, what it showed.

    It is killed as soon as it has shown `until`, or where it waits for more keys.
    """
    import pty

    pid, terminal = pty.fork()
    if not pid:
        os.execv(sys.executable, [sys.executable, "-m", "toologue", *map(str, arguments)])
    os.write(terminal, keys.encode())
    shown, killed = b"", False
    try:
        while select.select([terminal], [], [], _LONGEST)[0]:
            shown += os.read(terminal, 1 << 16)
            if until and until.encode() in shown and not killed:
                killed = not os.kill(pid, signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)  # it waits for keys
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()
