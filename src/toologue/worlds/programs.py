"""Worlds in which programs run as well as calls: `with_programs` around a world, `programs` as a kind (Dialog2API 3).

    {"name": "programs", "arguments": {"object": "shop", "world": {"name": "crud", "arguments": {"document": "shop"}}}}

A final program is run in the sandbox; its result has the value or the error, and the changes of all its calls together:
the last write of a row counts, a row that came and went is none. Drafts and abandoned programs do not run. All else is
the world's inside. `object` is what programs call the world (by default its own name), `exceptions` what they may raise
beside the conversational ones; their clock is the brief's `now` where the world has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from toologue.errors import BadSetting
from toologue.loop import World
from toologue.sandbox.execute import execute
from toologue.sandbox.rpc import Execution
from toologue.schema import Act, Case, Fault, Result, Setting
from toologue.schema.jsonl import Noun
from toologue.worlds.world import Kind, Wrapped, arguments_of, failure, kind_at, make_world


class Programs(Wrapped):
    """A world in which programs run."""

    def __init__(self, world: World, options: dict[str, Any]):
        super().__init__(world)
        self.blocking = True  # another process is waited for
        self._options = options

    def do(self, act: Act) -> Result:
        """Run a final program; anything else is the world's."""
        if act.kind != "program":
            return self._world.do(act)
        if act.status != "final":
            return failure("NotFinal", f"the program of goal {act.goal} is {act.status}; only a final one runs")
        done = execute(act.code, self._world, **self._options)
        return Result(value=done.value, error=_placed(done), changes=done.changes, created=done.created)


def with_programs(world: World, *, name: str, exceptions: Sequence[str] = (), now: datetime | None = None) -> Programs:
    """The world, and programs in it, which see it as `name`. The options are those of `sandbox.execute`."""
    return Programs(world, {"name": name, "exceptions": tuple(exceptions), "now": now})


def _placed(done: Execution) -> Fault | None:
    """The error, with its line where the program itself is at fault."""
    error = done.error
    service = bool(done.calls) and done.calls[-1].result.error is not None
    if error is None or done.line is None or service or error.message.startswith("line ") or not error.message:
        return error
    return error.replace(message=f"{error.message} (line {done.line})")


class _Arguments(Noun):
    world: Setting
    object: str = ""
    exceptions: tuple[str, ...] = ()


def _arguments(setting: Setting) -> _Arguments:
    given = arguments_of(setting, _Arguments)
    if given.world.name == "programs":
        raise BadSetting("the world 'programs' cannot hold itself: name the world inside")
    name = given.object or given.world.name
    if not name.isidentifier():
        raise BadSetting(f"the world 'programs': programs cannot call an object {name!r}; give a Python name")
    return given


def programs_for(case: Case) -> Programs:
    """The world of a case, and programs in it."""
    given, now = _arguments(case.world), None
    with suppress(TypeError, ValueError):
        now = datetime.fromisoformat(cast("str", case.brief.facts.get("now")))
    world = make_world(case.replace(world=given.world))
    name = given.object or given.world.name
    return with_programs(world, name=name, exceptions=given.exceptions, now=now)


def _data_key(setting: Setting) -> str:
    inside = _arguments(setting).world
    return kind_at(inside).data_key(inside)


PROGRAMS = Kind(
    make=programs_for,
    data_key=_data_key,
    at=lambda setting: replace(kind_at(_arguments(setting).world), make=programs_for, data_key=_data_key, at=None),
)
