"""Goals of a conversation, what the agent has in mind of them, and the moves that it makes.

Contract: a `Move` is one program to write, or an exception of conversation to raise. `Mind` is what the fold over the
history (`mind`) carries from round to round; nothing else writes it. `settled` says what a wish becomes: a draft while
a slot is open or something would be destroyed, else a final program.

Example:
    >>> from toologue.agents.goal_templates.templates import Bank
    >>> mind = Mind(Bank(()), [Goal("1", Wish("delete"), "drafting", "keys"), Goal("2", Wish("list"), "final")])
    >>> mind.pending.number, settled(Wish("list", bucket="the-attic"), mind, "new").status
    ('1', 'final')

Not covered: goals that wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from toologue.agents.goal_templates.context import Context
from toologue.agents.goal_templates.tables import inside
from toologue.agents.goal_templates.templates import Bank
from toologue.agents.goal_templates.wishes import Wish, destroys, open_slots, opened, selects
from toologue.schema import Result

__all__ = ["CONFIRM", "Goal", "Mind", "Move", "Status", "settled"]

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
    turn: int = 0
    """The round in which it was written last."""


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
    turn: int = 0

    @property
    def pending(self) -> Goal | None:
        """The draft that was written or asked about last."""
        return next((goal for goal in reversed(self.goals) if goal.status == "drafting"), None)

    @property
    def waiting(self) -> list[Goal]:
        """The drafts of the same round that all wait for one answer."""
        last = self.pending
        return [
            one
            for one in self.goals
            if last and one.status == "drafting" and (one.turn, one.asked) == (last.turn, last.asked)
        ]


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


def settled(wish: Wish, mind: Mind, why: str) -> Move:
    """A draft while something is open, or must be confirmed; else final."""
    wish = opened(inside(wish))
    if missing := open_slots(wish):
        return Move(wish, "drafting", f"{why}; {missing[0]} is missing", asked=missing[0])
    if destroys(wish) or _overwrites(wish, mind):
        return Move(wish, "drafting", f"{why}; what destroys is confirmed first", asked=CONFIRM)
    return Move(wish, "final", f"{why}; nothing is missing")


def _overwrites(wish: Wish, mind: Mind) -> bool:
    """Whether a write may replace what is there, as far as the conversation knows."""
    there = mind.context.there
    if wish.op == "copy":
        target = wish.to_bucket or wish.bucket
        new = any(
            one.wish.op == "create_bucket" and one.wish.bucket == target and one.status == "final" for one in mind.goals
        )
        many = selects(wish) and not (wish.to_prefix or wish.absent or wish.creates or new)
        names = (wish.to_key,) if wish.to_key else () if wish.to_prefix else wish.keys
        return many or any((target, key) in there for key in names)
    keys = (wish.to_key,) if wish.op == "merge" else wish.keys
    return wish.op in ("put", "merge") and not wish.unless and any((wish.bucket, key) in there for key in keys)
