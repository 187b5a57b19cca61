"""Verify: whether a dialogue is valid, found out apart from whoever planned and wrote it; what is wrong is a `Flaw`.

Example:
    >>> print(Flaw("shape", 2, "the customer speaks twice in a row"))
    turn 2: shape: the customer speaks twice in a row

Not covered: how grave a flaw is. A dialogue with any is not valid.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

__all__ = ["RULES", "Flaw", "Rule"]

Rule = Literal["shape", "execution", "arguments", "path", "carried", "supported", "stale", "detour", "wording"]
RULES: tuple[Rule, ...] = get_args(Rule)


class Flaw(NamedTuple):
    """One rule broken by one turn, counted from 0."""

    rule: Rule
    turn: int
    what: str

    def __str__(self) -> str:
        return f"turn {self.turn}: {self.rule}: {self.what}"
