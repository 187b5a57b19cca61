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
_STATES: tuple[Task, ...] = ("dst", "overall")
_NO_API = State()


def _slots(turn: AgentTurn, change: Callable[[JsonValue], JsonValue]) -> AgentTurn | None:
    """The values of all slots changed."""
    state = turn.state
    if state is None or state.api is None:
        return None
    slots = {"required": state.required, "optional": state.optional}
    changed = {kind: {name: change(value) for name, value in given.items()} for kind, given in slots.items()}
    made = state.replace(**changed)
    return turn.replace(state=made) if made != state else None


def _drop_slot(turn: AgentTurn) -> AgentTurn | None:
    state = turn.state or _NO_API
    if state.required:
        return turn.replace(state=state.replace(required=dict(list(state.required.items())[1:])))
    kept = {name: value for name, value in state.optional.items() if value in ("", None)}
    return turn.replace(state=state.replace(optional=kept)) if kept != state.optional else None


def _reverse_slots(turn: AgentTurn) -> AgentTurn | None:
    if turn.state is None or len(turn.state.required) < 2:
        return None
    return turn.replace(state=turn.state.replace(required=dict(reversed(turn.state.required.items()))))


def _hold(turn: AgentTurn, state: State, *, api: bool) -> AgentTurn | None:
    """Another state, where one is labelled that has an Api in hand, or has none."""
    return turn.replace(state=state) if turn.state is not None and bool(turn.state.api) == api else None


def _respond(turn: AgentTurn, text: str) -> AgentTurn | None:
    return turn.replace(text=text) if turn.action == "response" else None


def _shout(value: JsonValue) -> JsonValue:
    return f" {value} ".upper() if isinstance(value, str | int | float) and value else value


WRONG: Mapping[str, tuple[Mutation, tuple[Task, ...]]] = {
    # A filled slot holds another value, one that is not known is filled, a required one (or a filled one) is missing.
    "wrong_value": (lambda turn: _slots(turn, lambda value: value if value in ("", None) else f"{value} 7x"), _STATES),
    "invented_value": (lambda turn: _slots(turn, lambda value: "7x7" if value in ("", None) else value), _STATES),
    "dropped_slot": (_drop_slot, _STATES),
    # Another Api is in hand, none any more, or one before it is known.
    "wrong_api": (lambda turn: _hold(turn, (turn.state or _NO_API).replace(api=_OTHER), api=True), _STATES),
    "forgotten": (lambda turn: _hold(turn, _NO_API, api=True), _STATES),
    "too_early": (lambda turn: _hold(turn, State(api=_OTHER), api=False), _STATES),
    "wrong_action": (
        lambda turn: turn.replace(action=ACTIONS[ACTIONS.index(turn.action) - 1]) if turn.action else None,
        ("action", "overall"),
    ),
    # A number that nobody gave, or no words at all.
    "false_claim": (lambda turn: _respond(turn, f"{turn.text} That makes 918,273.64 in all."), ("faithfulness",)),
    "says_nothing": (lambda turn: _respond(turn, ""), ("faithfulness",)),
}
RIGHT: Mapping[str, tuple[Mutation, tuple[Task, ...]]] = {
    "slot_order": (_reverse_slots, _STATES),
    # Numbers as texts, in capitals what is text (the same where types are documented).
    "as_text": (lambda turn: _slots(turn, _shout), _STATES),
    "more_politely": (lambda turn: _respond(turn, f"Gladly! {turn.text}"), ("faithfulness", *_STATES)),
}
