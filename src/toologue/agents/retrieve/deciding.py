"""What the open request asks for, and the next thing to do about it.

Contract: pure. Of all ways to cut the clauses of a request into wishes, the one for which most speaks is taken: each
wish brings the evidence for its best Api, and costs something; values that the words hold for its parameters speak for
it, too. Evidence adds up the retriever's cosine, how many of the words name what the Api is about, rare words counting
more, and whether the deed that is asked for (create, update, delete, finish, send, read, log in or out) is the Api's
own. `decide` takes the first wish that is not served yet: call its Api, or one that can supply what is missing, or
say what is lacking. A call that was made in this round is never made again, and no round has more than 12.

Not covered: conditions ("if it rains …"); several calls at once; another try after a call that failed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from toologue.agents.retrieve.filling import Filled, Form, Told, fill, form_of, referred
from toologue.agents.retrieve.history import Heard, Made, clauses, rows_of
from toologue.agents.retrieve.lexicon import Deed, deeds_in, spread, stems
from toologue.models.retriever import Retriever
from toologue.schema import Api, Call
from toologue.text.tokens import split_name

_TERMS = 0.7  # things named by the words
_DEED, _LATER_DEED, _SESSION = 0.4, 0.25, 0.6  # the first deed that is asked for, another, logging in or out
_OTHER_DEED = {True: -0.3, False: -0.15}  # another deed is asked for: worse for an Api that writes
_NO_DEED = -0.1
_FULL, _MOST_WORDS = 2.0, 4  # weight of words, and how many, at which the things named count as certain
_NAME, _PARAMETER, _DESCRIPTION, _PARAMETER_DESCRIPTION = 1.0, 0.5, 0.4, 0.25
_MOST_KEPT = 10_000

_ENOUGH, _COST = 0.6, 1.1  # evidence at which words ask for an Api; that one more wish must bring
_MOST_CLAUSES = 8
_CANDIDATES = 3  # Apis for which a wish's values are looked for
_VALUE, _EMPTY = 0.08, 0.1  # what each value adds to the evidence, and what having none takes away
_MOST_CALLS = 12  # in one round
_LOOKED_UP = frozenset({"id", "uuid", "username", "email", "phone", "array"})
"""Kinds of values that people leave to be looked up."""


class Evidence(NamedTuple):
    """An Api's form, how much speaks for it in all, and the retriever's own score."""

    form: Form
    score: float
    cosine: float

    @property
    def api(self) -> Api:
        """The Api."""
        return self.form.api


class Weigher:
    """Weighs the evidence for the Apis of one retriever."""

    def __init__(self, retriever: Retriever):
        self.retriever = retriever
        self.forms = {api.name: form_of(api) for api in retriever.apis}
        self._ranked: dict[str, tuple[Evidence, ...]] = {}

    def read(self, texts: Sequence[str]) -> None:
        """Rank texts ahead, embedded in one batch."""
        new = [text for text in dict.fromkeys(texts) if text not in self._ranked]
        if len(self._ranked) + len(new) > _MOST_KEPT:
            self._ranked.clear()
        for text, ranked in zip(new, self.retriever.rank_all(new, len(self.forms)), strict=True):
            deeds, said = deeds_in(text), spread(text)
            found: list[Evidence] = []
            for api, cosine in ranked:
                form = self.forms[api.name]
                score = cosine + _TERMS * self._named(api.name, said) + _agreement(form, deeds, said)
                found.append(Evidence(form, round(score, 4), cosine))
            self._ranked[text] = tuple(sorted(found, key=lambda one: (-one.score, one.api.name)))

    def rank(self, text: str) -> tuple[Evidence, ...]:
        """Every Api, best first."""
        self.read([text])
        return self._ranked[text]

    def _named(self, api: str, said: Mapping[str, float]) -> float:
        """How much the words say of what the Api is about, between 0 and 1."""
        weights = self._weights[api]
        hits = [share * weights[word] * self._rarity[word] for word, share in said.items() if word in weights]
        return min(sum(sorted(hits)[-_MOST_WORDS:]) / _FULL, 1.0)

    @cached_property
    def _weights(self) -> dict[str, dict[str, float]]:
        """Api → word → how much it says about the Api."""
        return {name: _weights(form.api) for name, form in self.forms.items()}

    @cached_property
    def _rarity(self) -> dict[str, float]:
        """Word → 1 where one Api has it, less the more have it."""
        total = len(self._weights)
        having = Counter(word for words in self._weights.values() for word in words)
        return {word: math.log(1 + total / number) / math.log(1 + total) for word, number in having.items()}


def _agreement(form: Form, asked: Sequence[Deed], said: Mapping[str, float]) -> float:
    """What the deeds that are asked for, in their order, say for an Api that does its own."""
    if form.deed is None and said.get(form.verb) == 1:
        return _DEED
    if form.deed is None or not asked:
        return _NO_DEED
    if form.deed not in asked:
        return _OTHER_DEED[form.api.writes]
    return _SESSION if form.deed in ("login", "logout") else _DEED if form.deed == asked[0] else _LATER_DEED


def _weights(api: Api) -> dict[str, float]:
    texts = [(f"{split_name(api.name)} {' '.join(api.keywords)}", _NAME), (api.description, _DESCRIPTION)]
    for name, parameter in api.parameters.items():
        texts.append((split_name(name), _PARAMETER))
        texts.append((str(parameter.json_schema.get("description", "")), _PARAMETER_DESCRIPTION))
    by_weight = sorted(texts, key=lambda one: one[1])
    return {word: weight for text, weight in by_weight for word in stems(text)}


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
    """What a decision rests on: what was heard, what Apis there are, what the brief says."""

    heard: Heard
    weigher: Weigher
    facts: Mapping[str, Any]

    def told(self, words: str, made: Sequence[Made], elsewhere: frozenset[str] = frozenset()) -> Told:
        """What can be drawn on for a wish in these words, when these calls of the round were made."""
        return Told(words, self.heard, rows_of((*self.heard.before, *made)), self.facts, elsewhere)


@dataclass(frozen=True)
class Step:
    """The next thing to do, why, and for which wish, as far as its form could be filled in."""

    action: Literal["call", "request", "clarify", "response", "response_fail", "system_bye"]
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
            step = next(filter(None, steps), None) or next(ask, None)
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
