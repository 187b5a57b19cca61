"""For authors: a dialogue with programs as it is executed, and what to look at before it joins a dataset.

Write a YAML file (`formats.program_dialogue` has the format), run `toologue show FILE.yaml`, read what the programs
come to, put it into the agent's words, and run it again.

Contract: `read_yaml` tells all that is wrong with a file in one error. The remarks of a review are programs that broke
by their own fault, and placeholders whose number is another one than in an earlier draft: what `?2` stands for is `?2`
until it is known, also after `?1` is known.

Example:
    >>> drafts = 's3.delete_object(Bucket=?1, Key=?2)', 's3.delete_object(Bucket="attic", Key=?1)'
    >>> list(renumbered(*drafts))
    ['?1 stood for something else in an earlier draft']
    >>> list(renumbered(drafts[0], 's3.delete_object(Bucket="attic", Key=?2)'))
    []

Not covered: whether the words are true to the results; read them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.agents.llm.program_stack.answers import broke
from toologue.bench.dialog2api import executed
from toologue.bench.dialog2api.files import inspect
from toologue.data import read_source
from toologue.errors import BadFile
from toologue.formats.program_dialogue import dialogue_of
from toologue.run.runner import grounded
from toologue.sandbox.program import number_of, parse
from toologue.schema import Dialogue, Program

_Places = Mapping[tuple[str, int], int | None]
"""By statement and rank of a value in it: the number of the placeholder that stands there; None for a value."""


class Review(NamedTuple):
    """A dialogue, executed. `remarks` is what should be looked at."""

    dialogue: Dialogue
    programs: tuple[Program, ...]
    remarks: tuple[str, ...]


def is_ours(file: Path) -> bool:
    """Whether a file is written as a dialogue with programs. Raises BadFile, BadRecord where it is no YAML."""
    data = read_source(file).data
    if not isinstance(data, Mapping):
        return False
    held = cast("Mapping[str, Any]", data)
    turns = cast("list[Any]", held["turns"]) if isinstance(held.get("turns"), list) else []
    return "goal" in held or any(isinstance(turn, Mapping) and "programs" in turn for turn in turns)


def read_yaml(file: Path) -> Dialogue:
    """A dialogue as it is written, without results. Raises BadFile, BadRecord."""
    written, wrong = inspect(file)
    if len(wrong) > 1:
        raise BadFile("\n".join(map(str, wrong)))
    for one in wrong:
        raise one
    return dialogue_of(written)


def has_programs(dialogue: Dialogue) -> bool:
    """Whether the agent writes programs, or the dialogue is from a file in which it can."""
    return dialogue.origin.get("line") == "programs" or bool(_programs(dialogue))


def reviews(dialogues: Iterable[Dialogue]) -> Iterator[Review]:
    """Each dialogue executed and looked at; over S3 it is signed, too."""
    for dialogue in dialogues:
        over_s3 = dialogue.world.name in ("s3", "s3_programs")
        done = executed(dialogue) if over_s3 else grounded(dialogue)
        broken = (what for turn in done.turns if turn.role == "agent" and turn.results for what in broke(turn))
        yield Review(done, _programs(done), (*broken, *renumberings(done)))


def renumberings(dialogue: Dialogue) -> Iterator[str]:
    """What is wrong with the numbers of placeholders, by all earlier drafts of the goal."""
    drafts: dict[str, list[str]] = {}
    for program in _programs(dialogue):
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


def _programs(dialogue: Dialogue) -> tuple[Program, ...]:
    return tuple(act for turn in dialogue.turns if turn.role == "agent" for act in turn.acts if act.kind == "program")


def _places(code: str) -> _Places:
    found: dict[tuple[str, int], int | None] = {}
    for node in ast.walk(parse(code).tree):
        if isinstance(node, ast.stmt):
            blank = _Blank()
            head = blank.visit(_head(node))
            found |= {(ast.dump(head), rank): number for rank, number in enumerate(blank.values)}
    return found


def _head(statement: ast.stmt) -> ast.stmt:
    """A statement without those that it holds."""
    bare = copy.copy(statement)
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        if hasattr(bare, name):
            setattr(bare, name, [])
    return copy.deepcopy(bare)


class _Blank(ast.NodeTransformer):
    """Values and placeholders give way to a blank, and are collected."""

    def __init__(self) -> None:
        self.values: list[int | None] = []

    def visit(self, node: ast.AST) -> Any:
        number = number_of(node)
        if number is None and not isinstance(node, ast.Constant):
            return self.generic_visit(node)
        self.values.append(number)
        return ast.Name("_")
