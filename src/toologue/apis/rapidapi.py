"""RapidAPI and ToolBench records (ToolDial 3.1; ToolBench, arXiv 2307.16789) become Apis.

    {"full_name": "Sports|league|Teams", "category": "Sports", "description": "Teams of a league.",
     "keywords": ["team"], "required_parameters": [{"name": "league", "type": "NUMBER", "default": "4"}],
     "outputs": [{"name": "teams|id", "type": "integer", "count": 20, "example": 7}]}

A record a line (.jsonl, .jsonl.gz), a list of records, or a tool's file with `api_list`. What an API gives back is its
`outputs`, else its `schema`, else an example (`response`, `test_endpoint`, `body`). `phrase` and `long_description` of
an entity become `title` and `x-description`; `aug_description` stands in for the description. A `default` is the
`default` of an optional parameter, an example of a required one. `Notes` counts what could not be taken as it stood.

Not covered: latitude and longitude as one parameter (they stay apart), hosts, prices and code snippets.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import AfterValidator, AliasChoices, ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic_core import from_json

from toologue.apis.references import References
from toologue.apis.schemas import compare_of, object_of, written_out
from toologue.data import Place, Source, read_source
from toologue.schema import Api, Parameter
from toologue.schema.jsonl import Noun, read
from toologue.text.tokens import plural, words_of
from toologue.values.json_schema import list_of

_LISTS = ("list", "array", "ids", "coordinates")
_EXAMPLES, _LONGEST_EXAMPLE = 3, 200
_KINDS = {bool: "boolean", int: "integer", float: "number"}
# Keys by which a record is known.
MARKS = frozenset({"full_name", "api_list", "required_parameters", "output_components"})

_LOG = logging.getLogger("toologue")
_DEEPEST, _LONGEST = 60, 4000
_TEXT: dict[str, Any] = {"type": "string"}
_FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("STRING STR TEXT ENUM SELECT CREDENTIALS GEOPOINT BINARY FILE", _TEXT),
    ("NUMBER FLOAT DOUBLE DECIMAL", {"type": "number"}),
    ("INTEGER INT LONG", {"type": "integer"}),
    ("BOOLEAN BOOL", {"type": "boolean"}),
    ("DATE DATEPICKER", {"type": "string", "format": "date"}),
    ("TIME", {"type": "string", "pattern": r"^([01]?\d|2[0-3]):[0-5]\d$"}),
    ("LIST ARRAY", {"type": "array"}),
    ("OBJECT JSON MAP", {"type": "object"}),
    ("NULL", {"type": "null"}),
)
_TYPES = {name: form for names, form in _FORMS for name in names.split()}
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
# What could not be taken as it stood → how often.
Notes = Counter[str]


class Flat(NamedTuple):
    """An output, and how often it stands in a response."""

    name: str
    schema: dict[str, Any]
    times: int = 1


@dataclass(slots=True)
class _Node:
    """A place in a response: its own values, those below it, how often any of them stands."""

    values: list[Flat] = field(default_factory=list[Flat])
    below: dict[str, _Node] = field(default_factory=dict[str, "_Node"])
    counts: set[int] = field(default_factory=set[int])

    @property
    def times(self) -> int:
        return self.values[0].times if len(self.values) == 1 and not self.below else 0

    def plain(self, *, many: bool = True) -> list[int]:
        """The counts of the plain values below; without `many` only of those whose name is no plural."""
        return [part.times for key, part in self.below.items() if part.times and (many or not _looks_many(key))]


def nested(flat: Iterable[Flat]) -> dict[str, Any]:
    """The JSON Schema of a response that has these outputs; {} where there are none."""
    root, wanted = _Node(), list(flat)
    for output in wanted:
        node = root
        node.counts.add(output.times)
        for key in output.name.split("|") if output.name else ():
            node = node.below.setdefault(key, _Node())
            node.counts.add(output.times)
        node.values.append(output)
    if not wanted:
        return {}
    names = [output.name for output in wanted]
    if [output.name for output in _in_order(root)] != names or len({*names}) < len(names):
        for place, output in enumerate(wanted):
            output.schema["x-place"] = place
    return _place_schema(root, 1, top=True)


def schema_of_example(value: Any) -> dict[str, Any]:
    """The JSON Schema of a value that an API once gave back."""
    return _merged([value])


def _in_order(node: _Node) -> Iterator[Flat]:
    for part in node.below.values():
        yield from _in_order(part)
    yield from node.values


def _place_schema(place: _Node, holders: int, *, top: bool = False) -> dict[str, Any]:
    """The schema of what stands at a place whose holder is there `holders` times."""
    own = [output.schema | ({"x-count": output.times} if output.times > 1 else {}) for output in place.values]
    if place.below:
        many = _is_list(place, holders, top=top)
        each = _elements(place, holders) if many else holders
        inner = {key: _place_schema(part, each) for key, part in place.below.items()}
        own.insert(0, {"type": "object", "properties": inner})
    else:
        many = max(place.counts) > holders
    made = own[0] if len(own) == 1 and (place.below or not top) else {"anyOf": own}
    return {"type": "array", "items": made} if many else made


def _is_list(node: _Node, holders: int, *, top: bool) -> bool:
    """Whether the list level of what stands more than `holders` times is here, not further down or up."""
    if len(node.below) == 1 and not node.values:
        ((key, only),) = node.below.items()
        return only.times > holders and not _looks_many(key)
    counts = node.plain()
    if min(node.counts) > holders:
        return bool(counts or set[int].intersection(*(part.counts for part in node.below.values())))
    often = [count for count in counts if count > holders]
    return not top and len(often) >= 2 and len(often) * 2 > len(counts) and len(set(often)) == 1


def _elements(node: _Node, holders: int) -> int:
    plain = node.plain(many=False) or node.plain() or [min(node.counts)]
    often = Counter(count for count in plain if count > holders)
    return max(often, key=lambda count: (often[count], count)) if often else holders


def _looks_many(key: str) -> bool:
    last = (words_of(key) or ("",))[-1]
    return last in _LISTS or (last.isalpha() and plural(last) == last)


def _merged(values: list[Any]) -> dict[str, Any]:
    objects: list[Any] = [value for value in values if isinstance(value, dict)]
    lists: list[Any] = [value for value in values if isinstance(value, list)]
    plain = [value for value in values if not isinstance(value, dict | list)]
    made: list[dict[str, Any]] = []
    if objects:
        keys = dict.fromkeys(key for one in objects for key in one)
        parts = {key: _merged([one[key] for one in objects if key in one]) for key in keys}
        made.append({"type": "object", "properties": parts})
    if lists:
        inner = [value for one in lists for value in list_of(one)]
        made.append({"type": "array", **({"items": _merged(inner)} if inner else {})})
    if real := [value for value in plain if value is not None]:
        kinds = list(dict.fromkeys(_KINDS.get(value.__class__, "string") for value in real))
        if set(kinds) == {"integer", "number"}:
            kinds = ["number"]
        short = [value[:_LONGEST_EXAMPLE] if isinstance(value, str) else value for value in real[:50]]
        examples = list({repr(value): value for value in short}.values())[:_EXAMPLES]
        made.append({"type": kinds[0] if len(kinds) == 1 else kinds, "examples": examples})
    elif plain and not made:
        made.append({"type": "null"})
    return made[0] if len(made) == 1 else {"anyOf": made} if made else {}


def _shallow(name: str) -> str:
    if name.count("|") >= _DEEPEST:
        raise ValueError(f"an output more than {_DEEPEST} levels deep: leave out what nobody asks for")
    return name


def _also(*names: str, default: Any = "") -> Any:
    return Field(default=default, validation_alias=AliasChoices(*names))


class _Part(Noun):
    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _said(cls, given: Any) -> Any:
        """What is null is not said."""
        said = {key: part for key, part in object_of(given).items() if part is not None}
        return said if isinstance(given, dict) else given


class _Entity(_Part):
    name: str
    type: str = ""
    description: str = ""
    phrase: str = _also("phrase", "object_ad")
    long_description: str = _also("long_description", "object_long")
    default: JsonValue = None
    example: JsonValue = None


class _Output(_Entity):
    name: Annotated[str, AfterValidator(_shallow)]
    count: int = 1


class RapidApi(_Part):
    """One record: an API, or a tool with an `api_list`."""

    full_name: str = ""
    category: str = _also("category", "category_name")
    tool: str = _also("tool", "standardized_name", "tool_name")
    api: str = _also("api", "api_name", "name")
    method: str = ""
    description: str = ""
    aug_description: str = ""
    tool_description: str = ""
    keywords: tuple[str, ...] = ()
    required_parameters: tuple[_Entity, ...] = ()
    optional_parameters: tuple[_Entity, ...] = ()
    outputs: tuple[_Output, ...] = _also("outputs", "output_components", default=())
    form: JsonValue = Field(default=None, validation_alias="schema")
    response: JsonValue = _also("response", "test_endpoint", "body", "output", default=None)
    api_list: tuple[RapidApi, ...] = ()

    @model_validator(mode="after")
    def _is_named(self) -> Self:
        if not (self.full_name or self.api or self.tool):
            raise ValueError("an API without a name: give `full_name`, or `category`, `tool` and `api`")
        return self


def read_rapidapi(file: Path | str, notes: Notes | None = None) -> Iterator[Api]:
    """Stream the Apis of a file, also those that share a name. Without `notes` they are logged at the end.

    Raises BadFile, and BadRecord with file, line and JSON path.
    """
    path, kept = Path(file), Notes() if notes is None else notes
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        for record in read(path, RapidApi):
            yield from _apis(record, "", kept)
    else:
        yield from rapidapi_of(read_source(path), kept)
    if notes is None:
        _log(path, kept)


def rapidapi_of(source: Source, notes: Notes | None = None) -> list[Api]:
    """The Apis of a document: a record, a list of records, or a tool whose category is its own or its folder's name."""
    kept, folder = Notes() if notes is None else notes, Path(source.file).parent.name
    places: list[tuple[Any, Place]] = [(one, (index,)) for index, one in enumerate(list_of(source.data))]
    made: list[Api] = []
    for given, place in places or [(source.data, ())]:
        try:
            made += _apis(RapidApi.model_validate(given), folder, kept)
        except ValidationError as error:
            raise source.refused(error, place) from None
    if notes is None:
        _log(source.file, kept)
    return made


def _log(file: object, notes: Notes) -> None:
    for what, count in notes.most_common():
        _LOG.warning("%s: %d %s", file, count, what)


def _apis(record: RapidApi, folder: str, notes: Notes) -> Iterator[Api]:
    if not record.api_list:
        yield _api(record, notes)
    whole = {"category": record.category or folder, "tool": record.tool, "tool_description": record.tool_description}
    for one in record.api_list:
        yield _api(one.replace(**whole), notes)


def _api(record: RapidApi, notes: Notes) -> Api:
    name = record.full_name or "|".join((record.category, record.tool, record.api))
    told = (record.aug_description, record.description, record.tool_description)
    made = Api(
        name=name,
        description=_cut(next((text for text in told if text.strip()), ""), notes),
        parameters=_parameters(record, notes),
        writes=record.method.upper() not in ("", "GET", "HEAD"),
        domain=record.category or name.partition("|")[0],
        keywords=record.keywords,
    )
    return made.replace(returns=_returns(record, notes))  # made of validated values: looking again takes a third longer


def _parameters(record: RapidApi, notes: Notes) -> dict[str, Parameter]:
    made: dict[str, Parameter] = {}
    for entities, required in ((record.required_parameters, True), (record.optional_parameters, False)):
        for one in entities:
            if one.name in made:
                notes["parameters that are documented twice were read once"] += 1
                continue
            schema = _schema(one, notes)
            value = _fitting(one.default, schema, notes)
            if value is not None:
                schema |= {"examples": [value]} if required else {"default": value}
            compare = compare_of(schema, one.name, description=one.description[:_LONGEST])
            made[one.name] = Parameter(schema=schema, required=required, compare=compare)
    return made


def _returns(record: RapidApi, notes: Notes) -> dict[str, Any]:
    if record.outputs:
        return nested(_flat(one, notes) for one in record.outputs)
    form = object_of(_parsed(record.form))
    if form and References(form).bad(form, ()) is None:
        return written_out(form)
    if form:
        notes["response schemas with a `$ref` that cannot be followed were left out"] += 1
    example = _parsed(record.response)
    if {*object_of(example)} == {"error", "response"}:  # the envelope that the simulator puts round it
        example = _parsed(example["response"])
    return schema_of_example(example) if isinstance(example, dict | list) else {}


def _flat(one: _Output, notes: Notes) -> Flat:
    schema = _schema(one, notes)
    value = _fitting(one.example, schema, notes)
    if value is not None:
        schema["examples"] = [value]
    return Flat(one.name, schema, max(one.count, 1))


def _schema(one: _Entity, notes: Notes) -> dict[str, Any]:
    rule = _form(one.type)
    if rule is None:
        notes[f"of the unknown type {one.type.strip()[:40]} were read as texts"] += 1
    said = (("title", one.phrase), ("description", one.description), ("x-description", one.long_description))
    return {**(rule or _TEXT), **{key: _cut(text, notes) for key, text in said if text.strip()}}


@lru_cache(maxsize=1000)
def _form(kind: str) -> dict[str, Any] | None:
    """What a type is in JSON Schema, by its first word; a text where nothing is said, None where it is unknown."""
    word = re.match(r"[A-Za-z]*", kind.strip())
    return _TYPES.get(word[0].upper() if word else "") if kind.strip() else _TEXT


def _fitting(value: JsonValue, schema: Mapping[str, Any], notes: Notes) -> JsonValue:
    if value is None or value == "":
        return None
    made = _typed(value, str(schema["type"]))
    if made is None:
        notes["default or example values that their type does not allow were left out"] += 1
    return made


def _typed(value: Any, kind: str) -> JsonValue:
    text = value.strip() if isinstance(value, str) else ""
    match kind:
        case "string":
            return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
        case "boolean":
            return value if isinstance(value, bool) else _BOOLEANS.get(text.lower())
        case "number" | "integer" if not isinstance(value, bool):
            number: Any = value if isinstance(value, int | float) else _parsed(text)
            whole = isinstance(number, int) or (isinstance(number, float) and number.is_integer())
            return number if isinstance(number, int | float) and (whole or kind == "number") else None
        case "array":
            listed: Any = _parsed(value)
            parts: Any = [part.strip() for part in text.split(",")] if text else None
            return list_of(listed) if isinstance(listed, list) else parts
        case "object":
            return object_of(_parsed(value)) or None
        case _:
            return None


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return from_json(value, allow_inf_nan=False)
    except ValueError:
        return None


def _cut(text: str, notes: Notes) -> str:
    if len(text) <= _LONGEST:
        return text
    notes[f"texts of more than {_LONGEST:,} characters were cut"] += 1
    return f"{text[: _LONGEST - 1]}…"
