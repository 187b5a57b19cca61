"""Values that may be meant for parameters: in answers, in the words of the wish, in the request, in rows of results.

Contract: pure. What the user said when asked for a parameter comes first; then the text that holds the surest value,
and of those that hold equally sure ones the closest: answers, the last one first, the words of the wish, the whole open
request. A text may refer to rows of results: the newest that it fits. Where nothing is said, the row that the agent
spoke of is meant, or what an earlier call was given and stays true.

Example:
    >>> from toologue.agents.retrieve.forms import form_of
    >>> from toologue.agents.retrieve.history import Exchange
    >>> from toologue.schema import Api, Parameter
    >>> rings = Parameter(schema={"type": "string", "description": "When it rings, HH:MM:SS."})
    >>> form = form_of(Api(name="AddAlarm", parameters={"time": rings}))
    >>> heard = Heard((Exchange("", "Set an alarm for seven."), Exchange("Morning or evening?", "Evening!")))
    >>> [one.value for one in candidates(form, Told("Set an alarm for seven", heard))["time"]]
    ['19:00:00']

Not covered: values of which a part stands in one text and a part in another, half of the day aside.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from toologue.agents.retrieve.forms import FREE, Form, Slot
from toologue.agents.retrieve.history import Heard, clauses
from toologue.agents.retrieve.lexicon import stems, talk
from toologue.agents.retrieve.results import Rows
from toologue.text.spans import Found, best_first, scene_of
from toologue.values.compare import moment_of
from toologue.values.json_schema import fits

SAID = 0.45
"""The score from which on a value was said, and is no mere guess."""
ALIKE = 0.04
"""Scores that are no further apart are equal."""
_NEEDED, _MAY = 0.28, 0.6  # the least score of a value that must be given, of one that need not be
_REFERS, _KEPT = 0.5, 0.3  # the least score of a reference to a row; that of a value given before
_WHOLE = {"username": 1, "password": 1, "id": 1, "code": 1, "symbol": 1, "person": 3, "place": 3}
_WHOLE_FREE = 6
"""Words that an answer may have to be the value itself, by the kind of value."""


class Candidate(NamedTuple):
    """A value for a parameter, the text in which it was found, and whether that text answered a question for it."""

    found: Found
    where: str = ""
    asked: bool = False

    @property
    def value(self) -> Any:
        """The value."""
        return self.found.value

    @property
    def score(self) -> float:
        """How sure it is."""
        return self.found.score


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

    def texts(self, slot: Slot, taken: Collection[str]) -> list[str]:
        """Where to look for a value, the closest first. `taken`: answers to questions for other parameters.

        Those, and words of other wishes, say only what stays true.
        """
        answers = [answer for _, answer in reversed(self.heard.answers) if answer not in taken]
        halved = [text for answer in answers if (text := _halved(self.words, answer, self.now))]
        request = list(self.heard.request)
        if not slot.lasting and (taken or self.elsewhere):
            left = (part for text in request if text not in taken for part in clauses(text))
            request = [part for part in left if part not in self.elsewhere]
        return list(dict.fromkeys([*halved, *answers, self.words, "\n".join(request) or self.words]))


def candidates(form: Form, told: Told) -> dict[str, list[Candidate]]:
    """Parameter → the values that may be meant, best first."""
    answers = {name: answer for asked, answer in told.heard.answers if (name := _asked_for(form, asked))}
    own = {name: _answered(answer, form.slots[name], told) for name, answer in answers.items()}
    taken = {answers[name] for name, found in own.items() if found and found[0].asked}
    return {name: own.get(name) or _anywhere(slot, told, taken) for name, slot in form.slots.items()}


def fact(name: str, facts: Mapping[str, Any]) -> Any:
    """What the brief says under a parameter's name."""
    return next((value for key, value in facts.items() if key.lower() == name.lower()), None)


def _anywhere(slot: Slot, told: Told, taken: Collection[str]) -> list[Candidate]:
    """Values in the text that holds the surest; else what the agent spoke of, or what an earlier call was given."""
    best: list[Candidate] = []
    for text in told.texts(slot, taken):
        found = _found(text, slot, told)
        if found and (not best or found[0].score > best[0].score):
            best = found
    if slot.naming and slot.required and not best:
        return _spoken_of(slot, told)
    if slot.lasting and slot.required:
        again = told.heard.given.get(slot.name.removeprefix("old_").removeprefix("current_"))
        return best if again is None else [*best, Candidate(Found(again, 0, 0, "", "kept", _KEPT))]
    return best


def _found(text: str, slot: Slot, told: Told) -> list[Candidate]:
    """Values in a text, and in the newest rows that it refers to."""
    if slot.kind == "array":
        best = slot.mentioned(text, [row for group in told.rows for row in group], told.now)
    else:
        best = best_first([*slot.find(text, told.now), *referred(text, slot, told)])
    known = fact(slot.name, told.facts) is not None
    least = _MAY if not slot.required else SAID if known else _NEEDED
    return [Candidate(one, text) for one in best if one.score >= least and not _says_nothing(one, text)]


def referred(text: str, slot: Slot, told: Told) -> list[Found]:
    """The values of the newest rows that a text refers to. Free text is not taken from rows: it was said for them."""
    for group in told.rows if not slot.free else ():
        if not slot.naming or any(slot.name in row for row in group):
            found = slot.mentioned(text, group, told.now)
            if found and found[0].score >= _REFERS:
                return found
    return []


def _spoken_of(slot: Slot, told: Told) -> list[Candidate]:
    """The one row that the agent spoke of just before."""
    said = told.heard.latest.asked
    found = referred(said, slot, told)
    clear = found and (len(found) == 1 or found[0].score - found[1].score > ALIKE)
    return [Candidate(found[0], said)] if clear else []


def _answered(answer: str, slot: Slot, told: Told) -> list[Candidate]:
    """What the answer to a question says: a value found in it, or, where it is short, all of it."""
    answer = answer if slot.naming else _lead().sub("", answer)  # but "the second one"
    found = _found(answer, slot, told)
    if found and found[0].score >= _MAY:
        return [found[0]._replace(asked=True), *found[1:]]
    whole = answer.strip(" .!?,")
    most = _WHOLE_FREE if slot.free else _WHOLE.get(slot.kind, 0)
    if (found and not slot.free) or not 0 < len(whole.split()) <= most or not fits(whole, slot.schema):
        return found
    return [Candidate(Found(whole, 0, len(whole), whole, "text", SAID), whole, asked=True)]


def _asked_for(form: Form, question: str) -> str:
    """The one parameter that a question of the agent's asks for; "" where it asks for several."""
    if "?" not in question and "need" not in question.lower():
        return ""
    said = set(stems(question))
    shares = {name: 3 * len(said & slot.named) + len(said & slot.described) for name, slot in form.slots.items()}
    most = max(shares.values(), default=0)
    best = [name for name, share in shares.items() if share == most]
    return best[0] if most and len(best) == 1 else ""


def _halved(words: str, answer: str, now: datetime | None) -> str:
    """The words with the half of the day that an answer adds ("for seven" … "evening!"); "" where it adds none."""
    half = talk("half of the day").search(answer)
    if half is None or any(when.first.clock for when in scene_of(answer, now).whens):
        return ""
    clocks = [when.first.clock for when in scene_of(words, now).whens if when.first.clock]
    place = next((clock.end for clock in clocks if not clock.half), None)
    meridiem = "am" if half[0].lower() in ("morning", "am") else "pm"
    return f"{words[:place]} {meridiem}{words[place:]}" if place is not None else ""


def _says_nothing(one: Found, text: str) -> bool:
    """Whether words name nothing ("me", "here", "my calendar"), or are all of a text, for want of anything better."""
    if one.kind == "reference" or not isinstance(one.value, str):
        return False
    whole = one.kind in FREE and one.score < SAID and len(one.text) >= len(text.strip(" .!?,"))
    return whole or _empty().fullmatch(one.value) is not None


@cache
def _lead() -> re.Pattern[str]:
    return re.compile(rf"^\W*(?:{talk('filler').pattern}\W*)+", re.IGNORECASE)


@cache
def _empty() -> re.Pattern[str]:
    own = rf"{talk('whose').pattern}\s+{talk('container').pattern}"
    return re.compile(rf"(?:{talk('empty').pattern}|{own})(?:\s+.*)?", re.IGNORECASE)
