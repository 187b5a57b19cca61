"""What speaks for one thing or another that a turn of the user may do: the state of the conversation, and the words.

Contract: pure. `evidence` names what is there; what follows from it is learnt (`templates`), not written here.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> from toologue.agents.goal_templates.templates import Bank
    >>> evidence(Mind(Bank(())), hear("Bye, and thanks!"))
    ('bye', 'nothing asked', 'short', 'start', 'thanks', 'waiting:nothing')

Not covered: what the agent has said.
"""

from __future__ import annotations

from toologue.agents.goal_templates.goals import CONFIRM, Mind
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.tables import inside
from toologue.agents.goal_templates.wishes import Wish

__all__ = ["evidence"]

_CUES = (
    "agrees", "agrees_late", "refuses", "abandons", "bye", "thanks", "question", "asks_you", "generic", "out_of_scope",
    "over_specified", "vague", "chitchat", "helpless", "beyond", "domain", "revises", "takes", "sorry", "this_one",
    "tag_question", "rest", "safely", "everywhere", "whole", "pronoun",
)  # fmt: skip
_READS = ("list", "read", "count", "sum", "head", "lines", "when", "size", "exists")
_BEYOND, _GENERAL = ("out_of_scope", "beyond"), ("generic", "chitchat")
_FEW, _MANY = 3, 14


def evidence(mind: Mind, heard: Heard) -> tuple[str, ...]:
    """The names of all that is there, sorted."""
    goal, ops = mind.pending, {wish.op for wish in heard.wishes}
    kinds = {one.kind for one in heard.values}
    words = len(heard.words.split(maxsplit=_MANY))
    waits = "nothing" if goal is None else "yes or no" if goal.asked == CONFIRM else "a value"
    there = {
        f"waiting:{waits}": True,
        "just asked": goal is not None and goal.turn == mind.turn - 1,
        "offered": mind.offered is not None,
        "failed": mind.retry is not None,
        "start": mind.context.last is None,
        "asked firmly": bool(ops) and not heard.loose,
        "asked loosely": bool(ops) and heard.loose,
        "nothing asked": not ops,
        "says a part": heard.hint != Wish(""),
        "named": bool(kinds - {"number", "date"}),
        "same operation": goal is not None and goal.wish.op in ops,
        "other operation": goal is not None and bool(ops) and goal.wish.op not in ops,
        "only reads": bool(ops & set(_READS)),
        "short": words <= _FEW,
        "long": words > _MANY,
    }
    found = [name for name, holds in there.items() if holds]
    inner = any(inside(wish).op in ("table", "field") for wish in heard.wishes)  # what a file tells is in scope
    silent = {*(_BEYOND if inner else ()), *(_GENERAL if there["named"] else ())}
    cues = [name for name in _CUES if name not in silent and heard.says(name)]
    return tuple(sorted([*found, *(f"kind:{kind}" for kind in kinds), *cues]))
