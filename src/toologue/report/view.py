"""What a report shows: one or more runs over the same dialogues, as values. Every output format renders these.

Not covered: reading run folders (`toologue.run.store`) and grading (`toologue.score`); a view is made of their results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toologue.schema import Dialogue, Graph, Score, Trace
from toologue.score.metric import Total

PASSES = ("success", "conversation correct", "perfect dialogue")
"""The scores that say whether a conversation passed; of two, the first."""


@dataclass(frozen=True)
class Conversation:
    """One dialogue as one agent lived it: the gold, the trace, the scores by metric."""

    gold: Dialogue
    trace: Trace
    scores: Mapping[str, Score]

    @property
    def verdict(self) -> Score | None:
        """The score that says whether it passed."""
        return next((self.scores[name] for name in PASSES if name in self.scores), None)

    @property
    def passed(self) -> bool | None:
        """Whether it succeeded; None where nothing was scored."""
        value = self.verdict.value if self.verdict else None
        return None if value is None else value == 1.0


@dataclass(frozen=True)
class RunView:
    """One agent's run: settings as people read them, totals, conversations in the order of the dialogues.

    `conversations` are those to show; `every` streams all of them, where they are more.
    """

    name: str
    facts: Mapping[str, str]
    totals: Sequence[Total]
    conversations: Sequence[Conversation]
    every: Iterable[Conversation] = ()

    @property
    def all(self) -> Iterable[Conversation]:
        """All conversations, whether they are shown or not."""
        return self.every or self.conversations


@dataclass(frozen=True)
class Charted:
    """A procedure: what its file is called, its conversation graph, all its conversations."""

    file: str
    graph: Graph
    golds: Sequence[Dialogue]


@dataclass(frozen=True)
class Report:
    """All runs of a report, and how to make it again; with `charted`, how much of procedures they cover.

    `sections` are a benchmark's own, each a title and HTML in which all data is escaped.
    """

    title: str
    runs: Sequence[RunView]
    command: str = ""
    notes: Sequence[str] = field(default_factory=tuple[str, ...])
    charted: Sequence[Charted] = ()
    sections: Sequence[tuple[str, str]] = ()
