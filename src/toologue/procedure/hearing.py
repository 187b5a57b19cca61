"""What a customer's words do to where the conversation stands: an answer, a correction, a change of mind, or nothing.

`Hearing.heard` gives the stand after the words, and why the agent stays where it is if it does:

    ""          the words answered: go on from the new stand
    missing     a value is given, and another one is not
    malformed   a value is tried, and has not the form it must have
    late        a value is taken back with which something was done already
    doubt       the customer sees the matter otherwise
    attack, private, abuse, elsewhere, chat      no answer at all (`noticing`)

A correction goes back to the first call that used the value, with what was given since kept as known early. A change of
mind goes back to the last question that has such an answer. Nothing goes back behind a write.

Example:
    >>> from toologue.procedure.course import course_of
    >>> from toologue.models.similarity import similarity
    >>> from toologue.schema import Brief
    >>> course = course_of(Brief(instructions='''# Hello
    ... 1. **Ask** what they want.
    ...    - Tea: go to 2.
    ...    - Coffee, so `strong = true`: go to 2.
    ... 2. **End**: say goodbye.
    ... '''))
    >>> hearing = Hearing(Walking(course), similarity("lexical"))
    >>> asks, _ = hearing.heard(hearing.walking.begin({}), "Hello!")
    >>> ends, why = hearing.heard(asks, "A coffee would be lovely")
    >>> ends.node, ends.values["strong"], why
    ('N2', True, '')

Not covered: two corrections in one message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from toologue.models.similarity import Similarity
from toologue.procedure import noticing
from toologue.procedure.choosing import best, choose, polarity
from toologue.procedure.course import Slot
from toologue.procedure.reading import attempts, mentions, read_values
from toologue.procedure.standing import Mark, Stand, Walking
from toologue.text.tokens import words_of
from toologue.values.compare import same
from toologue.values.conditions import parse
from toologue.values.json_schema import fits

Why = Literal["", "missing", "malformed", "late", "doubt", "attack", "private", "abuse", "elsewhere", "chat"]
_ALIKE = 0.4
"""How much words must be like an answer that was not asked for, to be a change of mind."""


class Hearing:
    """Understands customers, along one course."""

    def __init__(self, walking: Walking, alike: Similarity):
        self.walking, self._alike = walking, alike
        self._slots = walking.course.slots

    def heard(self, stand: Stand, text: str) -> tuple[Stand, Why]:
        """(where the words lead, why they lead nowhere)."""
        kind = self.walking.kind(stand)
        if kind == "start_message":
            return self._opened(stand, text), ""
        if kind != "message":
            return stand, ""
        noise = noticing.notice(text)
        if noise in ("attack", "private") and not self._tries(text, stand):
            return stand, noise
        if corrected := self._corrected(stand, text):
            return corrected
        if changed := self._changed(stand, text):
            return changed, ""
        step = self.walking.course.step(stand.node)
        if step.collects:
            return self._filled(stand, text, noise)
        return self._chosen(stand, text, noise)

    def _opened(self, stand: Stand, text: str) -> Stand:
        link = self.walking.exit(stand)
        assert link is not None
        return self.walking.taken(stand.but(early=self._read(text, stand)), link)

    def _tries(self, text: str, stand: Stand) -> bool:
        """Whether there is a value in the words, whatever else they are."""
        formed = [
            self._slots[slot] for slot in self.walking.course.step(stand.node).collects if self._slots[slot].pattern
        ]
        return any(attempts(text, slot) for slot in formed) or bool(self._read(text, stand, only_formed=True))

    def _filled(self, stand: Stand, text: str, noise: noticing.Notice) -> tuple[Stand, Why]:
        """The answer to a question that collects values."""
        step, answers = self.walking.course.step(stand.node), self.walking.answers(stand)
        if answers and (answer := self._other_than_giving(text, answers)):
            return self._answered(stand, answer, noise)
        found = self._read(text, stand)
        asked = {slot: value for slot, value in found.items() if slot in step.collects}
        if noise and not any(self._slots[slot].pattern or self._slots[slot].schema.get("format") for slot in asked):
            return stand, noise
        early = {slot: value for slot, value in found.items() if slot not in asked} if asked else {}
        left = _without(text, {slot: value for slot, value in asked.items() if not self._slots[slot].is_free})
        tried = [slot for slot in step.collects if slot not in asked and attempts(left, self._slots[slot])]
        if any(slot not in stand.partial for slot in tried):  # a code that is none is no street either
            asked = {slot: value for slot, value in asked.items() if not self._slots[slot].is_free}
        partial = {**stand.partial, **asked}
        missing = [slot for slot in step.collects if slot not in partial]
        stand = stand.but(partial=partial, early={**stand.early, **early})
        if not missing:
            return self._answered(self.walking.given(stand, partial), answers[0] if answers else "", noise)
        if any(slot in missing for slot in tried):
            return stand, "malformed"
        if asked:
            return stand, "missing"
        return stand, noise or ("doubt" if noticing.doubts(text) else "chat")

    def _chosen(self, stand: Stand, text: str, noise: noticing.Notice) -> tuple[Stand, Why]:
        """The answer to a question with answers; a word about what was said."""
        step, answers = self.walking.course.step(stand.node), self.walking.answers(stand)
        if not answers:
            taken = not noise and noticing.acknowledges(text)
            return self._answered(stand, "", noise) if taken else (stand, noise or "chat")
        answer = choose(text, answers, self._alike, question=step.text)
        if answer is None:
            return stand, noise or ("doubt" if noticing.doubts(text) else "chat")
        early = self._read(text, stand)
        return self._answered(stand.but(early={**stand.early, **early}), answer, noise)

    def _answered(self, stand: Stand, answer: str, noise: noticing.Notice) -> tuple[Stand, Why]:
        link = self.walking.exit(stand, answer)
        return (stand, noise or "chat") if link is None else (self.walking.taken(stand, link), "")

    def _other_than_giving(self, text: str, answers: list[str]) -> str | None:
        """An answer instead of the value: "leave it as it is". The first of the answers is to give it."""
        found, score = best(text, answers[1:], self._alike)
        return (
            found
            if found
            and (
                score > 0.5
                or (len(answers) == 2 and re.match(r"\W*no\b", text, re.IGNORECASE) and polarity(text) == "no")
            )
            else None
        )

    def _read(self, text: str, stand: Stand, *, only_formed: bool = False) -> dict[str, JsonValue]:
        """Values for what is asked for here, and for what may be asked for later and has a form of its own."""
        kind = self.walking.kind(stand)
        asked = () if kind == "start_message" else self.walking.course.step(stand.node).collects
        here = [self._slots[slot] for slot in asked if not (only_formed and self._slots[slot].is_free)]
        again = [slot for slot in here if slot.name in stand.partial and not slot.is_free]
        if again and not read_values(text, again, now=self._now(stand)):  # the rest of what was asked for
            here = [slot for slot in here if slot.name not in stand.partial]
        rest = (slot for slot in self._slots.values() if slot.name not in (*stand.given, *asked))
        named = (here or kind == "start_message") and not only_formed
        later = [slot for slot in rest if _is_told_apart(slot) or (named and (slot.is_free or _is_named(text, slot)))]
        old = [value for slot, value in stand.given.items() if any(one.name == slot for one in here)]
        found = read_values(text, here, also=later, now=self._now(stand), avoid=old)
        if any(slot.name not in found for slot in here) and old:
            found = read_values(text, here, now=self._now(stand)) | found
        return {name: value for name, value in found.items() if name in asked or not self._is_anothers(name, value)}

    def _is_anothers(self, name: str, value: JsonValue) -> bool:
        """Whether a value that nobody asked for could be one of another slot."""
        others = (slot for slot in self._slots.values() if slot.name != name and slot.pattern)
        return isinstance(value, str) and any(fits(value, slot.schema) for slot in others)

    # ---- going back

    def _corrected(self, stand: Stand, text: str) -> tuple[Stand, Why] | None:
        """Another value for what was given before, if the words take one back."""
        takes_back = noticing.takes_back(text)
        now, asked = self._now(stand), self.walking.course.step(stand.node).collects
        for name in sorted(stand.given, key=lambda one: self._slots[one].is_free):
            slot, old = self._slots[name], stand.given[name]
            if name in asked:
                continue
            said = mentions(text, old, slot, now)
            rival = any(self._slots[one].schema == slot.schema for one in asked)
            if not said and (not takes_back or slot.is_free or rival or not _is_told_apart(slot)):
                continue
            rest = text if not slot.is_free else _without(text, {name: old})
            new = read_values(rest, [slot], now=now, avoid=[old]).get(name)
            if new is not None and not same(new, old):
                return self._gone_back(stand, name, new)
        return None

    def _gone_back(self, stand: Stand, name: str, new: JsonValue) -> tuple[Stand, Why]:
        """At the first call that used the value, with the new one; here, if there is none."""
        later: dict[str, JsonValue] = {slot: value for slot, value in stand.partial.items() if slot != name}
        for place, mark in enumerate(stand.trail):
            if not (name in mark.stand.given and not mark.answer and name in self._used(mark.stand)):
                continue
            if any(one.wrote for one in stand.trail[place:]):
                return stand, "late"
            since = {slot: value for slot, value in stand.given.items() if slot not in mark.stand.given} | later
            back = self.walking.given(_tried(mark.stand, stand), {name: new})
            return back.but(early={**stand.early, **since}), ""
        return self.walking.given(stand, {name: new}).but(partial=stand.partial), ""

    def _used(self, stand: Stand) -> frozenset[str]:
        """The names that the call here needs, and those that its outcome is judged by."""
        step = self.walking.course.step(stand.node)
        judged = (branch.condition for branch in step.branches if branch.condition)
        return frozenset(name for one in (*step.arguments.values(), *judged) for name in parse(one).names)

    def _changed(self, stand: Stand, text: str) -> Stand | None:
        """Behind another answer to an earlier question, if the words change the customer's mind."""
        if not (noticing.reconsiders(text) or noticing.changed(text)):
            return None
        mark = self._last_choice(stand)
        if mark is None:
            return None
        others = [answer for answer in self.walking.answers(mark.stand) if answer != mark.answer]
        if noticing.changed(text) and (pole := polarity(text)):
            plain = next((one for one in others if one.casefold() == pole), None)
            if plain and mark.answer.casefold() in ("yes", "no"):
                link = self.walking.exit(mark.stand, plain)
                return link and self.walking.taken(_tried(mark.stand, stand).but(early=stand.early), link)
        found, score = best(text, [one for one in others if one.casefold() not in ("yes", "no")], self._alike)
        _, here = best(text, self.walking.answers(stand), self._alike)
        if found is None or score < max(_ALIKE, here + 0.1):
            return None
        link = self.walking.exit(mark.stand, found)
        return None if link is None else self.walking.taken(_tried(mark.stand, stand).but(early=stand.early), link)

    def _last_choice(self, stand: Stand) -> Mark | None:
        for mark in reversed(stand.trail):
            if mark.wrote:
                return None
            if mark.answer:
                return mark
        return None

    def _now(self, stand: Stand) -> datetime | None:
        try:
            return datetime.fromisoformat(str(stand.values.get("now"))).replace(tzinfo=None)
        except ValueError:
            return None


def _tried(back: Stand, now: Stand) -> Stand:
    """Back where somebody stood, with the tries that were used up since."""
    return back.but(state=now.state._replace(node=back.node))


def _is_told_apart(slot: Slot) -> bool:
    """Whether a value of it can be known without having been asked for: an e-mail address, a code, a long number."""
    letters = re.sub(r"\\[dw]", "", slot.pattern)
    long = re.search(r"\{(?:[6-9]|\d\d)", slot.pattern)
    coded = bool(re.search(r"\\d|0-9", slot.pattern)) and bool(re.search(r"[A-Za-z]", letters) or long)
    return coded or slot.schema.get("format") == "email"


def _is_named(text: str, slot: Slot) -> bool:
    """Whether the words say what the slot is called, by its name or as a date."""
    if slot.schema.get("format") == "date" and re.search(r"\b(?:date|day)\b", text, re.IGNORECASE):
        return True
    wanted = [word for word in words_of(slot.name) if word not in ("id", "on", "of", "until")]
    said = set(words_of(text.lower()))
    return bool(wanted) and said.issuperset(wanted)


def _without(text: str, values: Mapping[str, JsonValue]) -> str:
    for value in values.values():
        text = text.replace(str(value), " ")
    return text
