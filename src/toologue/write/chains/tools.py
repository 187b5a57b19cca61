"""What the tool of an Api is called, and what it is about: `Instagram`, `handball`.

Contract: functions of an Api's name (`Category|tool|own name`). `brand(name)` is what people call the tool: a name that
everybody knows where there is one in it, else all of it; `field(name)` the words that say what all of it is about, ""
where none does.

Example:
    >>> brand("Social|instagram_scrapper_bulk|Full Profile"), brand("Sports|premier_league_stats|Clubs")
    ('Instagram', 'Premier League Stats')
    >>> field("Sports|handball_data|Tournament Info"), field("Location|spott|Places")
    ('handball', '')

Not covered: tools whose names are in other languages.
"""

from __future__ import annotations

import re

from toologue.write.chains.lexicon import lexicon, singular, split, wordset

_LONGEST = 3


def brand(name: str) -> str:
    """What a tool is called."""
    words = _words(name)
    if known := _known(words):
        return known
    kept = [word for word in words if word.isascii() and word not in ("api", "apis", "v") and not word.isdigit()]
    words = re.sub(r"(?: by)?(?: ninjas)$|(?: for| of| by)$", "", " ".join(kept)).split() or words
    text = " ".join(map(_written, words[:_LONGEST] if len(words) > _LONGEST + 1 else words))
    return text[:1].upper() + text[1:]


def field(name: str) -> str:
    """What a tool is about: a sport, stocks, the weather."""
    return " ".join(dict.fromkeys(singular(word) for word in _words(name) if word in wordset("about")))


def _words(name: str) -> list[str]:
    parts = name.split("|")
    return split(parts[1] if len(parts) > 2 else parts[0])


def _known(words: list[str]) -> str:
    """The name that everybody knows: Instagram, Google Play."""
    proper = lexicon().proper
    at = next((at for at, word in enumerate(words) if word in proper and word in wordset("brands")), None)
    if at is None:
        return ""
    more = words[at + 1 : at + 2]
    return " ".join([proper[words[at]], *(word.capitalize() for word in more if word in wordset("lines"))])


def _written(word: str) -> str:
    """A word of a tool's name as it is written."""
    known = lexicon()
    if word in known.acronyms or word in known.proper:
        return known.acronyms.get(word) or known.proper[word]
    bare = word.rstrip("0123456789")
    if len(word) > 5 and bare.endswith("api"):
        return f"{bare[:-3].capitalize()}API{word[len(bare) :]}"
    return word if word in ("of", "and", "the", "for", "by", "in", "to", "a") else word.capitalize()
