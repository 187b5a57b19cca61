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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import yaml

from toologue import keys
from toologue.apis.choice import Choice
from toologue.data import read_source
from toologue.errors import UnknownName, UserError, shown
from toologue.plan.procedures.service import Service, service
from toologue.schema import Setting
from toologue.schema.jsonl import replacing
from toologue.values.json_schema import list_of, object_of
from toologue.worlds.crud.draft import draft
from toologue.worlds.crud.sample import NOW
from toologue.worlds.crud.simulator import Simulator, files_of
from toologue.worlds.named import setting_of

# So many rows are read of an answer.
_ROWS = 200


@dataclass(frozen=True)
class Provision:
    """A service by its name, and the files that were given of it; of a document, its seed and its overlay as data."""

    world: str
    given: tuple[str | None, str | None] = (None, None)
    choice: Choice | None = None
    seed: Mapping[str, Any] | None = None
    overlay: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls, world: str, rows: Path | None = None, overlay: Path | None = None, choice: Choice | None = None
    ) -> Provision:
        """The service of a name (`worlds.named`), with its rows, where nothing is added. Raises UserError."""
        made = cls(world, (rows and str(rows), overlay and str(overlay)), choice)
        known = service(setting_of(world, rows, overlay, choice))
        if known.setting.name != "crud":
            return made
        said = object_of(read_source(overlay).data) if overlay else {}
        document, beside = files_of(world)
        file, within = rows or beside, Simulator(document, overlay=said).document.root.get("x-seed")
        seed = object_of(read_source(file).data if file else within) or {"now": NOW}
        return replace(made, seed=seed, overlay={key: part for key, part in said.items() if key != "x-seed"})

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

    def texts(self) -> dict[str, str]:
        """The files that say what was added: the rows, and the overlay if there is something in it."""
        if self.simulator is None:
            return {}
        parts = {"rows.yaml": self.rows(self.simulator), "overlay.yaml": self.overlay}
        dump = partial(yaml.safe_dump, sort_keys=False, allow_unicode=True, width=120)
        return {name: dump(part) for name, part in parts.items() if part}

    def service(self, scratch: Path) -> Service:
        """The service, with the rows that were given; its files lie in the folder."""
        made = service(self.setting(scratch))
        return replace(made, rows={}) if self.is_empty else made

    def setting(self, scratch: Path) -> Setting:
        """The world, its seed and its overlay written into a folder."""
        texts = self.texts()
        home = scratch / keys.content_key(texts)
        for name, text in texts.items():
            with replacing(home / name) as stream:
                stream.write(text.encode())
        beside = [str(home / name) if name in texts else None for name in ("rows.yaml", "overlay.yaml")]
        rows, overlay = beside if texts else self.given
        return setting_of(self.world, rows, overlay, self.choice)

    def adding(self, rows: Mapping[str, Any], rules: Mapping[str, Any]) -> tuple[Provision, list[str]]:
        """The service with what can be added, and what cannot, with its cause."""
        made, refused = self, list[str]()
        for name, rule in rules.items():
            made, wrong = made._with_rule(name, rule)
            refused += [f"operations: {name}: {wrong}"] if wrong else []
        left = [(*each, "") for each in self._new(rows, refused)]
        before = len(left) + 1
        while len(left) < before:  # a row may refer to a later one
            before, pending, left = len(left), left, list[tuple[str, Any, str]]()
            for table, row, _ in pending:
                made, wrong = made._with_row(table, row)
                left += [(table, row, wrong)] if wrong else []
        return made, [*refused, *(f"rows: {table}: {shown(row, 80)} is not stored: {why}" for table, row, why in left)]

    def _new(self, rows: Mapping[str, Any], refused: list[str]) -> Iterator[tuple[str, Any]]:
        """The rows that are new, each with its table."""
        tables = self.simulator.tables if self.simulator else {}
        for table in (name for name in rows if name != "now"):
            if table not in tables:
                refused.append(f"rows: {UnknownName('table', table, tables)}")
                continue
            key = tables[table].key
            there = {str(object_of(row).get(key)): row for row in self._listed(table)}
            for row in _rows_of(rows[table], key)[:_ROWS]:
                known = there.get(str(object_of(row).get(key)))
                if known is None:
                    yield table, row
                elif known != row:
                    what = f"rows: {table} {str(row.get(key))!r} is there already"
                    refused.append(f"{what}: give the row another key, or use the one that is there")

    def _listed(self, table: str) -> list[Any]:
        """The rows of a table in the seed."""
        assert self.simulator is not None
        return _rows_of((self.seed or {}).get(table), self.simulator.tables[table].key)

    def _with_row(self, table: str, row: Any) -> tuple[Provision, str]:
        """The service with one row more; what is wrong with it."""
        return self._tried(seed={**(self.seed or {}), table: [*self._listed(table), row]})

    def _with_rule(self, name: str, rule: Any) -> tuple[Provision, str]:
        """The service with a rule for an operation; what is wrong with it."""
        known = self.simulator.operations if self.simulator else {}
        if name not in known:
            return self, str(UnknownName("operation", name, known))
        action = object_of(rule).get("x-action")
        if not isinstance(action, dict) or len(object_of(rule)) > 1:
            return self, f'expected {{"x-action": {{…}}}} alone, got {shown(rule)}'
        if (there := known[name].extensions.get("x-action")) is not None:
            return self, "" if there == action else f"it has rules, which stay: {shown(there, 200)}"
        operations = object_of((self.overlay or {}).get("operations"))
        rules: dict[str, Any] = {**operations, name: {**object_of(operations.get(name)), "x-action": action}}
        return self._tried(overlay={**(self.overlay or {}), "operations": rules})

    def _tried(self, **changed: Any) -> tuple[Provision, str]:
        """The service with something changed, or as it is, and why."""
        made = replace(self, **changed)
        try:
            return (made, "") if made.simulator else (self, "")
        except UserError as error:
            return self, str(error)


def _rows_of(some: Any, key: str) -> list[Any]:
    """Rows as a list, also where they are told by their keys."""
    if isinstance(some, dict):
        return [{key: name, **object_of(row)} for name, row in object_of(some).items()]
    return list_of(some)
