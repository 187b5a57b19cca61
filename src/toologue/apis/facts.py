"""Facts that people ask for by name, and how they say them; they stand in `facts.yaml`.

>>> [one.words for one in facts(("main", "temp"))], facts(("lat",))
(['temperature'], ())
>>> [one and one.words for one in (fact_of(("position",), {"player"}), fact_of(("position",), {"keyword"}))]
['position', None]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.data import shipped
from toologue.text.names import kind_wraps
from toologue.text.tokens import singular, split_name


class Fact(NamedTuple):
    """How people call a fact; `of` what it has to be, anything where that is empty.

    `unit`: the number says nothing without its unit. `shown`: anybody may look it up, so that it is told only as
    documents show it.
    """

    words: str
    of: frozenset[str] = frozenset()
    unit: bool = False
    shown: bool = False


@lru_cache(maxsize=1 << 13)
def facts(path: tuple[str, ...]) -> tuple[Fact, ...]:
    """What an output may say, by its name; of a mere name by what it stands inside of: `capital|name`."""
    *around, last = path or ("",)
    words = split_name(last)
    if words == "name":
        words = split_name(next((name for name in reversed(around) if not kind_wraps(name)), ""))
    return _table().get(words, ())


def fact_of(path: tuple[str, ...], about: Collection[str]) -> Fact | None:
    """The fact that an output says where all is about this; None where nobody would ask for it."""
    near = {*about, *(singular(word) for name in path[:-1] for word in split_name(name).split())}
    return next((one for one in facts(path) if not one.of or not one.of.isdisjoint(near)), None)


@cache
def _table() -> dict[str, tuple[Fact, ...]]:
    found: dict[str, tuple[Fact, ...]] = {}
    for row in cast("Sequence[dict[str, Any]]", shipped(Path(__file__).with_suffix(".yaml"))):
        of = frozenset(filter(None, str(row.get("of", "")).split(", ")))
        for name, words in row["names"].items():
            one = Fact(words or name, of, bool(row.get("unit")), bool(row.get("shown")))
            found[name] = (*found.get(name, ()), one)
    return found
