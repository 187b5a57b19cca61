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

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from toologue.apis.openapi import VERBS, Operation, steps_of, verb_of, without_format
from toologue.text.tokens import plural, singular, snake

_OF_ONE = ("read", "update", "delete")


def as_resources(operations: Sequence[Operation]) -> list[Operation]:
    """The operations, those with procedures' paths as what they do to a resource."""
    split = [steps_of(one.path) for one in operations]
    pairs = [*zip(operations, split, strict=True)]
    makes = ("/".join(steps[:-1]) for one, steps in pairs if _verb(one, steps) in ("create", "list"))
    found = {*filter(None, makes)}
    places: dict[str, list[tuple[Operation, str]]] = {place: [] for place in found}
    for one, steps in pairs:
        places.get("/".join(steps[:-1]), []).append((one, _verb(one, steps)))
    named = {place: _naming(place, there) for place, there in places.items()}
    return [_changed(one, steps, found, named) for one, steps in pairs]


def _verb(operation: Operation, steps: Sequence[str]) -> str:
    return verb_of(operation.method, steps) if len(steps) > 1 else ""


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
    verb, place = _verb(operation, steps), "/".join(steps[:-1])
    of_item = bool(steps[:-1]) and "{" in steps[-2]
    method = VERBS[verb][0] if verb else operation.method
    declared = method == "get" and operation.api.writes
    if declared or operation.method not in ("get", "post") or not (place in found or (of_item and verb in _OF_ONE)):
        plain = without_format(operation.path) == operation.path
        return operation if plain else operation.replace(path="/" + "/".join(steps))
    flat = next((flat for flat, wire in operation.wires.items() if wire.name == named.get(place) != ""), None)
    if flat is not None and (not _is_plain(operation, flat) or verb in ("create", "list")):
        flat = None
    if not verb and flat is None:
        return operation
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
    return operation.replace(path=f"/{path}" + ("" if verb else f"/{steps[-1]}"), method=method, wires=wires)
