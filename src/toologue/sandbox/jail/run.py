"""The life of one program: told what to run, sealed, then run; then its result.

Contract: `live` never returns. The program is the body of a function in a module of its own; that module is loaded the
way every module is, from memory, and only in this process, which can do nothing but talk to the host. What is sent is
checked there: the program could send the same bytes itself.

Messages to the host: `{"id", "call", "arguments"}` for a call, its answer being `{"value"}` or `{"error": [type,
message]}`; at the end `{"value", "printed"}`, or `{"error": [type, message], "line", "printed"}`.

Example:
    >>> live.__annotations__["return"]
    'NoReturn'

Not covered: what is printed by a program that is stopped from outside.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import warnings
from collections.abc import Mapping
from importlib.abc import InspectLoader
from importlib.util import module_from_spec, spec_from_loader
from types import CodeType, ModuleType
from typing import Any, NoReturn

from toologue.sandbox.allowed import MODULES
from toologue.sandbox.frames import encoded, received
from toologue.sandbox.jail import clock, filter
from toologue.sandbox.jail import namespace as shown
from toologue.sandbox.values import plain, unpacked

_FILE = "<program>"


def live(door: int, taken: int) -> NoReturn:
    """Be the process of one program, once the host tells which. `taken`: bytes that the interpreter has already."""
    try:
        filter.enclose(door)
        told = json.loads(received(_read, 1 << 32) or b"null")
        if told is not None:
            filter.seal(taken + told["memory"], told["seconds"])
            _say(_outcome(told))
    finally:
        os._exit(0)


def _read(most: int) -> bytes:
    return os.read(filter.DOOR, most)


def _say(message: Mapping[str, Any]) -> None:
    data = memoryview(encoded(message))
    while data:
        data = data[os.write(filter.DOOR, data) :]


class _Loader(InspectLoader):
    """Loads a program as a module that defines it as a function."""

    def __init__(self, code: str):
        self._code = code

    def get_source(self, fullname: str) -> str:
        return self._code

    def get_code(self, fullname: str) -> CodeType:
        body = ast.parse(self._code, _FILE).body or [ast.Pass(lineno=1, col_offset=0)]
        whole = ast.parse("def program(): pass", _FILE)
        whole.body[0].body = body  # pyright: ignore[reportAttributeAccessIssue]
        return self.source_to_code(ast.fix_missing_locations(whole), _FILE)  # pyright: ignore[reportArgumentType]


def _outcome(told: Mapping[str, Any]) -> dict[str, Any]:
    """Run what the host told, and say what came of it."""
    most: int = told["output"]
    printed = shown.Printed(most)
    clock.start(told["now"], told["seed"])
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(told["recursion"] + 20)
    try:
        text = plain(_ran(told, printed))
        if len(text) > most:
            return _failed("LimitExceeded", f"the result is larger than {most} characters", None, printed)
        return {"value": json.loads(text), "printed": printed.text}
    except BaseException as error:  # noqa: BLE001 (whatever a program raises is its outcome)
        kind, text = type(error).__name__[:100], shown.text_of(error)[:most]
        return _failed(kind, text, _line(error), printed)
    finally:
        sys.setrecursionlimit(1000)


def _ran(told: Mapping[str, Any], printed: shown.Printed) -> Any:
    loader = _Loader(told["code"])
    spec = spec_from_loader("program", loader)
    assert spec is not None
    module: ModuleType = module_from_spec(spec)
    sys.modules["program"] = module
    names = vars(module)
    names |= shown.names(told, _ask(told["output"])) | {"__builtins__": shown.builtins(MODULES, printed)}
    loader.exec_module(module)
    return names.pop("program")()


def _ask(most: int) -> shown.Ask:
    """How a program's calls reach the host."""
    count = 0

    def ask(api: str, arguments: Mapping[str, Any]) -> Any:
        nonlocal count
        count += 1
        text = plain(arguments)
        _say({"id": count, "call": api, "arguments": json.loads(text)})
        answer = json.loads(received(_read, 1 << 32))
        if "error" in answer:
            raise shown.Refused(*answer["error"])
        return unpacked(answer["value"])

    return ask


def _failed(kind: str, message: str, line: int | None, printed: shown.Printed) -> dict[str, Any]:
    return {"error": [kind, message], "line": line, "printed": printed.text}


def _line(error: BaseException) -> int | None:
    """The line of the program that an error left last."""
    if isinstance(error, SyntaxError) and error.filename == _FILE:
        return error.lineno
    line, frame = None, error.__traceback__
    while frame is not None:
        line = frame.tb_lineno if frame.tb_frame.f_code.co_filename == _FILE else line
        frame = frame.tb_next
    return line
