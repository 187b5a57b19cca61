"""The next thing to do about what is asked for.

Contract: pure. `decide` takes the first wish that is not served yet: call its Api, or one that can supply what is
missing, or say what is lacking. A call that was made in this round is never made again, and no round has more than 12.

Example:
    >>> from toologue import registry
    >>> from toologue.agents.retrieve.history import hear
    >>> from toologue.models.embed import embedder
    >>> from toologue.models.retriever import Retriever
    >>> from toologue.schema import UserTurn
    >>> weigher = Weigher(Retriever(registry.find("world", "assistant").apis, embedder("lexical")))
    >>> step = decide(Mind(hear([UserTurn(text="Set an alarm for 7 pm.")]), weigher, {}))
    >>> step.action, step.call.api, step.call.arguments
    ('call', 'AddAlarm', {'time': '19:00:00'})

Not covered: several calls at once; another try after a call that failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from toologue.agents.retrieve.evidence import Weigher
from toologue.agents.retrieve.filling import Filled, fill
from toologue.agents.retrieve.finding import Told
from toologue.agents.retrieve.history import Heard
from toologue.agents.retrieve.results import Made, rows_of
from toologue.agents.retrieve.segment import Wish, wishes
from toologue.schema import Api, Call
from toologue.text.tokens import split_name

Confirm = Literal["always", "unsure", "never"]
CONFIRM: tuple[Confirm, ...] = get_args(Confirm)
"""When writes are confirmed before they are made."""

_SURE = 0.85  # evidence at which a write needs no confirmation
_MOST_CALLS = 12  # in one round
_LOOKED_UP = frozenset({"id", "uuid", "username", "email", "phone", "array"})
"""Kinds of values that people leave to be looked up."""


@dataclass(frozen=True)
class Mind:
    """What a decision rests on: what was heard, what Apis there are, what the brief says, when to confirm writes."""

    heard: Heard
    weigher: Weigher
    facts: Mapping[str, Any]
    confirm: Confirm = "unsure"

    def told(self, words: str, made: Sequence[Made], elsewhere: frozenset[str] = frozenset()) -> Told:
        """What can be drawn on for a wish in these words, when these calls of the round were made."""
        return Told(words, self.heard, rows_of((*self.heard.before, *made)), self.facts, elsewhere)


@dataclass(frozen=True)
class Step:
    """The next thing to do, why, and for which wish, as far as its form could be filled in."""

    action: Literal["call", "request", "suggest", "clarify", "response", "response_fail", "system_bye"]
    why: str
    wish: Wish | None = None
    filled: Filled = field(default_factory=Filled)
    call: Call | None = None
    parameter: str = ""
    """What is asked for."""
    report: tuple[Made, ...] = ()
    """The calls of this round that the user should hear of."""


def decide(mind: Mind) -> Step:
    """The next step. What can be done is done before anything is asked."""
    heard, now = mind.heard, str(mind.facts.get("now", ""))
    if heard.only_leaves:
        return Step("system_bye", "the user leaves")
    wanted = wishes(heard, mind.weigher, now)
    before = wishes(replace(heard, said=heard.closed), mind.weigher, now) if heard.said else []
    open_, reopened = (
        [wish for wish in before if wish.api.name not in heard.served],
        replace(mind, heard=heard.reopened()),
    )
    if open_ and (not wanted or any(_answered(wish, reopened) for wish in open_)):
        mind, wanted = reopened, [*open_, *(wish._replace(replies=True) for wish in wanted)]
    names = {wish.api.name for wish in wanted}
    asked_for = tuple(one for one in heard.made if one.call.api in names)
    step = _next(wanted, mind, frozenset(part for wish in (*before, *wanted) for part in wish.parts))
    if step is not None and len(heard.made) < _MOST_CALLS:
        return replace(step, report=asked_for)
    report = asked_for or heard.made
    if failed := [one.call.api for one in report if not one.done]:
        return Step("response_fail", f"{failed[0]} failed", report=report)
    if report:
        return Step("response", "all that was asked for is done", report=report)
    if heard.leaves:
        return Step("system_bye", "the user leaves")
    return Step("clarify", "nothing that was said asks for an Api")


def _answered(wish: Wish, mind: Mind) -> bool:
    """Whether the last words answer a question for a wish."""
    filled = fill(wish.form, mind.told(wish.words, mind.heard.made))
    return any(answer in mind.heard.latest.said for answer in filled.answers)


def _next(wanted: Sequence[Wish], mind: Mind, parts: frozenset[str]) -> Step | None:
    """A call for the first wish for which one can be made; else the first question; None where all are served.

    `parts`: the clauses that ask for anything.
    """
    made, left = mind.heard.made, list(mind.heard.made)
    question: Step | None = None
    taken: set[str] = set()
    for wish in wanted:
        if wish.replies and all(any(answer in part for answer in taken) for part in wish.parts):
            continue  # these words were answers to questions for an earlier wish
        mine = next((one for one in left if one.call.api == wish.api.name), None)
        told = mind.told(wish.words, made if mine is None else made[: made.index(mine)], parts.difference(wish.parts))
        filled = fill(wish.form, told)
        taken |= filled.answers
        calls = [call for call in _calls(wish.api, filled) if not any(one.call == call for one in made)]
        if calls and not (mine and filled.missing):
            step = _lacking(wish, filled, mind) or _confirmation(wish, filled, mind)
            step = step or Step("call", "nothing is missing", wish, filled, calls[0])
            if step.call is not None:
                return step
            question = question or step
        left = [one for one in left if one.call not in list(_calls(wish.api, filled))]
    return question


def _calls(api: Api, filled: Filled) -> Iterator[Call]:
    name, values = filled.several or ("", (None,))
    for value in values:
        yield Call(api=api.name, arguments={**filled.arguments, **({name: value} if name else {})})


def _lacking(wish: Wish, filled: Filled, mind: Mind) -> Step | None:
    """Look up what is missing where another Api supplies it; else ask for it."""
    found = {name for group in rows_of(mind.heard.made) for row in group for name in row}
    for name in (*filled.missing, *filled.unsure):
        look_up = _look_up(wish, name, mind) if name not in found else None
        if look_up is not None:
            return look_up
    for name in filled.unsure:
        return Step("request", f"{name} may be any of several", wish, filled, parameter=name)
    for name in filled.missing:
        return Step("request", f"{name} is missing", wish, filled, parameter=name)
    return None


def _look_up(wish: Wish, name: str, mind: Mind) -> Step | None:
    """A call of an Api that reads what is missing, where enough was said for it."""
    slot = wish.form.slots[name]
    if slot.kind not in _LOOKED_UP:
        return None
    called = {one.call.api for one in mind.heard.made}
    for api, output, _ in mind.weigher.retriever.source(wish.api, name):
        if api.writes or api.name in called:
            continue
        form = mind.weigher.forms[api.name]
        filled = fill(form, mind.told(wish.form.rest(wish.words), mind.heard.made))
        if not filled.missing and (filled.heard or (slot.naming and name not in form.slots)):
            call = Call(api=api.name, arguments=dict(filled.arguments))
            return Step("call", f"{output} may be the {name} that is missing", wish, filled, call, name)
    return None


def _confirmation(wish: Wish, filled: Filled, mind: Mind) -> Step | None:
    """Ask before a write: always, or where it is not certain that this is meant."""
    heard = mind.heard
    if not wish.api.writes or mind.confirm == "never":
        return None
    if heard.agrees and split_name(wish.api.name) in heard.latest.asked.lower():
        return None
    clear = wish.evidence.score >= _SURE or mind.weigher.retriever.band(wish.evidence.cosine) == "confirm"
    if mind.confirm == "always":
        return Step("suggest", "writes are confirmed", wish, filled)
    certain = clear or bool(heard.answers)  # who answers what was asked for it means it
    return None if certain else Step("suggest", "a write that may not be meant", wish, filled)
