"""The part of `toologue write` and `toologue verify` that is about chains.

Not covered: the scores of retrievers; `verify` checks that they are in order, and asks nobody again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toologue.models.embed import embedder
from toologue.models.model import ModelFault, model
from toologue.plan.chains.sequences import SEQUENCES
from toologue.schema import Api, Dialogue, Plan, Setting
from toologue.schema.jsonl import read
from toologue.verify.chains import verify_chain
from toologue.verify.procedures import Flaw
from toologue.worlds.documented import Documented
from toologue.worlds.world import kind_at
from toologue.write.chains import ChainWriter, Unworded
from toologue.write.chains.model import ChainModelWriter


def is_chain(dialogue: Dialogue) -> bool:
    """Whether a dialogue is of the chains line."""
    return dialogue.origin.get("line") == "chains"


def chain_words(
    plans: Path, writer: str = "template", *, seed: int = 0, by: str = "lexical"
) -> Iterator[Dialogue | Unworded | ModelFault]:
    """The dialogue of each plan, or why there is none. The retriever knows the APIs that the plans speak of."""
    names = {name for plan in read(plans, Plan) for name in plan.dialogue.apis}
    apis: dict[str, Api] = {}
    for setting in {plan.dialogue.world.model_dump_json(): plan.dialogue.world for plan in read(plans, Plan)}.values():
        apis.update({api.name: api for api in kind_at(setting).apis if api.name in names})
    if writer == "template":
        offline = ChainWriter(list(apis.values()), embedder(by), seed=seed)
        yield from (_tried(offline.words, plan) for plan in read(plans, Plan))
        return
    online = ChainModelWriter(model(writer), list(apis.values()), embedder(by), seed=seed)
    with asyncio.Runner() as loop:
        yield from (_tried(lambda one: loop.run(online.write(one)), plan) for plan in read(plans, Plan))


def chain_flaws(file: Path) -> Callable[[Dialogue], list[Flaw]]:
    """What looks at the chains of a file: with the documents beside it, else with those that a dialogue names."""
    beside = file.with_name("apis.jsonl")

    @cache
    def known(setting: str) -> _Known:
        asked = Setting.model_validate_json(setting)
        apis = list(read(beside, Api)) if beside.exists() else kind_at(asked).apis
        return _Known({api.name: api for api in apis}, Documented(apis))

    def flaws(dialogue: Dialogue) -> list[Flaw]:
        arguments = dialogue.world.arguments
        plain = dialogue.world.but(arguments={**arguments, "seed": 0})
        documents, world = known("{}" if beside.exists() else plain.model_dump_json())
        seed = arguments.get("seed")
        planned = SEQUENCES.get(str(dialogue.origin.get("sequence")))
        return verify_chain(
            dialogue,
            world.seeded(seed if isinstance(seed, int) else 0),
            apis=documents,
            sequence=planned.steps if planned else None,
        )

    return flaws


class _Known(NamedTuple):
    """The documents by name, and a world that answers as they say."""

    documents: dict[str, Api]
    world: Documented


def _tried(words: Callable[[Plan], Dialogue], plan: Plan) -> Dialogue | Unworded | ModelFault:
    try:
        return words(plan)
    except (Unworded, ModelFault) as reason:
        return reason
