"""ToolDial's text: what a model reads, and what it writes for the tasks.

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

A line is written for what a turn carries. Documents are those of the Apis that the retriever scored above `least`.

Reading is total. What was read has a `value`; what could not be has a `problem` by name, and `notes` say what was
tolerated: words around it, Python's quotes, lines that nobody asked for.

    state    no_braces, several_objects, not_spelled (neither JSON nor Python), no_state (an object of another shape)
    action   no_action, unknown_action, several_actions
    step     the problems of its action and its state, no_message where words were due
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from toologue.formats.literals import is_json, objects, output_of, value_of
from toologue.formats.tooldial import state_json, state_of, status_of
from toologue.schema import AgentAction, AgentTurn, Api, Turn
from toologue.values.json_schema import list_of, object_of

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


def lines(turns: Sequence[Turn], documents: Mapping[str, Api] | None = None, *, least: float = 0.5) -> Iterator[Line]:
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
        if shown := [_document(one, _TOLD[:1]) for one in _found(turn, documents or {}, least)]:
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
            yield Line("state", f"- Dialogue State: {_json(state_json(turn.state))}", at)
        if turn.text is not None:
            yield Line("message", f"- Message: {_one_line(turn.text)}", at)
        if any(act.kind == "retrieve" for act in turn.acts):
            shown = [_document(one, _TOLD) for one in _found(turn, documents, least)]
            seen = {"retriever_status": status_of(turn), "api_documentation": shown}
            yield Line("observation", f"- Observation: {_json(seen)}", at)
        for result in _results(turn):
            yield Line("observation", f"- Observation: {_json({'call_result': result})}", at)


def _user(text: str, at: int) -> Iterator[Line]:
    yield Line("user", f"User: {text}", at)
    yield Line("system", "System:", at)


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


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
