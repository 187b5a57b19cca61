"""Programs in Monty: an interpreter of part of Python in a worker process, which has no way to this machine at all.

Contract: `run` ends a program that the subset holds as CPython would. It raises Outside where the program is not in the
subset, or fails there in a way that CPython need not: whoever asked runs it elsewhere. With `alone`, when there is no
elsewhere, such failures are the outcome. Only texts cross: the arguments of a call and the result are JSON texts that
the program's own side makes, under its limits. Workers are kept warm, one a core, for all threads of this process.

Example:
    >>> available() in (True, False)
    True

Not covered: other versions of pydantic-monty than the one that the extra `programs` names.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import json
import os
import secrets
from collections.abc import Callable
from datetime import datetime
from functools import cache, lru_cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from toologue.errors import BadSetting
from toologue.sandbox.allowed import OF_THE_CLIENT, SERVICE
from toologue.sandbox.frames import Malformed, decoded
from toologue.sandbox.limits import Limits
from toologue.sandbox.rpc import Door, Outcome, Stopped, operation, spelt
from toologue.sandbox.subset import Known, Outside, Text, in_subset
from toologue.schema import Fault

_PRELUDE = Path(__file__).with_name("prelude.txt").read_text("utf-8")
_SECOND = "<python-input-1>"
"""What Monty calls the second text of a session: the program, after the prelude."""
_MARK = f"{secrets.token_hex(8)}:"
"""What the texts of errors begin with that carry more than a text."""
_GRACE = 0.5
"""Seconds after which a worker that does not stop by itself is ended."""


@cache
def available() -> bool:
    """Whether Monty is installed."""
    return find_spec("pydantic_monty") is not None


def run(tree: ast.Module, door: Door, seed: int, *, alone: bool) -> Outcome:
    """Run a program; the tree is used up. Raises Outside."""
    if not available():
        raise BadSetting("the backend monty needs pydantic-monty: pip install 'toologue[programs]'")
    try:
        text = in_subset(tree, _known(door))
    except Outside as outside:
        if not alone:
            raise
        return Outcome(error=Fault(type=outside.kind, message=str(outside)), line=outside.line)
    session = _Session(text, door, alone)
    try:
        return session.run(seed)
    except Stopped as stopped:
        return Outcome(error=stopped.fault, printed=session.printed)


def _known(door: Door) -> Known:
    spellings = spelt(door.apis)
    methods = {one: (api.name, tuple(api.parameters)) for api in door.apis for one in spellings[api.name]}
    return Known(door.name, methods, frozenset((*door.exceptions, *door.raises, SERVICE, OF_THE_CLIENT)))


class _Session:
    """One run of one program."""

    def __init__(self, text: Text, door: Door, alone: bool):
        self._text, self._door, self._alone = text, door, alone
        self.printed = ""

    def run(self, seed: int) -> Outcome:
        """All of it."""
        import pydantic_monty as pm

        prepared = _prepared(self._door.limits.model_dump_json(), self._door.now, seed, self._alone)
        with _checkout(self._door.limits, self._door.now, seed) as session:
            session.load_session(prepared)
            try:
                snapshot: Any = session.feed_start(self._text.text, print_callback=self._print)
                while not isinstance(snapshot, pm.MontyComplete):
                    snapshot = self._answered(snapshot)
                return self._outcome(cast("str", snapshot.output))
            except pm.MontyCrashedError as error:
                raise self._late() if error.timed_out else Stopped("Crash", "the interpreter's process ended") from None
            except (pm.MontyRuntimeError, pm.MontySyntaxError) as error:
                return self._failed(error)

    def _answered(self, snapshot: Any) -> Any:
        """What the program asks of the host: nothing but calls of Apis is answered."""
        if not hasattr(snapshot, "args"):
            return snapshot.resume()  # a name that is not defined
        match (snapshot.is_os_function, snapshot.function_name, snapshot.args):
            case (False, "_t_ask", ("!outside", str(what))):
                raise Outside(ast.Pass(), what)
            case (False, "_t_ask", (str(api), str(text))) if api in self._door.by_name:
                answer = self._door.call(api, self._arguments(text))
            case (True, _, _):
                return snapshot.resume_not_handled()
            case (_, name, _):
                return snapshot.resume({"exception": NameError(f"name {name!r} is not defined")})
        if isinstance(answer, Fault):
            return snapshot.resume({"exception": RuntimeError(_MARK + json.dumps(_told(answer, operation(api))))})
        streams: list[list[str | int]] = []
        return snapshot.resume({"return_value": [_opened(answer, [], streams.append), streams]})

    def _arguments(self, text: str) -> dict[str, Any]:
        if len(text) > self._door.limits.output:
            raise Stopped(
                "LimitExceeded", f"the arguments of a call are larger than {self._door.limits.output} characters"
            )
        try:
            return decoded(text.encode())
        except Malformed:
            raise Stopped("LimitExceeded", "a result or an argument is nested too deep") from None

    def _outcome(self, text: str) -> Outcome:
        output = self._door.limits.output
        if len(text) > output:
            raise Stopped("LimitExceeded", f"the result is larger than {output} characters")
        try:
            value = decoded(f'{{"value": {text}}}'.encode())["value"]
        except Malformed:
            raise Stopped("LimitExceeded", "a result or an argument is nested too deep") from None
        return Outcome(value=value, printed=self.printed)

    def _failed(self, error: Any) -> Outcome:
        """An error that left the program: ours to tell, or another interpreter's."""
        raised = error.exception()
        text, line = str(raised), self._line(error)
        if isinstance(raised, TimeoutError) and "time limit exceeded" in text:
            raise self._late()
        if isinstance(raised, RuntimeError) and text.startswith(_MARK):
            kind, _, text, *_ = json.loads(text[len(_MARK) :])
        elif self._alone:
            kind = type(raised).__name__
        else:
            raise Outside(ast.Pass(), f"{type(raised).__name__}: {text[:200]}")
        told = Fault(type=kind, message=text[: self._door.limits.output])
        return Outcome(error=told, line=line, printed=self.printed)

    def _line(self, error: Any) -> int | None:
        """The line of the program where the error was; frames of the prelude are another text's."""
        lines = self._text.lines
        frames: list[int] = [one.line for one in error.traceback() if one.filename == _SECOND]
        inside = [lines[one - 1] for one in frames if one <= len(lines)]
        return inside[-1] if inside else None

    def _late(self) -> Stopped:
        return Stopped("TimeoutError", f"the program took more than {self._door.limits.seconds:g} seconds")

    def _print(self, stream: str, text: str) -> None:
        self.printed += text[: self._door.limits.output - len(self.printed)]


def _told(fault: Fault, name: str) -> list[Any]:
    """A fault of the world as the prelude reads it: kind, args, text, repr, response, kinds, operation."""
    if fault.type == OF_THE_CLIENT:
        return [fault.type, [fault.message], fault.message, f"{fault.type}({fault.message!r})", None, [fault.type]]
    text = f"An error occurred ({fault.type}) when calling the {name} operation: {fault.message}"
    response = {"Error": {"Code": fault.type, "Message": fault.message}}
    return [fault.type, [text], text, f"{fault.type}({text!r})", response, [*_kinds(fault.type), SERVICE], name]


def _kinds(name: str) -> list[str]:
    """The names under which handlers catch a fault of this type."""
    alike = getattr(builtins, name, None)
    if isinstance(alike, type) and issubclass(alike, Exception):
        return [one.__name__ for one in alike.__mro__]
    return [name]


def _opened(value: Any, path: list[str | int], note: Callable[[list[str | int]], None]) -> Any:
    """A value with bytes in place of its streams, whose places are noted."""
    if isinstance(value, BytesIO):
        note(path)
        return value.getvalue()
    if isinstance(value, dict):
        return {name: _opened(item, [*path, name], note) for name, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_opened(item, [*path, at], note) for at, item in enumerate(cast("list[Any]", value))]
    return value


def _checkout(limits: Limits, now: datetime, seed: int) -> Any:
    """A fresh session of a warm worker."""
    held = {
        "max_feed_duration_secs": limits.seconds,
        "max_memory": limits.memory,
        "max_recursion_depth": limits.recursion + 20,
        "max_suspensions": 4 * limits.calls + 1000,
    }
    policy = {"datetime": now, "random_start": {"seed": seed}, "sleep": "zero"}
    return _pool().checkout(limits=held, os_policy=policy, assert_message_annotations=False)


@lru_cache(maxsize=64)
def _prepared(limits: str, now: datetime, seed: int, alone: bool) -> bytes:
    """A session that has run the prelude, as bytes: that takes half the time of running it. `limits` are JSON."""
    with _checkout(Limits.model_validate_json(limits), now, seed) as session:
        session.feed_run(f"_t_mark = {_MARK!r}\n_t_alone = {alone}\n{_PRELUDE}")
        return session.dump()


@cache
def _pool_of(process: int) -> Any:
    import pydantic_monty as pm

    pool = pm.Monty(feed_duration_limit_grace=_GRACE)
    pool.__enter__()
    atexit.register(pool.__exit__, None, None, None)
    return pool


def _pool() -> Any:
    return _pool_of(os.getpid())
