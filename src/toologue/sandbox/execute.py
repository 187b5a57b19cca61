"""Programs, run: each in a process of its own, forked from a warm one, sealed by the kernel. Linux only.

What a failed program had written stays written, as with a real service. The clock stands at `now` (the world's own
where it has one), chance begins at `seed`.

The warm process is started when first needed, with an empty environment and nothing of this process in it; it is
started again if it died, and ends with this process. Any number of threads and processes may run programs. What a
program's process sends is read as hostile: sizes first, then JSON, then the keys and ids that can come next; anything
else is a Crash. Raises BadSetting where this machine cannot seal a process (no Linux, no filter of system calls).
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, TypeVar, cast

from toologue.errors import BadSetting
from toologue.loop import World
from toologue.sandbox.exceptions import CONVERSATIONAL
from toologue.sandbox.messages import Malformed, encoded, packed, received
from toologue.sandbox.program import parse
from toologue.sandbox.rpc import Door, Execution, Limits, Stopped, operation, spelt
from toologue.schema import Fault

_JAIL = Path(__file__).parent / "jail" / "__main__.py"
# Nothing of the user's or of installed packages. Not -I, which would not see how to seed hashes.
_FLAGS = ("-s", "-S", "-P", "-B", "-X", "utf8", "-W", "ignore")
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "TZ": "UTC0"}
_G = TypeVar("_G")
_T = TypeVar("_T")
# What a program may use where nobody says otherwise.
LIMITS = Limits()
# Of a program that the host reads, a second of its time: longer ones are read where they run, in CPython.
CHARACTERS = 20_000


def _sealed(code: str, door: Door, seed: int) -> Execution:
    """Run a program in a process of its own."""
    program, handle = _zygote(os.getpid()).born()
    with program:
        try:
            return _Talk(program, door).whole(_told(code, door, seed))
        finally:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            os.close(handle)


def _told(code: str, door: Door, seed: int) -> dict[str, Any]:
    spellings = spelt(door.apis)
    return {
        "memory": door.limits.memory,
        "seconds": ceil(door.left) + 1,
        "code": code,
        "name": door.name,
        "class": door.kind,
        "apis": [(spellings[api.name], api.name, list(api.parameters), operation(api.name)) for api in door.apis],
        "exceptions": door.exceptions,
        "raises": door.raises,
        "now": door.now.timestamp(),
        "seed": seed,
        "output": door.limits.output,
        "recursion": door.limits.recursion,
    }


class _Talk:
    def __init__(self, program: socket.socket, door: Door):
        self._program, self._door = program, door
        self._most = 24 * door.limits.output + (1 << 16)

    def whole(self, told: Mapping[str, Any]) -> Execution:
        self._say(told)
        for number in range(1, self._door.limits.calls + 2):
            message = self._next()
            if "call" not in message:
                return self._outcome(message)
            match message:
                case {"id": int(given), "call": str(api), "arguments": {**arguments}, **rest}:
                    if given != number or rest or api not in self._door.by_name:
                        raise _forged("a call that cannot come now")
                    if len(json.dumps(arguments)) > self._door.limits.output:
                        raise Stopped.too_large("the arguments of a call are", self._door.limits)
                    answer = self._door.call(api, cast("dict[str, Any]", arguments))
                case _:
                    raise _forged("a call without its parts")
            failed = isinstance(answer, Fault)
            self._say({"error": [answer.type, answer.message]} if failed else {"value": packed(answer)})
        raise AssertionError("unreachable: the door counts calls")

    def _outcome(self, message: dict[str, Any]) -> Execution:
        output = self._door.limits.output
        match message:
            case {"value": value, "printed": str(printed), **rest} if not rest and len(printed) <= output:
                if len(json.dumps(value)) > output:
                    raise _forged("a result that is too large")
                return Execution(value=value, printed=printed)
            case {"error": [str(kind), str(text)], "line": int() | None as line, "printed": str(printed), **rest}:
                if rest or not kind or max(len(kind), len(text), len(printed)) > output:
                    raise _forged("an error that is none")
                return Execution(error=Fault(type=kind, message=text), line=line, printed=printed)
            case _:
                raise _forged("neither a call nor a result")

    def _next(self) -> dict[str, Any]:
        try:
            body = received(self._read, self._most)
            if not body:
                raise _ended()
            return self._door.read(body)
        except Malformed as error:
            if error.kind == "deep":
                raise Stopped.too_deep() from None
            raise _forged(str(error)) from None

    def _say(self, message: Mapping[str, Any]) -> None:
        self._timed(self._program.sendall, encoded(message))

    def _read(self, most: int) -> bytes:
        return self._timed(self._program.recv, most)

    def _timed(self, work: Callable[[_G], _T], given: _G) -> _T:
        """Let the program's process work for what is left of its time. Raises Stopped."""
        self._program.settimeout(max(self._door.left, 0.001))
        try:
            return self._door.timed(work, given)
        except OSError:
            raise _ended() from None


def _ended() -> Stopped:
    return Stopped("Crash", "the program's process ended without a result")


def _forged(what: str) -> Stopped:
    return Stopped("Crash", f"the program's process sent {what}")


class _Zygote:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control = socket.socket()
        atexit.register(self.stop)

    def born(self) -> tuple[socket.socket, int]:
        with self._lock:
            for _ in range(2):  # the second time with a new one
                self._start()
                try:
                    self._control.send(b"next")
                    _, given, _, _ = socket.recv_fds(self._control, 64, 2, socket.MSG_CMSG_CLOEXEC)
                except OSError:
                    given = []
                if len(given) == 2:
                    return socket.socket(fileno=given[0]), given[1]
                self.stop()
        raise BadSetting("the process that runs programs ends as soon as it is started")

    def stop(self) -> None:
        self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        if sys.platform != "linux":
            raise BadSetting("programs run under Linux only: use a container")
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *_FLAGS, str(_JAIL), str(theirs.fileno()), str(os.getpid())],
                pass_fds=[theirs.fileno()], env=_ENVIRONMENT, cwd="/", start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        self._control.settimeout(30)
        try:
            refusal = self._control.recv(4096).decode()
        except OSError as error:
            refusal = str(error)
        if refusal != "sealed":
            self.stop()
            why = refusal or "its process ends at once"
            raise BadSetting(f"this system does not let programs be sealed: {why}")


@cache
def _zygote(process: int) -> _Zygote:
    return _Zygote()


def execute(
    code: str,
    world: World,
    limits: Limits = LIMITS,
    *,
    name: str,
    exceptions: Sequence[str] = (),
    now: datetime | None = None,
    seed: int = 0,
) -> Execution:
    """Run a program in a world. `exceptions`: names that it may raise beside the conversational ones."""
    door = Door(world, name, limits, (*CONVERSATIONAL, *exceptions), now)
    try:
        done = _run(code, door, seed)
    except Stopped as stopped:
        done = Execution(error=stopped.fault)
    return done.replace(calls=tuple(door.calls), changes=door.changes, created=tuple(door.created))


def _run(code: str, door: Door, seed: int) -> Execution:
    limits = door.limits
    if len(code) > limits.output:
        raise Stopped("LimitExceeded", f"more than {limits.output} characters of program")
    if len(code) <= CHARACTERS * limits.seconds:
        for problem in door.timed(parse, code).all_problems:
            return Execution(error=Fault(type="SyntaxError", message=str(problem)), line=problem.line)
    return _sealed(code, door, seed)
