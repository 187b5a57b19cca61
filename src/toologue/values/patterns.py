"""A text that a regular expression matches: for the `pattern` of a JSON Schema.

Contract: pure; the pattern is read as Python reads it, and nothing is run. None where it uses what is not covered.

Example:
    >>> from random import Random
    >>> import re
    >>> text = text_for("^(ORD|INV)-[0-9]{4}[a-f]?$", Random(3))
    >>> bool(re.search("^(ORD|INV)-[0-9]{4}[a-f]?$", text or ""))
    True
    >>> text_for("^(?=a)b", Random(3)) is None
    True

Not covered: look-around, back-references, Unicode properties; `\\b` is taken to hold.
"""

from __future__ import annotations

import re
import string
import warnings
from functools import lru_cache
from importlib import import_module
from random import Random
from typing import Any

_WORD = string.ascii_lowercase + string.digits
_CATEGORIES = {
    "DIGIT": string.digits, "NOT_DIGIT": string.ascii_letters, "WORD": _WORD, "NOT_WORD": " -.", "SPACE": " ",
    "NOT_SPACE": _WORD,
}  # fmt: skip
_ALL = "".join(map(chr, range(32, 127)))
_LONGEST, _WIDEST = 400, 2000


class _NotCoveredError(Exception):
    """The pattern uses what no text is made for."""


def text_for(pattern: str, random: Random, *, spread: int = 3) -> str | None:
    """A text that the pattern matches, or None. Open repetitions take up to `spread` more than they must."""
    try:
        return _either(_tree(pattern), random, spread)
    except (re.error, _NotCoveredError, ValueError, OverflowError, RecursionError):
        return None


@lru_cache(maxsize=256)
def _tree(pattern: str) -> Any:
    if len(pattern) > _LONGEST:
        raise _NotCoveredError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module("re._parser").parse(pattern)


def _either(tree: Any, random: Random, spread: int) -> str:
    """A text for each alternative; one is kept."""
    forks = [given for sign, given in tree if str(sign) == "BRANCH"] if len(tree) == 1 else []
    branches: list[Any] = forks[0][1] if forks else [tree]
    return random.choice([_sequence(branch, random, spread) for branch in branches])


def _sequence(tree: Any, random: Random, spread: int) -> str:
    made = ""
    for sign, given in tree:
        fewest, most, part = 1, 1, [(sign, given)]
        if str(sign) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            fewest, most, part = given
        if fewest > _LONGEST:
            raise _NotCoveredError
        first = _part(part, random, spread)
        for number in range(random.randint(fewest, min(int(most), fewest + spread))):
            made += _part(part, random, spread) if number else first
        if len(made) > 4 * _LONGEST:
            raise _NotCoveredError
    return made


def _part(tree: Any, random: Random, spread: int) -> str:
    if len(tree) != 1:
        return _sequence(tree, random, spread)
    ((sign, given),) = tree
    match str(sign):
        case "AT":
            return ""
        case "LITERAL":
            return chr(given)
        case "ANY":
            return random.choice(_WORD)
        case "NOT_LITERAL":
            return random.choice(_ALL.replace(chr(given), ""))
        case "IN":
            return random.choice(_letters(given))
        case "SUBPATTERN" | "ATOMIC_GROUP":
            return _either(given[-1] if str(sign) == "SUBPATTERN" else given, random, spread)
        case "BRANCH":
            return _either(tree, random, spread)
        case _:
            raise _NotCoveredError


def _letters(members: Any) -> str:
    """The letters of a set."""
    found = ""
    for sign, given in members:
        match str(sign):
            case "LITERAL":
                found += chr(given)
            case "RANGE" if given[1] - given[0] < _WIDEST:
                found += "".join(map(chr, range(given[0], given[1] + 1)))
            case "CATEGORY":
                found += _CATEGORIES[str(given).removeprefix("CATEGORY_")]
            case "NEGATE":
                pass
            case _:
                raise _NotCoveredError
    return "".join(sign for sign in _ALL if sign not in found) if str(members[0][0]) == "NEGATE" else found
