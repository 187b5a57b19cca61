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

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple, cast

from rapidfuzz.distance import LCSseq

from toologue.apis.co_parameters import along
from toologue.apis.entities import Entity
from toologue.apis.salience import askable, asked_of, hidden
from toologue.plan.chains.api_view import (
    alike,
    found_by_name,
    known,
    lost,
    normal,
    optional,
    pointing,
    required,
    unanswerable,
    unaskable,
)
from toologue.plan.chains.catalog import Book, Shelf
from toologue.plan.chains.reasons import Reason
from toologue.plan.chains.sequences import ActionSequence, Category, Fit, fitting
from toologue.schema import Edge
from toologue.text.knowable import KnowRule
from toologue.worlds.documented.default_arguments import settled

EdgeKey = tuple[str, str, str, str]

_ALIKE = 0.83
_NAMED, _PREFIX = 3, 4


class Pair(NamedTuple):
    """Two APIs and what joins them; or a target alone, whose `parameter` users may tell with their wish."""

    source: str | None
    output: str | None
    target: str
    parameter: str
    category: Category
    fit: Fit
    along: tuple[tuple[str, str], ...] = ()
    """(parameter, output) of what the source's row fills beside, as a longitude beside a latitude."""

    @property
    def handed(self) -> dict[str, str]:
        """The target's parameters that the source fills, each with the output that does."""
        return {self.parameter: self.output or "", **dict(self.along)}

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
    chosen: bool = True,
) -> Iterator[Pair]:
    """The pairs of a graph's chosen edges, or of the others. With `verdicts`, only of edges that were found valid."""
    seen: set[tuple[str, str]] = set()
    ends = _ends(shelf, rule)
    for edge in edges:
        found = _admitted(shelf, edge, seen, verdicts) if edge.chosen is chosen else "not chosen"
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


def _admitted(
    shelf: Shelf, edge: Edge, seen: set[tuple[str, str]], verdicts: Mapping[EdgeKey, bool] | None
) -> Reason | None:
    """Why an edge is no pair, as far as the documents need not be read."""
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
    asked: dict[str, str]
    """With the kind of thing that each is about."""
    optional: list[str]
    known: bool
    """Whether users know all that it asks for."""
    many: bool
    unaskable: Reason | None
    lost: Reason | None
    """Why nobody could say which one is meant of what it finds."""


class _Target(NamedTuple):
    """What an edge's target says about the pair; of one whose parameter users know, no more than that."""

    handed: list[Entity]
    found_out: bool
    """Whether users know the parameter, or the documentation settles it, so that nobody has to find it."""
    asked: list[str]
    optional: dict[str, str]
    """With the kind of thing that each is about."""
    unknown: list[str]
    """What is asked for beside, and users do not know, or not in words."""
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
        asked = required(book)
        many = book.outputs[output].many and not found_by_name(book, output, asked)
        return _Source(
            list(book.inputs.values()),
            {name: asked_of(book.inputs[name], book.api) for name in asked},
            optional(book, but=asked) if many else pointing(book, but=asked),
            all(known(book.inputs[one], self._rule) for one in asked),
            many,
            unaskable(book),
            lost(book, output, asked, many=many),
        )

    def _target(self, name: str, *handed: str) -> _Target | None:
        book = self._shelf.book(name)
        given = [book.inputs[one] for one in handed if one in book.inputs]
        if not given:
            return None
        if known(given[0], self._rule) or given[0].name in settled(book.api):
            return _Target(given, True, [], {}, [], None)
        asked = required(book, but=handed)
        unknown = [one for one in asked if not self._told(book, book.inputs[one])]
        against = unaskable(book, handed) or unanswerable(book, given)
        more = {name: asked_of(book.inputs[name], book.api) for name in optional(book, but=handed)}
        return _Target(given, False, asked, more, unknown, against)

    def _told(self, book: Book, one: Entity) -> bool:
        """Whether users know a parameter, and have words for it."""
        return known(one, self._rule) and askable(one, book.api) != "no words for it"

    def along(self, edge: Edge, unknown: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """What users do not know, and the source's row tells beside what it is asked for."""
        return along(edge.output, self._shelf.book(edge.source).outputs, unknown)


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
    beside = ends.along(edge, target.unknown) if target.unknown else ()
    if beside:
        target = ends.target(edge.target, edge.parameter, *dict(beside)) or target
    if any(_same(one, other) for one in source.inputs for other in target.handed):
        return "the source takes it"
    if _strangers(edge):
        return "another's id"
    if any(alike(one, other) for one in source.asked for other in target.asked):
        return "asks twice"
    rest = target.asked or [name for name, kind in target.optional.items() if not _told(name, kind, source)]
    needs = bool(source.asked or source.optional)
    if why := source.unaskable or target.against:
        return why
    if source.lost:
        return source.lost
    if target.unknown or not source.known:
        return "users do not know it"
    category = cast("Category", f"{'yes' if needs else 'zero'}{'yes' if rest else 'zero'}")
    fit: Fit = "multi" if source.many else "single"
    return Pair(edge.source, edge.output, edge.target, edge.parameter, category, fit, beside)


def _told(name: str, kind: str, source: _Source) -> bool:
    """Whether users have told a parameter with what the source asked them for."""
    return any(alike(name, one) or (kind and kind == other) for one, other in source.asked.items())


def _strangers(edge: Edge) -> bool:
    """Whether a bare id is that of a tool from another walk of life, which numbers other things."""
    source, target = edge.source.split("|"), edge.target.split("|")
    if len(source) < _NAMED or len(target) < _NAMED or edge.parameter.lower() not in ("id", "ids"):
        return False
    return source[0] != target[0] and source[1][:_PREFIX] != target[1][:_PREFIX]


def _alone(book: Book, rule: KnowRule) -> Pair | Reason:
    asked = required(book) or optional(book)[:1]
    told = next((name for name in asked if not hidden(book.inputs[name])), "")
    more = [*required(book, but=(told,)), *optional(book, but=(told,))]
    if not told:
        return "nothing left to ask"
    if not all(known(book.inputs[name], rule) for name in asked):
        return "users do not know it"
    why = unaskable(book) or unanswerable(book)
    return why or Pair(None, None, book.api.name, told, "zeroyes" if more else "zerozero", "knowable")


def _same(one: Entity, other: Entity) -> bool:
    """Whether two parameters ask for the same (spec of the published code: by name, or by phrase)."""
    if normal(one.name) == normal(other.name):
        return True
    first, second = normal(one.phrase), normal(other.phrase)
    return bool(first and second) and LCSseq.similarity(first, second) * 2 / (len(first) + len(second)) > _ALIKE
