"""Overlays (docs/your-api.md): what a document of others does not say of its world, in a file beside it.

An overlay is merged into the document, key by key; null takes a key away. What it names has to be there. An operation
that it names is to be understood: what is wrong with it is an error, and not answered by the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from toologue.apis.openapi import Method
from toologue.apis.schemas import list_of, object_of
from toologue.data import Place, Source
from toologue.errors import UnknownName, shown
from toologue.text.tokens import callable_name
from toologue.values.json_schema import resolved

SAID = "x-overlay"
"""What marks the operations that an overlay names."""
_PARTS = ("operations", "paths", "components")
_NAMED = ("paths", "schemas", "properties")


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
