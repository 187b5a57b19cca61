"""The signature of an account: hex digits for what is stored and what a program returned (Dialog2API, appendix B)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from pydantic import JsonValue

from toologue.keys import content_key
from toologue.schema import Act, Result
from toologue.worlds.s3.account import Contents, content_of
from toologue.worlds.store import path_of
from toologue.worlds.world import Wrapped

Mode = Literal["published", "fixed"]
_ROWS: Mapping[Mode, str] = {
    "published": path_of("Account", "signature"),
    "fixed": path_of("Account", "signature_fixed"),
}
# What the signature of the account at the beginning is called, among a dialogue's extras.
INITIAL: Mapping[Mode, str] = {"published": "initial_signature", "fixed": "initial_signature_fixed"}
# The rows that sign.
SIGNATURES = frozenset(_ROWS.values())


class _Holds(Protocol):
    def contents(self) -> Contents: ...

    def region(self, bucket: str) -> str | None: ...


def signature(
    world: _Holds | Wrapped, value: JsonValue = None, *, mode: Mode = "published", error: str | None = None
) -> str:
    """Eight hex digits for what is stored, and for what a program returned (Dialog2API, appendix B).

    Equal names of buckets, keys, contents and values give equal signatures, in any process and at any address; moments
    and owners do not count. `published` is the paper's: regions do not count either, and a program that failed signs as
    one that returned nothing. `fixed` tells regions apart, and errors by the type of the fault with which it ended.
    """
    contents = world.contents()
    stored = {bucket: {key: content_of(data) for key, data in row.items()} for bucket, row in contents.items()}
    if mode == "published":
        return content_key([stored, value])[:8]
    return content_key([stored, {bucket: world.region(bucket) for bucket in contents}, value, error])[:8]


class Signed(Wrapped):
    """A world whose changes publish its signatures as rows (`SIGNATURES`), one a mode, beside what was written.

    So a trace carries what its programs came to, as it carries every other outcome.
    """

    def do(self, act: Act) -> Result:
        """Execute, and sign where something was written."""
        result: Result = self._world.do(act)
        if not result.changes:
            return result
        signed = {row: signature(self._world, mode=mode) for mode, row in _ROWS.items()}
        return result.replace(changes={**result.changes, **signed})


def signature_after(result: Result, before: str, mode: Mode = "published") -> str:
    """The signature after an act, given the one before it."""
    return str(result.changes.get(_ROWS[mode], before))
