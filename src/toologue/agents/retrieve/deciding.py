"""What the open request asks for, and the next thing to do about it.

Contract: pure. Of all ways to cut the clauses of a request into wishes, the one for which most speaks is taken: each
wish brings the evidence for its best Api, and costs something; values that the words hold for its parameters speak for
it, too. `decide` takes the first wish that is not served yet: call its Api, or one that can supply what is missing, or
say what is lacking. A call that was made in this round is never made again, and no round has more than 12.

Not covered: conditions ("if it rains …"); several calls at once; another try after a call that failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

from toologue.agents.retrieve.evidence import Evidence, Weigher
from toologue.agents.retrieve.filling import Filled, Told, fill, referred
from toologue.agents.retrieve.forms import Form
from toologue.agents.retrieve.history import Heard, Made, clauses, rows_of
from toologue.schema import Api, Call
from toologue.text.tokens import split_name

Confirm = Literal["always", "unsure", "never"]
CONFIRM: tuple[Confirm, ...] = get_args(Confirm)
"""When writes are confirmed before they are made."""

_ENOUGH, _COST = 0.6, 1.1  # evidence at which words ask for an Api; that one more wish must bring
_MOST_CLAUSES = 8
_CANDIDATES = 3  # Apis for which a wish's values are looked for
_VALUE, _EMPTY = 0.08, 0.1  # what each value adds to the evidence, and what having none takes away
_SURE = 0.85  # evidence at which a write needs no confirmation
_MOST_CALLS = 12  # in one round
_LOOKED_UP = frozenset({"id", "uuid", "username", "email", "phone", "array"})
"""Kinds of values that people leave to be looked up."""


class Wish(NamedTuple):
    """An Api that is asked for, the clauses that ask for it, and the evidence."""

    form: Form
    parts: tuple[str, ...]
    evidence: Evidence

    @property
    def words(self) -> str:
        """The words that ask for it."""
        return ". ".join(self.parts)

    @property
    def api(self) -> Api:
        """The Api."""
        return self.form.api


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
    heard = mind.heard
    if heard.leaves:
        return Step("system_bye", "the user leaves")
    wanted = wishes(mind)
    if not wanted and heard.said:
        before = wishes(replace(mind, heard=replace(heard, said=heard.closed)))
        wanted = [wish for wish in before if wish.api.name not in heard.served]
        mind = replace(mind, heard=heard.reopened())
    names = {wish.api.name for wish in wanted}
    report = tuple(one for one in heard.made if one.call.api in names)
    step = _next(wanted, mind)
    if step is not None and len(heard.made) < _MOST_CALLS:
        return replace(step, report=report)
    report = report or heard.made
    if failed := [one.call.api for one in report if not one.done]:
        return Step("response_fail", f"{failed[0]} failed", report=report)
    if report:
        return Step("response", "all that was asked for is done", report=report)
    return Step("clarify", "nothing that was said asks for an Api")


def wishes(mind: Mind) -> list[Wish]:
    """What the open request asks for, in its order."""
    heard, weigher = mind.heard, mind.weigher
    parts = [part for text in heard.request for part in clauses(text)][-_MOST_CLAUSES:] if weigher.forms else []
    newest, now = rows_of(heard.before)[:1], {"now": mind.facts.get("now", "")}
    weigher.read([". ".join(parts[start:end]) for end in range(1, len(parts) + 1) for start in range(end)])
    best: list[tuple[float, list[Wish]]] = [(0.0, [])]
    for end in range(1, len(parts) + 1):
        ways: list[tuple[float, list[Wish]]] = []
        for start in range(end):
            gained, before = best[start]
            found = _likeliest(Told(". ".join(parts[start:end]), heard, newest, now), weigher)
            wish = Wish(found.form, tuple(parts[start:end]), found)
            ways.append((gained + found.score - _COST, [*before, wish]))
        best.append(max(ways, key=lambda way: way[0]))
    return [wish for wish in best[-1][1] if wish.evidence.score >= _ENOUGH]


def _likeliest(told: Told, weigher: Weigher) -> Evidence:
    weighed: list[Evidence] = []
    for one in weigher.rank(told.words)[:_CANDIDATES]:
        slots = one.form.slots
        said = _said(one.form, told.words, str(told.facts["now"]))
        said |= {name for name, slot in slots.items() if slot.naming and referred(told.words, slot, told)}
        speaks = _VALUE * len(said) - _EMPTY * (bool(slots) and not said)
        weighed.append(one._replace(score=round(one.score + speaks, 4)))
    return max(weighed, key=lambda one: one.score)


@lru_cache(maxsize=20_000)
def _said(form: Form, words: str, now: str) -> frozenset[str]:
    return fill(form, Told(words, facts={"now": now})).heard


def _next(wanted: Sequence[Wish], mind: Mind) -> Step | None:
    """A call for the first wish for which one can be made; else the first question; None where all are served."""
    made, left = mind.heard.made, list(mind.heard.made)
    parts = frozenset(part for wish in wanted for part in wish.parts)
    question: Step | None = None
    taken: set[str] = set()
    for wish in wanted:
        if all(any(answer in part for answer in taken) for part in wish.parts):
            continue  # these words were answers to questions for an earlier wish
        mine = next((one for one in left if one.call.api == wish.api.name), None)
        told = mind.told(wish.words, made if mine is None else made[: made.index(mine)], parts.difference(wish.parts))
        filled = fill(wish.form, told)
        taken |= filled.answers
        call = Call(api=wish.api.name, arguments=dict(filled.arguments))
        if not any(one.call == call for one in made) and not (mine and filled.missing):
            # Look up what is missing where another Api supplies it; else ask for it.
            found = {name for group in rows_of(mind.heard.made) for row in group for name in row}
            steps = (_look_up(wish, name, mind) for name in filled.missing if name not in found)
            ask = (Step("request", f"{name} is missing", wish, filled, parameter=name) for name in filled.missing)
            step = (next(filter(None, steps), None) or next(ask, None)) or _confirmation(wish, filled, mind)
            step = step or Step("call", "nothing is missing", wish, filled, call)
            if step.call is not None:
                return step
            question = question or step
        left = [one for one in left if one.call != call]
    return question


def _look_up(wish: Wish, name: str, mind: Mind) -> Step | None:
    """A call of an Api that reads what is missing, where enough was said for it."""
    slot = wish.form.slots[name]
    called = {one.call.api for one in mind.heard.made}
    for api, output, _ in mind.weigher.retriever.source(wish.api, name) if slot.kind in _LOOKED_UP else ():
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
    if mind.confirm == "always":
        return Step("suggest", "writes are confirmed", wish, filled)
    clear = wish.evidence.score >= _SURE or mind.weigher.retriever.band(wish.evidence.cosine) == "confirm"
    certain = clear or bool(heard.answers)  # who answers what was asked for it means it
    return None if certain else Step("suggest", "a write that may not be meant", wish, filled)
