"""The world `tau2`: a domain of tau2-bench, whose tools run as they are, in a process of their own.

    {"name": "tau2", "arguments": {"domain": "retail"}}

Where the checkout is, and which Python runs its tools, dialogues never say: `TOOLOGUE_TAU2` and `TOOLOGUE_TAU2_PYTHON`
do. The process keeps no state: it is given the rows that differ from db.json, does one call, and says which rows the
call changed, so that this world rewinds like any other. It is not sealed: the tools can do what the person can, but
see nothing of the environment. One that takes longer than `PATIENCE` seconds, or ends, fails the call.

Not covered: tools of the customer (tasks that need them are left out; telecom, where all do, is refused), and databases
that are no tables.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from toologue import keys
from toologue.apis.tools import read_tools
from toologue.errors import BadFile, BadSetting, UnknownName
from toologue.schema import Act, Api, Case, Fault, Noun, Result, Setting
from toologue.worlds.store import Row, Stateful, Store, own
from toologue.worlds.world import Kind, arguments_of, failure, stamp

CHECKOUT, PYTHON = "TOOLOGUE_TAU2", "TOOLOGUE_TAU2_PYTHON"
PATIENCE = 60
_SERVER = Path(__file__).with_name("serve_tools.py")


class Initial(Noun):
    """How a task's database differs from db.json: what is put over it, and functions that are called first."""

    data: dict[str, JsonValue] | None = None
    actions: tuple[dict[str, JsonValue], ...] = ()


class _Arguments(Noun):
    domain: str
    initial: Initial | None = None


class Tools:
    """The tools of a domain, in a process. Raises BadSetting where it cannot be started."""

    def __init__(self, checkout: Path, domain: str, python: str = sys.executable):
        self._lock, self.domain = threading.Lock(), domain
        command = [python, "-I", str(_SERVER), str(checkout.resolve()), domain]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PATH": os.defpath}, text=True
            )
        except OSError as error:
            raise BadSetting(f"{PYTHON} or --python {python}: {error.strerror or error}") from None
        weakref.finalize(self, _end, self._process)
        self._begun = self._said()
        if "fault" in self._begun:
            raise BadSetting(f"the tools of tau2's {domain} cannot be loaded: {self._begun['fault']}")

    @property
    def tables(self) -> Mapping[str, Mapping[str, Row]]:
        """The rows of db.json."""
        return self._begun["tables"]

    @cached_property
    def apis(self) -> tuple[Api, ...]:
        """The documents; what writes is what tau2 says changes state."""
        writes = self._begun["writes"]
        return tuple(api.replace(writes=api.name in writes) for api in read_tools(self._begun["tools"]))

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(self, what: str, **given: Any) -> dict[str, Any]:
        """What the process answers; a `fault` where it does not."""
        with self._lock:
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(json.dumps({"do": what, **given}) + "\n")
                self._process.stdin.flush()
            except OSError:
                return {"fault": "it has ended"}
            return self._said()

    def _said(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watch.cancel()
        if not line:
            return {"fault": f"its process ended with status {self._process.wait()}"}
        return json.loads(line)


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    with process:  # closes its streams, and waits
        pass


class Tau2(Stateful):
    """One conversation's database, and the tools over it."""

    blocking = True

    def __init__(self, tools: Tools, initial: Initial | None = None):
        self._tools, self._store = tools, Store(tools.tables)
        if initial is not None:
            self._put(self._ask("begin", **initial.model_dump(mode="json")))
        super().__init__(self._store)

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of the tools."""
        return self._tools.apis

    @property
    def tables(self) -> dict[str, dict[str, Row]]:
        """The database as it is now."""
        return self._store.state()

    def do(self, act: Act) -> Result:
        """Call a tool. What it wrote before it failed stays, as in tau2."""
        if act.kind != "call":
            return failure("unsupported", f"tau2's tools are called; a {act.kind} is not one")
        known = {api.name for api in self.apis}
        if act.api not in known:
            return failure("unknown_api", str(UnknownName("tool", act.api, known)))
        if act.arguments is None:
            return failure("parse", "the arguments are no JSON object")
        said = self._ask("call", rows=self._store.mark(), tool=act.api, arguments=act.arguments)
        self._put(said)
        changes, created = self._store.take()
        fault = Fault(**said["error"]) if "error" in said else None
        return Result(value=said.get("value"), error=fault, changes=own(changes), created=created)

    def _ask(self, what: str, **given: Any) -> dict[str, Any]:
        said = self._tools.ask(what, **given)
        return {"error": {"type": "exited", "message": said["fault"]}} if "fault" in said else said

    def _put(self, said: Mapping[str, Any]) -> None:
        for table, rows in said.get("changes", {}).items():
            for key, row in rows.items():
                self._store.put(table, key, row)


def checkout_of(folder: Path | None = None) -> Path:
    """The checkout: this one, or that of the environment. Raises BadSetting, BadFile."""
    named = str(folder or os.environ.get(CHECKOUT, ""))
    if not named:
        raise BadSetting(f"the world 'tau2' runs tools of a checkout of tau2-bench: export {CHECKOUT}=DIR")
    if not (found := Path(named) / "src" / "tau2" / "domains").is_dir():
        raise BadFile(f"{named} is no checkout of tau2-bench: there is no {found}")
    return Path(named)


def files_of(checkout: Path, domain: str) -> dict[str, Path]:
    """The files of a domain: tools, db, policy, tasks. Raises UnknownName, BadSetting, BadFile."""
    code, data = checkout / "src" / "tau2" / "domains", checkout / "data" / "tau2" / "domains" / domain
    if not (code / domain / "tools.py").is_file():
        raise UnknownName("domain of tau2", domain, sorted(one.parent.name for one in code.glob("*/tools.py")))
    if (code / domain / "user_tools.py").exists() and not (data / "db.json").exists():
        why = "its customers act by tools of their own, and here they only speak"
        raise BadSetting(f"tau2's {domain} is not imported: {why}; there is no {data / 'db.json'}")
    names = {"db": "db.json", "policy": "policy.md", "tasks": "tasks.json"}
    files = {"tools": code / domain / "tools.py", **{part: data / name for part, name in names.items()}}
    for file in files.values():
        stamp(file)  # says so where it cannot be read
    return files


def tools_of(domain: str) -> Tools:
    """The tools of a domain of the checkout that the environment names; one process serves all worlds of this one."""
    where = str(checkout_of()), domain, os.environ.get(PYTHON) or sys.executable
    files_of(Path(where[0]), domain)
    if not (found := _tools(*where)).alive:
        _tools.cache_clear()
        found = _tools(*where)
    return found


@lru_cache(maxsize=4)
def _tools(checkout: str, domain: str, python: str) -> Tools:
    return Tools(Path(checkout), domain, python)


def _make(case: Case) -> Tau2:
    given = arguments_of(case.world, _Arguments)
    return Tau2(tools_of(given.domain), given.initial)


def _at(setting: Setting) -> Kind:
    domain = arguments_of(setting, _Arguments).domain
    return Kind(_make, lambda: tools_of(domain).apis, lambda: tools_of(domain).tables, data_key=_data_key)


def _data_key(setting: Setting) -> str:
    files = files_of(checkout_of(), arguments_of(setting, _Arguments).domain).values()
    return _key(tuple((str(file), *stamp(file)) for file in files))


@lru_cache(maxsize=8)
def _key(files: tuple[tuple[str, int, int], ...]) -> str:
    return keys.content_key([keys.file_key(Path(file[0])) for file in files])


TAU2 = Kind(_make, data_key=_data_key, at=_at)
