"""Can a user know the value of a parameter? A city, yes; a tournament's id, no: another API has to find it.

    fixed       ours: the last word of the parameter's name decides, else that of its phrase, or of what stands there
                before "of", "for", "in" …: ids, codes, keys, coordinates, tokens and references are unknowable; names,
                dates, places, amounts, addresses are known, and so is what no word speaks against. `knowable.yaml`
    published   the published code's `is_ben`, with its quirk: words of the phrase are compared with five of the kind
                (id, coordinate, code, index, identifier) by their longest common part; a first hit of two letters that
                is none of these (in, is, do, ad) makes the whole phrase known, whatever follows

Example:
    >>> knowable("tournamentId", "unique id of the tournament"), knowable("city", "name of the city")
    (False, True)
    >>> knowable("id", "player in league id", rule="published"), knowable("t", "video title", rule="published")
    (True, False)

Not covered: what a particular user knows; some have their order number at hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from toologue.data import shipped
from toologue.text.tokens import split_name

KnowRule = Literal["fixed", "published"]

_DATA = Path(__file__).with_name("knowable.yaml")
_KINDS = ("id", "coordinate", "code", "index", "identifier")
_ALIKE = 0.43
_RUN_TOGETHER = re.compile("..ids?$")
_TAIL = re.compile(r" (?:of|for|in|from|to|at|on|by|that|which|whose|with|used|where)\b.*")


def knowable(name: str, phrase: str, schema: Mapping[str, Any] | None = None, *, rule: KnowRule = "fixed") -> bool:
    """Whether users know such a value. `published` looks at the phrase and at nothing else."""
    if rule == "published":
        return _published(phrase)
    shape = schema or {}
    if shape.get("format") in _words("formats"):
        return False
    number = shape.get("type") in ("integer", "number")
    by_name = _judged(split_name(name), number)
    if by_name is not None:
        return by_name
    said = split_name(phrase)
    return False not in (_judged(said, number), _judged(_TAIL.sub("", said), number))


def _judged(words: str, number: bool) -> bool | None:
    """What the last of some words says: True known, False unknowable, None nothing."""
    *before, head = words.split() or [""]
    head = head.rstrip("0123456789") or head
    if head in _words("unknowable"):
        return f"{before[-1]} {head}" in _words("but") if before else False
    if head in _words("known"):
        return True
    if before and before[0] in ("id", "uuid"):
        return False
    if _RUN_TOGETHER.search(head) and head not in _words("ordinary"):
        return False
    return not number if head in _words("things") else None


@cache
def _words(group: str) -> frozenset[str]:
    rows = cast("dict[str, list[list[str]]]", shipped(_DATA))[group]
    return frozenset(word for row in rows for word in row)


def _published(phrase: str) -> bool:
    for word in re.findall(r"[^\W_]+", phrase.lower()):
        for kind in _KINDS:
            if word.endswith(kind) or _dice(word, kind) > _ALIKE:
                return len(word) == 2 and word != kind
    return True


def _dice(one: str, other: str) -> float:
    """Twice the longest common part (without gaps) over both lengths."""
    longest, row = 0, [0] * (len(other) + 1)
    for char in one:
        row = [0, *(row[at] + 1 if char == known else 0 for at, known in enumerate(other))]
        longest = max(longest, *row)
    return 2 * longest / (len(one) + len(other))
