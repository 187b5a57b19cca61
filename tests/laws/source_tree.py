"""The source of the package, parsed: what the laws are checked on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import toologue

ROOT = Path(toologue.__file__).parent
REPOSITORY = ROOT.parent.parent
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file: its dotted name, its path, its text."""

    name: str
    path: Path
    text: str

    def __str__(self) -> str:
        return self.name

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def folder(self) -> str:
        """The package's part that this module belongs to: `score` for `toologue.score.calls`, `loop` for itself."""
        return self.name.split(".")[1] if "." in self.name else ""

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @cached_property
    def functions(self) -> list[Function]:
        """Every function and method, nested ones too."""
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]

    @cached_property
    def public(self) -> list[str]:
        """The names in `__all__`, as written."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets
            ):
                return list(ast.literal_eval(node.value))
        return []

    @cached_property
    def imports(self) -> dict[str, int]:
        """Module of ours → line of the first import, wherever it stands: in functions and for type checkers too."""
        found: dict[str, int] = {}
        for node in ast.walk(self.tree):
            for name in self._imported(node):
                if name in modules():
                    found.setdefault(name, node.lineno)
        found.pop(self.name, None)
        return found

    def _imported(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{self.name}:{node.lineno}: a relative import"
            for alias in node.names:  # `from package import module` is an import of the module
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules() else str(node.module)


@cache
def modules() -> dict[str, Module]:
    """Every module of the package by its name."""
    found: dict[str, Module] = {}
    for path in sorted(ROOT.rglob("*.py")):
        steps = list(path.relative_to(ROOT.parent).with_suffix("").parts)
        name = ".".join(steps[:-1] if steps[-1] == "__init__" else steps)
        found[name] = Module(name, path, path.read_text("utf-8"))
    return found
