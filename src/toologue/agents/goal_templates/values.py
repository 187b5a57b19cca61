"""The typed values in a user's words: names of buckets, files and folders, endings, regions, dates, sizes, quotes.

Contract: pure. Every value has its place. How kinds of values look stands in values.yaml, the first that fits counts.
What could be a folder or a file is one of them by its spelling: `a/b/` is a folder, `a/b.txt` a file.

Example:
    >>> said = read('copy temp/a.txt from the-attic to old-stuff/ and call it "x", it is from May 2024')
    >>> [(one.kind, one.text) for one in said]
    [('key', 'temp/a.txt'), ('bucket', 'the-attic'), ('prefix', 'old-stuff/'), ('quote', 'x'), ('date', '2024-05')]

Not covered: names with spaces, unless they stand in quotes or were seen in a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from toologue.data import shipped

__all__ = ["KINDS", "MONTHS", "NUMBERS", "Value", "city", "masked", "number", "read"]

_TOLD: dict[str, Any] = shipped(Path(__file__).with_name("values.yaml"))
MONTHS: list[str] = _TOLD["months"]
NUMBERS: list[str] = _TOLD["numbers"]
KINDS: dict[str, str] = _TOLD["kinds"]
"""What people call kinds of files, and how these end."""
_WORDS = {
    "MONTH": "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in MONTHS),
    "NUMBER": "one(?= (?:line|row|file|header|largest|biggest|newest|oldest|smallest))|" + "|".join(NUMBERS[2:]),
    "SAYING": _TOLD["saying"],
    "SAID": _TOLD["said"],
}
_SIGNS = {"prefix": "/", "path": "/", "key": ".", "ending": ".", "region": "-"}
"""What a value of a kind cannot do without."""


def _reader(kind: str, pattern: str) -> tuple[str, str, re.Pattern[str]]:
    for name, words in _WORDS.items():
        pattern = pattern.replace(name, words)
    return kind, _SIGNS.get(kind, ""), re.compile(pattern if kind != "date" else f"(?i){pattern}")


_READERS = tuple(_reader(kind, pattern) for kind, pattern in _TOLD["patterns"])
_ENGLISH, _QUOTED_KEY = re.compile(_TOLD["no_bucket"]), re.compile(_TOLD["quoted_key"])
_UNITS = {"k": 1000, "m": 1000**2, "g": 1000**3}
_LESS = re.compile(r"(?<!<)<(?=\s?$)")


class Value(NamedTuple):
    """A value, what it is, where it stands."""

    kind: str
    text: str
    start: int
    end: int


def read(words: str, known: Iterable[str] = ()) -> list[Value]:
    """The values, in the order of the words. `known`: names that were seen, whatever they look like."""
    found: list[Value] = []
    taken = bytearray(len(words))
    shouted = not any(map(str.islower, words))

    def keep(kind: str, text: str, start: int, end: int) -> None:
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            found.append(Value(kind, f"{text}/" if kind == "prefix" and text[-1] != "/" else text, start, end))

    for name in sorted((name for name in known if name in words), key=len, reverse=True):
        kind = "prefix" if name.endswith("/") else "key" if "/" in name or "." in name else "bucket"
        for match in re.finditer(rf"(?<![\w/.~-]){re.escape(name)}(?![\w/]|[.-]\w)", words):
            keep(kind, name, *match.span())
    for kind, sign, pattern in _READERS:
        if (sign and sign not in words) or (shouted and "f" in pattern.groupindex):
            continue
        for match in pattern.finditer(words):
            text = _read(kind, match)
            if text and not (kind == "bucket" and _no_bucket(text)):
                # of what is said without quotes, the words alone
                keep(_named(kind, text), text, *match.span("e" if match.re.groupindex.get("e") else 0))
    return sorted(found, key=lambda one: one.start)


def city(words: str) -> str:
    """The region that people call by its city, or its country."""
    return next((code for name, code in _TOLD["cities"].items() if name in words), "")


def masked(words: str, values: Iterable[Value]) -> str:
    """The words in lower case, with the kind of each value in its place."""
    parts, at = list[str](), 0
    for one in sorted(values, key=lambda one: one.start):
        parts += [_plain(words[at : one.start]), f"<{one.kind}>"]
        at = one.end
    return "".join([*parts, _plain(words[at:])])


def number(text: str) -> int:
    """The number that a word or digits say."""
    return int(text) if text.isdigit() else NUMBERS.index(text.lower())


def _plain(words: str) -> str:
    """Words as cues know them; signs of comparison are words, and nothing looks like a value."""
    words = words.lower().replace("’", "'")
    return (
        _LESS.sub(" less than ", words).replace("<", "(").replace(">", ")") if "<" in words or ">" in words else words
    )


def _named(kind: str, text: str) -> str:
    """The kind of a path, and of a name in quotes."""
    if kind == "path":
        return "key" if "." in text else "prefix"
    if kind == "quote" and _QUOTED_KEY.fullmatch(text):
        return "key"
    return "prefix" if kind == "quote" and re.fullmatch(r"(?:[\w~.-]+/)+", text) else kind


def _no_bucket(text: str) -> bool:
    return _ENGLISH.match(text) is not None or len(text) < 6 or text.replace("-", "").isdigit()


def _read(kind: str, match: re.Match[str]) -> str:
    """The value, spelt as programs spell it."""
    parts = {name: text for name, text in match.groupdict().items() if text}
    if kind == "quote":
        return next(iter(parts.values()), match[0])
    if kind == "size":
        count = {"hundred": 100.0, "thousand": 1000.0}.get(parts.get("h", "")) or float(parts["n"].replace(",", ""))
        return str(round(count * _UNITS.get(parts["unit"].lower()[0], 1)))
    if kind == "date" and "iso" not in parts:
        at = {"y": "-", **{name[0]: text for name, text in parts.items()}}
        month = next((n for n, name in enumerate(MONTHS, 1) if at.get("m", "?").lower()[:3] == name[:3]), 0)
        return "-".join([at["y"], *([f"{month:02}"] if month else []), *([f"{int(at['d']):02}"] if "d" in at else [])])
    return match[0]
