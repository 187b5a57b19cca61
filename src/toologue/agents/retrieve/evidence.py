"""Which Apis some words ask for: the retriever's score, the deed that is asked for, and the things that are named.

Contract: `rank` gives every Api with its evidence, best first; pure, and the same for every process. The evidence adds
up the retriever's cosine, how many of the words name what the Api is about, rare words counting more, and whether the
deed that is asked for (create, update, delete, finish, send, read, log in or out) is the Api's own.

Not covered: what a conversation is about.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from toologue.agents.retrieve.forms import Form, form_of
from toologue.agents.retrieve.lexicon import Deed, deeds_in, spread, stems
from toologue.models.retriever import Retriever
from toologue.schema import Api
from toologue.text.tokens import split_name

_TERMS = 0.7  # things named by the words
_DEED, _LATER_DEED, _SESSION = 0.4, 0.25, 0.6  # the first deed that is asked for, another, logging in or out
_OTHER_DEED = {True: -0.3, False: -0.15}  # another deed is asked for: worse for an Api that writes
_NO_DEED = -0.1
_FULL, _MOST_WORDS = 2.0, 4  # weight of words, and how many, at which the things named count as certain
_NAME, _PARAMETER, _DESCRIPTION, _PARAMETER_DESCRIPTION = 1.0, 0.5, 0.4, 0.25
_MOST_KEPT = 10_000


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
