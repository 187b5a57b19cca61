"""The text of a program: what it is in Python, its placeholders, and what is wrong with it before anything runs.

Contract: a program is the body of a function: it may `return`. `?1` stands for something that is not known yet, a value
or a whole statement; equal numbers are the same thing; inside strings and comments it is text, in the braces of an
f-string it is not. Nothing is run: `parse` reads, `check` compares with API documents. A problem has the line and the
column, both counted from 1.

Example:
    >>> from toologue.schema import Api, Parameter
    >>> apis = [Api(name="AddAlarm", parameters={"time": Parameter()})]
    >>> parse("assistant.add_alarm(time=?1)").numbers
    (1,)
    >>> for problem in check(parse("a = assistant.ad_alarm(time=?1)\\nreturn b"), apis, "assistant"):
    ...     print(problem)
    line 1, column 5: assistant has no method 'ad_alarm'; did you mean 'add_alarm'?
    line 1, column 29: the placeholder ?1 is not filled in
    line 2, column 8: the name 'b' is not defined

Not covered: types of arguments that are no literals; whether a name is defined on every way that leads to its use;
what only running shows.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
import threading
import warnings
from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import accumulate
from typing import Any, NamedTuple

from toologue.errors import shown
from toologue.sandbox.exceptions import CONVERSATIONAL, OF_THE_CLIENT, SERVICE
from toologue.sandbox.messages import ABSENT, MODULES
from toologue.sandbox.rpc import spelt
from toologue.schema import Api, Parameter
from toologue.values.json_schema import described, fits

# A string without an end goes on to the end: every character is read once.
_PLACE = re.compile(
    r"""(?P<string>(?P<prefix>\b[A-Za-z]{1,2})?
        (?:'{3}(?:[^'\\]|\\.|'(?!''))*+(?:'{3})?|"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3})?
          |'(?:[^'\\\n]|\\.)*+'?|"(?:[^"\\\n]|\\.)*+"?))
      |(?P<comment>\#[^\n]*)|\?(?P<number>\d+)""",
    re.DOTALL | re.VERBOSE,
)
_INSIDE = re.compile(r"(?<=\{)\?(?=\d)")
_STANDS_FOR = "ʔ"  # a letter, so that a placeholder is a name of the same length
_WARNINGS = threading.Lock()


class Placeholder(NamedTuple):
    """A place where something is missing."""

    number: int
    line: int
    column: int


@dataclass(frozen=True)
class Problem:
    """What is wrong, and where."""

    line: int
    column: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.what}"


@dataclass(frozen=True)
class Parsed:
    """A program that was read. Where it is no Python, `tree` is empty and `problems` says why."""

    code: str
    tree: ast.Module
    placeholders: tuple[Placeholder, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the placeholders, each once, as they first come."""
        return tuple(dict.fromkeys(one.number for one in self.placeholders))

    @property
    def unfilled(self) -> tuple[Problem, ...]:
        """What is wrong with the placeholders, where nobody fills them in."""
        return tuple(Problem(at, col, f"the placeholder ?{n} is not filled in") for n, at, col in self.placeholders)

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """What is wrong with the program as it stands."""
        return (*self.problems, *self.unfilled)


def parse(code: str) -> Parsed:
    """Read a program."""
    text = _named(code)
    nothing = ast.Module([], [])
    try:
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        said = error.msg.replace(_STANDS_FOR, "?")
        return Parsed(code, nothing, problems=(Problem(error.lineno or 1, max(error.offset or 1, 1), said),))
    except (ValueError, RecursionError, MemoryError) as error:
        return Parsed(code, nothing, problems=(Problem(1, 1, f"this is no Python: {shown(str(error))}"),))
    if _STANDS_FOR not in text:
        return Parsed(code, tree)
    lines = _Lines(text)
    numbered = ((node, number_of(node)) for node in ast.walk(tree))
    found = [Placeholder(number, *lines.place(node)) for node, number in numbered if number is not None]
    return Parsed(code, tree, tuple(sorted(found, key=lambda one: one[1:])))


def number_of(node: ast.AST) -> int | None:
    """The number of the placeholder that a node of a `tree` is; None where it is none."""
    name = node.id if isinstance(node, ast.Name) else ""
    return int(name[1:]) if name.startswith(_STANDS_FOR) and name[1:].isdecimal() and len(name) < 10 else None


def check(
    parsed: Parsed, apis: Sequence[Api], name: str, *, names: Collection[str] = (), draft: bool = False
) -> tuple[Problem, ...]:
    """What is wrong with a program that sees these Apis as methods of `name`.

    `names`: what else is defined, such as exceptions of the service; a `draft` may hold placeholders.
    """
    if parsed.problems:
        return parsed.problems
    known = {*vars(builtins), *CONVERSATIONAL, SERVICE, OF_THE_CLIENT, *names, name}.difference(ABSENT)
    nodes, lines, spellings = list(ast.walk(parsed.tree)), _Lines(_named(parsed.code)), spelt(apis)
    defined, methods = known | {*bound(nodes)}, {one: api for api in apis for one in spellings[api.name]}
    wrong = (complaint for node in nodes for complaint in _complaints(node, name, methods, defined))
    found = [Problem(*lines.place(at), what) for at, what in wrong]
    return tuple(sorted([*found, *(() if draft else parsed.unfilled)], key=lambda one: (one.line, one.column)))


def _complaints(node: ast.AST, name: str, methods: dict[str, Api], defined: set[str]) -> Iterator[tuple[ast.AST, str]]:
    match node:
        case ast.Name(id=used) if used not in defined and number_of(node) is None:
            yield node, f"the name {used!r} is not defined{_near(used, defined - set(dir(builtins)))}"
        case ast.Import() | ast.ImportFrom():
            for module in imported(node):
                if module not in MODULES and f"{module}." not in " ".join(MODULES):
                    yield node, f"a program may not import {module!r}"
        case ast.Attribute(value=ast.Name(id=of), attr=method) if of == name and method not in (*methods, "exceptions"):
            yield node, f"{name} has no method {method!r}{_near(method, methods)}"
        case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=method)) if of == name and method in methods:
            yield from _misfits(node, methods[method])
        case _:
            pass


def _misfits(node: ast.Call, api: Api) -> Iterator[tuple[ast.AST, str]]:
    parameters = list(api.parameters)
    if len(node.args) > len(parameters):
        yield node, f"{api.name} takes at most {len(parameters)} arguments, got {len(node.args)}"
    given = parameters[: len(node.args)]
    for keyword in node.keywords:
        if keyword.arg in given:
            yield keyword, f"{api.name} gets {keyword.arg!r} twice"
        elif keyword.arg is not None and keyword.arg not in parameters:
            yield keyword, f"{api.name} has no parameter {keyword.arg!r}{_near(keyword.arg, parameters)}"
        elif keyword.arg is not None and (wanted := _unfit(keyword.value, api.parameters[keyword.arg])):
            yield keyword, f"{api.name} takes for {keyword.arg!r} {wanted}, not {ast.unparse(keyword.value)}"
        given += [keyword.arg] if keyword.arg else parameters  # ** may give them all
    if not any(isinstance(one, ast.Starred) for one in node.args):
        yield from ((node, f"{api.name} needs {one!r}") for one in api.required if one not in given)


def _unfit(node: ast.expr, parameter: Parameter) -> str:
    """What a parameter wants, where a literal is given that does not fit; what only running shows always fits."""
    try:
        value: Any = ast.literal_eval(node)
        json.dumps(value)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return ""
    left_out = value is None and not parameter.required
    return "" if left_out or fits(value, parameter.json_schema) else described(parameter.json_schema)


def _named(code: str) -> str:
    """The program with names in place of its placeholders."""
    return _PLACE.sub(_name, code)


def _name(found: re.Match[str]) -> str:
    """A placeholder as a name, a string or a comment as it is."""
    if found["number"]:
        return _STANDS_FOR + found["number"]
    if found["string"] and "f" in (found["prefix"] or "").lower():
        return _INSIDE.sub(_STANDS_FOR, found[0])
    return found[0]


class _Lines:
    """The places of nodes in a text; Python counts bytes of the line."""

    def __init__(self, text: str):
        self._lines = text.split("\n")
        self._starts: dict[int, list[int]] = {}

    def place(self, node: ast.AST) -> tuple[int, int]:
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        if line not in self._starts:
            held = self._lines[line - 1] if line <= len(self._lines) else ""
            self._starts[line] = list(accumulate(len(char.encode(errors="replace")) for char in held))
        return line, bisect(self._starts[line], offset) + 1


def bound(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names that these nodes give a meaning."""
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case _:
                pass


def imported(node: ast.AST) -> Iterator[str]:
    """The modules that an import names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield "." * node.level + (node.module or "")


def _near(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def raised_in(code: str) -> str:
    """The conversational exception that a program is; empty where it is none."""
    body = parse(code).tree.body
    raised = body[0].exc if len(body) == 1 and isinstance(body[0], ast.Raise) else None
    called = raised.func if isinstance(raised, ast.Call) else raised
    return called.id if isinstance(called, ast.Name) and called.id in CONVERSATIONAL else ""
