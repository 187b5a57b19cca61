"""Pairs: which API finds what another one needs, and which APIs do alone; with their category and fit (ToolDial 3.2).

`paired` makes pairs of the edges of an API graph, `alone` of single documents. What cannot become a conversation is
counted by reason (`reasons.REASONS`).

Contract: streams; the order is that of the edges, or of the documents.

Example:
    >>> pair = Pair("Leagues", "id", "Standings", "leagueId", "yeszero", "multi")
    >>> [one.key for one in pair.sequences()]
    ['11.4', '11.10', '11.13']

Not covered: the published code's list of hubs and its ban on outputs named "error" or "message".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple, cast

from rapidfuzz.distance import LCSseq

from toologue.apis.entities import Entity
from toologue.apis.words import singular
from toologue.models.retriever import split_name
from toologue.plan.chains.reasons import Reason
from toologue.plan.chains.saying import (
    MEETINGS,
    askable,
    failure,
    hidden,
    named_thing,
    names_rows,
    offered,
    points_out,
    salience,
    tells_here,
    topic_words,
)
from toologue.plan.chains.shelf import Book, Shelf
from toologue.plan.knowable import KnowRule, knowable
from toologue.plan.sequences import ActionSequence, Category, Fit, fitting
from toologue.schema import Edge
from toologue.worlds.documented import is_credential, parted, spoken

__all__ = [
    "MOST_ASKED",
    "WORTH",
    "EdgeKey",
    "Pair",
    "alone",
    "choosing",
    "optional",
    "paired",
    "pointing",
    "required",
    "telling",
    "whose",
]

EdgeKey = tuple[str, str, str, str]
MOST_ASKED = 4
"""Nobody answers a question for more than this."""
WORTH = 3
"""An answer holds something that tells at least as much (`saying.salience`)."""

_ALIKE = 0.83
_DEEPEST, _NAMED, _PREFIX = 6, 3, 4
_TELLS_APART = ("id", "code", "key", "slug", "uuid")


class Pair(NamedTuple):
    """Two APIs and what joins them; or a target alone, whose `parameter` users may tell with their wish."""

    source: str | None
    output: str | None
    target: str
    parameter: str
    category: Category
    fit: Fit

    def sequences(self, *, published_code: bool = False) -> Iterator[ActionSequence]:
        """The sequences in which its APIs are called, all of them."""
        calls = 2 if self.source is not None else 1
        return (one for one in fitting(self.category, self.fit, published_code=published_code) if one.apis == calls)


def paired(
    shelf: Shelf,
    edges: Iterable[Edge],
    dropped: Counter[Reason],
    *,
    verdicts: Mapping[EdgeKey, bool] | None = None,
    rule: KnowRule = "fixed",
    published_code: bool = False,
) -> Iterator[Pair]:
    """The pairs of a graph's chosen edges. With `verdicts`, only of edges that were found valid."""
    seen: set[tuple[str, str]] = set()
    ends = _ends(shelf, rule)
    for edge in edges:
        found = _admitted(shelf, edge, seen, verdicts)
        pair = _pair(ends, edge) if found is None else found
        if isinstance(pair, Pair) and not any(pair.sequences(published_code=published_code)):
            pair = "no sequence"
        if isinstance(pair, str):
            dropped[pair] += 1
        else:
            seen.add((edge.source, edge.target))
            yield pair


def alone(
    shelf: Shelf, dropped: Counter[Reason], *, names: Iterable[str] | None = None, rule: KnowRule = "fixed"
) -> Iterator[Pair]:
    """A pair without a source of each document (of those named) whose parameters users know."""
    for name in shelf if names is None else names:
        pair = _alone(shelf.book(name), rule)
        if isinstance(pair, Pair):
            yield pair
        else:
            dropped[pair] += 1


def required(book: Book, *, but: str = "") -> list[str]:
    """The names of the required parameters, one of them left out."""
    return [one.name for one in book.inputs.values() if one.required and one.name != but]


def optional(book: Book, *, but: str = "") -> list[str]:
    """The names of the optional parameters that users may be asked for, one of them left out.

    Who names a share or a coin is asked for nothing beside.
    """
    if any(one.required and named_thing(one).endswith(".symbol") for one in book.inputs.values()):
        return []
    given = (one for one in book.inputs.values() if not one.required and one.name != but)
    wished = (one for one in given if offered(one) and not hidden(one) and _known(one, "fixed"))
    return [one.name for one in wished if askable(one, book.api) is None]


def pointing(book: Book) -> list[str]:
    """The optional parameters by which users say which thing is meant; any, where something else says it."""
    told, asked = optional(book), required(book)
    return [name for name in told if points_out(book.inputs[name])] or (told if asked else [])


def telling(book: Book, *, but: str = "") -> dict[str, int]:
    """The outputs that tell users something, and how much; one of them left out. Errors tell nothing."""
    if failure(book.outputs):
        return {}
    about = topic_words(book.api)
    told = {one.name: salience(one, about) for one in book.outputs.values() if one.name != but}
    return {name: much for name, much in told.items() if much}


def choosing(book: Book, *, but: str = "") -> list[str]:
    """The outputs by which users choose between rows, best first: names beside the wanted one, else names within.

    Whose id it is, they are names of: a league's id goes by the league's name, beside the team's as it may stand.
    """
    about, (parent, _, last) = topic_words(book.api), but.rpartition("|")
    found = [one for one in book.outputs.values() if one.many and one.name != but and names_rows(one)]
    beside = [one for one in found if one.name.rpartition("|")[0] == parent]
    met = {singular(word) for word in (*about, *split_name(but).split())} & MEETINGS
    within = [one for one in found if not parent or one.name.startswith(f"{parent}|")] if met else []
    owner = [singular(word) for word in whose(last)]
    ids = [one for one in book.outputs if one.rpartition("|")[0] == parent and one.lower().endswith("id")]
    near = {singular(word) for word in (*about, *split_name(parent).split())}
    if owner and ids != [but] and not {owner[-1], *MEETINGS} & near:
        beside, within = [one for one in beside if split_name(one.name.rpartition("|")[2]).startswith(owner[0])], []
    return [one.name for one in sorted(beside or within, key=lambda one: -salience(one, about))]


def alike(name: str, other: str) -> bool:
    """Whether two parameters sound as if they asked for the same."""
    one, two = sorted((_normal(name), _normal(other)), key=len)
    return two.endswith(one) or (len(one) > 2 and two.startswith(one))


def whose(name: str) -> list[str]:
    """Whose id, or code, a name is for, in words."""
    words = [part for word in split_name(name).split() for part in parted(word)]
    return words[:-1] if words[-1:] and words[-1] in _TELLS_APART else []


def _admitted(
    shelf: Shelf, edge: Edge, seen: set[tuple[str, str]], verdicts: Mapping[EdgeKey, bool] | None
) -> Reason | None:
    """Why an edge is no pair, as far as the documents need not be read."""
    if not edge.chosen:
        return "not chosen"
    if edge.source not in shelf or edge.target not in shelf:
        return "unknown api"
    if (edge.source, edge.target) in seen:
        return "again"
    if verdicts is None:
        return None
    verdict = verdicts.get((edge.source, edge.output, edge.target, edge.parameter))
    return None if verdict else "not checked" if verdict is None else "not valid"


class _Source(NamedTuple):
    """What an edge's source says about the pair."""

    inputs: list[Entity]
    asked: list[str]
    optional: list[str]
    known: bool
    """Whether users know all that it asks for."""
    many: bool
    unaskable: Reason | None
    lost: Reason | None
    """Why nobody could say which one is meant of what it finds."""


class _Target(NamedTuple):
    """What an edge's target says about the pair; of one whose parameter users know, no more than that."""

    parameter: Entity
    found_out: bool
    """Whether users know the parameter, so that nobody has to find it."""
    asked: list[str]
    optional: list[str]
    known: bool
    against: Reason | None


class _Ends:
    """The two ends of edges, each looked at once: thousands of edges end at one parameter."""

    def __init__(self, shelf: Shelf, rule: KnowRule):
        self._shelf = shelf
        self._rule: KnowRule = rule
        self.source, self.target = cache(self._source), cache(self._target)

    def _source(self, name: str, output: str) -> _Source | None:
        book = self._shelf.book(name)
        if output not in book.outputs:
            return None
        many, asked = book.outputs[output].many, required(book)
        return _Source(
            list(book.inputs.values()),
            asked,
            optional(book) if many else pointing(book),
            all(_known(book.inputs[one], self._rule) for one in asked),
            many,
            _unaskable(book),
            _lost(book, output, asked, many=many),
        )

    def _target(self, name: str, parameter: str) -> _Target | None:
        book = self._shelf.book(name)
        one = book.inputs.get(parameter)
        if one is None:
            return None
        if _known(one, self._rule):
            return _Target(one, True, [], [], True, None)
        asked = required(book, but=parameter)
        known = all(_known(book.inputs[other], self._rule) for other in asked)
        against = _unaskable(book, but=parameter) or _unanswerable(book)
        return _Target(one, False, asked, optional(book, but=parameter), known, against)


@lru_cache(maxsize=2)
def _ends(shelf: Shelf, rule: KnowRule) -> _Ends:
    """The same ones for all parts of a graph."""
    return _Ends(shelf, rule)


def _pair(ends: _Ends, edge: Edge) -> Pair | Reason:
    target = ends.target(edge.target, edge.parameter)
    if target is not None and target.found_out:
        return "users know it"
    source = ends.source(edge.source, edge.output)
    if source is None or target is None:
        return "unknown entity"
    if any(_same(one, target.parameter) for one in source.inputs):
        return "the source takes it"
    if _strangers(edge):
        return "another's id"
    if any(alike(one, other) for one in source.asked for other in target.asked):
        return "asks twice"
    rest = target.asked or [name for name in target.optional if not any(alike(name, it) for it in source.asked)]
    needs = bool(source.asked or source.optional)
    if why := source.unaskable or target.against:
        return why
    if source.lost:
        return source.lost
    if not (source.known and target.known):
        return "users do not know it"
    category = cast("Category", f"{'yes' if needs else 'zero'}{'yes' if rest else 'zero'}")
    fit: Fit = "multi" if source.many else "single"
    return Pair(edge.source, edge.output, edge.target, edge.parameter, category, fit)


def _strangers(edge: Edge) -> bool:
    """Whether a bare id is that of a tool from another walk of life, which numbers other things."""
    source, target = edge.source.split("|"), edge.target.split("|")
    if len(source) < _NAMED or len(target) < _NAMED or edge.parameter.lower() not in ("id", "ids"):
        return False
    return source[0] != target[0] and source[1][:_PREFIX] != target[1][:_PREFIX]


def _lost(book: Book, output: str, asked: list[str], *, many: bool) -> Reason | None:
    """Why nobody could say which of the things that a source knows is meant."""
    path = output.split("|")
    if not {"request", "query", "params", "parameters"}.isdisjoint(name.lower() for name in path[:-1]):
        return "nothing to find it by"
    if many:
        owner = whose(path[-1])
        aside = path[-1].lower().endswith("code") and owner and singular(owner[-1]) not in topic_words(book.api)
        found = len(path) <= _DEEPEST and not aside and choosing(book, but=output)
        return None if found else "nothing to choose by"
    told = asked or pointing(book)
    found = any(points_out(book.inputs[name]) for name in told) if told else tells_here(book.api)
    return None if found else "nothing to find it by"


def _alone(book: Book, rule: KnowRule) -> Pair | Reason:
    asked = required(book) or optional(book)[:1]
    told = next((name for name in asked if not hidden(book.inputs[name])), "")
    more = [*required(book, but=told), *optional(book, but=told)]
    if not told:
        return "nothing left to ask"
    if not all(_known(book.inputs[name], rule) for name in asked):
        return "users do not know it"
    why = _unaskable(book) or _unanswerable(book)
    return why or Pair(None, None, book.api.name, told, "zeroyes" if more else "zerozero", "knowable")


def _unanswerable(book: Book) -> Reason | None:
    return None if max(telling(book).values(), default=0) >= WORTH else "nothing to answer with"


def _unaskable(book: Book, *, but: str = "") -> Reason | None:
    """Why nobody would answer what the agent has to ask for."""
    asked = [book.inputs[name] for name in required(book, but=but)]
    if but and (is_credential(but) or not spoken(but) or split_name(but).endswith(" ids") or but.lower() == "ids"):
        return "asks for a secret" if is_credential(but) else "no words for it"
    for one in asked:
        if against := askable(one, book.api):
            return against
    return "asks for too much" if len(asked) >= MOST_ASKED else None


def _known(one: Entity, rule: KnowRule) -> bool:
    return knowable(one.name.rpartition("|")[2], one.phrase, one.schema, rule=rule)


def _same(one: Entity, other: Entity) -> bool:
    """Whether two parameters ask for the same (spec of the published code: by name, or by phrase)."""
    if _normal(one.name) == _normal(other.name):
        return True
    first, second = _normal(one.phrase), _normal(other.phrase)
    return bool(first and second) and LCSseq.similarity(first, second) * 2 / (len(first) + len(second)) > _ALIKE


def _normal(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
