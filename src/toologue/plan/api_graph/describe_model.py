"""Descriptions by a language model: our prompt, a parser, the lint as validator, and a bounded repair (ToolDial 3.1).

A long Api is asked for in parts. What the lint objects to is asked for again, with the objection; what is still wrong
after `tries`, and what a model leaves out, the offline describer writes: nothing is left undescribed, and what was
documented stands.

Example:
    >>> import asyncio
    >>> from toologue.apis.entities import inputs
    >>> from toologue.models.model import ScriptedModel
    >>> from toologue.schema import Parameter
    >>> bad = '{"keywords": ["league"], "entities": {"1": {"phrase": "teamId", "description": "A team."}}}'
    >>> good = bad.replace("teamId", "unique id of one football team")
    >>> model = ScriptedModel([bad, f"Here it is: {good}"])
    >>> made = asyncio.run(describe_with(model, Api(name="Squad", parameters={"teamId": Parameter()})))
    >>> next(inputs(made.api)).phrase, made.api.keywords, made.asked, made.templated
    ('unique id of one football team', ('league',), 2, 0)
    >>> "'teamId'" in model.asked[1].messages[-1]["content"]
    True

Not covered: whether what the model says is true.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue import keys
from toologue.apis.entities import Entity, inputs, leaves, outputs
from toologue.errors import BadSetting
from toologue.formats.openai import Message
from toologue.models.model import Model
from toologue.plan.api_graph.describe import describe, titled
from toologue.plan.api_graph.describe_lint import lint_entity, lint_keywords
from toologue.schema import Api

_TEMPLATE = Path(__file__).with_name("describe_prompt.txt")
_PART, _SAID, _SHOWN, _REPLY = 40, 400, 60, 200_000
"""Entities in one question; letters shown of a description, of an example; letters read of a reply."""

Texts = dict[str, tuple[str, str]]
"""A phrase and a long description by number."""


class Described(NamedTuple):
    """The Api, how often the model was asked, how many entities were left to the offline describer, and why."""

    api: Api
    asked: int
    templated: int
    problems: tuple[str, ...]


class _Wanted(NamedTuple):
    """An entity that lacks a description, its number, and the schema to write it in."""

    number: str
    entity: Entity
    schema: dict[str, Any]


async def describe_with(model: Model, api: Api, *, tries: int = 3, seed: int = 0) -> Described:
    """The Api with what a model writes where nothing is documented. Raises ModelFault where it does not answer."""
    if tries < 1:
        raise BadSetting(f"tries is {tries}: a model needs at least one")
    returns: dict[str, Any] = json.loads(json.dumps(api.returns))
    takes = {name: dict(one.json_schema) for name, one in api.parameters.items()}
    schemas = [*takes.values(), *(leaf.schema for leaf in leaves(returns))]
    wanted = [
        _Wanted(str(number), entity, schema)
        for number, (entity, schema) in enumerate(zip((*inputs(api), *outputs(api)), schemas, strict=True), 1)
        if not (entity.phrase and schema.get("x-description"))
    ]
    words, asked, left, problems = api.keywords, 0, 0, list[str]()
    for start in range(0, len(wanted) or 1, _PART):
        group = wanted[start : start + _PART]
        if not group and words:
            break
        talk = _Talk(model, api, tries, seed)
        written, told = await talk.about(group, keywords=not words)
        words, asked, problems = words or told, asked + talk.asked, problems + talk.problems
        left += len(group) - len(written)
        for one in group:
            if one.number in written:
                phrase, sentence = written[one.number]
                one.schema.update(titled(one.schema, {"title": phrase, "x-description": sentence}))
    parameters = {name: one.but(json_schema=takes[name]) for name, one in api.parameters.items()}
    made = describe(api.but(parameters=parameters, returns=returns, keywords=words))
    return Described(made, asked, left, tuple(problems))


def description_prompt(api: Api, entities: Iterable[tuple[str, Entity]]) -> str:
    """What a model is asked about these entities, by number."""
    slots = {
        "document": f"API {api.name}{f' ({api.domain})' if api.domain else ''}: {api.description[:_SAID]}",
        "entities": "\n".join(_line(number, entity) for number, entity in entities) or "(none: only `keywords`)",
    }
    return re.sub(r"<(document|entities)>", lambda found: slots[found[1]], _template())


def parse_descriptions(reply: str) -> tuple[Texts, tuple[str, ...]]:
    """({number: (phrase, description)}, keywords) of a reply; what is no such thing is left out."""
    found = next((one for one in _objects(reply[:_REPLY]) if {"entities", "keywords"} & one.keys()), dict[str, Any]())
    entities, words = found.get("entities"), found.get("keywords")
    written: Texts = {}
    for number, given in cast("dict[str, Any]", entities).items() if isinstance(entities, dict) else ():
        texts = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        written[number] = _clean(texts.get("phrase")), _clean(texts.get("description"))
    listed = cast("list[Any]", words) if isinstance(words, list) else []
    return written, tuple(_clean(word) for word in listed if isinstance(word, str))


class _Talk:
    """One conversation with a model about some entities: asks, checks, asks again."""

    def __init__(self, model: Model, api: Api, tries: int, seed: int):
        self._model, self._api, self._tries, self._seed = model, api, tries, seed
        self.asked = 0
        self.problems: list[str] = []

    async def about(self, group: list[_Wanted], *, keywords: bool) -> tuple[Texts, tuple[str, ...]]:
        """What stands in the end, by number, and the keywords if they were wanted and stand."""
        asked = description_prompt(self._api, ((one.number, one.entity) for one in group))
        messages: list[Message] = [{"role": "user", "content": asked}]
        good: Texts = {}
        words: tuple[str, ...] = ()
        while True:
            seed = keys.seed_of(self._seed, self._api.name, group[0].number if group else "", self.asked) % 2**31
            reply = (await self._model.reply(messages, seed=seed)).text or ""
            self.asked += 1
            written, told = parse_descriptions(reply)
            good |= {one.number: written[one.number] for one in group if _stands(one.number, written)}
            words = words or (() if lint_keywords(told) else told)
            wrong = [_objection(one.number, written) for one in group if one.number not in good]
            wrong += [f"keywords: {what}" for what in lint_keywords(told)] if keywords and not words else []
            if not wrong or self.asked == self._tries:
                self.problems += wrong
                return good, words
            messages = [
                *messages[:1],
                {"role": "assistant", "content": reply},
                {"role": "user", "content": _again(wrong)},
            ]


def _stands(number: str, written: Texts) -> bool:
    return number in written and not lint_entity(*written[number])


def _objection(number: str, written: Texts) -> str:
    if number not in written:
        return f"{number}: it is missing"
    return f"{number}: " + "; ".join(f"{rule}: {found}" for rule, found in lint_entity(*written[number]))


def _again(wrong: list[str]) -> str:
    listed = "\n".join(f"- {one}" for one in wrong)
    return f"These cannot be used yet:\n{listed}\n\nAnswer with a JSON object of the same form with only these in it."


def _line(number: str, entity: Entity) -> str:
    """One entity, as the prompt lists it."""
    examples = cast("list[Any]", entity.schema.get("examples") or [])
    shown = f", for example {str(examples[0])[:_SHOWN]!r}" if examples else ""
    documented = " ".join(str(entity.schema.get("description", ""))[:_SAID].split())
    line = f"{number}. `{entity.name}` ({entity.schema.get('type', 'any')}{shown})"
    return f"{line}: {documented}" if documented else line


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text, outermost first."""
    found: list[dict[str, Any]] = []
    decoder, at = json.JSONDecoder(), 0
    for _ in range(50):
        if (at := text.find("{", at)) < 0:
            break
        try:
            value, at = decoder.raw_decode(text, at)
            found.append(value)
        except (ValueError, RecursionError):
            at += 1
    return found


def _clean(value: Any) -> str:
    return " ".join(value.encode(errors="replace").decode().split()) if isinstance(value, str) else ""


@cache
def _template() -> str:
    return _TEMPLATE.read_text("utf-8")
