"""Spans of the user's words: the text read once, where its times and sentences are, and values found in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from toologue.text.time_expressions import When, whens
from toologue.text.tokens import SENTENCE_END

# What stands for each character of an expression of time in `Scene.masked`, its "at" and "on" included.
MASK = "\x01"

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

    def sentence_end(self, place: int) -> int:
        """The end of the sentence that a place lies in."""
        return next((end for start, end in self.sentences if start <= place < end), len(self.text))


@lru_cache(maxsize=64)
def scene_of(text: str, now: datetime | None) -> Scene:
    """The text, read once."""
    times = whens(text, now)
    letters = list(text)
    for when in times:
        lead = _LEAD.search(text, max(0, when.start - 20), when.start)
        start = lead.start() if lead else when.start
        letters[start : when.end] = MASK * (when.end - start)
    stops = [match.span() for match in SENTENCE_END.finditer(text)]
    starts, ends = [0, *(end for _, end in stops)], [*(start for start, _ in stops), len(text)]
    sentences = tuple((start, end) for start, end in zip(starts, ends, strict=True) if text[start:end].strip())
    return Scene(text, now, times, "".join(letters), sentences)


def value_at(text: str, start: int, end: int, kind: str, score: float) -> Found | None:
    """What stands there, without outer spaces and punctuation; None where nothing is left."""
    start, end = _strip(text, start, end)
    said = text[start:end]
    return Found(" ".join(said.split()), start, end, said, kind, round(score, 4)) if start < end else None


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without outer spaces, sentence punctuation, and quotes that do not belong to a pair inside."""
    start, end = max(start, 0), min(end, len(text))
    for _ in range(4):
        start = end - len(text[start:end].lstrip(_EDGES))
        inner = text[start:end].rstrip(_EDGES)
        end = start + len(inner)
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
    for value in sorted(found, key=lambda value: (-value.score, value.start, value.end)):
        kept.setdefault(key(value.value), value)
    return list(kept.values())
