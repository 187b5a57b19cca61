"""What the agent thinks before each of its turns: several phrasings for every situation, from `thoughts.yaml`.

Contract: `think(situation, names, rng)` gives one of them with the names filled in. They name APIs and parameters
as documents do: the user does not hear them.

Example:
    >>> import random
    >>> "Leagues" in think("call source", {"source": "Leagues", "output": "id", "parameter": "leagueId",
    ...                                    "target": "Table"}, random.Random(1))
    True

Not covered: thoughts in the voice of a certain model.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast

from toologue.data import shipped

_DATA = Path(__file__).with_name("thoughts.yaml")


def think(situation: str, names: Mapping[str, str], rng: random.Random) -> str:
    """A thought for a situation."""
    return rng.choice(thoughts()[situation]).format_map(names)


@cache
def thoughts() -> Mapping[str, tuple[str, ...]]:
    """Every phrasing of every situation."""
    data = cast("dict[str, list[str]]", shipped(_DATA))
    return {situation: tuple(phrasings) for situation, phrasings in data.items()}
