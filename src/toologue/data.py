"""The data that ships beside the code (word lists, banks, rules), and documents of users, in YAML or JSON.

`shipped(file)` reads a file of ours once a process; nobody changes what it gives. `read_source` reads a file of users
and says what is wrong with it, and where.

    >>> import toologue.text.names
    >>> "kinds" in shipped(Path(toologue.text.names.__file__).with_suffix(".yaml"))
    True
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError

from toologue import limits
from toologue.errors import BadFile, BadRecord, shown

# Where a value stands in a document: the keys and indexes that lead to it.
Place = Sequence[str | int]

# The most values of a document, aliases counted as often as they are used.
VALUES = 5_000_000
_DIGITS = f"at most {limits.DIGITS:,} are read; quote what is no number"
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?P<part>\.\d+)?(?P<power>[eE][-+]?\d+)?", re.ASCII)
# What is expected where pydantic complains of this type.
_EXPECTED = {
    "dict_type": "an object", "model_type": "an object", "model_attributes_type": "an object", "list_type": "a list",
    "tuple_type": "a list", "string_type": "a text", "bool_type": "true or false", "bool_parsing": "true or false",
}  # fmt: skip
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLAIN = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq", "!")


@cache
def shipped(file: Path) -> Any:
    """What a file of ours says."""
    return yaml.load(file.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@dataclass(frozen=True)
class Source:
    """A document and where it comes from."""

    file: str
    data: Any
    text: str = field(default="", repr=False)

    def bad(self, place: Place, what: str, remedy: str = "") -> BadRecord:
        """The error for something in this document."""
        return self.all_bad([(place, what, remedy)])[0]

    def all_bad(self, problems: Sequence[tuple[Place, str, str]]) -> list[BadRecord]:
        """The errors for (place, what is wrong there, remedy), each with its file and line."""
        origins = [self.origin(place) for place, _, _ in problems]
        wanted: dict[str, list[Place]] = {}
        for source, place in origins:
            wanted.setdefault(source.file, []).append(place)
        lines = {source.file: source for source, _ in origins}
        known = {file: _lines(source.text, wanted[file]) for file, source in lines.items()}
        return [
            BadRecord(source.file, known[source.file][tuple(at)], path_text(at), what, remedy)
            for (source, at), (_, what, remedy) in zip(origins, problems, strict=True)
        ]

    def origin(self, place: Place) -> tuple[Source, Place]:
        """The file in which a place of this document stands, and where there."""
        return self, place

    def part(self, key: str) -> Source:
        """What stands under a key, as a source that still knows where."""
        return _Part(self.file, self.data[key], self.text, whole=self, key=key)

    def refused(self, error: ValidationError, place: Place) -> BadRecord:
        """The error for a part that pydantic refuses: its first complaint."""
        inner, what = complaint(error)
        return self.bad((*place, *inner), what)


@dataclass(frozen=True, kw_only=True)
class _Part(Source):
    whole: Source
    key: str

    def origin(self, place: Place) -> tuple[Source, Place]:
        return self.whole.origin((self.key, *place))


def bytes_of(file: Path, most: int = limits.DOCUMENT) -> bytes:
    """What a file holds. Raises BadFile, also for one that is larger than `most` bytes."""
    try:
        with file.open("rb") as stream:
            raw = stream.read(most + 1)
    except (OSError, ValueError) as error:  # a ValueError: a name with a null byte
        raise BadFile(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > most:
        raise BadFile(f"{file} is larger than {most >> 20} MiB: cut it to what is needed")
    return raw


def text_of(file: Path, most: int = limits.DOCUMENT) -> str:
    """What a text file says. Raises BadFile, and BadRecord where it is not UTF-8."""
    raw = bytes_of(file, most)
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        where = raw[: error.start].count(b"\n") + 1
        raise BadRecord(file, where, "$", f"byte {raw[error.start]:#04x} is not UTF-8", "save it as UTF-8") from None


def read_source(file: Path | str) -> Source:
    """Read a file. Raises BadFile for what is no text, BadRecord for what is no YAML or JSON."""
    return read_text(text_of(Path(file)), file)


def read_text(text: str, file: Path | str = "<document>") -> Source:
    """Read a text as JSON where it looks like JSON, else as YAML."""
    name = str(file)
    if text.lstrip()[:1] in ("{", "["):
        try:
            return Source(name, _json(text, name), text)
        except json.JSONDecodeError as error:
            if name.endswith(".json"):
                raise BadRecord(name, error.lineno, "$", f"this is no JSON: {error.msg}") from None
        except limits.TwiceError as twice:
            _Reader(text, name).document()  # says in which line
            raise BadRecord(name, 0, "$", str(twice)) from None
        except RecursionError:
            raise _too_deep(name) from None
        except UnicodeEncodeError:
            what = "an escape stands for half a character"
            raise BadRecord(name, 0, "$", what, "write \\u escapes in pairs") from None
    return Source(name, _Reader(text, name).document(), text)


def complaint(error: ValidationError) -> tuple[tuple[str | int, ...], str]:
    """(place, what is wrong there) of the first thing that pydantic complains of, in our words."""
    first = error.errors(include_url=False)[0]
    kind, got = first["type"], shown(first["input"])
    if kind in ("missing", "extra_forbidden"):
        return first["loc"], "this key is missing" if kind == "missing" else "this key is unknown"
    expected = first.get("ctx", {}).get("expected") if kind == "literal_error" else _EXPECTED.get(kind)
    return first["loc"], f"expected {expected}, got {got}" if expected else f"{first['msg']}, got {got}"


def reason(error: ValidationError) -> str:
    """Why a noun refuses what each part of which is right: that nobody speaks, for example."""
    return error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")


def path_text(place: Place) -> str:
    """A place as a JSON path: `$.paths['/orders/{id}'].get.tags[0]`."""
    steps = (
        f"[{step}]" if isinstance(step, int) else f".{step}" if re.fullmatch(r"[\w$-]+", step) else f"[{step!r}]"
        for step in place
    )
    return "$" + "".join(steps)


def _json(text: str, name: str) -> Any:
    def number(digits: str) -> float:
        if not math.isfinite(value := float(digits)):
            raise BadRecord(name, 0, "$", f"{limits.cut(digits, 60)} is no finite number")
        return value

    def whole(digits: str) -> int:
        if len(digits) > limits.DIGITS:
            raise BadRecord(name, 0, "$", f"a number of {len(digits):,} digits", _DIGITS)
        return int(digits)

    data = json.loads(
        text, object_pairs_hook=limits.members_once, parse_float=number, parse_int=whole, parse_constant=number
    )
    if "\\ud" in text or "\\uD" in text:
        json.dumps(data, ensure_ascii=False).encode()  # raises for half a character
    if limits.deeper(text.encode(), limits.DEEPEST):
        raise _too_deep(name)
    return data


def _too_deep(name: str) -> BadFile:
    return BadFile(f"{name} is nested more than {limits.DEEPEST} levels deep")


class _Reader:
    """Builds a value from YAML events, which neither recurse nor construct anything."""

    def __init__(self, text: str, name: str):
        self._events: Iterator[Any] = cast("Any", yaml).parse(text, Loader=_LOADER)
        self._name = name
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._count = 0
        self.wanted: set[tuple[str | int, ...]] = set()
        self.lines: dict[tuple[str | int, ...], int] = {}

    def document(self) -> Any:
        """The value of the only document; remembers on which lines the `wanted` places stand."""
        try:
            event = next(e for e in self._events if not isinstance(e, yaml.StreamStartEvent | yaml.DocumentStartEvent))
            value = None if isinstance(event, yaml.StreamEndEvent) else self._value(event, ())
            if any(isinstance(event, yaml.DocumentStartEvent) for event in self._events):
                raise BadRecord(self._name, 0, "$", "there is more than one YAML document in this file")
            return value
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 0
            what, remedy = f"this is no YAML: {error.problem}", "quote texts that hold a colon"
            raise BadRecord(self._name, line, "$", what, remedy) from None
        except yaml.YAMLError as error:
            raise BadRecord(self._name, 0, "$", f"this is no YAML: {error}") from None

    def _value(self, event: Any, place: tuple[str | int, ...]) -> Any:
        if place in self.wanted:
            self.lines[place] = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise self._bad(event, place, f"the alias *{event.anchor} leads nowhere, or into itself")
            value, size = self._anchors[event.anchor]
            self._grow(size, event, place)
            return value
        if event.tag is not None and event.tag not in _PLAIN:
            raise self._bad(event, place, f"the YAML tag {event.tag!r}", "tags are not read: write the value plainly")
        before = self._count
        self._grow(1, event, place)
        if len(place) > limits.DEEPEST:
            raise _too_deep(self._name)
        value = self._scalar(event, place) if isinstance(event, yaml.ScalarEvent) else self._collection(event, place)
        if event.anchor is not None:
            self._anchors[event.anchor] = value, self._count - before
        return value

    def _collection(self, event: Any, place: tuple[str | int, ...]) -> Any:
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Any] = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                items.append(self._value(item, (*place, len(items))))
            return items
        members: dict[str, Any] = {}
        while not isinstance(key := next(self._events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise self._bad(key, place, "a key that is no text")
            if key.value in members:
                raise self._bad(key, (*place, key.value), "this key stands twice")
            members[key.value] = self._value(next(self._events), (*place, key.value))
            if (here := (*place, key.value)) in self.wanted:  # a member stands where its key does
                self.lines[here] = cast("Any", key.start_mark).line + 1
        return members

    def _scalar(self, event: Any, place: tuple[str | int, ...]) -> Any:
        text: str = event.value
        if not event.implicit[0] or (event.style is not None and event.style != ""):
            return text
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        number = _NUMBER.fullmatch(text)
        if number is None:
            return text
        if not number["part"] and not number["power"]:
            if len(text) > limits.DIGITS:
                raise self._bad(event, place, f"a number of {len(text):,} digits", _DIGITS)
            return int(text)
        if not math.isfinite(value := float(text)):
            raise self._bad(event, place, f"{limits.cut(text, 60)} is no finite number")
        return value

    def _grow(self, size: int, event: Any, place: tuple[str | int, ...]) -> None:
        self._count += size
        if self._count > VALUES:
            raise self._bad(event, place, f"more than {VALUES:,} values up to here, aliases included")

    def _bad(self, event: Any, place: Place, what: str, remedy: str = "") -> BadRecord:
        return BadRecord(self._name, event.start_mark.line + 1, path_text(place), what, remedy)


def _lines(text: str, places: Iterable[Place]) -> dict[tuple[str | int, ...], int]:
    """The line at which each place stands, or the nearest thing around it; 0 where that cannot be told."""
    wanted = {tuple(place) for place in places}
    if text.lstrip()[:1] in ("{", "["):
        text = re.sub(r"\\.", "__", text)  # YAML knows fewer escapes than JSON
    reader = _Reader(text, "")
    reader.wanted = {place[:n] for place in wanted for n in range(1, len(place) + 1)}
    with suppress(BadRecord):
        reader.document()
    return {
        place: next((reader.lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in reader.lines), 0)
        for place in wanted
    }
