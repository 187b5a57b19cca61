"""The agent's words, made from the words of a step by the grammar of procedures (`write.grammar`).

Contract: pure. Values in braces are filled in, worded as people say them; "they" becomes "you".

Example:
    >>> asked("for the number again, because there is no {order_id}: it is O, a dash, five digits", {"order_id": "O-1"})
    'Could you tell me the number again? There is no O-1. It is O, a dash, five digits.'
    >>> asked("whether they want the money or the same again", {})
    'Do you want the money or the same again?'
    >>> said("say that {sum} euros come back, and that they may keep the goods", {"sum": 12.0})
    '12 euros come back, and you may keep the goods.'

Not covered: registers and variety; the words are plain, and always the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue

from toologue.errors import BadSetting
from toologue.procedure.grammar import asking, direct, saying
from toologue.text.verbalize import fill_values
from toologue.values.conditions import parse

_BRACES = re.compile(r"\{([^{}]*)\}")
_SAY = re.compile(r"^say:?\s+", re.IGNORECASE)


def asked(text: str, values: Mapping[str, JsonValue]) -> str:
    """The question that a step asks."""
    ask = asking(text)
    if ask.words:
        question = _sentence(ask.words)
    elif ask.noun:
        question = f"Could you tell me {ask.noun}?"
    else:
        straight = direct(ask.question) or f"Could you tell me {ask.question}"
        question = f"{straight}: {ask.back}?" if ask.back else f"{straight}?"
    if ask.who:
        question = f"{ask.who}, {question[:1].lower()}{question[1:]}"
    return _shown(" ".join(filter(None, [question, _sentence(ask.reason), _sentence(ask.note)])), values)


def said(text: str, values: Mapping[str, JsonValue]) -> str:
    """What a step says."""
    *most, last = saying(_SAY.sub("", text)).statements or ("",)
    return _shown(_sentence(f"{', '.join(most)}, and {last}" if most else last), values)


def _sentence(words: str) -> str:
    words = words.strip()
    return words and words[:1].upper() + words[1:] + ("" if words.endswith((".", "?", "!")) else ".")


def _shown(text: str, values: Mapping[str, JsonValue]) -> str:
    """A text with its values; what has none, or none yet, is "not known"."""
    found: dict[str, JsonValue] = {}
    for expression in map(str.strip, _BRACES.findall(text)):
        try:
            found[expression] = parse(expression).value(values)
        except BadSetting:
            found[expression] = None
    return fill_values(text, found)
