"""The small JSON in which ALMITA's models describe APIs (arXiv 2409.15934, A.3).

    {"apis": [{"name": "refund_order", "desc": "Refund an order.",
               "params": [{"order_id": "int"}, {"name": "reason", "type": "Optional[str]"}],
               "output": {"name": "refund_id", "type": "str"}}]}

Contract: `params` are one-pair objects, or have `name` and `type`, or are one object of pairs; types are written as in
Python (`int`, `str`, `float`, `bool`, `list[str]`, `dict[str, float]`, `Optional[str]`, `str | None`, `Literal["a"]`,
`date`, `datetime`, `Any`). No type, or None, is refused, and so are passwords and names that are not in snake case; an
empty list is legal, as is an empty object. `writes` is what the name looks like.

Example:
    >>> apis = read_almita({"apis": [{"name": "get_order", "params": [{"order_id": "int"}], "output": "bool"}]})
    >>> apis[0].parameters["order_id"].json_schema, apis[0].returns
    ({'type': 'integer'}, {'type': 'boolean'})

Not covered: classes of one's own as types; the paper's outputs that are several values are read as one object.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from toologue.apis.schemas import object_of, parameter
from toologue.data import Place, Source, read_source
from toologue.errors import shown
from toologue.schema import Api, Parameter
from toologue.text.tokens import asks_for_a_password, reads, snake

_TYPES: Mapping[str, dict[str, Any]] = {
    "int": {"type": "integer"}, "str": {"type": "string"}, "float": {"type": "number"}, "bool": {"type": "boolean"},
    "list": {"type": "array"}, "dict": {"type": "object"}, "Any": {}, "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
}  # fmt: skip
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_REMEDY = "write it as in Python: int, str, float, bool, list[str], dict[str, float], Optional[str]"


def read_almita(document: Path | str | Mapping[str, Any]) -> list[Api]:
    """Read a file, or what is in memory. Raises BadFile, and BadRecord with the JSON path."""
    return almita_of(Source("<apis>", document) if isinstance(document, Mapping) else read_source(document))


def almita_of(source: Source) -> list[Api]:
    """The Apis that a source describes."""
    data: Any = source.data
    listed: Any = object_of(data).get("apis", [])
    if not isinstance(data, dict) or not isinstance(listed, list):
        raise source.bad((), f'expected {{"apis": [...]}}, got {shown(cast("object", data))}')
    return [_api(source, given, ("apis", index)) for index, given in enumerate(cast("list[Any]", listed))]


def schema_of_type(text: str) -> tuple[dict[str, Any], bool]:
    """(JSON Schema, whether it is optional) of a type as Python writes it. Raises ValueError for any other text."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{shown(text)} is no type") from None
    return _typed(tree)


def _api(source: Source, given: Any, place: Place) -> Api:
    rules = object_of(given)
    name = _name(source, rules.get("name"), (*place, "name"))
    parameters = dict(_parameters(source, rules.get("params") or [], (*place, "params")))
    output: Any = rules.get("output")
    returns = _returns(source, output, (*place, "output")) if output not in (None, "", "None", {}, []) else {}
    description = str(rules.get("desc") or rules.get("description") or "")
    return Api(name=name, description=description, parameters=parameters, returns=returns, writes=not reads(name))


def _parameters(source: Source, given: Any, place: Place) -> list[tuple[str, Parameter]]:
    """(name, parameter) of each, however they are listed."""
    if not isinstance(given, list | dict):
        raise source.bad(place, f"expected a list of parameters, got {shown(given)}")
    entries = _entries(given, place)
    made: dict[str, Parameter] = {}
    for here, item in entries:
        for name, kind, description in _pairs(source, item, here):
            at = (*here, name)
            _name(source, name, at)
            if name in made:
                raise source.bad(at, f"there are two parameters {name!r}")
            if asks_for_a_password(name):
                raise source.bad(at, f"{name!r} asks for a password", "an agent never asks for one: leave it out")
            schema, optional = _schema(source, kind, at)
            made[name] = parameter(schema, name, description=description, required=not optional)
    return list(made.items())


def _pairs(source: Source, item: Any, place: Place) -> list[tuple[str, Any, str]]:
    """(name, type, description) of the parameters in one entry."""
    rules = object_of(item)
    if not rules:
        raise source.bad(place, f'expected {{"order_id": "int"}}, got {shown(item)}')
    if "type" in rules and isinstance(rules.get("name"), str):
        return [(rules["name"], rules["type"], str(rules.get("desc") or rules.get("description") or ""))]
    return [(name, kind, "") for name, kind in rules.items()]


def _returns(source: Source, output: Any, place: Place) -> dict[str, Any]:
    if isinstance(output, str):
        return _schema(source, output, place)[0]
    pairs = [(pair, at) for at, item in _entries(output, place) for pair in _pairs(source, item, at)]
    properties = {name: _schema(source, kind, (*at, name))[0] for (name, kind, _), at in pairs}
    return {"type": "object", "properties": properties}


def _entries(given: Any, place: Place) -> list[tuple[Place, Any]]:
    """What is listed, with its places; one thing alone is a list of it."""
    if not isinstance(given, list):
        return [(place, given)]
    return [((*place, index), item) for index, item in enumerate(cast("list[Any]", given))]


def _schema(source: Source, kind: Any, place: Place) -> tuple[dict[str, Any], bool]:
    if not isinstance(kind, str) or kind.strip() in ("", "None"):
        raise source.bad(place, f"the type {shown(kind)} says nothing", _REMEDY)
    try:
        return schema_of_type(kind)
    except ValueError as error:
        raise source.bad(place, str(error), _REMEDY) from None


def _name(source: Source, name: Any, place: Place) -> str:
    if not isinstance(name, str) or not _SNAKE.fullmatch(name):
        remedy = f"call it {snake(name)!r}" if isinstance(name, str) and _SNAKE.fullmatch(snake(name)) else ""
        raise source.bad(place, f"{shown(name)} is no name in snake case", remedy)
    return name


def _typed(tree: ast.expr) -> tuple[dict[str, Any], bool]:
    match tree:
        case ast.Constant(value=str(text)):  # a type in quotes
            return schema_of_type(text)
        case ast.Name(id=name) | ast.Attribute(attr=name) if name.lower() in _TYPES or name in _TYPES:
            return dict(_TYPES.get(name) or _TYPES[name.lower()] if name != "Any" else {}), False
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            return _generic(name, inner.elts if isinstance(inner, ast.Tuple) else [inner])
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union([left, right])
        case _:
            raise ValueError(f"{ast.unparse(tree)!r} is no type that is known here")


def _generic(name: str, inner: list[ast.expr]) -> tuple[dict[str, Any], bool]:
    match name.lower(), inner:
        case (("list" | "set" | "sequence" | "tuple"), [item, *_]):
            return {"type": "array", "items": _typed(item)[0]}, False
        case "dict", [_, value]:
            return {"type": "object", "additionalProperties": _typed(value)[0]}, False
        case "optional", [one]:
            return _typed(one)[0], True
        case "union", _:
            return _union(inner)
        case "literal", _ if all(isinstance(item, ast.Constant) for item in inner):
            return {"enum": [item.value for item in inner if isinstance(item, ast.Constant)]}, False
        case _:
            raise ValueError(f"{name}[…] is no type that is known here")


def _union(parts: list[ast.expr]) -> tuple[dict[str, Any], bool]:
    """The schema of either; with None among them it is optional."""
    real = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
    schemas = [_typed(part) for part in real]
    optional = len(real) < len(parts) or any(optional for _, optional in schemas)
    if not schemas:
        raise ValueError("None alone is no type")
    return (schemas[0][0] if len(schemas) == 1 else {"anyOf": [schema for schema, _ in schemas]}), optional
