"""What host and program share: the names a program finds, messages in frames, and values beyond JSON.

Both sides import this module, so it needs the standard library alone. A message is its length in four bytes, then a
JSON object in ASCII; `decoded` is for the host, who trusts no byte: it raises Malformed for whatever is not one JSON
object of modest depth, and `weight` says beforehand what that would cost. `packed` and `unpacked` carry what a world
shows beyond JSON: objects with the one key `!moment`, `!bytes` or `!stream` (`!object` where a result has such a key of
its own). `plain` is JSON text of anything that a program returns or passes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time
from io import BytesIO
from itertools import accumulate
from math import isfinite
from typing import Any, NoReturn, cast

# Time stands still, chance is seeded.
MODULES = (
    "base64", "bisect", "collections", "collections.abc", "copy", "csv", "dataclasses", "datetime", "decimal", "enum",
    "fnmatch", "fractions", "functools", "hashlib", "heapq", "io", "itertools", "json", "math", "operator", "random",
    "re", "statistics", "string", "textwrap", "time", "typing", "urllib.parse", "uuid",
)  # fmt: skip

# Builtins that reach for files or for the interpreter.
ABSENT = ("breakpoint", "compile", "copyright", "credits", "eval", "exec", "exit", "help", "input", "license", "open",
          "quit")  # fmt: skip

# Bytes of the length.
HEAD = 4
# Lists and objects inside one another, at most.
DEPTH = 100
# Of a whole number: Python writes no longer ones.
BITS = 14_000
_STEPS = {**dict.fromkeys(b"[{", 1), **dict.fromkeys(b"]}", -1)}
_NO_BRACKETS = bytes({*range(256)} - {*_STEPS})


class Malformed(Exception):
    """These bytes are no message. `kind` is `deep` where only the depth is wrong."""

    def __init__(self, what: str, kind: str = "bytes"):
        super().__init__(what)
        self.kind = kind


def encoded(message: Mapping[str, Any]) -> bytes:
    """The bytes of a message."""
    body = json.dumps(message, allow_nan=False).encode("ascii")
    return len(body).to_bytes(HEAD, "big") + body


def weight(body: bytes) -> int:
    """Bytes of memory that reading a message takes at most, about: nothing is read."""
    return len(body) + 32 * sum(map(body.count, (b'"', b"[", b"{", b",", b":")))


def decoded(body: bytes) -> dict[str, Any]:
    """The message that these bytes hold, without their length. Its depth is found before it is read."""
    if _depth(body) > DEPTH + 1:
        raise Malformed("nested too deep", "deep")
    try:
        value = json.loads(body.decode(), parse_constant=_no_constant)
    except ValueError as error:
        raise Malformed(f"no JSON: {error}") from None
    if not isinstance(value, dict):
        raise Malformed("no JSON object")
    return cast("dict[str, Any]", _checked(value, 0))


def received(read: Callable[[int], bytes], most: int) -> bytes:
    """The next body, given a function that reads at least one and at most so many bytes. Empty at the end."""
    length = int.from_bytes(_exactly(read, HEAD), "big")
    if length > most:
        raise Malformed(f"{length} bytes, where {most} are the most")
    return _exactly(read, length)


def _depth(body: bytes) -> int:
    """How deep lists and objects stand in one another, outside of texts."""
    if body.count(b"[") + body.count(b"{") <= DEPTH:
        return 0
    outside = body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]
    brackets = b"".join(outside).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _exactly(read: Callable[[int], bytes], count: int) -> bytes:
    found = bytearray()
    while len(found) < count:
        part = read(min(count - len(found), 1 << 16))
        if not part:
            return b""
        found += part
    return bytes(found)


def _no_constant(name: str) -> NoReturn:
    raise Malformed(f"{name} is no JSON")


def _checked(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float) and not isfinite(value):
        raise Malformed("a number that is too large")
    if depth > DEPTH:
        raise Malformed("nested too deep", "deep")
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        return {_checked(name, depth): _checked(item, depth + 1) for name, item in held.items()}
    if isinstance(value, list):
        return [_checked(item, depth + 1) for item in cast("list[Any]", value)]
    return value


class Stream(BytesIO):
    """The body of an object, as a program reads it."""

    def iter_lines(self) -> Iterator[bytes]:
        """The lines without their ends."""
        return iter(self.read().splitlines())


def packed(value: Any, depth: int = 0) -> Any:
    """A world's value as JSON that remembers what it was. Raises Malformed for what cannot be told."""
    if depth > DEPTH:
        raise Malformed("what is nested too deep", "deep")
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return {"!moment": value.isoformat()}
    if isinstance(value, (bytes, bytearray)):
        return {"!bytes": base64.b64encode(value).decode()}
    if isinstance(value, BytesIO):
        return {"!stream": base64.b64encode(value.getvalue()).decode()}
    if isinstance(value, dict):
        held = {_key(name): packed(item, depth + 1) for name, item in cast("dict[Any, Any]", value).items()}
        return {"!object": held} if len(held) == 1 and next(iter(held)).startswith("!") else held
    if isinstance(value, list | tuple):
        return [packed(item, depth + 1) for item in cast("list[Any]", value)]
    if isinstance(value, float) and not isfinite(value):
        raise Malformed(f"the number {value}")
    if isinstance(value, int) and value.bit_length() > BITS:
        raise Malformed(f"a number of more than {BITS} bits")
    if isinstance(value, int | float):
        return value
    raise Malformed(f"a {type(value).__name__}")


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise Malformed(f"an object with the key {name!r}")
    return name


def unpacked(value: Any) -> Any:
    """The value that was packed."""
    if isinstance(value, list):
        return [unpacked(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    held = cast("dict[str, Any]", value)
    if len(held) == 1:
        kind, inner = next(iter(held.items()))
        if kind == "!moment":
            return datetime.fromisoformat(inner)
        if kind in ("!bytes", "!stream"):
            data = base64.b64decode(inner)
            return data if kind == "!bytes" else Stream(data)
        if kind == "!object":
            held = inner
    return {name: unpacked(item) for name, item in held.items()}


def plain(value: Any) -> str:
    """What a program returned or passed, as JSON text."""
    return json.dumps(value, default=_plain, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if callable(getattr(value, "read", None)):
        value = value.read()
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, set | frozenset):
        members = cast("Iterable[Any]", value)
        try:
            return sorted(members)
        except TypeError:  # nothing orders them: their texts do
            return sorted(members, key=plain)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
