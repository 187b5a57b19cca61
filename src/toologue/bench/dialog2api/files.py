"""The files of our dialogues with programs: YAML in folders that are called as their split, and the goals they are for.

    goals.yaml    - {id: list-buckets, utterance: List all my buckets., complexities: [chitchat], split: train}
    train/*.yaml  dialogues (`formats.program_dialogue`): `GOAL-1.yaml`, `GOAL-2.yaml`
    test/*.yaml
    signatures.json   by dialogue, the signature of the account and of each final program; written by executing them

Contract: `inspect` gives a dialogue as it is written and everything that is wrong with it; `read_folder` refuses the
first file that has anything wrong. Dialogues get their goal's utterance, complexities and split as their `origin`, and
the signatures that they are said to come to, which whoever executes them compares.

Example:
    >>> goals = read_goals(SHIPPED)
    >>> goals["list-buckets"].utterance
    'List all my buckets.'

Not covered: what programs do when they run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, TypeAdapter, ValidationError

from toologue.data import Place, read_source
from toologue.errors import BadFile, BadRecord, StackError
from toologue.formats.program_dialogue import Written, dialogue_of, problems
from toologue.sandbox.program import parse
from toologue.schema import Dialogue, Turn, executable
from toologue.schema.jsonl import replacing
from toologue.schema.noun import Noun
from toologue.schema.stack import Stacked, put

SHIPPED = Path(__file__).parent
Split = Literal["train", "test"]
SPLITS: tuple[Split, ...] = ("train", "test")


class Goal(Noun):
    """What dialogues are written for: a canonical utterance, complexities that it suggests, Apis that it needs."""

    id: str
    utterance: str
    complexities: tuple[str, ...] = ()
    split: Split | None = None
    apis: tuple[str, ...] = ()


_GOALS = TypeAdapter(tuple[Goal, ...])
_SIGNATURES = TypeAdapter(dict[str, tuple[str, ...]])


def read_goals(folder: Path) -> Mapping[str, Goal]:
    """The goals by id. Raises BadFile, BadRecord."""
    source = read_source(folder / "goals.yaml")
    try:
        goals = _GOALS.validate_python(source.data)
    except ValidationError as error:
        raise source.refused(error, ()) from None
    return {goal.id: goal for goal in goals}


def read_folder(folder: Path, *, sign: bool = True) -> Iterator[Dialogue]:
    """The dialogues of a folder with goals.yaml, in the order of the goals, without results.

    `sign`: with their signatures, where the folder has them.
    """
    files = {file.stem: file for split in SPLITS for file in sorted((folder / split).glob("*.yaml"))}
    if not files:
        raise BadFile(f"{folder} has no dialogues: expected train/*.yaml or test/*.yaml")
    goals = read_goals(folder)
    rank = {goal: number for number, goal in enumerate(goals)}
    signed: Mapping[str, Sequence[str]] = read_signatures(folder) if sign else {}
    for name in sorted(files, key=lambda name: (rank.get(name.rpartition("-")[0], -1), name)):
        file = files[name]
        written, wrong = inspect(file)
        if wrong:
            raise wrong[0]
        goal = goals.get(written.goal)
        if goal is None or goal.split != file.parent.name:
            raise BadFile(f"{file} is not in the split of its goal {written.goal!r}")
        dialogue = dialogue_of(written)
        told = goal.model_dump(mode="json", include={"utterance", "complexities", "split"})
        dialogue = dialogue.but(origin={**dialogue.origin, **told})
        yield _signed(dialogue, signed[name], folder) if name in signed else dialogue


def read_signatures(folder: Path) -> Mapping[str, Sequence[str]]:
    """The signatures by dialogue; none where the folder has no such file."""
    file = folder / "signatures.json"
    if not file.exists():
        return {}
    source = read_source(file)
    try:
        return _SIGNATURES.validate_python(source.data)
    except ValidationError as error:
        raise source.refused(error, ()) from None


def write_signatures(folder: Path, dialogues: Iterable[Dialogue]) -> None:
    """Write down what dialogues that were executed come to."""
    found = {one.id: [str(one.extra["initial_signature"]), *_carried(one)] for one in dialogues}
    lines = (f"  {json.dumps(name)}: {json.dumps(signatures)}" for name, signatures in sorted(found.items()))
    with replacing(folder / "signatures.json") as stream:
        stream.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


def inspect(file: Path) -> tuple[Written, list[BadRecord]]:
    """A dialogue, and what is wrong with it. Raises BadFile and BadRecord where it cannot be read at all."""
    source = read_source(file)
    try:
        written = Written.model_validate(source.data)
    except ValidationError as error:
        raise source.refused(error, ()) from None
    found = (*_misnamed(written, Path(source.file)), *problems(written), *_unfit(written))
    return written, [source.bad(place, what) for place, what in found]


def _signed(dialogue: Dialogue, signatures: Sequence[str], folder: Path) -> Dialogue:
    """The dialogue with its signatures in their places."""
    initial, *rest = signatures
    ran = [executable(act) for turn in dialogue.turns if turn.role == "agent" for act in turn.acts]
    if sum(ran) != len(rest):
        raise BadFile(f"{folder / 'signatures.json'} has other programs than {dialogue.id}: sign it again")
    left = iter(rest)
    turns: list[Turn] = []
    for turn in dialogue.turns:
        if turn.role == "agent" and turn.acts:
            signed: list[JsonValue] = [next(left) if executable(act) else None for act in turn.acts]
            turn = turn.but(extra={"signatures": signed})
        turns.append(turn)
    return dialogue.but(turns=tuple(turns), extra={"initial_signature": initial})


def _carried(dialogue: Dialogue) -> list[str]:
    """The signatures of the programs."""
    carried = (turn.extra.get("signatures") for turn in dialogue.turns)
    return [str(one) for signatures in carried if isinstance(signatures, list) for one in signatures if one is not None]


def _misnamed(written: Written, file: Path) -> Iterator[tuple[Place, str]]:
    if not re.fullmatch(re.escape(written.goal) + r"-[12]", written.id):
        yield ("id",), f"expected {written.goal}-1 or {written.goal}-2, got {written.id!r}"
    if file.stem != written.id:
        yield ("id",), f"the file is called {file.name}, the dialogue {written.id}"
    goals = next((one for one in (file.parent, file.parent.parent) if (one / "goals.yaml").exists()), None)
    if goals is not None and written.goal not in read_goals(goals):
        yield ("goal",), f"{goals / 'goals.yaml'} has no goal {written.goal!r}"


def _unfit(written: Written) -> Iterator[tuple[Place, str]]:
    """What is wrong with the programs' text."""
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
