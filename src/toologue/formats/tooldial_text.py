"""ToolDial's flat text: the lines that a model reads, and the samples made of them (Table 15 and the published code).

    User: …                              the same for every task
    System:
    - Dialogue State: {…}                first, where a call answers the user's words
    - Thought: … · - Action:… · - Retriever status: {…}
    - API documentations: {…}            after the retriever was called; or - Call result: {…} · or - Message: …
    - Dialogue State: {…}                last, where something was said

For the overall task the dialogue state stands first after each user turn and again before each message, and what the
system sees stands in `- Observation: {…}`: documents, a call's result, or nothing.

Contract: a line is written for what a turn carries: where labels are hidden (`loop.bare`) their lines are missing.
Values are Python literals, as published; `formats.literals` reads them. Documents are those of the Apis that the
retriever scored above `least`. The published samples show less: only the Api and the slots of the dialogue state that
comes next, so that the label can be read off them; `oracle=True` does that.

`samples` makes the published samples: of dst and action one for each label, with all lines before it. `labels="none"`
leaves out earlier labels of the kind that is asked for, and only those; thoughts are left out in the action task.

Example:
    >>> talk = [UserTurn(text="Any news?"), AgentTurn(text="Of whom?", action="clarify", state=State())]
    >>> print("\\n".join(line.text for line in lines(talk)))
    User: Any news?
    System:
    - Action:clarify
    - Retriever status: {'retriever_call': 'false', 'retrieved_api': 'none'}
    - Message: Of whom?
    - Dialogue State: {'api_confirmed': 'false', 'api_status': 'none'}
    >>> [(s.turn, s.label) for s in samples(Dialogue(id="d", turns=tuple(talk)), "action", "none")]
    [(1, 'clarify')]

Not covered: the instructions before the lines, which belong to who asks (`agents.talm`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast, get_args

from pydantic import JsonValue

from toologue.formats.outputs import output_of
from toologue.formats.tooldial import state_json, status_of
from toologue.schema import AgentTurn, Api, Dialogue, State, Turn, UserTurn, rounds

Task = Literal["dst", "action", "faithfulness", "overall"]
TASKS: tuple[Task, ...] = get_args(Task)
Labels = Literal["gold", "none"]
LABELS: tuple[Labels, ...] = get_args(Labels)
"""Whether the history shows the gold's labels of the kind that is asked for: the paper's "w GT" and "w/o GT"."""

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
        answers = at > 0 and turns[at - 1].role == "user"
        calls = any(act.kind == "call" for act in turn.acts)
        if calls and answers:
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
        if line.kind == asked and isinstance(turn, AgentTurn) and _is_asked(task, turn):
            yield Sample(dialogue.id, line.turn, "\n".join(shown), _label(task, turn))
        hidden = (labels == "none" and line.kind == asked and task != "faithfulness") or (
            task == "action" and line.kind == "thought"
        )
        if not hidden:
            shown.append(line.text)


def _is_asked(task: Task, turn: AgentTurn) -> bool:
    return task != "faithfulness" or turn.action == "response"


def _label(task: Task, turn: AgentTurn) -> JsonValue:
    if task == "dst":
        return state_json(turn.state)
    return turn.action if task == "action" else turn.text


def _overall_samples(dialogue: Dialogue, documents: Mapping[str, Api] | None) -> Iterator[Sample]:
    """One a user turn that is answered: the labels are its states and actions, in the order of the lines."""
    written = list(overall_lines(dialogue.turns, documents, oracle=True))
    start = 0
    for said, did in rounds(dialogue.turns):
        first = start + len(said)
        own = [line for line in written if first <= line.turn < first + len(did)]
        if said and did:
            states: list[JsonValue] = [
                state_json(cast("AgentTurn", dialogue.turns[line.turn]).state) for line in own if line.kind == "state"
            ]
            actions: list[JsonValue] = [turn.action for turn in did]
            prompt = "\n".join(line.text for line in written if line.turn < first)
            yield Sample(dialogue.id, first, prompt, {"states": states, "actions": actions})
        start = first + len(did)


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
    """What a retriever's answer shows of the documents."""
    found: Any = status_of(cast("AgentTurn", turns[at]))["retrieved_api"]
    chain = cast("list[Any]", found) if isinstance(found, list) else []
    scores = cast("dict[str, float]", found) if isinstance(found, dict) else {}
    names = [str(chain[0])] if chain else [name for name, score in scores.items() if score > least]
    if not names:
        return []
    state = _coming(turns[at + 1 :]) if oracle else None
    if state is not None and (api := documents.get(state.api or "")) is not None:
        return [_document(api, {*state.required, *state.optional})]
    return [_document(documents[name]) for name in (names[:1] if oracle else names) if name in documents]


def _coming(turns: Sequence[Turn]) -> State | None:
    """The next state in which an Api is confirmed, before the retriever is asked again."""
    for turn in turns:
        if isinstance(turn, UserTurn):
            continue
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
