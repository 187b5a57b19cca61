"""Descriptions by a language model: our prompt, a parser, the lint as validator, and a bounded repair (ToolDial 3.1).

A long Api is asked for in parts. What the lint objects to is asked for again, with the objection; what is still wrong
after `tries`, and what a model leaves out, the offline describer writes: nothing is left undescribed, and what was
documented stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from toologue.apis.entities import Entity, inputs, leaves, outputs
from toologue.formats.literals import json_values
from toologue.models.ask import ask_until_valid, bullets, render_prompt
from toologue.models.model import Model
from toologue.plan.api_graph.describe import describe, fill_missing, lint_entity, lint_keywords
from toologue.schema import Api
from toologue.values.json_schema import list_of, object_of

# Entities in one question; letters shown of a description, of an example; letters read of a reply.
_PART, _SAID, _SHOWN, _REPLY = 40, 400, 60, 200_000

_AGAIN = "Answer with a JSON object of the same form with only these in it."

Texts = dict[str, tuple[str, str]]  # a phrase and a long description by number


class Described(NamedTuple):
    """The Api, how often the model was asked, how many entities were left to the offline describer, and why."""

    api: Api
    asked: int
    templated: int
    problems: tuple[str, ...]


class _Wanted(NamedTuple):
    number: str
    entity: Entity
    schema: dict[str, Any]


async def describe_with(model: Model, api: Api, *, tries: int = 3, seed: int = 0) -> Described:
    """The Api with what a model writes where nothing is documented. Raises ModelFault where it does not answer."""
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
        answers = await _ask_about(group, model, api, keywords=not words, tries=tries, seed=seed)
        words, asked, problems = words or answers.keywords, asked + answers.asked, problems + answers.problems
        left += len(group) - len(answers.texts)
        for one in group:
            if one.number in answers.texts:
                phrase, sentence = answers.texts[one.number]
                one.schema.update(
                    fill_missing(one.schema, {"title": phrase, "x-description": sentence}, one.entity.name)
                )
    parameters = {name: one.replace(json_schema=takes[name]) for name, one in api.parameters.items()}
    made = describe(api.replace(parameters=parameters, returns=returns, keywords=words))
    return Described(made, asked, left, tuple(problems))


def description_prompt(api: Api, entities: Iterable[tuple[str, Entity]]) -> str:
    """What a model is asked about these entities, by number."""
    document = f"API {api.name}{f' ({api.domain})' if api.domain else ''}: {api.description[:_SAID]}"
    listed = "\n".join(_line(number, entity) for number, entity in entities) or "(none: only `keywords`)"
    return render_prompt(__file__, "describe_prompt.txt", document=document, entities=listed) + "\n"


def parse_descriptions(reply: str) -> tuple[Texts, tuple[str, ...]]:
    """({number: (phrase, description)}, keywords) of a reply; what is no such thing is left out."""
    values = json_values(reply[:_REPLY], "{", tries=50)
    found = next((value for value in values if {"entities", "keywords"} & value.keys()), dict[str, Any]())
    texts = {number: object_of(given) for number, given in object_of(found.get("entities")).items()}
    written = {number: (_clean(one.get("phrase")), _clean(one.get("description"))) for number, one in texts.items()}
    return written, tuple(_clean(word) for word in list_of(found.get("keywords")) if isinstance(word, str))


class _Answers(NamedTuple):
    texts: Texts
    keywords: tuple[str, ...]
    asked: int
    problems: list[str]


async def _ask_about(
    group: list[_Wanted], model: Model, api: Api, *, keywords: bool, tries: int, seed: int
) -> _Answers:
    prompt = description_prompt(api, ((one.number, one.entity) for one in group))
    good: Texts = {}
    words: tuple[str, ...] = ()
    asked = 0

    def parse(reply: str) -> tuple[_Answers, str]:
        nonlocal words, asked
        asked += 1
        written, told = parse_descriptions(reply)
        wrong: list[str] = []
        for one in group:
            texts = written.get(one.number)
            faults = ["it is missing"] if texts is None else [f"{rule}: {what}" for rule, what in lint_entity(*texts)]
            if texts is not None and not faults:
                good[one.number] = texts
            elif one.number not in good:
                wrong.append(f"{one.number}: {'; '.join(faults)}")
        against = lint_keywords(told)
        words = words or (() if against else told)
        wrong += [f"keywords: {what}" for what in against] if keywords and not words else []
        again = f"These cannot be used yet:\n{bullets(wrong)}\n\n{_AGAIN}" if wrong else ""
        return _Answers(good, words, asked, wrong), again

    first = group[0].number if group else ""
    return (await ask_until_valid(model, prompt, parse, seed, api.name, first, tries=tries, forget=True)).value


def _line(number: str, entity: Entity) -> str:
    examples = list_of(entity.schema.get("examples"))
    shown = f", for example {str(examples[0])[:_SHOWN]!r}" if examples else ""
    documented = " ".join(str(entity.schema.get("description", ""))[:_SAID].split())
    line = f"{number}. `{entity.name}` ({entity.schema.get('type', 'any')}{shown})"
    return f"{line}: {documented}" if documented else line


def _clean(value: Any) -> str:
    return " ".join(value.encode(errors="replace").decode().split()) if isinstance(value, str) else ""
