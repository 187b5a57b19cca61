"""Whether words say a value, and whether they ask for a parameter.

Contract: a value is said as it is written, or else in any way that `write.verify` or `values.find` understands: dates
and numbers however they are worded. A parameter is asked for if some word of the text, endings apart, is one of its
name, its phrase or its description, or one that means the same; what is searched for is asked for by its name.

Example:
    >>> from toologue.schema import Parameter
    >>> team = Parameter(schema={"type": "string", "title": "identifier of the team"})
    >>> tells("It is Hull City.", "Hull City"), tells("It is 1,500.", 1500), tells("It is 15001.", 1500)
    (True, True, False)
    >>> asks_for("Which teams do you mean?", "id", team), asks_for("Which town?", "id", team)
    (True, False)

Not covered: synonyms that no document has.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic import JsonValue

from toologue.schema import Parameter
from toologue.text.claims import says
from toologue.text.find import find
from toologue.text.tokens import split_name
from toologue.values.compare import same

_COMMON_WORDS = """
    about all also and any are can could does for from get give given has have how into its like may more need not of
    only or other please return returned should that the their them then there these this those to use used value want
    was what when where which who whose will with would you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_SEEKING = frozenset(["q", "s", "query", "search", "keyword", "term", "text", "searchterm"])
"""Parameters for what is searched for: they may be asked for by its name, too."""
_ALIKE = (
    "q query search keyword term text",
    "outputsize count cnt limit number size amount max top many most",
    "to end until destination target",
    "from start since origin begin",
    "h2h head compare",
    "gl geo country region",
    "hl lang language locale",
)
_WORD = re.compile(r"[^\W_]+")


def tells(text: str, value: JsonValue, parameter: Parameter | None = None, name: str = "") -> bool:
    """Whether a text says a value (of a parameter)."""
    written = isinstance(value, str | int | float) and not isinstance(value, bool)
    if (written and stands_in(text, str(value))) or says(text, value):
        return True
    schema = parameter.json_schema if parameter else {}
    return bool(schema) and any(same(one.value, value) for one in find(text, schema, name=name))


def stands_in(text: str, said: str) -> bool:
    """Whether a text has these letters, and not as a part of a longer word or number."""
    start = text.find(said)
    while said and start >= 0:
        end = start + len(said)
        if _begins(text, start) and _ends(text, end):
            return True
        start = text.find(said, start + 1)
    return False


def squashed(text: str) -> str:
    """Its letters and digits, folded."""
    return "".join(_WORD.findall(text)).casefold()


def _begins(text: str, start: int) -> bool:
    before, first = text[max(0, start - 1) : start], text[start]
    if not (first.isalnum() and (before.isalnum() or before in ("_", "@"))):
        return not (first.isdigit() and before in (".", ",") and text[max(0, start - 2) : start - 1].isdigit())
    return False


def _ends(text: str, end: int) -> bool:
    last, after = text[end - 1], text[end : end + 1]
    if last.isalnum() and (after.isalnum() or after in ("_", "@")):
        return False
    return not (after in (".", ",", "-") and last.isalnum() and text[end + 1 : end + 2].isdigit())


def asks_for(text: str, name: str, parameter: Parameter | None) -> bool:
    """Whether a text has a word for a parameter."""
    schema = parameter.json_schema if parameter else {}
    described = " ".join(str(schema.get(key) or "") for key in ("title", "description", "x-description"))
    asked, said = _stems(described) | _words(split_name(name)), _stems(text)
    if not asked.isdisjoint(said) or (len(name) > 1 and squashed(name) in squashed(text)):
        return True
    if any(len(stem) > 3 and stem in name.casefold() for stem in said):
        return True
    if split_name(name) in _SEEKING and not said.isdisjoint(_NAMES):
        return True
    return any(not asked.isdisjoint(group) and not said.isdisjoint(group) for group in _SYNONYMS)


@lru_cache(maxsize=8192)
def _stems(text: str) -> frozenset[str]:
    return _words(" ".join(word for word in _WORD.findall(text.casefold()) if word not in _COMMON))


def _words(text: str) -> frozenset[str]:
    return frozenset(stem for word in text.split() if (stem := word[:4].rstrip("s")))


_SYNONYMS, _NAMES = tuple(map(_words, _ALIKE)), _words("name title")
