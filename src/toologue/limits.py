"""What is taken from outside: how deep, how long, how large, each key once. What was read can then be written, too.

    >>> deeper(b'{"a": [[1]]}', 2), deeper(b'{"a": ["[[["]}', 2)
    (True, False)

Not covered: time and memory of programs (`sandbox.limits`), and what a command's options limit.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

# Levels of documents, of what an agent does and of what a world answers; a line of a file wraps such values.
DEEPEST = 100
DEEPEST_LINE = 200  # what pydantic reads
# Digits of a whole number: Python converts so many.
DIGITS = 4300
# Bytes of a document or a line, of a procedure or a graph; of what an agent does in one turn, and characters of what is
# said in one; characters of an error's message.
DOCUMENT = 64 * 2**20
PAGE = 2**20
TURN = 2**20
MESSAGE = 2000
# Characters of one message that the agent `retrieve` reads.
HEARD = 10_000

_ALIKE = bytes.maketrans(b"{}", b"[]")
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def deeper(json: bytes, levels: int) -> bool:
    """Whether lists and objects of a JSON text nest deeper. Linear: the innermost are taken away, level by level."""
    if json.count(b"[") + json.count(b"{") <= levels:
        return False
    return bool(_outer(json, levels)) and bool(_outer(_TEXT.sub(b"", json), levels))


def _outer(json: bytes, levels: int) -> bytes:
    brackets = json.translate(_ALIKE, _NO_BRACKET)
    for _ in range(levels):
        if not brackets:
            break
        brackets = brackets.replace(b"[]", b"")
    return brackets


def cut(text: str, limit: int = MESSAGE) -> str:
    """The text on at most `limit` characters; what was cut off is told."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"


def legible(text: str) -> str:
    """The text with what cannot be seen, or would steer whoever shows it, as visible escapes."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


class TwiceError(ValueError):
    """A key stands twice in one object."""


def members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of its members, as `json` gives them. Raises TwiceError."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise TwiceError(f"the key {cut(twice, 60)!r} stands twice in one object")
    return made
