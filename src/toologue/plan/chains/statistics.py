"""What a file of chain dialogues holds: the paper's table 2, and the counts behind its other tables.

A turn is a user's message or an agent's message that the user sees: looking for an API and calling one are steps of a
turn, not turns. `states` counts the labels that state tracking is asked for (see `states.labelled`), `unconfirmed`
those without an API in hand; both by the published rule, so that they compare. Every agent turn has one action.

Contract: streams; totals add up whatever the order.

Example:
    >>> from toologue.schema import AgentTurn, Retrieve, UserTurn
    >>> turns = (UserTurn(text="Scores!", action="inform_intent_vague"),
    ...          AgentTurn(acts=(Retrieve(query="Scores!"),), action="retriever_call"),
    ...          AgentTurn(text="Which ones?", action="clarify"))
    >>> found = statistics([Dialogue(id="d", turns=turns)])
    >>> found.turns, found.actions["retriever_call"], found.states, found.unconfirmed
    (2, 1, 1, 1)

Not covered: words; `write` and `verify` look at those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from toologue.plan.chains.actions import ACTIONS
from toologue.plan.chains.states import labelled, published_state
from toologue.schema import Dialogue


@dataclass
class Statistics:
    """Counts over dialogues. `pairs` are by (source or None, target), `splits` by the split they are in."""

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
                if labelled(turn, after=before):
                    self.states += 1
                    self.unconfirmed += published_state(turn).api is None
            before = turn.action


def statistics(dialogues: Iterable[Dialogue]) -> Statistics:
    """The counts of all of them."""
    found = Statistics()
    for dialogue in dialogues:
        found.add(dialogue)
    return found
