"""The stack of programs: what a conversation is at, and what became of each of its goals (Dialog2API 3).

It follows from the turns alone. On top, first in the tuple, is what was written last. What is written replaces the
whole program; one without code is the draft as it stands. Final and abandoned ones cannot be written again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from toologue.errors import StackError
from toologue.schema.jsonl import Noun
from toologue.schema.turn import Program, Result, Turn


class Stacked(Noun):
    """The latest program of a goal, and the result of a final one that was executed."""

    goal: str
    status: Literal["drafting", "final", "abandoned"]
    code: str
    result: Result | None = None


def stack(turns: Iterable[Turn]) -> tuple[Stacked, ...]:
    """The stack after these turns. Raises StackError."""
    return _walked(turns)[0]


def completed(turns: Iterable[Turn], *, lax: bool = False) -> tuple[Turn, ...]:
    """The turns with the code of the draft in every program that has none. Raises StackError.

    `lax`: programs that cannot go on the stack stay as they are.
    """
    return _walked(turns, lax)[1]


def put(stacked: Sequence[Stacked], program: Program, result: Result | None = None) -> tuple[Stacked, ...]:
    """The stack after one more program. Raises StackError."""
    code = whole(stacked, program).code
    top = Stacked(goal=program.goal, status=program.status, code=code, result=result)
    return (top, *(one for one in stacked if one.goal != program.goal))


def whole(stacked: Sequence[Stacked], program: Program) -> Program:
    """The program, with the code of its draft where it has none. Raises StackError where it cannot be written."""
    before = next((one for one in stacked if one.goal == program.goal), None)
    if before is not None and before.status != "drafting":
        raise StackError(program.goal, "is final or abandoned already and cannot be revised; take another")
    if program.code.strip():
        return program
    if before is None:
        raise StackError(program.goal, "has no code, and there is no draft of it; write the program")
    return program.replace(code=before.code)


def _walked(turns: Iterable[Turn], lax: bool = False) -> tuple[tuple[Stacked, ...], tuple[Turn, ...]]:
    stacked: tuple[Stacked, ...] = ()
    walked: list[Turn] = []
    for position, turn in enumerate(turns):
        if turn.role == "agent" and turn.acts:
            acts = list(turn.acts)
            for slot, act in enumerate(acts):
                if act.kind == "program":
                    try:
                        acts[slot] = whole(stacked, act)
                        stacked = put(stacked, act, turn.results[slot] if turn.results else None)
                    except StackError as error:
                        if not lax:
                            raise error.at(position, slot) from None
            turn = turn.replace(acts=tuple(acts))
        walked.append(turn)
    return stacked, tuple(walked)
