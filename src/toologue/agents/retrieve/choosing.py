"""Of all values that may be meant, the one for each parameter; and where several are meant, or nobody can tell.

Contract: pure. The surest value is given out first, and no words are used twice; expressions of time are an exception,
since one may say both when a thing begins and when it ends.

Example:
    >>> from toologue.text.spans import Found
    >>> def found(value, start, score):
    ...     return Candidate(Found(value, start, start + len(value), value, "text", score), "Bo gets the key")
    >>> chosen = assigned({"to": [found("Bo", 0, 0.9)], "text": [found("Bo", 0, 0.8), found("the key", 8, 0.7)]}, ())
    >>> {name: one.value for name, one in chosen.items()}
    {'to': 'Bo', 'text': 'the key'}

Not covered: lists that go on in another sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from toologue.agents.retrieve.finding import ALIKE, Candidate
from toologue.agents.retrieve.forms import TIMES
from toologue.agents.retrieve.lexicon import talk

_LISTED = TIMES | {"reference", "id", "uuid", "place", "month", "weekday", "enum", "symbol", "number", "integer"}
"""Kinds of which several may be asked for in one breath, a call each."""
_NEXT = re.compile(r"^[\s,;&/]*(?:and|or|then|as well as)?[\s,]*(?:the|at|for|in|one)?\s*$", re.IGNORECASE)
_REQUIRED_FIRST = 0.1


def assigned(found: Mapping[str, Sequence[Candidate]], required: Collection[str]) -> dict[str, Candidate]:
    """The best value of each parameter that words are left for; of equally sure ones the required come first."""
    every = [(name, one) for name in found for one in found[name]]
    every.sort(key=lambda pair: _rank(pair[1], required=pair[0] in required))
    chosen: dict[str, Candidate] = {}
    for name, one in every:
        if name not in chosen and not any(_share_words(one, other) for other in chosen.values()):
            chosen[name] = one
    return chosen


def listed(chosen: Candidate, found: Sequence[Candidate]) -> tuple[Any, ...]:
    """All values where several are listed next to the chosen one, or meant by one word (both, all); else none."""
    if chosen.found.kind not in _LISTED:
        return ()
    near = [one for one in found if one.where == chosen.where and chosen.score - one.score <= ALIKE]
    same = [one for one in near if (one.found.start, one.found.end) == (chosen.found.start, chosen.found.end)]
    if chosen.found.kind == "reference" and len(same) > 1:
        return tuple(one.value for one in same) if talk("all of them").search(chosen.found.text) else ()
    row: list[Candidate] = []
    for one in sorted(near, key=lambda one: one.found.start):
        if not row or _NEXT.match(chosen.where[row[-1].found.end : one.found.start]):
            row.append(one)
        elif chosen in row:
            break
        else:
            row = [one]
    return tuple(one.value for one in row) if len(row) > 1 and chosen in row else ()


def alike(chosen: Candidate, found: Sequence[Candidate]) -> tuple[Any, ...]:
    """The values of rows that the words fit as well as the chosen one; none where one fits best."""
    near = [one for one in found if one.found.kind == "reference" and chosen.score - one.score <= ALIKE]
    return tuple(one.value for one in near) if chosen.found.kind == "reference" and len(near) > 1 else ()


def _rank(one: Candidate, *, required: bool) -> tuple[bool, float, int]:
    """The surest first; before all others what was said when asked for."""
    return not one.asked, -round(one.score + _REQUIRED_FIRST * required, 2), one.found.start


def _share_words(one: Candidate, other: Candidate) -> bool:
    if one.found.kind in TIMES and other.found.kind in TIMES:
        return False
    if one.asked != other.asked and (said := (one if other.asked else other).found.text):
        return said in (one if one.asked else other).found.text
    return one.where == other.where and one.found.start < other.found.end and other.found.start < one.found.end
