"""Which of the procedure's answers a customer gave: yes or no, or the answer that the words are most like.

Contract: pure, given a similarity. `polarity` hears a yes or a no at the beginning, at the end, or after "but";
`choose` weighs each answer by the words that it alone has and by similarity, takes what is negated for its opposite,
and gives None where no answer is meant.

Example:
    >>> [polarity(text) for text in ("YES. Just do it.", "I'd love to say yes, but no, that's not it.", "What is it?")]
    ['yes', 'no', None]
    >>> from toologue.models.similarity import similarity
    >>> alike = similarity("lexical")
    >>> choose("I'd rather have my money back", ["The money", "The same again"], alike)
    'The money'
    >>> choose("not the money, the same again", ["The money", "The same again"], alike)
    'The same again'
    >>> choose("No, I don't want it any more", ["It does not fit", "They no longer want it"], alike)
    'They no longer want it'

Not covered: irony.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from toologue.models.lexical import FUNCTION_WORDS, words_of
from toologue.models.similarity import Similarity

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
_MOST = 4
"""Words of its own that a text without a plain yes or no may have, if it is to be heard as one."""
_NOT = re.compile(
    r"\b(?:not|no|instead of|rather than|don['’]?t (?:want|need)|without|neither)\s+(?:(?:an?|the|my|any)\s+)?$",
    re.IGNORECASE,
)
_PERSONS = {"they": "i", "them": "me", "their": "my", "themselves": "myself", "theirs": "mine"}
_SUFFIX = re.compile(r"(?:ing|ed|es|s|e)$")
_KEPT = frozenset({"again", "no", "not"})
_POLITE = frozenset(
    {"thank", "suggestion", "sorri", "sorry", "afraid", "pleas", "please", "honest", "think", "know", "well"}
)
_DULL = (FUNCTION_WORDS | {"want", "get", "take"}) - _KEPT


def polarity(text: str, question: str = "") -> str | None:
    """Whether the text says yes or no, to this question; None where it says neither."""
    said = _SURE.sub("yes", text)
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
    if plain:
        return plain.get(pole)
    poles = [
        ("no" if re.search(rf"\b(?:{_NO}|leave)\b", answer, re.IGNORECASE) else "yes", answer) for answer in others
    ]
    matching = [answer for side, answer in poles if side == pole]
    return matching[0] if len(matching) == 1 and len(others) == 2 else None


def best(text: str, answers: Sequence[str], alike: Similarity) -> tuple[str | None, float]:
    """(the answer that the words are most like, how much), None among none."""
    if not answers:
        return None, 0.0
    shared = Counter(stem for answer in answers for stem in set(_stems(answer)))
    scores = {answer: _score(text, answer, shared, alike) for answer in answers}
    top = max(answers, key=lambda answer: scores[answer])
    return top, scores[top]


def _score(text: str, answer: str, shared: Counter[str], alike: Similarity) -> float:
    """How much of the answer's own words the text has, not negated, and how alike the two are."""
    wanted = _stems(answer) or tuple(words_of(answer))
    weights = {stem: 1 / shared.get(stem, 1) for stem in wanted}
    said = _affirmed(text)
    has = sum(weight for stem, weight in weights.items() if stem in said)
    pieces = [piece for piece in re.split(r"[.!?,;:]+\s*", text) if piece.strip()] or [text]
    nearest = max(alike(_first_person(answer), piece) for piece in [*pieces, text])
    return 0.65 * has / sum(weights.values()) + 0.35 * nearest


def _affirmed(text: str) -> frozenset[str]:
    """The stems that a text says, without those right after a not."""
    kept = [found for found in re.finditer(r"[^\W_]+", text) if not _NOT.search(text[: found.start()])]
    return frozenset(stem for found in kept for stem in _stems(found[0]))


@lru_cache(maxsize=4096)
def _stems(text: str) -> tuple[str, ...]:
    words = [word for word in words_of(text) if word not in _DULL and word not in _PERSONS]
    return tuple(_SUFFIX.sub("", word) if len(word) > 4 else word for word in words)


@lru_cache(maxsize=1024)
def _first_person(answer: str) -> str:
    return re.sub(r"\b\w+\b", lambda word: _PERSONS.get(word[0].lower(), word[0]), answer)
