"""Opening queries made from documentation, as vague as the plan wants them, tried on the retriever.

    confirm   names the need. The target is first, above `confirm`
    suggest   names the topic alone. The target is first, between `suggest` and `confirm`
    clarify   names no more than what the topic is a part of. Nothing is above `suggest`

Every opening has a topic, in words that users have. Where none reaches its band, `Unworded` says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Literal, NamedTuple, cast, get_args

from toologue.errors import ToologueError, UnknownName
from toologue.models.embed import Embedder
from toologue.models.index import Index
from toologue.models.retriever import Band, bands_of, index_of
from toologue.models.retriever import band as band_of
from toologue.plan.chains.uses import NO_USES, Uses
from toologue.schema import Api
from toologue.schema.use import UseKey
from toologue.text.tokens import plural as pluralized
from toologue.write.chains.bank import Voice
from toologue.write.chains.names import Name, parameters, phrased
from toologue.write.chains.questions import Question, questions_of, unspeakable_reason
from toologue.write.chains.words import openings, rough, singular, split, walks, wordset

DropReason = Literal[
    "foreign",
    "technical",
    "wordless",
    "no query to confirm",
    "no query to suggest",
    "no query to clarify",
    "no natural answer",
]
REASONS: tuple[DropReason, ...] = get_args(DropReason)
_FOUND = 5
_GREETS = re.compile(r"(?:hello|hi|hey|good (?:morning|afternoon|evening|day))\b", re.I)


class Unworded(ToologueError):
    """A plan that found no words; `reason` is one of `REASONS`."""

    def __init__(self, reason: DropReason, what: str):
        super().__init__(f"{reason}: {what}")
        self.reason: DropReason = reason


class Asked(NamedTuple):
    """A query, what the retriever says to it (name, score; best first); what it is about where it is vague.

    `reply`: what is said to it, if that is known."""

    text: str
    retrieved: tuple[tuple[str, float], ...]
    topic: str = ""
    reply: str = ""


_Texts = Iterable[tuple[str, str, str]]  # texts, topics, replies


class Given(NamedTuple):
    """What comes with a question: a value, its name, the words that join it to what is asked. Or the whole message."""

    question: Question
    name: str = ""
    value: str = ""
    where: str = ""
    opening: str = ""


class Queries:
    """Makes queries over these Apis, by name or not. What it remembers is a cache.

    `bands` replaces the embedder's calibrated thresholds; `index` is that of the Apis, if there is one already. What
    people wish for as `uses` say comes before what documents say.
    """

    def __init__(
        self,
        apis: Iterable[Api] | Mapping[str, Api],
        embedder: Embedder,
        *,
        bands: Mapping[str, float] | None = None,
        index: Index | None = None,
        uses: Uses = NO_USES,
    ):
        known = isinstance(apis, Mapping)
        self._apis = cast("Mapping[str, Api]", apis) if known else {api.name: api for api in apis}
        self._index, self._bands = index or index_of(self._apis, embedder), bands_of(embedder, bands)
        self.uses, self._phrases = uses, uses.phrases()
        self._reason, self.names = cache(self._reason_of), cache(self._names_of)
        self._found = cache(self._is_found)

    def api(self, name: str) -> Api:
        """The Api of this name. Raises UnknownName; Unworded where nobody would talk about it."""
        api = self.source(name)
        if reason := self._reason(name):
            raise Unworded(reason, name)
        return api

    def check(self, about: UseKey, actions: Collection[str]) -> None:
        """Raises Unworded where conversations of these actions find no words for this pair, or Api."""
        self.api(name := about[2])
        if "inform_intent_vague" not in actions and not self._found(about):
            raise _unreached("confirm", name)

    def wishes(self, about: UseKey, start: int = 0) -> list[str]:
        """What a model says that people wish for who want it, beginning with one of these."""
        told = self.uses.wishes(about)
        at = start % (len(told) or 1)
        return [*told[at:], *told[:at]]

    def source(self, name: str) -> Api:
        """The Api of this name, which nobody has to talk about. Raises UnknownName."""
        api = self._apis.get(name)
        if api is None:
            raise UnknownName("api", name, self._apis)
        return api

    def clear(self, about: UseKey, voice: Voice, given: Given, *, start: int = 0, hello: str = "") -> Asked:
        """A clear wish for a pair, or an Api. Raises Unworded."""
        wishes = self.wishes(about, start)
        documented = _wished(wishes, voice, given) if wishes else _asking(voice, given)
        whole = ((text, "", "") for text in _greeted(hello, given.opening))
        ours = whole if given.opening else chain(self._openings(about, given, start, hello), documented)
        return self._first(about[2], "confirm", ours)

    def vague(self, about: UseKey, band: Band, voice: Voice, *, start: int = 0, hello: str = "") -> Asked:
        """A vague wish that calls for a suggestion or for a question. Raises Unworded."""
        name, api = about[2], self._apis[about[2]]
        uses = self.uses.told(about)
        hints = next(filter(None, (use.hints if band == "suggest" else use.vague for use in uses)), ())
        told = [use.topic for use in uses if use.topic]
        documented = () if told and unspeakable_reason(api) else _topics(api)
        topics = [*dict.fromkeys((*told, *(one for one in documented if not rough(one))))]
        if band == "clarify":
            topics.reverse()
        elif not told:  # nobody offers the one thing that was asked for, nor everything of a walk of life
            things = {one.things for one in questions_of(api)}
            topics = [one for one in topics if one not in things and one not in walks()]
        texts = ((voice("vague", topic=topic), topic, "") for topic in topics for _ in range(voice.many("vague")))
        at = start % (len(hints) or 1)
        turned = (*hints[at:], *hints[:at])
        ours = [(text, "", one.assistant) for one in turned for text in _greeted(hello, one.person)]
        return self._first(name, band, ours or texts)

    def _openings(self, about: UseKey, given: Given, start: int, hello: str) -> _Texts:
        """First messages as uses have them, with a value after them."""
        told = next((use.openings for use in self.uses.told(about) if use.openings), ())
        more = f"The {given.name} is {given.value}." if given.value else ""
        at = start % (len(told) or 1)
        for one in (*told[at:], *told[:at]):
            yield from ((f"{text} {more}".rstrip(), "", "") for text in _greeted(hello, one))

    def _reason_of(self, name: str) -> DropReason | None:
        why = unspeakable_reason(self._apis[name])
        return None if why == "wordless" and name in self._phrases else why

    def _names_of(self, name: str) -> dict[str, Name]:
        plain, said = parameters(self._apis[name]), self._phrases.get(name, {})
        return plain | {one: phrased(said[one], plain[one]) for one in said if one in plain}

    def _is_found(self, about: UseKey) -> bool:
        told = (opening for use in self.uses.told(about) for opening in use.openings)
        asked = (one.noun for one in questions_of(self._apis[about[2]]))
        return any(self._index.rank(text, 1)[0][0] == about[2] for text in (*told, *self.uses.wishes(about), *asked))

    def _first(self, name: str, band: Band, texts: _Texts) -> Asked:
        for text, topic, reply in texts:
            if band_of(self._index.score(name, text), self._bands) != band:
                continue
            (best, score), *_ = found = self._index.rank(text, _FOUND)
            if band_of(score, self._bands) == band and (band == "clarify" or best == name):
                return Asked(text, tuple(found), topic, reply)
        raise _unreached(band, name)


def _greeted(hello: str, text: str) -> Iterator[str]:
    """A first message after a greeting, where it holds none, and without one."""
    yield from dict.fromkeys((text if _GREETS.match(text) else f"{hello}{text}", text))


def _unreached(band: Band, name: str) -> Unworded:
    return Unworded(cast("DropReason", f"no query to {band}"), name)


def _asking(voice: Voice, given: Given) -> _Texts:
    """Ways to ask a question, with its value where there is one."""
    asked, where = given.question, given.where
    if asked.facts and not (asked.of or asked.mine or where):  # a fact of nothing
        return
    found = asked.things and not asked.mine and not (asked.of and not where)
    kind = "find" if found else "know_of" if where else "know"
    thing = f"{asked.noun if asked.mine else asked.nouns} {where}" if where else asked.noun
    for _ in range(voice.many(kind)):
        yield voice(kind, thing=thing, are=asked.are), "", ""


def _wished(wishes: Sequence[str], voice: Voice, given: Given) -> _Texts:
    """Ways to say a wish that a model knows, with its value where there is one."""
    for wish in wishes:
        for _ in range(voice.many("wish")):
            yield voice("wish", action=f"{wish} {given.where}".rstrip()), "", ""


def _topics(api: Api) -> Iterator[str]:
    """What somebody may say that it is about: volleyball leagues, a phone number, leagues; its walk of life."""
    asked = questions_of(api)
    yield from dict.fromkeys(one.things for one in asked if one.things)
    for one in asked[:1]:
        joint, _, thing = one.of.partition(" ")
        yield from [pluralized(thing.split(maxsplit=1)[1])] if thing and joint != "for" and not one.mine else []
        yield from [thing] if thing else []
    words = [word for one in asked for word in f"{one.things} {one.of}".lower().split()]
    named = split(api.name.rpartition("|")[2])
    named = named[1:] if len(named) > 1 and named[0] in wordset("verbs") else named  # to track a parcel is no music
    inner = [singular(word) for word in (*words, *named, *split(api.domain))]
    yield from dict.fromkeys(pluralized(word) for word in inner if word in wordset("countable"))
    yield from openings(inner)
