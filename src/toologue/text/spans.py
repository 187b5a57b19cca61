"""Spans of the user's words: where a cue ends, where a phrase does, and what stands around it.

Contract: pure and total; spans are (start, end) in the text of a `Scene`.

Example:
    >>> from datetime import datetime
    >>> from toologue.text.spans_found import scene_of
    >>> scene = scene_of("to water her plants tomorrow at 6, please", datetime(2025, 3, 12))
    >>> start, end = trimmed(scene, 3, len(scene.text))
    >>> scene.text[start:end]
    'water her plants'

Not covered: clauses that no comma and no "and" divides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from toologue.text.kinds import Want
from toologue.text.spans_found import MASK, Found, Scene, made

_I = re.IGNORECASE
_QUOTED = re.compile(r"\"([^\"\n]{1,600})\"|“([^”\n]{1,600})”|(?<!\w)'([^'\n]{2,600})'(?!\w)|«([^»\n]{1,600})»")
_CLAUSE = re.compile(
    r"\s*(?:[,;]\s*(?:and\s+)?(?:then|also|so|but|please|thanks|with\s|in\s|at\s|on\s|as\s|for\s)|"
    r",?\s+and\s+(?:then|also|please|tell|let|send|set|add|call|name|"
    r"invite|remind|text|e?mail|book|schedule|delete|cancel|log|make|put|move|change|give|show|check|write)\b|"
    r",?\s+(?:please|thanks|thank\s+you|ok\?|okay\?|if\s+you\s+can)\b)",
    _I,
)
_TAIL = re.compile(
    rf"(?:[\s,;{MASK}]|\b(?:please|pls|thanks|thank\s+you|thx|cheers|by|on|at|before|due|until|for|in|from|"
    rf"around|asap|will\s+you|would\s+you|can\s+you|could\s+you|ok|okay)\b)+$",
    _I,
)


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


def trimmed(scene: Scene, start: int, end: int) -> tuple[int, int]:
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
        group = match.lastindex or 1
        keep(found, scene, *match.span(group), want, score)
    return found


def whole_text(scene: Scene, want: Want, score: float) -> list[Found]:
    """The whole text, as a last resort: a short answer to a question."""
    found: list[Found] = []
    start, end = trimmed(scene, 0, len(scene.text))
    words = len(scene.text[start:end].split())
    if 0 < words <= 40:
        keep(found, scene, start, end, want, score if words <= 6 else score / 2)
    return found


def keep(found: list[Found], scene: Scene, start: int, end: int, want: Want, score: float) -> None:
    """Add the span without outer punctuation, if a word is left of it."""
    one = made(scene.text, start, end, want.kind, score)
    if one is not None and re.search(r"\w", one.text):
        found.append(one)
