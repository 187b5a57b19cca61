"""Whether a document becomes a world: every operation is executed, in a fresh world with a few rows; a first overlay.

What is created has to be read and listed as it was sent, what is changed read as changed, what is removed not found any
more; lists hold the rows of the path and no others, and every answer is as the document describes it. An operation that
was executed so answers with `state`; one that its documentation answers is `documented`; `none` has the cause. A
document is accepted where at least one resource is created, read and listed, and all three agree; or where none could
be, and every operation answers with state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import yaml

from toologue.apis.openapi import Operation
from toologue.apis.schemas import list_of, object_of, violation
from toologue.errors import BadRecord, BadSetting, UserError
from toologue.schema import Call, Result
from toologue.text.tokens import reads, snake
from toologue.values.compare import same
from toologue.values.json_schema import fits, types_of
from toologue.worlds.crud.data import key_text
from toologue.worlds.crud.envelopes import held_in
from toologue.worlds.crud.rows import COUNT, NOW, sample_rows, typed
from toologue.worlds.crud.simulator import Answers, Crud, Simulator
from toologue.worlds.crud.tables import Table
from toologue.worlds.documented.arguments import arguments_for
from toologue.worlds.store import Row, split_path

Verb = Literal["create", "read", "list", "update", "delete", "other"]
_SCALARS, _MORE = ("string", "integer", "number", "boolean"), 3
_HEAD = """\
# What {file} does not say of its world. The document itself stays as it is.
# Every line marked `guess` was derived from names and schemas: look at it, and correct it.
"""


class _Disagrees(Exception):
    """What was executed is not what the document promises."""


@dataclass(frozen=True)
class Checked:
    """What came of a document. `operations`: name → who answers, and why; `resources`: table → verbs that agree."""

    operations: Mapping[str, Answers]
    resources: Mapping[str, frozenset[Verb]]

    @property
    def accepted(self) -> bool:
        """Whether at least one resource is created, read and listed, and all three agree; or, where the document has no
        such resource, something is created, and every operation answers with state.
        """
        whole = any(verbs >= {"create", "read", "list"} for verbs in self.resources.values())
        created = any("create" in verbs for verbs in self.resources.values())
        return whole or (created and all(one.by == "state" for one in self.operations.values()))


def check(simulator: Simulator) -> Checked:
    """Execute every operation. The rows of the simulator are not looked at: there are rows of each table, and what an
    `x-action` requires of them is not asked.
    """
    trial = _Trial(_with_rows(simulator))
    handlers = trial.simulator.handlers
    trial.simulator.handlers = {
        name: replace(one, action=replace(one.action, guards=())) for name, one in handlers.items()
    }
    found = {name: trial.answers(name) for name in simulator.operations}
    resources: dict[str, set[Verb]] = {}
    for name, answers in found.items():
        if answers.by == "state" and (table := trial.table(name)):
            resources.setdefault(table.name, set()).add(trial.verb(name))
    return Checked(found, {name: frozenset(verbs) for name, verbs in resources.items()})


def _with_rows(simulator: Simulator) -> Simulator:
    rows = sample_rows(simulator.tables)
    while rows:
        try:
            return simulator.seeded(rows, now=NOW)
        except BadRecord as error:
            wrong = error.path.removeprefix("$.").partition("[")[0]  # rows that cannot be made up are left out
            wrong = wrong if wrong in rows else [*rows][-1]
            del rows[wrong]
    return simulator.seeded({}, now=NOW)


@dataclass
class _Trial:
    simulator: Simulator
    told: dict[str, str] = field(default_factory=dict[str, str])

    def answers(self, name: str) -> Answers:
        said = self.simulator.answers[name]
        try:
            if said.by == "state":
                self._agrees(name)
            else:
                self._done(self.simulator.world(), name, self._arguments(name, 0))
        except (_Disagrees, UserError) as error:
            return Answers("none", f"{said.why}; {error}" if said.by == "documented" else str(error))
        return said

    def table(self, name: str) -> Table | None:
        """The table that an operation is about."""
        route = self.simulator.routes.get(name)
        owner = route.owners[-1].table if route and route.owners and not route.tail else None
        return self.simulator.tables.get((route.table if route else None) or owner or "")

    def verb(self, name: str) -> Verb:
        """What an operation does to the rows of its table."""
        handler, operation, route = self.simulator.handlers.get(name), *self._of(name)
        if handler is None or route is None:
            return "other"
        if handler.added is not None:
            return "create"
        if not operation.api.writes:
            table = self.table(name)
            held = held_in(operation.response, self.simulator.document.root, table.names if table else ())
            many = held is None or held.many
            return "list" if route.table and many else "other" if route.tail else "read"
        is_item = (not route.tail and bool(route.owners)) or (route.table is not None and operation.method != "post")
        return "other" if not is_item else "delete" if operation.method == "delete" else "update"

    def _key(self, name: str) -> str:
        """The parameter that names the row which an operation is about."""
        handler = self.simulator.handlers.get(name)
        row = handler.row if handler and self.verb(name) != "create" else None
        return row.parameter if row else ""

    def _of(self, name: str) -> tuple[Operation, Any]:
        return self.simulator.operations[name], self.simulator.routes.get(name)

    def _agrees(self, name: str) -> None:
        """Raises _Disagrees, with what is wrong on the first rows, where it agrees on none."""
        wrong: list[_Disagrees] = []
        for number in range(COUNT):
            try:
                return self._tried(name, number)
            except _Disagrees as error:
                wrong.append(error)
        raise wrong[0]

    def _tried(self, name: str, number: int) -> None:
        """Execute an operation on the rows of that number, and look at what came of it."""
        world, verb, table = self.simulator.world(), self.verb(name), self.table(name)
        rows = [*world.rows(table.name).values()] if table else []
        arguments = self._arguments(name, number)
        if verb not in ("create", "list", "other") and self._key(name) not in arguments:
            raise _Disagrees("there is no row that could be named")
        result = self._done(world, name, arguments)
        if verb == "other":
            return self._does(name, number, world, arguments, result)
        if table is None:
            raise _Disagrees("it is about no table")
        if verb == "list":
            return self._lists_rows(name, number, rows, table, result.value)
        created = [row for path in result.created for of, row in [split_path(path)] if of == table.name]
        if verb == "create" and not created:
            raise _Disagrees(f"no row of {table.name} was created")
        key = created[0] if verb == "create" else arguments[self._key(name)]
        row = world.rows(table.name).get(key_text(key))
        if verb == "delete" and row is not None:
            raise _Disagrees(f"the row {key!r} is still there")
        if verb == "read":
            if self.simulator.operations[name].response and not _holds(result.value, table, key):
                raise _Disagrees(f"it answers another row than {key!r}")
            lost = 987654321 if isinstance(key, int) else "nowhere-0"
            if world.do(Call(api=name, arguments={**arguments, self._key(name): lost})).error is None:
                raise _Disagrees(f"it answers a row {lost!r}, which there is not")
        elif row is not None:
            self._same(table, arguments, row)
            self._shown(world, table, row, arguments)
        return None

    def _lists_rows(self, name: str, number: int, rows: Sequence[Row], table: Table, value: Any) -> None:
        route = self.simulator.routes[name]
        if number < len(rows) and not _holds(value, table, rows[number][table.key]):
            raise _Disagrees(f"the row {rows[number][table.key]!r} is not listed")
        if not rows:
            raise _Disagrees(f"no rows of {table.name} could be made up to list")
        others = [row for n, row in enumerate(rows) if n != number] if route.link or route.within else []
        if strange := next((row for row in others if _holds(value, table, row[table.key])), None):
            raise _Disagrees(f"the row {strange[table.key]!r} lies elsewhere, and is listed")

    def _does(self, name: str, number: int, world: Crud, arguments: Mapping[str, Any], result: Result) -> None:
        operation, route = self._of(name)
        if operation.api.writes and not result.changes and operation.method != "delete":
            raise _Disagrees("it changes nothing")
        for other, there in self.simulator.routes.items() if route and route.single and operation.api.writes else ():
            if (there.place, there.operation.method, operation.method == "delete") == (route.place, "get", False):
                shown = self._done(world, other, self._arguments(other, number)).value
                wires = self.simulator.operations[name].wires
                sent = {wires[flat].name: value for flat, value in arguments.items() if wires[flat].into == "body"}
                shown = {"": shown} if "" in sent else object_of(shown)
                strange = (key for key in sent.keys() & shown.keys() if not same(shown[key], sent[key]))
                if wrong := next(strange, None):
                    raise _Disagrees(f"{wrong} was sent as {sent[wrong]!r} and is {shown[wrong]!r}")

    def _shown(self, world: Crud, table: Table, row: Row, arguments: Mapping[str, Any]) -> None:
        """That operations which read and list show a row as it is."""
        for name in self.simulator.handlers:
            if self.table(name) is not table or (verb := self.verb(name)) not in ("read", "list"):
                continue
            route = self.simulator.routes[name]
            last = route.owners[-1] if route.owners and not route.tail else route
            if any(row.get(one) is None for one in (last.link, *(one for one, _ in last.within)) if one):
                continue  # it lies elsewhere
            steps = {one.parameter: None for one in route.owners}
            given = {**self._path(name, row), **{key: value for key, value in arguments.items() if key in steps}}
            if verb == "read":
                given[self._key(name)] = row[table.key]
            needed = {**self._asked(name, table, row), **given}
            result = world.do(Call(api=name, arguments=self._complete(name, needed)))
            is_silent = not self.simulator.operations[name].response
            if result.error is None and (is_silent or _holds(result.value, table, row[table.key])):
                continue
            why = result.error.message if result.error else "it is not among what it shows"
            raise _Disagrees(f"{name} does not show the row: {why}")

    def _done(self, world: Crud, name: str, arguments: Mapping[str, Any]) -> Result:
        """The result of a call, which must be what the document describes. Raises _Disagrees."""
        try:
            result = world.do(Call(api=name, arguments={**arguments}))
        except BadSetting as error:
            raise _Disagrees(str(error)) from None
        if result.error is not None:
            raise _Disagrees(f"a call with {_brief(arguments)} was refused: {result.error.message}")
        schema = self.simulator.operations[name].api.returns
        wrong = violation(result.value, schema, "answer") if schema and result.value is not None else None
        if wrong is not None:
            raise _Disagrees(f"the answer is not as described: {wrong}")
        return result

    def _same(self, table: Table, arguments: Mapping[str, Any], row: Row) -> None:
        """That what was sent is in the row. Raises _Disagrees."""
        objects = [object_of(value) for value in arguments.values() if isinstance(value, dict)]
        flat = {**arguments, **(objects[0] if len(objects) == 1 else {})}
        for name, value in flat.items():
            field = table.field(name)
            if field is None or field not in row or field == table.key or field in table.unseen:
                continue
            told = not isinstance(value, dict | list) and fits(value, table.fields[field], table.root)
            if told and not same(row[field], value):
                raise _Disagrees(f"{name} was sent as {value!r} and is {row[field]!r}")

    # arguments -------------------------------------------------------------------------------------------------------

    def _arguments(self, name: str, number: int) -> dict[str, Any]:
        """Arguments of a call on the rows of that number: keys that exist, what a row has, what is plausible."""
        (operation, route), table = self._of(name), self.table(name)
        rows = [*self.simulator.seed.get(table.name, {}).values()] if table else []
        row = rows[min(number, len(rows) - 1)] if rows else dict[str, Any]()
        known = self._path(name, row, number)
        if not operation.api.writes:
            known |= self._asked(name, table, row) if table else {}
            return self._complete(name, known, number)
        sent = [flat for flat, wire in operation.wires.items() if wire.into == "body"]
        if route is not None and route.table and (key := self._key(name)) in sent and table and table.key in row:
            known[key] = row[table.key]
        optional = [flat for flat in sent if self._plain(table, operation, flat)][:_MORE]
        made = self._complete(name, known, number, optional)
        handler = self.simulator.handlers.get(name)
        for flat in sent if handler and handler.action.sets else ():  # little enough to be taken from what a row has
            if isinstance(made.get(flat), int | float) and fits(1, operation.api.parameters[flat].json_schema):
                made[flat] = 1
        grounded = {flat: self._grounded(table, flat, made[flat], number) for flat in sent if flat in made}
        schemas = {flat: operation.api.parameters[flat].json_schema for flat in grounded}
        return made | {flat: value for flat, value in grounded.items() if fits(value, schemas[flat])}

    def _complete(self, name: str, known: Mapping[str, Any], number: int = 0, optional: Any = ()) -> dict[str, Any]:
        api = self.simulator.operations[name].api
        fitting = {flat: typed(value, api.parameters[flat].json_schema) for flat, value in known.items()}
        return arguments_for(api, number, known=fitting, optional=optional)

    def _plain(self, table: Table | None, operation: Operation, flat: str) -> bool:
        parameter = operation.api.parameters[flat]
        kinds = [kind for kind in types_of(parameter.json_schema) if kind != "null"]
        field = table.field(operation.wires[flat].name) if table else None
        route = self.simulator.routes.get(operation.api.name)
        is_own = table is not None and field is not None and field not in table.refers and field != table.key
        is_own = is_own or (route is not None and route.single != "")
        return is_own and kinds[:1] != [] and kinds[0] in _SCALARS and not parameter.required

    def _path(self, name: str, row: Row, number: int = 0) -> dict[str, Any]:
        """The keys that the path of an operation names: of the row itself, of what it lies under."""
        operation, route = self._of(name)
        known: dict[str, Any] = {}
        if route is None:
            return known
        below, link, within = row, route.link, route.within
        for owner in reversed(route.owners):
            known |= {flat: below[one] for one, flat in within if below.get(one) is not None}
            mine = [*self.simulator.seed.get(owner.table, {}).items()]
            key, is_own = below.get(link) if link else None, not route.tail and owner is route.owners[-1]
            if is_own:
                key = row.get(self.simulator.tables[owner.table].key)
            if key is None and mine:
                key = mine[min(number, len(mine) - 1)][1][self.simulator.tables[owner.table].key]
            if key is not None:
                known[owner.parameter] = key
            below = row if is_own else self.simulator.seed.get(owner.table, {}).get(key_text(key), {})
            link, within = owner.link, owner.within
        known |= {flat: below[one] for one, flat in within if below.get(one) is not None}
        names = {flat: wire for flat, wire in operation.wires.items() if wire.into == "path"}
        return {flat: value for flat, value in known.items() if flat in names}

    def _asked(self, name: str, table: Table, row: Row) -> dict[str, Any]:
        """What has to be asked for, as the row has it."""
        operation = self.simulator.operations[name]
        made: dict[str, Any] = {}
        for flat, parameter in operation.api.parameters.items():
            wire, schema = operation.wires[flat], parameter.json_schema
            if wire.into != "query" or not (parameter.required or "default" in schema):
                continue
            if (field := table.field(wire.name)) is not None and fits(row.get(field), schema):
                made[flat] = row[field]
            elif snake(wire.name) in ("q", "query", "search"):
                texts = [value for value in row.values() if isinstance(value, str) and value.isalpha()]
                if texts and fits(texts[0], schema):
                    made[flat] = texts[0]
        return made

    def _grounded(self, table: Table | None, name: str, value: Any, number: int) -> Any:
        """What is sent, with references that lead to rows."""
        if isinstance(value, dict):
            return {key: self._grounded(table, key, part, number) for key, part in object_of(value).items()}
        likely = [table] if table and table.field(name) else [*self.simulator.tables.values()]
        other = next((to for one in likely if (to := one.refers.get(one.field(name) or ""))), None)
        rows = [*self.simulator.seed.get(other or "", {}).values()]
        if other is None or not rows:
            return value
        return rows[min(number, len(rows) - 1)][self.simulator.tables[other].key]


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield object_of(value)
    for part in (*object_of(value).values(), *list_of(value)):
        yield from _parts(part)


def _holds(value: Any, table: Table, key: Any) -> bool:
    """Whether an answer shows the row of a key."""
    spelt = snake(table.key)
    return any(
        snake(name) == spelt and part is not None and key_text(part) == key_text(key)
        for one in _parts(value)
        for name, part in one.items()
    )


def _brief(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={str(value)[:40]!r}" for name, value in [*arguments.items()][:4]) or "no arguments"


def draft(simulator: Simulator) -> str:
    """A first overlay of a document, as YAML with comments: tables, operations that nobody understands, rows.

    Everything in it was guessed, and is marked as a guess with what it comes of; what could not be guessed stands there
    as a comment, with its cause. The overlay says what the world would be without it.
    """
    lines = [*_HEAD.format(file=simulator.document.source.file).splitlines(), *_tables(simulator)]
    return "\n".join([*lines, *_operations(simulator), *_seed(simulator)]) + "\n"


def _tables(simulator: Simulator) -> Iterator[str]:
    yield "x-tables:" if simulator.tables else "x-tables: {}"
    for name, table in simulator.tables.items():
        refers = ", ".join(f"{field} → {other}" for field, other in table.refers.items())
        yield f"  {name}: {_flow({'key': table.key})}  # guess{f'; {refers}' if refers else ''}"


def _operations(simulator: Simulator) -> Iterator[str]:
    named = [one for one in simulator.operations.values() if one.extensions.get("x-internal") is not True]
    asking = [one.api.name for one in named if one.method == "post" and one.api.writes and reads(one.api.name)]
    lost = {name: said.why for name, said in simulator.answers.items() if said.by != "state" and name not in asking}
    yield "operations:" if asking else "operations: {}"
    for name in asking:
        yield f"  {_flow(name)}: {{x-writes: false}}  # guess: it is called as what only reads"
    for name, why in lost.items():
        yield f"  # {name}: {{x-action: {{…}}}}  answered by its documentation: {why.rpartition(']')[2].lstrip('.')}"


def _seed(simulator: Simulator) -> Iterator[str]:
    yield "x-seed:"
    yield f"  now: {NOW}  # guess"
    for name, rows in sample_rows(simulator.tables).items():
        table = simulator.tables[name]
        kept = {table.key, *table.refers, *table.unseen}
        yield f"  {name}:  # guess: two rows of what has to be told; the rest of each is made up"
        for row in rows:
            yield f"    - {_flow({name: value for name, value in row.items() if name in kept})}"


def _flow(value: Any) -> str:
    """A value on one line of YAML."""
    said = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=10_000)
    return said.removesuffix("\n").removesuffix("\n...")
