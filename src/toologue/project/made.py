"""What `project.generate` works on: a source in, what was made of it out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from toologue.plan.procedures.plan_dialogue import Planned
from toologue.schema import Dialogue, Procedure
from toologue.verify.procedures import Flaw


@dataclass(frozen=True)
class Source:
    """A procedure and what its calls are made to: an OpenAPI document (or the name of a shipped one), and seed data."""

    procedure: Procedure
    document: str
    seed: str | None = None


@dataclass(frozen=True)
class Made:
    """What came of one procedure."""

    source: Source
    planned: Planned
    dialogues: tuple[Dialogue, ...]
    # (id of a dialogue that was dropped, what is wrong with it)
    flaws: tuple[tuple[str, Flaw], ...] = ()
    dropped: Counter[str] = field(default_factory=Counter[str])

    @property
    def flawed(self) -> int:
        """How many dialogues were dropped because something is wrong with them."""
        return len({id for id, _ in self.flaws})
