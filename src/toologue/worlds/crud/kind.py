"""The registered world `crud`: which files a setting names, and how calls and outcomes of their service compare.

    {"name": "crud", "arguments": {"document": "shop.yaml", "seed": "shop.seed.yaml", "now": "2025-03-12T09:30:00Z"}}

Contract: `document` is a file, or the name of a service that ships; `seed`, `now` and `only` (a list of operations) may
be absent. Files are read once, and again when they change. A list is as good as the expected one if it holds all the
rows that this one has; texts that the service makes up (tracking numbers) never count in outcomes. Overrides are code,
and code never comes from data: give them to `kind_for`, and register what it returns.

Example:
    >>> from toologue.schema import Setting
    >>> kind = kind_for(Setting(name="crud", arguments={"document": "shop"}))
    >>> kind.by_name["cancel_order"].writes, kind.fields["tickets"], kind.fields["shipments"]["tracking_number"]
    (True, {'summary': 'prose', 'created_at': 'moment'}, 'ignored')

Not covered: documents at addresses; download them first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from toologue import keys
from toologue.apis.parameters import compare_of
from toologue.apis.schemas import object_of
from toologue.data import complaint
from toologue.errors import BadFile, BadSetting
from toologue.schema import Case, Compare, Invocation, Mismatch, Setting
from toologue.values.compare import contains
from toologue.worlds.crud.simulator import Crud, Override, Simulator, files_of
from toologue.worlds.crud.tables import page_words
from toologue.worlds.world import Kind


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    document: str
    seed: str | None = None
    now: str | None = None
    only: tuple[str, ...] | None = None


def simulator_for(setting: Setting) -> Simulator:
    """The simulator of a setting's files; equal settings share one as long as the files are the same."""
    said = _arguments(setting)
    return _simulator(said.model_dump_json(), tuple(_stamp(file) for file in _files(said)))


def kind_for(setting: Setting, overrides: Mapping[str, Override] | None = None) -> Kind:
    """The kind of world that one service is: its documents, how its fields and its lists compare.

    Any case of this kind gets this service, whatever its own setting says.
    """
    if not overrides:
        return _shared(setting.model_dump_json(), simulator_for(setting))
    said = _arguments(setting)
    return _kind(setting, Simulator(said.document, said.seed, now=said.now, only=said.only, overrides=overrides))


@lru_cache(maxsize=32)
def _shared(setting: str, simulator: Simulator) -> Kind:
    return _kind(Setting.model_validate_json(setting), simulator)


def _kind(setting: Setting, simulator: Simulator) -> Kind:
    return Kind(
        make=lambda case: simulator.world(),
        documents=lambda: simulator.apis,
        fields=_fields(simulator),
        equivalent=equivalent,
        data_key=lambda _: data_key(setting),
    )


def data_key(setting: Setting) -> str:
    """16 hex digits that name the content of the files that a setting names."""
    files = _files(_arguments(setting))
    for file in files:
        _stamp(file)
    return keys.content_key([keys.file_key(file) for file in files])


def equivalent(predicted: Invocation, gold: Invocation) -> Sequence[Mismatch] | None:
    """A list is as good as the expected one if it holds all of its rows; where it has none, the arguments decide."""
    wanted, found = _listed(gold.result.value), _listed(predicted.result.value)
    if not wanted or found is None or gold.result.changes or predicted.result.changes:
        return None
    missing: list[JsonValue] = [row for row in wanted if not contains(found, [row])]
    return [Mismatch(field="result", expected=missing, actual=found, why="not all was found")] if missing else []


def _make(case: Case) -> Crud:
    return simulator_for(case.world).world()


CRUD = Kind(make=_make, equivalent=equivalent, data_key=data_key, at=kind_for)


def _arguments(setting: Setting) -> _Arguments:
    try:
        return _Arguments.model_validate(setting.arguments)
    except ValidationError as error:
        place, what = complaint(error)
        known = ", ".join(_Arguments.model_fields)
        raise BadSetting(f"the world 'crud', {'.'.join(map(str, place))}: {what}; it takes {known}") from None


def _files(said: _Arguments) -> list[Path]:
    return [file for file in files_of(said.document, said.seed) if file is not None]


def _stamp(file: Path) -> tuple[int, int]:
    """What changes when a file does."""
    try:
        found = file.stat()
    except OSError as error:
        raise BadFile(f"cannot read {file}: {error.strerror or error}") from None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=32)
def _simulator(arguments: str, stamps: tuple[tuple[int, int], ...]) -> Simulator:
    said = _Arguments.model_validate_json(arguments)
    return Simulator(said.document, said.seed, now=said.now, only=said.only)


def _fields(simulator: Simulator) -> dict[str, dict[str, Compare]]:
    """How the fields of rows compare, those that do so exactly left out."""
    made: dict[str, dict[str, Compare]] = {}
    for name, table in simulator.tables.items():
        invented = simulator.makers[name].invented
        found: dict[str, Compare] = {
            field: "ignored" if field in invented else compare_of(rule, field, root=table.root)
            for field, rule in table.fields.items()
        }
        made[name] = {field: compare for field, compare in found.items() if compare != "exact"}
    return made


def _listed(value: Any) -> list[JsonValue] | None:
    """The rows of a list, alone or beside what is said of the page."""
    if isinstance(value, list):
        return cast("list[JsonValue]", value)
    members = object_of(value)
    lists = [name for name, part in members.items() if isinstance(part, list)]
    alone = len(lists) == 1 and all(page_words(name) for name in members if name not in lists)
    return members[lists[0]] if alone else None
