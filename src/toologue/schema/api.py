"""An Api: what an agent is told about one tool, and how two calls of it are compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, ValidationError, model_serializer
from pydantic_core import from_json, to_json

from toologue import limits
from toologue.errors import BadRecord
from toologue.schema.jsonl import Noun, Record, bad_record, line_of, parse, replacing
from toologue.schema.shared import Packer, Unpacker

# How an argument is judged equal to the expected one:
#
# - exact: equal JSON · folded: equal but for case and outer spaces · set: equal in any order
# - text, prose: similarity at or above the threshold for short texts, for long ones
# - date: the same calendar day · moment: the same instant, however it is written
# - from, until: a range's lower, upper bound: may lie further out, may be absent
# - ids: expected ids are among the actual ones · ignored: never compared
Compare = Literal["exact", "text", "prose", "folded", "date", "moment", "from", "until", "set", "ids", "ignored"]
SCHEMAS_FIELD = b',"schemas":'


class Parameter(Noun):
    """One parameter: its JSON Schema, whether a call must give it, how its values compare."""

    json_schema: dict[str, JsonValue] = Field(default_factory=dict, alias="schema")
    required: bool = True
    compare: Compare = "exact"


class _Held(Noun):
    """The schemas that a line brings for itself and for those after it."""

    schemas: dict[str, dict[str, JsonValue]]


_UNSAID = ("wishes", "questions", "confirm", "failures")


class Api(Record):
    """One tool. `writes` is true where a call may change the world (the paper's "action", ToolTalk 2.1).

    `confirm` says whether a call waits until the customer has agreed: always, or, as the names of parameters, where
    what these name is there already, so that it would be written over. `failures` are the faults that a call may end
    with, by type, and what each means. `wishes`: what people say who want it; a retriever finds it by them, too.
    `questions`: the same, estimated from the document.
    """

    format: Literal["api/1"] = "api/1"
    name: str = Field(min_length=1)
    description: str = ""
    parameters: dict[str, Parameter] = Field(default_factory=dict[str, Parameter])
    returns: dict[str, JsonValue] = Field(default_factory=dict)
    writes: bool = False
    domain: str = ""
    keywords: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    confirm: bool | tuple[str, ...] = False
    failures: dict[str, str] = Field(default_factory=dict)

    @model_serializer(mode="wrap")
    def _said(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What documents do not say is not written: so their keys do not depend on it."""
        told: dict[str, Any] = serialize(self)
        return {name: value for name, value in told.items() if value or name not in _UNSAID}

    @classmethod
    def reader(cls) -> Callable[[bytes, object, int], Api]:
        """What reads the lines of a file, in their order."""
        return _Reader()

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the parameters that a call must give, in the order of the documentation."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.required)


def write_apis(file: Path | str, apis: Iterable[Api]) -> None:
    """Write Apis, replacing the file in one step; schemas that they have in common are written once."""
    with replacing(Path(file)) as stream:
        stream.writelines(packed(apis))


def packed(apis: Iterable[Api]) -> Iterator[bytes]:
    """The lines of Apis. The first that needs a schema of several has it under `schemas`."""
    every, packer = list(apis), Packer()
    for api in every:
        for schema in (api.returns, *(one.json_schema for one in api.parameters.values())):
            packer.count(schema)
    for api in every:
        schemas: dict[str, Any] = {}
        parameters = {
            name: one.replace(json_schema=packer.part(one.json_schema, schemas)) for name, one in api.parameters.items()
        }
        line = line_of(api.replace(parameters=parameters, returns=packer.part(api.returns, schemas)))
        yield line.rstrip()[:-1] + SCHEMAS_FIELD + to_json(schemas) + b"}\n" if schemas else line


def without_schemas(line: bytes, held: set[str]) -> bytes:
    """A line without the schemas that those before it `held`; its own are held from then on."""
    if SCHEMAS_FIELD not in line:
        return line
    data = cast("dict[str, Any]", from_json(line))
    schemas: dict[str, Any] = data.pop("schemas", {})
    new = {name: schema for name, schema in schemas.items() if name not in held}
    held.update(new)
    return to_json(data | ({"schemas": new} if new else {})) + b"\n"


class _Reader:
    def __init__(self):
        self._unpack = Unpacker()

    def __call__(self, line: bytes, file: object, number: int) -> Api:
        if not self._unpack.schemas and SCHEMAS_FIELD not in line:
            return parse(line, Api, file, number)
        try:
            data: Any = json.loads(line, object_pairs_hook=limits.members_once)
        except limits.TwiceError as twice:
            raise BadRecord(file, number, "$", str(twice), "leave one of them") from None
        except (ValueError, RecursionError):
            return parse(line, Api, file, number)  # says what is wrong

        def bad(place: str, what: str, remedy: str) -> BadRecord:
            return BadRecord(file, number, place, what, remedy)

        held: Any = cast("dict[str, Any]", data).pop("schemas", {}) if data.__class__ is dict else {}
        try:
            schemas = _Held(schemas=held).schemas
            api = Api.model_validate(data)
        except ValidationError as error:
            raise bad_record(error, Api, file, number) from None
        self._unpack.add(schemas, bad)
        parameters = {
            name: one.replace(json_schema=self._unpack(one.json_schema, f"$.parameters.{name}.schema", bad))
            for name, one in api.parameters.items()
        }
        return api.replace(parameters=parameters, returns=self._unpack(api.returns, "$.returns", bad))
