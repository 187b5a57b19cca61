"""Kinds of worlds: how one is made for a case, what it documents, and how its outcomes compare.

A registered world is a `Kind`. `make(case)` gives a fresh world; `rows()` are those of its start, which customers can
name, and `now` is when it is; `fields` says per table (the part of its name before the first `/`) how the fields of its
rows compare; `missing` says what a call did not find of all that the expected one found, and None where arguments shall
be compared one by one; `counted` gives the arguments of a call as they count in that comparison; `data_key` names the
content of the files that a world reads.

A class of one's own, registered or named `module:Class`, is a kind as well. It is made with the arguments of the
setting, has what the loop's `World` asks for, and may have `rows`, `now`, `fields`, `missing` and `counted`. It is
code, and code never comes from data: only a name that a person gave (`allow`, `TOOLOGUE_WORLDS`) is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from toologue import keys, registry
from toologue.errors import BadFile, BadRecord, BadSetting, UserError, shown, summary
from toologue.loop import World
from toologue.schema import Act, Api, Case, Compare, Dialogue, Fault, Invocation, Mismatch, Result, Setting
from toologue.schema.jsonl import json_path

# (predicted, gold) → what the gold call found and the predicted one did not; None: compare their arguments.
Missing = Callable[[Invocation, Invocation], Sequence[Mismatch] | None]
M = TypeVar("M", bound=BaseModel)
_ALLOWED = "TOOLOGUE_WORLDS"


def _arguments(invocation: Invocation) -> Mapping[str, JsonValue]:
    return (invocation.act.arguments or {}) if invocation.act.kind == "call" else {}


@dataclass(frozen=True)
class Kind:
    """A registered kind of world."""

    make: Callable[[Case], World]
    documents: Callable[[], Sequence[Api]] = tuple[Api, ...]
    rows: Callable[[], Mapping[str, Mapping[str, Mapping[str, Any]]]] = dict[str, Mapping[str, Mapping[str, Any]]]
    now: str | None = None
    fields: Mapping[str, Mapping[str, Compare]] = field(default_factory=dict[str, Mapping[str, Compare]])
    missing: Missing = lambda predicted, gold: None
    counted: Callable[[Invocation], Mapping[str, JsonValue]] = _arguments
    data_key: Callable[[Setting], str] = lambda setting: ""
    # Api → its parameters that name rows, whatever they are called: the table, and the field of its key.
    names: Callable[[str], Mapping[str, tuple[str, str]]] = lambda api: {}
    # Api → the fields of its answers that the world made up, as no argument, default or rule says what they are.
    made_up: Callable[[str], Collection[str]] = lambda api: ()
    # What programs see otherwise than the documents say, and what is usual in them.
    conventions: str = ""
    # The kind that a setting makes of this one, where documents and fields depend on its arguments.
    at: Callable[[Setting], Kind] | None = None

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of what can be called in any world of this kind."""
        return self.documents()

    @cached_property
    def by_name(self) -> Mapping[str, Api]:
        """The documents by name."""
        return {api.name: api for api in self.apis}


def kind_of(name: str) -> Kind:
    """The kind of world that a name stands for: a registered one, or `module:Class`, if a person allowed it."""
    if ":" in name and name not in _allowed():
        what = f"the world {name!r} is code, which is not run because a file names it"
        raise BadSetting(f"{what}; if it is yours: export {_ALLOWED}={','.join([*_allowed(), name])}")
    found = registry.load(name) if ":" in name else registry.find("world", name)
    if isinstance(found, Kind):
        return found
    if not callable(found):
        raise BadSetting(f"{name!r} makes no world: it is {shown(found)}; name a class (docs/your-api.md)")
    return _own(name, found)


def facts_in(setting: Setting, facts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The facts of a conversation there, with the conventions for programs."""
    usual, said = kind_at(setting).conventions, facts.get("programs")
    told: dict[str, JsonValue] = {**(said if isinstance(said, dict) else {}), "conventions": usual}
    return {**facts, "programs": told} if usual else dict(facts)


def allow(name: str) -> None:
    """Let files name the world `module:Class`, in this process and in those that it starts."""
    os.environ[_ALLOWED] = ",".join(dict.fromkeys([*_allowed(), name]))


def _allowed() -> list[str]:
    return list(filter(None, os.environ.get(_ALLOWED, "").split(",")))


def kind_at(setting: Setting) -> Kind:
    """The kind of world that a setting stands for, with the documents and fields that its arguments name."""
    kind = kind_of(setting.name)
    return kind if kind.at is None else kind.at(setting)


def make_world(case: Case) -> World:
    """A fresh world for a case. Wrong arguments are the dialogue's fault and say so."""
    try:
        return kind_of(case.world.name).make(case)
    except (TypeError, ValueError) as error:
        raise BadSetting(f"dialogue {case.id!r}: the world {case.world.name!r} cannot be made: {error}") from None


@cache
def _own(name: str, made_by: Callable[..., World]) -> Kind:
    """The kind that a class is; what else there is to say of it, a world of each setting says."""

    def make(setting: Setting) -> World:
        try:
            world = made_by(**setting.arguments)
        except UserError:
            raise
        except Exception as error:  # a declared boundary: code of others
            what = f"{': '.join(summary(error))}, of the arguments {shown(setting.arguments)}"
            raise BadSetting(f"the world {name!r} cannot be made: {what}") from error
        if lacking := [part for part in ("apis", "do", "mark", "rewind") if not hasattr(world, part)]:
            raise BadSetting(f"{name!r} makes no world: {shown(world)} has no {', '.join(lacking)} (docs/your-api.md)")
        return world

    def data_key(setting: Setting) -> str:
        files = [str(sys.modules[made_by.__module__].__file__), *map(str, setting.arguments.values())]
        return keys.content_key([keys.file_key(Path(file)) for file in files if Path(file).is_file()])

    @cache
    def at(setting: str) -> Kind:
        world: Any = make(Setting.model_validate_json(setting))
        said = {part: getattr(world, part) for part in ("now", "fields", "missing", "counted") if hasattr(world, part)}
        rows: Any = getattr(world, "rows", {})
        if not hasattr(rows, "items") or not all(hasattr(one, "items") for one in rows.values()):
            remedy = "expected {table: {key: row}}; a method is no mapping, a property is"
            raise BadSetting(f"the world {name!r}: its rows are {shown(rows)}: {remedy}")
        return Kind(lambda case: make(case.world), lambda: world.apis, rows=lambda: rows, data_key=data_key, **said)

    return Kind(lambda case: make(case.world), data_key=data_key, at=lambda setting: at(setting.model_dump_json()))


def arguments_of(setting: Setting, model: type[M]) -> M:
    """The arguments of a setting, validated. Raises BadSetting that names the first wrong one and those there are."""
    try:
        return model.model_validate(setting.arguments)
    except ValidationError as error:
        from toologue.data import complaint

        place, what = complaint(error)
        known = ", ".join(model.model_fields)
        raise BadSetting(f"the world {setting.name!r}, {'.'.join(map(str, place))}: {what}; it takes {known}") from None


def stamp(file: Path | str) -> tuple[int, int]:
    """What changes when a file does. Raises BadFile where it cannot be read."""
    try:
        status = Path(file).stat()
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    return status.st_mtime_ns, status.st_size


def failure(kind: str, message: str) -> Result:
    """The result of an act that came to nothing."""
    return Result(error=Fault(type=kind, message=message))


class _Nothing:
    """No world: every act fails."""

    apis: Sequence[Api] = ()

    def do(self, act: Act) -> Result:
        return failure("no world", "this conversation has no world to execute acts in")

    def mark(self) -> None:
        return None

    def rewind(self, mark: None) -> None:
        return None


NONE = Kind(make=lambda case: _Nothing())


class Wrapped:
    """A world around another one: what it does not do itself, the one inside does; it has what that has beside it."""

    def __init__(self, world: Any):
        self._world = world

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of the world inside."""
        return self._world.apis

    def do(self, act: Act) -> Result:
        """Execute an act."""
        return self._world.do(act)

    def mark(self) -> Any:
        """The present state."""
        return self._world.mark()

    def rewind(self, mark: Any) -> None:
        """Return to a marked state."""
        self._world.rewind(mark)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._world, name)


@cache
def _documents() -> TypeAdapter[list[Api]]:
    return TypeAdapter(list[Api])


def documents_of(dialogue: Dialogue) -> Mapping[str, Api]:
    """The documents of a dialogue's Apis by name: those of its world, and those that it carries in `extra["apis"]`.

    Raises BadRecord where these are no documents.
    """
    known = kind_at(dialogue.world).by_name
    if not known:
        case = Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="recorded")
        known = {api.name: api for api in make_world(case).apis}
    carried = cast("list[Any] | None", dialogue.extra.get("apis"))
    if carried is None:
        return known
    try:
        return {**known, **{api.name: api for api in _documents().validate_python(carried)}}
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = f"$.extra.apis{json_path(first['loc'])[1:]}"
        what = f"{first['msg']}, got {shown(first['input'])}"
        raise BadRecord(f"dialogue {dialogue.id!r}", 0, place, what) from None


def documents_seen(dialogue: Dialogue) -> Mapping[str, Api]:
    """The same for graders: what a call was seen to change the world by writes, whatever its document says."""
    known = documents_of(dialogue)
    turns = (turn for turn in dialogue.turns if turn.role == "agent")
    done = (pair for turn in turns for pair in zip(turn.acts, turn.results, strict=False))
    seen = {act.api for act, result in done if act.kind == "call" and result is not None and result.changes}
    writing = {name: known[name].replace(writes=True) for name in seen & known.keys() if not known[name].writes}
    return {**known, **writing} if writing else known
