"""Programs, run: the one function for it.

What a failed program had written stays written, as with a real service. The clock stands at `now` (the world's own
where it has one), chance begins at `seed`.

Raises BadSetting where this machine cannot seal a process (no Linux, a kernel that filters no system calls).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from toologue.loop import World
from toologue.sandbox import zygote
from toologue.sandbox.exceptions import CONVERSATIONAL
from toologue.sandbox.program import parse
from toologue.sandbox.rpc import Door, Execution, Limits, Stopped
from toologue.schema import Fault

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
    return zygote.run(code, door, seed)
