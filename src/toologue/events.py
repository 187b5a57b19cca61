"""What happens while a command works, told at once to whoever listens.

    begun   stage
    case    id, agent, trial, seconds, stop, fault (its type, or None): a conversation that was just run
    read    file, operations, of, left_out: an API document of which so many operations cannot be read, and why
    ended   stage, done, of (None where nobody knew), seconds

Contract: facts are JSON values. Nobody listens in processes that a command starts: the command tells what they did, and
`parallel` what they read.

Example:
    >>> seen = []
    >>> LISTENERS.append(seen.append)
    >>> happened("begun", stage="running")
    >>> seen, LISTENERS.pop() and None
    ([{'event': 'begun', 'stage': 'running'}], None)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

LISTENERS: list[Callable[[Mapping[str, object]], None]] = []


def happened(event: str, **facts: object) -> None:
    """Tell everybody."""
    for listener in LISTENERS:
        listener({"event": event, **facts})
