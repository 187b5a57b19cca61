"""Documents whose paths are names of procedures, as documents of resources.

    POST /workspaces/create           POST   /workspaces
    GET  /conversations.list          GET    /conversations
    POST /item/get {item_id}          GET    /items/{item_id}
    POST /nodes/{id}/update           PATCH  /nodes/{id}
    POST /conversations.archive       POST   /conversations/{channel}/archive

A path ends in a verb of creating, listing, reading, changing or removing; what all of them ask for that do something to
one row names the row, and then it is a step of the path. The others, and what is called, stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from toologue.apis.openapi import Method, Operation
from toologue.text.tokens import plural, singular, snake

_VERBS: Mapping[str, tuple[Method, frozenset[str]]] = {
    "create": ("post", frozenset(("create", "add", "new", "insert"))),
    "list": ("get", frozenset(("list", "search", "find", "query"))),
    "read": ("get", frozenset(("get", "info", "show", "retrieve", "view", "read", "describe", "inspect", "details"))),
    "update": ("patch", frozenset(("update", "edit", "modify", "change"))),
    "delete": ("delete", frozenset(("delete", "remove", "destroy"))),
}
_OF_ONE = ("read", "update", "delete")
_FORMAT = re.compile(r"[./](json|xml|yaml)$")
_DOTTED = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+")


def as_resources(operations: Sequence[Operation]) -> list[Operation]:
    """The operations, those with procedures' paths as what they do to a resource."""
    split = [steps_of(one.path) for one in operations]
    found = {place for steps in split if (place := "/".join(steps[:-1])) and _verb(steps) in ("create", "list")}
    places: dict[str, list[tuple[Operation, str]]] = {place: [] for place in found}
    for one, steps in zip(operations, split, strict=True):
        places.get("/".join(steps[:-1]), []).append((one, _verb(steps)))
    named = {place: _naming(place, there) for place, there in places.items()}
    return [_changed(one, steps, found, named) for one, steps in zip(operations, split, strict=True)]


def steps_of(path: str) -> list[str]:
    """The steps of a path; `conversations.list` are two, and what an answer is written in is none."""
    steps = [step for step in _FORMAT.sub("", path).split("/") if step]
    return [part for step in steps for part in (step.split(".") if _DOTTED.fullmatch(step) else [step])]


def _verb(steps: Sequence[str]) -> str:
    word = snake(steps[-1]) if len(steps) > 1 else ""
    return next((verb for verb, (_, words) in _VERBS.items() if word in words), "")


def _naming(place: str, there: Sequence[tuple[Operation, str]]) -> str:
    """What is asked for that names a row, by those that do something to one; "" where nothing is."""
    asked = {verb: Counter[str]() for verb in ("create", "list", "")}
    for operation, verb in there:
        names = {wire.name for flat, wire in operation.wires.items() if _is_plain(operation, flat)}
        asked[verb if verb in asked else ""].update(names)
    word, of_one = singular(snake(place.rpartition("/")[2])), asked[""]
    spelt = {snake(name): name for name in of_one if name not in asked["list"]}
    most = len([verb for _, verb in there if verb not in ("create", "list")]) / 2
    common = [name for name, count in of_one.most_common() if count > max(most, 1)]
    ids = [spelt[one] for one in (f"{word}_id", word, f"{word}_key", "id", "uuid") if one in spelt]
    names = [spelt[one] for one in ("slug", f"{word}_name", "name") if one in spelt]
    return next(iter([*ids, *(one for one in common if one not in {*asked["list"], *asked["create"]}), *names]), "")


def _is_plain(operation: Operation, flat: str) -> bool:
    kind = operation.api.parameters[flat].json_schema.get("type")
    return operation.wires[flat].into != "path" and kind in ("string", "integer")


def _changed(operation: Operation, steps: Sequence[str], found: Iterable[str], named: Mapping[str, str]) -> Operation:
    verb, place = _verb(steps), "/".join(steps[:-1])
    of_item = bool(steps[:-1]) and "{" in steps[-2]
    if operation.method not in ("get", "post") or not (place in found or (of_item and verb in _OF_ONE)):
        return operation.replace(path="/" + "/".join(steps)) if _FORMAT.search(operation.path) else operation
    flat = next((flat for flat, wire in operation.wires.items() if wire.name == named.get(place) != ""), None)
    if flat is not None and (not _is_plain(operation, flat) or verb in ("create", "list")):
        flat = None
    if not verb and flat is None:
        return operation
    method = _VERBS[verb][0] if verb else operation.method
    if method in ("patch", "delete") and flat is None and not of_item:
        return operation
    path = "/".join([*steps[:-2], steps[-2] if of_item else plural(snake(steps[-2]))])
    wires = {
        name: wire.replace(into="query") if method == "get" and wire.into == "body" else wire
        for name, wire in operation.wires.items()
    }
    if flat is not None:
        path = f"{path}/{{{wires[flat].name}}}"
        wires[flat] = wires[flat].replace(into="path")
    api = operation.api.replace(writes=False) if method == "get" else operation.api
    return operation.replace(path=f"/{path}" + ("" if verb else f"/{steps[-1]}"), method=method, wires=wires, api=api)
