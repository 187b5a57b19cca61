"""A value that was found in a text, and the text read once for all who look for values in it.

Example:
    >>> from datetime import datetime
    >>> scene = scene_of("Remind me at quarter to six to feed the cat.", datetime(2025, 3, 12))
    >>> scene.masked.replace(MASK, "_"), scene.sentences
    ('Remind me _________________ to feed the cat.', ((0, 43),))
    >>> made(scene.text, 35, 44, "text", 0.9)
    Found(value='the cat', start=36, end=43, text='the cat', kind='text', score=0.9)

Not covered: sentences of languages without spaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from toologue.text.time_expressions import When, whens

MASK = "\x01"
"""What stands for each character of an expression of time in `Scene.masked`, its "at" and "on" included."""

_SENTENCE = re.compile(r"(?<!\b[ap]\.m)(?<!\b(?:Mr|Dr|Ms|St|vs|no))(?<!\bMrs)(?<!\b[A-Z])[.!?]+(?=[\s\"'”’)]|$)|\n+")
_LEAD = re.compile(
    r"(?:\b(?:at|on|by|before|after|until|till|from|around|about|for|starting|due|in|since|between)\s+)(?:the\s+)?$",
    re.IGNORECASE,
)
_EDGES = " \t\r\n,;:.!?-–—" + MASK
_OPENS, _SHUTS = "\"'“‘«([", "\"'”’»)]"


class Found(NamedTuple):
    """A value found in a text at `start` to `end`, where `text` stands; `score` is between 0 and 1."""

    value: Any
    start: int
    end: int
    text: str
    kind: str
    score: float


@dataclass(frozen=True, slots=True)
class Scene:
    """A text, its expressions of time, the text with these masked out, its sentences (start, end)."""

    text: str
    now: datetime | None
    whens: tuple[When, ...]
    masked: str
    sentences: tuple[tuple[int, int], ...]

    def is_time(self, start: int, end: int) -> bool:
        """Whether that stretch of the text lies in an expression of time."""
        return any(when.start < end and start < when.end for when in self.whens)


@lru_cache(maxsize=64)
def scene_of(text: str, now: datetime | None) -> Scene:
    """The text, read once."""
    times = whens(text, now)
    letters = list(text)
    for when in times:
        lead = _LEAD.search(text, max(0, when.start - 20), when.start)
        for place in range(lead.start() if lead else when.start, when.end):
            letters[place] = MASK
    return Scene(text, now, times, "".join(letters), _sentences(text))


def made(text: str, start: int, end: int, kind: str, score: float, value: Any = None) -> Found | None:
    """What stands there, without outer spaces and punctuation; None where nothing is left."""
    start, end = stripped(text, start, end)
    if start >= end:
        return None
    said = text[start:end]
    return Found(" ".join(said.split()) if value is None else value, start, end, said, kind, round(score, 4))


def stripped(text: str, start: int, end: int, edges: str = _EDGES) -> tuple[int, int]:
    """The span without outer spaces, sentence punctuation, and quotes that do not belong to a pair inside."""
    start, end = max(start, 0), min(end, len(text))
    for _ in range(4):
        while start < end and text[start] in edges:
            start += 1
        while start < end and text[end - 1] in edges:
            end -= 1
        inner = text[start:end]
        if len(inner) > 1 and inner[0] in _OPENS and inner[-1] == _SHUTS[_OPENS.index(inner[0])]:
            start, end = start + 1, end - 1
        elif inner and inner[0] in '"“«([' and _SHUTS[_OPENS.index(inner[0])] not in inner[1:]:
            start += 1
        elif inner and inner[-1] in '"”»)]' and _OPENS[_SHUTS.index(inner[-1])] not in inner[:-1]:
            end -= 1
        else:
            break
    return start, end


def best_first(found: list[Found], *, key: Callable[[Any], Any] = repr) -> list[Found]:
    """Sorted by score, then by place; of equal values the best."""
    kept: dict[Any, Found] = {}
    for one in sorted(found, key=lambda one: (-one.score, one.start, one.end)):
        kept.setdefault(key(one.value), one)
    return list(kept.values())


def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    spans.append((start, len(text)))
    return tuple((a, b) for a, b in spans if text[a:b].strip())
