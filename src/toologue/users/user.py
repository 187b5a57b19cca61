"""What a user is to the runner, and the scripted one.

Example:
    >>> from toologue.loop import play
    >>> from toologue.agents.agent import ScriptedAgent
    >>> from toologue.schema import AgentTurn, Case
    >>> user = ScriptedUser(["Wake me at seven.", "Bye."])
    >>> turns, stop = play(Case(id="x", protocol="live"), ScriptedAgent([[AgentTurn(text="Done.")]]), user=user)
    >>> [turn.text for turn in turns], stop
    (['Wake me at seven.', 'Done.', 'Bye.', None], 'user')

Not covered: users who react; `users.graph` has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from toologue import registry
from toologue.loop import User
from toologue.schema import Case, Turn, UserTurn

UserFactory = Callable[[Case], User]


def speaker(name: str) -> UserFactory | None:
    """The registered user of this name; None without one. Raises UnknownName."""
    return cast("UserFactory", registry.find("user", name)) if name else None


class ScriptedUser:
    """Says its lines one after the other and leaves with the last."""

    def __init__(self, lines: Sequence[str]):
        self._lines = lines

    async def say(self, history: Sequence[Turn]) -> UserTurn:
        """The next line."""
        spoken = sum(turn.role == "user" for turn in history)
        text = self._lines[spoken] if spoken < len(self._lines) else ""
        return UserTurn(text=text, stop="script ends" if spoken >= len(self._lines) - 1 else None)
