"""Programs, run: the one function for it.

What a failed program had written stays written, as with a real service. The clock stands at `now` (the world's own
where it has one), chance begins at `seed`.

Backends: `zygote` is CPython itself in a sealed process, Linux; `monty` an interpreter of its own for part of Python,
any system. `auto` is the zygote where this machine can seal one, else monty. Raises BadSetting where a backend does
not work here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from toologue.loop import World
from toologue.sandbox import monty, zygote
from toologue.sandbox.exceptions import CONVERSATIONAL
from toologue.sandbox.program import parse
from toologue.sandbox.rpc import Door, Execution, Limits, Stopped
from toologue.schema import Fault

Backend = Literal["auto", "monty", "zygote"]
# What a program may use where nobody says otherwise.
LIMITS = Limits()
# Of a program that the host reads, a second of its time: longer ones are read where they run, in CPython.
CHARACTERS = 20_000


def execute(
    code: str,
    world: World,
    limits: Limits = LIMITS,
    *,
    name: str,
    backend: Backend = "auto",
    exceptions: Sequence[str] = (),
    now: datetime | None = None,
    seed: int = 0,
) -> Execution:
    """Run a program in a world. `exceptions`: names that it may raise beside the conversational ones."""
    door = Door(world, name, limits, (*CONVERSATIONAL, *exceptions), now)
    try:
        done = _run(code, door, backend, seed)
    except Stopped as stopped:
        done = Execution(error=stopped.fault)
    return done.replace(calls=tuple(door.calls), changes=door.changes, created=tuple(door.created))


def _run(code: str, door: Door, backend: Backend, seed: int) -> Execution:
    limits = door.limits
    if len(code) > limits.output:
        raise Stopped("LimitExceeded", f"more than {limits.output} characters of program")
    if len(code) > CHARACTERS * limits.seconds:
        tree = None
    else:
        parsed = door.timed(parse, code)
        for problem in parsed.all_problems:
            return Execution(error=Fault(type="SyntaxError", message=str(problem)), line=problem.line)
        tree = parsed.tree
    if backend == "monty" or (backend == "auto" and monty.available() and not zygote.available()):
        return monty.run(tree, door, seed).replace(backend="monty")
    return zygote.run(code, door, seed).replace(backend="zygote")
