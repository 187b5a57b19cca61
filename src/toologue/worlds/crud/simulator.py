"""A service simulated from its OpenAPI document: a world with state, how to make many equal ones, and the kind `crud`.

    {"name": "crud", "arguments": {"document": "shop.yaml", "seed": "shop.seed.yaml", "now": "2025-03-12T09:30:00Z"}}

`Simulator` reads document and seed once; each `Crud` is a fresh world over the same rows. An operation that cannot be
simulated with state is answered as the world `documented` does; `Simulator.answers` says which, and why. An override is
a Python function for one operation, `(view, arguments) → value`, of checked arguments; it refuses by raising
`Refusal(status, message)`. Overrides are code, and code never comes from data: give them to `kind_for`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache, lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue, ValidationError

from toologue import keys
from toologue.apis.bundle import bundled
from toologue.apis.choice import Choice, Picked
from toologue.apis.left_out import Unread
from toologue.apis.openapi import OpenApi, Operation, openapi_of
from toologue.apis.schemas import compare_of, list_of, object_of
from toologue.data import Source, complaint, read_source, text_of
from toologue.errors import BadSetting, UnknownName
from toologue.schema import Act, Api, Compare, Invocation, Mismatch, Parameter, Result, Setting
from toologue.schema.jsonl import Noun
from toologue.values.compare import contains
from toologue.values.json_schema import resolved
from toologue.worlds.crud.answers import hides, shown
from toologue.worlds.crud.calls import as_resources
from toologue.worlds.crud.data import Data, Refusal, View, fault_type, moment_in, read_seed
from toologue.worlds.crud.envelopes import page_words
from toologue.worlds.crud.operations import Handler, arguments_check, handler_of
from toologue.worlds.crud.overlay import SAID, overlaid
from toologue.worlds.crud.rows import maker_of
from toologue.worlds.crud.tables import tables_of
from toologue.worlds.documented.simulator import Documented
from toologue.worlds.store import Row, Stateful, Store, own
from toologue.worlds.world import Kind, arguments_of, failure, stamp

Override = Callable[[View, dict[str, Any]], Any]
_DONE = Result()
_SAID = frozenset(("x-action", "x-resource", SAID))
_HERE = Path(__file__).parent


@cache
def shipped() -> tuple[str, ...]:
    """The names of the services that ship: the folders beside this file that hold an openapi.yaml."""
    return tuple(sorted(document.parent.name for document in _HERE.glob("*/openapi.yaml")))


def files_of(document: str | Path, seed: str | Path | None = None) -> tuple[Path, Path | None]:
    """(document, seed) as files; the name of a shipped service stands for both."""
    found, known = Path(document), shipped()
    if str(document) in known:
        return _HERE / found / "openapi.yaml", _HERE / found / "seed.yaml" if seed is None else Path(seed)
    if re.fullmatch(r"\w+", str(document)) and not found.exists():
        raise UnknownName("service that ships, and no file,", str(document), known)
    return found, None if seed is None else Path(seed)


class Answers(NamedTuple):
    """Who answers an operation: rows (`state`), its documentation (`documented`), nobody (`none`); and why."""

    by: Literal["state", "documented", "none"]
    why: str = ""


class Simulator:
    """A document with its seed, read and understood. Raises BadFile, BadRecord, BadSetting.

    `document`: a file, the name of a shipped service, or the document itself; `seed`: a file or the tables themselves;
    `overlay`: a file, or itself, of what the document does not say (`worlds.crud.overlay`);
    `now`: when it is, if the seed does not say so; `only`: the operations to simulate; the same by globs is a
    `choice`; `overrides`: operation → function.
    """

    def __init__(
        self,
        document: str | Path | Mapping[str, Any],
        seed: str | Path | Mapping[str, Any] | None = None,
        *,
        overlay: str | Path | Mapping[str, Any] | None = None,
        now: str | None = None,
        only: Collection[str] | None = None,
        choice: Choice | None = None,
        overrides: Mapping[str, Override] | None = None,
    ):
        if not isinstance(document, Mapping):
            document, beside = files_of(document)
            seed = beside if seed is None else seed
        only = (only,) if isinstance(only, str) else only
        source = _source(document, "<document>")
        if overlay is not None:
            source = overlaid(source, _source(overlay, "<overlay>"))
        read = openapi_of(source, Choice(strict=choice.strict) if choice else None)
        if choice is not None and only is None:  # tables are those of the whole document
            only = _picked(read, choice)
        self._places = {operation.api.name: operation.place for operation in read.operations}
        self.document = replace(read, operations=tuple(as_resources(read.operations)))
        self.overrides = dict(overrides or {})
        self.operations = _chosen(self.document, only, self.overrides)
        self.tables, self.routes = tables_of(self.document)
        self.handlers: dict[str, Handler] = {}
        self.answers = self._answered()
        self.checks = {name: arguments_check(self.operations[name]) for name in self.overrides}
        self.apis = tuple(map(self._formed, self.operations.values()))
        self.documented = Documented(self.apis)
        root = self.document.root
        self.hides = any(table.is_open for table in self.tables.values()) or hides(root, root)
        beside = self.document.source.part("x-seed") if "x-seed" in root else Source("<seed>", {})
        self._begin(beside if seed is None else seed, now)

    def _begin(self, seed: str | Path | Mapping[str, Any] | Source, now: str | None) -> None:
        now = None if now is None else moment_in(now, Source("<now>", None))
        self.seed, self.now = read_seed(_source(seed, "<seed>"), self.tables, now)
        self.makers = {
            name: maker_of(table, [row[table.key] for row in self.seed.get(name, {}).values()])
            for name, table in self.tables.items()
        }

    def known(self) -> Mapping[str, Mapping[str, Row]]:
        """The rows of the seed as people know them."""
        if not self.hides:
            return self.seed
        rules = {name: ({"properties": self.tables[name].fields}, self.tables[name].root) for name in self.seed}
        return {name: {key: shown(row, *rules[name]) for key, row in rows.items()} for name, rows in self.seed.items()}

    def seeded(self, seed: str | Path | Mapping[str, Any], *, now: str | None = None) -> Simulator:
        """The same service with other rows."""
        made = copy(self)
        made._begin(seed, now)
        return made

    def names(self, operation: str) -> dict[str, tuple[str, str]]:
        """Which parameters of an operation name rows, whatever they are called: parameter → table, field of its key."""
        handler = self.handlers.get(operation)
        if handler is None:
            return {}
        found = {step.parameter: step.table.name for step in handler.steps}
        about = handler.added or (handler.row.table if handler.row else None)
        for flat, wire in self.operations[operation].wires.items() if about else ():
            other = about.refers.get(about.field(wire.name) or "") if about and wire.into == "body" else None
            found |= {flat: other} if other and flat not in found else {}
        return {flat: (name, self.tables[name].key) for flat, name in found.items()}

    def _formed(self, operation: Operation) -> Api:
        """The document of an operation, with what its refusals mean.

        What names a row has the form of that row's key, where it says none itself.
        """
        api, made = operation.api, dict[str, Parameter]()
        for flat, (name, key) in self.names(api.name).items():
            parameter, pattern = api.parameters[flat], self.tables[name].rule(key).get("pattern")
            said = parameter.json_schema
            if pattern and said.get("type") == "string" and not {"pattern", "format", "enum", "const"} & said.keys():
                made[flat] = parameter.replace(json_schema={**said, "pattern": pattern})
        known = {str(int(one)) for one in HTTPStatus if 400 <= one < 500} - {"401", "429"}
        failures = {fault_type(int(code)): said for code, said in operation.faults.items() if said and code in known}
        return api.replace(parameters={**api.parameters, **made}, failures=failures)

    def _answered(self) -> dict[str, Answers]:
        """How each operation is answered. What the document says of it under `x-…` is to be understood."""
        made, unread, source = (
            dict.fromkeys(self.operations, Answers("state")),
            dict[str, Unread](),
            self.document.source,
        )
        for name in (name for name in self.operations if name not in self.overrides):
            operation, route = self.operations[name], self.routes.get(name)
            try:
                self.handlers[name], ignored = handler_of(operation, self.tables, route, self.document)
            except Unread as wrong:
                said = (operation.extensions, *(wire.extensions for wire in operation.wires.values()))
                place, given = tuple(wrong.place), operation.place
                wrong.place = (*self._places[name], *place[3:]) if place[:3] == given else place
                if _SAID & said[0].keys() or any("x-filter" in one for one in said[1:]):
                    raise source.bad(wrong.place, wrong.what, wrong.remedy) from None
                unread[name] = wrong
            else:
                made[name] = Answers("state", f"ignored, as no field is called so: {ignored}" if ignored else "")
        errors = source.all_bad([(one.place, one.what, one.remedy) for one in unread.values()])
        return made | {name: Answers("documented", str(error)) for name, error in zip(unread, errors, strict=True)}

    def world(self) -> Crud:
        """A fresh world."""
        return Crud(self)


class Crud(Stateful):
    """One simulated service. Made by `Simulator.world`."""

    def __init__(self, simulator: Simulator):
        self._simulator = simulator
        self._data = Data(simulator.makers, Store(simulator.seed), simulator.now)
        super().__init__(self._data.store)

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of the operations."""
        return self._simulator.apis

    def do(self, act: Act) -> Result:
        """Execute a call. An override that raises anything but a Refusal raises it here; nothing it wrote stays."""
        if act.kind != "call":
            return failure("unsupported", f"this service has no {act.kind} acts")
        operations = self._simulator.operations
        if act.api not in operations:
            return failure("unknown_api", str(UnknownName("operation", act.api, operations)))
        if act.arguments is None:
            return failure("parse", "the arguments are no JSON object")
        if self._simulator.answers[act.api].by == "documented":
            return self._simulator.documented.do(act)
        before = self._store.mark()
        try:
            value = self._answer(act.api, act.arguments)
            changes, created = self._store.take()
            if changes and not operations[act.api].api.writes:
                raise BadSetting(f"{act.api} only reads, and its override writes to {', '.join(changes)}")
        except Refusal as refusal:
            self._store.rewind(before)
            return Result(error=refusal.fault)
        except BaseException:
            self._store.rewind(before)
            raise
        return _DONE.replace(value=value, changes=own(changes), created=created)

    def _answer(self, name: str, arguments: Mapping[str, Any]) -> JsonValue:
        override = self._simulator.overrides.get(name)
        if override is None:
            value, root = self._simulator.handlers[name](self._data, arguments), self._simulator.document.root
            schema = self._simulator.operations[name].response
            return shown(value, schema, root) if self._simulator.hides else own(value)
        value = override(View(self._data), own(self._simulator.checks[name](arguments)))
        try:
            return Result(value=value).value  # copied
        except ValidationError as error:
            raise BadSetting(f"the override of {name} gives what is no JSON: {complaint(error)[1]}") from None

    def rows(self, table: str) -> dict[str, Row]:
        """The rows of a table as they are now, by key; nobody may write to them."""
        return self._store.rows(self._data.table(table).name)


def _source(given: str | Path | Mapping[str, Any] | Source, name: str) -> Source:
    if isinstance(given, Source):
        return given
    return read_source(given) if isinstance(given, str | Path) else Source(name, own(given))


def _picked(read: OpenApi, choice: Choice) -> list[str]:
    """The names of the operations that are chosen. Raises BadSetting for a glob that fits nothing."""
    picked, paths = Picked(choice), object_of(read.root.get("paths"))

    def takes(name: str, path: str, method: str) -> bool:
        rules = object_of((resolved(paths.get(path), read.root) or {}).get(method))
        return picked.takes(name, [tag for tag in list_of(rules.get("tags")) if isinstance(tag, str)])

    found = [one.api.name for one in read.operations if takes(one.api.name, one.path, one.method)]
    for one in read.left_out:
        takes(one.name, one.path, one.method)
    picked.missed(read.source.file)
    return found


def _chosen(document: OpenApi, only: Collection[str] | None, overrides: Mapping[str, Override]) -> dict[str, Operation]:
    known = {operation.api.name: operation for operation in document.operations}
    for name in (*(only or ()), *overrides):
        if name not in known:
            raise UnknownName(f"operation of {document.source.file}", name, known)
    return {name: operation for name, operation in known.items() if only is None or name in only}


class _Arguments(Noun):
    document: str
    seed: str | None = None
    now: str | None = None
    only: tuple[str, ...] | None = None
    choice: Choice | None = None
    overlay: str | None = None


def simulator_for(setting: Setting) -> Simulator:
    """The simulator of a setting's files; equal settings share one as long as the files are the same."""
    return _opened(*_stamped(setting))[0]


def kind_for(setting: Setting, overrides: Mapping[str, Override] | None = None) -> Kind:
    """The kind of world that one service is. Any case of it gets this service, whatever its own setting says."""
    if not overrides:
        return _opened(*_stamped(setting))[1]
    said = arguments_of(setting, _Arguments)
    return _kind(said, Simulator(**dict(said), overrides=overrides))


def _stamped(setting: Setting) -> tuple[str, tuple[tuple[int, int], ...]]:
    said = arguments_of(setting, _Arguments)
    return said.model_dump_json(), tuple(map(stamp, _files(said)))


@lru_cache(maxsize=32)
def _opened(arguments: str, stamps: tuple[tuple[int, int], ...]) -> tuple[Simulator, Kind]:
    said = _Arguments.model_validate_json(arguments)
    simulator = Simulator(**dict(said))
    return simulator, _kind(said, simulator)


def _kind(said: _Arguments, simulator: Simulator) -> Kind:
    return Kind(
        make=lambda case: simulator.world(),
        documents=lambda: simulator.apis,
        rows=cache(simulator.known),
        now=simulator.now,
        fields=_fields(simulator),
        missing=missing,
        data_key=lambda _: _data_key(said),
        names=simulator.names,
    )


def _data_key(said: _Arguments) -> str:
    files = _files(said)
    for file in files:
        stamp(file)  # says so where it cannot be read
    return keys.content_key([keys.file_key(file) for file in files])


def missing(predicted: Invocation, gold: Invocation) -> Sequence[Mismatch] | None:
    """A list is as good as the expected one if it holds all of its rows; where it has none, the arguments decide."""
    wanted, found = _listed(gold.result.value), _listed(predicted.result.value)
    if not wanted or found is None or gold.result.changes or predicted.result.changes:
        return None
    unfound: list[JsonValue] = [row for row in wanted if not contains(found, [row])]
    return [Mismatch(field="result", expected=unfound, actual=found, why="not all was found")] if unfound else []


CRUD = Kind(
    make=lambda case: simulator_for(case.world).world(),
    missing=missing,
    data_key=lambda setting: _data_key(arguments_of(setting, _Arguments)),
    at=kind_for,
)


def _files(given: _Arguments) -> list[Path]:
    """The files of a setting, with those that its document takes in."""
    document, seed = files_of(given.document, given.seed)
    overlay = None if given.overlay is None else Path(given.overlay)
    return [*_taken_in(document), *(file for file in (seed, overlay) if file is not None)]


_ELSEWHERE = re.compile(r"\$ref[\"']?\s*:\s*[\"']?[^#\"'\s]")
_PARTS: dict[Path, tuple[tuple[Any, ...], tuple[Path, ...]]] = {}


def _taken_in(document: Path) -> tuple[Path, ...]:
    """A document and the files that it takes in, found again when one of them changes."""
    stamps, files = _PARTS.get(document, ((), (document,)))
    if stamps != tuple(map(stamp, files)):
        more = bundled(read_source(document)).files if _ELSEWHERE.search(text_of(document)) else ()
        files = (document, *sorted(file for file in more if file != document.resolve()))
        _PARTS[document] = tuple(map(stamp, files)), files
    return files


def _fields(simulator: Simulator) -> dict[str, dict[str, Compare]]:
    made: dict[str, dict[str, Compare]] = {}
    for name, table in simulator.tables.items():
        compares: dict[str, Compare] = {
            field: compare_of(rule, field, root=table.root) for field, rule in table.fields.items()
        }
        compares |= dict.fromkeys(simulator.makers[name].invented, "ignored")
        made[name] = {field: compare for field, compare in compares.items() if compare != "exact"}
    return made


def _listed(value: Any) -> list[JsonValue] | None:
    if isinstance(value, list):
        return list_of(value)
    members = object_of(value)
    lists = [name for name, part in members.items() if isinstance(part, list)]
    alone = len(lists) == 1 and all(page_words(name) for name in members if name not in lists)
    return members[lists[0]] if alone else None
