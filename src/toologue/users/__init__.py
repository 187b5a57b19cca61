"""Users: whoever the agent talks to in a `live` conversation. `graph` walks a procedure, a model plays `scenario`.

Example:
    >>> import asyncio
    >>> asyncio.run(ScriptedUser(["Hello"]).say(())).text
    'Hello'

Not covered: users who act on the world themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from toologue import registry
from toologue.loop import User
from toologue.schema import Case, Turn, UserTurn

UserFactory = Callable[[Case], User]


def speaker(name: str) -> UserFactory | None:
    """The user of a spec, a registered name or `name:argument`; None without one. Raises UnknownName, BadSetting."""
    if not name:
        return None
    registered, _, argument = name.partition(":")
    found = registry.find("user", registered)
    return cast("UserFactory", found(argument) if argument else found)


class ScriptedUser:
    """Says its lines one after the other and leaves with the last."""

    def __init__(self, lines: Sequence[str]):
        self._lines = lines

    async def say(self, history: Sequence[Turn]) -> UserTurn:
        """The next line."""
        spoken = sum(turn.role == "user" for turn in history)
        text = self._lines[spoken] if spoken < len(self._lines) else ""
        return UserTurn(text=text, stop="script ends" if spoken >= len(self._lines) - 1 else None)
