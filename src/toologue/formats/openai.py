"""OpenAI chat messages: dialogues as messages, messages as dialogues, Api documents as the `tools=` list.

    instructions      a system message (`developer` reads as system)
    acts              `tool_calls`, parallel ones in one message; arguments that did not parse are sent as they were
    results[i]        the tool message that answers acts[i], its value or error as `literals.output_of` has it

What others write otherwise (call ids, content parts, results that are plain text) is read for what it says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn, cast

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json

from toologue import limits
from toologue.errors import BadRecord, BadSetting, shown
from toologue.formats.literals import output_of, result_of
from toologue.schema import Act, AgentTurn, Api, Brief, Call, Dialogue, Result, Turn, UserTurn
from toologue.schema.jsonl import json_path

Message = dict[str, Any]
_SYSTEM = ("system", "developer")
_ROLES = "system, developer, user, assistant or tool"


def tools(apis: Iterable[Api]) -> list[Message]:
    """Api documents as the `tools=` list of a request."""
    listed: list[Message] = []
    for api in apis:
        properties = {name: deepcopy(parameter.json_schema) for name, parameter in api.parameters.items()}
        parameters = {"type": "object", "properties": properties, "required": list(api.required)}
        function = {"name": api.name, "description": api.description, "parameters": parameters}
        listed.append({"type": "function", "function": function})
    return listed


def prompt(brief: Brief, history: Sequence[Turn] = ()) -> list[Message]:
    """What a model is asked with: instructions and facts as the system message, then the conversation so far."""
    facts = (f"{name}: {value if isinstance(value, str) else _json(value)}" for name, value in brief.facts.items())
    system = "\n\n".join(filter(None, (brief.instructions, "\n".join(facts))))
    return [*_system_message(system), *to_messages(history)]


def to_messages(conversation: Dialogue | Sequence[Turn]) -> list[Message]:
    """A dialogue, or turns, as messages. Raises BadSetting for an act that is no call."""
    if isinstance(conversation, Dialogue):
        return [*_system_message(conversation.instructions), *to_messages(conversation.turns)]
    return [message for number, turn in enumerate(conversation) for message in _written(turn, number)]


def from_messages(
    messages: Iterable[Mapping[str, Any]], *, id: str, file: object = "<messages>", line: int = 0, path: str = "$"
) -> Dialogue:
    """The dialogue that messages are. `file`, `line` and the JSON `path` of the list say where errors are.

    Raises BadRecord for what is no conversation, or says something that a dialogue cannot hold.
    """
    place = Place(file, line, path)
    said = listed(messages, place, _message)
    head = next((n for n, (_, message) in enumerate(said) if message["role"] not in _SYSTEM), len(said))
    instructions = "\n\n".join(_words(at, message, ("text",)) or "" for at, message in said[:head])
    return dialogue_of(id, map(_turn, grouped(said[head:], "tool")), place, instructions)


def call_of(api: str, text: str) -> Call:
    """The call that a model wrote. Arguments that spell no JSON object become None, and `raw` keeps the text."""
    try:
        value = _parsed(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return Call(api=api, arguments=cast("dict[str, Any]", value))
    return Call(api=api, arguments=None, raw=text)


@dataclass(frozen=True)
class Place:
    """Where a message, or the list of them, stands: what errors name."""

    file: object
    line: int = 0
    path: str = "$"

    def bad(self, at: str, what: str, remedy: str = "") -> NoReturn:
        """Raise the error for something in it."""
        raise BadRecord(self.file, self.line, f"{self.path}{at}", what, remedy)


class Said(NamedTuple):
    """A message and where it stands."""

    place: Place
    message: Message


def listed(messages: Any, place: Place, check: Callable[[Place, Any], Message]) -> list[Said]:
    """The messages with their places. Raises BadRecord for what is none, as `check` does."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        place.bad("", f"expected a list of messages, got {shown(cast('object', messages))}")
    items = enumerate(cast("Iterable[Any]", messages))
    places = ((replace(place, path=f"{place.path}[{index}]"), item) for index, item in items)
    return [Said(there, check(there, item)) for there, item in places]


def grouped(said: Iterable[Said], answer: str) -> Iterator[list[Said]]:
    """The messages of each turn: those of the role `answer` belong to the one before them."""
    group: list[Said] = []
    for one in said:
        if one.message["role"] != answer and group:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def dialogue_of(id: str, turns: Iterable[Turn], place: Place, instructions: str = "") -> Dialogue:
    """The dialogue of these turns. Raises BadRecord for what is none, or cannot be written (a lone surrogate)."""
    try:
        dialogue = Dialogue(id=id, instructions=instructions, turns=tuple(turns))
        dialogue.model_dump_json()
        return dialogue
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = f"{json_path(first['loc'])}: " if first["loc"] else ""
        what = first["msg"].removeprefix("Value error, ")
        place.bad("", f"these messages make no dialogue: {where}{what}")
    except PydanticSerializationError as error:
        place.bad("", f"these messages cannot be written: {error}")


def _system_message(text: str) -> list[Message]:
    return [{"role": "system", "content": text}] if text else []


def _written(turn: Turn, number: int) -> list[Message]:
    if turn.role == "user":
        return [{"role": "user", "content": turn.text}]
    message: Message = {"role": "assistant", "content": turn.text if turn.text is not None or turn.acts else ""}
    if turn.acts:
        message["tool_calls"] = [_tool_call(act, number, slot) for slot, act in enumerate(turn.acts)]
    answered = ((f"call_{number}_{slot}", result) for slot, result in enumerate(turn.results) if result is not None)
    return [message, *({"role": "tool", "tool_call_id": id, "content": _json(output_of(r))} for id, r in answered)]


def _tool_call(act: Act, number: int, slot: int) -> Message:
    if act.kind != "call":
        raise BadSetting(f"turn {number}, act {slot}: OpenAI messages cannot say a {act.kind} act; export calls only")
    text = (act.raw or "") if act.arguments is None else _json(act.arguments)
    return {"id": f"call_{number}_{slot}", "type": "function", "function": {"name": act.api, "arguments": text}}


def _message(place: Place, item: Any) -> Message:
    message = _mapping(place, item, "")
    role = _text(place, message, "role", "")
    if role not in (*_SYSTEM, "user", "assistant", "tool"):
        place.bad(".role", f"unknown role {role!r}", f"expected {_ROLES}")
    if message.get("function_call") is not None:
        place.bad(".function_call", "the old form of a call", "write it as `tool_calls`")
    return message


def _turn(group: Sequence[Said]) -> Turn:
    place, first = group[0]
    if first["role"] in _SYSTEM:
        place.bad(".role", f"a {first['role']} message in mid-conversation", "move it to the top")
    if first["role"] == "assistant":
        return _agent_turn(place, first, group[1:])
    for at, message in group:
        if message["role"] == "tool":
            at.bad(".tool_call_id", f"no call with the id {shown(message.get('tool_call_id'))} is open")
    return UserTurn(text=_words(place, first, ("text",)) or "")


def _agent_turn(place: Place, first: Message, answers: Sequence[Said]) -> AgentTurn:
    text = _words(place, first, ("text", "refusal"))
    text = first.get("refusal") if text is None else text
    entries: Any = first.get("tool_calls")
    if not isinstance(entries, list | tuple | None):
        place.bad(".tool_calls", f"expected a list, got {shown(entries)}")
    calls = [_call(place, entry, f".tool_calls[{n}]") for n, entry in enumerate(cast("list[Any]", entries or []))]
    slots = {id: slot for slot, (id, _) in enumerate(calls)}
    if len(slots) < len(calls):
        place.bad(".tool_calls", "two calls have the same id")
    results: list[Result | None] = [None] * len(calls)
    for at, message in answers:
        id = _text(at, message, "tool_call_id", "")
        if id not in slots:
            at.bad(".tool_call_id", f"no call with the id {id!r} is open", f"open: {', '.join(slots) or 'none'}")
        if results[slots[id]] is not None:
            at.bad(".tool_call_id", f"the call {id!r} is answered already")
        content = _words(at, message, ("text",)) or ""
        try:
            results[slots[id]] = result_of(_parsed(content))
        except ValueError:
            results[slots[id]] = Result(value=content)
    return AgentTurn(text=text, acts=tuple(call for _, call in calls), results=tuple(results) if answers else ())


def _call(place: Place, value: Any, at: str) -> tuple[str, Call]:
    entry = _mapping(place, value, at)
    kind = entry.get("type", "function")
    if kind != "function":
        place.bad(f"{at}.type", f"a call of type {shown(kind)}: only functions can be read")
    function = _mapping(place, entry.get("function"), f"{at}.function")
    text, name = (_text(place, function, key, f"{at}.function") for key in ("arguments", "name"))
    return _text(place, entry, "id", at), call_of(name, text)


def _words(place: Place, message: Mapping[str, Any], parts: tuple[str, ...]) -> str | None:
    """The content: a text, or the texts of a list of parts of these types, joined."""
    content: Any = message.get("content")
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        place.bad(".content", f"expected a text or a list of parts, got {shown(content)}")
    joined = ""
    for index, item in enumerate(cast("list[Any]", content)):
        at = f".content[{index}]"
        part = _mapping(place, item, at)
        kind = _text(place, part, "type", at)
        if kind not in parts:
            place.bad(f"{at}.type", f"a part of type {kind!r}: only text can be read", "leave this conversation out")
        joined += _text(place, part, kind, at)
    return joined


def _mapping(place: Place, value: Any, at: str) -> Message:
    if not isinstance(value, Mapping):
        place.bad(at, f"expected an object, got {shown(value)}")
    return dict(cast("Mapping[str, Any]", value))


def _text(place: Place, holder: Mapping[str, Any], key: str, at: str) -> str:
    if key not in holder:
        place.bad(f"{at}.{key}", "this key is missing")
    if not isinstance(holder[key], str):
        place.bad(f"{at}.{key}", f"expected a text, got {shown(holder[key])}")
    return holder[key]


def _parsed(text: str) -> Any:
    """The JSON value that a text spells. Raises ValueError where it spells none, or one that is nested too deep."""
    value: Any = from_json(text.encode())  # a lone surrogate is a ValueError, too
    _json(value)  # so are NaN and 1e999
    if limits.deeper(text.encode(), limits.DEEPEST):
        raise ValueError("nested too deep")
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
