"""A project made of prose: a model finds the issues, writes procedures, rows and rules; all it says is executed.

    procedures/ID.md          a procedure an issue
    procedures/dropped/ID.md  what a model wrote of an issue that has none
    procedures/sources.jsonl  each sentence of the prose, the steps that say it, or why none does
    procedures/stages.jsonl   how much each stage made, repaired and dropped, and why (ALMITA, table 1)
    seed/rows.yaml            what is stored, with what procedures need
    overlay.yaml              what the document does not say, with what operations refuse
    toologue.toml, apis/, agent.py    the settings, the document, an agent to be replaced

One request finds the issues, one writes each procedure, one each repair, several procedures at a time: each over the
rows that were given and its own, whose keys end as no other's do. A procedure is kept if it compiles, and conversations
come of it that `verify` finds nothing wrong with, over all rows that there are in the end. Ids are words of ours, and
what a model says is data, never code.

Contract: equal replies, equal files, byte for byte: a run that was killed goes on with the replies that are kept.
Nothing that is there is written over.

Not covered: whether a procedure says what the prose said. That is for a person, with `plan sources` beside the prose.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from toologue import keys
from toologue.errors import BadFile, BadSetting, UserError
from toologue.formats.procedure import file_names, write
from toologue.models.model import Model
from toologue.plan.procedures.by_model import IntentsInProse, IntentTally, intents_in_prose
from toologue.plan.procedures.intents import Intent
from toologue.plan.procedures.made_up import made_up_told
from toologue.plan.procedures.prose import Prose, Sentence
from toologue.plan.procedures.reference import reference
from toologue.plan.procedures.rewrite import Checked, Rewritten, Task, Told, rewrite
from toologue.plan.procedures.service import service
from toologue.plan.procedures.unreached import Unreached, mendable
from toologue.project.generate import Making, make
from toologue.project.provision import Provision
from toologue.project.start import around, put
from toologue.project.statistics import Made, Source
from toologue.schema import Procedure, Record
from toologue.schema.jsonl import line_of

SOURCES, STAGES = Path("procedures/sources.jsonl"), Path("procedures/stages.jsonl")
MAKING = Making(count=8, seed=1)
"""How conversations are made: as the settings of the project say."""


class Stage(Record):
    """What a stage made: how much came of the first replies, how much more of repairs, what was dropped, and why."""

    format: Literal["stage/1"] = "stage/1"
    name: str
    generated: int
    repaired: int = 0
    dropped: dict[str, int] = Field(default_factory=dict[str, int])
    examples: dict[str, str] = Field(default_factory=dict[str, str])

    @property
    def kept(self) -> int:
        """How much is left."""
        return self.generated - sum(self.dropped.values())


class Dropped(NamedTuple):
    """A procedure that is not kept: the stage at which it was dropped, what is wrong with it, its text."""

    stage: str
    why: str
    text: str


@dataclass
class Kept:
    """A procedure that is kept, and what came of it."""

    procedure: Procedure
    told: Told
    repaired: bool
    remarks: Sequence[str] = ()
    made: Made | None = None


@dataclass
class Drafted:
    """What a model has made of prose."""

    prose: Prose
    provision: Provision
    found: IntentsInProse
    kept: list[Kept] = field(default_factory=list[Kept])
    stages: list[Stage] = field(default_factory=list[Stage])
    dropped: dict[str, Dropped] = field(default_factory=dict[str, "Dropped"])
    made: dict[str, Made] = field(default_factory=dict[str, Made])

    @property
    def unreached(self) -> Iterator[tuple[str, Sequence[Unreached]]]:
        """By procedure, what no conversation leads through."""
        return ((one.procedure.id, one.made.unreached) for one in self.kept if one.made)

    @cached_property
    def sources(self) -> list[Sentence]:
        """The sentences, with the steps that say them."""
        return [
            sentence.replace(
                steps={o.procedure.id: n for o in self.kept if (n := o.told.sentences.get(sentence.number))},
                left_out=dict(self._reasons(sentence.number)),
            )
            for sentence in self.prose.sentences
        ]

    def _reasons(self, number: int) -> Iterator[tuple[str, str]]:
        """By procedure, why it does not say a sentence; under no name, why no issue needs it."""
        if why := self.found.left_out.get(number):
            yield "", why
        yield from ((one.procedure.id, why) for one in self.kept if (why := one.told.left_out.get(number)))
        lost = (id for id in self.dropped if number in self.found.sentences[id])
        yield from ((id, "its procedure was dropped") for id in lost)


async def drafted(
    prose: Prose,
    provision: Provision,
    model: Model,
    scratch: Path,
    *,
    tries: int = 3,
    seed: int = 0,
    concurrency: int = 4,
    tell: Callable[[str], None] = lambda words: None,
) -> Drafted:
    """What a model makes of prose over a service; `scratch`: for rows on trial. Raises ModelFault, UserError.

    `concurrency`: how many procedures are asked for at a time; what comes of them does not depend on it.
    """
    apis, tally = list(provision.service(scratch).apis.values()), IntentTally()
    found = await intents_in_prose(prose, model, tally, apis=apis, tries=tries, seed=seed)
    dropped: dict[str, int] = {**tally.dropped}
    examples: dict[str, str] = {**tally.examples}
    stage = Stage(name="intents", generated=tally.proposed, repaired=found.repaired, dropped=dropped, examples=examples)
    tell(f"{len(found.intents)} issues in {len(prose.sentences)} sentences")
    if not found.intents:
        why = "; ".join(examples.values()) or "its answer had none"
        raise BadSetting(f"the model found no issue in the prose: {why}; is it about what customers come with?")
    done, gate = Drafted(prose, provision, found, stages=[stage]), asyncio.Semaphore(concurrency)
    service = provision.service(scratch)
    told = reference(apis, simulator=provision.simulator, service=service, words=prose.numbered)
    task = Task(reference=told, writable=provision.simulator is not None)

    async def written(number: int, intent: Intent) -> Rewritten:
        check, ending = partial(_checked, done, intent, scratch), f"{number:0{len(str(len(found.intents)))}}"
        mine = task._replace(intent=intent, concerns=found.sentences[intent.id], check=check, ending=ending)
        async with gate:
            made = await rewrite(prose, model, apis=apis, id=intent.id, task=mine, tries=tries, seed=seed)
        tell(f"{intent.id}: {'kept' if made.procedure else _why(made).why}")
        return made

    asked = [asyncio.ensure_future(written(number, intent)) for number, intent in enumerate(found.intents, 1)]
    try:
        for intent, one in zip(found.intents, await asyncio.gather(*asked), strict=True):
            _add(done, intent, one)
    finally:
        for one in asked:
            one.cancel()
    _settle(done, scratch)
    done.stages += _stages(done, len(found.intents))
    return done


def _add(done: Drafted, intent: Intent, found: Rewritten) -> None:
    """Keep the procedure of an intent with its rows, or say why not."""
    if found.procedure is None:
        done.dropped[intent.id] = _why(found)
        return
    done.provision, refused = done.provision.adding(found.told.rows, found.told.operations)
    remarks = dict.fromkeys([*found.remarks, *refused])
    done.kept.append(Kept(_named(found.procedure, intent), found.told, bool(found.problems[0]), [*remarks]))


def _why(found: Rewritten) -> Dropped:
    """What is wrong with a procedure first."""
    wrong = next(iter(found.problems[-1]), "")
    executed = wrong.startswith(_EXECUTED)
    return Dropped("does not execute" if executed else "does not compile", wrong, found.text)


_EXECUTED = "no conversation comes of it"


def _named(procedure: Procedure, intent: Intent) -> Procedure:
    """The procedure under our name for it, whatever the model calls it."""
    return procedure.replace(id=intent.id, intent=intent.id, client=procedure.client or intent.client, apis="")


def _checked(done: Drafted, intent: Intent, scratch: Path, procedure: Procedure, told: Told) -> Checked:
    """What keeps a procedure that compiles from being kept, and what it could do better."""
    more, refused = done.provision.adding(told.rows, told.operations)
    try:
        made = _made(done, _named(procedure, intent), more, scratch)
    except UserError as error:
        return Checked([f"{_EXECUTED}: {error}"], refused)
    if not made.dialogues:
        whys = ", ".join(f"{why} × {times}" for why, times in made.dropped.items())
        return Checked([f"{_EXECUTED}: {whys or 'no way leads to an end'}"], refused)
    flaws = {flaw.what.partition("`, ")[0]: f"a conversation is not valid: {flaw.what}" for _, flaw in made.flaws}
    ruled = {step.number for step in procedure.steps if step.api in told.operations}  # what was said is all there is
    ways = mendable(made.unreached, writable=more.simulator is not None)
    left = [f"line {one.line}: {_NOBODY}{one}" for one in ways if one.mends != "rule" or one.step not in ruled]
    seen, links = len(made.planned.coverage.edges.seen), len(made.planned.graph.links)
    outcome = f"{len(made.dialogues)} conversations come of it, which take {seen} of {links} ways"
    invented = [
        f"line {one.line}: {one.quote}: {one.remedy.replace('in an overlay', _RULES)}"
        for one in made_up_told(procedure, service(more.setting(scratch)))
    ]
    return Checked([], [*refused, *[*flaws.values()][:_FLAWS], *invented, *left], outcome)


# How the remark about a way begins that no conversation takes; how many flaws of conversations are told.
_RULES = 'under "operations", where the prose says it'
_NOBODY, _FLAWS = "no conversation takes ", 3


def _made(done: Drafted, procedure: Procedure, provision: Provision, scratch: Path) -> Made:
    """The conversations of a procedure; what was made before is not made again."""
    source = Source(procedure, provision.setting(scratch))
    key = keys.content_key([write(procedure), provision.setting(scratch).model_dump(mode="json")])
    if key not in done.made:
        done.made[key] = make(source, MAKING)
    return done.made[key]


def _settle(done: Drafted, scratch: Path) -> None:
    """Make the conversations of all procedures over what is stored in the end; drop those that have none any more."""
    for one in list(done.kept):
        why = ""
        try:
            one.made = _made(done, one.procedure, done.provision, scratch)
        except UserError as error:
            why = str(error)
        if one.made is None or not one.made.dialogues:
            why = f"{_EXECUTED} over the rows of all procedures{why and ': '}{why}"
            done.dropped[one.procedure.id] = Dropped("does not execute", why, write(one.procedure))
            done.kept.remove(one)


def _stages(done: Drafted, intents: int) -> Iterator[Stage]:
    """How much came of procedures and conversations."""
    reasons = Counter(one.stage for one in done.dropped.values())
    examples = {one.stage: f"{id}: {one.why}" for id, one in reversed(done.dropped.items())}
    repaired = sum(one.repaired for one in done.kept)
    yield Stage(name="procedures", generated=intents, repaired=repaired, dropped=dict(reasons), examples=examples)
    made = [one.made for one in done.kept if one.made]
    flaws = Counter(f"invalid: {flaw.rule}" for one in made for flaw in dict(one.flaws).values())
    yield Stage(name="conversations", generated=sum(len(one.planned.plans) for one in made), dropped=dict(flaws))
    reached = sum(len(one.planned.coverage.edges.seen) for one in made)
    unreached = Counter(way.why for one in made for way in one.unreached)
    yield Stage(name="ways", generated=reached + unreached.total(), dropped=dict(unreached))


def write_project(folder: Path, done: Drafted) -> list[Path]:
    """Write what was made as a project; the files. Raises BadFile where other ones are there."""
    if not done.kept:
        why = "; ".join(f"{id}: {one.stage}: {one.why}" for id, one in done.dropped.items())
        raise BadFile(f"no procedure is left, and nothing was written: {why}")
    provision, texts = done.provision, dict[str, bytes]()
    names = file_names(one.procedure.id for one in done.kept)
    for one, name in zip(done.kept, names, strict=True):
        texts[f"procedures/{name}"] = write(one.procedure).encode()
    for one, name in zip(done.dropped.values(), file_names(done.dropped), strict=True):
        texts[f"procedures/dropped/{name}"] = one.text.encode()
    texts[str(SOURCES)] = b"".join(map(line_of, done.sources))
    texts[str(STAGES)] = b"".join(map(line_of, done.stages))
    return put(folder, texts | around(provision))
