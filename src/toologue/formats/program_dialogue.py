"""Dialogues with programs as we write them, in YAML.

id: empty-the-attic-1
goal: empty-the-attic             # which goal, of those that dialogues are written for
turns:
- agent: How can I help you?
- user: Delete my bucket.
- drafting: s3.delete_bucket(Bucket=?1)     # what the agent writes: drafting, final or abandoned; may be absent
- agent: What is it called?       # every user's turn is answered in words
- user: attic
- final:                          # without code: the draft as it stands
  fill: {1: attic}                # but for these placeholders, which give way to values
- agent: The bucket attic is gone.
- user: And which are left? Thank you, by the way.
- programs:                       # several programs of a turn, in full; they run in order
  - {goal: 2, status: final, code: 'return [one["Name"] for one in s3.list_buckets()["Buckets"]]'}
  - {goal: 3, status: final, code: raise ChitChat()}
- agent: The shed and the cellar are. You are welcome!

A program alone in its turn is for the draft that was written last; where none is open, for a goal of its own, which is
called by its number. `goal` beside it says otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from toologue.errors import StackError
from toologue.schema import AgentTurn, Dialogue, Program, Setting, Turn, UserTurn
from toologue.schema.jsonl import Noun
from toologue.schema.stack import Stacked, completed, put

_S3 = Setting(name="s3")
_AFTER = {"": ("agent", "user"), "agent": ("user",), "user": ("agent", "programs"), "programs": ("agent",)}
Status = Literal["drafting", "final", "abandoned"]
_STATUSES: tuple[Status, ...] = ("drafting", "final", "abandoned")


class WrittenProgram(Noun):
    """A program of a turn."""

    goal: int | str
    status: Status
    code: str = ""

    @property
    def act(self) -> Program:
        """It, as an act."""
        return Program(goal=str(self.goal), status=self.status, code=self.code.strip("\n"))


class WrittenTurn(Noun):
    """What somebody says, or the programs that the agent writes before it answers."""

    agent: str | None = Field(None, min_length=1)
    user: str | None = Field(None, min_length=1)
    programs: tuple[WrittenProgram, ...] | None = Field(None, min_length=1)
    drafting: str | None = None
    final: str | None = None
    abandoned: str | None = None
    goal: int | str | None = None
    fill: dict[int, JsonValue] = Field(default_factory=dict[int, JsonValue])

    @model_validator(mode="after")
    def _one(self) -> WrittenTurn:
        short = self.model_fields_set & {*_STATUSES}
        given = self.model_fields_set - ({"goal", "fill"} if short else set())
        if len(given) != 1 or (self.role == "" and not short):
            raise ValueError("a turn has one key: agent, user or programs (or drafting, final, abandoned)")
        return self

    @property
    def role(self) -> str:
        """Its key."""
        return next((name for name in ("agent", "user", "programs") if getattr(self, name) is not None), "")

    @property
    def turn(self) -> Turn:
        """It, as a turn."""
        if self.user is not None:
            return UserTurn(text=self.user)
        return AgentTurn(text=self.agent, acts=tuple(one.act for one in self.programs or ()))

    def in_full(self, stacked: Sequence[Stacked]) -> WrittenTurn:
        """It with its program as one of `programs`, which are written on top of these. Raises ValueError."""
        status: Status | None = next((one for one in _STATUSES if one in self.model_fields_set), None)
        if status is None:
            return self
        at_work = next((one.goal for one in stacked if one.status == "drafting"), str(len(stacked) + 1))
        goal, code = str(self.goal or at_work), getattr(self, status) or ""
        if self.fill:
            code = code or next((one.code for one in stacked if one.goal == goal), "")
        for number, value in self.fill.items():
            text = json.dumps(value, ensure_ascii=False)
            code, often = re.subn(rf"\?{number}\b", lambda _, text=text: text, code)
            if not often:
                raise ValueError(f"the draft of goal {goal} has no ?{number} to be filled")
        program = WrittenProgram(goal=goal, status=status, code=code)
        return WrittenTurn.model_validate({"programs": (program,)})


class Written(Noun):
    """A dialogue as it is written, every program in full."""

    id: str = Field(min_length=1)
    goal: str
    turns: tuple[WrittenTurn, ...] = Field(min_length=2)

    @field_validator("turns")
    @classmethod
    def _in_full(cls, turns: tuple[WrittenTurn, ...]) -> tuple[WrittenTurn, ...]:
        stacked, found = tuple[Stacked, ...](), list[WrittenTurn]()
        for turn in turns:
            found.append(turn.in_full(stacked))
            for program in found[-1].programs or ():
                with suppress(StackError):  # `problems` says so
                    stacked = put(stacked, program.act)
        return tuple(found)


def problems(written: Written) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """(place, what) of everything that is wrong."""
    before, stacked = "", tuple[Stacked, ...]()
    for at, turn in enumerate(written.turns):
        if turn.role not in _AFTER[before]:
            yield ("turns", at), f"{turn.role} cannot follow {before or 'nothing'}"
        before = turn.role
        for slot, program in enumerate(turn.programs or ()):
            try:
                stacked = put(stacked, program.act)
            except StackError as error:
                yield ("turns", at, "programs", slot), f"goal {error.goal} {error.what}"
    if before in ("user", "programs"):
        yield ("turns", len(written.turns) - 1), "the last user's turn is not answered"


def dialogue_of(written: Written, world: Setting = _S3) -> Dialogue:
    """The dialogue, every program whole. Raises StackError."""
    turns = completed(one.turn for one in written.turns)
    return Dialogue(id=written.id, world=world, turns=turns, origin={"line": "programs", "goal": written.goal})
