"""The words in the names of APIs and entities: what an API is about, whose an entity is, what it is of it.

Contract: pure and total; any name has an owner and an attribute, in plain words, singular. `teams|id`, `teamId`,
`homeTeam|id` and the `id` of an API that lists teams are all the id of a team. Words, abbreviations and what is
ignored are data (`describe.yaml`).

Example:
    >>> from toologue.schema import Api
    >>> subject(Api(name="Sports|league|Get Teams By League"))
    'team'
    >>> [tuple(part(name, "league")) for name in ("data|teams|id", "awayTeamId", "matches|startDate", "country")]
    [('team', 'id'), ('team', 'id'), ('match', 'start date'), ('country', 'name')]
    >>> phrase(part("teamId", "match")), phrase(part("matches|startDate", "team"))
    ('team unique id of one team', 'start date as in match start date')

Not covered: languages other than English; what a name does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from toologue.data import shipped
from toologue.schema import Api
from toologue.text.tokens import singular

_DATA = Path(__file__).with_name("describe.yaml")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_SEAM = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHORT, _FEWEST, _MOST = 12, 5, 7
"""Owners of up to so many letters are said twice; a phrase has five to seven words."""
_HINT = re.compile(
    r"\b(?:id|identifier|code|name|slug)\s+(?:of|for)\s+(?:(?:the|a|an|your|this)\s+)?([a-z]{3,})", re.IGNORECASE
)
_BEFORE = re.compile(r"\b([a-z]{3,})(?:'s)?[\s_-]+(?:id|identifier)\b", re.I)


class Part(NamedTuple):
    """Whose an entity is, and what it is of it."""

    owner: str
    attribute: str


def subject(api: Api) -> str:
    """What an API is about, in a word: from its own name, else its tool's, else its domain."""
    own = api.name.split("|", 2)
    steps = [step for step in re.split(r"[/]", own[-1]) if "{" not in step]
    for text in (*reversed(steps), *reversed(own[1:-1]), api.domain, own[0]):
        if words := _told(plain_words(text)):
            return words[-1]
    return "service"


def tool_words(api: Api) -> tuple[str, ...]:
    """The words of the tool that an API belongs to; none where its name says no tool."""
    parts = api.name.split("|", 2)
    words = plain_words(parts[1]) if len(parts) == 3 else ()
    return tuple(word for word in words if word not in _set("unsaid") and len(word) > 1 and not word.isdigit())


def telling_words(text: str) -> list[str]:
    """The words of a text that could name what it is about."""
    skipped = _set("unsaid") | _set("joints") | _set("verbs") | _set("containers")
    return [word for word in plain_words(text) if word not in skipped and len(word) > 2 and not word.isdigit()]


@lru_cache(maxsize=1 << 13)
def part(name: str, subject: str, hint: str = "") -> Part:
    """The owner and the attribute of an entity of an API about `subject`. `hint`: what documentation says of it."""
    *above, own = name.split("|")
    words = plain_words(own)
    if not words:
        return Part(_owner(above) or subject, "value")
    if words[-1] in _set("things"):
        return Part(words[-1], "name")
    if singular(words[-1]) in _set("things") and len(words) == 1:
        return Part(singular(words[-1]), "name")
    owner = _owner(above) or subject
    if words[-1] in _set("keys"):
        whose = _map("owners").get(words[-1]) or _head(words[:-1])
        if whose or not _set("beside").intersection(words[:-1]):
            return Part(whose or _hinted(hint) or owner, words[-1])
    rest = words[1:] if len(words) > 1 and singular(words[0]) == owner else words
    return Part(owner, " ".join(rest))


@lru_cache(maxsize=1 << 13)
def phrase(part: Part, topic: str = "") -> str:
    """Five to seven words: equal things have the same, others share few letters.

    `topic`: a word for the service, where only it knows what the value means.
    """
    said, owner = gloss(part).split(), part.owner
    if reach(part) == "other":
        words = [*said, "as", "in", owner, *said]
        return " ".join(words if len(words) <= _MOST else [*said[: _MOST - 3], "of", "one", owner])
    if reach(part) == "service" and topic not in ("", owner):
        return " ".join((owner, part.attribute, "of", "one", topic, owner))
    words = [*said, "of", "one", owner]
    return " ".join([owner, *words] if len(words) < _FEWEST or len(owner) <= _SHORT else words)


def gloss(part: Part) -> str:
    """The attribute in words that do not look like those of another."""
    return _map("gloss").get(part.attribute, part.attribute)


def reach(part: Part) -> Literal["service", "world", "other"]:
    """Who knows what such a value means: the service that gave it out, everybody, or nobody says."""
    if part.attribute in _set("private"):
        return "service"
    return "world" if part.attribute in _set("keys") else "other"


@lru_cache(maxsize=1 << 13)
def plain_words(name: str) -> tuple[str, ...]:
    """The words of a name, small, abbreviations written out."""
    words = _WORD.findall(_SEAM.sub(" ", name[:400]).lower())
    short = _short()
    return tuple(word for word, _ in groupby(full for word in words for full in short.get(word, (word,))))


@lru_cache(maxsize=1 << 13)
def _owner_of(key: str) -> str:
    return _head(plain_words(key))


def _owner(above: Sequence[str]) -> str:
    """The nearest parent that says what it holds."""
    return next((owner for key in reversed(above) if (owner := _owner_of(key))), "")


def _head(words: Iterable[str]) -> str:
    """What a compound is in the end: `homeTeam` is a team. Empty where it says nothing."""
    hollow, beside = _set("containers"), _set("beside")
    told = [word for word in map(singular, words) if word not in hollow and not word.isdigit()]
    named = [word for word in told if word not in beside and len(word) > 1]
    return named[-1] if named else ""


def _hinted(hint: str) -> str:
    """Whose id it is, as a description says it."""
    for pattern in (_HINT, _BEFORE):
        found = pattern.search(hint[:200])
        if (
            found
            and (head := _head([found[1].lower()]))
            and head not in _set("unsaid") | _set("joints") | _set("beside")
        ):
            return head
    return ""


def _told(words: Sequence[str]) -> list[str]:
    """What stands before `by`, `for`, `in`, without the verbs and the empty words; singular."""
    joints, skipped = _set("joints"), _set("verbs") | _set("unsaid") | _set("containers")
    found: list[str] = []
    for word in words:
        if word in joints and found:
            break
        one = singular(word)
        if len(word) > 1 and not word.isdigit() and not skipped & {word, one} and word not in joints:
            found.append(one)
    return found


@cache
def _data() -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", shipped(_DATA))


@cache
def _set(name: str) -> frozenset[str]:
    return frozenset(str(word) for word in _data()[name])


@cache
def _short() -> Mapping[str, tuple[str, ...]]:
    return {str(word): tuple(str(full).split()) for word, full in _data()["short"].items()}


@cache
def _map(name: str) -> Mapping[str, str]:
    return _data()[name]
