"""Steps that are as good as the gold's, because they come to the same: what `fixed` mode allows without being told.

    another order    a call that only reads, and that the gold makes later before it speaks, if no call between writes,
                     and if what it is given was known already
    confirm first    where the gold writes: a question for leave to do so that says what it would do, unless the
                     customer has just been asked

Contract: pure; a step of the agent's comes in, and what the gold might have done instead comes out, if that is it.

Example:
    >>> from toologue.schema import UserTurn
    >>> write = AgentTurn(acts=(Call(api="cancel_order", arguments={"order_id": "O-1"}),))
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="Cancel O-1."), write))
    >>> documents = {"cancel_order": Api(name="cancel_order", writes=True)}
    >>> [turn.text for turn in as_good(gold, 1, AgentTurn(text="Shall I cancel O-1 now?"), documents)]
    ['Shall I cancel O-1 now?']
    >>> list(as_good(gold, 1, AgentTurn(text="Shall I have lunch now?"), documents))
    []

Not covered: whether leave is asked for the right thing, beyond its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile

from pydantic import JsonValue

from toologue.schema import AgentTurn, Api, Call, Dialogue, Turn
from toologue.score.reply_requirements import must_of
from toologue.text.claims import says

_LEAVE = re.compile(
    r"\b(?:shall|should|may|can|could) (?:I|we)\b(?! (?:ask|have|know))"
    r"|\b(?:do|would) you (?:want|like|prefer|agree|mind)\b"
    r"|\bis (?:it|that|this) (?:all right|okay|ok|fine|right|correct)\b|\bare you (?:sure|happy|certain)\b",
    re.IGNORECASE,
)


def as_good(gold: Dialogue, at: int, did: AgentTurn, documents: Mapping[str, Api]) -> Iterator[AgentTurn]:
    """The step that the gold might have taken at turn `at`, if it is the one that the agent took."""
    wanted = gold.turns[at]
    if not isinstance(wanted, AgentTurn) or not wanted.acts:
        return
    if did.acts:
        yield from _sooner(gold, at, documents)
    elif did.text and _asks_leave(gold, at, did.text, documents):
        yield did


def _sooner(gold: Dialogue, at: int, documents: Mapping[str, Api]) -> Iterator[AgentTurn]:
    """The reading calls that follow in this round, as far as all of them read and need nothing that comes between."""
    calling = takewhile(lambda turn: isinstance(turn, AgentTurn) and bool(turn.acts), gold.turns[at:])
    run = [turn for turn in calling if isinstance(turn, AgentTurn)]
    before, between = {leaf for turn in gold.turns[:at] for leaf in _known(turn)}, set[str | float]()
    for place, turn in enumerate(run):
        if not all(_reads(act, documents) for act in turn.acts):
            return
        given = {leaf for act in turn.acts if isinstance(act, Call) for leaf in _leaves(act.arguments)}
        if place and not given & (between - before):
            yield turn
        between.update(_known(turn))


def _asks_leave(gold: Dialogue, at: int, text: str, documents: Mapping[str, Api]) -> bool:
    """Whether a reply asks for leave to write what the gold writes here, and nobody has just asked."""
    wanted = gold.turns[at]
    calls = [act for act in wanted.acts if isinstance(act, Call)] if isinstance(wanted, AgentTurn) else []
    if "?" not in text or not _LEAVE.search(text) or any(_reads(call, documents) for call in calls):
        return False
    spoken = [turn for turn in gold.turns[:at] if isinstance(turn, AgentTurn) and turn.text]
    last = must_of(spoken[-1]) if spoken else None
    asked = (last is not None and last.move == "ask" and not last.kinds) or (
        last is None and bool(spoken) and bool(_LEAVE.search(spoken[-1].text or ""))
    )
    values = [leaf for call in calls for leaf in _leaves(call.arguments)]
    return not asked and (not values or any(says(text, value) for value in values))


def _reads(act: object, documents: Mapping[str, Api]) -> bool:
    return isinstance(act, Call) and act.api in documents and not documents[act.api].writes


def _known(turn: Turn) -> Iterator[str | float]:
    """The values that a turn brings: what the customer informs of, what calls are made with, what results show."""
    if turn.role == "user":
        yield from _leaves(dict(turn.informed))
        return
    for act in turn.acts:
        yield from _leaves(act.arguments if isinstance(act, Call) else None)
    for result in turn.results:
        yield from _leaves(result.value if result is not None else None)


def _leaves(value: JsonValue) -> Iterator[str | float]:
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _leaves(member)
    elif value is not None:
        yield value
