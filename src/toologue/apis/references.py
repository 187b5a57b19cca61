"""`$ref`s that cannot be followed: out of the document, to nowhere, in a circle, to more than anybody can check.

Contract: `first_bad_reference` walks a whole document. A schema may hold itself in a property or an item (a tree does);
it may not be itself, or be made of itself by `allOf`, `anyOf`, `oneOf` or `not`: no value can ever be checked against
that. Nor may one reference stand for more than 10,000 schemas at once. What stands in examples is data.

Example:
    >>> tree = {"Node": {"properties": {"left": {"$ref": "#/Node"}}}, "Leaf": {"allOf": [{"$ref": "#/Leaf"}]}}
    >>> bad = first_bad_reference(tree)
    >>> bad.place, bad.what
    (('Leaf', 'allOf', 0, '$ref'), "'#/Leaf' leads in a circle")

Not covered: `$dynamicRef`, `$anchor`, `$id`.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from math import inf
from typing import Any, NamedTuple, cast

from toologue.apis.schemas import DATA, NAMED, object_of
from toologue.data import Place
from toologue.errors import shown
from toologue.values.json_schema import resolved

_MOST, _LONGEST = 10_000, 100


class BadReference(NamedTuple):
    """Where it is, what is wrong with it, what to do."""

    place: Place
    what: str
    remedy: str


def first_bad_reference(root: Any) -> BadReference | None:
    """The first `$ref` of a document that cannot be followed, or None."""
    scales = _Scales(root)
    for place, target in _references(root, ()):
        wrong = _lost(target, root) or _too_heavy(target, scales)
        if wrong is not None:
            return BadReference(place, f"{shown(target)} {wrong[0]}", wrong[1])
    return None


def _references(value: Any, place: tuple[str | int, ...]) -> Iterator[tuple[Place, str]]:
    if isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _references(item, (*place, index))
    elif isinstance(value, dict):
        for key, part in cast("dict[str, Any]", value).items():
            if key == "$ref" and isinstance(part, str):
                yield (*place, key), part
            elif key not in DATA or (place and place[-1] in NAMED):
                yield from _references(part, (*place, key))


def _lost(target: str, root: Any) -> tuple[str, str] | None:
    """What is wrong with a reference that names nothing in this document: (what, remedy)."""
    if not target.startswith("#"):
        return "is in another document", "bundle the documents into one first"
    if resolved({"$ref": target}, root) is not None:
        return None
    outer, _, last = target.rpartition("/")
    holder = resolved({"$ref": outer}, root) or {}
    if last not in holder:
        near = get_close_matches(last, list(holder), n=1, cutoff=0.5)
        return "leads nowhere", f"did you mean {outer}/{near[0]}" if near else ""
    return None if isinstance(holder[last], bool) else _circle()  # true and false are schemas, too


def _too_heavy(target: str, scales: _Scales) -> tuple[str, str] | None:
    weight = scales.weight(target, ())
    if weight == inf:
        return _circle()
    return (f"stands for more than {_MOST:,} schemas at once", "write it shorter") if weight > _MOST else None


def _circle() -> tuple[str, str]:
    return "leads in a circle", "write out what it stands for"


class _Scales:
    """How many schemas a reference stands for at once; infinitely many where it goes in a circle."""

    def __init__(self, root: Any):
        self._root = root
        self._known: dict[str, float] = {}

    def weight(self, target: str, inside: tuple[str, ...]) -> float:
        """`inside`: the references that led here."""
        if target in inside:
            return inf
        if target not in self._known:
            self._known[target] = self._sum(resolved({"$ref": target}, self._root), (*inside, target))
        return self._known[target]

    def _sum(self, schema: Any, inside: tuple[str, ...]) -> float:
        rule = object_of(schema)
        if len(inside) > _LONGEST:
            return _MOST + 1
        if isinstance(rule.get("$ref"), str):
            return self.weight(rule["$ref"], inside)
        lists: list[Any] = [rule.get(key) for key in ("allOf", "anyOf", "oneOf")]
        parts = [part for listed in lists if isinstance(listed, list) for part in cast("list[Any]", listed)]
        return 1 + sum(self._sum(part, inside) for part in (*parts, rule.get("not", {})) if part)
