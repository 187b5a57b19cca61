"""The house rules that a machine can check: names, sizes, docstrings, public names, and nothing that runs text."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from collections.abc import Iterator

import pytest
from source_tree import Function, Module, assert_none, assert_only, modules

ALL = list(modules().values())
LINES_OF_A_MODULE = 600
LINES_OF_A_FUNCTION = 60
PARAMETERS = 6

# Packages whose docstring still lacks a worked example or "Not covered:".
WITHOUT_EXAMPLE = {
    "toologue",
    "toologue.agents",
    "toologue.agents.llm",
    "toologue.text",
    "toologue.cli",
    "toologue.plan",
    "toologue.values",
}


def test_no_module_has_a_name_that_says_nothing() -> None:
    banned = {"utils", "util", "common", "helpers", "helper", "core", "manager", "misc", "base"}
    last_parts = [(module, module.name.split(".")[-1]) for module in ALL]
    assert_none(m.at(1, f"a name like {part}") for m, part in last_parts if part in banned or part.startswith("base_"))


def test_a_module_says_what_it_is() -> None:
    assert_none(module.at(1, "no docstring") for module in ALL if not module.documentation)


def test_a_package_comes_with_a_worked_example_and_says_what_it_does_not_cover() -> None:
    """Every package that has more than one module beside its `__init__`."""

    def offences() -> Iterator[tuple[str, str]]:
        for module in ALL:
            inside = [name for name in modules() if name.startswith(f"{module.name}.")]
            if not module.is_package or len(inside) < 2:
                continue
            text = module.documentation
            if ">>>" not in text:
                yield module.name, module.at(1, "the docstring has no worked example")
            if not re.search(r"^Not covered: \S", text, re.MULTILINE):
                yield module.name, module.at(1, 'the docstring has no "Not covered:"')

    assert_only(WITHOUT_EXAMPLE, offences())


def test_what_is_not_covered_comes_last() -> None:
    texts = [(module, module.documentation) for module in ALL if "Not covered:" in module.documentation]
    assert_none(
        module.at(1, '"Not covered:" stands before the example')
        for module, text in texts
        if text.rindex("Not covered:") < text.rfind("Example:")
    )


def test_modules_are_not_longer_than_the_limit() -> None:
    lengths = [(module, len(module.text.splitlines())) for module in ALL]
    assert_none(module.at(lines, f"{lines} lines") for module, lines in lengths if lines > LINES_OF_A_MODULE)


def is_tool(module: Module, function: Function) -> bool:
    """A tool of the assistant: its parameters are those of the published API."""
    first = [argument.arg for argument in function.args.posonlyargs]
    return module.name.startswith("toologue.worlds.assistant.") and first == ["desk"]


def each_function() -> Iterator[tuple[Module, Function]]:
    return ((module, function) for module in ALL for function in module.functions)


def test_functions_are_not_longer_than_the_limit() -> None:
    """Lines of the docstring do not count."""

    def lines(function: Function) -> int:
        first = function.body[0]
        described = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(function) else 0
        return (function.end_lineno or 0) - function.lineno + 1 - described

    assert_none(
        module.at(function.lineno, f"{function.name} has {count} lines")
        for module, function in each_function()
        if (count := lines(function)) > LINES_OF_A_FUNCTION
    )


def test_functions_have_no_more_parameters_than_the_limit() -> None:
    """Parameters that are keyword-only do not count, nor does `self`."""

    def given(function: Function) -> int:
        return sum(a.arg not in ("self", "cls") for a in (*function.args.posonlyargs, *function.args.args))

    assert_none(
        module.at(function.lineno, f"{function.name} has {given(function)} parameters")
        for module, function in each_function()
        if given(function) > PARAMETERS and not is_tool(module, function)
    )


class TestPublicNames:
    def order(self, name: str) -> tuple[int, str]:
        """CONSTANTS, Classes, functions; each in the order of the alphabet."""
        return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name

    def test_are_listed_by_packages_alone(self) -> None:
        assert_none(m.at(m.all.lineno, "an __all__") for m in ALL if m.all and not m.is_package)

    def test_are_sorted_and_true(self) -> None:
        def offences() -> Iterator[str]:
            for module in ALL:
                if not module.all:
                    continue
                line = module.all.lineno
                if module.public != sorted(set(module.public), key=self.order):
                    yield module.at(line, "__all__ is not sorted: CONSTANTS, Classes, functions")
                if module.name != "toologue.__main__":
                    loaded = importlib.import_module(module.name)
                    absent = [name for name in module.public if not hasattr(loaded, name) or name.startswith("_")]
                    yield from (module.at(line, f"__all__ names {name}: absent or private") for name in absent)

        assert_none(offences())

    def test_functions_and_classes_have_docstrings(self) -> None:
        def offences() -> Iterator[str]:
            for module in ALL:
                nodes = [
                    n for n in module.tree.body if isinstance(n, Function | ast.ClassDef) and n.name in module.public
                ]
                classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
                methods = [m for c in classes for m in c.body if isinstance(m, Function) and not m.name.startswith("_")]
                bare = [node for node in (*nodes, *methods) if not ast.get_docstring(node)]
                yield from (module.at(node.lineno, f"{node.name} has no docstring") for node in bare)

        assert_none(offences())

    def test_nobody_reaches_for_what_is_private_elsewhere(self) -> None:
        assert_none(
            module.at(node.lineno, f"{alias.name} of {node.module} is private")
            for module in ALL
            for node in module.nodes
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("toologue")
            for alias in node.names
            if alias.name.startswith("_") and not alias.name.startswith("__")
        )

    def test_the_nouns_are_all_exported(self) -> None:
        """`toologue.schema` gives every noun that its modules define."""
        schema = importlib.import_module("toologue.schema")
        defined = {n for m in ALL if m.folder == "schema" and not m.is_package for n in m.public if n[0].isupper()}
        assert defined - set(schema.__all__) == {"Appender", "Packer", "Unpacker"}, "they work on files"


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


def test_programs_are_loaded_in_the_sealed_process_alone() -> None:
    """Only `sandbox.jail` makes a module of a program's text, and no module of the host imports it."""
    loaders = ("import InspectLoader", "spec_from_loader", "sandbox.jail import", "sandbox import jail")
    outside = [module for module in ALL if not module.name.startswith("toologue.sandbox.jail")]
    assert_none(
        module.at(number, text)
        for module in outside
        for number, line in enumerate(module.text.splitlines(), 1)
        for text in loaders
        if text in line
    )


def dangers(call: ast.Call) -> Iterator[str]:
    """What is dangerous about a call."""
    called = call.func
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if isinstance(called, ast.Name) and called.id in DANGEROUS:
        yield called.id
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        name = (called.value.id, called.attr)
        unsafe = name in UNSAFE
        unsafe |= name == ("yaml", "load") and "Safe" not in ast.unparse(keywords.get("Loader", call))
        unsafe |= name == ("np", "load") and ast.unparse(keywords.get("allow_pickle", call)) != "False"
        if unsafe:
            yield ".".join(name)
    shell = keywords.get("shell")
    if isinstance(shell, ast.Constant) and shell.value is True:
        yield "a shell"


def test_no_text_is_run_as_code() -> None:
    """No exec, no eval, no pickle of others; YAML only through a safe loader; no shell; no pickled arrays."""
    assert_none(
        module.at(node.lineno, danger)
        for module in ALL
        for node in module.nodes
        if isinstance(node, ast.Call)
        for danger in dangers(node)
    )


def test_exceptions_are_swallowed_at_declared_boundaries_only() -> None:
    """`except Exception` says which boundary it is: World.do, Agent.act, a published grader."""

    def offences() -> Iterator[str]:
        for module in ALL:
            lines = module.text.splitlines()
            for node in module.nodes:
                if not isinstance(node, ast.ExceptHandler):
                    continue
                kind = ast.unparse(node.type) if node.type else "Exception"
                if re.search(r"\bException\b", kind) and "a declared boundary" not in lines[node.lineno - 1]:
                    yield module.at(node.lineno, f"except {kind} at no declared boundary")

    assert_none(offences())


WITH_EXAMPLES = [module for module in ALL if ">>>" in module.text]


@pytest.mark.parametrize("room", sorted({module.folder for module in WITH_EXAMPLES}))
def test_examples_are_true(room: str) -> None:
    """What is wrong with one stands in the captured output."""

    def offences() -> Iterator[str]:
        for module in WITH_EXAMPLES:
            if module.folder == room:
                ran = doctest.testmod(importlib.import_module(module.name))
                if ran.failed or not ran.attempted:
                    yield module.at(1, f"{ran.failed} of {ran.attempted} examples are false")

    assert_none(offences())


def test_data_meets_the_terminal_in_one_place() -> None:
    """`cli.terminal` alone prints, and shows what would steer a terminal as escapes. What prints no data may, too."""
    may = {"toologue.cli", "toologue.cli.list", "toologue.cli.terminal", "toologue.sandbox.jail.run"}
    names = ((m, node) for m in ALL if m.name not in may for node in m.nodes if isinstance(node, ast.Name))
    assert_none(m.at(node.lineno, "prints: use cli.terminal.echo") for m, node in names if node.id == "print")
