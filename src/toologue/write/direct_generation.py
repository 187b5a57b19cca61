"""Conversations straight from a procedure, without graphs: a model writes it all (ALMITA 4.2, A.7), for the ablation.

The model is given the procedure and the documents, and answers with whole conversations in the paper's roles, calls and
outputs included. Each is read (`formats.almita`) and checked against the rules of A.6; what is wrong is fed back, and
only those that are wrong are asked for again, until there are none or `tries` are used up.

Contract: what comes back is readable and keeps the rules. Nothing was executed: its outputs are the model's, its world
is `recorded`. How much of it would really have happened, `write.verify` says, given a world. The paper found 34 of 50
of its own valid, against 192 of 217 from graphs; from graphs and by execution, here, it is all of them.

Example:
    >>> import asyncio
    >>> from toologue.formats.procedure import read
    >>> from toologue.models.model import ScriptedModel
    >>> late = read("# Late\\n1. **Ask** for the number. Collect `number`.\\n2. **End**: say that {number} is late.")
    >>> talk = [{"role": "user", "content": "It is late."}, {"role": "assistant", "content": "Which number?"},
    ...     {"role": "user", "content": "7"}, {"role": "assistant", "content": "7 is late."}]
    >>> made = asyncio.run(straight(late, [], ScriptedModel([json.dumps([talk])]), count=1))
    >>> [turn.text for turn in made.dialogues[0].turns][-1], made.faults
    ('7 is late.', ())

Not covered: writing straight from a procedure without a model; that is what the graphs are for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue import keys
from toologue.errors import BadRecord, BadSetting
from toologue.formats.almita import broken_rules, from_messages
from toologue.formats.openai import Message
from toologue.formats.procedure import told
from toologue.models.model import Model
from toologue.schema import Api, Dialogue, Procedure, Setting

_TEMPLATE = Path(__file__).with_name("straight.txt")
_MOST = 200_000


class Straight(NamedTuple):
    """What came of it: the conversations that could be read and keep the rules, and what was wrong with others."""

    dialogues: tuple[Dialogue, ...]
    faults: tuple[str, ...]


async def straight(
    procedure: Procedure, apis: Iterable[Api], model: Model, *, count: int = 3, tries: int = 3, seed: int = 0
) -> Straight:
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
                dialogues.append(found.but(origin={**found.origin, "writer": model.name, "seed": seed}))
        faults += wrong
        if len(dialogues) == count:
            break
        listed = "\n".join(f"- {one}" for one in wrong)
        ask = f"{listed}\nWrite {count - len(dialogues)} more, other than those so far, in the same form."
        messages += [{"role": "assistant", "content": reply.text or ""}, {"role": "user", "content": ask}]
    return Straight(tuple(dialogues), tuple(faults))


def prompt_text(procedure: Procedure, apis: Iterable[Api], count: int) -> str:
    """What a model is asked."""
    listed = [json.dumps(_document(api), ensure_ascii=False) for api in apis]
    slots = {"apis": "\n".join(listed) or "(none: the procedure calls nothing)", "count": str(count)}
    slots["procedure"] = told(procedure).strip()
    return re.sub(r"<(apis|count|procedure)>", lambda found: slots[found[1]], _template())


def conversations_in(reply: str) -> list[Any]:
    """The conversations in a reply, whatever stands around them: a JSON array of arrays; one alone counts as well."""
    text, decoder = reply[:_MOST], json.JSONDecoder()
    for opening in re.finditer(r"\[", text):
        try:
            value: Any = decoder.raw_decode(text, opening.start())[0]
        except (ValueError, RecursionError):
            continue
        items = cast("list[Any]", value)
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
    return dialogue.but(
        instructions=told(procedure),
        facts=procedure.facts,
        apis=tuple(apis),
        world=Setting(name="recorded"),
        origin={**origin, "status": "consistent, not executed"},
        extra={**dialogue.extra, "apis": [api.model_dump(mode="json", by_alias=True) for api in apis.values()]},
    )


def _document(api: Api) -> dict[str, Any]:
    """One Api, in the paper's small form."""
    parameters = [{name: parameter.json_schema} for name, parameter in api.parameters.items()]
    return {"name": api.name, "desc": api.description, "params": parameters, "output": api.returns}


@cache
def _template() -> str:
    return _TEMPLATE.read_text("utf-8").strip()
