"""Conversations straight from a procedure, without graphs: a model writes it all (ALMITA 4.2, A.7), for the ablation.

Each conversation is read and checked against the rules of A.6; what is wrong is fed back. Nothing was executed: how
much of it would really have happened, `verify` says, given a world.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from toologue.errors import BadRecord, BadSetting
from toologue.formats.almita import broken_rules, from_messages
from toologue.formats.literals import json_values
from toologue.formats.procedure import told
from toologue.models.ask import ask_until_valid, bullets, render_prompt
from toologue.models.model import Model
from toologue.schema import Api, Dialogue, Procedure, Setting

_MOST = 200_000


class DirectGeneration(NamedTuple):
    """What came of it: the conversations that could be read and keep the rules, and what was wrong with others."""

    dialogues: tuple[Dialogue, ...]
    faults: tuple[str, ...]


async def generate_directly(
    procedure: Procedure, apis: Iterable[Api], model: Model, *, count: int = 3, tries: int = 3, seed: int = 0
) -> DirectGeneration:
    """Up to `count` conversations. Raises ModelFault where the model does not answer."""
    if count < 1 or tries < 1:
        raise BadSetting(f"count is {count}, tries is {tries}: at least one of each is needed")
    documents = {api.name: api for api in apis}
    dialogues, faults = list[Dialogue](), list[str]()

    def parse(reply: str) -> tuple[None, str]:
        wrong = list[str]()
        for talk in conversations_in(reply) or [None]:
            found = _dialogue(procedure, documents, talk, f"{procedure.id}-straight-{len(dialogues) + 1:04d}")
            if isinstance(found, str):
                wrong.append(found)
            elif len(dialogues) < count:
                dialogues.append(found.replace(origin={**found.origin, "writer": model.name, "seed": seed}))
        faults.extend(wrong)
        lacking = count - len(dialogues)
        again = f"{bullets(wrong)}\nWrite {lacking} more, other than those so far, in the same form."
        return None, again if lacking else ""

    prompt = prompt_text(procedure, documents.values(), count)
    await ask_until_valid(model, prompt, parse, seed, procedure.id, tries=tries)
    return DirectGeneration(tuple(dialogues), tuple(faults))


def prompt_text(procedure: Procedure, apis: Iterable[Api], count: int) -> str:
    """What a model is asked."""
    lines = list[str]()
    for api in apis:
        takes = [{name: parameter.json_schema} for name, parameter in api.parameters.items()]
        document = {"name": api.name, "desc": api.description, "params": takes, "output": api.returns}
        lines.append(json.dumps(document, ensure_ascii=False))
    listed = "\n".join(lines) or "(none: the procedure calls nothing)"
    return render_prompt(__file__, "straight.txt", apis=listed, count=count, procedure=told(procedure).strip())


def conversations_in(reply: str) -> list[Any]:
    """The conversations in a reply, whatever stands around them: a JSON array of arrays; one alone counts as well."""
    for items in json_values(reply[:_MOST], "[", nested=True):
        if items and all(isinstance(item, list) for item in items):
            return items
        if items and all(isinstance(item, dict) for item in items):
            return [items]
    return []


def _dialogue(procedure: Procedure, apis: Mapping[str, Api], talk: Any, id: str) -> Dialogue | str:
    if talk is None:
        return "there was no JSON array of conversations"
    try:
        dialogue = from_messages(talk, id=id, file="reply")
    except BadRecord as error:
        return str(error)
    if broken := broken_rules(cast("Sequence[Mapping[str, Any]]", talk), apis):
        return "; ".join(f"message {one.at}: {one.rule}" for one in broken[:3])
    origin = {"line": "procedures", "procedure": procedure.id, "intent": procedure.intent, "path": None}
    return dialogue.replace(
        instructions=told(procedure),
        facts=procedure.facts,
        apis=tuple(apis),
        world=Setting(name="recorded"),
        origin={**origin, "status": "consistent, not executed"},
        extra={**dialogue.extra, "apis": [api.model_dump(mode="json", by_alias=True) for api in apis.values()]},
    )
