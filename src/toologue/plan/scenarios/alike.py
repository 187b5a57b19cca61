"""What reads alike, and what reads as if nobody had filled it in: two checks on texts that people or models write.

`likeness` compares the words of two texts in any order, case aside: 1 says the same, 0 shares nothing. `generics` finds
entities that stand for any entity: ProductX, John Doe, order 12345, [your name].

Example:
    >>> likeness("The parcel is lost.", "Lost is the parcel")
    1.0
    >>> generics("Mr. John Doe wants to return ProductX, order no. 12345, to [shop name].")
    ['John Doe', 'ProductX', '12345', '[shop name]']

Not covered: meaning. Two texts that say the same in other words are strangers; so are names of real companies.
"""

from __future__ import annotations

import re

_THING = "Product|Company|Service|Item|Brand|Shop|Store|Customer|User|Order|Hotel|Airline|Bank|City|Street|Person|Agent"
_GENERIC = re.compile(
    rf"\b(?:{_THING})\s?(?:X+|XYZ|ABC|[A-CYZ](?![\w'’]|\. [A-Z]))"
    r"|\b(?:John|Jane)\s(?:Doe|Smith)\b|\bMax Mustermann\b|\bAcme\b|\bfoo ?bar\b|\blorem ipsum\b|\b123 Main St\w*"
    r"|\b(?:[A-Z]{2,3}-?)?(?:12345\d*|1111+|0000+)\b|\b(?:ABC|XYZ)-?\d{3}\b"
    r"|\[[A-Za-z][\w' -]*\]|<[a-z][\w' -]*>|\{\{?[\w ]+\}?\}",
)


def likeness(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1."""
    from rapidfuzz import fuzz, utils

    return fuzz.token_sort_ratio(one, other, processor=utils.default_process) / 100


def generics(text: str) -> list[str]:
    """The generic entities and unfilled places in a text, in its order."""
    return [found[0] for found in _GENERIC.finditer(text)]
