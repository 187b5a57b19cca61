"""Another value in place of a right one, of the same type: what is wrong in it is the value alone.

Example:
    >>> changed(True, Random(1)), changed(7, Random(1)) != 7, other_text("Anna", Random(1))
    (False, True, 'Berta Quisling')

Not covered: values that are no longer of their form; `plan.spoil` makes those.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pydantic import JsonValue

__all__ = ["changed", "other_text"]


def _word(text: str) -> str:
    return f"x{text}" if "@" in text else "Berta Quisling" if text[:1].isupper() else f"un{text}"


def changed(value: JsonValue, random: Random, word: Callable[[str], str] = _word) -> JsonValue:
    """Another value of the same type; `word` makes another of a text without digits."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + random.choice((1, 2, 5, 10))
        case str():
            return other_text(value, random, word)
        case _:
            return "another"


def other_text(text: str, random: Random, word: Callable[[str], str] = _word) -> str:
    """The text with one digit changed, or without digits what `word` makes of it."""
    digits = [place for place, letter in enumerate(text) if letter.isdigit()]
    if not digits:
        return word(text)
    place = digits[random.randrange(len(digits))]
    digits_left = [digit for digit in "123456789" if digit != text[place]]
    digit = digits_left[random.randrange(len(digits_left))]
    return f"{text[:place]}{digit}{text[place + 1 :]}"
