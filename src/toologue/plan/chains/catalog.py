"""The documents that plans are made from: one file of Apis, read when they are wanted.

Contract: the file is scanned once; kept are its lines, packed. `api(name)` makes an Api, `book(name)` its entities;
what was made lately is kept. `apis(names)` are some of them: to look whether one is there makes none. A name that
stands twice is an error, told with its line.

Example:
    >>> import pathlib, tempfile
    >>> from toologue.schema import Api, Parameter
    >>> from toologue.schema.jsonl import write
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "apis.jsonl"
    >>> _ = write(file, [Api(name="Maps|geo|Find", parameters={"city": Parameter()})])
    >>> books = Shelf(file)
    >>> list(books), list(books.book("Maps|geo|Find").inputs)
    (['Maps|geo|Find'], ['city'])

Not covered: a file that changes while it is used.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast

from pydantic_core import from_json

from toologue.apis.entities import Entity, inputs, outputs
from toologue.errors import BadFile, BadRecord, UnknownName
from toologue.schema import Api
from toologue.schema.jsonl import parse, read_lines

_KEPT = 160
"""Documents that are kept made; the others are bytes."""


class Book(NamedTuple):
    """An Api and its entities by name."""

    api: Api
    inputs: dict[str, Entity]
    outputs: dict[str, Entity]


class Shelf:
    """The Apis of a file, by name, in its order."""

    def __init__(self, file: Path):
        self.file = file
        self._lines: dict[str, tuple[int, bytes]] = {}
        self.api = lru_cache(maxsize=_KEPT)(self._api)
        self.book = lru_cache(maxsize=_KEPT)(self._book)
        for number, line, _ in read_lines(file):
            name = _name(line, file, number) or parse(line, Api, file, number).name
            if name in self._lines:
                first = self._lines[name][0]
                raise BadRecord(file, number, "$.name", f"{name!r} is the Api of line {first} already", "rename it")
            self._lines[name] = number, zlib.compress(line, 1)
        if not self._lines:
            raise BadFile(f"{file} holds no record: expected one api/1 a line")

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def apis(self, names: Sequence[str] | None = None) -> Apis:
        """The Apis of these names, or all."""
        return Apis(self, list(self) if names is None else names)

    def _api(self, name: str) -> Api:
        """An Api. Raises UnknownName."""
        if name not in self._lines:
            raise UnknownName("api", name, self._lines)
        number, line = self._lines[name]
        return parse(zlib.decompress(line), Api, self.file, number)

    def _book(self, name: str) -> Book:
        """An Api with its entities. Raises UnknownName."""
        api = self.api(name)
        return Book(api, {one.name: one for one in inputs(api)}, {one.name: one for one in outputs(api)})


class Apis(Mapping[str, Api]):
    """Some Apis of a shelf, by name."""

    def __init__(self, shelf: Shelf, names: Sequence[str]):
        self._shelf, self._names = shelf, dict.fromkeys(names)

    def __getitem__(self, name: str) -> Api:
        if name not in self._names:
            raise KeyError(name)
        return self._shelf.api(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _name(line: bytes, file: Path, number: int) -> str:
    """The name on a line that looks like an Api; what else is wrong with it is said when it is made."""
    try:
        record: object = from_json(line)
    except ValueError:
        return ""
    if not isinstance(record, dict):
        return ""
    fields = cast("dict[str, object]", record)
    if fields.keys().isdisjoint(("format", "name")):
        other = f"what else describes APIs becomes such a file by: toologue apis {file} -o apis.jsonl"
        raise BadRecord(file, number, "$.name", "an api/1 has a name", other)
    named = fields.get("name")
    return named if isinstance(named, str) else ""
