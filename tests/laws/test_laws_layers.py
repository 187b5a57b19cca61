"""Who may import whom : left never imports right; no cycles; strings that name modules live in the registry."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from source_tree import Module, modules

BANDS = [
    {"errors", "keys", "registry", "parallel", "data"},
    {"schema"},
    {"loop", "formats", "text", "values"},
    {"models", "sandbox", "apis", "worlds"},
    {"procedure"},
    {"plan", "write", "verify"},
    {"agents", "users", "run"},
    {"score", "mutate"},
    {"bench", "report", "project"},
    {"cli", "__main__"},
]
"""From left to right. Inside a band order is free."""

BAND = {folder: number for number, band in enumerate(BANDS) for folder in band}
ALL = list(modules().values())


@pytest.mark.parametrize("module", ALL, ids=str)
def test_nothing_imports_to_the_right(module: Module) -> None:
    """Imports inside functions and under TYPE_CHECKING count. The package itself imports none of its parts."""
    if not module.folder:
        assert not module.imports
        return
    assert module.folder in BAND, f"{module} belongs to no band: add its folder to this test and to the architecture"
    wrong = [
        f"line {line}: {name}"
        for name, line in module.imports.items()
        if name != "toologue" and BAND[modules()[name].folder] > BAND[module.folder]
    ]
    assert not wrong


def test_score_never_imports_run() -> None:
    assert not [f"{m} imports {name}" for m in ALL if m.folder == "score" for name in m.imports if ".run" in name]


def test_no_module_imports_itself_in_the_end() -> None:
    """Packages of one band may need each other, as long as their modules do not do so in a circle."""
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> Iterator[str]:
        if name in path:
            yield " → ".join([*path[path.index(name) :], name])
        elif name not in done:
            for other in modules()[name].imports:
                yield from walk(other, [*path, name])
            done.add(name)

    assert [circle for name in modules() for circle in walk(name, [])] == []


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every string but docstrings."""
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node


@pytest.mark.parametrize("module", [m for m in ALL if m.name != "toologue.registry"], ids=str)
def test_strings_that_name_modules_live_in_the_registry(module: Module) -> None:
    found = [
        f"line {s.lineno}: {s.value!r}" for s in strings(module.tree) if re.match(r"toologue\.\w+[\w.]*(:|$)", s.value)
    ]
    assert not found


class TestImportCost:
    """By `sys.modules` of a fresh interpreter: what nobody asked for is not loaded."""

    HEAVY = ("numpy", "pydantic", "rich", "jinja2", "yaml", "cyclopts", "hypothesis", "networkx", "asyncio")

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
        assert self.loaded(code, "numpy", "rich", "jinja2", "yaml", "cyclopts") == set()

    @pytest.mark.skipif("toologue.cli" not in modules(), reason="there is no command line")
    def test_help_loads_no_schema(self) -> None:
        code = (
            "import contextlib, io\nfrom toologue.cli import status\n"
            "with contextlib.redirect_stdout(io.StringIO()) as out:\n    assert status(['--help']) == 0\n"
            "assert 'Usage' in out.getvalue()"
        )
        assert self.loaded(code, "pydantic", "numpy", "jinja2", "yaml", "toologue.schema") == set()
