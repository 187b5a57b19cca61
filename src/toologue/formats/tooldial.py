"""ToolDial's JSON, one object a dialogue (arXiv 2503.00564, A.4), and the text that models read and write of it.

A `System` entry is one agent turn: `thought`, `action`, `dialogue_state`, `message`, and what was done, in
`retriever_status` (not called; {api: score}, best first; or, in a chain, a sentence for each parameter that a row
fills) or in `api_request` with `api_response`.

There are two conventions of states. Ours say what is known: what was told stays told. The paper's forget it while the
agent looks for a value, and when it says goodbye (`UNCONFIRMED`); `facts["states"]` of a dialogue is "published" where
its states are so, and `as_published` makes them so. The paper's files carry no documents of APIs: `extra["apis"]` gets
what mock data and states let know. Dialogues read from there play in the world `recorded`.

`lines` is the flat text of the published experiments (Table 15), in Python's syntax:

    User: …
    System:
    - Dialogue State: {…}                first, where a call answers the user's words
    - Thought: … · - Action:… · - Retriever status: {…}
    - API documentations: {…}            after the retriever was called; or - Call result: {…} · or - Message: …
    - Dialogue State: {…}                last, where something was said

`steps` is what `talm` reads: each step in the lines, and in the JSON, in which it is answered, then what came of it.

    User: …
    System:
    - Thought: … · - Action: … · - Dialogue State: {…} · - Message: …
    - Observation: {…}                   after an act: what the retriever found, with documents; or a call's result

A line is written for what a turn carries. Documents are those of the Apis that the retriever scored above 0.5.

Reading is total. What was read has a `value`; what could not be has a `problem` by name, and `notes` say what was
tolerated: words around it, Python's quotes, lines that nobody asked for.

    state    no_braces, several_objects, not_spelled (neither JSON nor Python), no_state (an object of another shape)
    action   no_action, unknown_action, several_actions
    step     the problems of its action and its state, no_message where words were due
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from pydantic import ConfigDict, JsonValue, ValidationError
from pydantic_core import from_json

from toologue.errors import BadFile, BadRecord, shown
from toologue.formats.literals import is_json, json_text, objects, output_of, result_of, value_of
from toologue.schema import (
    AgentAction,
    AgentTurn,
    Api,
    Call,
    Dialogue,
    Noun,
    Parameter,
    Result,
    Retrieve,
    Setting,
    State,
    Turn,
    UserAction,
    UserTurn,
)
from toologue.schema.jsonl import bad_record, opened, read_lines
from toologue.values.json_schema import list_of, object_of

# By the convention of states, the actions with which no Api is confirmed.
Convention = Literal["known", "published"]
UNCONFIRMED: Mapping[Convention, tuple[AgentAction, ...]] = {
    "known": ("clarify", "suggest", "response_fail"),
    "published": ("retriever_call", "clarify", "suggest", "response_fail", "system_bye"),
}
_CHAIN = re.compile(r"Output to procure input parameter (.+?) of (.+): (.+)", re.DOTALL)
# The eight actions of the system (Table 7).
ACTIONS: tuple[AgentAction, ...] = get_args(AgentAction)

_NAMES = {action.replace("_", ""): action for action in ACTIONS}
_SAID = re.compile(
    r"(?<![a-z])(?:"
    + "|".join(a.replace("_", "[ _-]?") for a in sorted(ACTIONS, key=len, reverse=True))
    + r")(?![a-z])"
)
_LINE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]*)?(thought|action|retriever[ _]status|dialogue[ _]state|observation|message)[ \t]*:[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_OTHERS = re.compile(r"^[ \t]*(?:user|system)[ \t]*:", re.IGNORECASE | re.MULTILINE)
_LONGEST = 100_000
Task = Literal["dst", "action", "faithfulness", "overall"]
TASKS: tuple[Task, ...] = get_args(Task)
Labels = Literal["gold", "none"]
# Whether the history shows the gold's labels of the kind that is asked for: the paper's "w GT" and "w/o GT".
LABELS: tuple[Labels, ...] = get_args(Labels)

LineKind = Literal[
    "user", "system", "state", "thought", "action", "status", "documents", "result", "message", "observation"
]
# What a document says of a parameter beside its name; `value` is what the documentation settles.
_TOLD = ("description", "type", "format", "enum", "default", "examples", "value")


class _Entry(Noun):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _User(_Entry):
    message: str
    action: UserAction | None = None


class _System(_Entry):
    action: AgentAction
    thought: str | None = None
    message: str = ""
    dialogue_state: JsonValue = None
    retriever_status: JsonValue = None
    api_request: JsonValue = None
    api_response: JsonValue = None


class _Record(_Entry):
    dialogue: tuple[dict[str, JsonValue], ...]
    subgraph_type: str = ""
    source: str | None = None
    target: str | None = None
    mockdata: JsonValue = None


def read_tooldial(file: Path) -> Iterator[Dialogue]:
    """The dialogues of a file: a list of the paper's objects, or one a line. Their ids are made of their numbers."""
    for number, (line, path, record) in enumerate(_records(file)):
        yield from_tooldial(record, id=f"{file.name.partition('.')[0]}-{number:05d}", file=file, line=line, path=path)


def from_tooldial(record: Any, *, id: str, file: object = "<record>", line: int = 0, path: str = "$") -> Dialogue:
    """The dialogue that one of the paper's objects is. Raises BadRecord, with the place, for what is none."""
    if isinstance(object_of(record).get("dialogue"), str):
        remedy = "give the dialogues.jsonl that it was exported from, or the paper's JSON"
        raise BadRecord(file, line, f"{path}.dialogue", "the flat text that models are trained on, not turns", remedy)
    try:
        read = _Record.model_validate(record)
    except ValidationError as error:
        raise bad_record(error, _Record, file, line, path) from None
    turns: list[Turn] = []
    for number, entry in enumerate(read.dialogue):
        turns.append(_turn(entry, turns, file, line, f"{path}.dialogue[{number}]"))
    origin: dict[str, Any] = {"line": "chains", "category": read.subgraph_type}
    origin |= {"source": read.source, "target": read.target}
    apis = _documents(read.mockdata, turns)
    try:
        return Dialogue(
            id=id,
            facts={"retriever": {"confirm": 0.6, "suggest": 0.5}, "states": "published"},  # the paper's retriever (A.4)
            apis=tuple(apis),
            world=Setting(name="recorded"),
            turns=tuple(turns),
            origin={name: value for name, value in origin.items() if value},
            extra={"apis": [api.model_dump(mode="json", by_alias=True) for api in apis.values()]},
        )
    except ValidationError as error:
        raise bad_record(error, Dialogue, file, line, path) from None


def state_json(state: State | None) -> dict[str, Any]:
    """A state in the paper's form; None is a state without a confirmed API."""
    if state is None or state.api is None:
        return {"api_confirmed": "false", "api_status": "none"}
    slots = {"required_parameters": dict(state.required), "optional_parameters": dict(state.optional)}
    return {"api_confirmed": "true", "api_status": {"api_name": state.api, **slots}}


def state_of(value: Any) -> State:
    """The state that a JSON value in the paper's form is. Raises ValueError, which says what is missing."""
    fields = object_of(value)
    status = object_of(fields.get("api_status"))
    slots = [status.get(f"{kind}_parameters") for kind in ("required", "optional")]
    if "api_confirmed" not in fields:
        raise ValueError(f"{shown(value)} has no api_confirmed")
    if str(fields["api_confirmed"]).lower() != "true":
        return State()
    if not isinstance(status.get("api_name"), str) or not all(isinstance(slot, dict) for slot in slots):
        raise ValueError("an API is confirmed: give api_name, required_parameters and optional_parameters")
    return State(api=status["api_name"], required=cast("Any", slots[0]), optional=cast("Any", slots[1]))


def convention_of(facts: Mapping[str, Any]) -> Convention:
    """The convention of states of a dialogue with these facts."""
    return "published" if facts.get("states") == "published" else "known"


def as_published(dialogue: Dialogue) -> Dialogue:
    """The dialogue with the paper's states."""
    forgotten = UNCONFIRMED["published"]
    turns = (
        turn.replace(state=State()) if turn.role == "agent" and turn.state and turn.action in forgotten else turn
        for turn in dialogue.turns
    )
    return dialogue.replace(turns=tuple(turns), facts={**dialogue.facts, "states": "published"})


def status_of(turn: AgentTurn) -> dict[str, Any]:
    """The retriever status of a turn, in one of the three forms of A.4."""
    for act, result in zip(turn.acts, turn.results or (None,) * len(turn.acts), strict=True):
        if act.kind == "retrieve":
            value = object_of(result and result.value)
            if "source" in value and "output" in value:
                fills = {str(value.get("parameter")): value["output"], **object_of(value.get("along"))}
                paths = ((name, str(output).replace("|", "->")) for name, output in fills.items())
                to = f"of {value.get('target')}"
                told = (f"Output to procure input parameter {name} {to}: {path}" for name, path in paths)
                return {"retriever_call": "true", "retrieved_api": [value["source"], *told]}
            return {"retriever_call": "true", "retrieved_api": value.get("retrieved", {})}
    return {"retriever_call": "false", "retrieved_api": "none"}


def _records(file: Path) -> Iterator[tuple[int, str, Any]]:
    with opened(file) as stream:
        head = stream.read(4096).removeprefix(b"\xef\xbb\xbf")
        found: list[Any] | None = _json(head + stream.read(), file, 0) if head.lstrip()[:1] == b"[" else None
    if found is None:
        for number, line, _ in read_lines(file):
            yield number, "$", _json(line, file, number)
    elif not found:
        raise BadFile(f"{file} holds no dialogue: expected a list of objects with `dialogue`, or one a line")
    else:
        yield from ((0, f"$[{number}]", record) for number, record in enumerate(found))


def _json(text: bytes, file: Path, line: int) -> Any:
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise BadRecord(file, line, "$", f"Invalid JSON: {error}", "the paper's JSON: a list, or one a line") from None


def _turn(entry: Mapping[str, Any], before: Sequence[Turn], file: object, line: int, path: str) -> Turn:
    role, kind = next(((r, k) for r, k in (("User", _User), ("System", _System)) if r in entry), ("", None))
    if kind is None:
        raise BadRecord(file, line, path, f"expected a User or a System, got {shown(sorted(entry))}")
    try:
        read = kind.model_validate(entry[role])
        turn = UserTurn(text=read.message, action=read.action) if isinstance(read, _User) else _agent(read, before)
    except ValidationError as error:
        raise bad_record(error, kind, file, line, f"{path}.{role}") from None
    return turn


def _agent(read: _System, before: Sequence[Turn]) -> AgentTurn:
    try:
        state = state_of(read.dialogue_state)
    except ValueError:
        state = None
    turn = AgentTurn(text=read.message, action=read.action, state=state, thought=read.thought)
    if read.action == "retriever_call":
        act, result = _retrieval(read.retriever_status, before)
    elif read.action == "call":
        act = _call(read.api_request, state)
        result = result_of(object_of(read.api_response).get("result", read.api_response))
    else:
        return turn
    return turn.replace(text=read.message or None, acts=(act,), results=(result,))


def _retrieval(status: Any, before: Sequence[Turn]) -> tuple[Retrieve, Result]:
    found: Any = object_of(status).get("retrieved_api")
    chain = list_of(found)
    if told := [match for one in chain[1:] if (match := _CHAIN.fullmatch(str(one)))]:
        (parameter, output), *along = ((match[1], match[3].replace("->", "|")) for match in told)
        value = {"source": chain[0], "output": output, "target": told[0][2], "parameter": parameter}
        more = {"along": dict(along)} if along else {}
        return Retrieve(missing=(told[0][2], parameter)), Result(value={**value, **more})
    asked = next((turn.text for turn in reversed(before) if turn.role == "user"), "")
    return Retrieve(query=asked), Result(value={"retrieved": object_of(found)})


def _call(request: Any, state: State | None) -> Call:
    fields = object_of(request)
    slots = [fields.get(f"{kind}_parameters", {}) for kind in ("required", "optional")]
    name = str(fields.get("api_name") or (state and state.api) or "")
    if not fields or not all(isinstance(slot, dict) for slot in slots):
        return Call(api=name, arguments=None, raw=str(request))
    return Call(api=name, arguments={**slots[0], **slots[1]})


def _documents(mockdata: Any, turns: Iterable[Turn]) -> dict[str, Api]:
    """What mock data and states let know of the APIs: names, descriptions, parameters."""
    mocks = map(list_of, object_of(mockdata).values())
    told = [fields for mock in mocks for fields in map(object_of, mock) if fields.get("api_name")]
    described = {str(fields["api_name"]): str(fields.get("api_description", "")) for fields in told}
    stated = (turn.state for turn in turns if turn.role == "agent")
    states = [state_json(state)["api_status"] for state in stated if state and state.api]
    known: dict[str, dict[str, Parameter]] = {}
    for fields in (*told, *states):
        slots = known.setdefault(str(fields["api_name"]), {})
        for kind in ("required", "optional"):
            for name in object_of(fields.get(f"{kind}_parameters")):
                slots.setdefault(name, Parameter(required=kind == "required"))
    return {name: Api(name=name, description=described.get(name, ""), parameters=known[name]) for name in known}


class Answer(NamedTuple):
    """What was read, or why nothing was; what was tolerated."""

    value: Any = None
    problem: str | None = None
    notes: tuple[str, ...] = ()


class Step(NamedTuple):
    """A whole step: its lines, as far as they are there."""

    action: Answer
    state: Answer
    thought: str | None = None
    message: str | None = None
    problem: str | None = None
    notes: tuple[str, ...] = ()


def read_state(text: str) -> Answer:
    """The dialogue state that a text holds."""
    found = list(objects(text))
    if not found:
        return Answer(problem="not_spelled" if "{" in text else "no_braces")
    if len(found) > 1:
        return Answer(problem="several_objects")
    ((start, end),) = found
    piece = text[start:end]
    try:
        value = value_of(piece)
    except ValueError:
        return Answer(problem="not_spelled")
    around = bool(text[:start].strip() or text[end:].strip())
    notes = ("words around",) * around + ("python",) * (not is_json(piece))
    try:
        state_of(value)
    except ValueError:
        return Answer(value, "no_state", notes)
    return Answer(value, None, notes)


def read_action(text: str) -> Answer:
    """The one action that a text names."""
    said = text[:_LONGEST].strip().lower()
    if not said:
        return Answer(problem="no_action")
    plain = re.sub(r"[^a-z]", "", re.sub(r"^\W*action\s*:", "", said))
    if plain in _NAMES:
        return Answer(_NAMES[plain])
    named = {_NAMES[re.sub(r"[^a-z]", "", found[0])] for found in _SAID.finditer(said)}
    if len(named) == 1:
        return Answer(named.pop(), notes=("words around",))
    return Answer(problem="several_actions" if named else "unknown_action")


def read_step(text: str) -> Step:
    """The step that lines of the overall task spell; what stands after it, or after an observation, is left out."""
    fields, cut = _lines(text[:_LONGEST])
    action, state = read_action(fields.get("action", "")), read_state(fields.get("dialogue state", ""))
    message = fields.get("message")
    due = action.value is not None and action.value not in ("call", "retriever_call")
    problem = action.problem or ("no_message" if due and not message else None)
    notes = ("more than a step",) * cut + action.notes + state.notes
    return Step(action, state, fields.get("thought") or None, message, problem, notes)


def _lines(text: str) -> tuple[dict[str, str], bool]:
    """(the first line of each kind by its name, whether there was more). A message ends a step, an observation too."""
    found = list(_LINE.finditer(text))
    fields: dict[str, str] = {}
    ends = [*(head.start() for head in found[1:]), len(text)]
    for head, end in zip(found, ends, strict=False):
        name = head[1].lower().replace("_", " ")
        if name == "observation" or (name in fields and name != "dialogue state"):
            return fields, True
        body = text[head.end() : end]
        other = _OTHERS.search(body)
        fields[name] = (body[: other.start()] if other else body).strip()
        if name == "message" or other:
            return fields, bool(other) or end < len(text)
    return fields, False


class Line(NamedTuple):
    """One line (a message may hold line feeds): what it is, as it stands, the index of its turn."""

    kind: LineKind
    text: str
    turn: int


def lines(turns: Sequence[Turn], documents: Mapping[str, Api] | None = None) -> Iterator[Line]:
    """The published text of the tasks dst, action and faithfulness."""
    for at, turn in enumerate(turns):
        if turn.role == "user":
            yield from _user(turn.text, at)
            continue
        state = [] if turn.state is None else [Line("state", f"- Dialogue State: {state_json(turn.state)}", at)]
        results = list(_results(turn))
        calls = any(act.kind == "call" for act in turn.acts)
        if calls and at and turns[at - 1].role == "user":
            yield from state
        if turn.thought:
            yield Line("thought", f"- Thought: {turn.thought}", at)
        if turn.action is not None:
            yield Line("action", f"- Action:{turn.action}", at)
        yield Line("status", f"- Retriever status: {status_of(turn)}", at)
        if shown := [_document(one, _TOLD[:1]) for one in _found(turn, documents or {}, 0.5)]:
            yield Line("documents", f"- API documentations: {shown}", at)
        for result in results:
            yield Line("result", f"- Call result: {result}", at)
        if turn.text is not None:
            yield Line("message", f"- Message: {turn.text}", at)
            yield from state


def steps(turns: Sequence[Turn], documents: Mapping[str, Api], *, least: float = 0.5) -> Iterator[Line]:
    """The conversation as `talm` reads it."""
    for at, turn in enumerate(turns):
        if turn.role == "user":
            yield from _user(_one_line(turn.text), at)
            continue
        if turn.thought:
            yield Line("thought", f"- Thought: {_one_line(turn.thought)}", at)
        if turn.action is not None:
            yield Line("action", f"- Action: {turn.action}", at)
        if turn.state is not None:
            yield Line("state", f"- Dialogue State: {json_text(state_json(turn.state))}", at)
        if turn.text is not None:
            yield Line("message", f"- Message: {_one_line(turn.text)}", at)
        if any(act.kind == "retrieve" for act in turn.acts):
            shown = [_document(one, _TOLD) for one in _found(turn, documents, least)]
            seen = {"retriever_status": status_of(turn), "api_documentation": shown}
            yield Line("observation", f"- Observation: {json_text(seen)}", at)
        for result in _results(turn):
            yield Line("observation", f"- Observation: {json_text({'call_result': result})}", at)


def _user(text: str, at: int) -> Iterator[Line]:
    yield Line("user", f"User: {text}", at)
    yield Line("system", "System:", at)


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def _results(turn: AgentTurn) -> Iterator[Any]:
    for act, result in zip(turn.acts, turn.results, strict=False):
        if act.kind == "call" and result is not None:
            yield output_of(result)


def _found(turn: AgentTurn, documents: Mapping[str, Api], least: float) -> list[Api]:
    """The documents of what the retriever found."""
    found: Any = status_of(turn)["retrieved_api"]
    names = list(map(str, list_of(found)[:1])) or [name for name, score in object_of(found).items() if score > least]
    return [documents[name] for name in names if name in documents]


def _document(api: Api, told: Sequence[str]) -> dict[str, Any]:
    def listed(required: bool) -> list[dict[str, Any]]:
        return [
            {"input_parameter_name": name, "description": ""}
            | {key: p.json_schema[key] for key in told if key in p.json_schema}
            for name, p in api.parameters.items()
            if p.required == required
        ]

    head = {"api_name": api.name, "api_description": api.description}
    return {**head, "required_parameters": listed(True), "optional_parameters": listed(False)}
