"""The paper's ablation (ALMITA 4.2, A.7): conversations straight from procedures, and how many of them can happen.

A model writes each whole, without graphs, paths or execution. Then it is looked at as any other: acts are done again in
the procedure's service, values are looked for in the words. What is wrong stands in `origin["flaws"]`.

    dialogues.jsonl    all that could be read and keep the rules of A.6
    apis.jsonl         the documents of their calls
    straight.json      a line a procedure: asked for, read, valid, what was wrong
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from toologue.errors import Unfinished
from toologue.models.model import Model, ModelFault
from toologue.plan.procedures.noise import NoiseMode
from toologue.plan.procedures.service import Service, service
from toologue.project.statistics import Source
from toologue.schema import Api, Dialogue
from toologue.schema.api import packed
from toologue.schema.jsonl import check_owned, line_of, replacing
from toologue.values.json_schema import list_of
from toologue.verify.procedures import verify
from toologue.write.direct_generation import generate_directly

# What `generate --mode` takes: what follows noise, or no graph at all.
GenerationMode = Literal[NoiseMode, "straight"]


@dataclass(frozen=True)
class Straight:
    """What came of a procedure: conversations with their flaws, and what was wrong with replies that were not kept."""

    procedure: str
    wanted: int
    dialogues: tuple[Dialogue, ...]
    faults: tuple[str, ...]

    @property
    def valid(self) -> int:
        """How many have no flaw."""
        return sum("flaws" not in dialogue.origin for dialogue in self.dialogues)

    @property
    def flaws(self) -> Counter[str]:
        """How many conversations break each rule."""
        return Counter(str(rule) for one in self.dialogues for rule in list_of(one.origin.get("flaws")))


def generate_straight(sources: Iterable[Source], model: Model, count: int, *, seed: int = 0) -> Iterator[Straight]:
    """What a model makes of each procedure, in their order. Raises Unfinished where it does not answer."""
    with asyncio.Runner() as loop:
        for source in sources:
            made_for = service(source.world)
            asked = generate_directly(source.procedure, made_for.apis.values(), model, count=count, seed=seed)
            try:
                came = loop.run(asked)
            except ModelFault as fault:
                raise Unfinished(f"{source.procedure.id}: the model gave no reply: {fault}") from None
            looked_at = tuple(_looked_at(dialogue, made_for) for dialogue in came.dialogues)
            yield Straight(source.procedure.id, count, looked_at, came.faults)


def write_straight(folder: Path, sources: Sequence[Source], made: Iterable[Straight]) -> list[Straight]:
    """Put them into a folder as they are made. Raises BadFile where it cannot be used."""
    check_owned(folder, "straight.json")
    apis, found = dict[str, Api](), list[Straight]()
    with ExitStack() as stack:
        dialogues = stack.enter_context(replacing(folder / "dialogues.jsonl"))
        for one in made:
            dialogues.writelines(map(line_of, one.dialogues))
            found.append(one)
        for source in sources:
            apis |= service(source.world).apis
        stack.enter_context(replacing(folder / "apis.jsonl")).writelines(packed(apis.values()))
        rows = [
            {"procedure": one.procedure, "wanted": one.wanted, "read": len(one.dialogues), "valid": one.valid}
            | {"flaws": one.flaws, "faults": one.faults}
            for one in found
        ]
        stack.enter_context(replacing(folder / "straight.json")).write(json.dumps(rows, indent=1).encode() + b"\n")
    return found


def _looked_at(dialogue: Dialogue, made_for: Service) -> Dialogue:
    flaws = verify(dialogue, apis=made_for.apis, world=made_for.make() if made_for.make else None)
    rules = list(dict.fromkeys(flaw.rule for flaw in flaws))
    return dialogue.replace(origin={**dialogue.origin, "flaws": rules}) if rules else dialogue
