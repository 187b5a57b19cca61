"""What a customer's words do to where a conversation stands: an answer, a correction, a change of mind, or nothing.

A correction goes back to the first call that used the value, with what was given since kept as known early. A change of
mind goes back to the last question that has such an answer. Nothing goes back behind a write.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from toologue.data import read_source
from toologue.models.lexical import FUNCTION_WORDS
from toologue.models.lexical import words_of as lexical_words
from toologue.models.similarity import Similarity
from toologue.procedure.course import Slot, Stand, Walking
from toologue.procedure.slot_values import attempts, mentions, read_values
from toologue.text.tokens import stem, words_of
from toologue.values.compare import clock_of, same
from toologue.values.conditions import parse
from toologue.values.json_schema import fits

_LEAST = 0.34
_NO = (
    r"no|nope|nah|not|never|wrong|incorrect|negative|don['’]?t|doesn['’]?t|isn['’]?t|haven['’]?t|won['’]?t|can['’]?t|refrain|"
    r"cannot|neither|nobody|nowhere|without|decline|refuse|against|wouldn['’]?t|didn['’]?t"
)
_YES = (
    r"yes|yep|yeah|yup|y|affirmative|go on|go for it|by all means|sure|correct|right|exactly|absolutely|"
    r"definitely|indeed|certainly|of course|go ahead|please do|"
    r"do (?:it|that|so)|ok|okay|fine|agree[ds]?|confirm(?:ed)?|consent|sounds good|perfect|gladly|that['’]s it|spot on|"
    r"i (?:would|['’]d|do|should like)"
)
_SAID = re.compile(rf"\b(?:(?P<no>n)|(?P<negated>{_NO})|(?P<yes>{_YES}))\b", re.IGNORECASE)
_PLAIN = re.compile(
    r"(?:^|[.!?,;:]\s*|\b(?:so|oh|ah|um|well|then|actually|hm+|is|fine|okay|but)\s+)"
    r"(?P<word>yes|yep|yeah|yup|no(?: no)?|nope|nah)(?=\s*(?:$|[.!?,;]|please|thanks))",
    re.IGNORECASE,
)
_SURE = re.compile(r"\b(?:why not|no (?:doubt|problem|question|objections?))\b", re.IGNORECASE)
_UNSURE = re.compile(r"\b(?:can ?not|can['’]?t|could(?:n['’]?t| not)) confirm\b", re.IGNORECASE)
# Words of its own that a text without a plain yes or no may have, if it is to be understand as one.
_MOST = 4
_NOT = re.compile(
    r"\b(?:not|no|instead of|rather than|don['’]?t (?:want|need)|without|neither)\s+(?:(?:an?|the|my|any)\s+)?$",
    re.IGNORECASE,
)
_PERSONS = {"they": "i", "them": "me", "their": "my", "themselves": "myself", "theirs": "mine"}
_POLITE = frozenset(map(stem, "thank suggestion sorry afraid please honest think know well".split()))
_DULL = (FUNCTION_WORDS | {"want", "get", "take"}) - {"again", "no", "not"}


def polarity(text: str, question: str = "") -> str | None:
    """Whether the text says yes or no, to this question; None where it says neither."""
    said = _UNSURE.sub(" ", _SURE.sub("yes", text))
    if "yes" in said.casefold() and re.search(r"\bbut no\b", said, re.IGNORECASE):
        return "no"
    if plain := list(_PLAIN.finditer(said)):
        return "yes" if plain[-1]["word"][0] in "yY" else "no"
    found = list(_SAID.finditer(said))
    own = set(_stems(_SAID.sub(" ", said))) - set(_stems(question)) - _POLITE
    if not found or len(own) > _MOST or (said.rstrip().endswith("?") and found[0].start() > 0):
        return None
    if any(one["negated"] for one in found) or (found[0]["no"] and found[0].start() == 0):
        return "no"
    return "yes" if any(one["yes"] for one in found) else None


def choose(text: str, answers: Sequence[str], alike: Similarity, *, question: str = "") -> str | None:
    """The answer that is given to a question; None where none is."""
    plain = {answer.casefold(): answer for answer in answers if answer.casefold() in ("yes", "no")}
    others = [answer for answer in answers if answer.casefold() not in plain]
    found, score = best(text, others, alike)
    if found is not None and score >= (_LEAST if not plain else 0.6):
        return found
    pole = polarity(text, question)
    if pole is None:
        return None
    if plain:  # of "Yes" and one other answer, a no is the other
        return plain.get(pole) or (others[0] if len(answers) == 2 else None)
    negative = [answer for answer in others if re.search(rf"\b(?:{_NO}|leave)\b", answer, re.IGNORECASE)]
    matching = [answer for answer in others if (answer in negative) == (pole == "no")]
    return matching[0] if len(matching) == 1 and len(others) == 2 else None


def best(text: str, answers: Sequence[str], alike: Similarity) -> tuple[str | None, float]:
    """(the answer that the words are most like, how much), None among none."""
    if not answers:
        return None, 0.0
    shared = Counter(one for answer in answers for one in set(_stems(answer)))
    scores = {answer: _score(text, answer, shared, alike) for answer in answers}
    top = max(answers, key=lambda answer: scores[answer])
    return top, scores[top]


def _score(text: str, answer: str, shared: Counter[str], alike: Similarity) -> float:
    """How much of the answer's own words the text has, not negated, and how alike the two are."""
    wanted = _stems(answer) or tuple(lexical_words(answer))
    weights = {one: 1 / shared.get(one, 1) for one in wanted}
    affirmed = [found for found in re.finditer(r"[^\W_]+", text) if not _NOT.search(text[: found.start()])]
    said = {one for found in affirmed for one in _stems(found[0])}
    has = sum(weight for one, weight in weights.items() if one in said)
    pieces = [piece for piece in re.split(r"[.!?,;:]+\s*", text) if piece.strip()] or [text]
    nearest = max(alike(_first_person(answer), piece) for piece in [*pieces, text])
    return 0.65 * has / sum(weights.values()) + 0.35 * nearest


@lru_cache(maxsize=4096)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in lexical_words(text) if word not in _DULL and word not in _PERSONS)


@lru_cache(maxsize=1024)
def _first_person(answer: str) -> str:
    return re.sub(r"\b\w+\b", lambda word: _PERSONS.get(word[0].lower(), word[0]), answer)


Notice = Literal["attack", "private", "abuse", "doubt", "elsewhere", "chat", ""]
_CUES = Path(__file__).with_name("noticing.yaml")
_QUESTION = re.compile(
    r"(?:^|[.!?]\s+)(?:and |but |so )?"
    r"(?:can|could|would|do|does|did|am|is|are|was|should|how|what|when|where|which|who|whom|why|"
    r"any idea|recommend|translate)\b[^?]*\?",
    re.IGNORECASE,
)


def notice(text: str) -> Notice:
    """What kind of message this is; empty for one without any cue."""
    for kind in ("attack", "private", "abuse"):
        if has_cue(kind, text):
            return kind
    if not _QUESTION.search(text.strip()):
        return ""
    return "doubt" if has_cue("doubts", text) else "elsewhere"


def has_cue(kind: str, text: str) -> bool:
    """Whether a message has a cue of this kind, a section of `noticing.yaml`."""
    return _cues()[kind].search(" ".join(text.split())) is not None


@cache
def _cues() -> Mapping[str, re.Pattern[str]]:
    kinds: Mapping[str, str] = read_source(_CUES).data
    joined = {kind: "|".join(lines.strip("\n").split("\n")) for kind, lines in kinds.items()}
    return {kind: re.compile(rf"(?<!\w)(?:{cues})(?!\w)", re.IGNORECASE) for kind, cues in joined.items()}


Why = Literal["", "missing", "malformed", "late", "doubt", "attack", "private", "abuse", "elsewhere", "chat"]
# How much words must be like an answer that was not asked for, to be a change of mind.
_ALIKE = 0.4


class Hearing:
    """Understands customers, along one course."""

    def __init__(self, walking: Walking, alike: Similarity):
        self.walking, self._alike = walking, alike
        self._slots = walking.course.slots

    def understand(self, stand: Stand, text: str) -> tuple[Stand, Why]:
        """(where the words lead, why they lead nowhere)."""
        kind = self.walking.kind(stand)
        if kind == "start_message":
            link = self.walking.exit(stand)
            assert link is not None
            return self.walking.take(stand.replace(early=self._read(text, stand)), link), ""
        if kind != "message":
            return stand, ""
        noise = notice(text)
        if noise in ("attack", "private") and not self._tries(text, stand):
            return stand, noise
        if corrected := self._correct(stand, text):
            return corrected
        if changed := self._change_mind(stand, text):
            return changed, ""
        answer = self._fill_slots if self.walking.course.step(stand.node).collects else self._choose
        return answer(stand, text, noise)

    def _tries(self, text: str, stand: Stand) -> bool:
        """Whether there is a value in the words, whatever else they are."""
        asked = (self._slots[slot] for slot in self.walking.course.step(stand.node).collects)
        tried = any(attempts(text, slot) for slot in asked if slot.pattern)
        return tried or bool(self._read(text, stand, only_formed=True))

    def _fill_slots(self, stand: Stand, text: str, noise: Notice) -> tuple[Stand, Why]:
        step, answers = self.walking.course.step(stand.node), self.walking.answers(stand)
        if answers and (answer := self._other_than_giving(text, answers)):
            return self._answer(stand, answer, noise)
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
        stand = stand.replace(partial=partial, early={**stand.early, **early})
        if not missing:
            return self._answer(self.walking.give(stand, partial), answers[0] if answers else "", noise)
        if any(slot in missing for slot in tried):
            return stand, "malformed"
        if asked:
            return stand, "missing"
        return stand, noise or ("doubt" if has_cue("doubts", text) else "chat")

    def _choose(self, stand: Stand, text: str, noise: Notice) -> tuple[Stand, Why]:
        step, answers = self.walking.course.step(stand.node), self.walking.answers(stand)
        if not answers:
            taken = not noise and has_cue("acknowledges", text)
            return self._answer(stand, "", noise) if taken else (stand, noise or "chat")
        answer = choose(text, answers, self._alike, question=step.text)
        if answer is None:
            return stand, noise or ("doubt" if has_cue("doubts", text) else "chat")
        early = self._read(text, stand)
        return self._answer(stand.replace(early={**stand.early, **early}), answer, noise)

    def _answer(self, stand: Stand, answer: str, noise: Notice) -> tuple[Stand, Why]:
        link = self.walking.exit(stand, answer)
        return (stand, noise or "chat") if link is None else (self.walking.take(stand, link), "")

    def _other_than_giving(self, text: str, answers: list[str]) -> str | None:
        """An answer instead of the value: "leave it as it is". The first of the answers is to give it."""
        found, score = best(text, answers[1:], self._alike)
        refused = len(answers) == 2 and re.match(r"\W*no\b", text, re.IGNORECASE) and polarity(text) == "no"
        return found if score > 0.5 or refused else None

    def _read(self, text: str, stand: Stand, *, only_formed: bool = False) -> dict[str, JsonValue]:
        """Values for what is asked for here, and for what may be asked for later and has a form of its own."""
        kind, now = self.walking.kind(stand), clock_of(stand.values.get("now"))
        asked = () if kind == "start_message" else self.walking.course.step(stand.node).collects
        here = [self._slots[slot] for slot in asked if not (only_formed and self._slots[slot].is_free)]
        again = [slot for slot in here if slot.name in stand.partial and not slot.is_free]
        if again and not read_values(text, again, now=now):  # the rest of what was asked for
            here = [slot for slot in here if slot.name not in stand.partial]
        rest = (slot for slot in self._slots.values() if slot.name not in (*stand.given, *asked))
        named = (here or kind == "start_message") and not only_formed
        later = [slot for slot in rest if _is_recognizable(slot) or (named and (slot.is_free or _is_named(text, slot)))]
        old = [value for slot, value in stand.given.items() if any(one.name == slot for one in here)]
        found = read_values(text, here, also=later, now=now, avoid=old)
        if any(slot.name not in found for slot in here) and old:
            found = read_values(text, here, now=now) | found
        return {name: value for name, value in found.items() if name in asked or not self._is_anothers(name, value)}

    def _is_anothers(self, name: str, value: JsonValue) -> bool:
        others = (slot for slot in self._slots.values() if slot.name != name and slot.pattern)
        return isinstance(value, str) and any(fits(value, slot.schema) for slot in others)

    # ---- going back

    def _correct(self, stand: Stand, text: str) -> tuple[Stand, Why] | None:
        is_taken_back = has_cue("takes_back", text)
        now, asked = clock_of(stand.values.get("now")), self.walking.course.step(stand.node).collects
        for name in sorted(stand.given, key=lambda one: self._slots[one].is_free):
            slot, old = self._slots[name], stand.given[name]
            if name in asked:
                continue
            said = mentions(text, old, slot, now)
            rival = any(self._slots[one].schema == slot.schema for one in asked)
            if not said and (not is_taken_back or slot.is_free or rival or not _is_recognizable(slot)):
                continue
            rest = text if not slot.is_free else _without(text, {name: old})
            new = read_values(rest, [slot], now=now, avoid=[old]).get(name)
            if new is not None and not same(new, old):
                return self._go_back(stand, name, new)
        return None

    def _go_back(self, stand: Stand, name: str, new: JsonValue) -> tuple[Stand, Why]:
        """At the first call that used the value, with the new one; here, if there is none."""
        later: dict[str, JsonValue] = {slot: value for slot, value in stand.partial.items() if slot != name}
        for place, mark in enumerate(stand.trail):
            if not (name in mark.stand.given and not mark.answer and name in self._used(mark.stand)):
                continue
            if any(one.wrote for one in stand.trail[place:]):
                return stand, "late"
            since = {slot: value for slot, value in stand.given.items() if slot not in mark.stand.given} | later
            back = self.walking.give(_with_tries(mark.stand, stand), {name: new})
            return back.replace(early={**stand.early, **since}), ""
        return self.walking.give(stand, {name: new}).replace(partial=stand.partial), ""

    def _used(self, stand: Stand) -> frozenset[str]:
        """The names that the call here needs, and those that its outcome is judged by."""
        step = self.walking.course.step(stand.node)
        judged = (branch.condition for branch in step.branches if branch.condition)
        return frozenset(name for one in (*step.arguments.values(), *judged) for name in parse(one).names)

    def _change_mind(self, stand: Stand, text: str) -> Stand | None:
        """Behind another answer to an earlier question, if the words change the customer's mind."""
        if not (has_cue("changed", text) or has_cue("reconsiders", text)):
            return None
        mark = next((mark for mark in reversed(stand.trail) if mark.wrote or mark.answer), None)
        if mark is None or mark.wrote:
            return None
        others = [answer for answer in self.walking.answers(mark.stand) if answer != mark.answer]
        pole = polarity(text) if has_cue("changed", text) and mark.answer.casefold() in ("yes", "no") else None
        found = next((one for one in others if one.casefold() == pole), None)
        if found is None:
            found, score = best(text, [one for one in others if one.casefold() not in ("yes", "no")], self._alike)
            _, here = best(text, self.walking.answers(stand), self._alike)
            if found is None or score < max(_ALIKE, here + 0.1):
                return None
        link = self.walking.exit(mark.stand, found)
        return link and self.walking.take(_with_tries(mark.stand, stand).replace(early=stand.early), link)


def _with_tries(back: Stand, now: Stand) -> Stand:
    return back.replace(state=now.state._replace(node=back.node))


def _is_recognizable(slot: Slot) -> bool:
    """Whether a value of it can be known without having been asked for: an e-mail address, a code, a long number."""
    letters = re.sub(r"\\[dw]", "", slot.pattern)
    long = re.search(r"\{(?:[6-9]|\d\d)", slot.pattern)
    coded = bool(re.search(r"\\d|0-9", slot.pattern)) and bool(re.search(r"[A-Za-z]", letters) or long)
    return coded or slot.schema.get("format") == "email"


def _is_named(text: str, slot: Slot) -> bool:
    """Whether the words say what the slot is called, by its name or as a date."""
    if slot.schema.get("format") == "date" and re.search(r"\b(?:date|day)\b", text, re.IGNORECASE):
        return True
    wanted = {*words_of(slot.name)} - {"id", "on", "of", "until"}
    return bool(wanted) and wanted <= {*words_of(text.lower())}


def _without(text: str, values: Mapping[str, JsonValue]) -> str:
    for value in values.values():
        text = text.replace(str(value), " ")
    return text
