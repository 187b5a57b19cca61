"""OpenAPI 2.0, 3.0 and 3.1: each operation becomes an Api, and an `Operation` that says how a call travels.

docs/your-api.md says what of a document is read as what, and what is left out. A body that is no object is the
parameter `body`, a form without fields is none; a name that is taken gets a number.

Not covered: webhooks, callbacks, links, servers, HEAD and OPTIONS; `style` and `explode`; of several media types of a
body or an answer only the JSON one, else the first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from toologue.apis.choice import Choice, LeftOut, Picked, Unread, left_out
from toologue.apis.references import Bundled, References, bundled
from toologue.apis.schemas import (
    Writer,
    is_secret,
    list_of,
    modern,
    object_of,
    parameter,
    properties_of,
    required_of,
    shape,
)
from toologue.apis.swagger import PLACES, upgraded
from toologue.data import Place, Source, complaint, read_source
from toologue.errors import shown
from toologue.schema import Api, Noun, Parameter
from toologue.text.tokens import callable_name, plural, singular, snake, unique
from toologue.values.json_schema import resolved

Method = Literal["get", "put", "post", "delete", "patch"]
VERBS: Mapping[str, tuple[Method, frozenset[str]]] = {
    "create": ("post", frozenset(("create", "add", "new", "insert"))),
    "list": ("get", frozenset(("list", "search", "find", "query"))),
    "read": ("get", frozenset(("get", "info", "show", "retrieve", "view", "read", "describe", "inspect", "details"))),
    "update": ("patch", frozenset(("update", "edit", "modify", "change"))),
    "delete": ("delete", frozenset(("delete", "remove", "destroy"))),
}
_MARKS = ("read", "view")  # what a POST marks as such
_FORMAT = re.compile(r"[./](json|xml|yaml)$")
_DOTTED = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+")
_NAME = 64  # the longest name that function calling allows
_UNREAD = ("callbacks", "servers", "security", "externalDocs")


def does(method: Method, path: str) -> Method:
    """The method that an operation stands for: of a POST whose path ends in a verb, what that verb says.

    >>> does("post", "/rooms.list"), does("post", "/rooms/{room_id}/delete"), does("post", "/rooms")
    ('get', 'delete', 'post')
    >>> does("post", "/notes/{id}/read"), does("patch", "/rooms/list")
    ('post', 'patch')
    """
    meant = VERBS[verb][0] if method == "post" and (verb := verb_of(method, steps_of(path))) else method
    return meant if meant in ("get", "delete") else method


def without_format(path: str) -> str:
    """A path without what its answer is written in."""
    return _FORMAT.sub("", path)


def steps_of(path: str) -> list[str]:
    """The steps of a path; `conversations.list` are two, and what an answer is written in is none."""
    steps = [step for step in without_format(path).split("/") if step]
    return [part for step in steps for part in (step.split(".") if _DOTTED.fullmatch(step) else [step])]


def verb_of(method: Method, steps: Sequence[str]) -> str:
    """The kind of the verb that a path ends in, or ""."""
    word = snake(steps[-1]) if steps else ""
    marks = method == "post" and word in _MARKS
    return "" if marks else next((verb for verb, (_, words) in VERBS.items() if word in words), "")


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
    responses: dict[str, Any] = {}
    writes: bool | None = _named("x-writes")
    confirm: bool | tuple[str, ...] | None = _named("x-confirm")


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
    secrets: dict[str, Wire] = Field(default_factory=dict[str, Wire])
    """Passwords and keys, which only their owner may type: no parameters of the Api, never asked for or filled."""
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

    source: Bundled
    root: Mapping[str, Any]
    operations: tuple[Operation, ...]
    left_out: tuple[LeftOut, ...] = ()


def read_openapi(document: Path | str | Mapping[str, Any]) -> OpenApi:
    """Read a file, or a document that is in memory. Raises BadFile, and BadRecord with the JSON path."""
    memory = isinstance(document, Mapping)
    return openapi_of(Source("<document>", dict(document)) if memory else read_source(document))


def openapi_of(source: Source, choice: Choice | Picked | None = None) -> OpenApi:
    """The document that a source holds, as far as it can be read; what cannot be is an error where nothing else is.

    A choice's globs that fit nothing are an error, too; those of a `Picked` are its owner's matter.
    """
    source = bundled(source)
    root, picked = _root(source), choice if isinstance(choice, Picked) else Picked(choice or Choice())
    reader = _Reader(source, root)
    operations, bad = reader.read(picked)
    if wrong := reader.references.bad(root.get("x-tables"), ("x-tables",)):
        raise source.bad(*wrong)
    if picked is not choice:
        picked.missed(source.file)
    left = left_out(source, len(operations), bad, picked.strict)
    if not reader.names:
        raise source.bad(("paths",) if "paths" in root else (), "there is no operation", "describe one under `paths`")
    return OpenApi(source, root, tuple(operations), left)


def _root(source: Source) -> dict[str, Any]:
    root = source.data
    if root is None:
        raise source.bad((), "this document is empty", "name an OpenAPI document")
    if not isinstance(root, dict):
        raise source.bad((), f"expected an OpenAPI document, got {shown(root)}")
    root = object_of(root)
    if is_old := str(root.get("swagger")) == "2.0":
        root = upgraded(root)
    version = root.get("openapi")
    if not str(version).startswith("3"):
        place = ("openapi",) if "openapi" in root else ()
        raise source.bad(place, f"expected `openapi: 3.0.x` or `3.1.x`, or `swagger: '2.0'`, got {shown(version)}")
    if not isinstance(root.get("paths", {}), dict):
        raise source.bad(("paths",), f"expected an object, got {shown(root['paths'])}")
    root = modern(root) if str(version).startswith("3.0") else root
    return root | {old: root["components"][new] for old, new in PLACES.items()} if is_old else root


class _Travelling(NamedTuple):
    wire: Wire
    schema: Any
    description: str
    required: bool


R = TypeVar("R", bound=_Part)


class _Reader:
    def __init__(self, source: Bundled, root: dict[str, Any]):
        self._root, self.references = root, References(root, source.lost)
        self._sent_schema, self._returned = Writer(root, "readOnly"), Writer(root, "writeOnly")
        self.names: set[str] = set()
        self._numbers: Counter[str] = Counter()
        schemes = object_of(object_of(root.get("components")).get("securitySchemes")).values()
        read = [resolved(scheme, root) or {} for scheme in schemes]
        self._keys = {scheme.get("name") for scheme in read if scheme.get("in") == "query"}

    def read(self, picked: Picked) -> tuple[list[Operation], list[tuple[str, str, str, Unread]]]:
        """(operations, name, method, path and fault of those that cannot be read)."""
        made, bad = list[Operation](), list[tuple[str, str, str, Unread]]()
        for path, method, item in self._described():
            rules = object_of(item.get(method))
            name = self._name(rules.get("operationId"), method, path) if method else path
            if picked.takes(name, [tag for tag in list_of(rules.get("tags")) if isinstance(tag, str)]):
                try:
                    made.append(self._operation(name, path, method, item))
                except Unread as wrong:
                    bad.append((name, method, path, wrong))
        return made, bad

    def _described(self) -> Iterator[tuple[str, Method | Literal[""], Mapping[str, Any]]]:
        """(path, method, item) of every operation; the method is "" where a path cannot be read."""
        for path, given in object_of(self._root.get("paths")).items():
            item = resolved(given, self._root)
            if item is None and not path.startswith("x-"):
                yield path, "", {"": given}
            for method in get_args(Method):
                if item is None or method not in item:
                    continue
                if True not in (item.get("x-internal"), object_of(item[method]).get("x-internal")):
                    yield path, method, item

    def _name(self, said: Any, method: Method, path: str) -> str:
        """A name that no other operation has: one that is taken, or cut to one that is, gets a number."""
        name = callable_name(said if isinstance(said, str) else "") or callable_name(_made_name(method, path))
        made = name
        while made in self.names:
            self._numbers[name] += 1
            end = f"_{self._numbers[name] + 1}"
            made = f"{name[: _NAME - len(end)]}{end}"
        self.names.add(made)
        return made

    def _operation(self, name: str, path: str, method: Method | Literal[""], item: Mapping[str, Any]) -> Operation:
        place = ("paths", path, method) if method else ("paths", path)
        for part, at in ((item[method], place), (item.get("parameters"), ("paths", path, "parameters"))):
            if bad := self.references.bad(part, at, _UNREAD):
                raise Unread(*bad)
        if not method:
            raise Unread(place, f"expected an object, got {shown(item[method])}")
        rules = self._read(_OperationPart, item[method], place)
        wires, parameters, secrets = self._flat([*self._sent(path, method, item), *self._body(rules, place)], place)
        responses = {code: rule for code, rule in rules.responses.items() if not code.startswith("x-")}
        answers = {code: self._read(_Content, rule, (*place, "responses", code)) for code, rule in responses.items()}
        status, response = _success(answers)
        meant = does(method, path)
        confirm = meant == "delete" if rules.confirm is None else rules.confirm
        if not isinstance(confirm, bool) and (strange := set(confirm) - parameters.keys()):
            what = f"'x-confirm' names {sorted(strange)[0]!r}, which is no parameter here"
            raise Unread((*place, "x-confirm"), what, f"name some of: {', '.join(parameters)}; or say true")
        api = Api(
            name=name,
            description=_sentences(rules.summary, rules.description),
            parameters=parameters,
            writes=meant != "get" if rules.writes is None else rules.writes,
            confirm=confirm,
            domain=rules.tags[0] if rules.tags else "",
        ).replace(returns=self._returned(response))
        return Operation(
            api=api,
            method=method,
            path=path,
            wires=wires,
            secrets=secrets,
            status=status,
            faults={code: answer.description for code, answer in answers.items() if code[:1] in "45"},
            extensions={**_extensions(item, self._root), **_extensions(item[method], self._root)},
        ).replace(response=response)

    def _flat(
        self, parts: list[_Travelling], place: Place
    ) -> tuple[dict[str, Wire], dict[str, Parameter], dict[str, Wire]]:
        wires, made, secrets = dict[str, Wire](), dict[str, Parameter](), dict[str, Wire]()
        for wire, schema, description, required in parts:
            name = callable_name(wire.name) or "body"
            taken = wires.keys() | secrets.keys()
            name = unique(f"{wire.into}_{name}" if name in taken else name, taken)
            if is_secret(name, resolved(schema, self._root) or {}):
                if wire.into == "path":
                    raise Unread(place, f"its path holds {name!r}, a secret", "an agent never types one")
                secrets[name] = wire
                continue
            wires[name] = wire
            made[name] = parameter(
                schema, name, root=self._root, description=description, required=required, writer=self._sent_schema
            )
        return wires, made, secrets

    def _sent(self, path: str, method: Method, item: Mapping[str, Any]) -> Iterator[_Travelling]:
        found: dict[tuple[str, str], _Travelling] = {}
        for holder, place in ((item, ("paths", path)), (item[method], ("paths", path, method))):
            for index, given in enumerate(self._read(_ItemPart, holder, place).parameters):
                said = self._read(_ParameterPart, given, (*place, "parameters", index))
                required = said.into == "path" or said.required is True
                extensions = {**_extensions(said.whole, self._root), **_extensions(given, self._root)}
                hidden = said.name in self._keys or extensions.get("x-internal") is True
                if said.into == "path" or (said.into == "query" and not hidden):
                    wire = Wire(into=said.into, name=said.name, extensions=extensions)
                    found[said.into, said.name] = _Travelling(wire, said.whole, said.description, required)
        for name in dict.fromkeys(re.findall(r"\{([^{}/]+)\}", path)):
            if ("path", name) not in found:
                raise Unread(("paths", path), f"{{{name}}} is not described", "list it under `parameters`")
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
        if whole.get("properties") == {} and not any(
            whole.get(key) for key in ("oneOf", "anyOf", "additionalProperties")
        ):
            return  # a form without fields
        if not properties_of(whole) or {"oneOf", "anyOf"} & whole.keys():
            yield _Travelling(Wire(into="body", name=""), said.form, said.description, needed)
            return
        for name, inner in properties_of(whole).items():
            rule = resolved(inner, self._root) or {}
            if True not in (rule.get("readOnly"), rule.get("x-internal")):
                wire = Wire(into="body", name=name, extensions=_extensions(inner, self._root))
                yield _Travelling(wire, inner, "", needed and name in required_of(whole))

    def _read(self, rule: type[R], value: Any, place: Place) -> R:
        try:
            return rule.model_validate(resolved(value, self._root) if isinstance(value, Mapping) else value)
        except ValidationError as error:
            inner, what = complaint(error)
            raise Unread((*place, *inner), what) from None


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
