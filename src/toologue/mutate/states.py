"""Labelled steps altered: states, actions and responses, wrong in one known way, or right in another form.

`WRONG` and `RIGHT` name each with the tasks whose tests must see it, or must not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from toologue.formats.tooldial import ACTIONS, Task
from toologue.schema import AgentTurn, State

Mutation = Callable[[AgentTurn], "AgentTurn | None"]
_OTHER = "Nobody|knows|Such an API"


def wrong_value(turn: AgentTurn) -> AgentTurn | None:
    """A filled slot holds another value."""
    return _slots(turn, lambda value: f"{value} 7x" if _is_filled(value) else value)


def invented_value(turn: AgentTurn) -> AgentTurn | None:
    """A slot that is not known yet is filled."""
    return _slots(turn, lambda value: value if _is_filled(value) else "7x7")


def dropped_slot(turn: AgentTurn) -> AgentTurn | None:
    """A required slot is missing, or a filled one."""
    state = turn.state or State()
    if state.required:
        return turn.replace(state=state.replace(required=dict(list(state.required.items())[1:])))
    kept = {name: value for name, value in state.optional.items() if not _is_filled(value)}
    return turn.replace(state=state.replace(optional=kept)) if kept != state.optional else None


def wrong_api(turn: AgentTurn) -> AgentTurn | None:
    """Another Api is in hand."""
    state = turn.state or State()
    return turn.replace(state=state.replace(api=_OTHER)) if state.api else None


def forgotten(turn: AgentTurn) -> AgentTurn | None:
    """Nothing is confirmed any more."""
    return turn.replace(state=State()) if turn.state is not None and turn.state.api else None


def too_early(turn: AgentTurn) -> AgentTurn | None:
    """An Api is confirmed before it is known."""
    return turn.replace(state=State(api=_OTHER)) if turn.state is not None and turn.state.api is None else None


def wrong_action(turn: AgentTurn) -> AgentTurn | None:
    """Another action."""
    return turn.replace(action=ACTIONS[ACTIONS.index(turn.action) - 1]) if turn.action else None


def false_claim(turn: AgentTurn) -> AgentTurn | None:
    """The response says a number that nobody gave."""
    return turn.replace(text=f"{turn.text} That makes 918,273.64 in all.") if turn.action == "response" else None


def says_nothing(turn: AgentTurn) -> AgentTurn | None:
    """The response is empty."""
    return turn.replace(text="") if turn.action == "response" else None


def slot_order(turn: AgentTurn) -> AgentTurn | None:
    """The slots in another order."""
    if turn.state is None or len(turn.state.required) < 2:
        return None
    return turn.replace(state=turn.state.replace(required=dict(reversed(turn.state.required.items()))))


def as_text(turn: AgentTurn) -> AgentTurn | None:
    """Numbers as texts, in capitals what is text (the same where types are documented)."""
    return _slots(turn, lambda value: f" {value} ".upper() if isinstance(value, str | int | float) and value else value)


def more_politely(turn: AgentTurn) -> AgentTurn | None:
    """The response with a kind word more."""
    return turn.replace(text=f"Gladly! {turn.text}") if turn.action == "response" else None


_STATE: tuple[Task, ...] = ("dst", "overall")
_OF_STATES = (wrong_value, invented_value, dropped_slot, wrong_api, forgotten, too_early)
WRONG: Mapping[str, tuple[Mutation, tuple[Task, ...]]] = {
    **{made.__name__: (made, _STATE) for made in _OF_STATES},
    "wrong_action": (wrong_action, ("action", "overall")),
    **{made.__name__: (made, ("faithfulness",)) for made in (false_claim, says_nothing)},
}
RIGHT: Mapping[str, tuple[Mutation, tuple[Task, ...]]] = {
    **{made.__name__: (made, _STATE) for made in (slot_order, as_text)},
    "more_politely": (more_politely, ("faithfulness", *_STATE)),
}


def _slots(turn: AgentTurn, change: Callable[[JsonValue], JsonValue]) -> AgentTurn | None:
    if turn.state is None or turn.state.api is None:
        return None
    slots = {"required": turn.state.required, "optional": turn.state.optional}
    changed = {kind: {name: change(value) for name, value in given.items()} for kind, given in slots.items()}
    state = turn.state.replace(**changed)
    return turn.replace(state=state) if state != turn.state else None


def _is_filled(value: JsonValue) -> bool:
    return value not in ("", None)
