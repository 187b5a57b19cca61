"""The `$ref`s of a document: which of them can be followed, and what leads to one that cannot.

A schema may hold itself in a property or an item (a tree does); it may not be itself, or be made of itself by `allOf`,
`anyOf`, `oneOf` or `not`, nor may a reference stand for more than 10,000 schemas at once: no value can ever be checked
against that. What stands in examples is data. Each part is looked at once.

    >>> pair = {"properties": {"left": {"$ref": "#/$defs/Leaf"}}}
    >>> References({"$defs": {"Pair": pair, "Leave": {}}}).bad({"$ref": "#/$defs/Pair"}, ("it",))
    (('$defs', 'Pair', 'properties', 'left', '$ref'), "'#/$defs/Leaf' leads nowhere", 'did you mean #/$defs/Leave')
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from math import inf
from typing import Any

from toologue.data import Place
from toologue.errors import shown
from toologue.values.json_schema import list_of, object_of, pointed, resolved

# Keys whose values are data (nothing in them is a schema), and keys whose values map names to schemas.
DATA = ("example", "examples", "default", "enum", "const")
NAMED = (
    "properties", "patternProperties", "dependentSchemas", "schemas", "responses", "definitions", "$defs", "x-bundled",
)  # fmt: skip
_MOST, _LONGEST = 10_000, 100
_CIRCLE = "leads in a circle", "write out what it stands for"
_HEAVY = f"stands for more than {_MOST:,} schemas at once", "write it shorter"

# Where a `$ref` stands, what is wrong with it, what to do.
Bad = tuple[Place, str, str]
# A part of a document, its place, whether its keys are names of schemas.
_Part = tuple[Any, tuple[str | int, ...], bool]


class References:
    """The references of a document. `lost` says of those that were given up before: what is wrong, and the remedy."""

    def __init__(self, root: Any, lost: Mapping[str, tuple[str, str]] | None = None):
        self._root, self._lost = root, lost or {}
        self._weights: dict[str, float] = {}
        self._wrong: dict[str, tuple[str, str] | None] = {}
        self._tainted: dict[str, Bad] = {}

    def bad(self, value: Any, place: Place, unread: Iterable[str] = ()) -> Bad | None:
        """The first reference in a part of the document that cannot be followed, or the one that it leads to.

        `unread`: keys of the part that do not matter.
        """
        for at, target in references(value, tuple(place), unread):
            self._explore(target)
            if wrong := self._wrong[target]:
                return at, f"{shown(target)} {wrong[0]}", wrong[1]
            if target in self._tainted:
                return self._tainted[target]
        return None

    def _explore(self, start: str) -> None:
        """Find out all that a reference leads to, and what of it is wrong."""
        back: dict[str, list[tuple[str, Place]]] = {}
        found, todo = deque[str](), [start]
        while todo:
            if (target := todo.pop()) in self._wrong:
                continue
            wrong = self._wrong[target] = self._look(target)
            if wrong is not None:
                found.append(target)
                continue
            steps = tuple(target[1:].replace("~1", "\0").split("/")[1:])
            place = tuple(step.replace("\0", "/").replace("~0", "~") for step in steps)
            for at, inner in references(pointed(self._root, target[1:]), place):
                back.setdefault(inner, []).append((target, at))
                known = self._wrong.get(inner) is not None or inner in self._tainted
                (found if known else todo).append(inner)
        while found:
            inner = found.popleft()
            for outer, at in back.pop(inner, ()):
                if outer not in self._tainted:
                    wrong = self._wrong[inner]
                    told = None if wrong is None else (at, f"{shown(inner)} {wrong[0]}", wrong[1])
                    self._tainted[outer] = told or self._tainted[inner]
                    found.append(outer)

    def _look(self, target: str) -> tuple[str, str] | None:
        """What is wrong with a reference alone: (what, remedy)."""
        if target in self._lost:
            return self._lost[target]
        if not target.startswith("#"):
            return "is in another document", "save it beside this one, as a file"
        if resolved({"$ref": target}, self._root) is None:
            outer, _, last = target.rpartition("/")
            holder = resolved({"$ref": outer}, self._root) or {}
            if last not in holder:
                names = [name for name in holder if len(name) < _LONGEST][:1000]
                near = get_close_matches(last[:_LONGEST], names, n=1, cutoff=0.5)
                return "leads nowhere", f"did you mean {outer}/{near[0]}" if near else ""
            return None if isinstance(holder[last], bool) else _CIRCLE  # true and false are schemas, too
        weight = self._weight(target, (), 0)
        return None if weight <= _MOST else _CIRCLE if weight == inf else _HEAVY

    def _weight(self, target: str, inside: tuple[str, ...], deep: int) -> float:
        """How many schemas a reference stands for at once; infinitely many in a circle. `inside`: what led here."""
        if target in inside:
            return inf
        if target not in self._weights:
            whole = resolved({"$ref": target}, self._root)
            self._weights[target] = self._total(whole, (*inside, target), deep)
        return self._weights[target]

    def _total(self, schema: Any, inside: tuple[str, ...], deep: int) -> float:
        rule = object_of(schema)
        if deep > _LONGEST:
            return _MOST + 1
        if isinstance(rule.get("$ref"), str):
            return self._weight(rule["$ref"], inside, deep + 1)
        parts = [part for key in ("allOf", "anyOf", "oneOf") for part in list_of(rule.get(key))]
        return 1 + sum(self._total(part, inside, deep + 1) for part in (*parts, rule.get("not", {})) if part)


def _unread(key: str) -> bool:
    """Whether a key holds data, or an extension, which only those read who know it."""
    return key in DATA or (key.startswith("x-") and key not in NAMED)


def references(value: Any, place: tuple[str | int, ...], unread: Iterable[str] = ()) -> Iterator[tuple[Place, str]]:
    """(place, target) of every `$ref` in a part of a document, in its order; of none in an example or an extension."""
    todo: list[_Part] = [(value, place, False)]
    skipped = frozenset(unread)
    while todo:
        part, here, named = todo.pop()
        inner: list[_Part] = [(item, (*here, index), False) for index, item in enumerate(list_of(part))]
        for key, member in object_of(part).items():
            inside: Any = member
            if key == "$ref" and isinstance(member, str):
                yield (*here, key), member
            elif isinstance(member, dict | list) and key not in skipped and (named or not _unread(key)):
                inner.append((inside, (*here, key), key in NAMED and not named))
        todo += inner[::-1]
        skipped = frozenset[str]()
