"""The host's side of a program: its limits, the one way from it to the world, what came of it.

Methods are the world's Apis, spelt as documented, in snake_case and in CamelCase; where two would share a spelling, the
documented one wins. A world may say more by attributes of its own, all optional: `outward(api, value)` makes of a
result what programs see (moments, bytes, streams); `raises` names the faults that are exceptions by plain name; `now`
is its clock. More calls than allowed end the program, whatever it catches.

`Execution.error.type` is the class of the exception that the program ended with; beside those of the program

    TimeoutError   its own time is used up; what the world takes to answer does not count
    LimitExceeded  too many calls, too large or too deep a result, a program too long
    Crash          its process ended, or sent what is no message; nothing is known of why
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, ParamSpec, Self, TypeVar

from pydantic import Field, JsonValue

from toologue.loop import World, execute
from toologue.sandbox.messages import Malformed, decoded, packed, weight
from toologue.schema import Api, Call, Fault, Result
from toologue.schema.jsonl import Noun

P = ParamSpec("P")
T = TypeVar("T")
_SOME_DAY = datetime(2025, 1, 1, 9, tzinfo=UTC)


class Limits(Noun):
    """The most that one program may use."""

    seconds: float = Field(default=5.0, gt=0, le=600)
    # Bytes beyond what the interpreter itself takes.
    memory: int = Field(default=128 << 20, ge=8 << 20)
    # Calls inside calls.
    recursion: int = Field(default=400, ge=50, le=1000)
    # Characters of the result as JSON, of what is printed, of the arguments of a call, and of the program.
    output: int = Field(default=1_000_000, ge=1000)
    # Calls of Apis.
    calls: int = Field(default=1000, ge=0)


class Called(Noun):
    """A call that a program made, and what the world answered."""

    call: Call
    result: Result


class Execution(Noun):
    """What a program returned or how it failed, and what it did on the way. No clock times: equal runs are equal."""

    value: JsonValue = None
    error: Fault | None = None
    # The line of the program where the error was.
    line: int | None = None
    printed: str = ""
    calls: tuple[Called, ...] = ()
    changes: dict[str, JsonValue] = Field(default_factory=dict)
    created: tuple[str, ...] = ()


class Stopped(Exception):
    """The host ends the program."""

    def __init__(self, kind: str, message: str):
        self.fault = Fault(type=kind, message=message)
        super().__init__(message)

    @classmethod
    def late(cls, limits: Limits) -> Self:
        """Its time is used up."""
        return cls("TimeoutError", f"the program took more than {limits.seconds:g} seconds")

    @classmethod
    def too_large(cls, what: str, limits: Limits) -> Self:
        """What it returns or passes."""
        return cls("LimitExceeded", f"{what} larger than {limits.output} characters")

    @classmethod
    def too_deep(cls) -> Self:
        """What it sends cannot be read."""
        return cls("LimitExceeded", "a result or an argument is nested too deep")


class Door:
    """What one run of a program did to a world."""

    def __init__(
        self, world: World, name: str, limits: Limits, exceptions: Sequence[str] = (), now: datetime | None = None
    ):
        self.name, self.limits, self.exceptions = name, limits, tuple(exceptions)
        # The class of the one object that programs see, and the faults that they know by plain name.
        self.kind, self.raises = name[:1].upper() + name[1:], tuple[str, ...](getattr(world, "raises", ()))
        self.now: datetime = now or getattr(world, "now", None) or _SOME_DAY
        # Seconds that the program has left, its reading included, and bytes for what is read of it.
        self.left, self._room = limits.seconds, limits.memory
        self.calls: list[Called] = []
        self.changes: dict[str, JsonValue] = {}
        self.created: dict[str, None] = {}
        self._world = world
        self.apis: Sequence[Api] = world.apis
        self.by_name = {api.name: api for api in self.apis}

    def timed(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Do something on the program's time. Raises Stopped where none is left."""
        start = time.monotonic()
        try:
            return work(*given, **named)
        finally:
            self.left -= time.monotonic() - start
            if self.left <= 0:
                raise Stopped.late(self.limits) from None

    def read(self, body: bytes) -> dict[str, Any]:
        """A message of the program, read within its limits. Raises Malformed or Stopped."""
        self._room -= weight(body)
        if self._room < 0:
            raise Stopped("LimitExceeded", f"calls and results that take more than {self.limits.memory} bytes")
        return self.timed(decoded, body)

    def call(self, api: str, arguments: Mapping[str, JsonValue]) -> Any:
        """Do a call. A Fault is returned, not raised; Stopped is for the one who runs the program."""
        if len(self.calls) >= self.limits.calls:
            raise Stopped("LimitExceeded", f"more than {self.limits.calls} calls")
        act = self.timed(Call, api=api, arguments=dict(arguments))
        result = execute(self._world, act)
        outward = getattr(self._world, "outward", None)
        told = result.value if outward is None or result.error else outward(self.by_name[api], result.value)
        try:
            self.timed(packed, [told, result.changes])
        except Malformed as wrong:
            result = Result(error=Fault(type="wrong type", message=f"{api} answered {wrong}, which is no JSON"))
        self.calls.append(Called(call=act, result=result))
        for path, row in result.changes.items():
            if row is None and path in self.created:  # it came and went
                del self.created[path], self.changes[path]
                continue
            if path in result.created and path not in self.changes:
                self.created[path] = None
            self.changes[path] = row
        return told if result.error is None else result.error


@lru_cache(maxsize=4096)
def spellings(name: str) -> tuple[str, ...]:
    """The ways in which a program may write an Api's name."""
    return tuple(dict.fromkeys(one for one in (name, _small(name), operation(name)) if one.isidentifier()))


def spelt(apis: Sequence[Api]) -> dict[str, list[str]]:
    """The spellings by Api, no spelling for two."""
    owner = {one: api.name for api in reversed(apis) for one in spellings(api.name)} | {a.name: a.name for a in apis}
    found: dict[str, list[str]] = {api.name: [] for api in apis}
    for one, name in owner.items():
        if one.isidentifier():
            found[name].append(one)
    return found


@lru_cache(maxsize=4096)
def operation(name: str) -> str:
    """An Api's name in CamelCase, as errors of a service quote it."""
    return "".join(part[:1].upper() + part[1:] for part in _small(name).split("_"))


def _small(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^\w]+", "_", name).lower()
