"""Hostile programs: each bites a careless host, and does nothing in the sandbox, whose host keeps serving.

The programs, and what each would do, stand in hostile.yaml; unsafe_host.py is the careless host.
"""

from __future__ import annotations

import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from shelf import Shelf

from each_row import each_row
from toologue.sandbox.execute import execute
from toologue.sandbox.rpc import Limits

HERE = Path(__file__).parent
PROGRAMS: list[dict[str, str]] = yaml.safe_load((HERE / "hostile.yaml").read_text())
SECRET = "quince-7Q4-marmalade"
LIMITS = Limits(seconds=0.1, output=100_000, calls=50)


def test_there_are_enough_of_them() -> None:
    assert len(PROGRAMS) >= 60
    assert sum(program.get("aim") == "shim" for program in PROGRAMS) >= 20
    assert len({program["id"] for program in PROGRAMS}) == len(PROGRAMS)


@pytest.fixture(scope="module")
def bites() -> dict[str, list[str]]:
    """What each program did to the careless host."""
    asked = {one["id"]: one["code"] for one in PROGRAMS}
    done = subprocess.run(
        [sys.executable, "-S", str(HERE / "unsafe_host.py")], input=json.dumps(asked), capture_output=True, text=True,
        env={"TOOLOGUE_SECRET": SECRET, "PATH": os.defpath}, check=True, timeout=120,
    )  # fmt: skip
    return json.loads(done.stdout)


@each_row("program", PROGRAMS, ids=lambda program: program["id"])
def test_it_bites_a_careless_host(program: dict[str, str], bites: dict[str, list[str]]) -> None:
    assert program["bites"] in bites[program["id"]]


class Trap(NamedTuple):
    """What a program would have to reach: a secret in three places, a folder, a port, and this process."""

    folder: Path
    listener: socket.socket
    signals: list[int]

    def filled(self, code: str) -> str:
        places = {"SECRET_FILE": self.folder / "secret.txt", "CANARY": self.folder / "canary"}
        places |= {"PORT": self.listener.getsockname()[1]}
        return re.sub("|".join(places), lambda one: str(places[one[0]]), code)

    def sprung(self) -> list[str]:
        found = ["signal"] if self.signals else []
        found += ["file"] if any((self.folder / "canary").iterdir()) else []
        return found + (["net"] if select.select([self.listener], [], [], 0)[0] else [])


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trap]:
    folder = tmp_path_factory.mktemp("trap")
    folder.chmod(0o777)
    (folder / "canary").mkdir(mode=0o777)
    (folder / "secret.txt").write_text(SECRET)
    signals: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: signals.append(number))
    os.environ["TOOLOGUE_SECRET"] = SECRET
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Trap(folder, listener, signals)
    del os.environ["TOOLOGUE_SECRET"]
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program["id"])
def test_it_does_nothing_in_the_sandbox(program: dict[str, str], sealed: None, trap: Trap) -> None:
    kept = SECRET  # what frames would show
    world = Shelf(SECRET)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.monotonic()
    done = execute(trap.filled(program["code"]), world, LIMITS, name="shelf")
    assert time.monotonic() - start < LIMITS.seconds + 10

    told = done.model_dump_json()
    assert SECRET not in told
    assert trap.sprung() == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 100 << 10  # kilobytes
    assert len(told) < 4 * LIMITS.output
    assert len(done.calls) <= LIMITS.calls

    replayed = Shelf()  # the world holds what the calls say, and nothing else
    for called in done.calls:
        assert called.call.api in {api.name for api in Shelf.apis}
        replayed.do(called.call)
    assert world.rows == replayed.rows
    assert (world.secret, type(world).do.__name__, kept) == (SECRET, "do", SECRET)
    assert execute("return shelf.read(name='list')", Shelf(), name="shelf").value == ["kept"]
