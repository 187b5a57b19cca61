"""Facts that people ask for by name, and how they say them; they stand in `facts.yaml`.

>>> [one.words for one in facts(("main", "temp"))], facts(("lat",))
(['temperature'], ())
>>> [one and one.words for one in (fact_of(("position",), {"player"}), fact_of(("position",), {"keyword"}))]
['position', None]
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.data import shipped
from toologue.text.names import kind_wraps
from toologue.text.tokens import singular, split_name

_UNITS = (
    r"km/h|[ck]?m|mm|kg|hPa|kcal|°[CF]|%|(?i:(?:kilo|milli|centi|square )?met(?:re|er)s|miles|milliseconds|seconds|"
    r"minutes|hours|days|euros|dollars|pounds|grams|kilograms|(?:degrees )?(?:celsius|fahrenheit))"
)
# What something is measured in; a currency's code among it.
MEASURES = rf"[A-Z]{{3}}|{_UNITS}"
_SAID = re.compile(rf"(?:^In| in) ({MEASURES})(?![\w/])|\(({_UNITS})\)|^({_UNITS})(?= |$)")
# Last words of names that say it, and how it is said.
_SUFFIXES = {
    "c": "°C", "celsius": "°C", "f": "°F", "fahrenheit": "°F", "km": "km", "cm": "cm", "mm": "mm", "kg": "kg",
    "kph": "km/h", "kmh": "km/h", "hpa": "hPa", "kcal": "kcal", "eur": "EUR", "usd": "USD", "gbp": "GBP",
    "meters": "metres", "metres": "metres", "miles": "miles", "minutes": "minutes", "hours": "hours",
}  # fmt: skip


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
    rest, _, unit = words.rpartition(" ")
    return _table().get(words) or (_table().get(rest, ()) if unit in _SUFFIXES else ())


def unit_of(path: Sequence[str], description: str) -> str:
    """In what a value is measured, as its description says it, or the end of its name; or nothing.

    >>> unit_of(("temp_c",), ""), unit_of(("price",), "The price in EUR"), unit_of(("temp",), "In Kelvin")
    ('°C', 'EUR', '')
    """
    found = _SAID.search(description)
    said = next(filter(None, found.groups()), "") if found else ""
    if said:
        small = said.lower().removeprefix("degrees ")
        return _SUFFIXES[small] if small in ("celsius", "fahrenheit") else small if said.istitle() else said
    *rest, last = split_name(path[-1] if path else "").split() or [""]
    return _SUFFIXES.get(last, "") if rest else ""


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
