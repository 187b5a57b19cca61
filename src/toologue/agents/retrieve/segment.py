"""What the open request asks for: its words, cut into wishes, each for one Api.

Contract: pure. Of all ways to cut the clauses of the request into wishes, the one for which most speaks is taken: each
wish brings the evidence for its best Api, and costs something. Clauses that ask for nothing of their own so belong to
the wish before them or after them. Values that the words hold for an Api's parameters speak for it, too.

Example:
    >>> from toologue import registry
    >>> from toologue.agents.retrieve.history import hear
    >>> from toologue.models.embed import embedder
    >>> from toologue.models.retriever import Retriever
    >>> from toologue.schema import UserTurn
    >>> weigher = Weigher(Retriever(registry.find("world", "assistant").apis, embedder("lexical")))
    >>> said = hear([UserTurn(text="Set an alarm for 7 pm and delete my reminder to call Bo.")])
    >>> [wish.api.name for wish in wishes(said, weigher, "2025-03-12 10:20:00")]
    ['AddAlarm', 'DeleteReminder']

Not covered: wishes that depend on a condition ("if it rains …").
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from toologue.agents.retrieve.evidence import Evidence, Weigher
from toologue.agents.retrieve.filling import fill
from toologue.agents.retrieve.finding import Told, referred
from toologue.agents.retrieve.forms import Form
from toologue.agents.retrieve.history import Heard, clauses
from toologue.agents.retrieve.lexicon import deeds_in
from toologue.agents.retrieve.results import rows_of
from toologue.schema import Api

_ENOUGH = 0.6  # evidence at which words ask for an Api
_COST = 1.1  # evidence that one more wish must bring
_MOST_CLAUSES = 8
_PERIOD = ". "
_CANDIDATES = 3  # Apis for which a wish's values are looked for
_VALUE, _EMPTY = 0.08, 0.1  # what each value adds to the evidence, and what having none takes away


class Wish(NamedTuple):
    """An Api that is asked for, the clauses that ask for it, and the evidence."""

    form: Form
    parts: tuple[str, ...]
    evidence: Evidence
    replies: bool = False
    """Whether it begins in an answer to the agent."""

    @property
    def words(self) -> str:
        """The words that ask for it."""
        return _PERIOD.join(self.parts)

    @property
    def api(self) -> Api:
        """The Api."""
        return self.form.api


def wishes(heard: Heard, weigher: Weigher, now: str) -> list[Wish]:
    """What the open request asks for, in its order."""
    if not weigher.forms:
        return []
    said = [(part, number > 0) for number, text in enumerate(heard.request) for part in clauses(text)][-_MOST_CLAUSES:]
    parts, newest = [part for part, _ in said], rows_of(heard.before)[:1]
    weigher.read([_PERIOD.join(parts[start:end]) for end in range(1, len(parts) + 1) for start in range(end)])
    best: list[tuple[float, list[Wish]]] = [(0.0, [])]
    for end in range(1, len(parts) + 1):
        ways: list[tuple[float, list[Wish]]] = []
        for start in range(end):
            gained, before = best[start]
            topic = before[-1].api.name if before else heard.before[-1].call.api if heard.before else ""
            told = Told(_PERIOD.join(parts[start:end]), heard, newest, {"now": now})
            found = _likeliest(told, weigher, topic)
            wish = Wish(found.form, tuple(parts[start:end]), found, replies=said[start][1])
            ways.append((gained + found.score - _COST, [*before, wish]))
        best.append(max(ways, key=lambda way: way[0]))
    sure = [wish for wish in best[-1][1] if wish.evidence.score >= _ENOUGH]
    return [each for wish in _joined(sure) for each in _replaced(wish, heard, weigher)]


def _likeliest(told: Told, weigher: Weigher, topic: str) -> Evidence:
    """The Api for which some words speak most, with the values that they hold or refer to."""
    ranked = weigher.rank(told.words, topic, told.heard.question)[:_CANDIDATES]
    weighed = (one._replace(score=round(one.score + _values(one.form, told), 4)) for one in ranked)
    return max(weighed, key=lambda one: one.score)


def _values(form: Form, told: Told) -> float:
    """What the values that words hold, or refer to, say for an Api."""
    said = _said(form, told.words, str(told.facts["now"]))
    said |= {name for name, slot in form.slots.items() if slot.naming and referred(told.words, slot, told)}
    return _VALUE * len(said) - _EMPTY * (bool(form.slots) and not said)


@lru_cache(maxsize=20_000)
def _said(form: Form, words: str, now: str) -> frozenset[str]:
    """The parameters for which words hold a value by themselves."""
    return fill(form, Told(words, facts={"now": now})).heard


def _joined(found: Sequence[Wish]) -> list[Wish]:
    """The wishes; one in an answer, for an Api that was asked for before it, is the same wish, put otherwise."""
    joined: list[Wish] = []
    for wish in found:
        same = next((n for n, one in enumerate(joined) if one.api == wish.api), None)
        if wish.replies and same is not None:
            joined[same] = joined[same]._replace(parts=joined[same].parts + wish.parts)
        else:
            joined.append(wish)
    return joined


def _replaced(wish: Wish, heard: Heard, weigher: Weigher) -> Sequence[Wish]:
    """The wish; where a thing shall change for which there is no such Api: the old one deleted, a new one created."""
    if wish.form.deed not in ("create", "delete") or "update" not in deeds_in(wish.words) or not heard.before:
        return [wish]
    by_deed = {form.deed: form for form in weigher.forms.values() if form.thing == wish.form.thing}
    if "update" in by_deed or not {"create", "delete"} <= by_deed.keys():
        return [wish]
    return [wish._replace(form=by_deed["delete"]), wish._replace(form=by_deed["create"])]
