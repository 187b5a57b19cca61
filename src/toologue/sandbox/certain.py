"""Of which programs it is certain that Monty does with them what CPython does: a small part of Python, listed here.

`certain` raises Outside for all others: CPython runs them. Iterators and views of tables (in Monty lists, made at once)
may stand only where they are used up at once; an exception that was caught, only where its text is made.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys

from toologue.sandbox.messages import BITS
from toologue.sandbox.program import bound

# Nodes inside one another, at most: those who read deeper ones run out of stack.
_DEPTH = 60
_NODES = (
    ast.Module, ast.expr_context, ast.Expr, ast.Assign, ast.AugAssign, ast.Return, ast.If, ast.For, ast.While,
    ast.Break, ast.Continue, ast.Pass, ast.Raise, ast.Try, ast.ExceptHandler, ast.Delete, ast.Import,
    ast.ImportFrom, ast.alias, ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.keyword, ast.Name,
    ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.Slice, ast.List, ast.Tuple, ast.Dict, ast.Set,
    ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.comprehension, ast.Compare, ast.cmpop,
    ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv,
    ast.Mod, ast.Pow, ast.IfExp, ast.JoinedStr, ast.FormattedValue, ast.Starred,
)  # fmt: skip
_PLAIN = {ast.Load, ast.Store, ast.Del, ast.Constant, ast.keyword}
_CONSUMERS = {"dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"}
_ITERATORS = {"enumerate", "filter", "map", "reversed", "zip"}
_VIEWS = {"items", "keys", "values"}
_FUNCTIONS = _CONSUMERS | _ITERATORS | {"abs", "all", "any", "bool", "float", "int", "isinstance", "len", "print",
                                        "range", "repr", "round", "str", "type"}  # fmt: skip
_ATTRIBUTES = _VIEWS | {
    "__class__", "__name__", "append", "clear", "copy", "count", "date", "datetime", "day", "decode", "dumps",
    "encode", "endswith", "exceptions", "extend", "find", "fromisoformat", "get", "hour", "index", "insert",
    "isoformat", "isupper", "join", "iter_lines", "loads", "lower", "lstrip", "minute", "month", "now", "partition",
    "pop", "read", "remove", "removeprefix", "removesuffix", "replace", "response", "reverse", "rfind",
    "rpartition", "rsplit", "rstrip", "second", "setdefault", "sort", "split", "splitlines", "startswith",
    "strftime", "strip", "timedelta", "timezone", "today", "update", "upper", "utc", "year",
}  # fmt: skip
if sys.version_info >= (3, 12):  # where floats are added more exactly
    _FUNCTIONS -= {"sum"}
# Ways to write a number, which nothing else can be written in.
_FOR_NUMBERS = re.compile(r"0?\d*,?(\.\d+)?[dfeg%]")
_DIRECTIVES = re.compile(r"([^%]|%[aAbBdHIjmMpSUwWyYz%])*")
_EXCEPTIONS = {
    name for name, held in vars(builtins).items() if isinstance(held, type) and issubclass(held, BaseException)
}
_MEANT = _FUNCTIONS | _EXCEPTIONS


class Outside(Exception):
    """This cannot be said in the subset. `kind` is the error that it would be where nothing else can run it."""

    def __init__(self, node: ast.AST, what: str, kind: str = "NotImplementedError"):
        self.kind, self.line = kind, getattr(node, "lineno", 1)
        super().__init__(what)


def nodes_of(tree: ast.Module) -> list[ast.AST]:
    """All nodes. Raises Outside for a program that is too deep to be written anew, or has a number that is too long."""
    level: list[ast.AST] = [tree]
    nodes: list[ast.AST] = [tree]
    for _ in range(_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            break
        nodes += level
        for node in level:
            if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value.bit_length() > BITS:
                raise Outside(node, f"a number of more than {BITS} bits")
    if level:
        raise Outside(level[0], f"more than {_DEPTH} expressions inside one another")
    return nodes


def certain(nodes: list[ast.AST], world: str) -> None:
    """Raise Outside for a program of these nodes that Monty might run otherwise."""
    for node in nodes:
        if type(node) not in _PLAIN and (what := _doubt(node, world)):
            raise Outside(node, f"it is not certain what Monty does with {what}")
    loops = [node for node in nodes if isinstance(node, (ast.Call, ast.GeneratorExp, ast.For, ast.comprehension))]
    used_up = {id(one) for node in loops for one in _used_up(node)}
    for node in loops:
        if (_is_view(node) or _is_iterator(node)) and id(node) not in used_up:
            raise Outside(node, "an iterator that may be used later")
    if again := _MEANT.intersection(bound(nodes)):
        raise Outside(nodes[0], f"another meaning of {min(again)}")
    handlers = [(node.name, node) for node in nodes if isinstance(node, ast.ExceptHandler) and node.name]
    names = {name for name, _ in handlers}
    told = sum(_tells(node, name) for name, handler in handlers for part in handler.body for node in _run(part))
    if names and told != sum(isinstance(node, ast.Name) and node.id in names for node in nodes):
        raise Outside(nodes[0], "a caught exception that is more than told")


def _doubt(node: ast.AST, world: str) -> str:
    """What in a node Monty might do otherwise; empty where it is certain."""
    match node:
        case ast.Raise(cause=ast.expr()) | ast.FunctionDef(decorator_list=[_, *_]):
            return "a cause or a decorator"
        case ast.FormattedValue(format_spec=ast.JoinedStr(values=values)) if not _matches(_FOR_NUMBERS, values):
            return "this format"
        case ast.Call(func=ast.Attribute(attr="strftime"), args=args) if not _matches(_DIRECTIVES, args):
            return "this format"
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return ""
        case ast.Compare(ops=ops) if any(isinstance(one, ast.Is | ast.IsNot) for one in ops):
            return "objects that are the same"
        case ast.Name(id=name) if hasattr(builtins, name) and name not in _MEANT:
            return name
        case ast.Attribute(value=ast.Name(id=of) | ast.Attribute(attr="exceptions" as of)) if of in (
            world,
            "exceptions",
        ):
            return ""
        case ast.Attribute(attr=name) if name not in _ATTRIBUTES:
            return name
        case _:
            return "" if isinstance(node, _NODES) else type(node).__name__


def _matches(pattern: re.Pattern[str], nodes: list[ast.expr]) -> bool:
    """Whether nodes are one text of this kind."""
    match nodes:
        case [ast.Constant(value=str(text))]:
            return pattern.fullmatch(text) is not None
        case _:
            return False


def _used_up(node: ast.AST) -> list[ast.expr]:
    """The iterators and views that a node uses up at once."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _CONSUMERS:
            return [first]
        case ast.Call(func=ast.Attribute(attr="join"), args=[first]):
            return [first]
        case ast.For(iter=listed) | ast.comprehension(iter=listed) if _is_view(listed):
            return [listed]
        case _:
            return []


def _is_iterator(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(node, ast.GeneratorExp) or (isinstance(called, ast.Name) and called.id in _ITERATORS)


def _is_view(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in _VIEWS


def _run(node: ast.AST) -> list[ast.AST]:
    """The nodes in a node that are run with it: not those of functions."""
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.GeneratorExp):
        return []
    return [node, *(one for child in ast.iter_child_nodes(node) for one in _run(child))]


def _tells(node: ast.AST, name: str) -> int:
    """How often a node makes text of what a handler caught, or raises it again."""
    match node:
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=caught)], keywords=[]):
            return caught == name
        case ast.Call(func=ast.Name(id="print"), args=args):
            return sum(isinstance(one, ast.Name) and one.id == name for one in args)
        case ast.Call(func=ast.Name(id="type"), args=[ast.Name(id=caught)], keywords=[]):
            return caught == name
        case ast.FormattedValue(value=ast.Name(id=caught), format_spec=None):
            return caught == name
        case ast.Attribute(value=ast.Name(id=caught), attr="response" | "__class__"):
            return caught == name
        case ast.Raise(exc=ast.Name(id=caught)):
            return caught == name
        case _:
            return 0
