"""Programs run twice, in plain CPython and in the sandbox's, which must not differ; and what hostile ones do.

Plain CPython is a throw-away process, this module run: it reads programs from standard input, as JSON, and writes what
came of each. It keeps nothing in: it is for programs that we made.

Not covered: programs that are no Python, or take longer than a second in plain CPython: they are left out.
"""

from __future__ import annotations

import json
import os
import random
import resource
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from toologue.sandbox.exceptions import CONVERSATIONAL
from toologue.sandbox.execute import execute
from toologue.sandbox.jail.run import Refused, names
from toologue.sandbox.messages import plain
from toologue.sandbox.rpc import Limits, operation, spelt
from toologue.schema import Act, Api, Call, Fault, Parameter, Result

# What came of a program: its value, its error, what it printed, the rows of its world.
Outcome = list[Any]
_NAME = {"name": Parameter(schema={"type": "string"})}


class Shelf:
    """Texts by name."""

    raises = ("NotThere",)
    apis: Sequence[Api] = (
        Api(name="read", parameters=_NAME),
        Api(name="write", writes=True, parameters={**_NAME, "text": Parameter()}),
        Api(name="TakeDown", writes=True, parameters=_NAME),
    )

    def __init__(self) -> None:
        self.rows: dict[str, Any] = {"first": "ab c", "list": ["first", "b"]}

    def do(self, act: Act) -> Result:
        assert act.kind == "call"
        given: Mapping[str, Any] = act.arguments or {}
        name = str(given.get("name"))
        if act.api == "write":
            created = () if name in self.rows else (f"Row/{name}",)
            self.rows = {**self.rows, name: given.get("text")}
            return Result(changes={f"Row/{name}": given.get("text")}, created=created)
        if name not in self.rows:
            return Result(error=Fault(type="NotThere", message=f"there is no {name}"))
        if act.api == "TakeDown":
            self.rows = {row: text for row, text in self.rows.items() if row != name}
            return Result(changes={f"Row/{name}": None})
        return Result(value=self.rows[name])

    def mark(self) -> dict[str, Any]:
        return self.rows

    def rewind(self, mark: dict[str, Any]) -> None:
        self.rows = mark


def in_plain(codes: Sequence[str]) -> list[Outcome | None]:
    """What plain CPython makes of each; None where it is no Python or took too long."""
    command = [sys.executable, "-W", "ignore", "-m", "bench.sandbox_differences"]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, input=json.dumps(codes), capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def in_sandbox(code: str) -> Outcome:
    """What the sandbox makes of a program."""
    world = Shelf()
    done = execute(code, world, name="shelf")
    error = done.error and [done.error.type, done.error.message]
    return [done.value, error, done.printed, world.rows]


def differences(codes: Sequence[str]) -> list[tuple[str, Outcome, Outcome]]:
    """(program, expected, found) where they differ."""
    both = (
        (code, expected, in_sandbox(code)) for code, expected in zip(codes, in_plain(codes), strict=True) if expected
    )
    return [(code, expected, found) for code, expected, found in both if found != expected]


def harm(codes: Sequence[str], limits: Limits, grace: float = 1) -> list[tuple[str, str]]:
    """(program, what it did to the host): it raised, or took `grace` more seconds than its own, or too much memory."""
    done: list[tuple[str, str]] = []
    for code in codes:
        before, start, taken, grown = _resident(), time.monotonic(), 0.0, 0
        try:
            ended = execute(code, Shelf(), limits, name="shelf")
            taken, grown = time.monotonic() - start, _resident() - before
            ended.model_dump_json()
            well = execute("return 1", Shelf(), name="shelf").value == 1
            did = "" if well else "the next program did not run"
        except Exception as error:  # noqa: BLE001 (that it raises is what is looked for)
            did = f"raised {type(error).__name__}: {error}"[:200]
        if taken > limits.seconds + grace:
            did += f" took {taken:.1f} s"
        if grown > limits.memory + (100 << 20):
            did += f" took {grown >> 20} MiB"
        if did:
            done.append((code, did))
    return done


def _resident() -> int:
    """The most bytes that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _plain(code: str, folder: str) -> Outcome | None:
    world, printed, value, error = Shelf(), StringIO(), None, None
    by_spelling = spelt(world.apis)

    def ask(api: str, arguments: Mapping[str, Any]) -> Any:
        result = world.do(Call(api=api, arguments=json.loads(plain(arguments))))
        if result.error is not None:
            raise Refused(result.error.type, result.error.message)
        return json.loads(json.dumps(result.value))

    apis = [(by_spelling[api.name], api.name, list(api.parameters), operation(api.name)) for api in world.apis]
    told = {"name": "shelf", "class": "Shelf", "exceptions": CONVERSATIONAL, "raises": world.raises, "apis": apis}
    file = Path(folder, "program.py")
    file.write_text(
        "def program():\n    pass\n" + "\n".join(f"    {line}" for line in code.split("\n")) + "\n", "utf-8"
    )
    random.seed(0)
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        with redirect_stdout(printed):
            value = json.loads(plain(runpy.run_path(str(file), names(told, ask), "program")["program"]()))
    except _Late:
        return None
    except BaseException as raised:  # noqa: BLE001 (whatever a program raises)
        if isinstance(raised, SyntaxError) and raised.filename == str(file):
            return None
        error = [type(raised).__name__, str(raised)]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return [value, error, printed.getvalue(), world.rows]


class _Late(BaseException):
    pass


def _late(*_: object) -> None:
    raise _Late


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _late)
    with tempfile.TemporaryDirectory() as made:
        json.dump([_plain(one, made) for one in json.load(sys.stdin)], sys.stdout)
