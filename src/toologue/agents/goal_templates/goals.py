"""Goals of a conversation, what the agent has in mind of them, and the moves that it makes.

Contract: a `Move` is one program to write, or an exception of conversation to raise. `Mind` is what the fold over the
history (`mind`) carries from round to round; nothing else writes it.

Example:
    >>> from toologue.agents.goal_templates.templates import Bank
    >>> mind = Mind(Bank(()), [Goal("1", Wish("delete"), "drafting", "keys"), Goal("2", Wish("list"), "final")])
    >>> mind.pending.number
    '1'

Not covered: goals that wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from toologue.agents.goal_templates.revising import Context
from toologue.agents.goal_templates.templates import Bank
from toologue.agents.goal_templates.wishes import Wish
from toologue.schema import Result

__all__ = ["CONFIRM", "Goal", "Mind", "Move", "Status"]

CONFIRM = "confirm"


Status = Literal["drafting", "final", "abandoned"]


@dataclass
class Goal:
    """A goal of the stack, as the agent understands it."""

    number: str
    wish: Wish
    status: Status
    asked: str = ""
    result: Result | None = None
    code: str = ""


@dataclass
class Mind:
    """What the agent makes of the conversation so far."""

    bank: Bank
    goals: list[Goal] = field(default_factory=list[Goal])
    context: Context = field(default_factory=Context)
    offered: Wish | None = None
    """What the agent proposed in its last words."""
    retry: Wish | None = None
    """What has just failed, and may be tried again with another value."""
    last_words: str = ""

    @property
    def pending(self) -> Goal | None:
        """The draft that was written or asked about last."""
        return next((goal for goal in reversed(self.goals) if goal.status == "drafting"), None)


@dataclass(frozen=True)
class Move:
    """One program to write. `number`: of the goal that it revises; "" for a new one."""

    wish: Wish | None
    status: Status
    why: str
    number: str = ""
    asked: str = ""
    raises: str = ""
    kept: bool = False
    """Whether the draft stands as it is."""
