"""The files of our dialogues with programs: YAML in folders that are called as their split, and the goals they are for.

    goals.yaml                  - {id: list-buckets, utterance: List all my buckets., complexities: [], split: train}
    train/*.yaml, test/*.yaml   dialogues (`formats.program_dialogue`): `GOAL-1.yaml`, `GOAL-2.yaml`

Contract: `inspect` gives a dialogue as it is written and everything that is wrong with it; `read_folder` refuses the
first file that has anything wrong. Dialogues get their goal's utterance, complexities and split as their `origin`.

Not covered: what programs do when they run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from pydantic import JsonValue, TypeAdapter, ValidationError

from toologue.data import Place, Source, read_source, reason
from toologue.errors import BadFile, BadRecord, StackError, shown
from toologue.formats.program_dialogue import Written, dialogue_of, problems
from toologue.loop import execute
from toologue.run.runner import grounded
from toologue.sandbox.program import parse
from toologue.schema import Case, Dialogue, Program, Result, Setting, executable
from toologue.schema.jsonl import Noun
from toologue.schema.stack import Stacked, put
from toologue.values.json_schema import list_of, object_of
from toologue.worlds.s3 import signature
from toologue.worlds.s3.signature import INITIAL
from toologue.worlds.world import make_world

SHIPPED = Path(__file__).parent
_PROGRAMS = frozenset(("programs", "drafting", "final", "abandoned"))
SPLITS = ("train", "test")
T = TypeVar("T")


class Goal(Noun):
    """What dialogues are written for: a canonical utterance, complexities that it suggests."""

    id: str
    utterance: str
    complexities: tuple[str, ...] = ()
    split: Literal["train", "test"] | None = None


def _valid(source: Source, kind: type[T]) -> T:
    try:
        return TypeAdapter(kind).validate_python(source.data)
    except ValidationError as error:
        raise source.refused(error, ()) from None


def read_goals(folder: Path) -> Mapping[str, Goal]:
    """The goals by id. Raises BadFile, BadRecord."""
    return {goal.id: goal for goal in _valid(read_source(folder / "goals.yaml"), tuple[Goal, ...])}


def read_folder(folder: Path) -> Iterator[Dialogue]:
    """The dialogues of a folder with goals.yaml, in the order of the goals, without results."""
    files = {file.stem: file for split in SPLITS for file in sorted((folder / split).glob("*.yaml"))}
    if not files:
        raise BadFile(f"{folder} has no dialogues: expected train/*.yaml or test/*.yaml")
    goals = read_goals(folder)
    rank = {goal: number for number, goal in enumerate(goals)}
    for name in sorted(files, key=lambda name: (rank.get(name.rpartition("-")[0], -1), name)):
        file = files[name]
        written, wrong = inspect(file)
        if wrong:
            raise wrong[0]
        goal = goals.get(written.goal)
        if goal is None or goal.split != file.parent.name:
            raise BadFile(f"{file} is not in the split of its goal {written.goal!r}")
        dialogue = _dialogue(written, file)
        told = goal.model_dump(mode="json", include={"utterance", "complexities", "split"})
        yield dialogue.replace(origin={**dialogue.origin, **told})


def inspect(file: Path) -> tuple[Written, list[BadRecord]]:
    """A dialogue, and what is wrong with it. Raises BadFile and BadRecord where it cannot be read at all."""
    source = read_source(file)
    written = _valid(source, Written)
    found = (*_misnamed(written, Path(source.file)), *problems(written), *_unfit(written))
    return written, [source.bad(place, what) for place, what in found]


def executed(dialogue: Dialogue, file: object = "<dialogue>") -> Dialogue:
    """The dialogue, every final program executed; over S3 in the world `s3_programs`, every signature in its place."""
    if not over_s3(dialogue):
        return grounded(dialogue)
    dialogue = dialogue.replace(world=Setting(name="s3_programs", arguments=dialogue.world.arguments))
    world = make_world(Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="recorded"))
    turns = list(dialogue.turns)
    said, place = dialogue.extra.get(INITIAL["published"]), f"extra.{INITIAL['published']}"
    initial: dict[str, JsonValue] = {INITIAL["published"]: _checked(dialogue, file, place, said, world, None)}
    initial[INITIAL["fixed"]] = signature(cast("Any", world), mode="fixed")
    for at, turn in enumerate(turns):
        if turn.role == "agent" and turn.acts:
            results, signed = list[Result | None](), list[str | None]()
            carried = list_of(turn.extra.get("signatures"))
            known = carried if len(carried) == len(turn.acts) else [None] * len(turn.acts)
            for slot, (act, said) in enumerate(zip(turn.acts, known, strict=True)):
                result = execute(world, act) if executable(act) else None
                results.append(result)
                signed.append(result and _checked(dialogue, file, f"turns[{at}].acts[{slot}]", said, world, result))
            turns[at] = turn.replace(results=tuple(results), extra={**turn.extra, "signatures": signed})
    return dialogue.replace(turns=tuple(turns), extra={**dialogue.extra, **initial})


def _checked(dialogue: Dialogue, file: object, place: str, said: Any, world: Any, result: Result | None) -> str:
    """The signature of the world as it is, which is the one that the file gives, if it gives one."""
    made = signature(world, None if result is None else result.value)
    if said not in (None, made):
        what = f"dialogue {shown(dialogue.id)} comes to the signature {made} here, not {shown(said)}"
        remedy = "leave the signature out, or name the account that it was made on: a dialogues.jsonl can"
        raise BadRecord(file, 0, f"$.{place}", what, remedy)
    return made


def _misnamed(written: Written, file: Path) -> Iterator[tuple[Place, str]]:
    if not re.fullmatch(re.escape(written.goal) + r"-[12]", written.id):
        yield ("id",), f"expected {written.goal}-1 or {written.goal}-2, got {written.id!r}"
    if file.stem != written.id:
        yield ("id",), f"the file is called {file.name}, the dialogue {written.id}"
    goals = next((one for one in (file.parent, file.parent.parent) if (one / "goals.yaml").exists()), None)
    if goals is not None and written.goal not in read_goals(goals):
        yield ("goal",), f"{goals / 'goals.yaml'} has no goal {written.goal!r}"


def _unfit(written: Written) -> Iterator[tuple[Place, str]]:
    stacked: tuple[Stacked, ...] = ()
    for at, turn in enumerate(written.turns):
        for slot, program in enumerate(turn.programs or ()):
            try:
                stacked = put(stacked, program.act)
            except StackError:
                continue  # `problems` says so
            parsed = parse(stacked[0].code)
            place = ("turns", at, "programs", slot, "code")
            if parsed.problems:
                yield place, f"this is no Python: {parsed.problems[0]}"
            elif parsed.placeholders and program.status == "final":
                yield place, f"a final program has no placeholders, this one has ?{parsed.numbers[0]}"


def is_ours(file: Path) -> bool:
    """Whether a file is written as a dialogue with programs. Raises BadFile, BadRecord where it is no YAML."""
    held = object_of(read_source(file).data)
    return "goal" in held or any(not _PROGRAMS.isdisjoint(object_of(turn)) for turn in list_of(held.get("turns")))


def read_yaml(file: Path) -> Dialogue:
    """A dialogue as it is written, without results. Raises BadFile, BadRecord."""
    written, wrong = inspect(file)
    if wrong:
        raise wrong[0] if len(wrong) == 1 else BadFile("\n".join(map(str, wrong[:20])))
    return _dialogue(written, file)


def _dialogue(written: Written, file: Path) -> Dialogue:
    try:
        return dialogue_of(written)
    except ValidationError as error:
        raise BadFile(f"{file}: {reason(error)}") from None


def over_s3(dialogue: Dialogue) -> bool:
    """Whether it plays in an account of S3."""
    return dialogue.world.name in ("s3", "s3_programs")


def has_programs(dialogue: Dialogue) -> bool:
    """Whether the agent writes programs, or the dialogue is from a file in which it can."""
    return dialogue.origin.get("line") == "programs" or bool(programs_of(dialogue))


def programs_of(dialogue: Dialogue) -> tuple[Program, ...]:
    """All that the agent writes, in order."""
    return tuple(act for turn in dialogue.turns if turn.role == "agent" for act in turn.acts if act.kind == "program")
