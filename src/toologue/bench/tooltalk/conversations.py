"""The starter set: conversations of our own, written as YAML, their results made by execution.

A file is one conversation; `user`, `call` (with `with`) and `agent` entries follow each other as they are spoken:

    id: wake-me                     # = the file's stem
    split: easy                     # easy (one call) or hard
    scenario: One sentence.
    now: "2025-03-10 09:00:00"
    location: Lisbon
    user: mreyes                    # a username, or a mapping for somebody who has no account yet
    logged_in: true
    verification_code: "120943"     # optional: one that was sent before the conversation starts
    turns:
    - user: wake me at 6
    - call: AddAlarm
      with: {time: "06:00:00"}
    - agent: Your alarm is set for 6:00.

Example:
    >>> len(starter()) >= 10
    True

Not covered: parallel calls; each call is a turn of its own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from toologue.errors import BadFile, BadRecord, shown
from toologue.schema import AgentTurn, Call, Dialogue, Setting, Turn, UserTurn
from toologue.schema.jsonl import json_path


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Said(_Strict):
    user: str


class _Called(_Strict):
    call: str
    arguments: dict[str, JsonValue] = Field(alias="with")


class _Answered(_Strict):
    agent: str


class _File(_Strict):
    id: str
    split: Literal["easy", "hard"]
    scenario: str
    now: str
    location: str
    user: str | dict[str, str]
    logged_in: bool
    verification_code: str | None = None
    turns: tuple[_Said | _Called | _Answered, ...]


def read_yaml(file: Path, databases: str = "starter") -> Dialogue:
    """One conversation as a dialogue, without results: `run.cases.grounded` makes them."""
    try:
        data: Any = yaml.load(file.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if not isinstance(data, dict):
            raise BadRecord(file, 0, "$", f"expected keys and values (id, turns, ...), got {shown(data)}")
        written = _File.model_validate(data)
    except OSError as error:
        raise BadFile(f"cannot read {file}: {error.strerror or error}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error)
        raise BadRecord(file, mark.line + 1 if mark else 0, "$", what, "quote texts that hold a colon") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BadRecord(file, 0, json_path(first["loc"]), f"{first['msg']}, got {shown(first['input'])}") from None
    if written.id != file.stem:
        raise BadRecord(file, 0, "$.id", f"{written.id!r} is not the file's name")
    known = written.user if isinstance(written.user, str) else None
    facts: dict[str, JsonValue] = {"now": written.now, "location": written.location}
    arguments: dict[str, JsonValue] = {"databases": databases, "user": known, "now": written.now}
    if written.logged_in:
        facts["username"] = known
    if written.verification_code is not None:
        arguments["verification_code"] = written.verification_code
    return Dialogue(
        id=written.id,
        facts=facts,
        world=Setting(name="assistant", arguments=arguments | {"logged_in": written.logged_in}),
        turns=tuple(_turn(entry) for entry in written.turns),
        origin={"line": "tools", "benchmark": "starter", "split": written.split, "scenario": written.scenario},
    )


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
