"""The files of our dialogues with programs: YAML in folders that are called as their split, and the goals they are for.

    goals.yaml                  - {id: list-buckets, utterance: List all my buckets., complexities: [], split: train}
    train/*.yaml, test/*.yaml   dialogues (`formats.program_dialogue`): `GOAL-1.yaml`, `GOAL-2.yaml`
    signatures.json             by dialogue, the signature of the account and of each final program, made by executing

Contract: `inspect` gives a dialogue as it is written and everything that is wrong with it; `read_folder` refuses the
first file that has anything wrong. Dialogues get their goal's utterance, complexities and split as their `origin`, and
the signatures that they are said to come to, which whoever executes them compares.

Not covered: what programs do when they run.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, cast

from pydantic import JsonValue, TypeAdapter, ValidationError

from toologue.agents.llm.program_stack.answers import broke
from toologue.data import Place, Source, read_source, reason
from toologue.errors import BadFile, BadRecord, StackError, shown
from toologue.formats.program_dialogue import Written, dialogue_of, problems
from toologue.loop import execute
from toologue.run.runner import grounded
from toologue.sandbox.program import number_of, parse
from toologue.schema import Case, Dialogue, Program, Result, Setting, Turn, executable
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
        dialogue = _dialogue(written, file)
        told = goal.model_dump(mode="json", include={"utterance", "complexities", "split"})
        dialogue = dialogue.replace(origin={**dialogue.origin, **told})
        yield _signed(dialogue, signed[name], folder) if name in signed else dialogue


def read_signatures(folder: Path) -> Mapping[str, Sequence[str]]:
    """The signatures by dialogue; none where the folder has no such file."""
    file = folder / "signatures.json"
    return _valid(read_source(file), dict[str, tuple[str, ...]]) if file.exists() else {}


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


def _signed(dialogue: Dialogue, signatures: Sequence[str], folder: Path) -> Dialogue:
    initial, *rest = signatures
    ran = [executable(act) for turn in dialogue.turns if turn.role == "agent" for act in turn.acts]
    if sum(ran) != len(rest):
        raise BadFile(f"{folder / 'signatures.json'} has other programs than {dialogue.id}: sign it again")
    left = iter(rest)

    def sign(turn: Turn) -> Turn:
        acts = turn.acts if turn.role == "agent" else ()
        signed = [next(left) if executable(act) else None for act in acts]
        return turn.replace(extra={"signatures": signed}) if acts else turn

    return dialogue.replace(turns=tuple(map(sign, dialogue.turns)), extra={"initial_signature": initial})


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


class Review(NamedTuple):
    """A dialogue, executed. `remarks` is what should be looked at."""

    dialogue: Dialogue
    programs: tuple[Program, ...]
    remarks: tuple[str, ...]


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


def reviews(dialogues: Iterable[Dialogue]) -> Iterator[Review]:
    """Each dialogue executed and looked at; over S3 it is signed, too."""
    for dialogue in dialogues:
        done = executed(dialogue)
        broken = (what for turn in done.turns if turn.role == "agent" and turn.results for what in broke(turn))
        yield Review(done, programs_of(done), (*broken, *renumberings(done)))


def renumberings(dialogue: Dialogue) -> Iterator[str]:
    """What is wrong with the numbers of placeholders, by all earlier drafts of the goal."""
    drafts: dict[str, list[str]] = {}
    for program in programs_of(dialogue):
        earlier = drafts.setdefault(program.goal, [])
        found = dict.fromkeys(what for before in earlier for what in renumbered(before, program.code))
        yield from (f"goal {program.goal}: {what}" for what in found)
        earlier.append(program.code)


def renumbered(before: str, after: str) -> Iterator[str]:
    """What is wrong with the numbers of a draft's placeholders, by an earlier draft."""
    old, new = _places(before), _places(after)
    filled = {number for place, number in old.items() if place in new and new[place] is None}
    missing = {place: number for place, number in new.items() if number is not None}
    for number in sorted({n for place, n in missing.items() if n in filled or old.get(place) not in (None, n)}):
        yield f"?{number} stood for something else in an earlier draft"


def programs_of(dialogue: Dialogue) -> tuple[Program, ...]:
    """All that the agent writes, in order."""
    return tuple(act for turn in dialogue.turns if turn.role == "agent" for act in turn.acts if act.kind == "program")


def _places(code: str) -> Mapping[tuple[str, int], int | None]:
    """By statement and rank of a value in it: the number of the placeholder that stands there; None for a value."""
    found: dict[tuple[str, int], int | None] = {}
    for node in ast.walk(parse(code).tree):
        if isinstance(node, ast.stmt):
            bare = copy.copy(node)  # without the statements that it holds
            inner = vars(bare).keys() & {"body", "orelse", "finalbody", "handlers", "cases"}
            vars(bare).update({name: [] for name in inner})
            blank = _Blank()
            head = blank.visit(copy.deepcopy(bare))
            found |= {(ast.dump(head), rank): number for rank, number in enumerate(blank.values)}
    return found


class _Blank(ast.NodeTransformer):
    def __init__(self) -> None:
        self.values: list[int | None] = []

    def visit(self, node: ast.AST) -> Any:
        number = number_of(node)
        if number is None and not isinstance(node, ast.Constant):
            return self.generic_visit(node)
        self.values.append(number)
        return ast.Name("_")
