"""Which Apis some words ask for: the retriever's score, the deed that is asked for, and the things that are named.

Contract: `rank` gives every Api with its evidence, best first; pure, and the same for every process. The evidence adds
up four things: the retriever's cosine; how many of the words name what the Api is about, rare words counting more;
whether the deed that is asked for (create, update, delete, finish, send, read, log in or out) is the Api's own; and
whether the Api belongs to what was talked about last. `band` is the retriever's, of the cosine alone.

Example:
    >>> from toologue import registry
    >>> from toologue.models.embed import embedder
    >>> weigher = Weigher(Retriever(registry.find("world", "assistant").apis, embedder("lexical")))
    >>> weigher.rank("which of my alarms go off before six?")[0].api.name
    'FindAlarms'
    >>> weigher.rank("take that alarm out")[0].api.name
    'DeleteAlarm'

Not covered: what a conversation is about beyond the Api that was called last.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from toologue.agents.retrieve.forms import Form, form_of
from toologue.agents.retrieve.lexicon import Deed, deeds_in, only_times, spread, stems
from toologue.models.retriever import Retriever
from toologue.schema import Api
from toologue.text.tokens import split_name

_TERMS, _QUESTION = 0.7, 0.5  # things named by the words; by the agent's own question
_TOPIC, _TOPIC_ALONE, _SOMETHING = 0.15, 0.4, 0.2  # to stay with the topic; where nothing is named; what is something
_DEED, _LATER_DEED, _SESSION = 0.4, 0.25, 0.6  # the first deed that is asked for, another, logging in or out
_OTHER_DEED = {True: -0.3, False: -0.15}  # another deed is asked for: worse for an Api that writes
_NO_DEED = -0.1
_ASKED_DEED = 0.2  # the agent's own question was about it
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
        self._cosines: dict[str, dict[str, float]] = {}

    def read(self, texts: Sequence[str]) -> None:
        """Embed texts in one batch, ahead of ranking them."""
        new = [text for text in dict.fromkeys(texts) if text not in self._cosines]
        if len(self._cosines) + len(new) > _MOST_KEPT:
            self._cosines.clear()
        for text, ranked in zip(new, self.retriever.rank_all(new, len(self.forms)), strict=True):
            self._cosines[text] = {api.name: cosine for api, cosine in ranked}

    def rank(self, text: str, topic: str = "", question: str = "") -> tuple[Evidence, ...]:
        """Every Api, best first. `topic`: the Api of which the talk was last; `question`: what the text answers."""
        return _ranked(self, text, self._domain(topic), question)

    def weigh(self, text: str, domain: str, question: str) -> list[Evidence]:
        """Every Api with its evidence, in the order of names."""
        self.read([text])
        deeds, needed = deeds_in(text), deeds_in(question)
        said, asked = spread(text), spread(question)
        names = {name: self._named(name, said) for name in self.forms}
        stays = _TOPIC if max(names.values(), default=0.0) >= _SOMETHING else _TOPIC_ALONE
        found: list[Evidence] = []
        for name, cosine in self._cosines[text].items():
            form = self.forms[name]
            score = cosine + _TERMS * (names[name] + _QUESTION * self._named(name, asked))
            score += _agreement(form, deeds, said) + _ASKED_DEED * (form.deed in needed)
            score += stays * (form.api.domain == domain != "")
            found.append(Evidence(form, round(score, 4), cosine))
        return found

    def _domain(self, topic: str) -> str:
        """The domain of an Api, where that tells some Apis from others."""
        domains = {form.api.domain for form in self.forms.values()}
        return self.forms[topic].api.domain if topic in self.forms and len(domains) > 1 else ""

    def _named(self, api: str, said: Mapping[str, float]) -> float:
        """How much the words say of what the Api is about, between 0 and 1."""
        weights = self._weights[api]
        hits = {word: share * weights[word] * self._rarity[word] for word, share in said.items() if word in weights}
        if only_times(hits):  # "tomorrow" says something about a forecast only where it is about the weather
            return 0.0
        return min(sum(sorted(hits.values())[-_MOST_WORDS:]) / _FULL, 1.0)

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


@lru_cache(maxsize=_MOST_KEPT)
def _ranked(weigher: Weigher, text: str, domain: str, question: str) -> tuple[Evidence, ...]:
    return tuple(sorted(weigher.weigh(text, domain, question), key=lambda one: (-one.score, one.api.name)))


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
    texts = [(_NAME, f"{split_name(api.name)} {' '.join(api.keywords)}"), (_DESCRIPTION, api.description)]
    for name, parameter in api.parameters.items():
        texts.append((_PARAMETER, split_name(name)))
        texts.append((_PARAMETER_DESCRIPTION, str(parameter.json_schema.get("description", ""))))
    found: dict[str, float] = {}
    for weight, text in texts:
        for word in stems(text):
            found[word] = max(found.get(word, 0.0), weight)
    return found
