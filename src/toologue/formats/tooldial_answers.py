"""What models write for ToolDial's tasks: a dialogue state, an action, a whole step. Read, never run.

Contract: total. What was read has a `value`; what could not be has a `problem` by name, and `notes` say what was
tolerated: words around it, Python's quotes, lines that nobody asked for.

    state    no_braces, several_objects, not_spelled (neither JSON nor Python), no_state (an object of another shape:
             its `value` is there)
    action   no_action, unknown_action, several_actions
    step     the problems of its action and its state, no_message where words were due

`published_state` reads as the published code does: from the first brace to the last, apostrophes made quotes, so that
values with an apostrophe fail; what is no dictionary is {"foo": "bar"}, and no braces at all None. Where that code
would run the text, a reader of literals stands here.

Example:
    >>> read_state("Sure: {'api_confirmed': 'false', 'api_status': 'none'}")
    Answer(value={'api_confirmed': 'false', 'api_status': 'none'}, problem=None, notes=('words around', 'python'))
    >>> read_state("It is not confirmed.").problem, read_action("Action: Retriever call.").value
    ('no_braces', 'retriever_call')
    >>> step = read_step("- Thought: Too vague.\\n- Action: clarify\\n- Message: Which team?")
    >>> step.action.value, step.thought, step.message, step.state.problem
    ('clarify', 'Too vague.', 'Which team?', 'no_braces')

Not covered: several steps in one answer; all but the first are left out, and noted.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, get_args

from toologue.formats.literals import is_json, objects, value_of
from toologue.formats.tooldial import state_of
from toologue.schema import AgentAction

ACTIONS: tuple[AgentAction, ...] = get_args(AgentAction)
"""The eight actions of the system (Table 7)."""

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
    notes = (*(("words around",) if around else ()), *(() if is_json(piece) else ("python",)))
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
    notes = (*(("more than a step",) if cut else ()), *action.notes, *state.notes)
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
    for at, head in enumerate(found):
        name = head[1].lower().replace("_", " ")
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        if name == "observation" or (name in fields and name != "dialogue state"):
            return fields, True
        body = text[head.end() : end]
        other = _OTHERS.search(body)
        fields[name] = (body[: other.start()] if other else body).strip()
        if name == "message" or other:
            return fields, bool(other) or at + 1 < len(found)
    return fields, False
