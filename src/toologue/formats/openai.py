"""OpenAI chat messages: dialogues as messages, messages as dialogues, Api documents as the `tools=` list.

    instructions      a system message (`developer` reads as system)
    acts              `tool_calls`, parallel ones in one message; arguments that did not parse are sent as they were
    results[i]        the tool message that answers acts[i], its value or error as `literals.output_of` has it

Messages that we would write otherwise (their call ids, names, content parts, spacing of JSON, results that are plain
text) stand in the turn's `extra["openai"]`, and are written again as long as the turn still says the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json

from toologue.errors import BadRecord, BadSetting, shown
from toologue.formats.literals import output_of, result_of
from toologue.schema import Act, AgentTurn, Api, Brief, Call, Dialogue, Result, Turn, UserTurn
from toologue.schema.jsonl import json_path

Message = dict[str, Any]
_KEY = "openai"
_SYSTEM = ("system", "developer")
_ROLES = "system, developer, user, assistant or tool"


def tools(apis: Iterable[Api]) -> list[Message]:
    """Api documents as the `tools=` list of a request."""
    return [
        {
            "type": "function",
            "function": {
                "name": api.name,
                "description": api.description,
                "parameters": {
                    "type": "object",
                    "properties": {name: deepcopy(parameter.json_schema) for name, parameter in api.parameters.items()},
                    "required": list(api.required),
                },
            },
        }
        for api in apis
    ]


def prompt(brief: Brief, history: Sequence[Turn] = ()) -> list[Message]:
    """What a model is asked with: instructions and facts as the system message, then the conversation so far."""
    facts = "\n".join(
        f"{name}: {value if isinstance(value, str) else _json(value)}" for name, value in brief.facts.items()
    )
    system = "\n\n".join(text for text in (brief.instructions, facts) if text)
    return [*_system_message(system), *to_messages(history)]


def to_messages(conversation: Dialogue | Sequence[Turn]) -> list[Message]:
    """A dialogue, or turns, as messages. Raises BadSetting for an act that is no call."""
    if not isinstance(conversation, Dialogue):
        return [message for number, turn in enumerate(conversation) for message in _messages(turn, number)]
    system, kept = _system_message(conversation.instructions), conversation.extra.get(_KEY)
    if kept is not None:
        theirs = _Reader(f"extra.{_KEY} of dialogue {conversation.id!r}", 0, "$").messages(cast("list[Any]", kept))
        if all(m["role"] in _SYSTEM for _, m in theirs) and _instructions(theirs) == conversation.instructions:
            system = deepcopy([message for _, message in theirs])
    return [*system, *to_messages(conversation.turns)]


def from_messages(
    messages: Iterable[Mapping[str, Any]], *, id: str, file: object = "<messages>", line: int = 0, path: str = "$"
) -> Dialogue:
    """The dialogue that messages are. `file`, `line` and the JSON `path` of the list say where errors are.

    Raises BadRecord for what is no conversation, or says something that a dialogue cannot hold.
    """
    reader = _Reader(file, line, path)
    said = reader.messages(messages)
    head = next((n for n, (_, message) in enumerate(said) if message["role"] not in _SYSTEM), len(said))
    instructions, system = _instructions(said[:head]), [message for _, message in said[:head]]
    turns = tuple(reader.turn(group, n) for n, group in enumerate(reader.groups(said[head:])))
    extra: dict[str, Any] = {} if system == _system_message(instructions) else {_KEY: system}
    try:
        dialogue = Dialogue(id=id, instructions=instructions, turns=turns, extra=extra)
        dialogue.replace(turns=()).model_dump_json()  # raises for a lone surrogate
    except ValidationError as error:
        raise BadRecord(file, line, path, f"these messages make no dialogue: {_complaint(error)}") from None
    except PydanticSerializationError as error:
        raise BadRecord(file, line, path, f"the system messages cannot be written: {error}") from None
    return dialogue


def call_of(api: str, text: str) -> Call:
    """The call that a model wrote. Arguments that spell no JSON object become None, and `raw` keeps the text."""
    try:
        value = _parsed(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return Call(api=api, arguments=cast("dict[str, Any]", value))
    return Call(api=api, arguments=None, raw=text)


def _system_message(text: str) -> list[Message]:
    return [{"role": "system", "content": text}] if text else []


def _instructions(messages: Iterable[tuple[_Place, Message]]) -> str:
    return "\n\n".join(place.words(message, ("text",)) or "" for place, message in messages)


def _messages(turn: Turn, number: int) -> list[Message]:
    """The messages of a turn: as they were read, where they still say what the turn says; else ours."""
    ours, kept = _ours(turn, number), turn.extra.get(_KEY)
    if kept is None:
        return ours
    reader = _Reader(f"extra.{_KEY} of turn {number}", 0, "$")
    groups = list(reader.groups(reader.messages(cast("list[Any]", kept))))
    same = len(groups) == 1 and _ours(reader.turn(groups[0], number), number) == ours
    return deepcopy([message for _, message in groups[0]]) if same else ours


def _ours(turn: Turn, number: int) -> list[Message]:
    if turn.role == "user":
        return [{"role": "user", "content": turn.text}]
    text = turn.text if turn.text is not None or turn.acts else ""
    message: Message = {"role": "assistant", "content": text}
    if turn.acts:
        message["tool_calls"] = [_tool_call(act, number, slot) for slot, act in enumerate(turn.acts)]
    answers = [
        {"role": "tool", "tool_call_id": f"call_{number}_{slot}", "content": _json(output_of(result))}
        for slot, result in enumerate(turn.results)
        if result is not None
    ]
    return [message, *answers]


def _tool_call(act: Act, number: int, slot: int) -> Message:
    if act.kind != "call":
        raise BadSetting(f"turn {number}, act {slot}: OpenAI messages cannot say a {act.kind} act; export calls only")
    text = (act.raw or "") if act.arguments is None else _json(act.arguments)
    return {"id": f"call_{number}_{slot}", "type": "function", "function": {"name": act.api, "arguments": text}}


def _result(content: str) -> Result:
    """What a tool message says; content that is not JSON is a text."""
    try:
        return result_of(_parsed(content))
    except ValueError:
        return Result(value=content)


def _parsed(text: str) -> Any:
    """The JSON value that a text spells. Raises ValueError where it spells none, NaN and 1e999 included."""
    value: Any = from_json(text.encode())  # a lone surrogate is a ValueError, too
    _json(value)
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class _Place:
    """One message's place in a file: what its errors name."""

    file: object
    line: int
    path: str

    def bad(self, at: str, what: str, remedy: str = "") -> NoReturn:
        raise BadRecord(self.file, self.line, f"{self.path}{at}", what, remedy)

    def mapping(self, value: Any, at: str) -> Message:
        if not isinstance(value, Mapping):
            self.bad(at, f"expected an object, got {shown(value)}")
        return dict(cast("Mapping[str, Any]", value))

    def text(self, holder: Mapping[str, Any], key: str, at: str) -> str:
        if key not in holder:
            self.bad(f"{at}.{key}", "this key is missing")
        if not isinstance(holder[key], str):
            self.bad(f"{at}.{key}", f"expected a text, got {shown(holder[key])}")
        return holder[key]

    def words(self, message: Mapping[str, Any], parts: tuple[str, ...]) -> str | None:
        """The content: a text, or the texts of a list of parts of these types, joined."""
        content: Any = message.get("content")
        if content is None or isinstance(content, str):
            return content
        if not isinstance(content, list):
            self.bad(".content", f"expected a text or a list of parts, got {shown(content)}")
        joined = ""
        for index, item in enumerate(cast("list[Any]", content)):
            at = f".content[{index}]"
            part = self.mapping(item, at)
            kind = self.text(part, "type", at)
            if kind not in parts:
                self.bad(f"{at}.type", f"a part of type {kind!r}: only text can be read", "leave this conversation out")
            joined += self.text(part, kind, at)
        return joined

    def call(self, value: Any, at: str) -> tuple[str, Call]:
        """(id, call) of one entry of `tool_calls`."""
        entry = self.mapping(value, at)
        kind = entry.get("type", "function")
        if kind != "function":
            self.bad(f"{at}.type", f"a call of type {shown(kind)}: only functions can be read")
        function = self.mapping(entry.get("function"), f"{at}.function")
        text = self.text(function, "arguments", f"{at}.function")
        name = self.text(function, "name", f"{at}.function")
        return self.text(entry, "id", at), call_of(name, text)


@dataclass(frozen=True)
class _Reader:
    """Reads messages; knows where they stand."""

    file: object
    line: int
    path: str

    def messages(self, messages: Iterable[Any]) -> list[tuple[_Place, Message]]:
        """The messages with their places, their roles checked."""
        if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BadRecord(self.file, self.line, self.path, f"expected a list of messages, got {shown(messages)}")
        found: list[tuple[_Place, Message]] = []
        for index, item in enumerate(messages):
            place = _Place(self.file, self.line, f"{self.path}[{index}]")
            message = place.mapping(item, "")
            role = place.text(message, "role", "")
            if role not in (*_SYSTEM, "user", "assistant", "tool"):
                place.bad(".role", f"unknown role {role!r}", f"expected {_ROLES}")
            if message.get("function_call") is not None:
                place.bad(".function_call", "the old form of a call", "write it as `tool_calls`")
            found.append((place, message))
        return found

    def groups(self, said: Iterable[tuple[_Place, Message]]) -> Iterator[list[tuple[_Place, Message]]]:
        """Cut messages into turns: one of the user or the assistant, and the tool messages that answer it."""
        group: list[tuple[_Place, Message]] = []
        for place, message in said:
            if message["role"] in _SYSTEM:
                place.bad(".role", f"a {message['role']} message in mid-conversation", "move it to the top")
            if message["role"] != "tool" and group:
                yield group
                group = []
            group.append((place, message))
        if group:
            yield group

    def turn(self, group: Sequence[tuple[_Place, Message]], number: int) -> Turn:
        """The turn that a group of messages is, with the messages in `extra` where ours would differ."""
        messages: list[Any] = [message for _, message in group]
        try:
            turn = _turn(group)
            if messages != _ours(turn, number):
                turn = turn.replace(extra=UserTurn(extra={_KEY: messages}).extra)
            turn.model_dump_json()  # raises for a lone surrogate
            return turn
        except ValidationError as error:
            group[0][0].bad("", f"this turn cannot be kept: {_complaint(error)}")
        except PydanticSerializationError as error:
            group[0][0].bad("", f"this turn cannot be written: {error}")


def _turn(group: Sequence[tuple[_Place, Message]]) -> Turn:
    place, first = group[0]
    if first["role"] == "assistant":
        return _agent_turn(place, first, group[1:])
    for at, message in group:
        if message["role"] == "tool":
            at.bad(".tool_call_id", f"no call with the id {shown(message.get('tool_call_id'))} is open")
    return UserTurn(text=place.words(first, ("text",)) or "")


def _agent_turn(place: _Place, first: Message, answers: Sequence[tuple[_Place, Message]]) -> AgentTurn:
    text = place.words(first, ("text", "refusal"))
    text = first.get("refusal") if text is None else text
    entries: Any = first.get("tool_calls")
    if not isinstance(entries, list | tuple | None):
        place.bad(".tool_calls", f"expected a list, got {shown(entries)}")
    calls = [place.call(entry, f".tool_calls[{n}]") for n, entry in enumerate(cast("list[Any]", entries or []))]
    slots = {id: slot for slot, (id, _) in enumerate(calls)}
    if len(slots) < len(calls):
        place.bad(".tool_calls", "two calls have the same id")
    results: list[Result | None] = [None] * len(calls)
    for at, message in answers:
        id = at.text(message, "tool_call_id", "")
        if id not in slots:
            at.bad(".tool_call_id", f"no call with the id {id!r} is open", f"open: {', '.join(slots) or 'none'}")
        if results[slots[id]] is not None:
            at.bad(".tool_call_id", f"the call {id!r} is answered already")
        results[slots[id]] = _result(at.words(message, ("text",)) or "")
    return AgentTurn(text=text, acts=tuple(call for _, call in calls), results=tuple(results) if answers else ())


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    return f"{json_path(first['loc'])}: {first['msg'].removeprefix('Value error, ')}"
