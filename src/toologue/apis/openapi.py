"""OpenAPI 3.0 and 3.1: each operation becomes an Api, and an `Operation` that says how a call travels.

Path, query and body parameters become one flat set with names of their own: a name that is taken gets its place in
front (`body_id`); a body that is no object is the parameter `body`. Headers, cookies and keys never show, nor do
operations that are `x-internal: true`; one that asks for a password is refused. Properties that are `readOnly` are not
asked for. The name is the operationId, or made from method and path; the domain is the first tag; `writes` follows from
the method, unless `x-writes` says otherwise; `confirm` is what `x-confirm` says, else true of DELETE; `returns` is the
schema of the success, its `$ref`s written out.

Not covered: webhooks, callbacks, links, servers, HEAD and OPTIONS; `style` and `explode`; of several media types of a
body or an answer only the JSON one, else the first; references into other documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from toologue.apis.schemas import (
    first_bad_reference,
    modern,
    object_of,
    parameter,
    properties_of,
    required_of,
    shape,
    written_out,
)
from toologue.data import Place, Source, path_text, read_source
from toologue.errors import shown
from toologue.schema import Api, Noun, Parameter
from toologue.text.tokens import asks_for_a_password, callable_name, plural, singular, snake, unique
from toologue.values.json_schema import resolved, types_of


def _named(name: str, default: Any = None) -> Any:
    return Field(default=default, alias=name)


class _Part(BaseModel):
    """What is read of a part of the document; the rest of it is not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Media(_Part):
    rule: Any = _named("schema")


class _Content(_Part):
    content: dict[str, _Media | None] = {}
    description: str = ""
    required: bool | None = None

    @property
    def form(self) -> Any:
        """The schema of the JSON type, else of the first one; None where there is none."""
        kinds = sorted(self.content, key=lambda kind: (not kind.startswith("application/json"), "json" not in kind))
        media = self.content[kinds[0]] if kinds else None
        return media.rule if media is not None else None


class _ParameterPart(_Content):
    name: str
    into: Literal["path", "query", "header", "cookie"] = Field(alias="in")
    rule: Any = _named("schema")
    example: Any = None

    @property
    def whole(self) -> Any:
        rule = self.rule if self.rule is not None else self.form
        if self.example is None or not isinstance(rule, dict):
            return {} if rule is None else rule
        return {"example": self.example, **object_of(rule)}


class _ItemPart(_Part):
    parameters: list[dict[str, Any]] = []


class _OperationPart(_ItemPart):
    name: str | None = _named("operationId")
    summary: str = ""
    description: str = ""
    tags: list[str] = []
    body: dict[str, Any] | None = _named("requestBody")
    responses: dict[str, dict[str, Any]] = {}
    writes: bool | None = _named("x-writes")
    confirm: bool | tuple[str, ...] | None = _named("x-confirm")


class _SchemePart(_Part):
    name: str = ""
    into: str = _named("in", "")


class _Components(_Part):
    schemes: dict[str, dict[str, Any]] = _named("securitySchemes", {})


class _DocumentPart(_Part):
    paths: dict[str, dict[str, Any]] = {}
    components: _Components = _Components()


Method = Literal["get", "put", "post", "delete", "patch"]


class Wire(Noun):
    """Where a parameter goes: into the path, the query or the body, under this name; "" is the whole body."""

    into: Literal["path", "query", "body"]
    name: str
    extensions: dict[str, JsonValue] = Field(default_factory=dict)
    """What the document says of the parameter, or in its schema, under `x-…`."""


class Operation(Noun):
    """One operation: its Api, and what the Api does not say. `faults`: HTTP status → the document's description."""

    api: Api
    method: Method
    path: str
    wires: dict[str, Wire] = Field(default_factory=dict[str, Wire])
    status: int = 200
    response: dict[str, JsonValue] = Field(default_factory=dict)
    """The schema of the success as it stands in the document, `$ref`s included; {} where nothing comes back."""
    faults: dict[str, str] = Field(default_factory=dict)
    extensions: dict[str, JsonValue] = Field(default_factory=dict)
    """What the document says under `x-…`."""

    @property
    def place(self) -> tuple[str, ...]:
        """Where the operation stands in its document."""
        return ("paths", self.path, self.method)


@dataclass(frozen=True)
class OpenApi:
    """A document that was read. `root` is what its `$ref`s point into, in the dialect of JSON Schema 2020-12."""

    source: Source
    root: Mapping[str, Any]
    operations: tuple[Operation, ...]


def read_openapi(document: Path | str | Mapping[str, Any]) -> OpenApi:
    """Read a file, or a document that is in memory. Raises BadFile, and BadRecord with the JSON path."""
    memory = isinstance(document, Mapping)
    return openapi_of(Source("<document>", dict(document)) if memory else read_source(document))


def openapi_of(source: Source) -> OpenApi:
    """The document that a source holds."""
    root = _root(source)
    if bad := first_bad_reference(root):
        raise source.bad(*bad)
    operations = tuple(_Reader(source, root).operations())
    if not operations:
        raise source.bad(("paths",) if "paths" in root else (), "there is no operation", "describe one under `paths`")
    return OpenApi(source, root, operations)


def _root(source: Source) -> dict[str, Any]:
    root = source.data
    if not isinstance(root, dict):
        raise source.bad((), f"expected an OpenAPI document, got {shown(root)}")
    if "swagger" in root:
        remedy = "convert it to OpenAPI 3, for example with the converter of editor.swagger.io"
        raise source.bad(("swagger",), "this is OpenAPI 2.0 (Swagger); 3.0 and 3.1 can be read", remedy)
    root = object_of(root)
    version = root.get("openapi")
    if not str(version).startswith("3"):
        place = ("openapi",) if "openapi" in root else ()
        raise source.bad(place, f"expected `openapi: 3.0.x` or `3.1.x`, got {shown(version)}")
    return modern(root) if str(version).startswith("3.0") else root


class _Travelling(NamedTuple):
    wire: Wire
    schema: Any
    description: str
    required: bool


R = TypeVar("R", bound=_Part)


class _Reader:
    def __init__(self, source: Source, root: dict[str, Any]):
        self._source, self._root = source, root
        self._document = self._read(_DocumentPart, root, ())
        schemes = self._document.components.schemes.items()
        read = (self._read(_SchemePart, rule, ("components", "securitySchemes", name)) for name, rule in schemes)
        self._keys = {scheme.name for scheme in read if scheme.into == "query"}

    def operations(self) -> Iterator[Operation]:
        names: dict[str, tuple[str, ...]] = {}
        for path, given in self._document.paths.items():
            item = resolved(given, self._root) or {}
            for method in get_args(Method):
                if method not in item or True in (item.get("x-internal"), object_of(item[method]).get("x-internal")):
                    continue
                made = self._operation(path, method, item)
                if "operationId" in item[method] and made.api.name in names:
                    what = f"the name {made.api.name!r} is taken by {path_text(names[made.api.name])}"
                    raise self._source.bad(made.place, what, "give each operation an operationId of its own")
                name = unique(made.api.name, names)
                names[name] = made.place
                yield made.replace(api=made.api.replace(name=name))

    def _operation(self, path: str, method: Method, item: Mapping[str, Any]) -> Operation:
        place = ("paths", path, method)
        rules = self._read(_OperationPart, item[method], place)
        wires, parameters = self._flat([*self._sent(path, method, item), *self._body(rules, place)], place)
        responses = rules.responses.items()
        answers = {code: self._read(_Content, rule, (*place, "responses", code)) for code, rule in responses}
        status, response = _success(answers)
        confirm = method == "delete" if rules.confirm is None else rules.confirm
        if not isinstance(confirm, bool) and (strange := set(confirm) - parameters.keys()):
            what = f"'x-confirm' names {sorted(strange)[0]!r}, which is no parameter here"
            raise self._source.bad((*place, "x-confirm"), what, f"name some of: {', '.join(parameters)}; or say true")
        api = Api(
            name=callable_name(rules.name or "") or _made_name(method, path),
            description=_sentences(rules.summary, rules.description),
            parameters=parameters,
            returns=written_out(response, self._root, without="writeOnly"),
            writes=method != "get" if rules.writes is None else rules.writes,
            confirm=confirm,
            domain=rules.tags[0] if rules.tags else "",
        )
        return Operation(
            api=api,
            method=method,
            path=path,
            wires=wires,
            status=status,
            response=response,
            faults={code: answer.description for code, answer in answers.items() if code[:1] in "45"},
            extensions={**_extensions(item, self._root), **_extensions(item[method], self._root)},
        )

    def _flat(self, parts: list[_Travelling], place: Place) -> tuple[dict[str, Wire], dict[str, Parameter]]:
        wires: dict[str, Wire] = {}
        made: dict[str, Parameter] = {}
        for wire, schema, description, required in parts:
            name = callable_name(wire.name) or "body"
            name = unique(f"{wire.into}_{name}" if name in wires else name, wires)
            one = parameter(schema, name, root=self._root, description=description, required=required)
            kinds, form = types_of(one.json_schema), one.json_schema.get("format")
            if (asks_for_a_password(name) or form == "password") and (not kinds or "string" in kinds):
                remedy = "an agent never does: remove the operation, or say `x-internal: true` at it"
                raise self._source.bad(place, f"the parameter {name!r} asks for a password", remedy)
            wires[name], made[name] = wire, one
        return wires, made

    def _sent(self, path: str, method: Method, item: Mapping[str, Any]) -> Iterator[_Travelling]:
        found: dict[tuple[str, str], _Travelling] = {}
        for holder, place in ((item, ("paths", path)), (item[method], ("paths", path, method))):
            for index, given in enumerate(self._read(_ItemPart, holder, place).parameters):
                said = self._read(_ParameterPart, given, (*place, "parameters", index))
                required = said.into == "path" or said.required is True
                if said.into == "path" or (said.into == "query" and said.name not in self._keys):
                    extensions = {**_extensions(said.whole, self._root), **_extensions(given, self._root)}
                    wire = Wire(into=said.into, name=said.name, extensions=extensions)
                    found[said.into, said.name] = _Travelling(wire, said.whole, said.description, required)
        for name in dict.fromkeys(re.findall(r"\{([^{}/]+)\}", path)):
            if ("path", name) not in found:
                raise self._source.bad(("paths", path), f"{{{name}}} is not described", "list it under `parameters`")
            yield found.pop(("path", name))
        yield from (part for part in found.values() if part.wire.into == "query")

    def _body(self, rules: _OperationPart, place: Place) -> Iterator[_Travelling]:
        """The properties of the body; the whole of it where it is no plain object.

        What its schema requires is required unless the body is said to be optional: `required` is often forgotten.
        """
        said = self._read(_Content, rules.body, (*place, "requestBody")) if rules.body is not None else _Content()
        if said.form is None:
            return
        needed, whole = said.required is not False, shape(said.form, self._root)
        if not properties_of(whole) or {"oneOf", "anyOf"} & whole.keys():
            yield _Travelling(Wire(into="body", name=""), said.form, said.description, needed)
            return
        for name, inner in properties_of(whole).items():
            if (resolved(inner, self._root) or {}).get("readOnly") is not True:
                wire = Wire(into="body", name=name, extensions=_extensions(inner, self._root))
                yield _Travelling(wire, inner, "", needed and name in required_of(whole))

    def _read(self, rule: type[R], value: Any, place: Place) -> R:
        try:
            return rule.model_validate(resolved(value, self._root) if isinstance(value, Mapping) else value)
        except ValidationError as error:
            raise self._source.refused(error, place) from None


def _extensions(value: Any, root: Any) -> dict[str, Any]:
    return {key: part for key, part in (resolved(value, root) or {}).items() if key.startswith("x-")}


def _success(answers: Mapping[str, _Content]) -> tuple[int, dict[str, Any]]:
    """(status, schema) of the first success that is described, else of `default`."""
    good = sorted((code for code in answers if code.startswith("2")), key=lambda code: (code == "2XX", code))
    code = next(iter(good), "default")
    return int(code) if code.isdecimal() else 200, object_of(answers[code].form) if code in answers else {}


def _sentences(summary: str, description: str) -> str:
    """Summary and description as one text; a description that says the summary again is enough."""
    first, rest = summary.strip(), description.strip()
    if not first or rest.startswith(first.rstrip(".")):
        return rest
    return f"{first.rstrip('.')}. {rest}" if rest else first


def _made_name(method: Method, path: str) -> str:
    """`GET /orders/{id}` → `get_order`, `POST /orders/{id}/cancel` → `cancel_order`, `GET /orders` → `list_orders`."""
    steps = [step for step in path.split("/") if step and not re.fullmatch(r"api|v\d+", step)]
    names = [snake(step) for step in steps if "{" not in step] or ["root"]
    owners, last = [singular(name) for name in names[:-1]], names[-1]
    many = plural(last) == last
    verbs = {"get": "get", "put": "replace", "patch": "update", "delete": "delete", "post": "create"}
    if steps and "{" in steps[-1]:
        return "_".join([verbs[method], *owners, singular(last)])
    if method == "post" and not many:
        return "_".join([last, *owners])
    verb = "list" if method == "get" and many else verbs[method]
    return "_".join([verb, *owners, singular(last) if method == "post" else last])
