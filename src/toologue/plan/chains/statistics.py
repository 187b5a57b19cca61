"""What a file of chain dialogues holds: the paper's table 2, and the counts behind its other tables.

A turn is a message that the other one sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from toologue.formats.tooldial import UNCONFIRMED
from toologue.plan.chains.sequences import ACTIONS
from toologue.schema import Dialogue


@dataclass
class Statistics:
    """Counts over dialogues. `pairs` are by (source or None, target), `splits` by the split they are in.

    `states` counts the labels that state tracking is asked for, `unconfirmed` those without an API in hand; both by the
    published rule, so that they compare. Totals add up whatever the order.
    """

    dialogues: int = 0
    user_messages: int = 0
    agent_messages: int = 0
    states: int = 0
    unconfirmed: int = 0
    actions: Counter[str] = field(default_factory=Counter[str])
    sequences: Counter[str] = field(default_factory=Counter[str])
    categories: Counter[str] = field(default_factory=Counter[str])
    pairs: Counter[tuple[str | None, str]] = field(default_factory=Counter[tuple[str | None, str]])
    splits: Counter[str] = field(default_factory=Counter[str])

    @property
    def turns(self) -> int:
        """Messages that somebody sees."""
        return self.user_messages + self.agent_messages

    @property
    def mean(self) -> float | None:
        """Turns a dialogue; None where there is none."""
        return self.turns / self.dialogues if self.dialogues else None

    @property
    def agent_actions(self) -> int:
        """Decisions of the agent: what action prediction is asked for."""
        return sum(self.actions[name] for name, action in ACTIONS.items() if action.who == "agent")

    @property
    def apis(self) -> int:
        """How many APIs are called or proposed."""
        return len({name for pair in self.pairs for name in pair if name is not None})

    def add(self, dialogue: Dialogue) -> None:
        """Count one more."""
        origin, before = dialogue.origin, None
        self.dialogues += 1
        self.sequences[str(origin.get("sequence", ""))] += 1
        self.categories[f"{origin.get('category', '')} {origin.get('fit', '')}".strip()] += 1
        source = origin.get("source")
        self.pairs[None if source is None else str(source), str(origin.get("target", ""))] += 1
        self.splits[str(origin.get("split", ""))] += 1
        for turn in dialogue.turns:
            self.actions[turn.action or ""] += 1
            if turn.role == "user":
                self.user_messages += 1
            else:
                self.agent_messages += turn.text is not None
                if turn.text is not None or before == "inform":  # the paper's state tracking is asked here (A.12)
                    self.states += 1
                    unconfirmed = turn.state is None or turn.state.api is None
                    self.unconfirmed += unconfirmed or turn.action in UNCONFIRMED["published"]
            before = turn.action

    def update(self, more: Statistics) -> None:
        """Count those that somebody else counted."""
        for name, value in vars(more).items():
            if isinstance(value, Counter):
                getattr(self, name).update(value)
            else:
                setattr(self, name, getattr(self, name) + value)


def statistics(dialogues: Iterable[Dialogue]) -> Statistics:
    """The counts of all of them."""
    total = Statistics()
    for dialogue in dialogues:
        total.add(dialogue)
    return total
