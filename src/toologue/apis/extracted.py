"""The APIs that a procedure needs, from its own words: for those who have no documents yet (ALMITA 3.3).

Every Api that a step calls is documented by how the procedure uses it: parameters by the arguments, types by literals
and by what names look like, results by the fields that conditions, arguments and texts look at, codes by what those are
compared with; failures that branches name stand in the description. A procedure's calls pass the check against these
documents, and `plan.service.mocked` makes results from them. What a rule's prose means is in no document.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from toologue.apis.schemas import parameter
from toologue.schema import Api, Parameter, Procedure
from toologue.text.tokens import article, reads, singular, words_of
from toologue.values.conditions import FUNCTIONS, Expression, embedded, parse

_BY_NAME: tuple[tuple[str, dict[str, Any]], ...] = (
    (r"_(id|number|code|name)$", {"type": "string"}),
    (r"e_?mail$", {"type": "string", "format": "email"}),
    (r"(^|_)(date|day|on|until|birth)$", {"type": "string", "format": "date"}),
    (r"(^|_)at$", {"type": "string", "format": "date-time"}),
    (r"amount|price|fee|total$|sum$", {"type": "number", "minimum": 0}),
    (r"count|quantity|days$|minutes$", {"type": "integer", "minimum": 0}),
    (r"^(is|has|can)_", {"type": "boolean"}),
)
# By what a field is given to.
_BY_USE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("days_since", {"type": "string", "format": "date"}),
    ("sum", {"type": "number", "minimum": 1, "maximum": 500, "multipleOf": 0.5}),
    ("len", {"type": "array", "items": {}}),
)
_Path = tuple[str, ...]


class _Use(NamedTuple):
    """A field of a result, as an expression looks at it: what it is compared with, and the function it is given to."""

    path: _Path
    literals: tuple[Any, ...] = ()
    null: bool = False
    of: str = ""


def extracted(procedure: Procedure) -> list[Api]:
    """Documents of what a procedure calls."""
    return [_api(procedure, name) for name in procedure.calls]


def _api(procedure: Procedure, name: str) -> Api:
    calls = [step for step in procedure.steps if step.api == name]
    given: defaultdict[str, list[str]] = defaultdict(list)
    for one, expression in (pair for step in calls for pair in step.arguments.items()):
        given[one].append(expression)
    branches = (branch for step in procedure.steps for branch in step.branches)
    numbers = {
        slot: text for one in branches for slot, text in one.sets.items() if re.fullmatch(r"-?\d+(\.\d+)?", text)
    }
    verb, *rest = words_of(name) or (name,)
    thing = " ".join(rest)
    if thing and singular(rest[-1]) == rest[-1]:
        thing = article(thing)
    conditions = (branch.condition for step in calls for branch in step.branches)
    failures = dict.fromkeys(found for one in conditions for found in re.findall(r'error\.type == "([^"]+)"', one))
    told = f"{verb.capitalize()} {thing}".strip() + "."
    return Api(
        name=name,
        description=told + (f" May fail with {', '.join(failures)}." if failures else ""),
        parameters={
            one: _parameter(one, [numbers.get(text, text) for text in said], len(calls)) for one, said in given.items()
        },
        returns=_returns(procedure, {step.result for step in calls if step.result}),
        writes=not reads(name),
    )


def _parameter(name: str, expressions: list[str], calls: int) -> Parameter:
    trees = [parse(expression).tree for expression in expressions]
    literals = [tree.value for tree in trees if isinstance(tree, ast.Constant)]
    texts = [value for value in literals if isinstance(value, str)]
    booleans = any(isinstance(tree, ast.Name) and tree.id in ("true", "false") for tree in trees)
    schema = _of_literals(literals) or ({"type": "boolean"} if booleans else _named(name))
    if len(literals) < len(trees):  # what else is given is not said
        schema.pop("enum", None)
    if texts and len(texts) == len(trees) and all(re.fullmatch(r"[a-z][a-z0-9_]*", text) for text in texts):
        schema = {"type": "string", "enum": [*dict.fromkeys(texts)]}
    return parameter(schema, name, required=len(expressions) == calls)


def _returns(procedure: Procedure, results: set[str]) -> dict[str, Any]:
    root: dict[str, Any] = {"type": "object", "properties": {}}
    uses = [use for expression in _expressions(procedure) for use in _uses(expression, results)]
    for path in dict.fromkeys(use.path for use in uses):
        here = [use for use in uses if use.path == path]
        schema = next((deepcopy(form) for of, form in _BY_USE if any(use.of == of for use in here)), None)
        if schema is None:
            schema = _of_literals(literal for use in here for literal in use.literals) or _named(path[-1])
            if "enum" in schema:
                schema["enum"] = [*schema["enum"], "other"]
        if any(use.null for use in here) and isinstance(schema.get("type"), str):
            schema["type"] = [schema["type"], "null"]
        _put(root, path, schema)
    return root if root["properties"] else {}


def _uses(expression: Expression, results: set[str]) -> Iterator[_Use]:

    def fields(tree: ast.expr) -> list[_Path]:
        return [path[1:] for path in Expression("", tree).paths if path[0] in results and len(path) > 1]

    yield from map(_Use, fields(expression.plain))
    for node in ast.walk(expression.plain):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            yield from (_Use(path, of=node.func.id) for path in fields(node.args[0]))
        if isinstance(node, ast.BinOp):
            is_shift = isinstance(node.right, ast.Constant) and isinstance(node.right.value, str)
            yield from (_Use(path, of="days_since" if is_shift else "sum") for path in fields(node))
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            listed = [one for side in sides for one in (side.elts if isinstance(side, ast.List) else [side])]
            literals = tuple(one.value for one in listed if isinstance(one, ast.Constant))
            null = any(isinstance(side, ast.Name) and side.id == "null" for side in sides)
            plain = [side for side in sides if not isinstance(side, ast.Call)]
            if len(plain) == len(sides):
                yield from (_Use(path, literals, null) for side in sides for path in fields(side))


def _put(root: dict[str, Any], path: _Path, schema: dict[str, Any]) -> None:
    """Put a schema where a path leads; `[]` is a member of a list."""
    here = root
    for name, after in zip(path, (*path[1:], None), strict=True):
        if name == "[]":
            here = here.setdefault("items", {})
            continue
        inner = here.setdefault("properties", {}).setdefault(name, {})
        here.setdefault("type", "object")
        if after is None:
            inner.update({word: value for word, value in schema.items() if word not in inner})
        else:
            inner["type"] = "array" if after == "[]" else "object"
        here = inner


def _expressions(procedure: Procedure) -> Iterator[Expression]:
    for step in procedure.steps:
        yield from embedded(step.text)
        yield from map(parse, step.arguments.values())
        for branch in step.branches:
            yield from map(parse, filter(None, (branch.condition, *branch.sets.values())))


def _of_literals(literals: Iterable[Any]) -> dict[str, Any]:
    values = [*dict.fromkeys(literals)]
    if not values:
        return {}
    kinds: set[Any] = {value.__class__ for value in values}
    if kinds == {str}:
        return {"type": "string", "enum": values}
    if kinds <= {int, bool, float} and (bool not in kinds or len(kinds) == 1):
        return {"type": "boolean" if bool in kinds else "number" if float in kinds else "integer"}
    return {}


def _named(name: str) -> dict[str, Any]:
    return dict(next((schema for pattern, schema in _BY_NAME if re.search(pattern, name)), {"type": "string"}))
