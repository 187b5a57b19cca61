"""The signature of an account: hex digits for what is stored and what a program returned (Dialog2API, appendix B)."""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import JsonValue

from toologue.keys import content_key
from toologue.schema import Act, Result
from toologue.worlds.s3.account import Contents, content_of
from toologue.worlds.store import path_of
from toologue.worlds.world import Wrapped

_ROW = path_of("Account", "signature")


class _Holds(Protocol):
    def contents(self) -> Contents: ...


def signature(
    world: _Holds | Wrapped,
    value: JsonValue = None,
    *,
    mode: Literal["published", "fixed"] = "published",
    error: str | None = None,
) -> str:
    """Eight hex digits for what is stored, and for what a program returned (Dialog2API, appendix B).

    Equal names of buckets, keys, contents and values give equal signatures, in any process and at any address; moments,
    regions and owners do not count. `published` is the paper's: a program that failed signs as one that returned
    nothing. `fixed` tells errors apart by the type of the fault with which the program ended.
    """
    stored = {bucket: {key: content_of(data) for key, data in row.items()} for bucket, row in world.contents().items()}
    return content_key([stored, value] if mode == "published" else [stored, value, error])[:8]


class Signed(Wrapped):
    """A world whose changes publish its signature as a row, `Account/signature`, beside the rows that were written.

    So a trace carries what its programs came to, as it carries every other outcome.
    """

    def do(self, act: Act) -> Result:
        """Execute, and sign where something was written."""
        result: Result = self._world.do(act)
        return result.replace(changes={**result.changes, _ROW: signature(self._world)}) if result.changes else result


def signature_after(result: Result, before: str) -> str:
    """The signature after an act, given the one before it."""
    return str(result.changes.get(_ROW, before))
