"""Nouns and their files: JSONL, read as a stream, written whole or line by line.

One record a line, UTF-8; a line feed ends a line and nothing else does; `format` names noun and version. A bad record
raises `BadRecord` with file, line, JSON path, value and remedy. A last line that was cut off by a crash is skipped and
logged. `write` replaces a file in one step or leaves it as it was; `Appender` loses at most the line being written.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import gzip
import json
import logging
import math
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from toologue import keys, limits
from toologue.errors import BadFile, BadRecord, shown

_set = object.__setattr__
_BRANCHES = (dict, list)  # for isinstance: a union would be made at each call


class Noun(BaseModel):
    """A frozen value. Unknown keys, NaN and infinities are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)

    @classmethod
    def reader(cls) -> Callable[[bytes, object, int], Self]:
        """What reads the lines of a file, in their order."""
        return lambda line, file, number: parse(line, cls, file, number)

    def replace(self, **changes: Any) -> Self:
        """This value with some fields changed. The new values are trusted, not validated: pass nouns and JSON."""
        kind = self.__class__
        values, fields = self.__dict__, kind.__pydantic_fields__
        if len(values) > len(fields):  # what is cached beside them is left behind
            values = {name: values[name] for name in fields}
        clone = kind.__new__(kind)
        _set(clone, "__dict__", values | changes)
        _set(clone, "__pydantic_fields_set__", self.__pydantic_fields_set__ | changes.keys())
        _set(clone, "__pydantic_extra__", None)
        _set(clone, "__pydantic_private__", None)
        return clone


class Record(Noun):
    """A noun that stands on a line of its own in a JSONL file. `key` names its content."""

    @cached_property
    def key(self) -> str:
        """16 hex digits: equal content, equal key, in any process and on any machine."""
        return keys.content_key(from_json(_json(self)))


R = TypeVar("R", bound=Noun)
_LOG = logging.getLogger("toologue")
UNFINISHED = ".unfinished"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_TAGS = {"user", "agent", "call", "retrieve", "program"}


def read(file: Path | str, noun: type[R], *, empty: bool = False) -> Iterator[R]:
    """Stream the records of a file (`.gz` is unpacked). A file without any is an error unless `empty` is allowed."""
    path, count, record_of = Path(file), 0, noun.reader()
    for number, line, torn in read_lines(path):
        try:
            record = record_of(line, path, number)
        except BadRecord:
            if torn and not _is_json(line):
                _LOG.warning("%s:%d: the last line is cut off and was skipped", path, number)
                break
            raise
        count += 1
        yield record
    if not count and not empty:
        raise BadFile(f"{path} holds no record: expected one {_name(noun)} a line")


def read_lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """(number, bytes, whether the newline is missing) of every line that is not blank."""
    try:
        with opened(path) as stream:
            for number, line in enumerate(iter(partial(stream.readline, limits.DOCUMENT + 1), b""), 1):
                if len(line) > limits.DOCUMENT:
                    raise BadRecord(path, number, "$", f"a line of more than {limits.DOCUMENT >> 20} MiB")
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield number, text, not line.endswith(b"\n")
    except (OSError, EOFError, zlib.error) as error:  # a .gz file that is none, or is cut off
        raise BadFile(f"cannot read {path}: {error}") from None


def holds(file: Path, noun: type[Noun]) -> bool:
    """Whether the first line of a file says that it is such a record."""
    return f'"{_name(noun)}"'.encode() in next((line for _, line, _ in read_lines(file)), b"")


def parse(line: bytes, noun: type[R], file: object = "<record>", number: int = 0) -> R:
    """One record from the bytes of a line."""
    try:
        record = noun.model_validate_json(line)
        if _json(record) != line.rstrip():  # else it is what we write
            _check(line, file, number)
        return record
    except ValidationError as error:
        _check(line, file, number)
        raise bad_record(error, noun, file, number) from None


def _check(line: bytes, file: object, number: int) -> None:
    """Refuse what readers would choose from in silence: a key that stands twice in one object; and what is no JSON."""
    try:
        value = from_json(line)
        json.loads(line, object_pairs_hook=limits.members_once)
    except limits.TwiceError as twice:
        raise BadRecord(file, number, "$", str(twice), "leave one of them") from None
    except ValueError:  # pydantic says why
        return
    for place, found in leaves(value):
        if isinstance(found, float) and not math.isfinite(found):
            remedy = "JSON has no NaN or infinity: write null or a string"
            raise BadRecord(file, number, json_path(place), f"expected a finite number, got {found}", remedy)


def _json(record: Noun) -> bytes:
    return record.__pydantic_serializer__.to_json(record, by_alias=True)


def line_of(record: Noun) -> bytes:
    """The line that `parse` reads back. Raises BadRecord for one that is nested too deep."""
    line = _json(record) + b"\n"
    if limits.deeper(line, limits.DEEPEST_LINE):
        name = f"a record {_name(type(record))}"
        raise BadRecord(name, 0, "$", f"nested more than {limits.DEEPEST_LINE} levels deep: it could not be read back")
    return line


def write(file: Path | str, records: Iterable[Noun]) -> int:
    """Write records, replacing the file in one step. Returns how many."""
    count = 0
    with replacing(Path(file)) as stream:
        for record in records:
            stream.write(line_of(record))
            count += 1
    return count


def held(file: Path) -> int:
    """How many records a file holds; 0 where there is none."""
    return sum(1 for _ in read_lines(file)) if file.is_file() else 0


@contextlib.contextmanager
def replacing(path: Path) -> Generator[IO[bytes]]:
    """A new file that takes the place of `path` when the block ends well, and vanishes when it does not.

    So do the folders that were made for it, and what killed writers left beside it. A device or a pipe is written to as
    it is. Raises BadFile where `path` cannot be written: a folder, a full disk.
    """
    made = list[Path]()
    try:
        special = path.exists() and not path.is_file()
        made = [folder for folder in path.parents if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        stream, name = (path.open("wb"), None) if special else _unfinished(path)
    except (OSError, ValueError) as error:  # a ValueError: a name with a null byte
        _take_back(made)
        raise cannot_write(path, error) from None
    try:
        with stream:
            yield stream
            if name is not None:
                stream.flush()
                os.chmod(name, 0o644)
                os.replace(name, path)
    except BaseException as error:
        if name is not None:
            Path(name).unlink(missing_ok=True)
        _take_back(made)
        if isinstance(error, OSError) and error.errno in _FULL:
            raise cannot_write(path, error) from None
        raise


def check_owned(folder: Path, mark: str) -> None:
    """Refuse a folder whose conversations are of another kind: `mark` is the file that would stand beside them."""
    if (folder / "dialogues.jsonl").exists() and not (folder / mark).exists():
        raise BadFile(f"{folder} holds conversations of another kind: it has no {mark}; choose another folder")


def cannot_write(path: Path, error: OSError | ValueError) -> BadFile:
    """The error for a file that cannot be written."""
    return BadFile(f"cannot write {path}: {getattr(error, 'strerror', None) or error}; choose another place")


def locked(file: int, *, wait: bool = False) -> bool:
    """Lock an open file until it is closed; False where somebody else holds it. Without fcntl nobody is kept out."""
    if fcntl := _fcntl():
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            return False
    return True


@cache
def _fcntl() -> Any:
    try:
        return import_module("fcntl")
    except ImportError:
        _LOG.warning("fcntl is not here: nothing keeps two commands out of one folder, and what killed ones left stays")
        return None


def _unfinished(path: Path) -> tuple[IO[bytes], str]:
    """A new file beside `path`, locked while it is written. Those that nobody holds any more are removed."""
    sweep(path.parent.glob(f".{glob.escape(path.name)}.????????{UNFINISHED}"))
    while True:
        handle, name = tempfile.mkstemp(UNFINISHED, f".{path.name}.", path.parent)
        locked(handle, wait=True)
        stream = open(handle, "wb")  # noqa: SIM115 - the caller's
        if os.fstat(handle).st_nlink:  # nobody took it for left over before it was locked
            return stream, name
        stream.close()


@contextlib.contextmanager
def unfinished_folder(home: Path) -> Generator[Path]:
    """A new folder in `home` to be filled and renamed, locked meanwhile; it vanishes where it was not renamed."""
    while True:
        folder = Path(tempfile.mkdtemp(UNFINISHED, ".", home))
        handle = os.open(folder, os.O_RDONLY) if _fcntl() else None
        if handle is None or (locked(handle, wait=True) and folder.exists()):
            break
        os.close(handle)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def sweep(unfinished: Iterable[Path]) -> None:
    """Remove unfinished files and folders that nobody holds any more."""
    for left in unfinished:
        with contextlib.suppress(OSError):
            handle = os.open(left, os.O_RDONLY)
            try:
                if _fcntl() and locked(handle):
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
            finally:
                os.close(handle)


def _take_back(made: Iterable[Path]) -> None:
    """Remove folders, the inner ones first, unless somebody else put something there."""
    with contextlib.suppress(OSError):
        for folder in made:
            folder.rmdir()


class Appender:
    """Appends lines to a file, each flushed. A cut-off last line is removed first: none is glued on.

    Where several processes append, one of them does so (`mend`) before the others begin.
    """

    def __init__(self, path: Path, *, mend: bool = True):
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = path.open("ab+", buffering=0)
        except OSError as error:
            raise cannot_write(path, error) from None
        if mend:
            _cut_torn_line(self._stream)

    def append(self, line: bytes) -> None:
        """Write one line (with its newline) and hand it to the operating system."""
        left = memoryview(line)
        try:
            while left:  # an unbuffered write may take a part only
                left = left[self._stream.write(left) :]
        except OSError as error:
            raise cannot_write(self._path, error) from None

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def bad_record(error: ValidationError, noun: type[Noun], file: object, number: int, at: str = "$") -> BadRecord:
    """The first complaint of a ValidationError, with its place (the noun stands at `at`) and what to do about it."""
    first = error.errors(include_url=False)[0]
    kind, value = first["type"], first.get("input")
    path = at + json_path(first["loc"])[1:]
    if path == "$.format":
        what = f"this line is {value!r}, expected {_name(noun)!r}"
        return BadRecord(file, number, path, what, "another kind of file, or written by another version")
    if kind == "json_invalid":
        return BadRecord(file, number, at, first["msg"], "one JSON object a line")
    if kind == "extra_forbidden":
        return BadRecord(file, number, path, "unknown key", "put keys of your own under `extra`")
    if kind == "missing":
        return BadRecord(file, number, path, "this key is missing")
    message = first["msg"].removeprefix("Value error, ")
    return BadRecord(file, number, path, f"{message}, got {shown(value)}")


def json_path(location: tuple[int | str, ...]) -> str:
    """A pydantic location as a JSON path; the tags of unions, which the file does not have, are left out."""
    steps: list[str] = []
    for index, step in enumerate(location):
        if isinstance(step, int):
            steps.append(f"[{step}]")
        elif not (step in _TAGS and index and isinstance(location[index - 1], int)):
            steps.append(f".{step}")
    return "$" + "".join(steps)


def leaves(value: Any, place: tuple[int | str, ...] = ()) -> Iterator[tuple[tuple[int | str, ...], Any]]:
    """(place, value) of all that is neither object nor list in a JSON value, null included."""
    if isinstance(value, dict):
        members: Iterable[tuple[int | str, Any]] = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        members = enumerate(cast("list[Any]", value))
    else:
        yield place, value
        return
    for name, member in members:
        if isinstance(member, _BRANCHES):
            yield from leaves(member, (*place, name))
        else:
            yield (*place, name), member


def opened(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked where its name ends in `.gz`."""
    try:
        return cast("IO[bytes]", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from None


def _is_json(line: bytes) -> bool:
    try:
        from_json(line)
    except ValueError:
        return False
    return True


def _name(noun: type[Noun]) -> str:
    if issubclass(noun, Record) and "format" in noun.model_fields:
        return str(noun.model_fields["format"].default)
    return noun.__name__


def _cut_torn_line(stream: Any) -> None:
    start, found = stream.seek(0, os.SEEK_END), -1
    while start and found < 0:  # walk back in blocks to the last newline
        block = min(start, 1 << 16)
        start = stream.seek(start - block)
        found = stream.read(block).rfind(b"\n")
    stream.truncate(start + found + 1)
    stream.seek(0, os.SEEK_END)
