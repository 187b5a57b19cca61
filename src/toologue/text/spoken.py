"""Which names are made of words: what people can say, and what only machines write (`evt`, `gamepk`).

Contract: `parted(word)` takes a word apart that runs two together (`boundingbox`), where both are known; `spoken(name)`
says whether all words of a name are known, however it is written. Known are the words of `vocabulary.txt`, their usual
endings, and short forms that people say (id, tv).

Example:
    >>> parted("eventid"), parted("weather"), parted("gamepk")
    (['event', 'id'], ['weather'], ['gamepk'])
    >>> spoken("homeTeam_name"), spoken("gamepk"), spoken("evt")
    (True, False, False)

Not covered: languages other than English; what a known word means.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from toologue.text.tokens import spell

_DATA = Path(__file__).with_name("vocabulary.txt")
_SHORT = frozenset(("id", "ids", "ip", "tv", "uk", "us", "eu", "pm", "uv", "url", "isbn", "iata", "icao", "vin", "imdb",
                    "nba", "nfl", "nhl", "mlb", "ufc", "bmi", "iso", "etf", "ipo", "usd", "eur", "gbp", "btc", "rsi",
                    "lat", "lon", "lng", "lang", "min", "max", "avg", "num", "info", "tz", "ean", "upc", "sku",
                    "iban"))  # fmt: skip
_ENDINGS = (
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("ed", ""),
    ("d", ""),
    ("ing", ""),
    ("ing", "e"),
    ("ly", ""),
    ("er", ""),
)
_TAILS = ("id", "ids")


def is_word(word: str) -> bool:
    """Whether a word, in small letters, is one that people say."""
    known = _vocabulary()
    if word in known or word in _SHORT or word.isdigit():
        return True
    return any(word.endswith(end) and word[: -len(end)] + stem in known for end, stem in _ENDINGS)


@lru_cache(maxsize=1 << 14)
def _parted(word: str) -> tuple[str, ...]:
    if is_word(word) or len(word) < 5 or not word.isalpha():
        return (word,)
    found = [(word[:at], word[at:]) for at in range(3, len(word) - 1)]
    good = [
        pair for pair in found if is_word(pair[0]) and (pair[1] in _TAILS or (len(pair[1]) > 2 and is_word(pair[1])))
    ]
    return max(good, key=lambda pair: min(map(len, pair))) if good else (word,)


def parted(word: str) -> list[str]:
    """The words that a word runs together; itself where it is one, or none that is known."""
    return list(_parted(word))


@lru_cache(maxsize=1 << 14)
def spoken(name: str) -> bool:
    """Whether a name is made of words: none is unknown, and one is longer than two letters, or an id."""
    words = [part for word in spell(name) for part in _parted(re.sub(r"\d+$", "", word) or word)]
    return bool(words) and all(map(is_word, words)) and any(len(word) > 2 or word in _SHORT for word in words)


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(_DATA.read_text("utf-8").split())
