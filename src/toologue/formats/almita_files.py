"""Files of conversations in ALMITA's roles: JSONL or CSV, a conversation a row, columns by any name.

    conversation   the messages (`formats.almita`): a list, or a text that spells one as JSON or as Python
    id             what the conversation is called; by default the file's name and the row
    procedure      the text that the agent follows: the dialogue's instructions
    apis           the APIs it may call: documents in the paper's small JSON, or a list of names

`--columns conversation=messages,id=conversation_id` says that a file calls them otherwise, `apis=` that it is not to be
read. Only `conversation` must be there. Other columns, and the `apis` as they were, stand in the dialogue's
`extra["almita"]` and are written again.

The published CSV (github.com/zendesk/almita-dataset) could not be inspected from here: whether its rows are
conversations, and what its columns are called, is for `--columns` to say.

Contract: streamed. What cannot be read raises BadRecord with file, line and path, an unknown column UnknownName with
those that there are. Whoever knows how to read documents passes `documents`; they stand in `extra["apis"]`. How often
messages break rules of the format is logged, once a file.

Example:
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "talks.csv"
    >>> talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]
    >>> _ = file.write_text(f'name,talk\\nhello,"{talk}"\\n')
    >>> (dialogue,) = read_conversations(file, columns_of("conversation=talk,id=name"))
    >>> dialogue.id, dialogue.turns[0].text
    ('hello', 'Hi')

Not covered: a row a message, or a row a test.
"""

from __future__ import annotations

import csv
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError

from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName, UserError, shown
from toologue.formats.almita import broken_rules, from_messages, to_messages
from toologue.formats.literals import value_of
from toologue.schema import Api, Dialogue, Noun, Setting
from toologue.schema.jsonl import parse, read_lines, replacing

COLUMNS = ("conversation", "id", "procedure", "apis")
Documents = Callable[[Any], Sequence[Api]]
"""Reads what an `apis` column holds."""

_LOG = logging.getLogger("toologue")
_KEY = "almita"
_NAMES = TypeAdapter(tuple[str, ...])


def columns_of(text: str) -> dict[str, str]:
    """What a file calls the columns: `conversation=messages,id=name`. Raises BadSetting, UnknownName."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        column, equals, name = (side.strip() for side in part.partition("="))
        if not equals or (column == "conversation" and not name):
            raise BadSetting(f"columns: {part!r} says nothing; write COLUMN=NAME, for example conversation=messages")
        if column not in COLUMNS:
            raise UnknownName("column of a conversation", column, COLUMNS)
        if column in found:
            raise BadSetting(f"columns: {column!r} is given twice")
        found[column] = name
    return found


def read_conversations(
    file: Path | str, columns: Mapping[str, str] | None = None, *, documents: Documents | None = None
) -> Iterator[Dialogue]:
    """The conversations of a file whose name ends in .csv, or else of a JSONL file (.gz, too)."""
    path, given, broken, lines = Path(file), dict(columns or {}), Counter[str](), dict[str, int]()
    rows = _csv_rows(path) if path.suffix.lower() == ".csv" else _json_rows(path)
    for line, fields in rows:
        row = _Row(path, line, len(lines) + 1, fields, given)
        dialogue = row.dialogue(documents)
        if dialogue.id in lines:
            row.bad("id", f"{dialogue.id!r} stands on line {lines[dialogue.id]} already")
        lines[dialogue.id] = line
        broken.update(rule for _, rule in broken_rules(to_messages(dialogue), _documents(dialogue)))
        yield dialogue
    if not lines:
        raise BadFile(f"{path} holds no conversation: expected one a row")
    if broken:
        said = "; ".join(f"{count} × {rule}" for rule, count in broken.most_common(5))
        _LOG.warning("%s: %d times a rule of the format is broken: %s", path, broken.total(), said)


def write_conversations(
    file: Path | str, dialogues: Iterable[Dialogue], columns: Mapping[str, str] | None = None
) -> int:
    """Write dialogues to a .csv file, or else as JSONL, replacing it in one step. Returns how many."""
    path, names = Path(file), {column: column for column in COLUMNS} | dict(columns or {})
    rows = (_fields(dialogue, names) for dialogue in dialogues)
    with replacing(path) as stream:
        if path.suffix.lower() != ".csv":
            return sum(bool(stream.write(_json(row).encode() + b"\n")) for row in rows)
        count, first, writer = 0, dict[str, Any](), csv.writer(_Encoded(stream))
        for count, row in enumerate(rows, 1):
            if count == 1:
                first = row
                writer.writerow(row)
            if row.keys() != first.keys():
                strange = sorted(row.keys() ^ first.keys())
                raise BadSetting(f"{row[names['id']]!r} has other columns than the first dialogue: {strange}")
            writer.writerow([cell if isinstance(cell, str) else _json(cell) for cell in row.values()])
        return count


class _Line(Noun):
    """Any JSON object."""

    model_config = ConfigDict(extra="allow")


class _Row:
    """One row, with its place."""

    def __init__(self, file: Path, line: int, number: int, fields: Mapping[str, Any], given: Mapping[str, str]):
        self.file, self.line, self.number, self.fields = file, line, number, fields
        for column, name in {"conversation": "conversation", **given}.items():
            if name and name not in fields:
                raise UnknownName(f"column of {file}:{line} (for {column}: --columns {column}=NAME)", name, fields)
        self.names = {column: given.get(column, column) for column in COLUMNS}

    def bad(self, column: str, what: str, remedy: str = "") -> NoReturn:
        """Raise the error for a cell."""
        raise BadRecord(self.file, self.line, f"$.{self.names[column]}", what, remedy)

    def dialogue(self, documents: Documents | None) -> Dialogue:
        """The dialogue that this row is."""
        id, apis = self._text("id") or f"{self.file.name.split('.')[0]}-{self.number}", self._spelled("apis")
        path = f"$.{self.names['conversation']}"
        talk = from_messages(self._spelled("conversation"), id=id, file=self.file, line=self.line, path=path)
        rest = {name: cell for name, cell in self.fields.items() if name not in self.names.values()}
        names, known = self._known(apis, documents)
        kept: dict[str, Any] = {"apis": apis, "rest": rest}
        extra: dict[str, Any] = {_KEY: {key: part for key, part in kept.items() if part}, "apis": known}
        return talk.but(
            instructions=self._text("procedure"),
            apis=names,
            world=Setting(name="recorded"),
            origin={"line": "procedures", "row": self.number},
            extra={key: part for key, part in extra.items() if part},
        )

    def _known(self, apis: Any, documents: Documents | None) -> tuple[tuple[str, ...], list[Any]]:
        """(names, documents) of the APIs in a cell."""
        try:
            return _NAMES.validate_python(apis if isinstance(apis, list) else None), []
        except ValidationError:
            pass
        if apis is None or documents is None:
            return (), []
        try:
            found = documents(apis)
        except UserError as error:
            self.bad("apis", str(error))
        return tuple(api.name for api in found), [api.model_dump(mode="json", by_alias=True) for api in found]

    def _text(self, column: str) -> str:
        cell = self.fields.get(self.names[column])
        if cell is not None and not isinstance(cell, str | int):
            self.bad(column, f"expected a text, got {shown(cell)}")
        return "" if cell is None else str(cell)

    def _spelled(self, column: str) -> Any:
        """A value, also where a text spells it; None where there is nothing."""
        cell = self.fields.get(self.names[column])
        if not isinstance(cell, str):
            return cell
        try:
            return value_of(cell) if cell.strip() else None
        except ValueError as error:
            self.bad(column, str(error))


class _Encoded:
    """A text file over a binary one, for the `csv` module."""

    def __init__(self, stream: Any):
        self._stream = stream

    def write(self, text: str) -> None:
        self._stream.write(text.encode())


def _documents(dialogue: Dialogue) -> dict[str, Api] | None:
    known = cast("list[Any] | None", dialogue.extra.get("apis"))
    return {api.name: api for api in map(Api.model_validate, known)} if known else None


def _fields(dialogue: Dialogue, names: Mapping[str, str]) -> dict[str, Any]:
    kept = cast("dict[str, Any]", dialogue.extra.get(_KEY) or {})
    cells = (to_messages(dialogue), dialogue.id, dialogue.instructions, kept.get("apis", list(dialogue.apis)))
    rest = cast("dict[str, Any]", kept.get("rest", {}))
    return {names[column]: cell for column, cell in zip(COLUMNS, cells, strict=True)} | rest


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line, _ in read_lines(path):
        yield number, parse(line, _Line, path, number).model_extra or {}


def _csv_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            twice = [name for name, times in Counter(reader.fieldnames or ()).items() if times > 1]
            if twice:
                raise BadRecord(path, 1, "$", f"two columns are called {twice[0]!r}", "rename one of them")
            for row in reader:
                if None in row:
                    raise BadRecord(path, reader.line_num, "$", "more cells than columns", "put quotes around commas")
                yield reader.line_num, dict(row)
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"cannot read {path}: {error}") from None
    except csv.Error as error:
        raise BadFile(f"{path} is no CSV file that can be read: {error}; JSONL has no such limits") from None
