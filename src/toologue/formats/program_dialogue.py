"""Dialogues with programs as we write them, in YAML.

id: empty-the-attic-1
goal: empty-the-attic             # which goal, of those that dialogues are written for
turns:
- agent: How can I help you?
- user: Delete my bucket.
- programs:                       # may be absent; several run in order
  - {goal: 1, status: drafting, code: 's3.delete_bucket(Bucket=?1)'}
- agent: What is it called?       # every user's turn is answered in words
- user: attic
- programs:
  - {goal: 1, status: final, code: 's3.delete_bucket(Bucket="attic")'}     # without code: the draft as it stands
- agent: The bucket attic is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field, model_validator

from toologue.errors import StackError
from toologue.schema import AgentTurn, Dialogue, Program, Setting, Turn, UserTurn
from toologue.schema.jsonl import Noun
from toologue.schema.stack import Stacked, completed, put

_S3 = Setting(name="s3")
_AFTER = {"": ("agent", "user"), "agent": ("user",), "user": ("agent", "programs"), "programs": ("agent",)}


class WrittenProgram(Noun):
    """A program of a turn."""

    goal: int | str
    status: Literal["drafting", "final", "abandoned"]
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

    @model_validator(mode="after")
    def _one(self) -> WrittenTurn:
        if len(self.model_fields_set) != 1 or self.role == "":
            raise ValueError("a turn has one key: agent, user or programs")
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


class Written(Noun):
    """A dialogue as it is written."""

    id: str = Field(min_length=1)
    goal: str
    turns: tuple[WrittenTurn, ...] = Field(min_length=2)


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
