"""Descriptions offline: a phrase and a sentence for every entity, keywords for every API, where there are none (3.1).

They are made from the words of names: whose an entity is, and what it is of it. Equal things get equal phrases, others
such that share few letters, since a graph compares them letter by letter. An id belongs to the tool that gave it out
(`Category|tool|api`; names without a tool are of one service); names and codes belong to the world.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toologue.apis.entities import inputs, leaves, outputs, phrase_of
from toologue.data import shipped
from toologue.keys import Same
from toologue.schema import Api
from toologue.text.names import owners_said
from toologue.text.tokens import article, singular, words_of

_DATA = Path(__file__).with_name("describe.yaml")
_CLAUSE = re.compile(r"[.,;:(]|\b(?:who|whose|that|which|where|when|whether|how|if)\b")

# Owners of up to so many letters are said twice; a phrase has five to seven words, an API up to four keywords.
_SHORT, _FEWEST, _MOST, _KEYWORDS = 12, 5, 7, 4
_SAID, _WORDS = 300, 10  # letters of a description that are read, words of it that are repeated


class Part(NamedTuple):
    """Whose an entity is, and what it is of it."""

    owner: str
    attribute: str


def subject(api: Api) -> str:
    """What an API is about, in a word: from its own name, else its tool's, else its domain."""
    own = api.name.split("|", 2)
    steps = [step for step in re.split(r"[/]", own[-1]) if "{" not in step]
    for text in (*reversed(steps), *reversed(own[1:-1]), api.domain, own[0]):
        if words := _topic_words(plain_words(text)):
            return words[-1]
    return "service"


def heads(api: Api) -> frozenset[str]:
    """The nouns of what an API gives, singular: the last of its name's, the last of the first sentence's."""
    return _heads(Same(api))


@lru_cache(maxsize=64)
def _heads(kept: Same[Api]) -> frozenset[str]:
    api = kept.value
    own = plain_words(api.name.rpartition("|")[2])
    named = subject(api.replace(name=api.name.rpartition("|")[0])) if {*own[:1]} & _set("joints") else subject(api)
    told = re.split(_CLAUSE, api.description[:_SAID].lower(), maxsplit=1)[0]
    return frozenset((named, *_topic_words(plain_words(told))[-1:]))


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
    thing = singular(words[-1]) if len(words) == 1 else words[-1]
    if thing in _set("things"):
        return Part(thing, "name")
    owner = _owner(above) or subject
    if words[-1] in _set("keys"):
        whose = _map("owners").get(words[-1]) or _head(words[:-1])
        if whose or not _set("beside").intersection(words[:-1]):
            return Part(whose or _owner_in(hint) or owner, words[-1])
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
    short = _map("short")
    return tuple(word for word, _ in groupby(" ".join(short.get(word, word) for word in words_of(name[:400])).split()))


def _owner(above: Sequence[str]) -> str:
    return next((owner for key in reversed(above) if (owner := _head(plain_words(key)))), "")


def _head(words: Iterable[str]) -> str:
    """What a compound is in the end: `homeTeam` is a team. Empty where it says nothing."""
    hollow, beside = _set("containers"), _set("beside")
    told = [word for word in map(singular, words) if word not in hollow | beside and len(word) > 1]
    return next((word for word in reversed(told) if not word.isdigit()), "")


def _owner_in(hint: str) -> str:
    heads = (_head(words[:1]) for words in owners_said(hint[:200]))
    return next((head for head in heads if head and head not in _set("unsaid") | _set("joints") | _set("beside")), "")


def _topic_words(words: Sequence[str]) -> list[str]:
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
def _set(name: str) -> frozenset[str]:
    return frozenset(map(str, shipped(_DATA)[name]))


def _map(name: str) -> Mapping[str, str]:
    return shipped(_DATA)[name]


def describe(api: Api) -> Api:
    """The Api with a phrase and a sentence for each entity, and keywords, where it has none."""
    about, words = subject(api), tool_words(api)
    tool, topic, domain = " ".join(words[:4]), words[0] if words else "", " ".join(plain_words(api.domain)[:3])

    def said(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        documented = schema.get("description")
        told = documented[:_SAID] if isinstance(documented, str) else ""
        named = part(name, about, told)
        return {"title": phrase(named, topic), "x-description": _sentence(named, told, tool, domain)}

    parameters = {
        name: one.replace(json_schema=fill_missing(one.json_schema, said(name, one.json_schema), name))
        for name, one in api.parameters.items()
    }
    returns: dict[str, Any] = json.loads(json.dumps(api.returns))
    for leaf in leaves(returns):
        leaf.schema.update(fill_missing(leaf.schema, said(leaf.name, leaf.schema), leaf.name))
    return api.replace(parameters=parameters, returns=returns, keywords=api.keywords or keywords(api))


def described(apis: Iterable[Api]) -> Iterator[Api]:
    """The Apis in their order, every entity with a phrase. Those that have them all stay as they are."""
    for api in apis:
        yield api if all(entity.phrase for side in (inputs, outputs) for entity in side(api)) else describe(api)


def fill_missing(schema: Mapping[str, Any], said: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The schema of a name with these keys where it has none of them."""
    given = {**schema, "title": phrase_of(schema, name)}
    return {**schema, **{key: text for key, text in said.items() if not given.get(key)}}


def keywords(api: Api) -> tuple[str, ...]:
    """Up to four words: the domain, the tool, what the API is about, what its description tells of."""
    told = (*plain_words(api.domain)[:1], *tool_words(api)[:2], subject(api), *telling_words(api.description[:_SAID]))
    return tuple(dict.fromkeys(told))[:_KEYWORDS]


@lru_cache(maxsize=1 << 13)
def _sentence(named: Part, told: str, tool: str, domain: str) -> str:
    what = f"the {gloss(named)} of {article(named.owner)}"
    within = f" ({domain})" if domain else ""
    known_to = reach(named)
    if known_to == "world":
        return f"{what.capitalize()}{f' in {domain}' if domain else ', as anybody would write it'}."
    if known_to == "other":
        more = " ".join(told.split()[:_WORDS]).rstrip(" .,;:")
        return f"{what.capitalize()}{within}{f': {more}' if more else ''}."
    if tool:
        return f"{tool.capitalize()}: {what}, which only {tool} knows{within}."
    return f"T{what[1:]}, as its service gives it{within}."
