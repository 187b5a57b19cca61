"""The source of the package, parsed: what the laws are checked on. A law is one test, which lists all that offends."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
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

    def at(self, line: int, what: str) -> str:
        """An offence: file, line, what is wrong."""
        return f"{self.path.relative_to(REPOSITORY)}:{line}: {what}"

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def documentation(self) -> str:
        """The docstring, or nothing."""
        return ast.get_docstring(self.tree) or ""

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
        return [node for node in self.nodes if isinstance(node, Function)]

    @cached_property
    def all(self) -> ast.Assign | None:
        """The statement that sets `__all__`."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets
            ):
                return node
        return None

    @cached_property
    def public(self) -> list[str]:
        """The names in `__all__`, as written; without one, the classes and functions whose names have no underscore."""
        if self.all:
            return list(ast.literal_eval(self.all.value))
        defined = [node.name for node in self.tree.body if isinstance(node, Function | ast.ClassDef)]
        return [name for name in defined if not name.startswith("_")]

    @cached_property
    def imports(self) -> dict[str, int]:
        """Module of ours → line of the first import, wherever it stands: in functions and for type checkers too."""
        found: dict[str, int] = {}
        for node in self.nodes:
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


def assert_none(offences: Iterable[str]) -> None:
    """A law holds everywhere, or the test says where it does not."""
    found = list(offences)
    assert not found, f"{len(found)} offences:\n" + "\n".join(found)


def assert_only(exempt: Collection[str], offences: Iterable[tuple[str, str]]) -> None:
    """A law holds but for what is exempt; what offends no longer is exempt no more. Pairs of what offends, how."""
    found = list(offences)
    assert_none(how for what, how in found if what not in exempt)
    mended = sorted(set(exempt) - {what for what, _ in found})
    assert not mended, f"these keep the law now, take them off the list of exempt ones: {mended}"
