"""Programs in Monty: an interpreter of part of Python in a worker process, which has no way to this machine at all.

`in_subset` rewrites a program for it: calls of the one object become calls of a function that passes texts; exceptions
that Monty does not have become marked texts, which handlers read. Whatever Monty lacks, or might do otherwise than
CPython (other modules, classes, order of sets, looking at attributes by name), is refused rather than run wrongly.
Only texts cross, made under the program's limits. Workers are kept warm, one a core, for all threads.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.errors import BadSetting
from toologue.sandbox.exceptions import OF_THE_CLIENT, SERVICE
from toologue.sandbox.messages import ABSENT, BITS, MODULES, Malformed
from toologue.sandbox.program import imported
from toologue.sandbox.rpc import Door, Execution, Limits, Stopped, operation, spelt
from toologue.schema import Fault

_MODULES = {"base64", "collections", "copy", "datetime", "itertools", "json", "math", "random", "time"}
# Nodes inside one another, at most: those who read deeper ones run out of stack.
_DEPTH = 60
_LOOKING = {"__import__", "callable", "classmethod", "delattr", "dir", "getattr", "globals", "hasattr", "hash", "id",
            "locals", "memoryview", "object", "property", "setattr", "staticmethod", "super", "vars"}  # fmt: skip
_LACKING = (ast.ClassDef, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith,
            ast.TryStar, ast.Global)  # fmt: skip
_BINDING = (ast.FunctionDef, ast.arg, ast.alias, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
_NAMELESS = {ast.Load, ast.Store, ast.Constant, ast.Call, ast.Expr, ast.Assign, ast.Return, ast.BinOp, ast.Add, ast.If,
             ast.For, ast.Compare, ast.Eq, ast.Subscript, ast.Dict, ast.List, ast.Tuple, ast.JoinedStr}  # fmt: skip
# Functions to which the order of a set does not matter.
_UNORDERED = {"len", "sorted", "min", "max", "any", "all"}
_BUILTIN = {name for name, held in vars(builtins).items() if isinstance(held, type) and issubclass(held, BaseException)}


class Known(NamedTuple):
    """What a program sees: the one object, its methods by spelling (Api, parameters), the exceptions."""

    name: str
    methods: tuple[tuple[str, tuple[str, tuple[str, ...]]], ...]
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


class Outside(Exception):
    """This cannot be said in the subset. `kind` is the error that it would be where nothing else can run it."""

    def __init__(self, node: ast.AST, what: str, kind: str = "NotImplementedError"):
        self.kind, self.line = kind, getattr(node, "lineno", 1)
        super().__init__(what)


def in_subset(tree: ast.Module, known: Known) -> Text:
    """The program as Monty runs it. Raises Outside. The tree is used up."""
    read = {*known.exceptions, known.name, *_UNORDERED, "frozenset", "round", "set", "type"}
    for node in nodes_of(tree):
        _check_names(node, read)
    shim = _Shim(known)
    body = shim.visited(tree.body) or [ast.Pass(lineno=1, col_offset=0)]
    whole = ast.parse("def _t_program(): pass\n_t_text(_t_program())")
    whole.body[0].body = body  # pyright: ignore[reportAttributeAccessIssue]
    return Text(ast.unparse(whole), whole)


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


def _statements(tree: ast.Module) -> list[ast.stmt]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


class _Shim(ast.NodeTransformer):
    """Rewrites what Monty does not have, refuses what it might do otherwise."""

    def __init__(self, known: Known):
        self._known, self._caught, self._unordered = known, list[tuple[str, str]](), set[int]()
        self._methods, self._count = dict(known.methods), 0

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, _LACKING):
            raise Outside(node, f"Monty has no {type(node).__name__}")
        if _is_set(node) and id(node) not in self._unordered:
            raise Outside(node, "the order of a set may matter")
        for module in imported(node):
            if module in MODULES and module not in _MODULES:
                raise Outside(node, f"Monty has no {module}")
            if module not in MODULES:
                raise Outside(node, f"a program may not import {module!r}", "ImportError")
        return super().visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        known = self._known
        if node.id in (*known.exceptions, known.name, "type") or node.id in _LOOKING:
            raise Outside(node, f"{node.id} as a value")
        if node.id in ABSENT:
            raise Outside(node, f"name '{node.id}' is not defined", "NameError")
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Attributes but for those of the interpreter; the name of a class is asked for by a function."""
        match node:
            case ast.Attribute(attr="__name__", value=ast.Attribute(value=of, attr="__class__")):
                return self._called("_t_kind", of, at=node)
            case ast.Attribute(attr="__name__", value=ast.Call(func=ast.Name(id="type"), args=[of])):
                return self._called("_t_kind", of, at=node)
            case ast.Attribute(attr=name) if name.startswith("__"):
                raise Outside(node, f"the attribute {name}")
            case _:
                return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Calls of the one object become calls of a function; sets may stand where their order does not matter."""
        match node:
            case ast.Call(func=ast.Name(id="sorted"), args=[listed], keywords=keywords):
                if all(one.arg == "reverse" for one in keywords):
                    self._allow(listed)
            case ast.Call(func=ast.Name(id=name), args=[listed], keywords=[]) if name in _UNORDERED:
                self._allow(listed)
            case ast.Call(func=ast.Name(id="round")) if len(node.args) + len(node.keywords) > 1:
                raise Outside(node, "Monty rounds decimal places otherwise")
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if name == self._known.name:
                return self._call(node, method)
            case _:
                pass
        return self.generic_visit(node)

    def _call(self, node: ast.Call, method: str) -> ast.AST:
        if method not in self._methods:
            what = f"'{self._known.name[:1].upper() + self._known.name[1:]}' object has no attribute '{method}'"
            raise Outside(node, what, "AttributeError")
        api, parameters = self._methods[method]
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
        node.body, node.orelse, node.finalbody = map(self.visited, (node.body, node.orelse, node.finalbody))
        node.handlers = [ast.copy_location(caught, node.handlers[0])]
        return node

    def _handled(self, handler: ast.ExceptHandler, original: str) -> list[ast.stmt]:
        if handler.name is None:
            return self.visited(handler.body)
        shown = self._called("_t_shown", ast.Name(original, ast.Load()), at=handler)
        first = ast.Assign([ast.Name(handler.name, ast.Store())], shown)
        self._caught.append((handler.name, original))
        body = [ast.copy_location(first, handler), *self.visited(handler.body)]
        self._caught.pop()
        return body

    def _kinds(self, handler: ast.ExceptHandler, original: str) -> tuple[ast.expr, ...]:
        """The arguments of `_t_is`: what was caught, the names, the builtin ones."""
        kind = handler.type
        kinds = [ast.Name("BaseException", ast.Load())] if kind is None else [kind]
        if isinstance(kind, ast.Tuple):
            kinds = kind.elts
        names = [self._exception(one) for one in kinds]
        classes: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names if name in _BUILTIN]
        told = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
        return ast.Name(original, ast.Load()), told, ast.Tuple(classes, ast.Load())

    def _exception(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name) and (node.id in _BUILTIN or node.id in self._known.exceptions):
            return node.id
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=of), attr="exceptions"), attr=name) if (
                of == self._known.name and name not in _BUILTIN
            ):
                return name
            case _:
                raise Outside(node, "an exception that is not known by name")

    def visited(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, each in place of one."""
        made: list[ast.stmt] = []
        for statement in body:
            one = self.visit(statement)
            made += one if isinstance(one, list) else [one]  # pyright: ignore
        return made

    def _called(self, function: str, *given: ast.expr, at: ast.AST) -> ast.expr:
        arguments = [self.visit(one) if not _ours(one) else one for one in given]
        return ast.copy_location(ast.Call(ast.Name(function, ast.Load()), arguments, []), at)  # pyright: ignore

    def _allow(self, node: ast.expr) -> None:
        """The order of this set does not matter."""
        self._unordered.add(id(node))
        if isinstance(node, ast.BinOp):
            self._allow(node.left)
            self._allow(node.right)


def _ours(node: ast.expr) -> bool:
    if not isinstance(node, ast.Tuple):
        return isinstance(node, ast.Name) and node.id.startswith("_t_caught_")
    return all(isinstance(one, ast.Constant) or (isinstance(one, ast.Name) and one.id in _BUILTIN) for one in node.elts)


def _check_names(node: ast.AST, read: set[str]) -> None:
    """Raises Outside for names of the shim, and where a name that it reads gets another meaning."""
    if type(node) in _NAMELESS:
        return
    binds = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    binds = binds or isinstance(node, _BINDING)
    for _, held in ast.iter_fields(node):
        for name in held if isinstance(held, list) else [held]:  # pyright: ignore
            if isinstance(name, str) and (name.startswith("_t_") or (binds and name in read)):
                raise Outside(node, f"another meaning of {name}")


def _is_set(node: ast.AST) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub(), left=left, right=right):
            return any(_is_set(one) or _is_view(one) for one in (left, right))
        case _:
            return False


def _is_view(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in ("keys", "items")


_PRELUDE = Path(__file__).with_name("prelude.txt").read_text("utf-8")
# What Monty calls the second text of a session: the program, after the prelude.
_SECOND = "<python-input-1>"
# What the texts of errors begin with that carry more than a text.
_MARK = f"{secrets.token_hex(8)}:"
_KEEPER = Path(__file__).with_name("keeper.py")
# Seconds after which a worker that does not stop by itself is ended.
_GRACE = 0.5


@cache
def available() -> bool:
    """Whether Monty is installed."""
    return find_spec("pydantic_monty") is not None


def run(tree: ast.Module | None, door: Door, seed: int) -> Execution:
    """Run a program, None where it is too long to be read. Raises BadSetting, Stopped."""
    if not available():
        raise BadSetting("the backend monty needs pydantic-monty: pip install 'toologue[programs]'")
    if tree is None:
        raise Stopped("LimitExceeded", "the program is too long to be read in its time")
    try:
        text = door.timed(in_subset, tree, _known(door))
    except Outside as outside:
        return Execution(error=Fault(type=outside.kind, message=str(outside)), line=outside.line)
    session = _Session(text, door)
    try:
        return session.run(seed)
    except Stopped as stopped:
        return Execution(error=stopped.fault, printed=session.printed)


def _known(door: Door) -> Known:
    spellings = spelt(door.apis)
    methods = ((one, (api.name, tuple(api.parameters))) for api in door.apis for one in spellings[api.name])
    return Known(door.name, tuple(methods), frozenset((*door.exceptions, *door.raises, SERVICE, OF_THE_CLIENT)))


class _Session:
    def __init__(self, text: Text, door: Door):
        self._text, self._door = text, door
        self._printed = StringIO()

    @property
    def printed(self) -> str:
        """What was printed, as much as counts."""
        return self._printed.getvalue()

    def run(self, seed: int) -> Execution:
        import pydantic_monty as pm

        prepared = _prepared(self._door.limits.model_dump_json(), self._door.now, seed)
        limits = self._door.limits.replace(seconds=self._door.left)
        with _checkout(limits, self._door.now, seed) as session:
            _keep(os.getpid(), session.worker_pid)
            session.load_session(prepared)
            try:
                snapshot: Any = self._door.timed(session.feed_start, self._text.text, print_callback=self._print)
                while not isinstance(snapshot, pm.MontyComplete):
                    snapshot = self._answered(snapshot)
                return self._outcome(cast("str", snapshot.output))
            except pm.MontyCrashedError as error:
                if error.timed_out:
                    raise Stopped.late(self._door.limits) from None
                raise Stopped("Crash", "the interpreter's process ended") from None
            except (pm.MontyRuntimeError, pm.MontySyntaxError) as error:
                return self._failed(error)

    def _answered(self, snapshot: Any) -> Any:
        """What the program asks of the host: nothing but calls of Apis is answered."""
        if not hasattr(snapshot, "args"):
            return self._door.timed(snapshot.resume)  # a name that is not defined
        match (snapshot.is_os_function, snapshot.function_name, snapshot.args):
            case (False, "_t_ask", (str(api), str(text))) if api in self._door.by_name:
                self._measure(text, "the arguments of a call are")
                answer = self._door.call(api, self._decoded(text))
            case (True, _, _):
                return self._door.timed(snapshot.resume_not_handled)
            case (_, name, _):
                return self._door.timed(snapshot.resume, {"exception": NameError(f"name {name!r} is not defined")})
        if isinstance(answer, Fault):
            told = _told(answer, operation(api))
            return self._door.timed(snapshot.resume, {"exception": RuntimeError(_MARK + json.dumps(told))})
        streams: list[list[str | int]] = []
        return self._door.timed(snapshot.resume, {"return_value": [_opened(answer, [], streams.append), streams]})

    def _outcome(self, text: str) -> Execution:
        self._measure(text, "the result is")
        return Execution(value=self._decoded(f'{{"value": {text}}}')["value"], printed=self.printed)

    def _measure(self, text: str, what: str) -> None:
        if len(text) > self._door.limits.output:
            raise Stopped.too_large(what, self._door.limits)

    def _decoded(self, text: str) -> dict[str, Any]:
        try:
            return self._door.read(text.encode())
        except Malformed:
            raise Stopped.too_deep() from None

    def _failed(self, error: Any) -> Execution:
        """An error that left the program: ours to tell, or another interpreter's."""
        raised = error.exception()
        text, line = str(raised), self._line(error)
        if isinstance(raised, TimeoutError) and "time limit exceeded" in text:
            raise Stopped.late(self._door.limits)
        if isinstance(raised, RuntimeError) and text.startswith(_MARK):
            kind, _, text, *_ = json.loads(text[len(_MARK) :])
        else:
            kind = type(raised).__name__
        told = Fault(type=kind, message=text[: self._door.limits.output])
        return Execution(error=told, line=line, printed=self.printed)

    def _line(self, error: Any) -> int | None:
        """The line of the program where the error was; frames of the prelude are another text's."""
        lines = self._text.lines
        frames: list[int] = [one.line for one in error.traceback() if one.filename == _SECOND]
        return next((lines[one - 1] for one in reversed(frames) if one <= len(lines)), None)

    def _print(self, stream: str, text: str) -> None:
        self._printed.write(text[: max(0, self._door.limits.output - self._printed.tell())])


def _told(fault: Fault, name: str) -> list[Any]:
    """A fault of the world as the prelude reads it: kind, args, text, repr, response, kinds, operation."""
    if fault.type == OF_THE_CLIENT:
        return [fault.type, [fault.message], fault.message, f"{fault.type}({fault.message!r})", None, [fault.type]]
    text = f"An error occurred ({fault.type}) when calling the {name} operation: {fault.message}"
    response = {"Error": {"Code": fault.type, "Message": fault.message}}
    return [fault.type, [text], text, f"{fault.type}({text!r})", response, [*_kinds(fault.type), SERVICE], name]


def _kinds(name: str) -> list[str]:
    """The names under which handlers catch a fault of this type."""
    alike = getattr(builtins, name, None)
    if isinstance(alike, type) and issubclass(alike, Exception):
        return [one.__name__ for one in alike.__mro__]
    return [name]


def _opened(value: Any, path: list[str | int], note: Callable[[list[str | int]], None]) -> Any:
    """A value with bytes in place of its streams, whose places are noted."""
    if isinstance(value, BytesIO):
        note(path)
        return value.getvalue()
    if isinstance(value, dict):
        return {name: _opened(item, [*path, name], note) for name, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_opened(item, [*path, at], note) for at, item in enumerate(cast("list[Any]", value))]
    return value


def _checkout(limits: Limits, now: datetime, seed: int) -> Any:
    held = {
        "max_feed_duration_secs": limits.seconds,
        "max_memory": limits.memory,
        "max_recursion_depth": limits.recursion + 20,
        "max_suspensions": 4 * limits.calls + 1000,
    }
    policy = {"datetime": now, "random_start": {"seed": seed}, "sleep": "zero"}
    return _pool(os.getpid()).checkout(limits=held, os_policy=policy, assert_message_annotations=False)


@lru_cache(maxsize=64)
def _prepared(limits: str, now: datetime, seed: int) -> bytes:
    """A session that has run the prelude, as bytes: that takes half the time of running it. `limits` are JSON."""
    with _checkout(Limits.model_validate_json(limits), now, seed) as session:
        session.feed_run(f"_t_mark = {_MARK!r}\n{_PRELUDE}")
        return session.dump()


@cache
def _keeper(process: int) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    keeper = subprocess.Popen([sys.executable, "-ISB", str(_KEEPER), str(process)], stdin=subprocess.PIPE,
                              stdout=quiet, stderr=quiet, start_new_session=True)  # fmt: skip
    atexit.register(keeper.communicate)
    return keeper


@cache
def _keep(process: int, worker: int) -> None:
    """Have a worker end with this process, even where that is killed."""
    if sys.platform == "linux":
        told = _keeper(process).stdin
        assert told is not None
        told.write(worker.to_bytes(4, "big"))
        told.flush()


@cache
def _pool(process: int) -> Any:
    import pydantic_monty as pm

    pool = pm.Monty(feed_duration_limit_grace=_GRACE)
    pool.__enter__()
    atexit.register(pool.__exit__, None, None, None)
    return pool
