"""What a program sees: one object whose methods are the Apis, exceptions by name, and the harmless builtins.

Contract: errors of the world are exceptions named by the type of the fault, kinds of `ClientError` with `.response` and
`.operation_name` as in boto3; where a builtin exception has that name, they are of its kind, too. What a client refuses
by itself (`ParamValidationError`) is no ClientError. The conversational exceptions are plain ones.

Example:
    >>> raised = Exceptions().raised("NoSuchKey", "There is none.", "GetObject")
    >>> text_of(raised), raised.response["Error"]["Code"]
    ('An error occurred (NoSuchKey) when calling the GetObject operation: There is none.', 'NoSuchKey')

Not covered: hiding things from the program; it runs where knowing them does not help.
"""

from __future__ import annotations

import builtins as python
import importlib
from collections.abc import Callable, Collection, Mapping
from typing import Any

from toologue.sandbox.allowed import ABSENT, OF_THE_CLIENT, SERVICE

Ask = Callable[[str, Mapping[str, Any]], Any]
"""(Api, arguments) → value; raises Refused."""


_UNDERNEATH = "_strptime"
"""What `strptime` imports on behalf of a program."""


class Refused(Exception):
    """The world answered with a fault: (type, message)."""


class Printed:
    """What a program prints, up to so many characters."""

    def __init__(self, most: int):
        self.text, self._most = "", most

    def write(self, text: str) -> int:
        """Take some text."""
        self.text += str(text)[: self._most - len(self.text)]
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
