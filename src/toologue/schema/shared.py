"""Schemas that several Apis of a file have in common, written once.

A `Packer` looks at all schemas first, then writes each: what stands twice or more goes into `schemas`, by a key of its
content, and `{"$ref": "schema:KEY"}` stands for it. Such a schema may refer to those before it. An `Unpacker` makes of
it what it was; what was one schema is one object, which nobody changes.

    >>> pet = {"type": "object", "properties": {"owner": {"type": "string", "description": "Whom it lives with." * 9}}}
    >>> packer, schemas = Packer(), {}
    >>> twin = dict(pet)
    >>> packer.count(pet) == packer.count(twin)
    True
    >>> packer.part(pet, schemas)["$ref"].removeprefix("schema:") in schemas
    True

Not covered: a schema in which `{"$ref": "schema:…"}` means something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from toologue import keys, limits
from toologue.errors import BadRecord

_LEAST = 120  # bytes of a schema that is worth a key
_MOST = 5_000_000  # values that a schema may stand for
_HEAD = "schema:"
_Bad = Callable[[str, str, str], BadRecord]


class Packer:
    """Knows each value by its content: a number, how often it stands somewhere, how many bytes it has.

    What it is given has to live as long.
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
    """Puts schemas where references stand for them. `bad` makes the error of (place, what, remedy)."""

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
