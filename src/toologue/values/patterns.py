"""A text that a simple regular expression matches: for the `pattern` of a JSON Schema.

Contract: pure; nothing is run but a reader of its own. None where the pattern uses what is not covered.

Example:
    >>> from random import Random
    >>> import re
    >>> text = text_for("^(ORD|INV)-[0-9]{4}[a-f]?$", Random(3))
    >>> bool(re.search("^(ORD|INV)-[0-9]{4}[a-f]?$", text or ""))
    True
    >>> text_for("^(?=a)b", Random(3)) is None
    True

Not covered: look-around, back-references, Unicode properties, nested sets; `\\b` is taken to hold.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from random import Random

_SETS = {
    "d": string.digits, "w": string.ascii_lowercase + string.digits, "s": " ", "D": string.ascii_letters, "W": " -.",
    "S": string.ascii_lowercase + string.digits,
}  # fmt: skip
_ANY = string.ascii_lowercase + string.digits
_ALL = "".join(chr(code) for code in range(32, 127))
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_LONGEST, _DEEPEST = 400, 12


class _NotCoveredError(Exception):
    """The pattern uses what this reader does not know."""


@dataclass
class _Reader:
    pattern: str
    random: Random
    spread: int
    at: int = 0

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        if self.at >= len(self.pattern):
            raise _NotCoveredError
        self.at += 1
        return self.pattern[self.at - 1]


def text_for(pattern: str, random: Random, *, spread: int = 3) -> str | None:
    """A text that the pattern matches, or None; open repetitions are repeated up to `spread` times more than "
    "they must."""
    reader = _Reader(pattern[:_LONGEST], random, spread)
    try:
        made = _alternatives(reader, 0)
    except (_NotCoveredError, ValueError):
        return None
    return made if reader.at == len(pattern) else None


def _alternatives(reader: _Reader, deep: int) -> str:
    """All branches are read, one is kept."""
    if deep > _DEEPEST:
        raise _NotCoveredError
    branches = [_sequence(reader, deep)]
    while reader.peek() == "|":
        reader.take()
        branches.append(_sequence(reader, deep))
    return reader.random.choice(branches)


def _sequence(reader: _Reader, deep: int) -> str:
    made: list[str] = []
    while reader.peek() not in ("", "|", ")"):
        start = reader.at
        piece = _atom(reader, deep)
        after, (fewest, most) = reader.at, _times(reader)
        count = reader.random.randint(fewest, most)
        resume = reader.at
        for number in range(count):
            if number:  # read again, so that each repetition differs
                reader.at = start
                piece = _atom(reader, deep)
            made.append(piece)
        reader.at = resume if resume != after else after
        if sum(map(len, made)) > 4 * _LONGEST:
            raise _NotCoveredError
    return "".join(made)


def _atom(reader: _Reader, deep: int) -> str:
    sign = reader.take()
    if sign in "^$":
        return ""
    if sign == ".":
        return reader.random.choice(_ANY)
    if sign == "(":
        return _group(reader, deep)
    if sign == "[":
        return reader.random.choice(_set(reader))
    if sign == "\\":
        letter = reader.take()
        if letter in _SETS:
            return reader.random.choice(_SETS[letter])
        if letter in "bAzZ":
            return ""
        return _escaped(reader, letter)
    if sign in "*+?{":
        raise _NotCoveredError
    return sign


def _group(reader: _Reader, deep: int) -> str:
    if reader.peek() == "?":
        reader.take()
        kind = reader.take()
        if (kind == "P" and reader.peek() == "<") or (kind == "<" and reader.peek() not in ("=", "!")):
            while reader.take() != ">":
                pass
        elif kind != ":":
            raise _NotCoveredError
    made = _alternatives(reader, deep + 1)
    if reader.take() != ")":
        raise _NotCoveredError
    return made


def _set(reader: _Reader) -> str:
    negated = reader.peek() == "^"
    if negated:
        reader.take()
    letters = ""
    first = True
    while reader.peek() != "]" or first:
        first = False
        low = _letter(reader)
        if len(low) == 1 and reader.peek() == "-" and reader.pattern[reader.at + 1 : reader.at + 2] not in ("]", ""):
            reader.take()
            high = _letter(reader)
            if len(high) != 1 or not 0 <= ord(high) - ord(low) < 2000:
                raise _NotCoveredError
            letters += "".join(chr(code) for code in range(ord(low), ord(high) + 1))
        else:
            letters += low
    reader.take()
    left = "".join(sign for sign in _ALL if sign not in letters) if negated else letters
    if not left:
        raise _NotCoveredError
    return left


def _letter(reader: _Reader) -> str:
    sign = reader.take()
    if sign != "\\":
        return sign
    letter = reader.take()
    return _SETS[letter] if letter in _SETS else _escaped(reader, letter)


def _escaped(reader: _Reader, letter: str) -> str:
    if letter in _PLAIN:
        return _PLAIN[letter]
    if letter in "xu":
        digits = "".join(reader.take() for _ in range(2 if letter == "x" else 4))
        return chr(int(digits, 16))
    if letter.isalnum():
        raise _NotCoveredError
    return letter


def _times(reader: _Reader) -> tuple[int, int]:
    """The fewest and most repetitions that follow."""
    sign = reader.peek()
    if sign in ("*", "+", "?") and sign:
        reader.take()
        bounds = {"*": (0, reader.spread), "+": (1, 1 + reader.spread), "?": (0, 1)}[sign]
    elif sign == "{":
        end = reader.pattern.find("}", reader.at)
        low, comma, high = reader.pattern[reader.at + 1 : end].partition(",")
        if end < 0 or not low.isdecimal() or (high and not high.isdecimal()):
            raise _NotCoveredError
        reader.at = end + 1
        bounds = (
            int(low),
            (min(int(high), int(low) + reader.spread) if high else int(low) + reader.spread if comma else int(low)),
        )
    else:
        return 1, 1
    if reader.peek() in ("?", "+") and reader.peek():
        reader.take()
    if not bounds[0] <= bounds[1] or bounds[0] > _LONGEST:
        raise _NotCoveredError
    return bounds
