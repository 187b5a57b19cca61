"""A program in the part of Python that Monty runs as CPython does, or why it cannot be said there.

Contract: `in_subset` gives text for `monty.PRELUDE` to run, and for each of its lines the line of the program. Calls of
the one object become calls of a function that passes texts; exceptions that Monty does not have become marked texts,
which handlers read. Whatever Monty lacks, or might do otherwise than CPython (other modules, classes, order of sets,
looking at attributes by name), raises Outside: it is better run elsewhere than run wrongly.

Example:
    >>> import ast
    >>> known = Known("s3", {"get_object": ("get_object", ("Bucket", "Key"))}, frozenset({"NoSuchKey"}))
    >>> print(in_subset(ast.parse("return s3.get_object('b', Key='k')"), known).text)
    def _t_program():
        return _t_call('get_object', {'Bucket': 'b', 'Key': 'k'})
    _t_text(_t_program())

Not covered: methods of texts and lists that Monty does not have; they fail there.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from toologue.sandbox.allowed import ABSENT, MODULES

_MODULES = {"base64", "collections", "copy", "datetime", "itertools", "json", "math", "random", "time"}
_LOOKING = {"__import__", "callable", "classmethod", "delattr", "dir", "getattr", "globals", "hasattr", "hash", "id",
            "locals", "memoryview", "object", "property", "setattr", "staticmethod", "super", "vars"}  # fmt: skip
_LACKING = (ast.ClassDef, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith,
            ast.TryStar, ast.Global)  # fmt: skip
_BINDING = (ast.FunctionDef, ast.arg, ast.alias, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
_UNORDERED = {"len", "sorted", "min", "max", "any", "all"}
"""Functions to which the order of a set does not matter."""
_BUILTIN = {name for name, held in vars(builtins).items() if isinstance(held, type) and issubclass(held, BaseException)}


class Outside(Exception):
    """This cannot be said in the subset. `kind` is the error that it would be where nothing else can run it."""

    def __init__(self, node: ast.AST, what: str, kind: str = "NotImplementedError"):
        self.kind, self.line = kind, getattr(node, "lineno", 1)
        super().__init__(what)


@dataclass(frozen=True)
class Known:
    """What a program sees: the one object, its methods by spelling (Api, parameters), the exceptions."""

    name: str
    methods: Mapping[str, tuple[str, tuple[str, ...]]]
    exceptions: frozenset[str]


@dataclass(frozen=True)
class Text:
    """What Monty is given."""

    text: str
    whole: ast.Module

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """The program's line for each line of the text."""
        lines = [1] * (self.text.count("\n") + 1)
        for old, new in zip(_statements(self.whole), _statements(ast.parse(self.text)), strict=True):
            end = new.end_lineno or new.lineno
            lines[new.lineno - 1 : end] = [old.lineno] * (end - new.lineno + 1)
        return tuple(lines)


def in_subset(tree: ast.Module, known: Known) -> Text:
    """The program as Monty runs it. Raises Outside. The tree is used up."""
    read = {*known.exceptions, known.name, *_UNORDERED, "frozenset", "round", "set", "type"}
    for node in ast.walk(tree):
        _check_names(node, read)
    shim = _Shim(known)
    body = [shim.visit(statement) for statement in tree.body] or [ast.Pass()]
    whole = ast.parse("def _t_program(): pass\n_t_text(_t_program())")
    whole.body[0].body = body  # pyright: ignore[reportAttributeAccessIssue]
    return Text(ast.unparse(ast.fix_missing_locations(whole)), whole)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements below a node, outer ones first."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        yield from _statements(child)


class _Shim(ast.NodeTransformer):
    """Rewrites what Monty does not have, refuses what it might do otherwise."""

    def __init__(self, known: Known):
        self._known, self._caught, self._unordered = known, list[tuple[str, str]](), set[int]()
        self._count = 0

    def visit(self, node: ast.AST) -> ast.AST:
        """Any node."""
        if isinstance(node, _LACKING):
            raise Outside(node, f"Monty has no {type(node).__name__}")
        if _is_set(node) and id(node) not in self._unordered:
            raise Outside(node, "the order of a set may matter")
        return super().visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Names that may be used as values."""
        known = self._known
        if node.id in (*known.exceptions, known.name, "type") or node.id in _LOOKING:
            raise Outside(node, f"{node.id} as a value")
        if node.id in ABSENT:
            raise Outside(node, f"name '{node.id}' is not defined", "NameError")
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Attributes but for those of the interpreter; the name of a class is asked for by a function."""
        if node.attr == "__name__":
            of = node.value
            if isinstance(of, ast.Attribute) and of.attr == "__class__":
                return self._called("_t_kind", of.value, at=node)
            if (
                isinstance(of, ast.Call)
                and isinstance(of.func, ast.Name)
                and of.func.id == "type"
                and len(of.args) == 1
            ):
                return self._called("_t_kind", of.args[0], at=node)
        if node.attr.startswith("__"):
            raise Outside(node, f"the attribute {node.attr}")
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        """Modules that are the same in Monty."""
        for alias in node.names:
            _importable(node, alias.name)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """The same."""
        _importable(node, "." * node.level + (node.module or ""))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Calls of the one object become calls of a function; sets may stand where their order does not matter."""
        called = node.func
        if isinstance(called, ast.Name) and called.id in _UNORDERED and len(node.args) == 1 and not node.keywords:
            self._allow(node.args[0])
        if isinstance(called, ast.Name) and called.id == "sorted" and len(node.args) == 1:
            self._allow(node.args[0]) if all(one.arg == "reverse" for one in node.keywords) else None
        if isinstance(called, ast.Name) and called.id == "round" and len(node.args) + len(node.keywords) > 1:
            raise Outside(node, "Monty rounds decimal places otherwise")
        if isinstance(called, ast.Attribute) and self._is_service(called.value):
            return self._call(node, called.attr)
        return self.generic_visit(node)

    def _call(self, node: ast.Call, method: str) -> ast.AST:
        if method not in self._known.methods:
            what = f"'{self._known.name[:1].upper() + self._known.name[1:]}' object has no attribute '{method}'"
            raise Outside(node, what, "AttributeError")
        api, parameters = self._known.methods[method]
        given = [keyword.arg for keyword in node.keywords]
        if any(isinstance(one, ast.Starred) for one in node.args) or len(node.args) > len(parameters):
            raise Outside(node, "arguments whose names are not known", "TypeError")
        names: list[str | None] = [*parameters[: len(node.args)], *given]
        if len(set(names)) < len(names):
            raise Outside(node, "an argument that is given twice", "TypeError")
        values = [self.visit(value) for value in (*node.args, *(keyword.value for keyword in node.keywords))]
        table = ast.Dict([None if name is None else ast.Constant(name) for name in names], values)  # pyright: ignore
        made = ast.Call(ast.Name("_t_call", ast.Load()), [ast.Constant(api), table], [])
        return ast.copy_location(made, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """A set may be asked what it holds."""
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                self._allow(right)
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """A set may be returned: it is sorted."""
        if node.value is not None:
            self._allow(node.value)
        return self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> ast.AST | list[ast.stmt]:
        """Monty has no `del`; rows of a table can be taken out otherwise."""
        made: list[ast.stmt] = []
        for target in node.targets:
            if not isinstance(target, ast.Subscript) or isinstance(target.slice, ast.Slice):
                raise Outside(node, "Monty has no del")
            call = self._called("_t_delete", target.value, target.slice, at=node)
            made.append(ast.copy_location(ast.Expr(call), node))
        return made

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Exceptions that Monty does not have are marked texts; a caught one is raised as it came."""
        raised = node.exc
        if isinstance(raised, ast.Name):
            for name, original in reversed(self._caught):
                if name == raised.id:
                    node.exc = ast.copy_location(ast.Name(original, ast.Load()), raised)
                    return node
        kind, given = (raised.func, raised.args) if isinstance(raised, ast.Call) else (raised, [])
        if not isinstance(kind, ast.Name) or kind.id not in self._known.exceptions:
            return self.generic_visit(node)
        if isinstance(raised, ast.Call) and (raised.keywords or any(isinstance(a, ast.Starred) for a in given)):
            raise Outside(node, "an exception with named arguments")
        node.exc = self._called("_t_new", ast.Constant(kind.id), ast.Tuple(list(given), ast.Load()), at=raised or node)
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """All handlers become one, which asks what it caught."""
        if not node.handlers:
            return self.generic_visit(node)
        self._count += 1
        original = f"_t_caught_{self._count}"
        chain: list[ast.stmt] = [ast.copy_location(ast.Raise(None, None), node)]
        for handler in reversed(node.handlers):
            test = self._called("_t_is", *self._kinds(handler, original), at=handler)
            chain = [ast.copy_location(ast.If(test, self._handled(handler, original), chain), handler)]
        caught = ast.ExceptHandler(ast.Name("BaseException", ast.Load()), original, chain)
        node.body, node.orelse, node.finalbody = map(self._visited, (node.body, node.orelse, node.finalbody))
        node.handlers = [ast.copy_location(caught, node.handlers[0])]
        return node

    def _handled(self, handler: ast.ExceptHandler, original: str) -> list[ast.stmt]:
        if handler.name is None:
            return self._visited(handler.body)
        shown = self._called("_t_shown", ast.Name(original, ast.Load()), at=handler)
        first = ast.Assign([ast.Name(handler.name, ast.Store())], shown)
        self._caught.append((handler.name, original))
        body = [ast.copy_location(first, handler), *self._visited(handler.body)]
        self._caught.pop()
        return body

    def _kinds(self, handler: ast.ExceptHandler, original: str) -> tuple[ast.expr, ...]:
        """The arguments of `_t_is`: what was caught, the names, the builtin ones, whether its text may be read."""
        kind = handler.type
        kinds = [ast.Name("BaseException", ast.Load())] if kind is None else [kind]
        if isinstance(kind, ast.Tuple):
            kinds = kind.elts
        names = [self._exception(one) for one in kinds]
        classes: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names if name in _BUILTIN]
        told = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
        return ast.Name(original, ast.Load()), told, ast.Tuple(classes, ast.Load()), ast.Constant(bool(handler.name))

    def _exception(self, node: ast.expr) -> str:
        """The name of an exception in a handler."""
        if isinstance(node, ast.Name) and (node.id in _BUILTIN or node.id in self._known.exceptions):
            return node.id
        match node:
            case ast.Attribute(value=ast.Attribute(value=of, attr="exceptions"), attr=name) if name not in _BUILTIN:
                if self._is_service(of):
                    return name
            case _:
                pass
        raise Outside(node, "an exception that is not known by name")

    def _visited(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in body:
            one = self.visit(statement)
            made += one if isinstance(one, list) else [one]  # pyright: ignore
        return made

    def _called(self, function: str, *given: ast.expr, at: ast.AST) -> ast.expr:
        arguments = [self.visit(one) if not _ours(one) else one for one in given]
        return ast.copy_location(ast.Call(ast.Name(function, ast.Load()), arguments, []), at)  # pyright: ignore

    def _is_service(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self._known.name

    def _allow(self, node: ast.expr) -> None:
        """The order of this set does not matter."""
        self._unordered.add(id(node))
        if isinstance(node, ast.BinOp):
            self._allow(node.left)
            self._allow(node.right)


def _ours(node: ast.expr) -> bool:
    """Whether the shim made this."""
    if isinstance(node, ast.Tuple):
        return all(
            isinstance(one, ast.Constant) or (isinstance(one, ast.Name) and one.id in _BUILTIN) for one in node.elts
        )
    return isinstance(node, ast.Name) and node.id.startswith("_t_caught_")


def _check_names(node: ast.AST, read: set[str]) -> None:
    """Raises Outside for names of the shim, and where a name that it reads gets another meaning."""
    if isinstance(node, ast.Constant | ast.expr_context | ast.operator):
        return
    binds = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    binds = binds or isinstance(node, _BINDING)
    for _, held in ast.iter_fields(node):
        for name in held if isinstance(held, list) else [held]:  # pyright: ignore
            if isinstance(name, str) and (name.startswith("_t_") or (binds and name in read)):
                raise Outside(node, f"another meaning of {name}")


def _is_set(node: ast.AST) -> bool:
    """Whether an expression makes a set."""
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub(), left=left, right=right):
            return any(_is_set(one) or _is_view(one) for one in (left, right))
        case _:
            return False


def _is_view(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="keys" | "items")):
            return True
        case _:
            return False


def _importable(node: ast.AST, module: str) -> None:
    if module not in _MODULES:
        known = module in MODULES
        kind = "NotImplementedError" if known else "ImportError"
        raise Outside(node, f"Monty has no {module}" if known else f"a program may not import {module!r}", kind)
