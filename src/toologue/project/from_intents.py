"""Intents, procedures and all that follows, with a model: ALMITA's stages, each counted (table 1).

intents              asked for (3.1), none like another or like one of our catalogue
procedures           for each of them (3.2), written in prose, rewritten in our dialect, mended
with APIs            what a procedure calls is documented by rule (3.3), unless there is a service of its own
flowgraphs, conversation graphs    made by rule, and checked (3.4, 3.5)
paths, conversations               planned (3.6, 3.7), worded by whoever `Making.writer` is, verified (3.8)

services/ID.jsonl    the documents of a procedure's calls
stages.jsonl         how much each stage made, dropped and kept, and why
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from toologue.apis.extracted import extracted
from toologue.errors import BadSetting, UserError
from toologue.models.model import Model
from toologue.plan.procedures.by_model import IntentTally, ask_intents
from toologue.plan.procedures.intents import intents as catalogue
from toologue.plan.procedures.rewrite import Rewritten, ask_procedures
from toologue.plan.procedures.service import service
from toologue.procedure import conversation_graph, flowgraph
from toologue.project.from_prose import Stage
from toologue.project.generate import UNWORDED, Making, make
from toologue.project.statistics import Made, Source
from toologue.schema import Setting
from toologue.schema.api import packed
from toologue.schema.jsonl import replacing
from toologue.worlds.named import setting_of

STAGES = "stages.jsonl"


async def think_up(
    model: Model,
    folder: Path,
    intents: int,
    each: int,
    *,
    world: Setting | None = None,
    tries: int = 3,
    seed: int = 0,
    tell: Callable[[str], None] = lambda words: None,
) -> tuple[list[Source], list[Stage]]:
    """Procedures for intents that a model thinks of, and the stages so far; documents go into the folder.

    Raises ModelFault, and BadSetting where nothing is left.
    """
    tally = IntentTally()
    chosen = await ask_intents(model, intents, tally, known=catalogue(), seed=seed)
    told = {str(why): text for why, text in tally.examples.items()}
    stages = [Stage(name="intents", generated=tally.proposed, dropped={**tally.dropped}, examples=told)]
    tell(f"{len(chosen)} intents of {tally.proposed} that were proposed")
    apis, written = None if world is None else list(service(world).apis.values()), list[Rewritten]()
    for intent in chosen:
        made = [
            one._replace(procedure=one.procedure and one.procedure.replace(id=f"{intent.id}-{number}", apis=""))
            for number, one in enumerate(
                await ask_procedures(intent, model, count=each, apis=apis, tries=tries, seed=seed), 1
            )
        ]
        tell(f"{intent.id}: {sum(one.procedure is not None for one in made)} of {each} procedures can be followed")
        written += made
    stages.append(_written(written))
    sound = [one.procedure for one in written if one.procedure is not None]
    calling = [one for one in sound if one.calls]
    silent = {"it calls nothing": len(sound) - len(calling)} if len(calling) < len(sound) else {}
    stages.append(Stage(name="with APIs", generated=len(sound), dropped=silent))
    sources = list[Source]()
    for one in calling:
        file = folder / "services" / f"{one.id}.jsonl"
        if world is None:
            with replacing(file) as stream:
                stream.writelines(packed(extracted(one)))
        sources.append(Source(one, world or setting_of(str(file))))
    if not sources:
        why = "; ".join(f"{stage.name}: {reason}" for stage in stages for reason in stage.dropped)
        raise BadSetting(f"no procedure is left, and no conversation was made: {why or 'the model gave none'}")
    return sources, stages


def _written(written: Sequence[Rewritten]) -> Stage:
    lost = [one for one in written if one.procedure is None]
    why = "does not compile"
    return Stage(
        name="procedures",
        generated=len(written),
        repaired=sum(one.procedure is not None and bool(one.problems[0]) for one in written),
        dropped={why: len(lost)} if lost else {},
        examples={why: next(iter(lost[0].problems[-1]), lost[0].text)} if lost else {},
    )


def staged(
    sources: Sequence[Source], stages: list[Stage], making: Making, progress: Callable[[int, int], None]
) -> list[Made]:
    """What comes of the procedures; a stage each is added for graphs, paths, conversations and tests."""
    flows = [flowgraph.flowgraph(one.procedure) for one in sources]
    graphs = [conversation_graph.conversation_graph(flow) for flow in flows]
    stages.append(_checked("flowgraphs", (flowgraph.check(flow) for flow in flows)))
    stages.append(_checked("conversation graphs", (conversation_graph.check(graph) for graph in graphs)))
    made, fruitless, examples = list[Made](), Counter[str](), dict[str, str]()
    for number, source in enumerate(sources, 1):
        try:
            one = make(source, making)
            why = "" if one.dialogues else "no conversation comes of it"
        except UserError as error:
            one, why = None, f"cannot be executed: {error}"
        if one is not None and one.dialogues:
            made.append(one)
        else:
            fruitless[why.partition(":")[0]] += 1
            examples.setdefault(why.partition(":")[0], f"{source.procedure.id}: {why}")
        progress(number, len(sources))
    stages.append(Stage(name="executable", generated=len(sources), dropped=fruitless, examples=examples))
    tallies = [one.planned.tally for one in made]
    lost = sum((tally.dropped for tally in tallies), Counter[str]())
    stages.append(Stage(name="paths", generated=sum(lost.values()) + sum(one.kept for one in tallies), dropped=lost))
    wrong = Counter(f"invalid: {flaw.rule}" for one in made for flaw in dict(one.flaws).values())
    wrong += Counter({UNWORDED: sum(one.dropped[UNWORDED] for one in made)})
    planned = sum(len(one.planned.plans) for one in made)
    stages.append(Stage(name="conversations", generated=planned, dropped=wrong))
    tests = sum(turn.role == "agent" for one in made for dialogue in one.dialogues for turn in dialogue.turns)
    stages.append(Stage(name="tests", generated=tests))
    if not made:
        raise BadSetting(f"no conversation was made: {'; '.join(examples.values())}")
    return made


def _checked(name: str, found: Iterable[Sequence[flowgraph.Violation]]) -> Stage:
    every = list(found)
    broken = Counter(violations[0].rule for violations in every if violations)
    return Stage(name=name, generated=len(every), dropped=broken)
