"""Values as people say them, and texts with values in their braces.

`verbalize` changes how a value looks, never what it is: dates get months, codes spaces, sums two places, lists commas.
Every other text stays as it is. `fill_values` puts values where a text shows their expressions; what stands around
decides whether a date-time is said with its time (not after "on" or "by"), whether a number is a sum of money, whether
a code begins a sentence; of one thing there are no months: "1 month" is said for "{count} months".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import cast

from pydantic import JsonValue

from toologue.errors import BadSetting, shown
from toologue.text.times import ISO_MOMENT, MONTHS
from toologue.text.tokens import SENTENCE_START, opens_sentence, singular

_BRACES = re.compile(r"\{([^{}]*)\}(?:( [a-z]+[^\Wsui]s)\b)?(\"?)(\.?)")
_MOMENT = re.compile(ISO_MOMENT)
_CLOCK = re.compile(r"(\d\d:\d\d):\d\d(?:\.\d+)?Z?")
_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+")
_MONEY = re.compile(r"\s?(?:euros?|dollars?|pounds?|francs?|crowns?|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|€|\$|£)(?!\w)")
_DAY_ONLY = re.compile(r"\b(?:on|by|until|since|before|after|of|from)\s$", re.IGNORECASE)


def verbalize(
    value: JsonValue, *, money: bool = False, day_only: bool = False, exact: bool = False, year: int | None = None
) -> str:
    """A value as it is said. `exact`: texts as they are; `money`: with two places; `day_only`: without the time.

    `year`: this one; its days are said without it.
    """
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        whole = float(value).is_integer()
        return str(int(value)) if whole else f"{value:.2f}" if money and round(value, 2) == value else str(value)
    if isinstance(value, str):
        return value if exact else _text(value, day_only, year) if value.strip() else "none"
    members = value if isinstance(value, list) else cast("dict[str, JsonValue]", value).values()
    parts = [part for part in members if part not in (None, "")]
    said = [verbalize(part, money=money, day_only=day_only, exact=exact, year=year) for part in parts]
    *most, last = said or ["none"]
    joined = ", ".join(most)
    return f"{joined}{' and ' if isinstance(value, list) else ', '}{last}" if most else last


def fill_values(text: str, values: Mapping[str, JsonValue], *, year: int | None = None) -> str:
    """A text with the values of what it shows in braces, by expression. Raises BadSetting for one that is not there."""
    for name in (name for name, value in values.items() if value == ""):  # nothing is said of an enumeration
        text = re.sub(rf", {re.escape(f'{{{name}}}')}(?=[,.!?]|$)", "", text)
    return _BRACES.sub(lambda found: _shown(found, values, year), text) if "{" in text else text


def opens_small(text: str) -> bool:
    """Whether a sentence in it begins with a small letter."""
    return re.search(f"{SENTENCE_START}[a-z]", text) is not None


def _shown(found: re.Match[str], values: Mapping[str, JsonValue], year: int | None) -> str:
    expression, text = found[1].strip(), found.string
    if expression not in values:
        raise BadSetting(f"{shown(text)} shows {{{expression}}}, and the cue has no value for it; give it in `values`")
    value = values[expression]
    money = _MONEY.match(text, found.end(1) + 1) is not None or text[: found.start()].endswith(("€", "$", "£"))
    day_only = _DAY_ONLY.search(text[: found.start()]) is not None
    said = verbalize(value, money=money, day_only=day_only, year=year)
    ours = said != value and (not isinstance(value, list | dict) or not value)
    if ours and said[:1].islower() and opens_sentence(text[: found.start()]):
        said = said[0].upper() + said[1:]
    counted = found[2] or ""
    if counted and type(value) is int and value == 1:
        counted = f" {singular(counted[1:])}"
    stop = "" if found[4] and not counted and said.rstrip("\"'”’").endswith((".", "!", "?", "…")) else found[4]
    return f"{said}{counted}{found[3]}{stop}"


def _text(text: str, day_only: bool, year: int | None) -> str:
    if found := _MOMENT.fullmatch(text):
        try:
            day = date(*map(int, found.group(1, 2, 3)))
        except ValueError:
            return text
        said = f"{day.day} {MONTHS[day.month - 1]}{'' if day.year == year else f' {day.year}'}"
        return f"{said} at {found[4]}" if found[4] and not day_only else said
    if found := _CLOCK.fullmatch(text):
        return found[1]
    return text.replace("_", " ").lower() if _CODE.fullmatch(text) else text
