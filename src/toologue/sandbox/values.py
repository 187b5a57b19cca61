r"""What crosses between a world and a program: JSON, and on the way in moments, bytes and streams of bytes.

Contract: `packed` and `unpacked` carry what a world shows beyond JSON: objects with the one key `!moment`, `!bytes` or
`!stream` (`!object` where a result has such a key of its own). `plain` is JSON text of anything that a program returns
or passes: moments as ISO text, bytes and streams as their text or `{"base64": ...}`, sets as sorted lists; it raises
what `json.dumps` raises: TypeError for what is no value, ValueError for NaN and circles. Standard library only: a
program's process imports this module, too.

Example:
    >>> unpacked(packed({"Body": Stream(b"Hi"), "!moment": 1}))["Body"].read()
    b'Hi'
    >>> plain({"b": b"\xff", "s": {2, 1}, "t": (1, None)})
    '{"b": {"base64": "/w=="}, "s": [1, 2], "t": [1, null]}'

Not covered: streams that are larger than memory; dates and times without the other half as results of a world.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from io import BytesIO
from typing import Any, cast


class Stream(BytesIO):
    """The body of an object, as a program reads it."""

    def iter_lines(self) -> Iterator[bytes]:
        """The lines without their ends."""
        return iter(self.read().splitlines())


def packed(value: Any) -> Any:
    """A world's value as JSON that remembers what it was."""
    if isinstance(value, datetime):
        return {"!moment": value.isoformat()}
    if isinstance(value, bytes | bytearray):
        return {"!bytes": base64.b64encode(value).decode()}
    if isinstance(value, BytesIO):
        return {"!stream": base64.b64encode(value.getvalue()).decode()}
    if isinstance(value, dict):
        held = {name: packed(item) for name, item in cast("dict[str, Any]", value).items()}
        return {"!object": held} if len(held) == 1 and next(iter(held)).startswith("!") else held
    if isinstance(value, list | tuple):
        return [packed(item) for item in cast("list[Any]", value)]
    return value


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
