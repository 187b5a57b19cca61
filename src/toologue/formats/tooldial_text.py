"""ToolDial's flat text: what a model reads (Table 15 and the published code), and what it writes for the three tasks.

    User: …                              the same for every task
    System:
    - Dialogue State: {…}                first, where a call answers the user's words
    - Thought: … · - Action:… · - Retriever status: {…}
    - API documentations: {…}            after the retriever was called; or - Call result: {…} · or - Message: …
    - Dialogue State: {…}                last, where something was said

For the overall task the dialogue state stands first after each user turn and again before each message, and what the
system sees stands in `- Observation: {…}`: documents, a call's result, or nothing. A line is written for what a turn
carries. Documents are those of the Apis that the retriever scored above `least`; `oracle=True` shows less, as the
published samples do: only the Api and the slots of the dialogue state that comes next.

Reading is total. What was read has a `value`; what could not be has a `problem` by name, and `notes` say what was
tolerated: words around it, Python's quotes, lines that nobody asked for.

    state    no_braces, several_objects, not_spelled (neither JSON nor Python), no_state (an object of another shape)
    action   no_action, unknown_action, several_actions
    step     the problems of its action and its state, no_message where words were due
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast, get_args

from pydantic import JsonValue

from toologue.formats.literals import is_json, objects, output_of, value_of
from toologue.formats.tooldial import state_json, state_of, status_of
from toologue.schema import AgentAction, AgentTurn, Api, Dialogue, State, Turn, answers
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


def published_state(text: str) -> Any:
    """The dictionary that the published code would read; None is its generation error."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found = value_of(text[start : end + 1].replace("'", '"'))
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"foo": "bar"}  # pyright: ignore[reportUnknownVariableType]


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


Task = Literal["dst", "action", "faithfulness", "overall"]
TASKS: tuple[Task, ...] = get_args(Task)
Labels = Literal["gold", "none"]
# Whether the history shows the gold's labels of the kind that is asked for: the paper's "w GT" and "w/o GT".
LABELS: tuple[Labels, ...] = get_args(Labels)

LineKind = Literal[
    "user", "system", "state", "thought", "action", "status", "documents", "result", "message", "observation"
]
_ASKED: dict[Task, LineKind] = {"dst": "state", "action": "action", "faithfulness": "message", "overall": "system"}


class Line(NamedTuple):
    """One line (a message may hold line feeds): what it is, as it stands, the index of its turn."""

    kind: LineKind
    text: str
    turn: int


class Sample(NamedTuple):
    """One question of a task: where it stands, the lines before the answer, the answer."""

    dialogue: str
    turn: int
    prompt: str
    label: JsonValue


def lines(
    turns: Sequence[Turn], documents: Mapping[str, Api] | None = None, *, oracle: bool = False, least: float = 0.5
) -> Iterator[Line]:
    """The text of the tasks dst, action and faithfulness."""
    for at, turn in enumerate(turns):
        if turn.role == "user":
            yield from _user(turn.text, at)
            continue
        calls = any(act.kind == "call" for act in turn.acts)
        if calls and at and turns[at - 1].role == "user":
            yield from _state(turn, at)
        yield from _decision(turn, at)
        yield Line("status", f"- Retriever status: {status_of(turn)}", at)
        if shown := _documents(turns, at, documents or {}, oracle, least):
            yield Line("documents", f"- API documentations: {shown}", at)
        for result in _results(turn) if calls else ():
            yield Line("result", f"- Call result: {result}", at)
        if turn.text is not None:
            yield Line("message", f"- Message: {turn.text}", at)
            yield from _state(turn, at)


def overall_lines(
    turns: Sequence[Turn], documents: Mapping[str, Api] | None = None, *, oracle: bool = False, least: float = 0.5
) -> Iterator[Line]:
    """The text of the overall task."""
    for at, turn in enumerate(turns):
        if turn.role == "user":
            yield from _user(" ".join(turn.text.split("\n")), at)
            continue
        if at > 0 and turns[at - 1].role == "user":
            yield from _state(turn, at)
        yield from _decision(turn, at)
        yield Line("observation", f"- Observation: {_observation(turns, at, documents or {}, oracle, least)}", at)
        if turn.text is not None:
            yield from _state(turn, at)
            yield Line("message", f"- Message: {' '.join(turn.text.split(chr(10)))}", at)


def samples(
    dialogue: Dialogue, task: Task, labels: Labels, documents: Mapping[str, Api] | None = None
) -> Iterator[Sample]:
    """The published samples of a dialogue. `labels` counts for dst and action, as published."""
    if task == "overall":
        yield from _overall_samples(dialogue, documents)
        return
    asked, shown = _ASKED[task], list[str]()
    for line in lines(dialogue.turns, documents, oracle=True):
        turn = dialogue.turns[line.turn]
        if line.kind == asked and isinstance(turn, AgentTurn) and (task != "faithfulness" or turn.action == "response"):
            label = {"dst": state_json(turn.state), "action": turn.action, "faithfulness": turn.text}[task]
            yield Sample(dialogue.id, line.turn, "\n".join(shown), label)
        asks = labels == "none" and line.kind == asked and task != "faithfulness"
        if not asks and (task, line.kind) != ("action", "thought"):
            shown.append(line.text)


def _overall_samples(dialogue: Dialogue, documents: Mapping[str, Api] | None) -> Iterator[Sample]:
    """One a user turn that is answered: the labels are its states and actions, in the order of the lines."""
    written = list(overall_lines(dialogue.turns, documents, oracle=True))
    for _, first, did in answers(dialogue.turns):
        if did:
            own = (line.turn - first for line in written if line.kind == "state")
            states = [state_json(did[at].state) for at in own if 0 <= at < len(did)]
            prompt = "\n".join(line.text for line in written if line.turn < first)
            yield Sample(dialogue.id, first, prompt, {"states": [*states], "actions": [turn.action for turn in did]})


def _user(text: str, at: int) -> Iterator[Line]:
    yield Line("user", f"User: {text}", at)
    yield Line("system", "System:", at)


def _state(turn: AgentTurn, at: int) -> Iterator[Line]:
    if turn.state is not None:
        yield Line("state", f"- Dialogue State: {state_json(turn.state)}", at)


def _decision(turn: AgentTurn, at: int) -> Iterator[Line]:
    if turn.thought:
        yield Line("thought", f"- Thought: {turn.thought}", at)
    if turn.action is not None:
        yield Line("action", f"- Action:{turn.action}", at)


def _results(turn: AgentTurn) -> Iterator[Any]:
    for act, result in zip(turn.acts, turn.results, strict=False):
        if act.kind == "call" and result is not None:
            yield output_of(result)


def _observation(
    turns: Sequence[Turn], at: int, documents: Mapping[str, Api], oracle: bool, least: float
) -> dict[str, Any]:
    turn = cast("AgentTurn", turns[at])
    if any(act.kind == "retrieve" for act in turn.acts):
        shown = _documents(turns, at, documents, oracle, least)
        return {"retriever_status": status_of(turn), "api_documentation": shown}
    results = list(_results(turn))
    return {"call_result": results[0] if len(results) == 1 else results} if results else {}


def _documents(
    turns: Sequence[Turn], at: int, documents: Mapping[str, Api], oracle: bool, least: float
) -> list[dict[str, Any]]:
    found: Any = status_of(cast("AgentTurn", turns[at]))["retrieved_api"]
    names = list(map(str, list_of(found)[:1])) or [name for name, score in object_of(found).items() if score > least]
    if not names:
        return []
    state = _coming(turns[at + 1 :]) if oracle else None
    if state is not None and (api := documents.get(state.api or "")) is not None:
        return [_document(api, {*state.required, *state.optional})]
    return [_document(documents[name]) for name in (names[:1] if oracle else names) if name in documents]


def _coming(turns: Sequence[Turn]) -> State | None:
    """The next state in which an Api is confirmed, before the retriever is asked again."""
    for turn in (turn for turn in turns if isinstance(turn, AgentTurn)):
        if turn.state is not None and turn.state.api is not None:
            return turn.state
        if any(act.kind == "retrieve" for act in turn.acts):
            return None
    return None


def _document(api: Api, slots: set[str] | None = None) -> dict[str, Any]:
    def listed(required: bool) -> list[dict[str, Any]]:
        return [
            {"input_parameter_name": name, "description": parameter.json_schema.get("description", "")}
            for name, parameter in api.parameters.items()
            if parameter.required == required and (slots is None or name in slots)
        ]

    head = {"api_name": api.name, "api_description": api.description}
    return {**head, "required_parameters": listed(True), "optional_parameters": listed(False)}
