"""What is run: the published benchmark where it is at hand, and the starter set as often as a path needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import cycle, islice
from pathlib import Path

from toologue.bench.tooltalk import load
from toologue.schema import Dialogue, invocations

ROOT = Path(__file__).parent.parent


def published() -> Path | None:
    """The published ToolTalk data, if this machine has it."""
    data = Path(os.environ.get("TOOLOGUE_SHARED", ROOT.parent / "shared")) / "tooltalk" / "data"
    return data if data.is_dir() else None


@cache
def starter() -> tuple[Dialogue, ...]:
    """The starter set, grounded; easy and hard ones mixed, so that any part of it is a fair sample."""
    return tuple(sorted(load(None), key=lambda dialogue: dialogue.id))


def of_calls(least: int, most: int) -> list[Dialogue]:
    """The conversations of the starter set that have so many calls."""
    return [d for d in starter() if least <= sum(1 for _ in invocations(d.turns)) <= most]


def varied(dialogues: Sequence[Dialogue], count: int) -> Iterator[Dialogue]:
    """So many dialogues: these again and again, each time under another id."""
    for number, dialogue in enumerate(islice(cycle(dialogues), count)):
        yield dialogue.replace(id=f"{dialogue.id}-{number}")
