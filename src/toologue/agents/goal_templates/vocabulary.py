"""What everyday words stand for: `delete` for "got rid of", `files` for "documents", as vocabulary.yaml has it.

Contract: pure, and linear in the words. `tagged` puts a mark for every word that has a class: `#copy` for a verb,
`#files` for a noun, `@copy` for a verb that stands as a noun ("a copy of"). What it does not know stays as it is.
`says` tells whether words hold a cue of cues.yaml.

Example:
    >>> tagged("please throw away the documents in <bucket>")
    'please #delete the #files in <bucket>'
    >>> tagged("is there a copy of <key>?"), says("agrees", "Yes, go on.")
    ('is there a @copy of <key>?', True)

Not covered: languages other than English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from toologue.data import shipped

__all__ = ["cue", "cues", "says", "tagged", "words_of"]

_TOKEN = re.compile(r"<\w+>|[\w'’~-]+|[^\w\s]|\s+")
_DETERMINERS = frozenset(("a", "an", "the", "my", "our", "your", "another", "its", "no", "latest", "new", "old"))
_STATES = frozenset(("is", "are", "was", "were", "still", "not", "what's"))
"""After these, "open" and "stored" are states."""
_LONGEST = 4


def tagged(words: str) -> str:
    """The words, in lower case, with the class of each that has one in its place."""
    tokens: list[str] = _TOKEN.findall(words.lower().replace("’", "'"))
    found, before, at = list[str](), "", 0
    while at < len(tokens):
        name, length = _longest(tokens, at)
        if name in ("read", "put") and before in _STATES:
            name, length = "", 1
        if name:
            noun = name in _vocabulary()["verbs"] and before in _DETERMINERS and length == 1
            found.append(tokens[at] if noun and name == "send" else f"{'@' if noun else '#'}{name}")
            before = tokens[min(at + length, len(tokens)) - 1]
        else:
            found.append(("\n" if "\n" in tokens[at] else " ") if tokens[at].isspace() else tokens[at])
            before = before if tokens[at].isspace() else tokens[at]
        at += max(length, 1)
    return "".join(found)


@lru_cache(maxsize=4096)
def says(name: str, words: str) -> bool:
    """Whether words hold a cue."""
    return cue(name).search(words) is not None


@cache
def cue(name: str) -> re.Pattern[str]:
    """The expression of a cue."""
    return re.compile(shipped(Path(__file__).with_name("cues.yaml"))[name], re.IGNORECASE)


@cache
def cues(name: str) -> Sequence[Any]:
    """The rows of a table of cues: an expression, and what it stands for."""
    rows = shipped(Path(__file__).with_name("cues.yaml"))[name]
    return [(re.compile(pattern), *rest) for pattern, *rest in rows]


@cache
def words_of(name: str) -> frozenset[str]:
    """The words of a list of cues."""
    return frozenset(shipped(Path(__file__).with_name("cues.yaml"))[name].split())


def _longest(tokens: list[str], at: int) -> tuple[str, int]:
    """(class, number of tokens) of the longest phrase that begins here."""
    known = _classes()
    if tokens[at].isspace() or tokens[at] not in _beginnings():
        return "", 0
    for length in range(2 * _LONGEST - 1, 0, -2):
        if (name := known.get("".join(tokens[at : at + length]))) is not None:
            return name, length
    return "", 0


def _vocabulary() -> Mapping[str, Any]:
    return shipped(Path(__file__).with_name("vocabulary.yaml"))


@cache
def _classes() -> Mapping[str, str]:
    told = _vocabulary()
    verbs = {form: name for name, words in told["verbs"].items() for word in words for form in _inflected(word)}
    return verbs | {word: name for name, words in told["phrases"].items() for word in words}


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(_TOKEN.match(phrase)[0] for phrase in _classes())  # type: ignore[index]


def _inflected(verb: str) -> Iterator[str]:
    """The forms of a verb: regular ones, and those of the irregular verbs that people use here."""
    told = _vocabulary()
    head, _, tail = verb.partition(" ")
    stem, past = head.removesuffix("e"), re.sub(r"y$", "i", head) if re.search(r"[^aeiou]y$", head) else head
    if re.search(r"[^aeiouwxy][aeiou][bdgmnprt]$", head) and head not in told["single"]:
        stem = past = stem + stem[-1]
    third = re.sub(r"y$", "ie", head) if re.search(r"[^aeiou]y$", head) else head + "e" * bool(_HISSING.search(head))
    regular = (f"{third}s", f"{past.removesuffix('e')}ed", f"{stem}ing")
    forms = told["irregular"][head].split() if head in told["irregular"] else regular
    yield from (f"{form} {tail}".strip() for form in (head, *forms))


_HISSING = re.compile(r"(?:ch|sh|s|x)$")
