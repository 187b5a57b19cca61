"""A world around another one: what it does not do itself, the one inside does.

Contract: `do` is the wrapper's own; state and documents are those of the world inside, and so is what that has beyond
the protocol (`contents` of `s3`).

Example:
    >>> from toologue.worlds.s3 import S3
    >>> world = Wrapped(S3())
    >>> len(world.apis) == len(S3().apis), "larkfield-office" in world.contents()
    (True, True)

Not covered: worlds whose state the wrapper adds to; such a one marks and rewinds its own part, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toologue.schema import Act, Api, Result


class Wrapped:
    """A world, as the one inside is."""

    def __init__(self, world: Any):
        self._world = world

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of the world inside."""
        return self._world.apis

    def do(self, act: Act) -> Result:
        """Execute an act."""
        return self._world.do(act)

    def mark(self) -> Any:
        """The present state."""
        return self._world.mark()

    def rewind(self, mark: Any) -> None:
        """Return to a marked state."""
        self._world.rewind(mark)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._world, name)
