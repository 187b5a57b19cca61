"""Numbers as people say them: digits, words, thousands, currencies, k and m; not parts of longer tokens (`10:30`)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
# Words for the numbers up to 19, and for the tens.
SMALL_NUMBERS = {word: number for number, word in enumerate(_UNITS.split())} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS.split())
}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_LOOSE = {"dozen": 12, "couple": 2, "pair": 2}
_SUFFIX = {"k": 10**3, "m": 10**6, "bn": 10**9, "b": 10**9}

_WORD = "|".join([*sorted(SMALL_NUMBERS, key=len, reverse=True), *_LARGE])
_WORDS = rf"(?:{_WORD})(?:(?:\s+and\s+|[\s-]+)(?:{_WORD}))*"
# A pattern for how many of something: `3`, `three`, `a`, `a couple of`. `whole` gives its value.
NUMBER = rf"(?:\d{{1,6}}|{_WORDS}|an?\s+couple(?:\s+of)?|an?\s+dozen|a\s+few|an?)"

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,9})?|\.\d{1,9}"
_AMOUNT = re.compile(
    rf"""(?<![\w.:/@#-])(?P<sign>-|minus\s+|(?<=\s)-)?(?P<currency>[$€£]\s?)?
    (?:(?P<digits>{_DIGITS})(?:(?P<suffix>k|m|bn)\b|\s+(?P<large>hundred|thousand|million|billion)\b)?
      |(?:(?:an?|half\s+a)\s+)?(?P<loose>dozen|couple|pair)\b|(?P<words>{_WORDS})\b(?:\s+dozen\b)?)
    (?P<unit>\s?(?:%|percent\b|dollars?\b|euros?\b|pounds?\b|bucks?\b))?(?![\w@]|[:/]\d|-[\da-z]*\d)""",
    re.IGNORECASE | re.VERBOSE,
)


class Amount(NamedTuple):
    """A number in a text, and what stood with it: a currency sign or word, a percent sign."""

    value: int | float
    start: int
    end: int
    text: str
    unit: str


def amounts(text: str) -> list[Amount]:
    """Every number of a text, in its order."""
    found: list[Amount] = []
    for match in _AMOUNT.finditer(text):
        value = _value(match)
        unit = (match["currency"] or match["unit"] or "").strip().lower()
        found.append(Amount(-value if match["sign"] else value, match.start(), match.end(), match[0], unit))
    return found


@lru_cache(maxsize=1024)
def whole(said: str) -> int | None:
    """The number that such words say: `3`, `three`, `a`, `a couple of`, `two hundred and five`; or None."""
    words = re.findall(r"[a-z]+|\d+", said.lower())
    if words[:1] in (["a"], ["an"]):
        rest = [word for word in words[1:] if word != "of"]
        return (_LOOSE | {"few": 3}).get(rest[0]) or whole("one " + " ".join(rest)) if rest else 1
    if len(words) == 1 and words[0].isdecimal():
        return int(words[0][:18])
    total = current = 0
    for word in words:
        if word in SMALL_NUMBERS:
            current += SMALL_NUMBERS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _LARGE:
            total, current = total + max(current, 1) * _LARGE[word], 0
        elif word != "and":
            return None
    return total + current if words else None


def _value(match: re.Match[str]) -> int | float:
    if match["loose"]:
        number = _LOOSE[match["loose"].lower()]
        return number // 2 if match[0].lower().lstrip("-").startswith("half") else number
    if match["words"]:
        number = whole(match["words"]) or 0
        return number * 12 if match[0].lower().endswith("dozen") else number
    digits = match["digits"].replace(",", "")
    scale = _SUFFIX.get((match["suffix"] or "").lower(), 1) * _LARGE.get((match["large"] or "").lower(), 1)
    value = float(digits) * scale if "." in digits else int(digits) * scale
    return int(value) if isinstance(value, float) and value.is_integer() else value
