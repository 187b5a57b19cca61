"""Conditions and values in procedures: a small part of Python's expressions over JSON, evaluated by simpleeval.

    order.status == "shipped" and order.total > 200        and, or, not, in, ==, !=, <, <=, >, >=
    order.total - order.paid                               +, -, *, / on numbers
    orders[0].id    reason in ["damaged", "wrong item"]    fields, places in lists, texts, numbers, lists
    days_since(order.delivered_at) <= 30                   days_since(a date), len(a list or a text); nothing else
    error    error.type == "not_found"                     true, false and null are JSON's

Contract: `parse` refuses whatever is not among these, so that nothing is ever called but the two functions, and names
what was wrong with a remedy (BadSetting). Evaluation is total on null: a field that is not there is null, arithmetic
on null is null, and null is neither before nor after anything. Whatever else makes no sense (a text before a number)
raises BadSetting. `days_since` counts whole days up to the value called `now`.

Texts hold expressions in braces; `embedded` finds them, `filled` puts their values in.

Example:
    >>> late = parse('order.status == "shipped" and days_since(order.shipped_on) > 10')
    >>> late.holds({"order": {"status": "shipped", "shipped_on": "2025-03-01"}, "now": "2025-03-12 10:20:00"})
    True
    >>> late.paths
    (('order', 'status'), ('order', 'shipped_on'))
    >>> filled("It left on {order.shipped_on}.", {"order": {"shipped_on": "2025-03-01"}})
    'It left on 2025-03-01.'
    >>> parse('open("/etc/passwd")')
    Traceback (most recent call last):
    toologue.errors.BadSetting: `open("/etc/passwd")` calls open(): only days_since() and len() may be called

Not covered: loops over lists ("any item that …"); let the API answer such questions.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, lru_cache, partial
from importlib import import_module
from typing import Any, cast

from pydantic import JsonValue

from toologue.errors import BadSetting, shown
from toologue.values.compare import same
from toologue.values.json_schema import list_of

FUNCTIONS = ("days_since", "len")
_CONSTANTS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}
_BRACES = re.compile(r"\{([^{}]*)\}")
_LONGEST, _DEEPEST = 400, 20
_DIGITS = 9
"""After the point, so that three times 20.70 is 62.10."""
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_SHAPES = (ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Name, ast.Attribute, ast.List,
           ast.Load)  # fmt: skip
_REMEDIES = {"&&": "and", "||": "or", "===": "==", "!==": "!=", "<>": "!="}


@dataclass(frozen=True)
class Expression:
    """An expression that was found safe, ready to be evaluated as often as wanted."""

    text: str
    tree: ast.expr

    @cached_property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """What it looks at: names with the fields after them, each once, in order. A place in a list is `[]`."""
        return tuple(dict.fromkeys(path for path in _paths(self.tree) if path[0] not in _CONSTANTS))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names it needs values for."""
        return frozenset(path[0] for path in self.paths)

    def value(self, values: Mapping[str, JsonValue]) -> JsonValue:
        """What it comes to. A name without a value is null."""
        return _walker().value(self, values)

    def holds(self, values: Mapping[str, JsonValue]) -> bool:
        """Whether it comes to something true: not null, false, zero, and not empty."""
        return bool(self.value(values))


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """The expression that a text spells. Raises BadSetting with a remedy for anything else."""
    if len(text) > _LONGEST:
        raise BadSetting(f"a condition of {len(text)} characters: {_LONGEST} are allowed; use several steps")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise BadSetting(f"`{text}` is no expression: {_explained(text, error)}") from None
    inside: list[tuple[ast.AST, int]] = [(tree, 1)]
    for node, depth in inside:
        if complaint := _refused(node) if depth <= _DEEPEST else "is nested too deeply; use several steps":
            raise BadSetting(f"`{text}` {complaint}")
        inside += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return Expression(text, tree)


def embedded(text: str) -> list[Expression]:
    """The expressions in the braces of a text. Raises BadSetting for one that is none, and for a lone brace."""
    found = [parse(span) for span in _BRACES.findall(text)]
    if set("{}") & set(_BRACES.sub("", text)):
        raise BadSetting(f"{shown(text)} has a brace without its other half: braces enclose values, as in {{order.id}}")
    return found


def filled(text: str, values: Mapping[str, JsonValue]) -> str:
    """A text with values in place of its braces. Raises BadSetting where a value is null."""
    return _BRACES.sub(lambda span: _in_words(parse(span[1]), values), text)


def _in_words(expression: Expression, values: Mapping[str, JsonValue]) -> str:
    match expression.value(values):
        case None:
            raise BadSetting(f"`{expression.text}` is null, and a text wants to say it")
        case bool(truth):
            return "yes" if truth else "no"
        case float(number) if number.is_integer():
            return str(int(number))
        case list(members):
            return ", ".join(map(str, members))
        case value:
            return str(value)


def _explained(text: str, error: Exception) -> str:
    for strange, ours in _REMEDIES.items():
        if strange in text:
            return f"write {ours} for {strange}"
    if isinstance(error, SyntaxError) and "=" in text and not set("!<>") & set(text) and "==" not in text:
        return "write == to compare"
    return 'for example `order.status == "shipped" and order.total > 200`'


def _refused(node: ast.AST) -> str:
    """What speaks against a part of an expression; empty if nothing does."""
    match node:
        case ast.Call(func=called, args=arguments, keywords=keywords):
            name = called.id if isinstance(called, ast.Name) else ast.unparse(called)
            if name not in FUNCTIONS:
                return f"calls {name}(): only {'() and '.join(FUNCTIONS)}() may be called"
            return "" if len(arguments) == 1 and not keywords else f"gives {name}() other than one value"
        case ast.Name(id=name) if name.startswith("_"):
            return f"names {name}: names begin with a letter"
        case ast.Attribute(attr=name) if name.startswith("_"):
            return f"looks at {name}: fields begin with a letter"
        case ast.Constant(value=value):
            finite = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
            if isinstance(value, bool) or value is None:
                return f"says {value}: write {_PYTHON[str(value)]}"
            return "" if finite or isinstance(value, str) else f"says {shown(value)}: texts and numbers are allowed"
        case ast.Subscript(slice=ast.Constant(value=place)) if isinstance(place, int | str):
            return ""
        case _ if isinstance(node, _SHAPES) or type(node) in _MEANINGS:
            return ""
        case _:
            what = type(node).__name__.lower()
            return f"uses what a condition has no use for ({what}): compare, and join with and, or, not"


def _paths(node: ast.AST) -> Iterator[tuple[str, ...]]:
    steps: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        if isinstance(inner, ast.Attribute):
            steps.append(inner.attr)
        else:
            place: Any = cast("ast.Constant", inner.slice).value
            steps.append(place if isinstance(place, str) else "[]")
        inner = inner.value
    if isinstance(inner, ast.Name):
        yield (inner.id, *reversed(steps))
        return
    for child in ast.iter_child_nodes(inner):
        if not (isinstance(inner, ast.Call) and child is inner.func):
            yield from _paths(child)


class _Walker(threading.local):
    """simpleeval, made once a thread, with our meanings; `values` are those of the expression under way."""

    def __init__(self) -> None:
        self.values: Mapping[str, JsonValue] = {}
        functions = {"days_since": self._since, "len": _length}
        self._eval: Any = import_module("simpleeval").SimpleEval(operators=_MEANINGS, functions=functions, names={})
        mine = {ast.Name: self._name, ast.Attribute: self._field, ast.Subscript: self._place, ast.List: self._members}
        self._eval.nodes |= mine

    def value(self, expression: Expression, values: Mapping[str, JsonValue]) -> JsonValue:
        before, self.values = self.values, values
        try:
            return self._eval.eval(expression.text, expression.tree)
        except BadSetting as error:
            raise BadSetting(f"`{expression.text}`: {error}") from None
        finally:
            self.values = before

    def _since(self, when: JsonValue) -> int | None:
        return None if when is None else (_day(self.values.get("now"), "now") - _day(when, "a date")).days

    def _name(self, node: ast.Name) -> Any:
        return _CONSTANTS[node.id] if node.id in _CONSTANTS else self.values.get(node.id)

    def _field(self, node: ast.Attribute) -> Any:
        return _part(self._eval.eval("", node.value), node.attr)

    def _place(self, node: ast.Subscript) -> Any:
        return _part(self._eval.eval("", node.value), cast("Any", node.slice).value)

    def _members(self, node: ast.List) -> Any:
        return [self._eval.eval("", element) for element in node.elts]


@cache
def _walker() -> _Walker:
    return _Walker()


def _part(whole: Any, name: str | int) -> Any:
    if isinstance(whole, dict):
        return cast("dict[Any, Any]", whole).get(name)
    rows = list_of(whole)
    return rows[name] if isinstance(name, int) and name < len(rows) else None


def _length(value: Any) -> int:
    if value is None or isinstance(value, str | list | dict):
        return len(cast("str", value or ""))
    raise BadSetting(f"{shown(value)} has no length")


def _day(value: Any, what: str) -> datetime:
    try:
        return datetime.fromisoformat(value).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    except (TypeError, ValueError):
        raise BadSetting(f"{shown(value)} is not {what} of the form 2025-03-12") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ordered(judge: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(left: Any, right: Any) -> bool:
        if left is None or right is None:
            return False
        if (_is_number(left) and _is_number(right)) or (isinstance(left, str) and isinstance(right, str)):
            return judge(left, right)
        raise BadSetting(f"{shown(left)} is neither before nor after {shown(right)}")

    return compared


def _counted(reckon: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def counted(left: Any, right: Any) -> Any:
        if left is None or right is None:
            return None
        if not (_is_number(left) and _is_number(right)):
            raise BadSetting(f"{shown(left)} and {shown(right)} are not both numbers")
        try:
            result = reckon(left, right)
            return round(result, _DIGITS) if isinstance(result, float) else result
        except (ZeroDivisionError, OverflowError):
            raise BadSetting(f"{left} and {right} have no such result") from None

    return counted


def _among(left: Any, right: Any) -> bool:
    if isinstance(right, str):
        return isinstance(left, str) and left in right
    return isinstance(right, list | dict) and any(same(left, member) for member in cast("list[Any]", right))


def _other_than(judge: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: not judge(left, right)


_MEANINGS: dict[type, Callable[..., Any]] = {
    ast.Eq: same,
    ast.NotEq: _other_than(same),
    ast.Lt: _ordered(operator.lt),
    ast.LtE: _ordered(operator.le),
    ast.Gt: _ordered(operator.gt),
    ast.GtE: _ordered(operator.ge),
    ast.In: _among,
    ast.NotIn: _other_than(_among),
    ast.Not: operator.not_,
    ast.USub: partial(_counted(operator.sub), 0),
    ast.Add: _counted(operator.add),
    ast.Sub: _counted(operator.sub),
    ast.Mult: _counted(operator.mul),
    ast.Div: _counted(lambda left, right: left / right),
}
