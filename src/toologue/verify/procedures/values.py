"""Values in words: what the customer gives is in the customer's words, what the agent says is known, and is the newest.

    carried     a customer's words say every value that the turn informs of
    supported   a reply says every value that its node shows in braces; and whatever value it says stands in the
                customer's words (noise aside), in results so far, in the facts, or in the node's own text
    stale       … and not in a result alone that a later call of the same node has replaced

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> turns = (UserTurn(text="It is O-10423", informed={"order_id": "O-10432"}), AgentTurn(text="O-99999 is lost."))
    >>> for flaw in wrong_values(Dialogue(id="d", turns=turns), [Stand(), Stand()]):
    ...     print(flaw)
    turn 0: carried: the customer's words do not say order_id, 'O-10432'
    turn 1: supported: nothing so far says 'O-99999'

Not covered: what is said about a value ("is lost"), and values that words leave out where nothing asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from toologue.errors import BadSetting, shown
from toologue.schema import AgentTurn, Dialogue, UserTurn
from toologue.text.claims import Claim, claims, grounds, says
from toologue.values.conditions import Expression, embedded
from toologue.verify.flaw import Flaw
from toologue.verify.procedures.follow import Stand, detour_of


class _Known:
    """What words can rest on: facts, the customer's words, the newest result of each node; and what was replaced."""

    def __init__(self, facts: Mapping[str, JsonValue]):
        self.said = set(grounds(dict(facts)))
        self.results: dict[str, frozenset[Claim]] = {}
        self.replaced: set[Claim] = set()

    def learn(self, turn: AgentTurn) -> None:
        """Take in the results of a turn."""
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind == "call" and result is not None:
                step = turn.node or act.api
                self.replaced |= self.results.get(step, frozenset())
                self.results[step] = grounds(result.error.message if result.error else result.value)

    def supports(self, claim: Claim) -> bool:
        """Whether words or the newest results hold a claim."""
        return claim in self.said or any(claim in result for result in self.results.values())


class _Shown(NamedTuple):
    """What a node shows in braces: its value, and those it had before."""

    expression: Expression
    value: JsonValue
    older: tuple[JsonValue, ...]


def wrong_values(dialogue: Dialogue, stands: Sequence[Stand]) -> Iterator[Flaw]:
    """Every value that is missing, made up, or out of date."""
    now, known = _moment(dialogue.facts.get("now")), _Known(dialogue.facts)
    for place, (turn, stand) in enumerate(zip(dialogue.turns, stands, strict=True)):
        if turn.role == "user":
            yield from (Flaw("carried", place, what) for what in _uncarried(turn, now))
            if detour_of(turn) != "noise":
                known.said |= grounds(turn.text) | grounds(dict(turn.informed))
        elif turn.text is None:
            known.learn(turn)
        else:
            shows = [] if stand.node is None else list(_shown(stand))
            yield from _left_out(place, turn.text, shows, now)
            yield from _made_up(place, turn.text, stand, known)


def _uncarried(turn: UserTurn, now: datetime | None) -> Iterator[str]:
    for name, value in turn.informed.items():
        if value is not None and not says(turn.text, value, now):
            yield f"the customer's words do not say {name}, {shown(value)}"


def _left_out(place: int, text: str, shows: list[_Shown], now: datetime | None) -> Iterator[Flaw]:
    for expression, value, older in shows:
        if value is None:
            yield Flaw("supported", place, f"`{expression.text}` is null, and the reply is to say it")
        elif not says(text, value, now):
            outdated = next((old for old in reversed(older) if old is not None and says(text, old, now)), None)
            if outdated is None:
                yield Flaw("supported", place, f"the reply does not say `{expression.text}`, {shown(value)}")
            else:
                yield Flaw(
                    "stale", place, f"the reply says {shown(outdated)}; `{expression.text}` is {shown(value)} now"
                )


def _made_up(place: int, text: str, stand: Stand, known: _Known) -> Iterator[Flaw]:
    claimed = claims(text)
    missing = [claim for claim in claimed if not known.supports(claim)]
    if not missing:
        return
    own = _own(stand)
    for claim in missing:
        if claim not in own:
            stale = claim in known.replaced
            what = "only a result that was replaced says" if stale else "nothing so far says"
            yield Flaw("stale" if stale else "supported", place, f"{what} {claimed[claim]!r}")


def _own(stand: Stand) -> set[Claim]:
    """What the text of the message on the table supports, with the values that it shows."""
    if stand.message is None:
        return set()
    found = set(grounds(stand.message.text))
    for show in _shown(stand):
        found |= grounds(show.value)
    return found


def _shown(stand: Stand) -> Iterator[_Shown]:
    """What the message on the table shows in braces."""
    if stand.message is None or "{" not in stand.message.text:
        return
    for expression in embedded(stand.message.text):
        older = [
            {**(stand.values or {}), name: old}
            for name in expression.names
            for old in (stand.older or {}).get(name, ())
        ]
        yield _Shown(
            expression, _value(expression, stand.values or {}), tuple(_value(expression, old) for old in older)
        )


def _value(expression: Expression, known: Mapping[str, JsonValue]) -> JsonValue:
    if expression.text in known:  # a name
        return known[expression.text]
    try:
        return expression.value(known)
    except BadSetting:
        return None


def _moment(now: JsonValue) -> datetime | None:
    try:
        return datetime.fromisoformat(now).replace(tzinfo=None) if isinstance(now, str) else None
    except ValueError:
        return None
