"""Opening queries made from documentation, as vague as the plan wants them, tried on the retriever.

    confirm   names the need. The target is first, above `confirm`
    suggest   names the topic alone. The target is first, between `suggest` and `confirm`
    clarify   names no more than what the topic is a part of. Nothing is above `suggest`

Every opening has a topic, in words that users have. Where none reaches its band, `Unworded` says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
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
from toologue.write.chains.intents import Intent, head_of, intent_of, intents_of, unspeakable_reason
from toologue.write.chains.names import Name, parameters, phrased
from toologue.write.chains.words import LINKS, openings, plural, rough, singular, split, wordset

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
_KEPT, _FOUND = 8192, 5
_GREETS = re.compile(r"(?:hello|hi|hey|good (?:morning|afternoon|evening|day))\b", re.I)
_ABOUT = re.compile(
    r"^(?:(?:an?|the|all) )?(?:information|details|data|facts|list|set|collection|results?) (?:about|on|of) "
)


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
    """What comes with a wish: a value, its name where it says `which`; what is wanted most. Or the whole message."""

    name: str = ""
    value: str = ""
    aim: str = ""
    which: bool = False
    opening: str = ""

    @property
    def slots(self) -> dict[str, str]:
        """The value with its name, for words that give it."""
        return {"name": self.name, "value": self.value} if self.value else {}


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
        self._ranked = lru_cache(maxsize=_KEPT)(self._ranked_for)

    def api(self, name: str) -> Api:
        """The Api of this name. Raises UnknownName; Unworded where nobody would talk about it."""
        api = self.source(name)
        if reason := self._reason(name):
            raise Unworded(reason, name)
        return api

    def check(self, about: UseKey, actions: Collection[str]) -> None:
        """Raises Unworded where conversations of these actions find no words for this pair, or Api."""
        self.api(name := about[2])
        if "inform_intent_vague" in actions:
            return
        told = (opening for use in self.uses.told(about) for opening in use.openings)
        if not any(self._found(name, text) for text in (*told, *(one.action for one in self.intents(about)))):
            raise _unreached("confirm", name)

    def intents(self, about: UseKey, start: int = 0) -> list[Intent]:
        """What people want of it: as uses say, beginning with one of their wishes, then as the document does."""
        api = self.api(about[2])
        told = [Intent(wish, "", use.topic, True) for use in self.uses.told(about) for wish in use.wishes]
        at = start % (len(told) or 1)
        return [*told[at:], *told[:at], *(() if told and unspeakable_reason(api) else intents_of(api))]

    def source(self, name: str) -> Api:
        """The Api of this name, which nobody has to talk about. Raises UnknownName."""
        api = self._apis.get(name)
        if api is None:
            raise UnknownName("api", name, self._apis)
        return api

    def clear(self, about: UseKey, voice: Voice, given: Given, *, start: int = 0, hello: str = "") -> Asked:
        """A clear wish for a pair, or an Api. Raises Unworded."""
        documented = _clear(self.intents(about, start), voice, given)
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
        else:  # nobody offers the one thing that was asked for, nor all of it if there is more to say
            wish = _content(self.intents(about)[0].action)
            topics = [one for one in topics if wish - _content(one)]
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

    def _is_found(self, name: str, text: str) -> bool:
        return self._index.rank(text, 1)[0][0] == name

    def _first(self, name: str, band: Band, texts: _Texts) -> Asked:
        for text, topic, reply in texts:
            if band_of(self._index.score(name, text), self._bands) != band:
                continue
            (best, score), *_ = found = self._ranked(text)
            if band_of(score, self._bands) == band and (band == "clarify" or best == name):
                return Asked(text, found, topic, reply)
        raise _unreached(band, name)

    def _ranked_for(self, text: str) -> tuple[tuple[str, float], ...]:
        """What the retriever says; vague texts are asked again and again, about other Apis."""
        return tuple(self._index.rank(text, _FOUND))


def _greeted(hello: str, text: str) -> Iterator[str]:
    """A first message after a greeting, where it holds none, and without one."""
    yield from dict.fromkeys((text if _GREETS.match(text) else f"{hello}{text}", text))


def _unreached(band: Band, name: str) -> Unworded:
    return Unworded(cast("DropReason", f"no query to {band}"), name)


def _clear(wishes: Sequence[Intent], voice: Voice, given: Given) -> Iterator[tuple[str, str, str]]:
    tail = voice("aim", names=given.aim) if given.aim else ""
    for after in dict.fromkeys((tail, "")):
        for action, thing, told in (one for wish in wishes for one in _filled(wish, given)):
            slot = {"thing": thing} if thing else {"action": action}
            kind = f"{'add' if told else 'wish'}_{next(iter(slot))}"
            for _ in range(voice.many(kind)):
                yield f"{voice(kind, **slot, **told)} {after}".rstrip(), "", ""


def _filled(wish: Intent, given: Given) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Action and thing with the value where they have room for it (the forecast for Oslo), and with it beside."""
    noun = given.name.removeprefix("the ").removeprefix("name of the ").removesuffix(" name")
    if noun and given.value[:1].isupper():
        place = re.compile(rf"(?<= )(?:a|an|the|any|my) (?:[a-z]+ )?{re.escape(noun)}$")
        action, count = place.subn(given.value, wish.action, count=1)
        if count:
            yield action, place.sub(given.value, wish.thing, count=1), {}
    coded = noun == "language" or (given.value.isupper() and noun not in ("symbol", "ticker"))
    said = given.value[:1].isupper() or (given.which and given.value[:1].isdigit())
    if said and not coded and not {"for", "by"} & {*wish.action.split()}:
        yield f"{wish.action} for {given.value}", f"{wish.thing} for {given.value}" if wish.thing else "", {}
    yield wish.action, wish.thing, given.slots


def _content(phrase: str) -> set[str]:
    """The words of a phrase that say what it is about, or what to do with it."""
    words = {singular(word) for word in re.findall(r"[a-z]+", phrase.lower())}
    return words - wordset("lookups") - wordset("thin") - wordset("determiners") - LINKS - {"search", "find"}


def wanted_of(wish: Intent) -> str:
    """What a wish is for: of a list of players in a team, players."""
    words = head_of(_ABOUT.sub("", wish.topic)).split()
    while len(words) > 1 and singular(words[-1]) in wordset("lists"):
        words.pop()
    return " ".join(words) or wish.topic


def _topics(api: Api) -> Iterator[str]:
    """What a wish is about: guest reviews, hotels, the guest reviews of a hotel; its walk of life."""
    wish = intent_of(api)
    topic = _ABOUT.sub("", wish.topic)
    head = head_of(topic)
    inner = [singular(word) for word in re.findall(r"[a-z]+", topic)]
    if len(head.split()) < len(topic.split()) and plural(head.split()[-1]):
        yield head
    asked = {singular(" ".join(split(name))) for name in api.parameters}
    yield from (pluralized(word) for word in inner if word in wordset("countable") and word not in asked)
    many = topic if plural(head.split()[-1]) or head != topic else pluralized(topic)
    yield from (one for one in (topic if topic != wish.topic else wish.thing or many,) if plural(one.split()[-1]))
    yield from openings(inner)
