"""An Api as a form, and how it is filled in: from what was said, from what calls gave back, from what follows.

Contract: pure. A form is read from the documentation once; a slot finds values for itself in a text, or in rows that a
text refers to, and is equal only to itself, so that what it found can be kept.

What the user said when asked for a parameter comes first; then the text that holds the surest value, and of those that
hold equally sure ones the closest: answers, the last one first, the words of the wish, the whole open request.
A text may refer to rows of results: the newest that it fits. The surest value is given out first, and no words are used
twice, expressions of time aside: one may say both when a thing begins and when it ends. What nobody said
follows from the brief, from a choice that the Api's own name makes, or, to search for, from the words of the wish.

Not covered: parameters that are objects, or exclude or require each other; values of which a part stands in one text
and a part in another; several values for one parameter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple, cast

from toologue.agents.retrieve.history import Heard, Rows, clauses
from toologue.agents.retrieve.lexicon import Deed, deed_of, deeds_in, stems
from toologue.apis.entities import leaves
from toologue.schema import Api, Parameter
from toologue.text.find import Row, find, mentioned
from toologue.text.names import expected_kinds
from toologue.text.spans import Found, best_first
from toologue.text.tokens import split_name
from toologue.values.compare import moment_of
from toologue.values.json_schema import fits

FREE = frozenset({"task", "message", "query", "text", "title"})
"""Kinds of values that any words could be."""
TIMES = frozenset({"date", "time", "moment"})
_SAID = 0.45  # the score from which on a value was said, and is no mere guess
_NEEDED, _MAY, _REFERS = 0.31, 0.6, 0.5  # the least score of a value that must be given, that need not be; of a row
_WHOLE = {"username": 1, "password": 1, "id": 1, "code": 1, "symbol": 1, "person": 3, "place": 3} | dict.fromkeys(
    FREE, 6
)
"""Words that an answer may have to be the value itself, by the kind of value."""
_REQUIRED_FIRST = 0.1
_AHEAD = timedelta(days=14, seconds=-1)
_KEYWORDS = 6


@dataclass(frozen=True, eq=False)
class Slot:
    """A parameter, and what it asks for."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    kind: str
    """The likeliest kind of value; "" for objects."""
    edge: str
    """Whether it is the start or the end of a stretch of time."""
    named: frozenset[str]
    """The words of its name, and of its description."""
    described: frozenset[str]

    @property
    def naming(self) -> bool:
        """Whether it names a thing by what only a computer knows."""
        return self.kind in ("id", "uuid")

    @property
    def of(self) -> str:
        """The thing whose id it is, in words, where its name says so: "film" for film_id."""
        thing, _, last = split_name(self.name).rpartition(" ")
        return thing if last in ("id", "uuid") else ""

    def find(self, text: str, now: datetime | None) -> tuple[Found, ...]:
        """The values that a text says, best first."""
        return _find(self, text, now)

    def mentioned(self, text: str, rows: Sequence[Row], now: datetime | None) -> list[Found]:
        """The values of the rows that a text refers to, best first; of an array, all that the text says."""
        return mentioned(text, self.schema, rows, name=self.name, now=now)


@dataclass(frozen=True, eq=False)
class Form:
    """An Api with its slots."""

    api: Api
    slots: Mapping[str, Slot]
    deed: Deed | None
    """The kind of deed that its name says it does."""
    verb: str
    """The first word of its name."""
    about: frozenset[str]
    """The words that the documentation uses for the whole Api."""
    told: frozenset[str] = frozenset()
    """The same, with those of what it tells."""

    def tells(self, word: str) -> bool:
        """Whether a word says more than what the Api is about."""
        return not self.about.issuperset(stems(word))

    def rest(self, words: str) -> str:
        """Words without those that say what the Api is about."""
        return " ".join(word for word in words.split() if self.tells(word) or not stems(word))


def form_of(api: Api) -> Form:
    """Read the documentation of an Api."""
    words = split_name(api.name)
    slots = {name: _slot(name, parameter) for name, parameter in api.parameters.items()}
    about = frozenset(stems(f"{words} {' '.join(api.keywords)} {api.description}"))
    told = frozenset(stems(" ".join(split_name(one.name) for one in leaves(api.returns))))
    return Form(api, slots, deed_of(api.name), next(iter(stems(words)), ""), about, about | told)


def _slot(name: str, parameter: Parameter) -> Slot:
    schema = parameter.json_schema
    want = next(iter(expected_kinds(schema, name)), None)
    return Slot(
        name,
        schema,
        parameter.required,
        kind=want.kind if want else "",
        edge=want.edge if want and want.kind == "moment" else "",
        named=frozenset(stems(split_name(name))),
        described=frozenset(stems(str(schema.get("description", "")))),
    )


@lru_cache(maxsize=50_000)
def _find(slot: Slot, text: str, now: datetime | None) -> tuple[Found, ...]:
    return tuple(find(text, slot.schema, name=slot.name, now=now))


class _Candidate(NamedTuple):
    """A value for a parameter, the text in which it was found, and whether that text answered a question for it."""

    found: Found
    where: str
    asked: bool = False


@dataclass(frozen=True)
class Told:
    """What can be drawn on: the words of a wish, the conversation around them, what calls gave back, the brief."""

    words: str
    heard: Heard = field(default_factory=Heard)
    rows: Rows = ()
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    elsewhere: frozenset[str] = frozenset()
    """The clauses of the request that belong to other wishes."""

    @property
    def now(self) -> datetime | None:
        """The user's clock."""
        return moment_of(str(self.facts.get("now", "")))

    def texts(self, taken: Collection[str]) -> list[str]:
        """Where to look for a value, the closest first. `taken`: answers to questions for other parameters."""
        answers = [answer for _, answer in reversed(self.heard.answers) if answer not in taken]
        left = (part for text in self.heard.request if text not in taken for part in clauses(text))
        request = "\n".join(part for part in left if part not in self.elsewhere)
        return list(dict.fromkeys([*answers, self.words, request or self.words]))


@dataclass(frozen=True)
class Filled:
    """A form as far as it could be filled in."""

    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    """Required parameters without a value, in the order of the documentation."""
    heard: frozenset[str] = frozenset()
    """The parameters whose values were said, and are no free text: any words could be that."""
    answers: frozenset[str] = frozenset()
    """The words that answered questions, and were taken as values."""


def fill(form: Form, told: Told) -> Filled:
    """Fill in a form."""
    chosen = _chosen(form, told)
    values = {name: one.found.value for name, one in chosen.items()}
    values |= {name: _implied(form, form.slots[name], told) for name in form.api.required if name not in chosen}
    said = {name for name, one in chosen.items() if one.found.score >= _SAID and one.found.kind not in FREE}
    return Filled(
        {name: values[name] for name in form.slots if values.get(name) is not None},
        missing=tuple(name for name in form.api.required if values[name] is None),
        heard=frozenset(said),
        answers=frozenset(one.found.text for one in chosen.values() if one.asked),
    )


def referred(text: str, slot: Slot, told: Told) -> list[Found]:
    """The values of the newest rows that a text refers to. Free text is not taken from rows: it was said for them."""
    for group in told.rows if slot.kind not in FREE else ():
        if not slot.naming or any(slot.name in row for row in group):
            found = slot.mentioned(text, group, told.now)
            if found and found[0].score >= _REFERS:
                return found
    return []


def _chosen(form: Form, told: Told) -> dict[str, _Candidate]:
    """The best value of each parameter that words are left for; of equally sure ones the required come first."""
    answers = {name: answer for asked, answer in told.heard.answers if (name := _asked_for(form, asked))}
    own = {name: _answered(answer, form.slots[name], told) for name, answer in answers.items()}
    taken = {answers[name] for name, found in own.items() if found and found[0].asked}
    found = {name: own.get(name) or _anywhere(slot, told, taken) for name, slot in form.slots.items()}

    def rank(pair: tuple[str, _Candidate]) -> tuple[bool, float, int]:
        name, one = pair
        sure = one.found.score + _REQUIRED_FIRST * form.slots[name].required
        return not one.asked, -round(sure, 2), one.found.start

    chosen: dict[str, _Candidate] = {}
    for name, one in sorted(((slot, one) for slot in found for one in found[slot]), key=rank):
        if name not in chosen and not any(_share_words(one, other) for other in chosen.values()):
            chosen[name] = one
    return chosen


def _share_words(one: _Candidate, other: _Candidate) -> bool:
    if one.found.kind in TIMES and other.found.kind in TIMES:
        return False
    if one.asked != other.asked and (said := (one if other.asked else other).found.text):
        return said in (one if one.asked else other).found.text
    return one.where == other.where and one.found.start < other.found.end and other.found.start < one.found.end


def _anywhere(slot: Slot, told: Told, taken: Collection[str]) -> list[_Candidate]:
    """The values in the text that holds the surest."""
    found = (_found(text, slot, told) for text in told.texts(taken))
    return max(found, key=lambda some: some[0].found.score if some else 0, default=list[_Candidate]())


def _found(text: str, slot: Slot, told: Told) -> list[_Candidate]:
    if slot.kind == "array":
        best = slot.mentioned(text, [row for group in told.rows for row in group], told.now)
    else:
        best = best_first([*slot.find(text, told.now), *referred(text, slot, told)])
    known = _fact(slot.name, told.facts) is not None
    least = _MAY if not slot.required else _SAID if known else _NEEDED
    return [_Candidate(one, text) for one in best if one.score >= least]


def _answered(answer: str, slot: Slot, told: Told) -> list[_Candidate]:
    """What the answer to a question says: a value found in it, or, where it is short, all of it."""
    found = _found(answer, slot, told)
    if found and found[0].found.score >= _SAID:
        return [found[0]._replace(asked=True), *found[1:]]
    whole = answer.strip(" .!?,")
    short = 0 < len(whole.split()) <= _WHOLE.get(slot.kind, 0)
    if (found and slot.kind not in FREE) or not short or not fits(whole, slot.schema):
        return found
    return [_Candidate(Found(whole, 0, len(whole), whole, "text", _SAID), whole, asked=True)]


def _asked_for(form: Form, question: str) -> str:
    """The one parameter that a question of the agent's asks for; "" where it asks for several."""
    if "?" not in question and "need" not in question.lower():
        return ""
    said = set(stems(question))
    shares = {name: 3 * len(said & slot.named) + len(said & slot.described) for name, slot in form.slots.items()}
    most = max(shares.values(), default=0)
    best = [name for name, share in shares.items() if share == most]
    return best[0] if most and len(best) == 1 else ""


def _fact(name: str, facts: Mapping[str, Any]) -> Any:
    return next((value for key, value in facts.items() if key.lower() == name.lower()), None)


def _implied(form: Form, slot: Slot, told: Told) -> Any:
    """A value for a required parameter of which nothing was said; None where nothing follows."""
    known = _fact(slot.name, told.facts)
    if known is not None:
        return known
    choices, words = slot.schema.get("enum"), split_name(form.api.name).split()
    if isinstance(choices, list):
        named = [one for one in cast("list[Any]", choices) if str(one).lower() in words]  # CreateEvent makes an event
        return named[0] if len(named) == 1 else None
    if slot.kind == "query" and not form.api.writes:
        said = (word for word in re.findall(r"[^\W\d_][\w'’-]{2,}", told.words) if form.tells(word))
        return " ".join([*dict.fromkeys(word for word in said if not deeds_in(word))][:_KEYWORDS]) or None
    if slot.edge and not form.api.writes and told.now is not None:
        moment = told.now.replace(hour=0, minute=0, second=0) + (timedelta() if slot.edge == "start" else _AHEAD)
        return next((one.value for one in slot.find(f"{moment:%Y-%m-%d %H:%M:%S}", told.now)), None)
    return None
