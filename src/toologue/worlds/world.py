"""Kinds of worlds: how one is made for a case, what it documents, and how its outcomes compare.

A registered world is a `Kind`. `make(case)` gives a fresh world; `fields` says per table (the part of its name before
the first `/`) how the fields of its rows compare; `missing` says what a call did not find of all that the expected one
found, and None where arguments shall be compared one by one; `counted` gives the arguments of a call as they count in
that comparison; `data_key` names the content of the files that a world reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from toologue import registry
from toologue.errors import BadFile, BadRecord, BadSetting, shown
from toologue.loop import World
from toologue.schema import Act, Api, Case, Compare, Dialogue, Fault, Invocation, Mismatch, Result, Setting
from toologue.schema.jsonl import json_path

# (predicted, gold) → what the gold call found and the predicted one did not; None: compare their arguments.
Missing = Callable[[Invocation, Invocation], Sequence[Mismatch] | None]
M = TypeVar("M", bound=BaseModel)


def _arguments(invocation: Invocation) -> Mapping[str, JsonValue]:
    return (invocation.act.arguments or {}) if invocation.act.kind == "call" else {}


@dataclass(frozen=True)
class Kind:
    """A registered kind of world."""

    make: Callable[[Case], World]
    documents: Callable[[], Sequence[Api]] = tuple[Api, ...]
    fields: Mapping[str, Mapping[str, Compare]] = field(default_factory=dict[str, Mapping[str, Compare]])
    missing: Missing = lambda predicted, gold: None
    counted: Callable[[Invocation], Mapping[str, JsonValue]] = _arguments
    data_key: Callable[[Setting], str] = lambda setting: ""
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
    """The kind of world that a name stands for."""
    return cast("Kind", registry.find("world", name))


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
