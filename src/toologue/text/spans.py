"""Spans of the user's words: the text read once, where its times, sentences and phrases are, and values found in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from toologue.text.names import Want
from toologue.text.time_expressions import When, whens

# What stands for each character of an expression of time in `Scene.masked`, its "at" and "on" included.
MASK = "\x01"

_SENTENCE = re.compile(r"(?<!\b[ap]\.m)(?<!\b(?:Mr|Dr|Ms|St|vs|no))(?<!\bMrs)(?<!\b[A-Z])[.!?]+(?=[\s\"'”’)]|$)|\n+")
_LEAD = re.compile(
    r"(?:\b(?:at|on|by|before|after|until|till|from|around|about|for|starting|due|in|since|between)\s+)(?:the\s+)?$",
    re.IGNORECASE,
)
_EDGES = " \t\r\n,;:.!?-–—" + MASK
_OPENS, _SHUTS = "\"'“‘«([", "\"'”’»)]"
_QUOTED = re.compile(r"\"([^\"\n]{1,600})\"|“([^”\n]{1,600})”|(?<!\w)'([^'\n]{2,600})'(?!\w)|«([^»\n]{1,600})»")
_CLAUSE = re.compile(
    r"\s*(?:[,;]\s*(?:and\s+)?(?:then|also|so|but|please|thanks|with\s|in\s|at\s|on\s|as\s|for\s)|"
    r",?\s+and\s+(?:then|also|please|tell|let|send|set|add|call|name|"
    r"invite|remind|text|e?mail|book|schedule|delete|cancel|log|make|put|move|change|give|show|check|write)\b|"
    r",?\s+(?:please|thanks|thank\s+you|ok\?|okay\?|if\s+you\s+can)\b)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    rf"(?:[\s,;{MASK}]|\b(?:please|pls|thanks|thank\s+you|thx|cheers|by|on|at|before|due|until|for|in|from|"
    rf"around|asap|will\s+you|would\s+you|can\s+you|could\s+you|ok|okay)\b)+$",
    re.IGNORECASE,
)


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


def value_at(text: str, start: int, end: int, kind: str, score: float) -> Found | None:
    """What stands there, without outer spaces and punctuation; None where nothing is left."""
    start, end = _strip(text, start, end)
    if start >= end:
        return None
    said = text[start:end]
    return Found(" ".join(said.split()), start, end, said, kind, round(score, 4))


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without outer spaces, sentence punctuation, and quotes that do not belong to a pair inside."""
    start, end = max(start, 0), min(end, len(text))
    for _ in range(4):
        while start < end and text[start] in _EDGES:
            start += 1
        while start < end and text[end - 1] in _EDGES:
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
    for value in sorted(found, key=lambda value: (-value.score, value.start, value.end)):
        kept.setdefault(key(value.value), value)
    return list(kept.values())


def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    spans.append((start, len(text)))
    return tuple((a, b) for a, b in spans if text[a:b].strip())


def cued(scene: Scene, cues: Iterable[tuple[re.Pattern[str], float]]) -> list[tuple[int, int, float]]:
    """Where a cue ends and its sentence ends, with the cue's score."""
    spans: list[tuple[int, int, float]] = []
    for pattern, score in cues:
        for match in pattern.finditer(scene.masked):
            end = sentence_end(scene, match.end())
            if match.end() < end:
                spans.append((match.end(), end, score))
    return spans


def sentence_end(scene: Scene, place: int) -> int:
    """The end of the sentence that a place lies in."""
    return next((end for start, end in scene.sentences if start <= place < end), len(scene.text))


def clause_end(scene: Scene, start: int, end: int) -> int:
    """Where another request begins, or the end; a time before a comma ends the phrase too."""
    match = _CLAUSE.search(scene.masked, start, end)
    stop = match.start() if match else end
    timed = re.compile(rf"{MASK}\s*[,;]").search(scene.masked, start, stop)
    return timed.start() + 1 if timed else stop


def trim(scene: Scene, start: int, end: int) -> tuple[int, int]:
    """Without the time, the preposition before it and the politeness at the end, and the time at the start."""
    tail = _TAIL.search(scene.masked, start, end)
    end = tail.start() if tail else end
    while start < end and scene.masked[start] in f"{MASK} ,:":
        start += 1
    return start, end


def after(scene: Scene, start: int, end: int, pattern: re.Pattern[str]) -> int:
    """The start, moved behind the pattern where it stands there."""
    match = pattern.match(scene.text, start, end)
    return match.end() if match else start


def quoted(scene: Scene, want: Want, score: float) -> list[Found]:
    """What stands in quotes."""
    found: list[Found] = []
    for match in _QUOTED.finditer(scene.text):
        keep(found, scene, *match.span(match.lastindex or 1), want, score)
    return found


def whole_text(scene: Scene, want: Want, score: float) -> list[Found]:
    """The whole text, as a last resort: a short answer to a question."""
    found: list[Found] = []
    start, end = trim(scene, 0, len(scene.text))
    words = len(scene.text[start:end].split())
    if 0 < words <= 40:
        keep(found, scene, start, end, want, score if words <= 6 else score / 2)
    return found


def keep(found: list[Found], scene: Scene, start: int, end: int, want: Want, score: float) -> None:
    """Add the span without outer punctuation, if a word is left of it."""
    value = value_at(scene.text, start, end, want.kind, score)
    if value is not None and re.search(r"\w", value.text):
        found.append(value)
