"""What an agent heard: the request that is still open, the answers to its own questions, and the calls that were made.

Contract: pure. A request stays open until a round in which a call went through; so the user's answers to questions
belong to it. It is dropped where the user takes it back: "no, do this instead", or a mere "no" to an offer.

Example:
    >>> from toologue.schema import AgentTurn, UserTurn
    >>> heard = hear([UserTurn(text="Set an alarm."), AgentTurn(text="For when?"), UserTurn(text="Seven, please.")])
    >>> heard.request, heard.answers
    (('Set an alarm.', 'Seven, please.'), (Exchange(asked='For when?', said='Seven, please.'),))
    >>> hear([UserTurn(text="Set it."), AgentTurn(text="Shall I set the alarm?"), UserTurn(text="No.")]).request
    ()

Not covered: a request that is taken up again after another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from toologue.agents.retrieve.lexicon import begins_with_deed, deeds_in, talk
from toologue.agents.retrieve.results import Made
from toologue.schema import AgentTurn, Call, Turn, rounds
from toologue.text.spans import scene_of

_JOINT = re.compile(r"(?:,\s*(?:(?:and|then)\s+)?|;\s*|\s+(?:and|then)\s+)(?:(?:then|also|please)\s+)*", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")


class Exchange(NamedTuple):
    """What the user said, and what the agent had said just before: a question perhaps."""

    asked: str
    said: str


@dataclass(frozen=True)
class Heard:
    """A conversation as an agent understands it when it is its turn."""

    said: tuple[Exchange, ...] = ()
    """The request that is open: what the user said since a call went through, with what the agent had said before."""
    closed: tuple[Exchange, ...] = ()
    """The request before that one."""
    served: tuple[str, ...] = ()
    """The Apis that were called for it."""
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

    @property
    def question(self) -> str:
        """What the agent asked about the request."""
        return " ".join(asked for asked, _ in self.answers)

    @property
    def latest(self) -> Exchange:
        """What the agent said last, and what the user said to it."""
        return self.said[-1] if self.said else Exchange("", "")

    @property
    def agrees(self) -> bool:
        """Whether the last words begin with a yes."""
        return _begins("agreeing").match(self.latest.said) is not None

    @property
    def leaves(self) -> bool:
        """Whether the last words thank or say goodbye."""
        return talk("bye").search(self.latest.said) is not None

    @property
    def only_leaves(self) -> bool:
        """Whether the last words do nothing else."""
        return self.leaves and _farewell().fullmatch(self.latest.said) is not None

    @property
    def given(self) -> dict[str, Any]:
        """What calls that went through were given, by the parameter's name; the newest value."""
        calls = (one.call.arguments or {} for one in (*self.before, *self.made) if one.done)
        return {name: value for arguments in calls for name, value in arguments.items()}

    def reopened(self) -> Heard:
        """The same, with the request before this one open again: what was said since answers what was asked then."""
        return replace(self, said=(*self.closed, *self.said), closed=(), served=())


def hear(history: Sequence[Turn]) -> Heard:
    """Understand a conversation up to here."""
    open_: list[Exchange] = []
    closed: list[Exchange] = []
    served: list[str] = []
    before: list[Made] = []
    made: list[Made] = []
    asked = ""
    for turns, did in rounds(history):
        before += made
        said = "\n".join(text for turn in turns if (text := _begins("hello").sub("", turn.text).strip()))
        if done := [one.call.api for one in made if one.done]:
            open_, closed, served = [], open_, done
        if _taken_back(said, asked):
            open_, closed = [], []
        if said and not _refused(said, asked):
            open_.append(Exchange(asked, said))
        made, asked = list(_made(did)), next((turn.text for turn in reversed(did) if turn.text), "")
    return Heard(tuple(open_), tuple(closed), tuple(served), tuple(made), tuple(before))


def _taken_back(said: str, asked: str) -> bool:
    """Whether a no takes the request back: to do something else, or to do nothing."""
    return _refused(said, asked) or (_begins("refusing").match(said) is not None and bool(deeds_in(said)))


def _refused(said: str, asked: str) -> bool:
    """Whether the words are no more than a no to an offer."""
    return talk("offer").search(asked) is not None and _mere_no().fullmatch(said) is not None


@cache
def _begins(kind: str) -> re.Pattern[str]:
    """Small talk of a kind at the beginning, sighs before it."""
    return re.compile(rf"^\W*(?:{talk('sigh').pattern}\W+)?(?:{talk(kind).pattern}[\s,!.]*)+", re.IGNORECASE)


@cache
def _mere_no() -> re.Pattern[str]:
    return re.compile(rf"{_begins('refusing').pattern}(?:\W*{talk('after refusing').pattern})*\W*", re.IGNORECASE)


@cache
def _farewell() -> re.Pattern[str]:
    kinds = "|".join(talk(kind).pattern for kind in ("bye", "refusing", "after refusing", "sigh"))
    return re.compile(rf"(?:\W*(?:{kinds}))+\W*", re.IGNORECASE)


def _made(turns: Sequence[AgentTurn]) -> Iterator[Made]:
    for turn in turns:
        for act, result in zip(turn.acts, turn.results, strict=False):
            if isinstance(act, Call) and result is not None:
                yield Made(act, result)


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[str, ...]:
    """The parts of a text that may each ask for something: sentences, cut before another deed ("and remind me …").

    What stands in quotes is not cut.
    """
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    cuts = [(start, start) for start, _ in scene_of(text, None).sentences]
    cuts += [match.span() for match in _JOINT.finditer(text) if _asks(text[match.end() :])]
    begin, parts = 0, list[str]()
    for end, start in sorted(cuts):
        if end >= begin and not any(first < end < last for first, last in quoted):
            parts.append(text[begin:end])
            begin = start
    return tuple(part for rest in (*parts, text[begin:]) if (part := rest.strip(" \t\r\n.!?")))


def _asks(rest: str) -> bool:
    return begins_with_deed(" ".join(rest.split()[:3]))
