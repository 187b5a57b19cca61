"""Worlds that run programs: `with_programs` adds them to any world, as acts beside calls (Dialog2API 3).

Contract: a final program is run in the sandbox; its result has the value or the error, and the changes of all its calls
together: the last write of a row counts, a row that came and went is none. An error that has a line of the program says
so. Drafts and abandoned programs do not run. All else is the world's: calls, documents, marks, and every attribute that
it has beside them (`contents`, which signatures are made of).

Example:
    >>> from toologue.schema import Program
    >>> from toologue.worlds.assistant import Assistant
    >>> world = with_programs(Assistant(user="mreyes", now="2025-03-10 09:00:00", logged_in=True), name="assistant")
    >>> code = "a = assistant.add_alarm(time='06:30:00')\\nassistant.delete_alarm(alarm_id=a['alarm_id'])"
    >>> world.do(Program(goal="1", status="final", code=code))
    Result(value=None, error=None, arguments=None, changes={}, created=())
    >>> world.do(Program(goal="2", status="final", code="x = 1\\nreturn y")).error
    Fault(type='NameError', message="name 'y' is not defined (line 2)")

Not covered: an empty final program that finalises a draft; the agent's stack knows the draft and gives its code.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from toologue.loop import World
from toologue.sandbox.execute import LIMITS, Backend, execute
from toologue.sandbox.limits import Execution, Limits
from toologue.schema import Act, Fault, Program, Result
from toologue.worlds.wrapped import Wrapped


class Programs(Wrapped):
    """A world in which programs run. `last` is how the last one ran: calls, what it printed, which backend."""

    def __init__(self, world: World, options: dict[str, Any]):
        super().__init__(world)
        self.blocking = True  # another process is waited for
        self.last: Execution | None = None
        self._options = options

    def do(self, act: Act) -> Result:
        """Run a final program; anything else is the world's."""
        return self._run(act) if act.kind == "program" else self._world.do(act)

    def _run(self, program: Program) -> Result:
        if program.status != "final":
            told = f"the program of goal {program.goal} is {program.status}; only a final one runs"
            return Result(error=Fault(type="NotFinal", message=told))
        done = self.last = execute(program.code, self._world, **self._options)
        return Result(value=done.value, error=_placed(done), changes=done.changes, created=done.created)


def with_programs(
    world: World,
    *,
    name: str,
    limits: Limits = LIMITS,
    backend: Backend = "auto",
    exceptions: Sequence[str] = (),
    now: datetime | None = None,
    seed: int = 0,
) -> Programs:
    """The world, and programs in it, which see it as `name`. The options are those of `sandbox.execute`."""
    return Programs(
        world,
        {"name": name, "limits": limits, "backend": backend, "exceptions": tuple(exceptions), "now": now, "seed": seed},
    )


def _placed(done: Execution) -> Fault | None:
    """The error, with its line where the program itself is at fault."""
    error = done.error
    service = bool(done.calls) and done.calls[-1].result.error is not None
    if error is None or done.line is None or service or error.message.startswith("line ") or not error.message:
        return error
    return error.but(message=f"{error.message} (line {done.line})")
