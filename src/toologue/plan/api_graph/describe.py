"""Descriptions offline: a phrase and a sentence for every entity, keywords for every API, where there are none (3.1).

ToolDial has a language model write them, and builds its graph from them. These are made from the words of names: whose
an entity is, and what it is of it. Equal things get equal phrases, whatever their APIs call them; different things get
phrases that share few letters, since a graph compares them letter by letter. An id belongs to the tool that gave it
out (`Category|tool|api`; names without a tool are of one service); names and codes belong to the world.

Contract: `describe` is pure, and leaves what is documented as it stands: `title` (the phrase), `x-description` (the
sentence), `keywords` (at most 4). Time and memory do not grow with the length of a description.

Example:
    >>> from toologue.apis.entities import inputs, outputs
    >>> from toologue.schema import Api, Parameter
    >>> team = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
    >>> teams = describe(Api(name="Sports|cricbuzz|Teams", domain="Sports", returns={"type": "array", "items": team}))
    >>> squad = describe(Api(name="Sports|cricbuzz|Get Squad", domain="Sports", parameters={"teamId": Parameter()}))
    >>> [one.phrase for one in outputs(teams)], [one.phrase for one in inputs(squad)]
    (['team id of one cricbuzz team', 'team written name of one team'], ['team id of one cricbuzz team'])
    >>> next(outputs(teams)).description, teams.keywords
    ('Cricbuzz: the unique id of a team, which only cricbuzz knows (sports).', ('sports', 'cricbuzz', 'team'))

Not covered: what only a reader of the documentation would know; `describe_model` asks a language model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from toologue.apis.entities import inputs, leaves, outputs
from toologue.plan.api_graph.describe_words import (
    Part,
    gloss,
    part,
    phrase,
    plain_words,
    reach,
    subject,
    telling_words,
    tool_words,
)
from toologue.schema import Api

KEYWORDS = 4
_SAID, _WORDS = 300, 10


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
        name: one.but(json_schema=titled(one.json_schema, said(name, one.json_schema)))
        for name, one in api.parameters.items()
    }
    returns = _copied(api.returns)
    for leaf in leaves(returns):
        leaf.schema.update(titled(leaf.schema, said(leaf.name, leaf.schema)))
    return api.but(parameters=parameters, returns=returns, keywords=api.keywords or keywords(api))


def described(apis: Iterable[Api]) -> Iterator[Api]:
    """The Apis in their order, every entity with a phrase. Those that have them all stay as they are."""
    return (api if _is_phrased(api) else describe(api) for api in apis)


def titled(schema: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with these keys where it has none of them."""
    return {**schema, **{key: text for key, text in said.items() if not schema.get(key)}}


def keywords(api: Api) -> tuple[str, ...]:
    """Up to four words: the domain, the tool, what the API is about, what its description tells of."""
    told = (*plain_words(api.domain)[:1], *tool_words(api)[:2], subject(api), *telling_words(api.description[:_SAID]))
    return tuple(dict.fromkeys(told))[:KEYWORDS]


def _is_phrased(api: Api) -> bool:
    return all(entity.phrase for side in (inputs, outputs) for entity in side(api))


@lru_cache(maxsize=1 << 13)
def _sentence(named: Part, told: str, tool: str, domain: str) -> str:
    """What an entity is, with its surroundings as far as they matter: ids are worth nothing at another service."""
    what = f"the {gloss(named)} of {_article(named.owner)} {named.owner}"
    within = f" ({domain})" if domain else ""
    match reach(named):
        case "service":
            knows = (
                f"{tool.capitalize()}: {what}, which only {tool} knows" if tool else f"{what}, as its service gives it"
            )
            return f"{knows[0].upper()}{knows[1:]}{within}."
        case "world":
            return f"{what.capitalize()}{f' in {domain}' if domain else ', as anybody would write it'}."
        case _:
            more = " ".join(told.split()[:_WORDS]).rstrip(" .,;:")
            return f"{what.capitalize()}{within}{f': {more}' if more else ''}."


def _article(word: str) -> str:
    return "an" if word[:1] in tuple("aeiou") and not word.startswith(("us", "uni", "eu", "one")) else "a"


def _copied(value: Any) -> Any:
    """The same objects and lists, new ones; only schemas are looked into."""
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in cast("dict[str, Any]", value).items()}
    return [_copied(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value
