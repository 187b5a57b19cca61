"""The process that is forked once a program, and the life of one program: told what to run, sealed, run; its result.

`serve` has imported all that programs may, and knows nothing else. Any message on the control socket asks for a
process; the answer is the socket to it, and a descriptor of it. The first message says that the kernel keeps programs
in, or why it does not. It ends when the control socket is closed or the host is gone.

The program is the body of a function in a module of its own; that module is loaded the way every module is, from
memory, and only in this process, which can do nothing but talk to the host. What is sent is checked there: the program
could send the same bytes itself.

Messages to the host: `{"id", "call", "arguments"}` for a call, its answer being `{"value"}` or `{"error": [type,
message]}`; at the end `{"value", "printed"}`, or `{"error": [type, message], "line", "printed"}`.
"""

from __future__ import annotations

import ast
import builtins as python
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Collection, Mapping
from importlib.abc import InspectLoader
from importlib.util import module_from_spec, spec_from_loader
from io import StringIO
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NoReturn

from toologue.sandbox.exceptions import OF_THE_CLIENT, SERVICE
from toologue.sandbox.jail import clock, filter
from toologue.sandbox.messages import ABSENT, MODULES, encoded, plain, received, unpacked

# (Api, arguments) → value; raises Refused.
Ask = Callable[[str, Mapping[str, Any]], Any]


# What `strptime` imports on behalf of a program.
_UNDERNEATH = "_strptime"
# Modules that the allowed ones import when they are first used.
_ALSO = (_UNDERNEATH, "calendar", "encodings.ascii", "encodings.idna", "encodings.latin_1", "encodings.utf_16",
         "inspect", "linecache", "locale", "unicodedata")  # fmt: skip


class Refused(Exception):
    """The world answered with a fault: (type, message)."""


class Printed:
    """What a program prints, up to so many characters."""

    def __init__(self, most: int):
        self._held, self._most = StringIO(), most

    @property
    def text(self) -> str:
        """What was taken."""
        return self._held.getvalue()

    def write(self, text: str) -> int:
        """Take some text."""
        self._held.write(str(text)[: self._most - self._held.tell()])
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""


class ClientError(Exception):
    """The service refused."""

    def __init__(self, response: Any = None, operation_name: str = ""):
        self.response: Any = response if isinstance(response, dict) else {}
        self.operation_name = operation_name
        told = self.response.get("Error", {})
        code, message = told.get("Code", "Unknown"), told.get("Message", "Unknown")
        super().__init__(f"An error occurred ({code}) when calling the {operation_name} operation: {message}")

    def __str__(self) -> str:
        return Exception.__str__(self)


class Exceptions:
    """Exceptions by name, as attributes: whichever a program asks for."""

    def __init__(self) -> None:
        self._known: dict[str, type[Exception]] = {
            SERVICE: ClientError,
            OF_THE_CLIENT: type(OF_THE_CLIENT, (Exception,), {"__module__": "program"}),
        }

    def __getattr__(self, name: str) -> type[Exception]:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.named(name)

    def named(self, name: str) -> type[Exception]:
        """The exception for a type of fault."""
        if name not in self._known:
            self._known[name] = _kind(name)
        return self._known[name]

    def raised(self, kind: str, message: str, operation: str) -> Exception:
        """The exception for a fault."""
        if kind == OF_THE_CLIENT:
            return self.named(kind)(message)
        return self.named(kind)({"Error": {"Code": kind, "Message": message}}, operation)


def _kind(name: str) -> type[Exception]:
    alike = getattr(python, name, None)
    kinds: tuple[type, ...] = (ClientError,)
    if isinstance(alike, type) and issubclass(alike, Exception):
        kinds = (ClientError, alike)
    try:
        return type(name, kinds, {"__module__": "program"})
    except TypeError:  # a builtin that cannot be mixed
        return type(name, (ClientError,), {"__module__": "program"})


def names(told: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """All names that a program finds."""
    exceptions = Exceptions()
    plain = {name: type(name, (Exception,), {"__module__": "program"}) for name in told["exceptions"]}
    service = {name: exceptions.named(name) for name in (*told["raises"], SERVICE, OF_THE_CLIENT)}
    return service | plain | {told["name"]: _service(told, exceptions, ask)}


def _service(told: Mapping[str, Any], exceptions: Exceptions, ask: Ask) -> Any:
    """The one object: `apis` are (spellings, name, parameters)."""
    held: dict[str, Any] = {"exceptions": exceptions}
    for spellings, api, parameters, operation in told["apis"]:
        method = _method(api, parameters, exceptions, ask, operation)
        held |= dict.fromkeys(spellings, method)
    kind = type(told["class"], (), {"__module__": "program", "__slots__": (), **held})
    return kind()


def _method(api: str, parameters: list[str], exceptions: Exceptions, ask: Ask, operation: str) -> Any:
    @staticmethod
    def method(*given: Any, **named: Any) -> Any:
        if len(given) > len(parameters):
            raise TypeError(f"{api}() takes {len(parameters)} positional arguments but {len(given)} were given")
        arguments = dict(zip(parameters, given, strict=False))
        for name in named:
            if name in arguments:
                raise TypeError(f"{api}() got multiple values for argument '{name}'")
        try:
            return ask(api, arguments | named)
        except Refused as refused:
            kind, message = refused.args
        raise exceptions.raised(kind, message, operation)

    return method


def builtins(modules: Collection[str], printed: Printed) -> dict[str, Any]:
    """The builtins without those that reach for files or for the interpreter."""
    allowed = {*modules, *(name.partition(".")[0] for name in modules), _UNDERNEATH}

    def imported(name: str, given: Any = None, local: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if name not in allowed:
            raise ImportError(f"a program may not import {name!r}")
        return importlib.__import__(name, given, local, wanted, level)

    def said(
        *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
    ) -> None:
        print(*values, sep=sep, end=end, file=printed if file is None else file)

    kept = {name: held for name, held in vars(python).items() if name not in ABSENT}
    return kept | {"print": said, "__import__": imported}


def text_of(error: BaseException) -> str:
    """What an exception says, whatever its methods do."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 (its methods are the program's)
        return ""


_FILE = "<program>"


def live(door: socket.socket, taken: int) -> NoReturn:
    """Be the process of one program, which the host tells; `taken`: bytes that the interpreter has already."""
    try:
        ours, theirs = socket.socketpair()
        socket.send_fds(door, [b"born"], [ours.fileno(), os.pidfd_open(os.getpid())])
        filter.enclose(theirs.fileno())
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
    def __init__(self, code: str):
        self._code = code

    def get_source(self, fullname: str) -> str:
        return self._code

    def get_code(self, fullname: str) -> CodeType:
        body = ast.parse(self._code, _FILE).body or [ast.Pass(lineno=1, col_offset=0)]
        whole = ast.parse("def program(): pass", _FILE)
        whole.body[0].body = body  # pyright: ignore[reportAttributeAccessIssue]
        return self.source_to_code(whole, _FILE)  # pyright: ignore[reportArgumentType]


def _outcome(told: Mapping[str, Any]) -> dict[str, Any]:
    most: int = told["output"]
    printed = Printed(most)
    clock.start(told["now"], told["seed"])
    warnings.simplefilter("ignore")
    try:
        program = _loaded(told, printed)
        sys.setrecursionlimit(told["recursion"] + 20)
        text = plain(program())
        if len(text) > most:
            return _failed("LimitExceeded", f"the result is larger than {most} characters", None, printed)
        return {"value": json.loads(text), "printed": printed.text}
    except BaseException as error:  # noqa: BLE001 (whatever a program raises is its outcome)
        kind, text = type(error).__name__[:100], text_of(error)[:most]
        return _failed(kind, text, _line(error), printed)
    finally:
        sys.setrecursionlimit(1000)


def _loaded(told: Mapping[str, Any], printed: Printed) -> Callable[[], Any]:
    loader = _Loader(told["code"])
    spec = spec_from_loader("program", loader)
    assert spec is not None
    module: ModuleType = module_from_spec(spec)
    sys.modules["program"] = module
    found = vars(module)
    found |= names(told, _ask(told["output"], printed)) | {"__builtins__": builtins(MODULES, printed)}
    loader.exec_module(module)
    return found.pop("program")


def _ask(most: int, printed: Printed) -> Ask:
    count = 0

    def ask(api: str, arguments: Mapping[str, Any]) -> Any:
        nonlocal count
        count += 1
        text = plain(arguments)
        if len(text) > most:
            _say(_failed("LimitExceeded", f"the arguments of a call are larger than {most} characters", None, printed))
            os._exit(0)
        _say({"id": count, "call": api, "arguments": json.loads(text)})
        answer = json.loads(received(_read, 1 << 32))
        if "error" in answer:
            raise Refused(*answer["error"])
        return unpacked(answer["value"])

    return ask


def _failed(kind: str, message: str, line: int | None, printed: Printed) -> dict[str, Any]:
    return {"error": [kind, message], "line": line, "printed": printed.text}


def _line(error: BaseException) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == _FILE:
        return error.lineno
    line, frame = None, error.__traceback__
    while frame is not None:
        line = frame.tb_lineno if frame.tb_frame.f_code.co_filename == _FILE else line
        frame = frame.tb_next
    return line


def serve(control: int, host: int) -> None:
    """Fork a process for every program, until the host is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries children
    os.environ.clear()  # it was for the interpreter
    for name in (*MODULES, *_ALSO):
        importlib.import_module(name)
    with socket.socket(fileno=control) as door:
        try:
            alive = os.pidfd_open(host)
            taken = os.sysconf("SC_PAGE_SIZE") * int(Path("/proc/self/statm").read_text().split()[0])
            refusal = _refusal()
        except OSError as error:
            alive, taken, refusal = -1, 0, str(error)
        door.send(refusal.encode() or b"sealed")
        if refusal or os.getppid() != host:
            return
        gc.collect()
        gc.freeze()
        while alive not in select.select([door, alive], [], [])[0] and door.recv(64):
            if os.fork() == 0:
                live(door, taken)


def _refusal() -> str:
    reads, writes = os.pipe()
    if os.fork() == 0:
        try:
            os.write(filter.DOOR, _tried(writes).encode())
        finally:
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as told:
        said = told.read().decode()
    return "" if said == "sealed" else said or "the sealed process died"


def _tried(door: int) -> str:
    """What a sealed process can do; its `DOOR` is this descriptor."""
    try:
        filter.enclose(door)
        filter.seal(1 << 40, 10)
    except OSError as error:
        return str(error)
    try:
        os.open("/", os.O_RDONLY)
    except PermissionError:
        return "sealed"
    except OSError as error:
        return str(error)
    return "a sealed process can open files"
