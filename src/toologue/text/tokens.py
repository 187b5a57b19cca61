"""The words in the names of APIs: snake case, singular and plural, names that every agent's protocol allows.

Example:
    >>> snake("getOrderByID"), singular("return_labels"), plural("reply"), callable_name("pets.list all")
    ('get_order_by_id', 'return_label', 'replies', 'pets_list_all')
    >>> reads("find_customer"), reads("cancel_order")
    (True, False)

Not covered: languages other than English, and most irregular plurals.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache

from toologue.text.kinds import words_of

_IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "movies": "movie",
    "cookies": "cookie", "calories": "calorie", "series": "series", "news": "news", "data": "data", "media": "media",
    "indices": "index", "vertices": "vertex", "matrices": "matrix", "analyses": "analysis", "caches": "cache",
}  # fmt: skip
_PLURALS = {one: many for many, one in _IRREGULAR.items()}
_READS = frozenset(
    (
        *(
            "get",
            "list",
            "find",
            "search",
            "look",
            "lookup",
            "check",
            "read",
            "fetch",
            "show",
            "view",
            "query",
            "count",
        ),
        *("describe", "retrieve", "browse", "track", "is", "has", "can", "calculate", "compute", "estimate"),
        *("preview", "quote", "validate", "verify", "compare", "forecast", "suggest", "recommend"),
    )
)

_SECRET = re.compile(r"passw|passphrase|passcode|(?:^|_)pwd")


def snake(name: str) -> str:
    """`returnLabels`, `return-labels` → `return_labels`."""
    return "_".join(words_of(name))


_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")


@lru_cache(maxsize=1 << 13)
def singular(name: str) -> str:
    """The singular of a plural name in snake case; a singular stays."""
    head, joint, last = name.rpartition("_")
    return head + joint + _singular(last)


def plural(name: str) -> str:
    """The plural of a name in snake case; a plural stays."""
    head, joint, last = name.rpartition("_")
    return head + joint + (last if _singular(last) != last else _plural(last))


def callable_name(text: str) -> str:
    """A name of letters, digits, `_` and `-`, at most 64 of them: what function calling allows."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_")[:64]


def unique(name: str, taken: Container[str]) -> str:
    """The name, or the first of `name_2`, `name_3` … that is not in `taken`."""
    made, number = name, 1
    while made in taken:
        number += 1
        made = f"{name}_{number}"
    return made


def reads(name: str) -> bool:
    """Whether an API of this name looks as if it changed nothing: `get_order`, `findCustomer`."""
    return (words_of(name) or ("",))[0] in _READS


def asks_for_a_password(name: str) -> bool:
    """Whether a parameter of this name is a secret that only its owner may type."""
    return _SECRET.search(snake(name)) is not None


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "tuses", "buses", "ruses", "nuses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2 else word


def _plural(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "sh", "ch")) else f"{word}s"


@lru_cache(maxsize=65536)
def split_name(name: str) -> str:
    """The words of a name or path: `alarms[].alarm_id` → "alarms alarm id", `getHTTPStatus` → "get http status"."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return " ".join(re.findall(r"[^\W_]+", spaced)).lower()


@lru_cache(maxsize=16384)
def spell(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: at capitals, digits stay."""
    return tuple(part.lower() for part in _BREAK.split(name.replace("IDs", "Ids")) if part)
