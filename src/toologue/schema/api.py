"""An Api: what an agent is told about one tool, and how two calls of it are compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, ValidationError, model_serializer
from pydantic_core import from_json, to_json

from toologue import keys, limits
from toologue.errors import BadRecord
from toologue.schema.jsonl import Noun, Record, bad_record, line_of, parse, replacing

_LEAST = 120  # bytes of a schema that is worth a key
_MOST = 5_000_000  # values that a schema may stand for
_HEAD = "schema:"
_Bad = Callable[[str, str, str], BadRecord]
# How an argument is judged equal to the expected one:
#
# - exact: equal JSON · folded: equal but for case and outer spaces · set: equal in any order
# - text, prose: similarity at or above the threshold for short texts, for long ones
# - date: the same calendar day · moment: the same instant, however it is written
# - from, until: a range's lower, upper bound: may lie further out, may be absent
# - ids: expected ids are among the actual ones · ignored: never compared
Compare = Literal["exact", "text", "prose", "folded", "date", "moment", "from", "until", "set", "ids", "ignored"]
SCHEMAS_FIELD = b',"schemas":'


class Packer:
    """Writes schemas that several Apis of a file have in common once. What it is given has to live as long.

    It looks at all schemas first, then writes each: what stands twice or more goes into `schemas`, by a key of its
    content, and `{"$ref": "schema:KEY"}` stands for it. Such a schema may refer to those before it. It knows each value
    by its content: a number, how often it stands somewhere, how many bytes it has.

    >>> pet = {"type": "object", "properties": {"owner": {"type": "string", "description": "Whom it lives with." * 9}}}
    >>> packer, schemas, twin = Packer(), {}, dict(pet)
    >>> packer.count(pet) == packer.count(twin)
    True
    >>> packer.part(pet, schemas)["$ref"].removeprefix("schema:") in schemas
    True

    Not covered: a schema in which `{"$ref": "schema:…"}` means something else.
    """

    def __init__(self):
        self._by_object = dict[int, int]()
        self._by_content = dict[tuple[Any, ...], int]()
        self._times, self._bytes = list[int](), list[int]()
        self._names = dict[int, str]()

    def count(self, value: Any) -> int:
        """Look at one more place where a value stands; its number."""
        known = self._by_object.get(id(value))
        if known is None:
            known = self._by_object[id(value)] = self._look(value)
        self._times[known] += 1
        return known

    def _look(self, value: dict[str, Any] | list[Any]) -> int:
        if isinstance(value, dict):
            parts = [(name, *self._member(part)) for name, part in value.items()]
            size = sum(len(name) + 4 + self._size(kind, part) for name, kind, part in parts)
        else:
            parts = [("", *self._member(part)) for part in value]
            size = sum(1 + self._size(kind, part) for _, kind, part in parts)
        known = self._by_content.setdefault((isinstance(value, dict), *parts), len(self._times))
        if known == len(self._times):
            self._times.append(0)
            self._bytes.append(size + 2)
        return known

    def part(self, value: Any, schemas: dict[str, Any]) -> Any:
        """The value as it is written: what stands elsewhere, too, is a reference to `schemas`."""
        if isinstance(value, list):
            return [self.part(item, schemas) for item in cast("list[Any]", value)]
        if not isinstance(value, dict):
            return value
        number = self._by_object[id(cast("Any", value))]
        if number in self._names:
            return {"$ref": _HEAD + self._names[number]}
        made = {name: self.part(part, schemas) for name, part in cast("dict[str, Any]", value).items()}
        if self._times[number] < 2 or self._bytes[number] < _LEAST:
            return made
        name = self._names[number] = keys.content_key(made)
        schemas[name] = made
        return {"$ref": _HEAD + name}

    def _member(self, value: Any) -> tuple[str, Any]:
        is_whole = isinstance(value, dict | list)
        return ("", self.count(value)) if is_whole else (value.__class__.__name__, value)

    def _size(self, kind: str, part: Any) -> int:
        return len(str(part)) + 2 if kind else self._bytes[int(part)]


class Unpacker:
    """Puts schemas where references stand for them; one schema is one object, which nobody changes.

    `bad` makes the error of (place, what, remedy).
    """

    def __init__(self):
        self.schemas = dict[str, tuple[Any, int, int]]()

    def add(self, schemas: Mapping[str, Any], bad: _Bad) -> None:
        """Know some more schemas."""
        for name, schema in schemas.items():
            self.schemas[name] = self._part(schema, f"$.schemas.{name}", bad)

    def __call__(self, schema: Any, place: str, bad: _Bad) -> Any:
        """The schema as it was before it was packed."""
        return self._part(schema, place, bad)[0]

    def _part(self, value: Any, place: str, bad: _Bad) -> tuple[Any, int, int]:
        """(the value, how many values it stands for, how deep it is)."""
        if isinstance(value, dict):
            rules: Mapping[str, Any] = cast("dict[str, Any]", value)
            target = rules.get("$ref")
            if len(rules) == 1 and isinstance(target, str) and target.startswith(_HEAD):
                if (name := target.removeprefix(_HEAD)) not in self.schemas:
                    raise bad(place, f"no line up to here holds the schema {name!r}", "keep the lines before it")
                return self.schemas[name]
            made: Any = dict(rules)
            places = rules.items()
        elif isinstance(value, list):
            made = list(cast("list[Any]", value))
            places = enumerate(made)
        else:
            return value, 1, 0
        size, deep = 1 + len(made), 1
        for at, part in places:
            if isinstance(part, dict | list):  # the others stay: most values are none of both
                made[at], more, inner = self._part(part, place, bad)
                size, deep = size + more - 1, max(deep, 1 + inner)
        if size > _MOST or deep > limits.DEEPEST_LINE:
            what = f"more than {_MOST:,} values" if size > _MOST else f"more than {limits.DEEPEST_LINE} levels"
            raise bad(place, f"stands for {what}", "write it shorter")
        return made, size, deep


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
