"""Documents as worlds take them: with an overlay (docs/your-api.md) of what they leave out, and paths of resources.

An overlay is merged into the document, key by key; null takes a key away. What it names has to be there. An operation
that it names is to be understood: what is wrong with it is an error, and not answered by the documentation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from toologue.apis.openapi import VERBS, Method, Operation, steps_of, verb_of, without_format
from toologue.apis.schemas import list_of, object_of
from toologue.data import Place, Source
from toologue.errors import UnknownName, shown
from toologue.text.tokens import callable_name, plural, singular, snake
from toologue.values.json_schema import resolved

SAID = "x-overlay"
"""What marks the operations that an overlay names."""
_PARTS = ("operations", "paths", "components")
_NAMED = ("paths", "schemas", "properties")
_OF_ONE = ("read", "update", "delete")


@dataclass(frozen=True, kw_only=True)
class _Overlaid(Source):
    """A document with its overlay. `named`: path and method of an operation → its name in the overlay."""

    document: Source
    overlay: Source
    named: Mapping[tuple[str, str], str]

    def origin(self, place: Place) -> tuple[Source, Place]:
        """Where a place of the whole stands: in the overlay, unless the document has more of it."""
        name = self.named.get(cast("Any", tuple(place[1:3]))) if [*place[:1]] == ["paths"] else None
        said = [*place] if name is None else ["operations", name, *place[3:]]
        there = _depth(self.overlay.data, said)
        is_ours = there and there + (name is not None) >= _depth(self.document.data, place)
        return (self.overlay, said) if is_ours else self.document.origin(place)


def _depth(data: Any, place: Place) -> int:
    """How many steps of a place there are."""
    for depth, step in enumerate(place):
        inner = list_of(data)
        if not (step in object_of(data) or (isinstance(step, int) and step < len(inner))):
            return depth
        data = inner[step] if isinstance(step, int) else object_of(data)[step]
    return len(place)


def overlaid(document: Source, overlay: Source) -> Source:
    """The document with its overlay. Raises BadRecord for what the overlay names and the document has not."""
    if not isinstance(cast("object", overlay.data), dict | None):
        what = f"expected an overlay, got {shown(overlay.data)}"
        raise overlay.bad((), what, "write `x-tables`, `operations`, `components`")
    said = object_of(overlay.data)
    if unknown := next((key for key in said if key not in _PARTS and not key.startswith("x-")), None):
        raise overlay.bad((unknown,), str(UnknownName("part of an overlay", unknown, [*_PARTS, "x-tables", "x-seed"])))
    root = object_of(document.data)
    merged = _merged(root, {key: part for key, part in said.items() if key != "operations"}, overlay, ())
    paths = dict(object_of(merged.get("paths")))
    known, named = _operations(paths), dict[tuple[str, str], str]()
    for name, part in object_of(said.get("operations")).items():
        if name not in known:
            raise overlay.bad(("operations", name), str(UnknownName("operation", name, known)))
        path, method = known[name]
        named[path, method] = name
        item = dict(object_of(paths[path]))
        item[method] = _operation(item[method], part, overlay, ("operations", name), root)
        paths[path] = {key: one for key, one in item.items() if one is not None}
    whole = {**merged, "paths": paths}
    return _Overlaid(document.file, whole, document.text, document=document, overlay=overlay, named=named)


def _operations(paths: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Name of an operation → path, method."""
    found: dict[str, tuple[str, str]] = {}
    for path, item in paths.items():
        for method in get_args(Method):
            name = object_of(object_of(item).get(method)).get("operationId")
            if isinstance(name, str):
                found |= {name: (path, method), callable_name(name): (path, method)}
    return found


def _operation(old: Any, part: Any, overlay: Source, place: tuple[str, ...], root: Any) -> Any:
    if part is None:
        return None
    if not isinstance(part, dict):
        raise overlay.bad(place, f"expected what to add to the operation, or null, got {shown(part)}")
    rules = dict(object_of(part))
    given = object_of(rules.get("parameters"))
    if given:
        listed = [dict(resolved(one, root) or {}) for one in list_of(object_of(old).get("parameters"))]
        names = [str(one.get("name")) for one in listed]
        if strange := next((name for name in given if name not in names), None):
            raise overlay.bad((*place, "parameters", strange), str(UnknownName("parameter", strange, names)))
        rules["parameters"] = [
            _merged(one, object_of(given.get(name)), overlay, place) for name, one in zip(names, listed, strict=True)
        ]
    return {**_merged(object_of(old), rules, overlay, place), SAID: True}


def _merged(
    old: Mapping[str, Any], new: Mapping[str, Any], overlay: Source, place: tuple[str | int, ...]
) -> dict[str, Any]:
    made = dict(old)
    for key, part in new.items():
        if place and place[-1] in _NAMED and key not in old:
            raise overlay.bad((*place, key), str(UnknownName(f"one of the {place[-1]}", key, old)))
        if part is None:
            made.pop(key, None)
        elif isinstance(part, dict) and isinstance(old.get(key), dict):
            made[key] = _merged(object_of(old[key]), object_of(part), overlay, (*place, key))
        else:
            made[key] = part
    return made


def as_resources(operations: Sequence[Operation]) -> list[Operation]:
    """The operations, those with procedures' paths as what they do to a resource.

    POST /workspaces/create       POST   /workspaces
    GET  /conversations.list      GET    /conversations
    POST /item/get {item_id}      GET    /items/{item_id}
    POST /nodes/{id}/update           PATCH  /nodes/{id}
    POST /conversations.archive       POST   /conversations/{channel}/archive

    A path ends in a verb of creating, listing, reading, changing or removing; what all of them ask for that do
    something to one row names the row, and then it is a step of the path. All else stays as it is.
    """
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
