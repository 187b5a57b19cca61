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
from typing import Literal, NamedTuple

from pydantic import Field, JsonValue, ValidationError

from toologue.data import read_source, reason
from toologue.errors import BadFile, shown
from toologue.plan.scenarios.lint import lint
from toologue.run.runner import grounded
from toologue.schema import AgentTurn, Call, Dialogue, Invocation, Noun, Setting, Turn, UserTurn, invocations
from toologue.schema.jsonl import leaves, read
from toologue.worlds.world import kind_at


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


_FEW = {"calls": 4, "plugins": 3}
# Values of fewer characters turn up by chance.
_SHORT = 4


class Chained(NamedTuple):
    """An argument that only an earlier result could give."""

    api: str
    parameter: str
    value: str


class Review(NamedTuple):
    """A conversation, executed, with what there is to say about it. `remarks` is what should be looked at."""

    dialogue: Dialogue
    calls: tuple[Invocation, ...]
    plugins: tuple[str, ...]
    chained: tuple[Chained, ...]
    remarks: tuple[str, ...]


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


def reviews(dialogues: Iterable[Dialogue], known: Iterable[Dialogue] = ()) -> Iterator[Review]:
    """Each conversation executed and looked at, against each other and those that are `known`."""
    sequences = {sequence(grounded(dialogue)): dialogue.id for dialogue in known}
    for dialogue in map(grounded, dialogues):
        calls = tuple(invocations(dialogue.turns))
        apis = kind_at(dialogue.world).by_name
        names = [name for name in sequence(dialogue) if name in apis]
        plugins = tuple(dict.fromkeys(apis[name].domain for name in names))
        found, split = tuple(chained(dialogue)), dialogue.origin.get("split")
        other = sequences.setdefault(sequence(dialogue), dialogue.id)
        remarks = [f"the same calls in the same order as {other}"] if other != dialogue.id and len(calls) > 1 else []
        if split == "easy" and len(calls) != 1:
            remarks.append(f"easy, and {len(calls)} calls: an easy one has one")
        if split == "hard":
            counts = {"calls": len(calls), "plugins": len(plugins)}
            remarks += [f"hard, and only {n} {what}" for what, n in counts.items() if n < _FEW[what]]
            remarks += [] if found else ["no argument comes from an earlier result"]
        opening = next(turn.text for turn in dialogue.turns if turn.role == "user")
        remarks += [f"{f.rule}: {f.quote!r}: {f.why}; {f.remedy}" for f in lint(opening, apis.values())]
        yield Review(dialogue, calls, plugins, found, tuple(remarks))


def sequence(dialogue: Dialogue) -> tuple[str, ...]:
    """The names of what is called, in order."""
    made = (invocation.act for invocation in invocations(dialogue.turns))
    return tuple(act.api for act in made if act.kind == "call")


def chained(dialogue: Dialogue) -> Iterator[Chained]:
    """Arguments that stand in an earlier result, and that neither the user nor the facts have said."""
    said = " ".join(str(value).lower() for value in dialogue.facts.values())
    seen: set[str] = set()
    for turn in dialogue.turns:
        if turn.role == "user":
            said += f" {turn.text.lower()}"
            continue
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind == "call":
                for name, argument in (act.arguments or {}).items():
                    fresh = (value for value in _texts(argument) if value in seen and value.lower() not in said)
                    yield from (Chained(act.api, name, value) for value in fresh)
            if result is not None:
                seen.update(_texts(result.value))


def _texts(value: JsonValue) -> Iterator[str]:
    return (leaf for _, leaf in leaves(value) if isinstance(leaf, str) and len(leaf) >= _SHORT)
