"""A service that rows, and rules for its operations, are added to, so that more branches of procedures are taken.

Each row and each rule is read as a person's is, in a seed and an overlay (docs/worlds.md), and refused alone, with the
cause. What is there is never changed: a key that is taken keeps its row, an operation its rules. Nothing is added to a
world that is no OpenAPI document.

Example:
    >>> provision = Provision.of("shop")
    >>> more, refused = provision.adding({"orders": [{"order_id": "O-10318", "status": "lost"}]}, {})
    >>> more == provision, refused
    (True, ["rows: orders 'O-10318' is there already: give the row another key, or use the one that is there"])
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from toologue import keys
from toologue.apis.choice import Choice
from toologue.data import read_source
from toologue.errors import UnknownName, UserError, shown
from toologue.plan.procedures.service import Service, service
from toologue.schema.jsonl import replacing
from toologue.values.json_schema import list_of, object_of
from toologue.worlds.crud.draft import draft
from toologue.worlds.crud.sample import NOW
from toologue.worlds.crud.simulator import Simulator, files_of
from toologue.worlds.named import setting_of

# So many rows are read of an answer.
_ROWS = 200
_World = tuple[str, str | None, str | None, Choice | None]


@dataclass(frozen=True)
class Provision:
    """A service by its name, and its seed and overlay as data; `given` are the files that they come from.

    `own`: nothing was added yet, and the files say it all.
    """

    world: str
    choice: Choice | None = None
    seed: Mapping[str, Any] | None = None
    overlay: Mapping[str, Any] | None = None
    given: tuple[str | None, str | None] = (None, None)

    @classmethod
    def of(
        cls, world: str, rows: Path | None = None, overlay: Path | None = None, choice: Choice | None = None
    ) -> Provision:
        """The service of a name (`worlds.named`), with its rows, where nothing is added. Raises UserError."""
        given = tuple(None if file is None else str(file) for file in (rows, overlay))
        made = cls(world, choice, given=(given[0], given[1]))
        service(world, *made.given, choice)  # says what is wrong
        if not made.simulated:
            return made
        said = object_of(read_source(overlay).data) if overlay else {}
        document, beside = files_of(world)
        simulator = Simulator(document, overlay=said, choice=choice)
        seed = object_of(read_source(file).data) if (file := rows or beside) else simulator.document.root.get("x-seed")
        rules = {key: part for key, part in said.items() if key != "x-seed"}
        return replace(made, seed=object_of(seed) or {"now": NOW}, overlay=rules)

    @property
    def simulated(self) -> bool:
        """Whether it is made of an OpenAPI document."""
        setting = setting_of(self.world)
        return setting.name == "crud" and service(self.world, None, self.given[1]).executes

    @cached_property
    def simulator(self) -> Simulator | None:
        """What simulates it; None for a world that is none."""
        if self.seed is None:
            return None
        made = Simulator(files_of(self.world)[0], {}, overlay=self.overlay or None, choice=self.choice)
        return made.seeded(self.rows(made))

    @property
    def is_empty(self) -> bool:
        """Whether nobody has given rows to what is simulated."""
        return self.seed is not None and not self.seed.keys() - {"now"}

    def rows(self, simulator: Simulator) -> dict[str, Any]:
        """The seed; two plausible rows of each table as long as it is empty."""
        made = object_of(yaml.safe_load(draft(simulator)).get("x-seed")) if self.is_empty else {}
        return {**made, **(self.seed or {})}

    def service(self, scratch: Path) -> Service:
        """The service, with the rows that were given; its files lie in the folder."""
        made = service(*self.files(scratch))
        return replace(made, rows={}) if self.is_empty else made

    def files(self, scratch: Path) -> _World:
        """What names it, with its seed and its overlay written into a folder."""
        if self.simulator is None:
            return self.world, *self.given, self.choice
        texts = {"rows.yaml": self.rows(self.simulator), **({"overlay.yaml": self.overlay} if self.overlay else {})}
        key = keys.content_key([json.loads(json.dumps(part, default=str)) for part in texts.values()])
        for name, part in texts.items():
            if not (file := scratch / key / name).exists():
                with replacing(file) as stream:
                    stream.write(yaml_of(part).encode())
        made = [str(scratch / key / name) if name in texts else None for name in ("rows.yaml", "overlay.yaml")]
        return self.world, made[0], made[1], self.choice

    def adding(self, rows: Mapping[str, Any], rules: Mapping[str, Any]) -> tuple[Provision, list[str]]:
        """The service with what can be added, and what cannot, with its cause."""
        if self.simulator is None:
            return self, [
                "rows: nothing can be stored here: use what is stored, or `examples`"
            ] if rows or rules else []
        made, refused = self, list[str]()
        for name, rule in rules.items():
            made, wrong = made._with_rule(name, rule)
            refused += [f"operations: {name}: {wrong}"] if wrong else []
        pending, simulator = list(self._new(rows, refused)), made.simulator
        assert simulator is not None
        while pending:
            left = list[tuple[str, Any, str]]()
            for table, row, _ in pending:
                more = {**(made.seed or {}), table: [*_listed(made.seed, table, simulator), row]}
                try:
                    simulator.seeded(more)
                except UserError as error:
                    left.append((table, row, str(error)))
                    continue
                made = replace(made, seed=more)
            if len(left) == len(pending):
                break
            pending = left
        wrong = [f"rows: {table}: {shown(row, 80)} is not stored: {why}" for table, row, why in pending]
        return made, [*refused, *wrong]

    def _new(self, rows: Mapping[str, Any], refused: list[str]) -> Iterator[tuple[str, Any, str]]:
        """The rows that are new, each with its table."""
        simulator, count = self.simulator, 0
        assert simulator is not None
        for table, some in rows.items():
            if table == "now":
                continue
            if table not in simulator.tables:
                refused.append(f"rows: {UnknownName('table', table, simulator.tables)}")
                continue
            key = simulator.tables[table].key
            there = {str(row.get(key)): row for row in _listed(self.seed, table, simulator)}
            for row in _rows_of(some, key):
                count += 1
                known = there.get(str(object_of(row).get(key)))
                if known is not None and known != row:
                    what = f"rows: {table} {str(row.get(key))!r} is there already"
                    refused.append(f"{what}: give the row another key, or use the one that is there")
                elif known is None and count <= _ROWS:
                    yield table, row, ""

    def _with_rule(self, name: str, rule: Any) -> tuple[Provision, str]:
        """The service with a rule for an operation; what is wrong with it."""
        simulator = self.simulator
        assert simulator is not None
        if name not in simulator.operations:
            return self, str(UnknownName("operation", name, simulator.operations))
        action = object_of(rule).get("x-action")
        if not isinstance(action, dict) or len(object_of(rule)) > 1:
            return self, f'expected {{"x-action": {{…}}}} alone, got {shown(rule)}'
        known = simulator.operations[name].extensions.get("x-action")
        if known is not None:
            return self, "" if known == action else f"it has rules, which stay: {shown(known, 200)}"
        overlay: dict[str, Any] = dict(self.overlay or {})
        operations = {**object_of(overlay.get("operations"))}
        operations[name] = {**object_of(operations.get(name)), "x-action": action}
        made = replace(self, overlay={**overlay, "operations": operations})
        try:
            assert made.simulator is not None
        except UserError as error:
            return self, str(error)
        return made, ""


def yaml_of(data: Any) -> str:
    """Data as YAML that reads as it was put."""
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def _rows_of(some: Any, key: str) -> list[Any]:
    """Rows as a list, also where they are told by their keys."""
    if isinstance(some, dict):
        return [{key: name, **object_of(row)} for name, row in object_of(some).items()]
    return list_of(some)


def _listed(seed: Mapping[str, Any] | None, table: str, simulator: Simulator) -> Sequence[Any]:
    return _rows_of((seed or {}).get(table), simulator.tables[table].key)
