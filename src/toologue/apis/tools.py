"""Tool lists with JSON Schemas, in the shapes of OpenAI (chat and responses), Anthropic and MCP, become Apis.

Contract: a list of tools, or an object with one under `tools` (or `functions`); shapes may be mixed. `writes` is what
MCP's `readOnlyHint` says, else what the name looks like. An optional parameter of OpenAI's strict mode (required, but
null is allowed) stays as it stands. Tools that the provider runs itself (web search, code) are refused by name.

Example:
    >>> schema = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
    >>> shapes = [{"type": "function", "function": {"name": "get_order", "parameters": schema}},
    ...           {"name": "cancel_order", "input_schema": schema},
    ...           {"name": "refund", "inputSchema": schema, "annotations": {"readOnlyHint": False}}]
    >>> [(api.name, api.required, api.writes) for api in read_tools(shapes)]
    [('get_order', ('order_id',), False), ('cancel_order', ('order_id',), True), ('refund', ('order_id',), True)]

Not covered: parameters that are a union of objects, titles, icons, and output that is not described by a schema.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from toologue.apis.schemas import first_bad_reference, object_of, parameters_of, shape, written_out
from toologue.data import Place, Source, read_source
from toologue.errors import shown
from toologue.schema import Api
from toologue.text.tokens import reads

_KEYS = {"inputSchema", "input_schema", "parameters", "function"}


class _Hints(BaseModel):
    model_config = ConfigDict(extra="ignore")

    reads: bool | None = Field(default=None, validation_alias=AliasChoices("readOnlyHint", "read_only_hint"))


class _Tool(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str = Field(min_length=1)
    description: str | None = None
    takes: dict[str, Any] | None = Field(
        default=None, validation_alias=AliasChoices("parameters", "input_schema", "inputSchema")
    )
    returns: dict[str, Any] | None = Field(default=None, validation_alias=AliasChoices("output_schema", "outputSchema"))
    annotations: _Hints | None = None


def read_tools(tools: Path | str | Iterable[Any]) -> list[Api]:
    """Read a file, or a list that is in memory. Raises BadFile, and BadRecord with the JSON path."""
    return tools_of(read_source(tools) if isinstance(tools, Path | str) else Source("<tools>", list(tools)))


def tools_of(source: Source) -> list[Api]:
    """The Apis of the tools that a source holds."""
    holder = object_of(source.data)
    key = next((key for key in ("tools", "functions") if key in holder), None)
    listed: Any = source.data if key is None else holder[key]
    place: Place = () if key is None else (key,)
    if not isinstance(listed, list):
        raise source.bad(place, f"expected a list of tools, got {shown(listed)}")
    return [_api(source, tool, (*place, index)) for index, tool in enumerate(cast("list[Any]", listed))]


def _api(source: Source, given: Any, place: Place) -> Api:
    rules = object_of(given)
    kind = rules.get("type", "function")
    if not _KEYS & rules.keys() and kind not in ("function", "custom"):
        raise source.bad(place, f"a tool of type {shown(kind)}: its provider runs it", "leave it out")
    if "function" in rules:
        rules, place = object_of(rules["function"]), (*place, "function")
    try:
        tool = _Tool.model_validate(rules if rules else given)
    except ValidationError as error:
        raise source.refused(error, place) from None
    takes = tool.takes or {}
    _check(source, takes, (*place, next((key for key in _KEYS if key in rules), "parameters")))
    hint = tool.annotations.reads if tool.annotations else None
    return Api(
        name=tool.name,
        description=tool.description or "",
        parameters=parameters_of(takes),
        returns=written_out(tool.returns or {}),
        writes=not (reads(tool.name) if hint is None else hint),
    )


def _check(source: Source, schema: dict[str, Any], place: Place) -> None:
    bad = first_bad_reference(schema)
    if bad is not None:
        raise source.bad((*place, *bad.place), bad.what, bad.remedy)
    whole = shape(schema, schema)
    if whole.get("type", "object") != "object" or {"oneOf", "anyOf"} & whole.keys():
        raise source.bad(place, f"expected the schema of one object, got {shown(schema)}")
