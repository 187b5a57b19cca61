"""A service that rows, and rules for its operations, are added to, so that more branches of procedures are taken.

Each row and each rule is read as a person's is, in a seed and an overlay (docs/your-api.md), and refused alone, with
the cause. What is there is never changed: a key that is taken keeps its row, an operation its rules. Nothing is added
to a world that is no OpenAPI document.

Example:
    >>> provision = Provision.of("shop")
    >>> more, refused = provision.adding({"orders": [{"order_id": "O-10318", "status": "lost"}]}, {})
    >>> more == provision, refused
    (True, ["rows: orders 'O-10318' is there already: give the row another key, or use the one that is there"])
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import yaml

from toologue import keys
from toologue.apis.choice import Choice
from toologue.data import read_source
from toologue.errors import BadRecord, UnknownName, UserError, shown
from toologue.plan.procedures.service import Service, service
from toologue.schema import Setting
from toologue.schema.jsonl import replacing
from toologue.values.json_schema import list_of, object_of
from toologue.worlds.crud.check import draft
from toologue.worlds.crud.rows import NOW
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
        made, wrong = made._with_rows([*self._new(rows, refused)])
        return made, [*refused, *wrong]

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

    def _with_rows(self, new: Sequence[tuple[str, Any]]) -> tuple[Provision, list[str]]:
        """The service with these rows, which may refer to each other, but those that are wrong; what is wrong, once."""
        new, lost, causes = [*new], set[str](), dict[tuple[str, str], tuple[str, list[str]]]()
        while new:
            seed = {**(self.seed or {})}
            for table in dict.fromkeys(table for table, _ in new):
                seed[table] = [*self._listed(table), *(row for other, row in new if other == table)]
            made, error = self._tried(seed=seed)
            if error is None:
                return made, [_refusal(table, *cause) for (table, _), cause in causes.items()]
            found = _PLACE.match(error.path) if isinstance(error, BadRecord) else None
            table, what = (found[1], error.what) if found and isinstance(error, BadRecord) else (new[-1][0], str(error))
            places = [place for place, (other, _) in enumerate(new) if other == table]
            within = int(found[2]) - len(self._listed(table)) if found and places else len(places) - 1
            _, row = new.pop(places[within] if 0 <= within < len(places) else -1)
            named = object_of(row).get(self.simulator.tables[table].key) if self.simulator else None
            key = shown(row if named is None else named, 80)
            if not any(what.startswith(f"no row of {one} ") for one in lost):
                field = f"{found[3].strip('.')}: " if found and found[3] else ""
                alike = table, field + re.sub(r"^(['\"]).*?\1", "", what)
                causes.setdefault(alike, (field + what, []))[1].append(key)
            lost.add(f"{table} is called {key};")
        return self, [_refusal(table, *cause) for (table, _), cause in causes.items()]

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
        made, error = self._tried(overlay={**(self.overlay or {}), "operations": rules})
        return made, str(error or "")

    def _tried(self, **changed: Any) -> tuple[Provision, UserError | None]:
        """The service with something changed, or as it is, and why."""
        made = replace(self, **changed)
        try:
            if self.simulator and "overlay" not in changed:  # a document is read once
                made.__dict__["simulator"] = self.simulator.seeded(made.rows(self.simulator))
            return (made, None) if made.simulator else (self, None)
        except UserError as error:
            return self, error


# Where the seed is wrong: the table, which row of it, the field.
_PLACE = re.compile(r"""\$(?:\.|\[['"])([\w-]+)(?:['"]\])?\[(\d+)\](.*)""")


def _refusal(table: str, why: str, keys: Sequence[str]) -> str:
    others = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
    return f"rows: {table} {keys[0]}{others} not stored: {why}"


def _rows_of(some: Any, key: str) -> list[Any]:
    """Rows as a list, also where they are told by their keys."""
    if isinstance(some, dict):
        return [{key: name, **object_of(row)} for name, row in object_of(some).items()]
    return list_of(some)
