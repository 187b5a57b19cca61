"""Conditions and values: a small part of Python's expressions over JSON (docs/procedures.md says which).

Contract: `parse` refuses whatever is not in it and says what to write instead (BadSetting); nothing is ever called but
`any`, `days_since`, `len` and `sum`. Evaluation is total on null: a field that is not there is null, arithmetic on null
is null, and null is neither before nor after anything. Texts that both name a moment are compared as moments. Whatever
else makes no sense (a text before a number) raises BadSetting. `days_since` counts whole days up to the value called
`now`; `today` is the day of it. Texts hold expressions in braces; `embedded` finds them, `filled` puts values in.

Example:
    >>> late = parse('order.status == "shipped" and days_since(order.shipped_on) > 10')
    >>> late.holds({"order": {"status": "shipped", "shipped_on": "2025-03-01"}, "now": "2025-03-12 10:20:00"})
    True
    >>> late.paths
    (('order', 'status'), ('order', 'shipped_on'))
"""

from __future__ import annotations

import ast
import copy
import math
import operator
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache, partial, reduce
from itertools import pairwise
from typing import Any, cast

from pydantic import JsonValue

from toologue.errors import BadSetting, shown
from toologue.values.compare import duration, is_number, moment, order, same, shifted
from toologue.values.json_schema import list_of, object_of

_Evaluator = Callable[[Mapping[str, JsonValue]], Any]
"""Values by name → the value of an expression."""
_CONSTANTS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}
_BRACES = re.compile(r"\{([^{}]*)\}")
LONGEST, _DEEPEST = 400, 20
_SECONDS = 253_402_300_800
"""Up to the year 9999, as programs count."""
_DIGITS = 9
"""After the point, so that three times 20.70 is 62.10."""
_REMEDIES = {"&&": "and", "||": "or", "===": "==", "!==": "!=", "<>": "!="}
# A duration without its quotes.
_BARE_WAIT = re.compile(r"""(?<!["'\w])\d+ (?:minute|hour|day|week)s?\b(?!["'])""")
_LOOPS = {ast.GeneratorExp, ast.ListComp}


@dataclass(frozen=True)
class Expression:
    """An expression that was found safe, ready to be evaluated as often as wanted."""

    text: str
    tree: ast.expr

    @cached_property
    def evaluate(self) -> _Evaluator:
        """What gives its value from values by name, made once. Raises BadSetting for what may not be in it."""
        return _evaluator(self.tree)

    @cached_property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """What it looks at: names (`now` for `today`) with the fields after them, each once, in order. A place in a
        list is `[]`.
        """
        return tuple(dict.fromkeys(path for path in _paths(self.plain) if path[0] not in _CONSTANTS))

    @cached_property
    def plain(self) -> ast.expr:
        """The same where what looks through a list looks at its first member, for whoever asks what is looked at."""
        return cast("ast.expr", _First().visit(copy.deepcopy(self.tree))) if _LOOPS & _kinds(self.tree) else self.tree

    @cached_property
    def names(self) -> frozenset[str]:
        """The names it needs values for."""
        return frozenset(path[0] for path in self.paths)

    def value(self, values: Mapping[str, JsonValue]) -> JsonValue:
        """What it comes to. A name without a value is null."""
        try:
            return self.evaluate(values)
        except BadSetting as error:
            raise BadSetting(f"`{self.text}`: {error}") from None

    def holds(self, values: Mapping[str, JsonValue]) -> bool:
        """Whether it comes to something true: not null, false, zero, and not empty."""
        return bool(self.value(values))


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """The expression that a text spells. Raises BadSetting with a remedy for anything else."""
    if len(text) > LONGEST:
        raise BadSetting(f"a condition of {len(text)} characters: {LONGEST} are allowed; use several steps")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expression = Expression(text, ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise BadSetting(f"`{text}` is no expression: {_explained(text, error)}") from None
    try:
        _ = expression.evaluate
    except BadSetting as complaint:
        raise BadSetting(f"`{text}` {complaint}") from None
    return expression


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
    if wait := _BARE_WAIT.search(text):
        return f'write "{wait[0]}" in quotes'
    for strange, ours in _REMEDIES.items():
        if strange in text:
            return f"write {ours} for {strange}"
    if isinstance(error, SyntaxError) and "=" in text and not set("!<>") & set(text) and "==" not in text:
        return "write == to compare"
    return 'for example `order.status == "shipped" and order.total > 200`'


def _evaluator(node: ast.expr, depth: int = 1) -> _Evaluator:
    if depth > _DEEPEST:
        raise BadSetting("is nested too deeply; use several steps")
    inner = partial(_evaluator, depth=depth + 1)
    match node:
        case ast.Constant(value=value) if isinstance(value, str) or (is_number(value) and value != math.inf):
            return lambda values: value
        case ast.Name(id=name) if not name.startswith("_"):
            return _named(name)
        case ast.Attribute(value=whole, attr=name) if not name.startswith("_"):
            return _applied(partial(_part, name), inner(whole))
        case ast.Subscript(value=whole, slice=ast.Constant() | ast.Name() | ast.Attribute() as name):
            return _applied(_part, inner(name), inner(whole))
        case ast.List() | ast.GeneratorExp() | ast.ListComp():
            return _listed(node, inner)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return _applied(FUNCTIONS[name], inner(argument), lambda values: values.get("now"))
        case ast.UnaryOp(op=op, operand=operand):
            return _applied(_meaning(op), inner(operand))
        case ast.BinOp(left=left, op=op, right=right):
            reckon, one, other = _meaning(op), inner(left), inner(right)
            return lambda values: reckon(one(values), other(values), values.get("now"))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = pairwise(map(inner, [left, *others]))
            return reduce(_joined, [_applied(_meaning(op), *pair) for op, pair in zip(ops, sides, strict=True)])
        case ast.BoolOp(op=op, values=parts):
            return reduce(partial(_joined, by=type(op)), map(inner, parts))
        case _:
            raise BadSetting(_complaint(node))


def _listed(loop: ast.List | ast.GeneratorExp | ast.ListComp, inner: Callable[[ast.expr], _Evaluator]) -> _Evaluator:
    """A list by its members, or what is left of one, each member by its name."""
    if isinstance(loop, ast.List):
        each = [*map(inner, loop.elts)]
        return lambda values: [member(values) for member in each]
    parts = [loop.elt, *(part for one in loop.generators for part in (one.iter, *one.ifs))]
    match loop.generators:
        case [ast.comprehension(target=ast.Name(id=name), iter=whole, ifs=tests)]:
            if any(_LOOPS & _kinds(part) for part in parts):
                raise BadSetting("looks through a list within another; use several steps")
        case _:
            raise BadSetting("looks through more than one list: write `for NAME in LIST`, once")
    told, members, conditions = inner(loop.elt), inner(whole), [*map(inner, tests)]

    def found(values: Mapping[str, JsonValue]) -> list[Any]:
        each = ({**values, name: member} for member in list_of(members(values)))
        return [told(one) for one in each if all(condition(one) for condition in conditions)]

    return found


def _kinds(tree: ast.AST) -> set[type[ast.AST]]:
    return {type(node) for node in ast.walk(tree)}


class _First(ast.NodeTransformer):
    """Puts the first member of a list in place of its name, where a list is looked through."""

    def __init__(self) -> None:
        self.named = dict[str, ast.expr]()

    def visit_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp) -> ast.expr:
        (one,) = node.generators
        self.named = {cast("ast.Name", one.target).id: ast.Subscript(one.iter, ast.Constant(0), ast.Load())}
        made = ast.List([self.visit(part) for part in (node.elt, *one.ifs)], ast.Load())
        self.named = {}
        return made

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self.visit_GeneratorExp(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.named.get(node.id, node)


def _named(name: str) -> _Evaluator:
    if name == "today":
        return lambda values: _day(values.get("now"), "now").isoformat()
    return (lambda values: _CONSTANTS[name]) if name in _CONSTANTS else (lambda values: values.get(name))


def _applied(judge: Callable[..., Any], one: _Evaluator, other: _Evaluator | None = None) -> _Evaluator:
    return (lambda values: judge(one(values), other(values))) if other else (lambda values: judge(one(values)))


def _joined(one: _Evaluator, other: _Evaluator, *, by: type = ast.And) -> _Evaluator:
    if by is ast.And:
        return lambda values: one(values) and other(values)
    return lambda values: one(values) or other(values)


def _meaning(op: ast.AST) -> Callable[..., Any]:
    if type(op) not in _MEANINGS:
        raise BadSetting(_complaint(op))
    return _MEANINGS[type(op)]


def _complaint(node: ast.AST) -> str:
    """What speaks against a part of an expression."""
    match node:
        case ast.Call(func=called):
            name = ast.unparse(called)
            *others, last = (f"{one}()" for one in FUNCTIONS)
            known = f"calls {name}(): only {', '.join(others)} and {last} may be called"
            return f"gives {name}() other than one value" if name in FUNCTIONS else known
        case ast.Name(id=name):
            return f"names {name}: names begin with a letter"
        case ast.Attribute(attr=name):
            return f"looks at {name}: fields begin with a letter"
        case ast.Constant(value=bool() | None as value):
            return f"says {value}: write {'null' if value is None else str(value).lower()}"
        case ast.Constant(value=value):
            return f"says {shown(value)}: texts and numbers are allowed"
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
            place = inner.slice.value if isinstance(inner.slice, ast.Constant) else None
            steps.append(place if isinstance(place, str) else "[]")
            yield from _paths(inner.slice)
        inner = inner.value
    if isinstance(inner, ast.Name):
        yield ("now" if inner.id == "today" else inner.id, *reversed(steps))
        return
    for child in ast.iter_child_nodes(inner):
        if not (isinstance(inner, ast.Call) and child is inner.func):
            yield from _paths(child)


def _part(name: Any, whole: Any) -> Any:
    if isinstance(name, str):
        if isinstance(whole, dict):
            return cast("dict[Any, Any]", whole).get(name)
        return next((row for row in list_of(whole) if _id_of(row) == name), None)
    place = name if isinstance(name, int) and not isinstance(name, bool) else -1
    return list_of(whole)[place] if 0 <= place < len(list_of(whole)) else None


def _id_of(row: Any) -> Any:
    """What a member of a list is called: its `id`, else its first field that ends so."""
    named = object_of(row)
    return named.get("id", next((value for field, value in named.items() if field.endswith(("_id", "Id"))), None))


def _length(value: Any, now: Any) -> int:
    if value is None or isinstance(value, str | list | dict):
        return len(cast("str", value or ""))
    raise BadSetting(f"{shown(value)} has no length")


def _since(when: Any, now: Any) -> int | None:
    return None if when is None else (_day(now, "now") - _day(when, "a date")).days


def _sum(values: Any, now: Any) -> Any:
    return reduce(_counted(operator.add), (one for one in list_of(values) if one is not None), 0)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "any": lambda values, now: any(list_of(values)),
    "days_since": _since,
    "len": _length,
    "sum": _sum,
}
"""By name, of a value and of `now`."""


def _day(value: Any, what: str) -> date:
    if isinstance(value, str) and (when := moment(value)):
        return when.date()
    if isinstance(value, int | float) and is_number(value) and 0 < value < _SECONDS:
        return datetime.fromtimestamp(value, UTC).date()
    raise BadSetting(f"{shown(value)} is not {what} of the form 2025-03-12")


def _ordered(*ways: int) -> Callable[[Any, Any], bool]:
    def compared(left: Any, right: Any) -> bool:
        if left is None or right is None:
            return False
        if (way := order(left, right)) is None:
            raise BadSetting(f"{shown(left)} is neither before nor after {shown(right)}")
        return way in ways

    return compared


def _counted(reckon: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def counted(left: Any, right: Any, now: Any = None) -> Any:
        if left is None or right is None:
            return None
        result = None
        try:
            if is_number(left) and is_number(right):
                result = reckon(left, right)
            elif isinstance(left, str) and isinstance(right, str) and reckon in (operator.add, operator.sub):
                result = shifted(left, right, reckon, now if isinstance(now, str) else "")
                if reckon is operator.add and not (moment(left) or duration(left) or duration(right)):
                    result = left + right
        except (ZeroDivisionError, OverflowError):
            raise BadSetting(f"{left} and {right} have no such result") from None
        if result is None:
            what = f"{shown(left)} and {shown(right)} are not both numbers"
            raise BadSetting(f'{what}, nor a date and a duration such as "14 days"')
        return round(result, _DIGITS) if isinstance(result, float) else result

    return counted


def _among(left: Any, right: Any) -> bool:
    if isinstance(right, str):
        return isinstance(left, str) and left in right
    return isinstance(right, list | dict) and any(map(partial(same, left), cast("list[Any]", right)))


def _other_than(judge: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: not judge(left, right)


_MEANINGS: dict[type, Callable[..., Any]] = {
    ast.Eq: same,
    ast.NotEq: _other_than(same),
    ast.Lt: _ordered(-1),
    ast.LtE: _ordered(-1, 0),
    ast.Gt: _ordered(1),
    ast.GtE: _ordered(0, 1),
    ast.In: _among,
    ast.NotIn: _other_than(_among),
    ast.Not: operator.not_,
    ast.USub: partial(_counted(operator.sub), 0),
    ast.Add: _counted(operator.add),
    ast.Sub: _counted(operator.sub),
    ast.Mult: _counted(operator.mul),
    ast.Div: _counted(lambda left, right: left / right),
}
