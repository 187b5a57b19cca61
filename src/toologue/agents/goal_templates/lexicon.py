"""What everyday words ask for: operations and cues, by the regular expressions of lexicon.yaml.

Contract: pure. `operation` reads masked words in lower case (`values.masked`), and gives the first operation that they
ask for; "" where they ask for none. `says` tells whether words hold a cue.

Example:
    >>> operation("how many <ending> files are there in <bucket>?"), operation("good morning")
    ('count', '')
    >>> says("agrees", "Yes, go on."), says("abandons", "no, leave it")
    (True, True)

Not covered: languages other than English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from toologue.shipped import shipped

__all__ = ["cue", "operation", "operations", "says"]


def operation(words: str) -> str:
    """The operation that words ask for."""
    return next(iter(operations(words)), "")


def operations(words: str) -> list[str]:
    """All that they may ask for, the likeliest first."""
    return [name for name, patterns in _operations().items() if any(one.search(words) for one in patterns)]


def says(name: str, words: str) -> bool:
    """Whether words hold a cue."""
    return cue(name).search(words) is not None


@cache
def cue(name: str) -> re.Pattern[str]:
    """The expression of a cue."""
    return re.compile(_lexicon()["cues"][name], re.IGNORECASE)


@cache
def _operations() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    return {
        name: tuple(re.compile(one, re.IGNORECASE) for one in found) for name, found in _lexicon()["operations"].items()
    }


@cache
def _lexicon() -> dict[str, Any]:
    return shipped(Path(__file__).with_name("lexicon.yaml"))
