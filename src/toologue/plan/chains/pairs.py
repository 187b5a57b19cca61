"""Pairs: which API finds what another one needs, and which APIs do alone; with their category and fit (ToolDial 3.2).

`edge_pairs` makes pairs of the edges of an API graph, `single_api_pairs` of single documents. What cannot become a
conversation is counted by reason.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice, zip_longest
from statistics import median
from types import MappingProxyType
from typing import Literal, NamedTuple, cast

from rapidfuzz.distance import LCSseq

from toologue import keys
from toologue.apis.entities import Entity
from toologue.apis.result_values import along, values_of
from toologue.apis.salience import askable, asked_of, hidden
from toologue.plan.api_graph.describe import Part, part
from toologue.plan.api_graph.facets import providers_of
from toologue.plan.chains.catalog import (
    DOUBTS,
    MOST_ASKED,
    ApiView,
    Catalog,
    Reason,
    alike,
    belongs,
    family,
    in_mind,
    lists,
    lost,
    news,
    normal,
    optional,
    pointed,
    pointing,
    required,
    said,
    unanswerable,
    unaskable,
    writes,
)
from toologue.plan.chains.sequences import SEQUENCES, ActionSequence, Category, Fit, Mind, fitting
from toologue.plan.chains.uses import NO_USES, Uses
from toologue.schema import Edge, Use
from toologue.schema.use import ALL, UseKey
from toologue.text.names import KnowRule, kind_of
from toologue.worlds.documented.arguments import settled

EdgeKey = tuple[str, str, str, str]

_ALIKE = 0.83


class Pair(NamedTuple):
    """Two APIs and what joins them; or a target alone, whose `parameter` users may tell with their wish."""

    source: str | None
    output: str | None
    target: str
    parameter: str
    category: Category
    fit: Fit
    # (parameter, output) of what the source's row fills beside, as a longitude beside a latitude.
    along: tuple[tuple[str, str], ...] = ()
    mind: Mind = "id"
    # What users give with their wish who are asked for several values: one of them, all, or now this and now that.
    volunteered: Literal["one", "all", "either"] = "one"

    @property
    def about(self) -> UseKey:
        """What a use of it is about."""
        output, parameter = (self.output, self.parameter) if self.source else (None, None)
        return self.source, output, self.target, parameter

    @property
    def handed(self) -> dict[str, str]:
        """The target's parameters that the source fills, each with the output that does."""
        return {self.parameter: self.output or "", **dict(self.along)}

    def sequences(self, *, published_code: bool = False) -> Iterator[ActionSequence]:
        """The sequences in which its APIs are called, all of them.

        A source that is told the name of what is meant as soon as it is missing asks for nothing.
        """
        calls, named = 2 if self.source is not None else 1, self.mind == "name"
        rest = "yes" if self.category.endswith("yes") else "zero"
        category = cast("Category", f"zero{rest}") if named else self.category
        known = fitting(category, self.fit, published_code=published_code or named)
        found = [one for one in known if not (one.adds and self.volunteered == "all")]
        found += [one for one in fitting("zerozero", self.fit) if one.adds] if self.volunteered != "one" else []
        return (one for one in dict.fromkeys(found) if one.apis == calls)


def edge_pairs(
    catalog: Catalog,
    edges: Iterable[Edge],
    dropped: Counter[Reason],
    *,
    verdicts: Mapping[EdgeKey, bool] | None = None,
    rule: KnowRule = "fixed",
    published_code: bool = False,
    chosen: bool = True,
    uses: Uses = NO_USES,
) -> Iterator[Pair]:
    """The pairs of a graph's chosen edges, or of the others. With `verdicts`, only of edges that were found valid.

    Pairs that `uses` says nobody wants are none.
    """
    seen: set[tuple[str, str]] = set()
    ends = _ends(catalog, rule)
    for edge in edges:
        against = _reason_against(catalog, edge, seen, verdicts) if edge.chosen is chosen else "not chosen"
        pair = against or _pair_of_edge(ends, edge)
        if use := uses.get((edge.source, edge.output, edge.target, edge.parameter)):
            pair = pair_of_use(use, pair, catalog)
        if isinstance(pair, Pair) and not any(pair.sequences(published_code=published_code)):
            pair = "no sequence"
        if isinstance(pair, str):
            dropped[pair] += 1
        else:
            seen.add((edge.source, edge.target))
            yield pair


def single_api_pairs(
    catalog: Catalog,
    dropped: Counter[Reason],
    *,
    names: Iterable[str] | None = None,
    rule: KnowRule = "fixed",
    uses: Uses = NO_USES,
) -> Iterator[Pair]:
    """A pair without a source of each document (of those named) whose parameters users know."""
    for name in catalog if names is None else names:
        pair = _pair_of_api(catalog.view(name), rule)
        pair = pair_of_use(use, pair, catalog) if (use := uses.of(name)) else pair
        if isinstance(pair, Pair):
            yield pair
        else:
            dropped[pair] += 1


def pair_of_use(use: Use, estimated: Pair | Reason, catalog: Catalog) -> Pair | Reason:
    """The pair that a use says people talk about: asked for is what its first example tells; else what is estimated."""
    if isinstance(estimated, str) and estimated not in DOUBTS:
        return estimated
    if not use.wanted or not use.examples:
        return "no example" if use.wanted else "nobody wants it"
    first = use.examples[0]
    told = [name for name in first.arguments if name not in settled(catalog.api(use.api))]
    if use.source is None:
        if any(name in use.asks and not use.asks[name].known for name in told):
            return "users do not know it"
        if len(told) > MOST_ASKED:
            return "asks for too much"
        more = "zeroyes" if len(told) > 1 else "zerozero"
        if not told:
            return "nothing left to ask"
        whole = all(ALL in one.openings for one in use.examples)
        volunteered = "one" if not whole else "either" if len(told) == 2 else "all"
        return Pair(None, None, use.api, told[0], more, "knowable", volunteered=volunteered)
    along = tuple(use.along.items()) or (estimated.along if isinstance(estimated, Pair) else ())
    needs = first.source_arguments.keys() - settled(catalog.api(use.source)).keys()
    rest = {*told} - {use.parameter, *dict(along)}
    found = {repr(one.value) for one in values_of(first.source_result) if one.name == use.output}
    category = cast("Category", f"{'yes' if needs else 'zero'}{'yes' if rest else 'zero'}")
    fit: Fit = "multi" if len(found) > 1 else "single"
    view = catalog.view(use.source)  # what people say to it says which one is meant; where that is, or when, may not
    kinds = [family(view.inputs[name]) for name in needs]
    apart = use.unknown and (len(kinds) > 1 or {*kinds} & {"place", "when"})
    mind: Mind = "one" if not needs else "id" if apart else "name"
    return Pair(use.source, use.output, use.api, use.parameter or "", category, fit, along, mind)


def _reason_against(
    catalog: Catalog, edge: Edge, seen: set[tuple[str, str]], verdicts: Mapping[EdgeKey, bool] | None
) -> Reason | None:
    if edge.source not in catalog or edge.target not in catalog:
        return "unknown api"
    if (edge.source, edge.target) in seen:
        return "again"
    if verdicts is None:
        return None
    verdict = verdicts.get((edge.source, edge.output, edge.target, edge.parameter))
    return None if verdict else "not checked" if verdict is None else "not valid"


class _Source(NamedTuple):
    """What an edge's source says about the pair: what it asks for, with kinds of things; whether users know all of it.

    `against`: why nobody would ask it, or could say which one is meant of what it finds; `foreign`: its id means
    nothing to others; `says`: what its result holds; `of_another`: it is of another thing than its rows are.
    """

    inputs: list[Entity]
    asked: dict[str, str]
    optional: list[str]
    known: bool
    many: bool
    against: Reason | None
    foreign: bool
    says: frozenset[Part]
    of_another: bool
    mind: Mind


class _Target(NamedTuple):
    """What an edge's target says about the pair: what it asks for beside, and what of that users do not know.

    `settled`: nobody has to find the parameter, as users know it or the documentation settles it; then the rest is
    empty. `optional` parameters stand with the kind of thing that each is about. `lists`: it tells of rows.
    """

    handed: list[Entity]
    settled: bool
    asked: list[str]
    optional: dict[str, str]
    unknown: list[str]
    against: Reason | None
    news: frozenset[Part]
    lists: bool = False


class _Ends:
    """The two ends of edges, each looked at once: thousands of edges end at one parameter."""

    def __init__(self, catalog: Catalog, rule: KnowRule):
        self.catalog = catalog
        self._rule: KnowRule = rule
        self.source, self.target = cache(self._source), cache(self._target)
        self._said, self._providers = cache(self._said_by), cache(self._providers_of)

    def joint(self, source: str, target: str) -> bool:
        """Whether two Apis give out the same ids: both are of one provider, by whomever they are served."""
        return bool(self._providers(source) & self._providers(target))

    def _providers_of(self, name: str) -> frozenset[str]:
        return providers_of(self.catalog.api(name))

    def _said_by(self, name: str) -> frozenset[Part]:
        return said(self.catalog.view(name))

    def _source(self, name: str, output: str) -> _Source | None:
        view = self.catalog.view(name)
        if output not in view.outputs:
            return None
        asked = required(view)
        many = view.outputs[output].many and not pointed(view, output, asked)
        against = "the source writes" if writes(view.api) else unaskable(view)
        against = against or (None if belongs(view, output) else "another's id")
        return _Source(
            list(view.inputs.values()),
            {name: asked_of(view.inputs[name], view.api) for name in asked},
            optional(view, but=asked) if many else pointing(view, but=asked),
            all(view.known(one, self._rule) for one in asked),
            many,
            against or lost(view, output, asked, many=many),
            not kind_of(view.outputs[output].path),
            self._said(name),
            part(output, view.subject).owner not in {view.subject, *view.heads},
            in_mind(view, output, asked, many=many) if self._rule == "fixed" else "id",
        )

    def _target(self, name: str, *handed: str) -> _Target | None:
        view = self.catalog.view(name)
        given = [view.inputs[one] for one in handed if one in view.inputs]
        if not given:
            return None
        if view.in_mind(given[0].name, self._rule) or given[0].name in settled(view.api):
            return _Target(given, True, [], {}, [], None, frozenset())
        asked = required(view, but=handed)
        unknown = [
            one for one in asked
            if not view.known(one, self._rule) or askable(view.inputs[one], view.api) == "no words for it"
        ]  # fmt: skip
        told = news(view, given)
        against = unaskable(view, handed) or unanswerable(view, told)
        more = {name: asked_of(view.inputs[name], view.api) for name in optional(view, but=handed)}
        return _Target(given, False, asked, more, unknown, against, told, lists(view))


def forget_edges() -> None:
    """Let go of what is known of the ends of edges: it keeps their documents."""
    _ends.cache_clear()


@lru_cache(maxsize=2)
def _ends(catalog: Catalog, rule: KnowRule) -> _Ends:
    return _Ends(catalog, rule)


def _pair_of_edge(ends: _Ends, edge: Edge) -> Pair | Reason:
    target = ends.target(edge.target, edge.parameter)
    if target is not None and target.settled:
        return "users know it"
    source = ends.source(edge.source, edge.output)
    if source is None or target is None:
        return "unknown entity"
    beside = along(edge.output, ends.catalog.view(edge.source).outputs, target.unknown) if target.unknown else ()
    if beside:
        target = ends.target(edge.target, edge.parameter, *dict(beside)) or target
    if any(_same(one, other) for one in source.inputs for other in target.handed):
        return "the source takes it"
    if source.foreign and not (_tool(edge.source) == _tool(edge.target) or ends.joint(edge.source, edge.target)):
        return "another's id"
    if any(alike(one, other) for one in source.asked for other in target.asked):
        return "asks twice"

    def told(name: str, kind: str) -> bool:
        return any(alike(name, one) or (kind and kind == other) for one, other in source.asked.items())

    rest = target.asked or [name for name, kind in target.optional.items() if not told(name, kind)]
    needs = bool(source.asked or source.optional)
    if why := source.against or target.against:
        return why
    if target.news <= source.says and not (target.lists and source.of_another):
        return "the source has the answer"
    if target.unknown or not source.known:
        return "users do not know it"
    category = cast("Category", f"{'yes' if needs else 'zero'}{'yes' if rest else 'zero'}")
    fit: Fit = "multi" if source.many else "single"
    return Pair(edge.source, edge.output, edge.target, edge.parameter, category, fit, beside, source.mind)


def _tool(name: str) -> list[str]:
    """Who provides an Api: `Category|tool`; nobody else where names say none."""
    return name.split("|")[:-1]


def _pair_of_api(view: ApiView, rule: KnowRule) -> Pair | Reason:
    asked = required(view) or optional(view)[:1]
    told = next((name for name in asked if not hidden(view.inputs[name])), "")
    more = [*required(view, but=(told,)), *optional(view, but=(told,))]
    if not told:
        return "nothing left to ask"
    if not all(view.known(name, rule) for name in asked):
        return "users do not know it"
    why = unaskable(view) or unanswerable(view, news(view))
    return why or Pair(None, None, view.api.name, told, "zeroyes" if more else "zerozero", "knowable")


def _same(one: Entity, other: Entity) -> bool:
    if normal(one.name) == normal(other.name):
        return True
    first, second = normal(one.phrase), normal(other.phrase)
    return bool(first and second) and LCSseq.similarity(first, second) * 2 / (len(first) + len(second)) > _ALIKE


# Turns of a sequence in one block.
_MOST = 8
# So many tries weigh as much as a conversation that came about.
_PATIENCE = 8


class Job(NamedTuple):
    """A conversation to plan: its number, its sequence, its pair."""

    number: int
    sequence: str
    pair: Pair


def sample_pairs(pairs: Iterable[Pair], most: int, *, seed: int = 0) -> list[Pair]:
    """At most so many pairs, drawn in rounds over category and fit."""
    kinds: dict[tuple[Category, Fit], list[Pair]] = {}
    for pair in pairs:
        kinds.setdefault((pair.category, pair.fit), []).append(pair)
    for kind, cell in kinds.items():
        random.Random(keys.seed_of(seed, "sample", *kind)).shuffle(cell)
    rounds = zip_longest(*kinds.values())
    return list(islice((pair for one in rounds for pair in one if pair is not None), most))


def jobs(
    pairs: Iterable[Pair],
    *,
    cap: int,
    seed: int = 0,
    published_code: bool = False,
    come: Mapping[str, int] = MappingProxyType({}),
    made: Mapping[Pair, int] = MappingProxyType({}),
) -> Iterator[Job]:
    """Jobs without end, or until every pair was taken `cap` times, or its target five times as often."""
    pools = _pools(pairs, seed, published_code)
    taken: Counter[Pair | str] = Counter()
    order, number, block = list(pools), 0, 0
    while pools:
        random.Random(keys.seed_of(seed, "block", block)).shuffle(order)
        usual = median(come.values()) if come else 0
        for name in [one for one in order for _ in range(_turns(usual, come.get(one, 0))) if one in pools]:
            if name not in pools or (SEQUENCES[name].apis < 2 and len(pools) > 1 and block % 3 == 2):
                continue
            pair = _draw(pools[name], taken, cap, made)
            if pair is None:
                del pools[name]
                continue
            taken.update((pair, pair.target))
            yield Job(number, name, pair)
            number += 1
        block += 1


def _turns(usual: float, come: int) -> int:
    return max(1, min(_MOST, int(usual / (come + 1))))


def _draw(targets: deque[deque[Pair]], taken: Counter[Pair | str], cap: int, made: Mapping[Pair, int]) -> Pair | None:
    while targets:
        pairs = targets.popleft()
        while pairs:
            pair = min(pairs, key=lambda one: _PATIENCE * made.get(one, 0) + taken[one])
            pairs.remove(pair)
            if taken[pair.target] >= 5 * cap:
                break
            if taken[pair] < cap:
                pairs.append(pair)
                targets.append(pairs)
                return pair
    return None


def _pools(pairs: Iterable[Pair], seed: int, published_code: bool) -> dict[str, deque[deque[Pair]]]:
    fitting: dict[str, dict[str, list[Pair]]] = {name: {} for name in SEQUENCES}
    for pair in pairs:
        names = [one.key for one in pair.sequences(published_code=published_code)]
        for name in names if pair.source else [*names, "13.1"]:
            fitting[name].setdefault(pair.target, []).append(pair)
    pools = dict[str, deque[deque[Pair]]]()
    for name, by_target in fitting.items():
        if not by_target and SEQUENCES[name].published_code_only and not published_code:
            continue
        rng, targets = random.Random(keys.seed_of(seed, name)), list(by_target.values())
        for one in (*targets, targets):
            rng.shuffle(one)
        pools[name] = deque(map(deque, targets))
    return pools
