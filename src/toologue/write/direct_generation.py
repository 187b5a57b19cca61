"""Conversations straight from a procedure, without graphs: a model writes it all (ALMITA 4.2, A.7), for the ablation.

Each conversation is read and checked against the rules of A.6; what is wrong is fed back. Nothing was executed: how
much of it would really have happened, `verify` says, given a world.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue import keys
from toologue.errors import BadRecord, BadSetting
from toologue.formats.almita import broken_rules, from_messages
from toologue.formats.literals import json_values
from toologue.formats.openai import Message
from toologue.formats.procedure import told
from toologue.models.model import Model
from toologue.schema import Api, Dialogue, Procedure, Setting

_TEMPLATE = Path(__file__).with_name("straight.txt")
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
    messages: list[Message] = [{"role": "user", "content": prompt_text(procedure, documents.values(), count)}]
    dialogues, faults = list[Dialogue](), list[str]()
    for number in range(tries):
        reply = await model.reply(messages, seed=keys.seed_of(seed, procedure.id, number) % 2**31)
        wrong = list[str]()
        for talk in conversations_in(reply.text or "") or [None]:
            found = _dialogue(procedure, documents, talk, f"{procedure.id}-straight-{len(dialogues) + 1:04d}")
            if isinstance(found, str):
                wrong.append(found)
            elif len(dialogues) < count:
                dialogues.append(found.replace(origin={**found.origin, "writer": model.name, "seed": seed}))
        faults += wrong
        if len(dialogues) == count:
            break
        listed = "\n".join(f"- {one}" for one in wrong)
        ask = f"{listed}\nWrite {count - len(dialogues)} more, other than those so far, in the same form."
        messages += [{"role": "assistant", "content": reply.text or ""}, {"role": "user", "content": ask}]
    return DirectGeneration(tuple(dialogues), tuple(faults))


def prompt_text(procedure: Procedure, apis: Iterable[Api], count: int) -> str:
    """What a model is asked."""
    documents = (
        {
            "name": api.name,
            "desc": api.description,
            "params": [{name: parameter.json_schema} for name, parameter in api.parameters.items()],
            "output": api.returns,
        }
        for api in apis
    )
    listed = [json.dumps(document, ensure_ascii=False) for document in documents]
    slots = {"apis": "\n".join(listed) or "(none: the procedure calls nothing)", "count": str(count)}
    slots["procedure"] = told(procedure).strip()
    return re.sub(r"<(apis|count|procedure)>", lambda found: slots[found[1]], _TEMPLATE.read_text("utf-8").strip())


def conversations_in(reply: str) -> list[Any]:
    """The conversations in a reply, whatever stands around them: a JSON array of arrays; one alone counts as well."""
    for items in json_values(reply[:_MOST], "[", nested=True):
        if items and all(isinstance(item, list) for item in items):
            return items
        if items and all(isinstance(item, dict) for item in items):
            return [items]
    return []


def _dialogue(procedure: Procedure, apis: Mapping[str, Api], talk: Any, id: str) -> Dialogue | str:
    """A conversation as a dialogue, or what is wrong with it."""
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
