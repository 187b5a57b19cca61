"""Lists of tools become Apis: with JSON Schemas, or in the small JSON of ALMITA.

`read_tools` takes the shapes of OpenAI (chat and responses), Anthropic and MCP, which may be mixed. `writes` is what
MCP's `readOnlyHint` says (or that a `destructiveHint` stands there): a tool that declares nothing is not said to write.
Tools that the provider runs itself (web search, code) are refused by name.

`read_almita` takes what ALMITA's models write (arXiv 2409.15934, A.3): `params` are one-pair objects, or have `name`
and `type`, or are one object of pairs; types are written as in Python. No type, or None, is refused, and so are
passwords and names that are not in snake case; an empty list is legal, as is an empty object.

Not covered: parameters that are a union of objects; outputs of ALMITA that are several values are read as one object.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from toologue.apis.choice import Unread, left_out
from toologue.apis.references import References
from toologue.apis.schemas import list_of, object_of, parameter, parameters_of, shape, written_out
from toologue.data import Place, Source, complaint, read_source
from toologue.errors import shown
from toologue.schema import Api, Parameter
from toologue.text.tokens import names_a_secret, reads, snake

_KEYS = {"inputSchema", "input_schema", "parameters", "function"}
_TYPES: Mapping[str, dict[str, Any]] = {
    "int": {"type": "integer"}, "str": {"type": "string"}, "float": {"type": "number"}, "bool": {"type": "boolean"},
    "list": {"type": "array"}, "dict": {"type": "object"}, "Any": {}, "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
}  # fmt: skip
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_REMEDY = "write it as in Python: int, str, float, bool, list[str], dict[str, float], Optional[str]"


def _also(*names: str) -> Any:
    return Field(default=None, validation_alias=AliasChoices(*names))


class _Hints(BaseModel):
    reads: bool | None = _also("readOnlyHint", "read_only_hint")
    destroys: bool | None = _also("destructiveHint", "destructive_hint")


class _Tool(BaseModel):
    name: str = Field(min_length=1)
    description: str | None = None
    takes: dict[str, Any] | None = _also("parameters", "input_schema", "inputSchema")
    returns: dict[str, Any] | None = _also("output_schema", "outputSchema")
    annotations: _Hints | None = None


def read_tools(tools: Path | str | Iterable[Any]) -> list[Api]:
    """Read a file, or a list that is in memory. Raises BadFile, and BadRecord with the JSON path."""
    return tools_of(read_source(tools) if isinstance(tools, Path | str) else Source("<tools>", list(tools)))


def tools_of(source: Source, *, strict: bool = False) -> list[Api]:
    """The Apis of the tools that a source holds; those that cannot be read are left out, unless it is `strict`."""
    holder = object_of(source.data)
    key = next((key for key in ("tools", "functions") if key in holder), None)
    listed: Any = source.data if key is None else holder[key]
    place: Place = () if key is None else (key,)
    if not isinstance(listed, list):
        raise source.bad(place, f"expected a list of tools, got {shown(listed)}")
    made, bad = list[Api](), list[tuple[str, str, str, Unread]]()
    for index, tool in enumerate(list_of(listed)):
        try:
            made.append(_api(tool, (*place, index)))
        except Unread as wrong:
            said = {**object_of(tool), **object_of(object_of(tool).get("function"))}
            bad.append((str(said.get("name", f"number {index + 1}")), "", "", wrong))
    left_out(source, len(made), bad, strict)
    return made


def _api(given: Any, place: Place) -> Api:
    rules = object_of(given)
    kind = rules.get("type", "function")
    if not _KEYS & rules.keys() and kind not in ("function", "custom"):
        raise Unread(place, f"a tool of type {shown(kind)}: its provider runs it", "leave it out")
    if "function" in rules:
        rules, place = object_of(rules["function"]), (*place, "function")
    try:
        tool = _Tool.model_validate(rules if rules else given)
    except ValidationError as error:
        inner, what = complaint(error)
        raise Unread((*place, *inner), what) from None
    takes = tool.takes or {}
    _check(takes, (*place, next((key for key in _KEYS if key in rules), "parameters")))
    said = tool.annotations or _Hints()
    writes = not said.reads if said.reads is not None else said.destroys is not None
    return Api(
        name=tool.name,
        description=tool.description or "",
        parameters=parameters_of(takes),
        returns=written_out(tool.returns or {}),
        writes=writes,
    )


def _check(schema: dict[str, Any], place: Place) -> None:
    if bad := References(schema).bad(schema, ()):
        raise Unread((*place, *bad[0]), *bad[1:])
    whole = shape(schema, schema)
    if whole.get("type", "object") != "object" or {"oneOf", "anyOf"} & whole.keys():
        raise Unread(place, f"expected the schema of one object, got {shown(schema)}")


def read_almita(document: Path | str | Mapping[str, Any]) -> list[Api]:
    """Read a file, or what is in memory. Raises BadFile, and BadRecord with the JSON path."""
    return almita_of(Source("<apis>", document) if isinstance(document, Mapping) else read_source(document))


def almita_of(source: Source) -> list[Api]:
    """The Apis that a source describes."""
    data: Any = source.data
    listed: Any = object_of(data).get("apis", [])
    if not isinstance(data, dict) or not isinstance(listed, list):
        raise source.bad((), f'expected {{"apis": [...]}}, got {shown(cast("object", data))}')
    return [_almita_api(source, given, ("apis", index)) for index, given in enumerate(list_of(listed))]


def schema_of_type(text: str) -> tuple[dict[str, Any], bool]:
    """(JSON Schema, whether it is optional) of a type as Python writes it. Raises ValueError for any other text."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{shown(text)} is no type") from None
    return _typed(tree)


def _almita_api(source: Source, given: Any, place: Place) -> Api:
    rules = object_of(given)
    name = _snake_name(source, rules.get("name"), (*place, "name"))
    listed: Any = rules.get("params") or []
    output = rules.get("output")
    if not isinstance(listed, list | dict):
        raise source.bad((*place, "params"), f"expected a list of parameters, got {shown(listed)}")
    made: dict[str, Parameter] = {}
    for one, kind, description, at in _pairs(source, listed, (*place, "params")):
        _snake_name(source, one, at)
        if one in made:
            raise source.bad(at, f"there are two parameters {one!r}")
        if names_a_secret(one):
            raise source.bad(at, f"{one!r} is a secret", "an agent never asks for one: leave it out")
        schema, optional = _schema(source, kind, at)
        made[one] = parameter(schema, one, description=description, required=not optional)
    returns: dict[str, Any] = {}
    if isinstance(output, str) and output not in ("", "None"):
        returns = _schema(source, output, (*place, "output"))[0]
    elif output not in (None, "", "None", {}, []):
        pairs = _pairs(source, output, (*place, "output"))
        returns = {"type": "object", "properties": {one: _schema(source, kind, at)[0] for one, kind, _, at in pairs}}
    return Api(name=name, description=_told(rules), parameters=made, returns=returns, writes=not reads(name))


def _told(rules: dict[str, Any]) -> str:
    return str(rules.get("desc") or rules.get("description") or "")


def _pairs(source: Source, given: Any, place: Place) -> Iterator[tuple[str, Any, str, Place]]:
    """(name, type, description, place) of all that is listed, however; one thing alone is a list of it."""
    listed = isinstance(given, list)
    for index, item in enumerate(list_of(given) if listed else [given]):
        at, rules = (*place, index) if listed else place, object_of(item)
        if not rules:
            raise source.bad(at, f'expected {{"order_id": "int"}}, got {shown(item)}')
        if "type" in rules and isinstance(rules.get("name"), str):
            yield rules["name"], rules["type"], _told(rules), (*at, rules["name"])
        else:
            yield from ((name, kind, "", (*at, name)) for name, kind in rules.items())


def _schema(source: Source, kind: Any, place: Place) -> tuple[dict[str, Any], bool]:
    if not isinstance(kind, str) or kind.strip() in ("", "None"):
        raise source.bad(place, f"the type {shown(kind)} says nothing", _REMEDY)
    try:
        return schema_of_type(kind)
    except ValueError as error:
        raise source.bad(place, str(error), _REMEDY) from None


def _snake_name(source: Source, name: Any, place: Place) -> str:
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
    real = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
    schemas = [_typed(part) for part in real]
    optional = len(real) < len(parts) or any(optional for _, optional in schemas)
    if not schemas:
        raise ValueError("None alone is no type")
    return (schemas[0][0] if len(schemas) == 1 else {"anyOf": [schema for schema, _ in schemas]}), optional
