"""Conversations in ALMITA's roles (arXiv 2409.15934, A.6), as dialogues and back.

    [{"role": "user", "content": "Where is my order? It's #812."},
     {"role": "api", "content": "get_order_details(order_id=812)"},
     {"role": "api_output", "content": "{\\"status\\": \\"shipped\\"}"},
     {"role": "assistant", "content": "It is on its way."}]

Contract: an `api` message and the `api_output` after it are one agent turn, every other message is a turn of its own.
Calls are read as `formats.literals` says, outputs as JSON, as a Python literal (the paper has `False`), or as a text;
errors stand in outputs as `formats.outputs` has them. Messages that we would write otherwise stand in the turn's
`extra["almita"]` and are written again as long as the turn says the same: messages → dialogue → messages is the
identity.

A call that cannot be read, and an output without a call, are errors with their place. What breaks the rules that the
paper gives to its models is read all the same; `broken_rules` names it:

    the customer begins · after api comes api_output · after assistant comes user · after user comes assistant or api ·
    after api_output comes assistant or api · outputs are JSON · calls are of the given APIs, parameters are defined

After an output the paper wants `assistant` in A.6 and lets an `api` follow an `api` in 3.5: the latter counts.

Example:
    >>> messages = [{"role": "user", "content": "Is it lost?"}, {"role": "api", "content": "is_lost(order_id=812)"},
    ...     {"role": "api_output", "content": "False"}, {"role": "assistant", "content": "No."}]
    >>> dialogue = from_messages(messages, id="lost")
    >>> dialogue.turns[1].acts[0].arguments, dialogue.turns[1].results[0].value
    ({'order_id': 812}, False)
    >>> to_messages(dialogue) == messages
    True
    >>> broken_rules(messages)
    [Broken(at=2, rule='outputs are JSON')]

Not covered: words beside a call and parallel calls are written, and read back as turns of their own; labels, facts, and
what acts changed are not written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, cast

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from toologue.errors import BadRecord, BadSetting, UnknownName, shown
from toologue.formats.literals import call_of, call_text, value_of
from toologue.formats.outputs import output_of, result_of
from toologue.schema import Act, AgentTurn, Api, Call, Dialogue, Result, Turn, UserTurn
from toologue.schema.jsonl import json_path

Message = dict[str, Any]
ROLES = ("user", "assistant", "api", "api_output")
_KEY = "almita"
_NEXT = {
    "user": ("assistant", "api"),
    "assistant": ("user",),
    "api": ("api_output",),
    "api_output": ("assistant", "api"),
}


class Broken(NamedTuple):
    """A rule that a message breaks; `at` is its index."""

    at: int
    rule: str


def from_messages(messages: Any, *, id: str, file: object = "<messages>", line: int = 0, path: str = "$") -> Dialogue:
    """The dialogue that messages are. Raises BadRecord; `file`, `line` and `path` say where the list stands."""
    reader = _Reader(file, line, path)
    turns = tuple(reader.turn(group) for group in reader.groups(messages))
    try:
        return Dialogue(id=id, turns=turns)
    except ValidationError as error:
        reader.bad("", f"these messages make no dialogue: {_complaint(error)}")


def to_messages(conversation: Dialogue | Sequence[Turn]) -> list[Message]:
    """A dialogue, or turns, as messages. Raises BadSetting for an act that the roles cannot say."""
    turns = conversation.turns if isinstance(conversation, Dialogue) else conversation
    return [message for number, turn in enumerate(turns) for message in _messages(turn, number)]


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
    strange = [key for key in arguments if key not in known]
    missing = [key for key in apis[name].required if key not in arguments]
    if strange or missing:
        said = [f"{name} has no {', '.join(strange)}"] if strange else []
        said += [f"{name} needs {', '.join(missing)}"] if missing else []
        yield f"parameters are defined: {'; '.join(said)}"


def _messages(turn: Turn, number: int) -> list[Message]:
    """The messages of a turn: as they were read, where they still say what the turn says; else ours."""
    ours, kept = _ours(turn, number), turn.extra.get(_KEY)
    if kept is None:
        return ours
    reader = _Reader(f"extra.{_KEY} of turn {number}", 0, "$")
    groups = list(reader.groups(kept))
    same = len(groups) == 1 and _ours(reader.turn(groups[0]), number) == ours
    return deepcopy([message for _, message in groups[0]]) if same else ours


def _ours(turn: Turn, number: int) -> list[Message]:
    if turn.role == "user":
        return [{"role": "user", "content": turn.text}]
    said = [{"role": "assistant", "content": turn.text or ""}] if turn.text is not None or not turn.acts else []
    results = turn.results or (None,) * len(turn.acts)
    return [*said, *(part for pair in zip(turn.acts, results, strict=True) for part in _call_messages(*pair, number))]


def _call_messages(act: Act, result: Result | None, number: int) -> Iterator[Message]:
    if act.kind != "call" or act.arguments is None:
        what = "a call without arguments" if act.kind == "call" else f"a {act.kind} act"
        raise BadSetting(f"turn {number}: ALMITA's roles cannot say {what}; leave this dialogue out")
    try:
        yield {"role": "api", "content": call_text(act.api, act.arguments)}
    except ValueError as error:
        raise BadSetting(f"turn {number}: {error}") from None
    if result is not None:
        yield {"role": "api_output", "content": json.dumps(output_of(result), ensure_ascii=False)}


@dataclass(frozen=True)
class _Reader:
    """Reads messages; knows where they stand."""

    file: object
    line: int
    path: str

    def bad(self, at: str, what: str, remedy: str = "") -> NoReturn:
        raise BadRecord(self.file, self.line, f"{self.path}{at}", what, remedy)

    def groups(self, messages: Any) -> Iterator[list[tuple[int, Message]]]:
        """Cut messages into turns."""
        if not isinstance(messages, list | tuple):
            self.bad("", f"expected a list of messages, got {shown(messages)}")
        group: list[tuple[int, Message]] = []
        for index, message in enumerate(cast("Iterable[Any]", messages)):
            role = self._role(message, index)
            if role == "api_output":
                if not group or group[0][1]["role"] != "api" or len(group) > 1:
                    self.bad(f"[{index}].role", "an output, and no call before it", "put its `api` message before it")
                group.append((index, message))
                continue
            if group:
                yield group
            group = [(index, message)]
        if group:
            yield group

    def turn(self, group: Sequence[tuple[int, Message]]) -> Turn:
        """The turn that a group of messages is, with the messages in `extra` where ours would differ."""
        messages: list[Any] = [message for _, message in group]
        try:
            turn = self._turn(group)
            if _ours(turn, 0) != messages:
                turn = turn.but(extra=UserTurn(extra={_KEY: messages}).extra)
            turn.model_dump_json()  # raises for half a character
            return turn
        except ValidationError as error:
            self.bad(f"[{group[0][0]}]", f"this message cannot be kept: {_complaint(error)}")
        except PydanticSerializationError as error:
            self.bad(f"[{group[0][0]}]", f"this message cannot be written: {error}")

    def _turn(self, group: Sequence[tuple[int, Message]]) -> Turn:
        index, first = group[0]
        role, content = first["role"], first["content"]
        if not isinstance(content, str):
            self.bad(f"[{index}].content", f"expected a text, got {shown(content)}")
        if role == "user":
            return UserTurn(text=content)
        if role == "assistant":
            return AgentTurn(text=content)
        try:
            api, arguments = call_of(content)
        except ValueError as error:
            self.bad(f"[{index}].content", f"{shown(content, 120)} cannot be read: {error}")
        results = tuple(result_of(_output(message["content"])) for _, message in group[1:])
        return AgentTurn(acts=(Call(api=api, arguments=arguments),), results=results)

    def _role(self, message: Any, index: int) -> str:
        fields = cast("Message", message) if isinstance(message, dict) else {}
        if not {"role", "content"} <= fields.keys():
            self.bad(f"[{index}]", f'expected {{"role": …, "content": …}}, got {shown(cast("object", message))}')
        if fields["role"] not in ROLES:
            self.bad(f"[{index}].role", str(UnknownName("role", str(fields["role"]), ROLES)))
        return fields["role"]


def _output(content: Any) -> Any:
    """The value of an output; what spells none is a text."""
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


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = f" at {json_path(first['loc'])}" if first["loc"] else ""
    return f"{first['msg'].removeprefix('Value error, ')}{where}"
