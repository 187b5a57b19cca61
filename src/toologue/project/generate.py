"""Generate: procedures in, verified conversations out. Plans, words, and an independent look at every one of them.

`generate(sources, making)` yields a `Made` a procedure, in the order given: its plans, the dialogues that `verify`
finds nothing wrong with, and why others were dropped. `write_suite` puts it all into a folder as it is made:

    dialogues.jsonl    the conversations: gold, tests, training rows
    plans.jsonl        the same before anybody had found words
    graphs.jsonl       a conversation graph a procedure
    apis.jsonl         the documents of all calls
    procedures/*.md    the procedures
    statistics.json    what `project.statistics` says of them

Contract: one seed, one suite, byte for byte, whatever the number of workers. Words are found offline unless a model is
named; where a model does not answer at all, BadSetting says so; what it cannot word is dropped, and counted.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import tee
from pathlib import Path

from toologue.errors import BadFile, BadSetting, UnknownName
from toologue.formats.procedure import file_names, load
from toologue.formats.procedure import write as write_procedure
from toologue.models.ask import model
from toologue.models.model import ModelFault
from toologue.parallel import chunks, ordered
from toologue.plan.procedures import files
from toologue.plan.procedures.noise import NOISE, NoiseMode, dealt
from toologue.plan.procedures.paths import coverage
from toologue.plan.procedures.plan_dialogue import Planned, Sampler, plan_all
from toologue.plan.procedures.service import service
from toologue.plan.procedures.unreached import lost
from toologue.project.statistics import Census, Made, Source, Statistics
from toologue.report.coverage import walk_of
from toologue.schema import Api, Dialogue, Graph, Plan, Setting
from toologue.schema.api import packed
from toologue.schema.jsonl import check_owned, held, line_of, replacing
from toologue.verify.procedures import Flaw, verify
from toologue.worlds.named import setting_of
from toologue.write.model import Check, ModelWriter
from toologue.write.procedures import TemplateWriter
from toologue.write.wordings import FILE, Wording, read_wordings, wordings_of

# Why a conversation is dropped whose words a model was asked for, and did not find.
UNWORDED = "no words from the model"
_FILES = ("dialogues", "plans", "graphs", "apis")
# Requests to a model at a time, and the faults that the next request would meet as well.
_AT_ONCE = 8
NO_ANSWER = ("unauthorized", "not_found", "quota_exceeded", "connection")


@dataclass(frozen=True)
class Making:
    """How a suite is made. `count`: conversations a procedure, at least; a cover may need more.

    `noise`: the chance of it at each reply; `most_noise`: how often in a conversation; `until`: the share of what
    execution can reach that a cover must see. `writer`: `template`, or a model.
    """

    count: int = 36
    sampler: Sampler = "cover"
    noise: float = NOISE
    most_noise: int = 1
    mode: NoiseMode = "resume"
    detours: float = 0.1
    until: float = 1.0
    seed: int = 0
    writer: str = "template"


def shipped(*names: str) -> list[Source]:
    """The procedures that ship, of these ids or worlds; all of them without any. Raises UnknownName."""
    known = files()
    worlds = {file.parent.name for file in known.values()}
    for name in names:
        if name not in known and name not in worlds:
            raise UnknownName("procedure or service", name, [*known, *worlds])
    chosen = [file for id, file in known.items() if not names or id in names or file.parent.name in names]
    return [Source(load(file), setting_of(file.parent.name)) for file in chosen]


def sources(what: Sequence[str], world: Setting | None = None, wordings: Path | None = None) -> list[Source]:
    """Procedures from .md files, over a world; or, where all are names, procedures that ship.

    Files are read with the documents of the calls at hand, so that what does not fit them is said at once. `wordings`
    are in that file, else in the one beside a procedure. Raises BadFile, BadRecord, BadSetting, UnknownName.
    """
    if wordings is not None:
        if not wordings.is_file():
            raise BadFile(f"there is no file {wordings}; `toologue plan words` makes one")
        return [worded(one, wordings) for one in sources(what, world)]
    own = [name for name in what if name.endswith(".md")]
    if not own:
        if world:
            raise BadSetting("--service and what is said of it are for procedures of yours: name their .md files, too")
        return shipped(*what)
    if world is None:
        remedy = "Give --service, an OpenAPI document, a shipped name or module:Class"
        raise BadSetting(f"{own[0]}: what are its calls made to? {remedy}")
    apis = list(service(world).apis.values())
    made = [worded(Source(load(file, apis=apis), world), Path(file).with_name(FILE)) for file in own]
    made += shipped(*(name for name in what if name not in own)) if len(own) < len(what) else []
    twice = next((id for id, times in Counter(one.procedure.id for one in made).items() if times > 1), None)
    if twice is not None:
        raise BadSetting(f"two procedures are called {twice!r}: give each an `id` of its own in its front matter")
    return made


def worded(source: Source, file: Path) -> Source:
    """A procedure with its wordings in a file, where there are any."""
    return replace(source, wordings=wordings_of(source.procedure, read_wordings(file)))


def generate(sources: Iterable[Source], making: Making = Making(), *, workers: int = 1) -> Iterator[Made]:
    """What comes of each procedure, in their order. With more than one worker they are made in processes."""
    every = list(sources)
    messages = dealt(one.procedure.id for one in every)
    made = partial(_make, making=making, messages=messages)
    return ordered(made, every, workers=workers if len(every) > 1 else 1)


def plans_of(source: Source, making: Making = Making(), own: frozenset[str] = frozenset()) -> Planned:
    """The plans of one procedure, without words; `own`: the ids of the noise that no other procedure of a suite has."""
    said = {name: value for name, value in vars(making).items() if name != "writer"}
    return plan_all(source.procedure, service(source.world), own=own, **said)


def _make(source: Source, making: Making, messages: Mapping[str, frozenset[str]]) -> Made:
    return make(source, making, messages[source.procedure.id])


def make(source: Source, making: Making = Making(), own: frozenset[str] = frozenset()) -> Made:
    """What comes of one procedure. Where a model's words are not valid, the template's stand in their place."""
    planned = plans_of(source, making, own)
    dialogues, flaws, dropped = list[Dialogue](), list[tuple[str, Flaw]](), Counter(planned.tally.dropped)
    instead = list[tuple[str, str]]()
    check, plain = partial(_flaws, planned.graph), TemplateWriter(seed=making.seed)
    by_model = words(planned.plans, making.writer, seed=making.seed, wordings=source.wordings, check=check)
    for plan, dialogue in zip(planned.plans, by_model, strict=True):
        if isinstance(dialogue, ModelFault):
            dropped[UNWORDED] += 1
            continue
        found = check(plan, dialogue)
        if found and "wordings" in dialogue.origin:
            dialogue = _plainly(plain, plan, f"{found[0]}")
            found = check(plan, dialogue)
        if why := dialogue.origin.get("instead"):
            instead.append((dialogue.id, str(why)))
        flaws += [(dialogue.id, flaw) for flaw in found]
        dropped.update({f"invalid: {flaw.rule}" for flaw in found})
        if not found:
            dialogues.append(dialogue)
    missing = planned.unreached
    if len(dialogues) < len(planned.plans):
        seen = coverage(planned.graph, (walk_of(planned.graph, one) for one in dialogues))
        missing += tuple(lost(source.procedure, planned.graph, planned.coverage, seen, dropped))
    return Made(source, planned, tuple(dialogues), tuple(flaws), dropped, missing, tuple(instead))


def _flaws(graph: Graph, plan: Plan, dialogue: Dialogue) -> Sequence[Flaw]:
    return verify(dialogue, graph, cues=plan.cues)


def words(
    plans: Iterable[Plan],
    writer: str = "template",
    *,
    seed: int = 0,
    wordings: Iterable[Wording] = (),
    check: Check | None = None,
) -> Iterator[Dialogue | ModelFault]:
    """The dialogue of each plan, or the fault where the model gave no reply.

    Where its words stay wrong, also by `check`, those of the template stand there, and `origin["instead"]` says why.
    Raises BadSetting where it does not answer at all.
    """
    plain = TemplateWriter(seed=seed, wordings=wordings)
    if writer == "template":
        yield from map(plain.words, plans)
        return
    by_model = ModelWriter(model(writer, "writer"), seed=seed, check=check)
    with asyncio.Runner() as loop:
        for some in chunks(plans, _AT_ONCE):
            for plan, found in zip(some, loop.run(_worded(by_model, some)), strict=True):
                faulty = isinstance(found, ModelFault) and found.type == "bad_response"
                yield _plainly(plain, plan, str(found)) if faulty else found


def _plainly(plain: TemplateWriter, plan: Plan, why: str) -> Dialogue:
    dialogue = plain.words(plan)
    return dialogue.replace(origin={**dialogue.origin, "instead": why})


def write_suite(folder: Path, made: Iterable[Made]) -> Statistics:
    """Put a suite into a folder as it is made; what there is to say of it. Raises BadFile where it cannot be used.

    Where a model left conversations without words, a folder that holds more is not replaced: that is a BadSetting.
    """
    check_owned(folder, "plans.jsonl")
    census, apis = Census(), dict[str, Api]()
    with ExitStack() as stack:
        into = {name: stack.enter_context(replacing(folder / f"{name}.jsonl")) for name in _FILES}
        first, made = tee(made)
        for one, name in zip(made, file_names(one.source.procedure.id for one in first), strict=True):
            census.add(one)
            apis |= service(one.source.world).apis
            into["dialogues"].writelines(map(line_of, one.dialogues))
            into["plans"].writelines(map(line_of, one.planned.plans))
            into["graphs"].write(line_of(one.planned.graph))
            with replacing(folder / "procedures" / name) as text:
                text.write(write_procedure(one.source.procedure).encode())
        into["apis"].writelines(packed(apis.values()))
        said = census.statistics()
        if said.dropped.get(UNWORDED) and said.conversations < held(folder / "dialogues.jsonl"):
            what = f"the model found words for {said.conversations} conversations, fewer than {folder} holds"
            raise BadSetting(f"{what}: nothing was replaced; choose another folder")
    with replacing(folder / "statistics.json") as text:
        text.write(said.model_dump_json(indent=1).encode() + b"\n")
    return said


async def _worded(writer: ModelWriter, plans: Sequence[Plan]) -> list[Dialogue | ModelFault]:
    async def one(plan: Plan) -> Dialogue | ModelFault:
        try:
            return await writer.write(plan)
        except ModelFault as fault:
            if fault.type in NO_ANSWER:
                raise BadSetting(f"the model does not answer: {fault}") from None
            return fault

    return await asyncio.gather(*map(one, plans))
