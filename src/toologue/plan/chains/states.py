"""Dialogue states as the published code labels them, for whoever compares with its figures.

Ours say what is known: once the API is found it stays in hand, and what was told stays told. The published code
forgets both while it looks for a missing value, and again when it says goodbye (`retriever_call` and `system_bye` have
no API confirmed). Elsewhere the rules agree.

Example:
    >>> from toologue.schema import AgentTurn
    >>> bye = AgentTurn(text="Bye!", action="system_bye", state=State(api="Table", required={"team": "Leeds"}))
    >>> published_state(bye), labelled(bye.but(action="call"), after="inform")
    (State(api=None, required={}, optional={}), True)

Not covered: the fourth variant of its emitters (zerozero), whose labels come out the same.
"""

from __future__ import annotations

from toologue.schema import AgentTurn, Dialogue, State, Turn

_FORGETS = ("retriever_call", "clarify", "suggest", "response_fail", "system_bye")
_SPOKEN = ("request", "suggest", "clarify", "response", "response_fail", "system_bye")


def published_state(turn: AgentTurn) -> State:
    """The state of a turn by the published rule."""
    return State() if turn.state is None or turn.action in _FORGETS else turn.state


def as_published(dialogue: Dialogue) -> Dialogue:
    """The dialogue with the published code's states."""
    return dialogue.but(turns=tuple(map(_as_published, dialogue.turns)))


def labelled(turn: AgentTurn, *, after: str | None) -> bool:
    """Whether the paper's state tracking is asked at this turn; `after`: the action of the turn before.

    There is a label for each turn that is spoken, and one after each `inform` (spec of the text form, A.12).
    """
    return turn.action in _SPOKEN or after == "inform"


def _as_published(turn: Turn) -> Turn:
    return turn.but(state=published_state(turn)) if turn.role == "agent" and turn.state is not None else turn
