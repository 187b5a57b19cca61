"""The house rules that a machine can check: names, sizes, docstrings, public names, and nothing that runs text."""

from __future__ import annotations

import ast
import doctest
import importlib
import re

import pytest
from source_tree import Function, Module, modules

ALL = list(modules().values())
each_module = pytest.mark.parametrize("module", ALL, ids=str)


@each_module
def test_no_module_has_a_name_that_says_nothing(module: Module) -> None:
    last = module.name.split(".")[-1]
    assert last not in {"utils", "util", "common", "helpers", "helper", "core", "manager", "misc"}
    assert not last.startswith("base_")
    assert last != "base"


@each_module
def test_a_module_says_what_it_is_and_what_it_is_not(module: Module) -> None:
    """Package files that only re-export, and the file that is run, are what their folder says."""
    text = ast.get_docstring(module.tree)
    assert text, "no docstring"
    defines = any(isinstance(node, Function | ast.ClassDef) for node in module.tree.body)
    if defines or not (module.is_package or module.name == "toologue.__main__"):
        assert re.search(r"^Not covered: \S", text, re.MULTILINE)
        assert text.rindex("Not covered:") > text.rfind("Example:"), "it comes last"


@each_module
def test_a_module_has_at_most_400_lines(module: Module) -> None:
    assert len(module.text.splitlines()) <= 400


def is_tool(module: Module, function: Function) -> bool:
    """A tool of the assistant: its parameters are those of the published API."""
    first = [argument.arg for argument in function.args.posonlyargs]
    return module.name.startswith("toologue.worlds.assistant.") and first == ["desk"]


@each_module
def test_a_function_has_at_most_40_lines_and_6_parameters(module: Module) -> None:
    """Parameters that are keyword-only do not count, nor does `self`; lines of the docstring do not either."""
    wrong: list[str] = []
    for function in module.functions:
        given = [a.arg for a in (*function.args.posonlyargs, *function.args.args) if a.arg not in ("self", "cls")]
        lines = (function.end_lineno or 0) - function.lineno + 1
        first = function.body[0]
        if ast.get_docstring(function):
            lines -= (first.end_lineno or 0) - first.lineno + 1
        if lines > 40:
            wrong.append(f"{function.name}: {lines} lines")
        if len(given) > 6 and not is_tool(module, function):
            wrong.append(f"{function.name}: {len(given)} parameters")
    assert not wrong


class TestPublicNames:
    def order(self, name: str) -> tuple[int, str]:
        """CONSTANTS, Classes, functions; each in the order of the alphabet."""
        return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name

    @each_module
    def test_are_sorted_and_true(self, module: Module) -> None:
        assert module.public == sorted(set(module.public), key=self.order)
        if module.public and module.name != "toologue.__main__":
            loaded = importlib.import_module(module.name)
            assert [name for name in module.public if not hasattr(loaded, name)] == []
            assert [name for name in module.public if name.startswith("_")] == []

    @each_module
    def test_functions_and_classes_have_docstrings(self, module: Module) -> None:
        nodes = [n for n in module.tree.body if isinstance(n, Function | ast.ClassDef) and n.name in module.public]
        bare = [node.name for node in nodes if not ast.get_docstring(node)]
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                methods = [m for m in node.body if isinstance(m, Function) and not m.name.startswith("_")]
                bare += [f"{node.name}.{method.name}" for method in methods if not ast.get_docstring(method)]
        assert bare == []

    @each_module
    def test_nobody_reaches_for_what_is_private_elsewhere(self, module: Module) -> None:
        reached = [
            f"line {node.lineno}: {alias.name} of {node.module}"
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("toologue")
            for alias in node.names
            if alias.name.startswith("_") and not alias.name.startswith("__")
        ]
        assert reached == []

    def test_the_nouns_are_all_exported(self) -> None:
        """`toologue.schema` gives every noun that its modules define."""
        schema = importlib.import_module("toologue.schema")
        defined = {n for m in ALL if m.folder == "schema" and not m.is_package for n in m.public if n[0].isupper()}
        assert defined - set(schema.__all__) == {"Appender"}


DANGEROUS = {"eval", "exec", "compile", "__import__", "execfile"}
UNSAFE = {
    ("pickle", "load"),
    ("pickle", "loads"),
    ("marshal", "loads"),
    ("shelve", "open"),
    ("yaml", "unsafe_load"),
    ("yaml", "full_load"),
    ("yaml", "load_all"),
    ("os", "system"),
    ("os", "popen"),
}


@each_module
def test_programs_are_loaded_in_the_sealed_process_alone(module: Module) -> None:
    """Only `sandbox.jail` makes a module of a program's text, and no module of the host imports it."""
    if module.name.startswith("toologue.sandbox.jail"):
        return
    loaders = ("import InspectLoader", "spec_from_loader", "sandbox.jail import", "sandbox import jail")
    assert not [text for text in loaders if text in module.text]


@each_module
def test_no_text_is_run_as_code(module: Module) -> None:
    """No exec, no eval, no pickle of others; YAML only through a safe loader; no shell; no pickled arrays."""
    wrong: list[str] = []
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if isinstance(called, ast.Name) and called.id in DANGEROUS:
            wrong.append(f"line {node.lineno}: {called.id}")
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            name = (called.value.id, called.attr)
            unsafe = name in UNSAFE
            unsafe |= name == ("yaml", "load") and "Safe" not in ast.unparse(keywords.get("Loader", node))
            unsafe |= name == ("np", "load") and ast.unparse(keywords.get("allow_pickle", node)) != "False"
            if unsafe:
                wrong.append(f"line {node.lineno}: {'.'.join(name)}")
        shell = keywords.get("shell")
        if isinstance(shell, ast.Constant) and shell.value is True:
            wrong.append(f"line {node.lineno}: a shell")
    assert not wrong


@each_module
def test_exceptions_are_swallowed_at_declared_boundaries_only(module: Module) -> None:
    """`except Exception` says which boundary it is: World.do, Agent.act, a published grader."""
    lines = module.text.splitlines()
    broad = [
        handler.lineno
        for handler in ast.walk(module.tree)
        if isinstance(handler, ast.ExceptHandler)
        and re.search(r"\bException\b", ast.unparse(handler.type) if handler.type else "Exception")
    ]
    assert [number for number in broad if "a declared boundary" not in lines[number - 1]] == []


@pytest.mark.parametrize("module", [m for m in ALL if ">>>" in m.text], ids=str)
def test_examples_are_true(module: Module) -> None:
    ran = doctest.testmod(importlib.import_module(module.name))
    assert ran.attempted
    assert not ran.failed


def has_public_functions(module: Module) -> bool:
    return any(isinstance(node, Function) and node.name in module.public for node in module.tree.body)


def is_plugin(module: Module) -> bool:
    """A part of the assistant: the conversations of the starter set are its examples."""
    return module.name.startswith("toologue.worlds.assistant.")


@pytest.mark.parametrize("module", [m for m in ALL if has_public_functions(m) and not is_plugin(m)], ids=str)
def test_public_functions_come_with_a_worked_example(module: Module) -> None:
    """The command line has its own: the help of its commands."""
    if module.folder != "cli":
        assert ">>>" in (ast.get_docstring(module.tree) or "")
