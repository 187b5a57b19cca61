"""What a host that simply runs programs suffers: each hostile program in a throw-away process, and the evidence.

Reads `{id: code}` from standard input, writes `{id: [evidence, ...]}`; the secret is in the environment. Each process
has limits of memory, of processor time and of file sizes, a time-out, and a session of its own that is ended with it.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import re
import resource
import select
import signal
import socket
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

SECRET = os.environ.get("TOOLOGUE_SECRET", "")
SECONDS = 0.3
MEMORY = 600 << 20
LARGE = 2_000_000


class Refused(KeyError):
    """An error of the host's that knows too much."""


class Shelf:
    """A world, as a careless host would hand it out."""

    def __init__(self) -> None:
        self.secret = SECRET
        self.rows: dict[str, Any] = {"list": ["kept"]}
        self.log: list[Any] = []

    def read(self, name: str) -> Any:
        self.log.append(["read", name])
        if name not in self.rows:
            error = Refused(name)
            error.holder = self  # type: ignore[attr-defined]
            raise error
        return self.rows[name]

    def write(self, name: str, text: Any) -> None:
        self.log.append(["write", name, text])
        self.rows[name] = text

    def wipe(self) -> None:
        self.rows.clear()


def host(code: str) -> None:
    """Run a program, write down what it returned, look whether everything is as it was."""
    kept = SECRET
    shelf = Shelf()
    names: dict[str, Any] = {"shelf": shelf}
    exec("def program():\n" + textwrap.indent(code, "    "), names)  # noqa: S102 (a careless host, on purpose)
    value: Any = None
    try:
        value = names["program"]()
    except Exception as error:  # noqa: BLE001
        value = [type(error).__name__, str(error)]
    except MemoryError:
        value = None
    rows = [one for one in shelf.log if one[0] == "write"]
    intact = len([1, 2]) == 2 and json.dumps([1]) == "[1]" and sys.gettrace() is None and kept == SECRET
    intact = intact and type(shelf).read.__name__ == "read" and "read" not in vars(shelf) and len(shelf.log) < 5000
    intact = intact and (shelf.rows == {"list": ["kept"]} if not rows else isinstance(rows[0][2], list))
    intact = intact and "forged" not in shelf.rows.get("list", ())
    record = json.dumps({"value": value, "intact": intact, "log": shelf.log[:2]}, ensure_ascii=False)
    sys.stdout.write(record + "\n")
    sys.stdout.flush()


def child(code: str, out: int) -> None:
    """Be the throw-away process."""
    os.setsid()
    atexit._clear()  # what this process registered is not this child's to do
    null = os.open(os.devnull, os.O_RDONLY)
    waiting, _ = os.pipe()
    os.dup2(waiting, 0)  # nobody ever types anything
    os.dup2(out, 1)
    os.dup2(null, 2)
    for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, 2), (resource.RLIMIT_FSIZE, 1 << 20)):
        resource.setrlimit(kind, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        host(code)
        sys.exit(0)  # what was registered for the end happens
    except MemoryError:
        os._exit(1)


def evidence(code: str, folder: Path, listener: socket.socket, signals: list[int]) -> list[str]:
    """What a program did."""
    signals.clear()
    reads, writes = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reads)
        try:
            child(code, writes)
        except BaseException as error:  # noqa: BLE001
            sys.stderr = None  # type: ignore[assignment]
            if isinstance(error, SystemExit):
                atexit._run_exitfuncs()
                time.sleep(0.02)  # for threads that stay
        os._exit(0)
    os.close(writes)
    said = collected(reads, process)
    found = ["signal"] if signals else []
    found += ["leak"] if SECRET.encode() in said else []
    found += ["file"] if any(folder.iterdir()) else []
    found += ["net"] if select.select([listener], [], [], 0)[0] else []
    if "net" in found:
        listener.accept()[0].close()
    return found + judged(said)


def judged(said: bytes) -> list[str]:
    """What the record says: none at all, or not what it should be."""
    first = said.split(b"\n")[0]
    try:
        record = json.loads(first)
    except ValueError:
        return ["down"]
    if not isinstance(record, dict):
        return ["fooled"]
    value, log = record["value"], record.get("log", [])
    if isinstance(value, list) and value[:1] == ["MemoryError"]:
        return ["down"]  # all the memory that there was
    odd = isinstance(value, float) and math.isnan(value)
    if (
        odd
        or not record["intact"]
        or value == "forged"
        or len(first) > LARGE
        or "log" not in record
        or len(str(log)) > LARGE
    ):
        return ["fooled"]
    return []


def collected(reads: int, process: int) -> bytes:
    """All that the process writes, until it ends or time is up."""
    said, end = bytearray(), time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0 and select.select([reads], [], [], left)[0]:
        part = os.read(reads, 1 << 20)
        said += part
        if not part or len(said) > 100 * LARGE:
            break
    try:
        os.killpg(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(reads)
    return bytes(said)


def main() -> None:
    """Run all that is asked for."""
    programs: dict[str, str] = json.load(sys.stdin)
    signals: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, frame: signals.append(number))
    found: dict[str, list[str]] = {}
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "secret.txt")
        secret.write_text(SECRET)
        for number, (name, code) in enumerate(programs.items()):
            canary = Path(folder, str(number))
            canary.mkdir()
            places = {"SECRET_FILE": str(secret), "CANARY": str(canary), "PORT": str(listener.getsockname()[1])}
            filled = re.sub("SECRET_FILE|CANARY|PORT", lambda one: places[one[0]], code)  # noqa: B023
            found[name] = evidence(filled, canary, listener, signals)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
