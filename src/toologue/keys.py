"""The one place that hashes and seeds: identity is the hash of canonical JSON, randomness a function of names.

Equal JSON values have equal bytes: keys sorted, 25 and 25.0 alike, NaN refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class Same(Generic[T]):
    """A value as the key of a cache: the very same object, quick to find. The cache keeps it alive."""

    __slots__ = ("value",)

    def __init__(self, value: T):
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is cast("Same[Any]", other).value


def canonical(value: Any) -> bytes:
    """The canonical JSON bytes of a JSON value. Raises ValueError for NaN and infinities."""
    text = _dump(value)
    if ".0" in text or "e+" in text:  # perhaps a float that is an integer: 25.0, 1e+16
        text = _dump(_integral(value))
    return text.encode("ascii")


def content_key(value: Any) -> str:
    """16 hex digits that name a JSON value."""
    return hashlib.sha256(canonical(value)).hexdigest()[:16]


def file_key(path: Path) -> str:
    """16 hex digits that name the bytes of a file, or of all `*.json` and `*.yaml` files of a folder."""
    files = sorted(f for f in path.rglob("*") if f.suffix in {".json", ".yaml"}) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            digest.update(file.name.encode() + b"\0" + hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:16]


def seed_of(*parts: int | str) -> int:
    """A seed (63 bits) for the thing that these parts name."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big") >> 1


def drawn(some: Iterable[T], *seed: int | str, label: Callable[[T], str]) -> list[T]:
    """These in an order by chance that stays the same for each two of them when others come or go."""
    return sorted(some, key=lambda one: seed_of(*seed, label(one)))


def code(*parts: int | str, signs: int = 4) -> str:
    """Signs that name the thing that these parts name, to be read and told: no vowels, so no words, no 0, 1 or l."""
    number, letters = seed_of(*parts), "23456789bcdfghjkmnpqrstvwxyz"
    return "".join(letters[number // len(letters) ** place % len(letters)] for place in range(signs))


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _integral(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _integral(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_integral(item) for item in cast("list[Any]", value)]
    return value
