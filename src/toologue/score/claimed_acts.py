"""What a reply says was done, and whether it asks before it does: the calls that were made decide claims of acts.

>>> from toologue.schema import Api, Call
>>> documents = {"refund_fee": Api(name="refund_fee", writes=True)}
>>> [claim] = claimed_acts("The fee has been refunded. Is there more?", documents)
>>> claim.text, claim.done_in([]), claim.done_in([Call(api="refund_fee")])
('The fee has been refunded.', False, True)
>>> asks_leave("It was our mistake. Is it okay if I pay it back now?")
True
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from toologue.schema import Api, Call
from toologue.score.wording import small, words
from toologue.text.claims import says_words
from toologue.text.tokens import sentences, stem, words_of
from toologue.values.compare import leaves
from toologue.values.json_schema import list_of

# Patterns of small letters, for texts in small letters.
_LEAVE = re.compile(
    r"\b(?:shall|should|may|can|could) (?:i|we)\b(?! (?:ask|have|know|draw|inform|tell|say|point|mention|add that))"
    r"|\b(?:do|would) you (?:want|like|prefer|agree|mind)\b"
    r"|\bis (?:it|that|this) (?:all right|okay|ok|fine|right|correct)\b|\bare you (?:sure|happy|certain)\b"
    r"|[,:] (?:okay|ok|right|yes|all right|agreed)\?"
)
_DONE = re.compile(
    r"\b(?:(?:i|we)(?:['’]ve| have)|(?:is|are|has been|have been|['’]s been))"
    r"(?: (?:just|already|now|also|successfully|all))*(?P<not> not)? (?P<verb>[a-z]+)\b"
)
_CHECKED = re.compile(r"\b(?:is|are|has been|have been) (?:all )?(?:correct|valid|right|confirmed|verified)\b")
_WORD = re.compile(r"[^\W\d_]+")


class ActClaim(NamedTuple):
    """A sentence that says that something was done, and the Apis that do it."""

    text: str
    apis: frozenset[str]

    def done_in(self, calls: Collection[Call]) -> bool:
        """Whether one of these calls did it."""
        return any(call.api in self.apis for call in calls)


def claimed_acts(text: str, documents: Mapping[str, Api]) -> Iterator[ActClaim]:
    """What a text says was done by an Api that writes."""
    for sentence in sentences(text):
        for found in () if sentence.endswith("?") else _DONE.finditer(small(sentence)):
            said = set(map(str.casefold, _WORD.findall(sentence)))
            apis = frozenset(
                one.name for one in documents.values() if one.writes and _does(one.name, found["verb"], said)
            )
            if apis and not found["not"]:
                yield ActClaim(sentence, apis)


def claimed_checks(text: str) -> list[str]:
    """What a text says was found right: "Your date of birth is correct."."""
    return [one for one in sentences(text) if not one.endswith("?") and _CHECKED.search(small(one))]


@lru_cache(maxsize=1024)
def same_participles(word: str) -> frozenset[str]:
    """The participles that say the same: "refunded" and "returned"."""
    said = word.casefold()
    alike = (_done(verb) for verb in words()["verbs"] if said in _participles(verb))
    return frozenset[str]().union(*alike)


def asks_leave(text: str) -> bool:
    """Whether a text asks for leave to do something."""
    return "?" in text and _LEAVE.search(small(text)) is not None


def names_act(text: str, call: Call, documents: Mapping[str, Api]) -> bool:
    """Whether a text asks about a call: about what its Api is named for, or a value that it gets; and speaks of no
    other value that one of its arguments could have.
    """
    verb, *things = words_of(call.api)
    for question in (one for one in sentences(text) if one.endswith("?")):
        said = {stem(word.casefold()) for word in _WORD.findall(question)}
        named = said & {stem(word) for word in (*things, verb, *words()["verbs"].get(verb, ()))}
        if named or any(says_words(question, str(leaf)) for leaf in leaves(call.arguments)):
            return not list(_other_choices(text, call, documents))
    return False


def _other_choices(text: str, call: Call, documents: Mapping[str, Api]) -> Iterator[str]:
    parameters = documents[call.api].parameters if call.api in documents else {}
    for name, value in (call.arguments or {}).items():
        choices = list_of(parameters[name].json_schema.get("enum")) if name in parameters else []
        others = (str(choice) for choice in choices if choice != value)
        yield from (one for one in others if says_words(text, one.replace("_", " ")))


def _does(api: str, verb: str, said: Collection[str]) -> bool:
    """Whether a participle says that an Api was called, in a sentence of these words."""
    first, *things = words_of(api)
    if verb not in _done(first):
        return False
    return first not in words()["vague"] or not things or bool({*things, *(f"{one}s" for one in things)} & set(said))


@lru_cache(maxsize=1024)
def _done(verb: str) -> frozenset[str]:
    """The participles of a verb in an Api's name, and of what people say for it."""
    return frozenset[str]().union(*map(_participles, (verb, *words()["verbs"].get(verb, ()))))


def _participles(verb: str) -> frozenset[str]:
    if verb in words()["irregular"]:
        return frozenset({words()["irregular"][verb]})
    return frozenset({f"{verb}ed", f"{verb}d", f"{verb}{verb[-1]}ed", f"{verb[:-1]}ied"})
