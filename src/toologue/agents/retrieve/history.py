"""What an agent heard: the request that is still open, the answers to its own questions, what its calls gave back.

Contract: pure and total, whatever results are. A request stays open until a round in which a call went through; so the
user's answers to questions belong to it. A mere "no" to an offer drops it. Rows of results come in groups, one a call,
the newest first; the `id` of a row among `books` is known as `book_id`, too.

Not covered: a request that is taken up again after another one; what later calls changed in earlier results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from toologue.agents.retrieve.lexicon import begins_with_deed, deed_of, talk
from toologue.schema import Call, Result, Turn, rounds
from toologue.text.find import Row
from toologue.text.spans import scene_of
from toologue.text.tokens import split_name

Rows = tuple[tuple[Row, ...], ...]
_JOINT = re.compile(r"(?:,\s*(?:(?:and|then)\s+)?|;\s*|\s+(?:and|then)\s+)(?:(?:then|also|please)\s+)*", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")
_MOST_ROWS, _DEEPEST = 500, 6


class Exchange(NamedTuple):
    """What the user said, and what the agent had said just before: a question perhaps."""

    asked: str
    said: str


class Made(NamedTuple):
    """A call and what it gave back."""

    call: Call
    result: Result

    @property
    def done(self) -> bool:
        """Whether it went through."""
        return self.result.error is None


@dataclass(frozen=True)
class Heard:
    """A conversation as an agent understands it when it is its turn."""

    said: tuple[Exchange, ...] = ()
    """The request that is open: what the user said since a call went through, with what the agent had said before."""
    closed: tuple[Exchange, ...] = ()
    """The request before that one, and the Apis that were called for it (`served`)."""
    served: frozenset[str] = frozenset()
    made: tuple[Made, ...] = ()
    """The calls of this round."""
    before: tuple[Made, ...] = ()
    """The calls of earlier rounds."""

    @property
    def request(self) -> tuple[str, ...]:
        """The user's words that are open, oldest first."""
        return tuple(said for _, said in self.said)

    @property
    def answers(self) -> tuple[Exchange, ...]:
        """What the agent asked about the request, each with what the user said to it, oldest first."""
        return self.said[1:]

    def reopened(self) -> Heard:
        """The same, with the request before this one open again: what was said since answers what was asked then."""
        return replace(self, said=(*self.closed, *self.said), closed=())

    @property
    def leaves(self) -> bool:
        """Whether the last words thank or say goodbye, and do nothing else."""
        words = self.said[-1].said if self.said else ""
        return talk("bye").search(words) is not None and _only("bye").fullmatch(words) is not None


def hear(history: Sequence[Turn]) -> Heard:
    """Understand a conversation up to here."""
    open_, closed, before, made = list[Exchange](), list[Exchange](), list[Made](), list[Made]()
    served, asked = frozenset[str](), ""
    for turns, did in rounds(history):
        before += made
        said = "\n".join(text for turn in turns if (text := _greeting().sub("", turn.text).strip()))
        refused = talk("offer").search(asked) and _only("refusing").fullmatch(said)
        if done := frozenset(one.call.api for one in made if one.done):
            open_, closed, served = [], open_, done
        if refused:
            open_, closed = [], []
        elif said:
            open_.append(Exchange(asked, said))
        acts = (pair for turn in did for pair in zip(turn.acts, turn.results, strict=False))
        made = [Made(act, result) for act, result in acts if isinstance(act, Call) and result is not None]
        asked = next((turn.text for turn in reversed(did) if turn.text), "")
    return Heard(tuple(open_), tuple(closed), served, tuple(made), tuple(before))


@cache
def _greeting() -> re.Pattern[str]:
    """Greetings at the beginning, sighs before them."""
    return re.compile(rf"^\W*(?:{talk('sigh').pattern}\W+)?(?:{talk('hello').pattern}[\s,!.]*)+", re.IGNORECASE)


@cache
def _only(kind: str) -> re.Pattern[str]:
    """Small talk of a kind, and what people say with it."""
    kinds = "|".join(talk(each).pattern for each in (kind, "refusing", "after refusing", "sigh"))
    return re.compile(rf"(?:\W*(?:{kinds}))+\W*", re.IGNORECASE)


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[str, ...]:
    """The parts of a text that may each ask for something: sentences, cut before another deed ("and remind me …").

    What stands in quotes is not cut.
    """
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    cuts = [(start, start) for start, _ in scene_of(text, None).sentences]
    cuts += [
        match.span() for match in _JOINT.finditer(text) if begins_with_deed(" ".join(text[match.end() :].split()[:3]))
    ]
    begin, parts = 0, list[str]()
    for end, start in sorted(cuts):
        if end >= begin and not any(first < end < last for first, last in quoted):
            parts.append(text[begin:end])
            begin = start
    return tuple(part for rest in (*parts, text[begin:]) if (part := rest.strip(" \t\r\n.!?")))


def rows_of(made: Sequence[Made]) -> Rows:
    """The rows that calls gave back, one group a call, newest first."""
    groups = (tuple(plain_rows(result.value, _thing(call.api))) for call, result in reversed(made))
    return tuple(group for group in groups if group)


def plain_rows(value: Any, under: str = "", deep: int = 0) -> Iterator[Row]:
    """The rows of a result: every object in it that has plain values, outer ones first. `under`: the key of it."""
    if isinstance(value, dict) and deep <= _DEEPEST:
        here = cast("dict[str, Any]", value)
        if any(not isinstance(part, dict | list) for part in here.values()):
            yield {**({f"{under.removesuffix('s')}_id": here["id"]} if under and "id" in here else {}), **here}
        for name, part in here.items():
            yield from plain_rows(part, name, deep + 1)
    elif isinstance(value, list) and deep <= _DEEPEST:
        for part in cast("list[Any]", value)[:_MOST_ROWS]:
            yield from plain_rows(part, under, deep + 1)


def _thing(api: str) -> str:
    """What an Api's name says its results are: FindBooks → books."""
    return "_".join(word for word in split_name(api).split() if deed_of(word) is None)
