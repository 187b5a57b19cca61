"""The signature of an account: hex digits for what is stored and what a program returned (Dialog2API, appendix B).

Contract: equal names of buckets, keys, contents and values give equal signatures, in any process and at any address;
moments, regions and owners do not count. `published` is the paper's: a program that failed signs as one that returned
nothing. `fixed` tells errors apart by their kind.

Example:
    >>> from toologue.worlds.s3.simulator import S3
    >>> world = S3()
    >>> signature(world) == signature(S3(), None), signature(world) == signature(world, [])
    (True, False)
    >>> signature(world, error="NoSuchKey", mode="fixed") == signature(world, mode="fixed")
    False

Not covered: order among equal things; a list is another list than its reverse.
"""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import JsonValue

from toologue.keys import content_key
from toologue.worlds.s3.service import Contents
from toologue.worlds.s3.values import content_of


class _Stored(Protocol):
    def contents(self) -> Contents: ...


def signature(
    world: _Stored,
    value: JsonValue = None,
    *,
    mode: Literal["published", "fixed"] = "published",
    error: str | None = None,
) -> str:
    """Eight hex digits. `error` is the type of the fault with which the program ended."""
    stored = {bucket: {key: content_of(data) for key, data in row.items()} for bucket, row in world.contents().items()}
    told = [stored, value] if mode == "published" else [stored, value, error]
    return content_key(told)[:8]
