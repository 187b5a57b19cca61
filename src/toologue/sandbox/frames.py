"""Messages between the host and a program's process: the length in four bytes, then a JSON object in ASCII.

Contract: `decoded` is for the host, who trusts no byte: it raises Malformed for whatever is not one JSON object of
modest depth; NaN, lone surrogates and integers of thousands of digits are no JSON here. Both sides import this module,
so it needs the standard library alone.

Example:
    >>> decoded(encoded({"value": [1]})[4:])
    {'value': [1]}
    >>> decoded(b'{"value": NaN}')
    Traceback (most recent call last):
    toologue.sandbox.frames.Malformed: NaN is no JSON

Not covered: what the keys mean; whoever reads a message compares them with those that it knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, cast

HEAD = 4
"""Bytes of the length."""
DEPTH = 100
"""Lists and objects inside one another, at most."""


class Malformed(Exception):
    """These bytes are no message. `kind` is `deep` where only the depth is wrong."""

    def __init__(self, what: str, kind: str = "bytes"):
        super().__init__(what)
        self.kind = kind


def encoded(message: Mapping[str, Any]) -> bytes:
    """The bytes of a message."""
    body = json.dumps(message, allow_nan=False).encode("ascii")
    return len(body).to_bytes(HEAD, "big") + body


def decoded(body: bytes) -> dict[str, Any]:
    """The message that these bytes hold, without their length."""
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except RecursionError:
        raise Malformed("nested too deep", "deep") from None
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


def _exactly(read: Callable[[int], bytes], count: int) -> bytes:
    parts: list[bytes] = []
    while count > 0:
        part = read(min(count, 1 << 16))
        if not part:
            return b""
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _no_constant(name: str) -> NoReturn:
    raise Malformed(f"{name} is no JSON")


def _checked(value: Any, depth: int) -> Any:
    """The value, its texts fit to be written."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if depth > DEPTH:
        raise Malformed("nested too deep", "deep")
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        return {_checked(name, depth): _checked(item, depth + 1) for name, item in held.items()}
    if isinstance(value, list):
        return [_checked(item, depth + 1) for item in cast("list[Any]", value)]
    return value
