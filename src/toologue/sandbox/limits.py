"""How much a program may use, and what came of it.

Contract: all limits are always set. `Execution.error.type` is the class of the exception that the program ended with;
beside those of the program

    TimeoutError   its own time is used up; what the world takes to answer does not count
    LimitExceeded  too many calls, too large or too deep a result, a program too long
    Crash          its process ended, or sent what is no message; nothing is known of why

Example:
    >>> Limits(seconds=0.5).calls
    1000

Not covered: how long a world takes to answer; a world bounds its own waiting.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from toologue.schema import Call, Fault, Result
from toologue.schema.noun import Noun

BackendName = Literal["monty", "zygote"]


class Limits(Noun):
    """The most that one program may use."""

    seconds: float = Field(default=5.0, gt=0, le=600)
    memory: int = Field(default=128 << 20, ge=8 << 20)
    """Bytes beyond what the interpreter itself takes."""
    recursion: int = Field(default=400, ge=50, le=1000)
    """Calls inside calls."""
    output: int = Field(default=1_000_000, ge=1000)
    """Characters of the result as JSON, of what is printed, of the arguments of a call, and of the program."""
    calls: int = Field(default=1000, ge=0)
    """Calls of Apis."""


class Called(Noun):
    """A call that a program made, and what the world answered."""

    call: Call
    result: Result


class Execution(Noun):
    """What a program returned or how it failed, and what it did on the way. No clock times: equal runs are equal."""

    value: JsonValue = None
    error: Fault | None = None
    line: int | None = None
    """The line of the program where the error was; in Monty that of a handler which an error of the world went by."""
    printed: str = ""
    calls: tuple[Called, ...] = ()
    changes: dict[str, JsonValue] = Field(default_factory=dict)
    created: tuple[str, ...] = ()
    backend: BackendName | None = None
    """Which one ran it; None where nothing was run."""
