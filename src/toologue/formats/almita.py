"""Conversations in ALMITA's roles (arXiv 2409.15934, A.6) as dialogues, and their JSONL and CSV files.

    [{"role": "user", "content": "Where is my order? It's #812."},
     {"role": "api", "content": "get_order_details(order_id=812)"},
     {"role": "api_output", "content": "{\\"status\\": \\"shipped\\"}"},
     {"role": "assistant", "content": "It is on its way."}]

An `api` message and the `api_output` after it are one agent turn, every other message is a turn of its own. What breaks
the rules that the paper gives to its models is read all the same; `broken_rules` names it. After an output the paper
wants `assistant` in A.6 and lets an `api` follow an `api` in 3.5: the latter counts. docs/benchmarks.md has the columns
of files.
"""

from __future__ import annotations

import csv
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from pydantic import ConfigDict, TypeAdapter, ValidationError

from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName, UserError, shown
from toologue.formats.literals import call_of, result_of, value_of
from toologue.formats.openai import Message, Place, Said, dialogue_of, grouped, listed
from toologue.schema import AgentTurn, Api, Call, Dialogue, Noun, Setting, Turn, UserTurn
from toologue.schema.jsonl import parse, read_lines
from toologue.values.json_schema import list_of, object_of

ROLES = ("user", "assistant", "api", "api_output")
_NEXT = {
    "user": ("assistant", "api"),
    "assistant": ("user",),
    "api": ("api_output",),
    "api_output": ("assistant", "api"),
}
COLUMNS = ("conversation", "id", "procedure", "apis")
# Reads what an `apis` column holds.
Documents = Callable[[Any], Sequence[Api]]

_LOG = logging.getLogger("toologue")
_NAMES = TypeAdapter(tuple[str, ...])


class Broken(NamedTuple):
    """A rule that a message breaks; `at` is its index."""

    at: int
    rule: str


def from_messages(messages: Any, *, id: str, file: object = "<messages>", line: int = 0, path: str = "$") -> Dialogue:
    """The dialogue that messages are. Raises BadRecord; `file`, `line` and `path` say where the list stands."""
    place = Place(file, line, path)
    return _dialogue(id, listed(messages, place, _message), place)


def broken_rules(messages: Sequence[Mapping[str, Any]], apis: Mapping[str, Api] | None = None) -> list[Broken]:
    """The rules that readable messages break, in their order. Calls are checked where `apis` are given."""
    found: list[Broken] = []
    if messages and messages[0]["role"] != "user":
        found.append(Broken(0, "the customer begins"))
    after = [*(str(message["role"]) for message in messages[1:]), ""]
    for at, (message, then) in enumerate(zip(messages, after, strict=False)):
        role, content = str(message["role"]), message["content"]
        if role == "api_output" and isinstance(content, str) and not _is_json(content):
            found.append(Broken(at, "outputs are JSON"))
        if role == "api" and apis is not None:
            found += [Broken(at, rule) for rule in _misuse(content, apis)]
        if then not in _NEXT[role] and (then or role != "assistant"):
            found.append(Broken(at, f"after {role} comes {' or '.join(_NEXT[role])}"))
    return found


def _misuse(content: str, apis: Mapping[str, Api]) -> Iterator[str]:
    name, arguments = call_of(content)
    if name not in apis:
        yield f"calls are of the given APIs, not {name}"
        return
    known = apis[name].parameters
    strange = ", ".join(key for key in arguments if key not in known)
    missing = ", ".join(key for key in apis[name].required if key not in arguments)
    said = [f"{name} has no {strange}"] * bool(strange) + [f"{name} needs {missing}"] * bool(missing)
    if said:
        yield f"parameters are defined: {'; '.join(said)}"


def _dialogue(id: str, said: Iterable[Said], place: Place) -> Dialogue:
    return dialogue_of(id, map(_turn, grouped(said, "api_output")), place)


def _message(place: Place, message: Any) -> Message:
    fields = object_of(message)
    if not {"role", "content"} <= fields.keys():
        place.bad("", f'expected {{"role": …, "content": …}}, got {shown(message)}')
    if fields["role"] not in ROLES:
        place.bad(".role", str(UnknownName("role", str(fields["role"]), ROLES)))
    return fields


def _turn(group: Sequence[Said]) -> Turn:
    place, first = group[0]
    role, content = first["role"], first["content"]
    for number, (at, message) in enumerate(group):
        if message["role"] == "api_output" and (role, number) != ("api", 1):
            at.bad(".role", "an output, and no call before it", "put its `api` message before it")
    if not isinstance(content, str):
        place.bad(".content", f"expected a text, got {shown(content)}")
    if role == "user":
        return UserTurn(text=content)
    if role == "assistant":
        return AgentTurn(text=content)
    try:
        api, arguments = call_of(content)
    except ValueError as error:
        place.bad(".content", f"{shown(content, 120)} cannot be read: {error}")
    results = tuple(result_of(_output(message["content"])) for _, message in group[1:])
    return AgentTurn(acts=(Call(api=api, arguments=arguments),), results=results)


def _output(content: Any) -> Any:
    try:
        return value_of(content) if isinstance(content, str) else content
    except ValueError:
        return content


def _is_json(content: str) -> bool:
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


def columns_of(text: str) -> dict[str, str]:
    """What a file calls the columns: `conversation=messages,id=name`. Raises BadSetting, UnknownName."""
    found: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        column, equals, name = map(str.strip, part.partition("="))
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
    objects = ((line, parse(text, _Line, path, line).model_extra or {}) for line, text, _ in read_lines(path))
    rows = _csv_rows(path) if path.suffix.lower() == ".csv" else objects
    for line, fields in rows:
        row = _Row(path, line, len(lines) + 1, fields, given)
        dialogue, said = row.dialogue(documents)
        if dialogue.id in lines:
            row.bad("id", f"{dialogue.id!r} stands on line {lines[dialogue.id]} already")
        lines[dialogue.id] = line
        apis = {api.name: api for api in map(Api.model_validate, list_of(dialogue.extra.get("apis")))} or None
        broken.update(rule for _, rule in broken_rules(said, apis))
        yield dialogue
    if not lines:
        raise BadFile(f"{path} holds no conversation: expected one a row")
    if broken:
        said = "; ".join(f"{count} × {rule}" for rule, count in broken.most_common(5))
        _LOG.warning("%s: %d times a rule of the format is broken: %s", path, broken.total(), said)


class _Line(Noun):
    model_config = ConfigDict(extra="allow")


class _Row:
    def __init__(self, file: Path, line: int, number: int, fields: Mapping[str, Any], given: Mapping[str, str]):
        self.file, self.line, self.number, self.fields = file, line, number, fields
        for column, name in {"conversation": "conversation", **given}.items():
            if name and name not in fields:
                raise UnknownName(f"column of {file}:{line} (for {column}: --columns {column}=NAME)", name, fields)
        self.names = {column: given.get(column, column) for column in COLUMNS}

    def bad(self, column: str, what: str, remedy: str = "") -> NoReturn:
        """Raise the error for a cell."""
        raise BadRecord(self.file, self.line, f"$.{self.names[column]}", what, remedy)

    def dialogue(self, documents: Documents | None) -> tuple[Dialogue, list[Message]]:
        """The dialogue that this row is, and its messages."""
        id, apis = self._text("id") or f"{self.file.name.split('.')[0]}-{self.number}", self._spelled("apis")
        place = Place(self.file, self.line, f"$.{self.names['conversation']}")
        said = listed(self._spelled("conversation"), place, _message)
        names, known = self._known(apis, documents)
        whole = _dialogue(id, said, place).replace(
            instructions=self._text("procedure"),
            apis=names,
            world=Setting(name="recorded"),
            origin={"line": "procedures", "row": self.number},
            extra={"apis": known} if known else {},
        )
        return whole, [message for _, message in said]

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
