"""The tools of a tau2 domain, asked over standard input. It runs alone, under any Python that has pydantic.

    python -I serve_tools.py CHECKOUT DOMAIN

A question is a line of JSON, and so is its answer; the first line says what there is: `tools`, `writes`, `tables`.

    {"do": "call", "rows": R, "tool": T, "arguments": A}    value or error, and `changes`: table → key → row or null
    {"do": "begin", "data": D, "actions": [...]}            changes
    {"do": "replay", "data": D, "actions": [...], "calls": [...]}    tau2's hash of a fresh database after tau2's calls
    {"do": "hash", "tables": T}                             tau2's hash of a database

Nothing of tau2 is loaded but the domain's tools, so that its models and servers need not be installed. What these
import and is not there is stood in for: logging does nothing, anything else says what to install as soon as it is used.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
from pathlib import Path
from typing import Any, get_type_hints

_QUIET = ("loguru", "dotenv")
_MISSING = ("addict", "deepdiff", "docstring_parser", "toml", "yaml")


class _StandIn:
    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return _StandIn(self._name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        if self._name in _QUIET:
            return None
        raise ImportError(f"tau2 needs {self._name!r}: install it, and name that interpreter by --python")


class _StandInModule(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _StandIn(self.__name__)


def load_toolkit(checkout: Path, domain: str) -> type[Any]:
    """The class of the domain's tools."""
    for name in (*_QUIET, *_MISSING):
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = _StandInModule(name)
    package = types.ModuleType("tau2")  # in place of its own, which loads all of tau2
    package.__path__ = [str(checkout / "src" / "tau2")]
    sys.modules["tau2"] = package
    module = importlib.import_module(f"tau2.domains.{domain}.tools")
    base = importlib.import_module("tau2.environment.toolkit").ToolKitBase
    kits = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, base)]
    return next(kit for kit in kits if kit.__module__ == module.__name__)


class Server:
    """The tools over one database, which is as db.json says between any two calls."""

    def __init__(self, kit: type[Any], data: Any):
        from pydantic import TypeAdapter

        self.make, self.data, self.database = kit, data, get_type_hints(kit)["db"]
        self.kit = self.fresh(data)
        self.db = self.kit.db
        fields = self.database.model_fields
        self.readers = {name: TypeAdapter(field.annotation) for name, field in fields.items()}
        self.tables = self.db.model_dump(mode="json")
        self.plain = TypeAdapter(Any)
        self.writes = [name for name in self.kit.tools if self.kit.tool_mutates_state(name)]
        if odd := [name for name, table in self.tables.items() if not isinstance(table, dict)]:
            raise ValueError(f"the database is no set of tables: {odd[0]}")

    def begun(self) -> dict[str, Any]:
        """What there is to call, and the rows of the start."""
        tools = [tool.openai_schema for tool in self.kit.get_tools().values()]
        return {"tools": tools, "writes": self.writes, "tables": self.tables}

    def fresh(self, data: Any) -> Any:
        """The tools over a database of their own."""
        return self.make(self.database.model_validate(data))

    def call(self, rows: Any, tool: str, arguments: Any) -> dict[str, Any]:
        """Put rows over the database, do one call, and take everything back."""
        before = {name: {**table, **rows.get(name, {})} for name, table in self.tables.items()}
        self.put(rows)
        answer = _tried(lambda: self.plain.dump_python(self.kit.use_tool(tool, **arguments), mode="json"))
        after = self.db.model_dump(mode="json") if tool in self.writes else before
        changes = _changes(before, after)
        touched = {(name, key) for part in (rows, changes) for name, table in part.items() for key in table}
        for name, key in touched:
            self.put({name: {key: self.tables[name].get(key)}})
        return {**answer, "changes": changes}

    def put(self, rows: Any) -> None:
        """Set rows of the database, or remove them."""
        for name, table in rows.items():
            live = getattr(self.db, name)
            live.update(self.readers[name].validate_python({k: row for k, row in table.items() if row is not None}))
            for key in [key for key, row in table.items() if row is None]:
                live.pop(key, None)

    def started(self, data: Any, actions: Any) -> Any:
        """Tools over a fresh database that was brought into the initial state of a task."""
        kit = self.fresh(self.data)
        if data:
            kit.update_db(data)
        for action in actions:
            getattr(kit, action["func_name"])(**action["arguments"])
        return kit

    def begin(self, data: Any, actions: Any) -> dict[str, Any]:
        """How that state differs from db.json."""
        return {"changes": _changes(self.tables, self.started(data, actions).db.model_dump(mode="json"))}

    def replay(self, data: Any, actions: Any, calls: Any) -> dict[str, Any]:
        """What tau2's own tools leave behind; a call that fails is passed over, as tau2's evaluator does."""
        kit = self.started(data, actions)
        done = [_tried(lambda one=one: kit.use_tool(one["name"], **one["arguments"])) for one in calls]
        return {"hash": kit.get_db_hash(), "failed": sum("error" in one for one in done)}

    def hash(self, tables: Any) -> dict[str, Any]:
        """tau2's hash of a database."""
        return {"hash": self.fresh(tables).get_db_hash()}


def _tried(act: Any) -> dict[str, Any]:
    try:
        return {"value": act()}
    except Exception as error:  # noqa: BLE001 - a declared boundary: tools of others
        return {"error": {"type": type(error).__name__, "message": str(error)}}


def _changes(before: Any, after: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, table in after.items():
        old = before[name]
        changed = {key: table.get(key) for key in {**old, **table} if table.get(key) != old.get(key)}
        if changed:
            found[name] = changed
    return found


def main(checkout: str, domain: str) -> None:
    """Answer until nobody asks. What tools print goes to the other stream."""
    answers, sys.stdout = sys.stdout, sys.stderr

    def say(what: dict[str, Any]) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    try:
        file = Path(checkout) / "data" / "tau2" / "domains" / domain / "db.json"
        server = Server(load_toolkit(Path(checkout), domain), json.loads(file.read_text("utf-8")))
        say(server.begun())
    except Exception as error:  # noqa: BLE001 - a declared boundary: code of others
        return say({"fault": f"{type(error).__name__}: {error}"})
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            say(getattr(server, asked.pop("do"))(**asked))
        except Exception as error:  # noqa: BLE001 - a declared boundary: code of others
            say({"fault": f"{type(error).__name__}: {error}"})
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
