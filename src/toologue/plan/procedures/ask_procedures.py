"""Procedures for an intent, by a model: prose as a support lead writes it (3.2), then the dialect (`plan.rewrite`).

Each procedure is asked for with the titles of those so far, so that it goes another way; its prose is rewritten and
mended like anybody's. Two an intent, as in the paper. Offline there are those that ship (`plan.procedures`).

Example:
    >>> import asyncio
    >>> from toologue.models.model import ScriptedModel
    >>> from toologue.plan.procedures.intents import intent
    >>> good = "# Late\\n1. **Ask** for the number. Collect `number`.\\n2. **End**: say that {number} is late."
    >>> model = ScriptedModel(["# Late\\n1. Ask for the number, then say that it is late.", good])
    >>> (made,) = asyncio.run(ask_procedures(intent("refund-overdue"), model, count=1))
    >>> made.procedure.id, made.procedure.intent, "Two pans went back" in model.asked[0].messages[0]["content"]
    ('refund-overdue-1', 'refund-overdue', True)

Not covered: whether a company would want it so; somebody has to read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from toologue import keys
from toologue.errors import BadSetting
from toologue.models.model import Model
from toologue.plan.procedures.intents import Intent
from toologue.plan.procedures.rewrite import Rewritten, rewrite
from toologue.schema import Api

_TEMPLATE = Path(__file__).with_name("procedure_prompt.txt")


async def ask_procedures(
    intent: Intent,
    model: Model,
    *,
    count: int = 2,
    apis: Iterable[Api] | None = None,
    tries: int = 3,
    seed: int = 0,
) -> tuple[Rewritten, ...]:
    """`count` procedures; one that does not become sound in `tries` is None in its `Rewritten`. Raises ModelFault."""
    if count < 1:
        raise BadSetting(f"count is {count}: at least one procedure is wanted")
    documents = None if apis is None else tuple(apis)
    made, titles = list[Rewritten](), list[str]()
    for number in range(1, count + 1):
        asked = procedure_prompt(intent, apis=documents or (), titles=titles)
        reply = await model.reply(
            [{"role": "user", "content": asked}], seed=keys.seed_of(seed, intent.id, number) % 2**31
        )
        prose = (reply.text or "").strip()
        found = await rewrite(prose, model, apis=documents, id=f"{intent.id}-{number}", tries=tries, seed=seed)
        told = {"intent": intent.id, "client": intent.client, "issue": intent.issue}
        made.append(found if found.procedure is None else found._replace(procedure=found.procedure.but(**told)))
        titles.append(found.procedure.title if found.procedure else prose.partition("\n")[0].lstrip("# "))
    return tuple(made)


def procedure_prompt(intent: Intent, *, apis: Iterable[Api] = (), titles: Iterable[str] = ()) -> str:
    """What a model is asked."""
    names = ", ".join(api.name for api in apis)
    others = "; ".join(titles)
    slots = {
        "client": intent.client,
        "issue": intent.issue,
        "apis": f", of these only: {names}" if names else "",
        "others": f"Go about it in another way than these: {others}.\n\n" if others else "",
    }
    return re.sub(r"<(\w+)>", lambda found: slots[found[1]], _TEMPLATE.read_text("utf-8")).strip()
