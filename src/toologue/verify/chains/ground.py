"""What words may rest on: texts and values that were there before them, and the labels of documents.

Contract: a claim is supported if its words stand in what was said or in a result as they are, or if a value there means
the same (17 October 1919 for "1919-10-17"); lists support how long they are. Most claims are there as letters, so that
is looked up first; only what is left is read. Labels support names, and numbers that belong to a label ("set 2").

Example:
    >>> ground = Ground({"teams": [{"name": "Leeds United", "since": "1919-10-17"}]})
    >>> list(unsupported("It is Leeds United, since 17 October 1919, and Hull City.", [ground]))
    ['Hull', 'City']
    >>> list(unsupported("It is Leeds United, set 2: 7", [ground], lambda: ["winner of set 2"]))
    ['7']

Not covered: sums, differences and averages of supported numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import cast

from pydantic import JsonValue

from toologue.keys import Same
from toologue.schema import Api
from toologue.text.claims import Claim, claims, grounds
from toologue.verify.chains.rows import lengths, plain
from toologue.verify.chains.telling import squashed, stands_in

_PLURAL = re.compile(r"[A-Z]{2,}s")  # URLs
_PAIR = re.compile(r"(?<![\w.:/-])\d+[-:]\d+(?![\w:/-])")  # a score, a time
_CLOCK = re.compile(r"\d\d:\d\d")
_SHORT = 3


class Ground:
    """Texts, or results."""

    def __init__(self, *values: JsonValue):
        self.values = values

    @cached_property
    def letters(self) -> str:
        """All there is, as it is written."""
        return " ".join(map(str, self.values)).casefold()

    @cached_property
    def leaves(self) -> list[str | float]:
        """Every value."""
        return [leaf for value in self.values for leaf in plain(value)]

    @cached_property
    def lengths(self) -> frozenset[int]:
        """How long the lists are."""
        return frozenset(length for value in self.values for length in lengths(value))

    def has(self, said: str) -> bool:
        """Whether these words stand in it."""
        return stands_in(self.letters, said.casefold())

    def means(self, claim: Claim) -> bool:
        """Whether a value in it means what is claimed."""
        if claim[0] == "name":
            return False
        if claim[0] == "number" and claim[1] in self.lengths:
            return True
        trace = _trace(claim)
        return any(claim in grounds(leaf) for leaf in self.leaves if trace in str(leaf))

    def is_longer(self, claim: Claim) -> bool:
        """Whether a list is longer than a number says."""
        return any(length > cast("float", claim[1]) for length in self.lengths)


def unsupported(text: str, known: Sequence[Ground], labelled: Callable[[], Sequence[str]] = tuple) -> Iterator[str]:
    """The words of each claim of a text that neither what is known supports nor labels (squashed, asked for late)."""
    for claim, read in claims(text).items():
        said = _whole(text, read)
        if any(ground.has(said) for ground in known) or _PLURAL.fullmatch(said):
            continue
        if said == read and any(ground.means(claim) for ground in known):
            continue
        if claim[0] == "number" and f" {said} more" in text and any(ground.is_longer(claim) for ground in known):
            continue  # "… and 3 more", of five
        if claim[0] == "name" and len(said) < _SHORT:
            continue
        around = [squashed(said).rstrip("s")] if claim[0] == "name" else _with_neighbours(text, said)
        if not any(label in words for words in labelled() for label in around):
            yield said
    for match in _PAIR.finditer(text):
        labelled_too = any(label in words for words in labelled() for label in _with_neighbours(text, match[0]))
        clock = _CLOCK.fullmatch(match[0]) is not None
        shown = (ground.has(match[0]) or (clock and ground.means(("time", match[0]))) for ground in known)
        if not labelled_too and not any(shown):
            yield match[0]


def labels(api: Api) -> str:
    """The words, squashed, that a document has for its Api, its parameters and its outputs."""
    return _labels(Same(api))


# ---- claims


def _trace(claim: Claim) -> str:
    """Letters without which no value means a claim."""
    kind, value = claim
    match kind:
        case "number":
            return str(int(cast("float", value)))
        case "day":
            return str(cast("tuple[int, int]", value)[1])
        case "time":
            return str(int(str(value)[3:5])) if value else ""
        case _:
            return "@" if kind == "email" else ""


def _whole(text: str, said: str) -> str:
    """The words of a claim; where they are but a part of a longer code or number, that."""
    if stands_in(text, said):
        return said
    start = text.find(said)
    before, after = text[:start].split(" ")[-1], text[start + len(said) :].split(" ")[0]
    return f"{before}{said}{after}".strip(".,:;!?()'\"")


def _with_neighbours(text: str, said: str) -> list[str]:
    """The words of a claim with the one before, and with the one after."""
    start = text.find(said)
    before, after = text[:start].split()[-1:], text[start + len(said) :].split()[:1]
    return [squashed(" ".join((*before, said))), squashed(" ".join((said, *after)))]


# ---- documents


@lru_cache(maxsize=64)
def _labels(same: Same[Api]) -> str:
    api = same.value
    words = [api.name, api.description, *api.keywords, *api.parameters]
    waiting: list[JsonValue] = [api.returns, *(parameter.json_schema for parameter in api.parameters.values())]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            words += _described(schema)
            waiting += schema.values()
    return squashed(" ".join(words))


def _described(schema: Mapping[str, JsonValue]) -> Iterator[str]:
    properties = schema.get("properties")
    yield from properties if isinstance(properties, dict) else ()
    yield from (said for key in ("title", "description", "x-description") if isinstance(said := schema.get(key), str))
