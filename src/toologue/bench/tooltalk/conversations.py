"""The starter set: conversations of our own, written as YAML, their results made by execution.

A file is one conversation; `user`, `call` (with `with`) and `agent` entries follow each other as they are spoken:

    id: wake-me                     # the file's stem; may be left out
    split: easy                     # easy (one call) or hard
    scenario: One sentence.
    now: "2025-03-10 09:00:00"
    location: Lisbon
    user: mreyes                    # a username, or a mapping for somebody who has no account yet
    logged_in: true                 # the default
    verification_code: "120943"     # optional: one that was sent before the conversation starts
    turns:
    - user: wake me at 6
    - call: AddAlarm
      with: {time: "06:00:00"}
    - agent: Your alarm is set for 6:00.

Not covered: parallel calls; each call is a turn of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from toologue.data import read_source, reason
from toologue.errors import BadFile, shown
from toologue.schema import AgentTurn, Call, Dialogue, Noun, Setting, Turn, UserTurn
from toologue.schema.jsonl import read


class _Said(Noun):
    user: str


class _Called(Noun):
    call: str
    arguments: dict[str, JsonValue] = Field(alias="with")


class _Answered(Noun):
    agent: str


class _File(Noun):
    id: str = ""
    split: Literal["easy", "hard"]
    scenario: str
    now: str
    location: str
    user: str | dict[str, str]
    logged_in: bool = True
    verification_code: str | None = None
    turns: tuple[_Said | _Called | _Answered, ...]


def read_yaml(file: Path) -> Dialogue:
    """One conversation as a dialogue, without results: `run.runner.grounded` makes them. Raises BadFile, BadRecord."""
    source = read_source(file)
    data: object = source.data
    if not isinstance(data, dict):
        raise source.bad((), f"expected keys and values (id, turns, ...), got {shown(data)}")
    try:
        written = _File.model_validate(data)
    except ValidationError as error:
        raise source.refused(error, ()) from None
    if written.id not in ("", file.stem):
        raise source.bad(("id",), f"{written.id!r} is not the file's name")
    known = written.user if isinstance(written.user, str) else None
    facts: dict[str, JsonValue] = {"now": written.now, "location": written.location}
    arguments: dict[str, JsonValue] = {"databases": "starter", "user": known, "now": written.now}
    if written.logged_in:
        facts["username"] = known
    if written.verification_code is not None:
        arguments["verification_code"] = written.verification_code
    try:
        return Dialogue(
            id=file.stem,
            facts=facts,
            world=Setting(name="assistant", arguments=arguments | {"logged_in": written.logged_in}),
            turns=tuple(map(_turn, written.turns)),
            origin={"line": "tools", "benchmark": "starter", "split": written.split, "scenario": written.scenario},
        )
    except ValidationError as error:
        raise source.bad(("turns",), reason(error)) from None


@cache
def starter() -> tuple[Dialogue, ...]:
    """The starter set, easy ones first."""
    files = sorted((Path(__file__).parent / "conversations").glob("*.yaml"))
    return tuple(sorted(map(read_yaml, files), key=lambda dialogue: str(dialogue.origin["split"])))


def _turn(entry: _Said | _Called | _Answered) -> Turn:
    match entry:
        case _Said():
            return UserTurn(text=entry.user)
        case _Called():
            return AgentTurn(acts=(Call(api=entry.call, arguments=entry.arguments),))
        case _Answered():
            return AgentTurn(text=entry.agent)


def conversations_in(paths: Iterable[Path], read_file: Callable[[Path], Dialogue] = read_yaml) -> Iterator[Dialogue]:
    """The conversations of YAML files, of dialogues.jsonl files, and of folders of YAML files."""
    for path in paths:
        if path.is_dir():
            files = sorted(path.glob("*.yaml"))
            if not files:
                raise BadFile(f"{path} holds no conversation: expected *.yaml")
            yield from map(read_file, files)
        elif path.suffix == ".yaml":
            yield read_file(path)
        else:
            yield from read(path, Dialogue)
