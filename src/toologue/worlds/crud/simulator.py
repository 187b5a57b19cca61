"""A service simulated from its OpenAPI document: a world with state, how to make many equal ones, and the kind `crud`.

    {"name": "crud", "arguments": {"document": "shop.yaml", "seed": "shop.seed.yaml", "now": "2025-03-12T09:30:00Z"}}

`Simulator` reads document and seed once; each `Crud` is a fresh world over the same rows. An operation that cannot be
simulated with state is answered as the world `documented` does; `Simulator.answers` says which, and why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue

from toologue import keys
from toologue.apis.choice import Choice, Picked, Unread
from toologue.apis.openapi import OpenApi, Operation, openapi_of
from toologue.apis.schemas import compare_of, list_of, object_of
from toologue.data import Source, read_source
from toologue.errors import UnknownName
from toologue.schema import Act, Api, Compare, Invocation, Mismatch, Parameter, Result, Setting
from toologue.schema.jsonl import Noun
from toologue.values.compare import contains
from toologue.values.json_schema import resolved
from toologue.worlds.crud.data import Data, Refusal, fault_type, moment_in, read_seed
from toologue.worlds.crud.envelopes import page_words
from toologue.worlds.crud.lists import hides, visible
from toologue.worlds.crud.operations import Handler, handler_of
from toologue.worlds.crud.overlay import SAID, as_resources, overlaid
from toologue.worlds.crud.rows import maker_of
from toologue.worlds.crud.tables import tables_of
from toologue.worlds.documented.simulator import Documented
from toologue.worlds.store import Row, Stateful, Store, own
from toologue.worlds.world import Kind, arguments_of, failure, stamp

_DONE = Result()
_SAID = frozenset(("x-action", "x-resource", SAID))
_HERE = Path(__file__).parent
# Arguments of a setting → the files that its service was read from, as they were then, and what came of them.
_OPENED: dict[str, tuple[list[Path], list[tuple[int, int]], tuple[Simulator, Kind]]] = {}
_MOST = 32


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
    `now`: when it is, if the seed does not say so; `choice`: the operations to simulate.
    """

    def __init__(
        self,
        document: str | Path | Mapping[str, Any],
        seed: str | Path | Mapping[str, Any] | None = None,
        *,
        overlay: str | Path | Mapping[str, Any] | None = None,
        now: str | None = None,
        choice: Choice | None = None,
    ):
        if not isinstance(document, Mapping):
            document, beside = files_of(document)
            seed = beside if seed is None else seed
        source = _source(document, "<document>")
        if overlay is not None:
            source = overlaid(source, _source(overlay, "<overlay>"))
        read = openapi_of(source, Choice(strict=choice.strict) if choice else None)
        self._places = {operation.api.name: operation.place for operation in read.operations}
        self.document = replace(read, operations=tuple(as_resources(read.operations)))
        picked = None if choice is None else _picked(read, choice)  # tables are those of the whole document
        self.operations = {
            one.api.name: one for one in self.document.operations if picked is None or one.api.name in picked
        }
        self.tables, self.routes = tables_of(self.document)
        self.handlers: dict[str, Handler] = {}
        self.answers = self._answered()
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
        return {
            name: {key: visible(row, *rules[name]) for key, row in rows.items()} for name, rows in self.seed.items()
        }

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

    def made_up(self, operation: str) -> frozenset[str]:
        """The fields of a row that an operation adds, and of its answer, whose values nothing says: no argument, no
        default, no enum (its first), no rule, nor that they tell when it was done."""
        handler = self.handlers.get(operation)
        if handler is None or handler.added is None:
            return frozenset()
        table, said = handler.added, object_of(self.operations[operation].extensions.get("x-action"))
        given = {table.field(wire.name) for wire in self.operations[operation].wires.values()} | {table.key}
        given |= object_of(object_of(said.get("creates")).get(table.name)).keys() | object_of(said.get("sets")).keys()
        above = {name for other in table.refers.values() for name in self.tables[other].fields}
        given |= above.intersection(self.makers[table.name].common)
        return frozenset() if "returns" in said else self.makers[table.name].made_up - given

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
        for name, operation in self.operations.items():
            route = self.routes.get(name)
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
        """Execute a call. What is refused leaves no trace."""
        if act.kind != "call":
            return failure("unsupported", f"this service has no {act.kind} acts")
        simulator = self._simulator
        if act.api not in simulator.operations:
            return failure("unknown_api", str(UnknownName("operation", act.api, simulator.operations)))
        if act.arguments is None:
            return failure("parse", "the arguments are no JSON object")
        if simulator.answers[act.api].by == "documented":
            return simulator.documented.do(act)
        before, operation = self._store.mark(), simulator.operations[act.api]
        try:
            value = simulator.handlers[act.api](self._data, act.arguments)
            seen = visible(value, operation.response, simulator.document.root) if simulator.hides else own(value)
            changes, created = self._store.take()
        except Refusal as refusal:
            self._store.rewind(before)
            return Result(error=refusal.fault)
        except BaseException:
            self._store.rewind(before)
            raise
        return _DONE.replace(value=seen, changes=own(changes), created=created)

    def rows(self, table: str) -> dict[str, Row]:
        """The rows of a table as they are now, by key; nobody may write to them."""
        return self._store.rows(self._data.table(table).name)


def _source(given: str | Path | Mapping[str, Any] | Source, name: str) -> Source:
    if isinstance(given, Source):
        return given
    return read_source(given) if isinstance(given, str | Path) else Source(name, own(given))


def _picked(read: OpenApi, choice: Choice) -> set[str]:
    """The names of the operations that are chosen. Raises BadSetting for a glob that fits nothing."""
    picked, paths = Picked(choice), object_of(read.root.get("paths"))

    def takes(name: str, path: str, method: str) -> bool:
        rules = object_of((resolved(paths.get(path), read.root) or {}).get(method))
        return picked.takes(name, [tag for tag in list_of(rules.get("tags")) if isinstance(tag, str)])

    found = {one.api.name for one in read.operations if takes(one.api.name, one.path, one.method)}
    for one in read.left_out:
        takes(one.name, one.path, one.method)
    picked.missed(read.source.file)
    return found


class _Arguments(Noun):
    document: str
    seed: str | None = None
    now: str | None = None
    choice: Choice | None = None
    overlay: str | None = None


def simulator_for(setting: Setting) -> Simulator:
    """The simulator of a setting's files; equal settings share one as long as the files are the same."""
    return _opened(setting)[0]


def kind_for(setting: Setting) -> Kind:
    """The kind of world that one service is."""
    return _opened(setting)[1]


def _opened(setting: Setting) -> tuple[Simulator, Kind]:
    said = arguments_of(setting, _Arguments)
    text = said.model_dump_json()
    known = _OPENED.get(text)
    if known and [*map(stamp, known[0])] == known[1]:
        return known[2]
    simulator = Simulator(**dict(said))
    overlay = None if said.overlay is None else Path(said.overlay)
    beside = (files_of(said.document, said.seed)[1], overlay)
    files = [*simulator.document.source.files, *(file for file in beside if file is not None)]
    key = keys.content_key([keys.file_key(file) for file in files])
    made: dict[str, dict[str, Compare]] = {}
    for name, table in simulator.tables.items():
        compares: dict[str, Compare] = {
            field: compare_of(rule, field, root=table.root) for field, rule in table.fields.items()
        }
        compares |= dict.fromkeys(simulator.makers[name].invented, "ignored")
        made[name] = {field: compare for field, compare in compares.items() if compare != "exact"}
    kind = Kind(
        make=lambda case: simulator.world(),
        documents=lambda: simulator.apis,
        rows=cache(simulator.known),
        now=simulator.now,
        fields=made,
        missing=missing,
        data_key=lambda _: key,
        names=simulator.names,
        made_up=cache(simulator.made_up),
    )
    if len(_OPENED) >= _MOST:
        _OPENED.clear()
    _OPENED[text] = files, [*map(stamp, files)], (simulator, kind)
    return simulator, kind


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
    data_key=lambda setting: kind_for(setting).data_key(setting),
    at=kind_for,
)


def _listed(value: Any) -> list[JsonValue] | None:
    if isinstance(value, list):
        return list_of(value)
    members = object_of(value)
    lists = [name for name, part in members.items() if isinstance(part, list)]
    alone = len(lists) == 1 and all(page_words(name) for name in members if name not in lists)
    return members[lists[0]] if alone else None
