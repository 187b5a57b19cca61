"""Opening queries made from documentation, as vague as the plan wants them, tried on the retriever.

    confirm   names the need and what shall be known of it. The target is first, above `confirm`
    suggest   names the topic alone. The target is first, between `suggest` and `confirm`
    clarify   names no more than the walk of life. Nothing is above `suggest`

The plainest words that do come first, then such that name the tool; where none does, `Unworded` says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Literal, NamedTuple, cast, get_args

from toologue.errors import ToologueError, UnknownName
from toologue.models.embed import Embedder
from toologue.models.index import Index
from toologue.models.retriever import Band, bands_of, index_of
from toologue.models.retriever import band as band_of
from toologue.schema import Api
from toologue.text.tokens import plural as pluralized
from toologue.write.chains.bank import Voice
from toologue.write.chains.intents import Intent, intent_of, unspeakable_reason
from toologue.write.chains.names import Name, parameters
from toologue.write.chains.words import LINKS, alike, capital, openings, plural, singular, uncapital, within, wordset

DropReason = Literal[
    "foreign", "technical", "wordless", "no query to confirm", "no query to suggest", "no query to clarify"
]
REASONS: tuple[DropReason, ...] = get_args(DropReason)
_KEPT, _FOUND, _HELLOS = 8192, 5, 5
# So much a score may rise by what is said around a wish.
_AROUND = 0.04
_HELLO = re.compile(r"^(?:(?:Hi|Hello|Hey)(?: there)?|Good morning)[!,] ")


class Unworded(ToologueError):
    """A plan that found no words; `reason` is one of `REASONS`."""

    def __init__(self, reason: DropReason, what: str):
        super().__init__(f"{reason}: {what}")
        self.reason: DropReason = reason


class Asked(NamedTuple):
    """A query, what the retriever says to it (name, score; best first), and what it is about where it is vague."""

    text: str
    retrieved: tuple[tuple[str, float], ...]
    topic: str = ""


class Given(NamedTuple):
    """What comes with a wish: a value and its name; what the user wants to know above all."""

    name: str = ""
    value: str = ""
    aim: str = ""

    @property
    def slots(self) -> dict[str, str]:
        """The value with its name, for words that give it."""
        return {"name": self.name, "value": self.value} if self.value else {}


class _Wish(NamedTuple):
    """What to do, or the thing to see; whether it names the tool."""

    action: str
    thing: str
    tool: bool


class Queries:
    """Makes queries over these Apis, by name or not. What it remembers is a cache.

    `bands` replaces the embedder's calibrated thresholds; `index` is that of the Apis, if there is one already.
    """

    def __init__(
        self,
        apis: Iterable[Api] | Mapping[str, Api],
        embedder: Embedder,
        *,
        bands: Mapping[str, float] | None = None,
        index: Index | None = None,
    ):
        known = isinstance(apis, Mapping)
        self._apis = cast("Mapping[str, Api]", apis) if known else {api.name: api for api in apis}
        self._index, self._bands = index or index_of(self._apis, embedder), bands_of(embedder, bands)
        self._reason, self.names = cache(self._reason_of), cache(self._names_of)
        self._wishes, self._topics = cache(self._wishes_of), cache(self._topics_of)
        self._ranked = lru_cache(maxsize=_KEPT)(self._ranked_for)

    def api(self, name: str) -> Api:
        """The Api of this name. Raises UnknownName; Unworded where nobody would talk about it."""
        api = self.source(name)
        if reason := self._reason(name):
            raise Unworded(reason, name)
        return api

    def check(self, name: str, actions: Collection[str]) -> None:
        """Raises Unworded where conversations of these actions find no words for this Api."""
        self.api(name)
        if any(action.startswith("inform_intent_clear") for action in actions) and not self._wishes(name):
            raise _unreached("confirm", name)
        if "suggest" in actions and not self._topics(name, "suggest"):
            raise _unreached("suggest", name)

    def source(self, name: str) -> Api:
        """The Api of this name, which nobody has to talk about. Raises UnknownName."""
        api = self._apis.get(name)
        if api is None:
            raise UnknownName("api", name, self._apis)
        return api

    def clear(self, name: str, voice: Voice, given: Given, *, again: bool = False) -> Asked:
        """A clear wish for an Api; `again`: after the agent has asked what is meant. Raises Unworded."""
        return self._first(name, "confirm", _clear(self._wishes(name), voice, given, again))

    def vague(self, name: str, band: Band, voice: Voice, *, start: int = 0) -> Asked:
        """A vague wish that calls for a suggestion or for a question. Raises Unworded."""
        topics = self._topics(name, band)
        return self._first(name, band, _hints(topics, voice) if band == "suggest" else _fogs(topics, voice, start))

    def _reason_of(self, name: str) -> DropReason | None:
        return unspeakable_reason(self._apis[name])

    def _names_of(self, name: str) -> dict[str, Name]:
        return parameters(self._apis[name])

    def _wishes_of(self, name: str) -> list[_Wish]:
        least, found = self._bands["confirm"] - _AROUND, list[_Wish]()
        for one in _wishes(intent_of(self._apis[name])):
            said = one.thing or one.action
            if self._index.score(name, said) >= least and self._index.rank(said, 1)[0][0] == name:
                found.append(one)
        return found

    def _topics_of(self, name: str, band: Band) -> list[str]:
        """What a vague wish may name: a hint comes near enough, whatever is said around it; a fog does not."""
        hints, api = band == "suggest", self._apis[name]
        every = _hinted(intent_of(api)) if hints else _fogged(api)
        return [one for one in every if (self._index.score(name, one) >= self._bands["suggest"]) is hints]

    def _first(self, name: str, band: Band, texts: Iterator[tuple[str, str]]) -> Asked:
        for text, topic in texts:
            if band_of(self._index.score(name, text), self._bands) != band:
                continue
            (best, score), *_ = found = self._ranked(text)
            if band_of(score, self._bands) == band and (band == "clarify" or best == name):
                return Asked(text, found, topic)
        raise _unreached(band, name)

    def _ranked_for(self, text: str) -> tuple[tuple[str, float], ...]:
        """What the retriever says; vague texts are asked again and again, about other Apis."""
        return tuple(self._index.rank(text, _FOUND))


def _unreached(band: Band, name: str) -> Unworded:
    return Unworded(cast("DropReason", f"no query to {band}"), name)


def _clear(wishes: Sequence[_Wish], voice: Voice, given: Given, again: bool) -> Iterator[tuple[str, str]]:
    tail = voice("aim", names=given.aim) if given.aim else ""
    lead = voice("clearer") if again else ""
    ways = product(dict.fromkeys((lead, lead and "Well,")), (False, True), dict.fromkeys((tail, "")))
    for before, tool, after in ways:
        some = [filled for one in wishes if one.tool is tool for filled in _filled(one, given)]
        for wish, told in some:
            slot = {"thing": wish.thing} if wish.thing else {"action": wish.action}
            text = voice(f"{'add' if told.value else 'wish'}_{next(iter(slot))}", **slot, **told.slots)
            yield _joined(before, text, after), ""
        for thing, told in dict.fromkeys((wish.thing, told) for wish, told in some if wish.thing):
            yield _joined(before, voice("plain_add" if told.value else "plain", thing=thing, **told.slots), after), ""


def _wishes(wish: Intent) -> Iterator[_Wish]:
    on = "" if wish.place.lower() in wish.action.lower() else f" on {wish.place}"
    own = [] if wish.own.startswith(("a ", "an ")) else [f"the {wish.own}"]
    things = [wish.thing, *_within(wish.thing, wish.field)] if wish.thing else []
    named = dict.fromkeys([*things, *own, *(titled for one in own if things for titled in _within(one, wish.field))])
    for tool in dict.fromkeys(("", on)):
        if not wish.thing:
            yield _Wish(f"{wish.action}{tool}", "", bool(tool))
        yield from (_Wish(f"see {thing}{tool}", f"{thing}{tool}", bool(tool)) for thing in named)


def _within(phrase: str, field: str) -> list[str]:
    return [within(phrase, field)] if phrase and field and not alike(phrase, field) else []


def _filled(wish: _Wish, given: Given) -> Iterator[tuple[_Wish, Given]]:
    """The wish with its value where it has room for it (the forecast for Oslo), and as it is."""
    noun = given.name.removeprefix("the ").removeprefix("name of the ").removesuffix(" name")
    if noun and given.value[:1].isupper():
        place = re.compile(rf"(?<= )(?:a|an|the|any|my) (?:[a-z]+ )?{re.escape(noun)}(?=$| on )")
        action, count = place.subn(given.value, wish.action, count=1)
        if count:
            yield _Wish(action, place.sub(given.value, wish.thing, count=1), wish.tool), Given(aim=given.aim)
    yield wish, given


def _joined(before: str, text: str, after: str) -> str:
    """One message; nobody says hello in the middle of it."""
    if before:
        text = _HELLO.sub("", text)
        text = uncapital(text) if before.endswith((",", ":")) else capital(text)
    return " ".join(filter(None, (before, text, after)))


def _fogs(topics: Sequence[str], voice: Voice, start: int) -> Iterator[tuple[str, str]]:
    for at in range(len(topics)):
        topic = topics[(start + at) % len(topics)]
        yield voice("fog", topic=topic), _yours(topic)
    yield from ((voice("fog_blank"), "") for _ in range(_HELLOS))


def _hints(topics: Sequence[str], voice: Voice) -> Iterator[tuple[str, str]]:
    for doubts in (False, True, False):
        for topic in topics:
            text = voice("hint", topic=topic)
            yield f"{text} {voice('unsure')}" if doubts else text, topic


def _hinted(wish: Intent) -> Iterator[str]:
    words, place = wish.topic.split(), wish.place
    topics = [wish.topic, *_within(wish.topic, wish.field)]
    topics += [f"{wish.topic} on {place}", wish.own, f"{wish.own} on {place}"]
    if words[-1] not in wordset("loose") and words[0] not in ("a", "an") and LINKS.isdisjoint(words):
        topics += [" ".join(words[-2:]), f"{words[-1]} on {place}", words[-1]]
    fit = (one for one in dict.fromkeys(topics) if len(one) > 2 and one.split()[-1] not in wordset("loose"))
    return map(_broached, fit)


def _broached(topic: str) -> str:
    """A topic as it is brought up: `country` → countries, `tour ranking on Golf` → the tour ranking on Golf."""
    head, on, rest = topic.partition(" on ")
    *before, last = head.split()
    if (before and before[0] in ("something", "the", "a", "an")) or plural(last) or last[:1].isupper():
        return topic
    if not before and last in wordset("countable"):
        return f"{pluralized(last)}{on}{rest}"
    return topic if last in wordset("mass") or last.endswith("ing") else f"the {topic}"


def _fogged(api: Api) -> Iterator[str]:
    things = [singular(word) for word in intent_of(api).topic.split()]
    kinds = [pluralized(thing) for thing in dict.fromkeys(things) if thing in wordset("countable")]
    yield from (form for thing in kinds for form in (thing, f"some {thing}"))
    yield from openings(api.domain or api.name.partition("|")[0])


def _yours(topic: str) -> str:
    """A topic as the agent takes it up: `my investments` → your investments; "" where it says nothing."""
    if topic.startswith(("something", "what", "whether")) or " I" in topic or " we " in topic:
        return ""
    words = {"my": "your", "mine": "yours", "our": "your", "me": "you", "I": "you", "I'm": "you're"}
    topic = re.sub(r"^an? ", "the ", topic.removeprefix("some "))
    return " ".join(words.get(word, word) for word in topic.split())
