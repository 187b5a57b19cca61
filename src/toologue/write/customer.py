"""What a customer says for a cue: values as they are, answers in the first person, in the customer's register.

An answer that a procedure lists is a yes or a no (to an offer, or to a question of fact: `asked` tells them apart), a
noun phrase ("The money"), a clause ("They no longer want it"), something to do ("Leave it as it is"), or anything else,
which is said as it is written. Values stay as they are; days may get months, sums two places.

Example:
    >>> from toologue.schema import Cue
    >>> customer = CustomerWords(Voice("customer", "formal", seed=3), seed=3)
    >>> customer(Cue(move="choose", text="They no longer want it"))
    'I no longer want it. I hope that answers your question.'
    >>> customer(Cue(move="give", values={"order_id": "O-70412", "email": "ana@post.example"},
    ...     kinds={"order_id": "order_number", "email": "email"}))
    'Of course. O-70412, ana@post.example.'

Not covered: customers who misunderstand, or who say something that no cue asks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from pydantic import JsonValue

from toologue.errors import BadSetting
from toologue.procedure.grammar import Asking, asking, contracted, is_offer, to_me, told
from toologue.schema import Cue, ValueKind
from toologue.text.bank import Voice, mistype
from toologue.text.verbalize import fill_values, verbalize

_PHRASED: Mapping[ValueKind, str] = {
    "order_number": "give_order_number", "reference": "give_reference", "email": "give_email", "phone": "give_phone",
    "name": "give_name", "address": "give_address", "date": "give_date", "amount": "give_amount",
}  # fmt: skip
_NAMED: Mapping[ValueKind, str] = {
    "order_number": "the order number", "reference": "the number", "email": "the e-mail", "phone": "the phone number",
    "name": "the name", "address": "the address", "date": "the date", "amount": "the amount", "reason": "the reason",
}  # fmt: skip
_CALLED = {
    "date_of_birth": "the date of birth", "birth_date": "the date of birth", "customer_id": "my customer number",
    "last_name": "the surname", "first_name": "the first name", "postal_code": "the postcode", "email": "my e-mail",
    "phone": "my phone number", "last_four": "the last four digits", "name": "the name", "date": "the day",
}  # fmt: skip
_STREET = ("street", "city", "postal_code")
_TELLING = frozenset({"order_number", "email", "phone", "name", "reference"})
"""Kinds that one sees at a glance, so that nobody has to say which is which."""
_NOUN = re.compile(
    r"(?:the|an?|another|my|our|one|both|neither|none|nothing|some|something|two|three|this one|that one|\d[\d.,]*"
    r"|\{[^{}]*\})\b(?! (?:is|are|was|were|has|have|does|do|did|went|can|will)\b)",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?:they|it|there|this|that|somebody|nobody|nothing|we|here|he|she|not|the \w+ (?:is|are|was|were|has|did))\b",
    re.IGNORECASE,
)
_TO_DO = re.compile(
    r"(?:wait|cancel|leave|keep|send|change|refund|stop|try|pay|take|call|book|rebook|move|return|replace|exchange|"
    r"repair|block|unblock|ship|deliver|close|open|delete|remove|add|forget|go|proceed|continue|do|let|make|get|have|"
    r"hold|pick|collect|come|stay|switch|upgrade|downgrade|renew|extend|accept|decline|report|start|end|use|reset)\b",
    re.IGNORECASE,
)
_WISHES = ("I'd rather", "I'll", "I want to", "let's")
_SLOT = re.compile(r"\{([^{}]*)\}")
_OTHERWISE = (
    "it is not like that",
    "things look different here",
    "my papers say something else",
    "it was different the last time",
    "everything speaks against it",
    "what I see says something else",
)


class CustomerWords:
    """The customer of one conversation: `customer(cue, asked)` gives words; `asked` is what the agent asked last."""

    def __init__(self, voice: Voice, *, seed: int):
        self._voice, self._random = voice, Random(seed)

    def __call__(self, cue: Cue, asked: Asking | None = None) -> str:
        """The words for a cue. Raises BadSetting for a cue that is not a customer's."""
        match cue.move:
            case "open":
                words = [self._open(cue), self._clauses(cue, ", and ")]
            case "give":
                words = [self._give(cue, asked)]
            case "volunteer":
                words = [self._volunteer(cue, asked)]
            case "choose":
                cue = _shown(cue)
                words = [self._choose(cue, asked), self._clauses(cue, ", and ")]
            case "acknowledge":
                words = [self._voice("acknowledge"), self._clauses(cue, ", and ")]
            case "correct":
                words = self._correct(cue)
            case "change":
                cue = _shown(cue)
                words = [self._change(cue), self._clauses(cue, ", and ")]
            case "malformed":
                given = self._row(cue)
                words = [self._voice("malformed", value=given) if given.strip() else ""]
            case "contradict":
                words = [self._contradict(cue)]
            case "noise":
                return cue.text
            case _:
                raise BadSetting(f"a customer has no words for the move {cue.move!r}: it is the agent's")
        return _joined([word.strip() for word in words if word.strip()]) or self._voice("acknowledge")

    def _open(self, cue: Cue) -> str:
        if not cue.text.strip():
            return ""
        typos = self._voice.register == "typo_prone"
        issue = self._spoken(cue.text)
        if typos:
            issue = mistype(issue, seed=self._random.getrandbits(32), rate=0.08)
        return self._voice("open", issue=issue)

    def _give(self, cue: Cue, asked: Asking | None) -> str:
        """One value in the words for its kind; several in a row, or each with its name."""
        if len(cue.values) != 1:
            if self._plain_to_see(cue) or self._random.random() < 0.25:
                return self._voice("give_plain", value=self._row(cue)) if cue.values else ""
            clauses = self._clauses(cue, ", and ", opens=True)
            return _opened(self._voice("give_plain", value=clauses), clauses)
        ((slot, value),) = cue.values.items()
        said, kind = self._worded(cue, slot), cue.kinds.get(slot, "other")
        if not said.strip():
            return ""
        if kind == "address" and not re.search(r"\d.* |\s.*\d", said):
            kind = "other"
        if kind in _PHRASED and "birth" not in slot and "born" not in slot:
            return self._voice(_PHRASED[kind], value=said)
        if isinstance(value, str) and len(said.split()) > 3 and not said[0].islower():
            return self._voice("states", words=said)
        return self._voice("give_other" if kind == "other" and "birth" not in slot else "give_plain", value=said)

    def _volunteer(self, cue: Cue, asked: Asking | None) -> str:
        *most, last = cue.values or [""]
        if not most:
            return self._give(cue, asked)
        first = _listed([self._clause(cue, slot) for slot in most])
        return self._put(cue, self._voice("two_at_once", first=first, second=self._clause(cue, last)))

    def _choose(self, cue: Cue, asked: Asking | None) -> str:
        """One of the answers of the procedure, as the customer would say it."""
        answer = cue.text.strip().rstrip(".")
        if answer.lower() in ("yes", "no"):
            yes, offer = answer.lower() == "yes", asked is not None and is_offer(asked.question)
            if asked is None or not asked.question:
                return self._voice(answer.lower())
            return self._voice(("accepts" if offer else "affirms") if yes else "declines" if offer else "denies")
        if not answer:
            return ""
        said, question = self._spoken(to_me(_small(answer))), asked.question if asked else ""
        if _is_noun(answer):
            named = question and not is_offer(question)
            return self._voice("names_one", answer=said) if named else self._voice("give_choice", choice=said)
        if _is_clause(answer) and question.startswith("why "):
            return self._voice("give_reason", reason=said)
        return self._voice("states", words=self._as_clause(answer))

    def _as_clause(self, answer: str) -> str:
        """An answer as a clause of the customer's; one that says what to do, as a wish."""
        said = self._spoken(to_me(_small(answer)))
        if _is_clause(answer) or not _TO_DO.match(answer):
            return said
        if self._voice.register == "formal":
            return f"I would prefer to {said}"
        return f"{self._random.choice(_WISHES)} {said}"

    def _spoken(self, words: str) -> str:
        return words if self._voice.register == "formal" else contracted(words)

    def _correct(self, cue: Cue) -> list[str]:
        """What is taken back, with what is right; then what stays, and what is new."""
        wrong = [slot for slot, value in cue.before.items() if cue.values.get(slot, value) != value]
        said = [
            self._voice("corrects", old=self._said(cue.before[slot], cue.kinds.get(slot)), new=self._worded(cue, slot))
            for slot in wrong
        ]
        others = {slot: value for slot, value in cue.values.items() if slot not in wrong}
        return [*said, self._clauses(cue.but(values=others), ", and ")]

    def _change(self, cue: Cue) -> str:
        answer = cue.text.strip().rstrip(".")
        if not answer:
            return ""
        if _is_noun(answer):
            return self._voice("changes_mind", choice=to_me(_small(answer)))
        said = f"the answer is {answer.lower()}" if answer.lower() in ("yes", "no") else self._as_clause(answer)
        return self._voice("changes_answer", answer=said)

    def _contradict(self, cue: Cue) -> str:
        """What the agent has said, and that the customer sees it otherwise."""
        said, fact = told(cue.text) or cue.text.strip(), cue.values.get("fact")
        if not said or not asking(said).words:
            return self._voice("denies")
        other = str(fact) if fact else self._random.choice(_OTHERWISE)
        return fill_values(self._voice("contradicts", said=_customers(said), fact=other), cue.values)

    def _plain_to_see(self, cue: Cue) -> bool:
        """Whether several values need no names: an address, or few of kinds that nobody mixes up."""
        kinds = [cue.kinds.get(slot, "other") for slot in cue.values]
        if all(kind in ("address", "name") for kind in kinds):
            return True
        return (
            len(kinds) <= 3 and len(set(kinds)) == len(kinds) and set(kinds) <= _TELLING and self._random.random() < 0.5
        )

    def _row(self, cue: Cue) -> str:
        """All values in a row, those of an address as on an envelope."""
        said = {slot: self._worded(cue, slot) for slot in cue.values}
        parts: list[str] = []
        if {"postal_code", "city"} <= said.keys():
            parts = [said.pop(slot) for slot in ("name", "street") if slot in said]
            parts.append(f"{said.pop('postal_code')} {said.pop('city')}")
        return ", ".join(filter(str.strip, [*parts, *said.values()]))

    def _clauses(self, cue: Cue, link: str, *, opens: bool = False) -> str:
        """A sentence that gives each value by its name; empty without values."""
        if cue.values and set(_STREET) <= cue.values.keys():
            clause = f"{'the name and address are' if 'name' in cue.values else 'the address is'} {self._row(cue)}"
        else:
            clause = self._put(cue, _listed([self._clause(cue, slot) for slot in cue.values], link))
        if not clause or opens:
            return clause
        stop = "" if clause.endswith((".", "!", "?")) else "."
        return f"{clause[0].upper()}{clause[1:]}{stop}"

    def _clause(self, cue: Cue, slot: str) -> str:
        """What a slot is, with the slot in braces where `_put` puts its value."""
        name = _name_of(slot, cue.kinds.get(slot, "other"))
        return f"{name} {'are' if name.endswith('s') and not name.endswith('ss') else 'is'} {{{slot}}}"

    def _put(self, cue: Cue, text: str) -> str:
        return _SLOT.sub(lambda found: self._worded(cue, found[1]) if found[1] in cue.values else found[0], text)

    def _worded(self, cue: Cue, slot: str) -> str:
        return self._said(cue.values[slot], cue.kinds.get(slot))

    def _said(self, value: JsonValue, kind: ValueKind | None) -> str:
        """A value as it is; a day with its month more often than not."""
        as_written = kind != "date" or self._random.random() < 0.3
        return verbalize(value, money=kind == "amount", exact=as_written)


def _shown(cue: Cue) -> Cue:
    """The cue with the values that its text shows in their places."""
    there = set(_SLOT.findall(cue.text))
    if not there:
        return cue
    rest = {slot: value for slot, value in cue.values.items() if slot not in there}
    return cue.but(text=fill_values(cue.text, cue.values), values=rest)


def _joined(sentences: list[str]) -> str:
    """Sentences in a row, each but the last with an end."""
    *most, last = sentences or [""]
    return " ".join([*(text if text[-1] in ".!?…" else f"{text}." for text in most), last])


def _opened(text: str, clauses: str) -> str:
    """A text in which clauses of ours that begin a sentence have a capital."""
    at = text.find(clauses)
    opens = at == 0 or text[:at].rstrip().endswith((".", "!", "?"))
    return f"{text[:at]}{clauses[0].upper()}{text[at + 1 :]}" if at >= 0 and opens else text


def _is_noun(answer: str) -> bool:
    return _NOUN.match(answer) is not None and _PERSON.match(answer) is None


def _is_clause(answer: str) -> bool:
    return _PERSON.match(answer) is not None


def _small(answer: str) -> str:
    """An answer without the capital of its first word, where that word is no name."""
    plain = _NOUN.match(answer) or _PERSON.match(answer) or _TO_DO.match(answer)
    return answer[0].lower() + answer[1:] if plain else answer


def _customers(clause: str) -> str:
    """What an agent told a customer, as the customer repeats it."""
    swapped = {"you": "they", "your": "their", "yours": "theirs", "yourself": "themselves"}
    turn = re.compile(r"\{[^{}]*\}|\b(you|your|yours|yourself)\b")
    return to_me(turn.sub(lambda found: swapped[found[1]] if found[1] else found[0], clause))


def _name_of(slot: str, kind: ValueKind) -> str:
    """What a customer calls a slot."""
    if slot in _CALLED:
        return _CALLED[slot]
    words = slot.replace("_", " ").strip().lower()
    words = re.sub(r"\bid$", "number", words)
    odd = re.search(r"\b(?:on|at|until|from|to|by|case|summary)$|^\W*$|[^a-z ]", words)
    return _NAMED.get(kind, "the answer") if odd else f"the {words}"


def _listed(clauses: list[str], link: str = " and ") -> str:
    *most, last = clauses or [""]
    return f"{', '.join(most)}{link}{last}" if most else last
