"""Who may import whom: left never imports right; no cycles; strings that name modules live in the registry."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from source_tree import REPOSITORY, Module, assert_none, assert_only, modules

# The rooms from left to right: left never imports right. Inside a band order is free, circles are not.
# Rooms that are planned have their place, too.
BANDS = [
    "errors events keys limits registry parallel data",
    "schema",
    "loop formats text values",
    "models sandbox apis worlds",
    "procedure",
    "plan write verify",
    "agents users run",
    "score judge mutate",
    "review bench report project",
    "api cli __main__ pytest_plugin",
]

# Who must not import whom, although the bands would allow it.
NEVERS = [
    ("verify", "plan write procedure"),
    ("agents", "plan write"),
    ("users", "agents"),
    ("score", "agents write run"),
    ("judge", "agents"),
]

# Who breaks one of the nevers today. Nothing is ever added.
NOT_YET: set[str] = set()

BAND = {room: number for number, band in enumerate(BANDS) for room in band.split()}
ALL = list(modules().values())


def room(module: Module) -> str:
    """The room that a module belongs to; the package itself has none."""
    return module.folder


def test_every_room_has_its_band() -> None:
    """What belongs to none has to be added to the bands and to the architecture."""
    assert_none(module.at(1, f"{room(module)} is in no band") for module in ALL if room(module) not in {"", *BAND})


def test_the_architecture_has_the_same_bands_and_nevers() -> None:
    page = (REPOSITORY / "docs/architecture.md").read_text().partition("## Layers\n")[2].partition("**The one")[0]
    bands = " ".join(page.split("```")[1].split()).split(" │ ")
    assert [{*band.split()} for band in bands] == [{*band.split()} - {"__main__"} for band in BANDS]
    rows = [[re.findall(r"`(\w+)`", cell) for cell in row.split("|")[1:3]] for row in page.splitlines() if "`" in row]
    told = {(one, other) for ones, others in (row for row in rows if len(row) == 2) for one in ones for other in others}
    assert told == {(one, other) for one, others in NEVERS for other in others.split()}


def test_the_package_itself_imports_none_of_its_parts() -> None:
    """But for who reads its types; what an import loads is measured below."""
    free = [m for m in ALL if not m.folder and m.name != "toologue"]
    assert_none(m.at(line, f"imports {name}") for m in free for name, line in m.imports.items())


def test_nothing_imports_to_the_right() -> None:
    """Imports inside functions and under TYPE_CHECKING count."""
    assert_none(
        module.at(line, f"{room(module)} imports {name}")
        for module in ALL
        for name, line in module.imports.items()
        if module.folder and name != "toologue" and BAND[room(modules()[name])] > BAND[room(module)]
    )


def test_the_nevers() -> None:
    def offences() -> Iterator[tuple[str, str]]:
        for module in ALL:
            never = {other for one, others in NEVERS if one == room(module) for other in others.split()}
            for name, line in module.imports.items():
                other = room(modules()[name])
                if other in never:
                    where = module.name.removeprefix("toologue.")
                    yield f"{where} → {other}", module.at(line, f"imports {name}")

    assert_only(NOT_YET, offences())


def test_no_module_imports_itself_in_the_end() -> None:
    """Packages of one band may need each other, as long as their modules do not do so in a circle."""
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> Iterator[str]:
        if name in path:
            yield " → ".join([*path[path.index(name) :], name])
        elif name not in done:
            for other in modules()[name].imports if name != "toologue" else ():  # for who reads its types
                yield from walk(other, [*path, name])
            done.add(name)

    assert_none(circle for name in modules() for circle in walk(name, []))


def strings(module: Module) -> Iterator[ast.Constant]:
    """Every string but docstrings."""
    documentation = {
        id(node.value) for node in module.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node


def test_strings_that_name_modules_live_in_the_registry() -> None:
    assert_none(
        module.at(string.lineno, repr(string.value))
        for module in ALL
        if module.name != "toologue.registry"
        for string in strings(module)
        if re.match(r"toologue\.\w+[\w.]*(:|$)", str(string.value))
    )


class TestImportCost:
    """By `sys.modules` of a fresh interpreter: what nobody asked for is not loaded."""

    HEAVY = ("numpy", "pydantic", "rich", "jinja2", "yaml", "cyclopts", "hypothesis", "asyncio")

    def loaded(self, code: str, *names: str) -> set[str]:
        """Which of these modules a fresh interpreter has loaded after this code."""
        script = f"{code}\nimport sys\nprint(*sys.modules.keys() & {sorted(names)!r})"
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        return set(ran.stdout.split())

    def test_the_package_alone_loads_nothing(self) -> None:
        assert self.loaded("import toologue", *self.HEAVY) == set()

    def test_the_nouns_load_pydantic_only(self) -> None:
        assert self.loaded("import toologue.schema", *self.HEAVY) - {"asyncio"} == {"pydantic"}

    def test_the_loop_loads_no_more(self) -> None:
        assert self.loaded("import toologue.loop", *self.HEAVY) == {"pydantic", "asyncio"}

    def test_a_registry_of_heavy_things_is_light(self) -> None:
        code = "from toologue import registry\n[registry.names(kind) for kind in registry.KINDS]"
        assert self.loaded(code, *self.HEAVY) == set()

    def test_running_and_grading_one_by_one_need_no_numpy(self) -> None:
        code = "import toologue.run.store, toologue.score.calls, toologue.score.outcome, toologue.worlds.assistant"
        assert self.loaded(code, "numpy", "rich", "jinja2", "cyclopts") == set()

    @pytest.mark.skipif("toologue.cli" not in modules(), reason="there is no command line")
    def test_help_loads_no_schema(self) -> None:
        code = (
            "import contextlib, io\nfrom toologue.cli import status\n"
            "with contextlib.redirect_stdout(io.StringIO()) as out:\n    assert status(['--help']) == 0\n"
            "assert 'Usage' in out.getvalue()"
        )
        assert self.loaded(code, "pydantic", "numpy", "jinja2", "yaml", "toologue.schema") == set()

    @pytest.mark.skipif("toologue.cli" not in modules(), reason="there is no command line")
    def test_help_of_no_command_loads_what_the_command_works_with(self) -> None:
        """Of commands and their parts. A command's module imports it inside its functions."""
        code = (
            "import contextlib, io\nfrom toologue import registry\nfrom toologue.cli import app, status\n"
            "whole = app()\nparts = {name: ['--help', *whole[name]] for name in registry.COMMANDS}\n"
            "for name, part in ((name, part) for name in parts for part in parts[name] if part != '-h'):\n"
            "    with contextlib.redirect_stdout(io.StringIO()) as out:\n"
            "        assert status([name, *{part: 0, '--help': 0}]) == 0\n"
            "    assert f'Usage: toologue {name}' in out.getvalue()"
        )
        heavy = (*self.HEAVY, "rapidfuzz", "multiprocessing", "toologue.schema", "toologue.data")
        assert self.loaded(code, *heavy) - {"rich", "cyclopts"} == set()
