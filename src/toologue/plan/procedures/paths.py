"""Paths through a graph, and what they have seen of it: random walks, Algorithm 1 of ALMITA (3.7), and covers.

    vanilla     at each node any child with equal chances
    weighted    Algorithm 1: a child with a chance inversely proportional to its weight, which is how often it was
                visited, plus one; weights live from path to path
    cover       every edge, or every pair of consecutive choices, in few paths: each goes on to what no other has seen

A pair leaves out what only wrong values show: after a question that is put again, so many times at most, the last
branch (otherwise) counts and no other, nor does the way out after so many tries. Edges have each of these once.
Samplers stream: a longer run begins with the shorter one. All keep to what limits on tries allow.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Generic, Literal, NamedTuple, TypeVar

from toologue import keys
from toologue.errors import BadSetting
from toologue.procedure.course import State, Steering
from toologue.schema import Graph, Link, Walk
from toologue.schema.procedure import way

T = TypeVar("T", bound=Hashable)
# The ids of two links: a choice, and the next one.
Pair = tuple[str, str]


@dataclass(frozen=True)
class Share(Generic[T]):
    """What was seen of what there is."""

    seen: frozenset[T]
    all: frozenset[T]

    @property
    def missing(self) -> frozenset[T]:
        """What was not seen."""
        return self.all - self.seen

    @property
    def value(self) -> float | None:
        """The share that was seen, from 0 to 1; None where there is nothing to see."""
        return len(self.seen) / len(self.all) if self.all else None

    def __str__(self) -> str:
        return f"{len(self.seen)}/{len(self.all)}"


@dataclass(frozen=True)
class Coverage:
    """Three shares of a graph."""

    nodes: Share[str]
    edges: Share[str]
    pairs: Share[Pair]


class Missing(NamedTuple):
    """Something of a procedure that no walk has seen: its line, its step, what it is, what it says."""

    line: int
    step: int | None
    what: str
    text: str


def coverage(graph: Graph, walks: Iterable[Walk]) -> Coverage:
    """What walks through a graph have seen of it. Takes walks as they come, and keeps none."""
    links, pairs = possible(graph)
    nodes = frozenset((*graph.roots, *(graph.by_link[id].target for id in links)))
    seen_nodes, seen_links, seen_pairs = set[str](), set[str](), set[Pair]()
    for walk in walks:
        seen_nodes.update(walk.nodes)
        seen_links.update(walk.links)
        seen_pairs.update(pairs_of(graph, walk.links))
    return Coverage(
        Share(nodes & seen_nodes, nodes), Share(links & seen_links, links), Share(pairs & seen_pairs, pairs)
    )


def missing_lines(graph: Graph, seen: Coverage) -> list[Missing]:
    """What was not seen, in the order of the lines of the procedure: steps, ways on, and ways on after others."""
    nodes = (graph.by_id[id] for id in seen.nodes.missing)
    found = [Missing(node.line, node.step, "step", node.text) for node in nodes]
    for first, then in seen.pairs.missing:
        found.append(_missing(graph, then, "pair", f"{_link_text(graph, first)}, then {_link_text(graph, then)}"))
    return _in_order([*found, *way_lines(graph, seen.edges.missing)])


def way_lines(graph: Graph, links: Iterable[str]) -> list[Missing]:
    """Some ways on, in the order of the lines of the procedure."""
    return _in_order(_missing(graph, id, "way", _link_text(graph, id)) for id in links)


def _missing(graph: Graph, link: str, what: str, text: str) -> Missing:
    way = graph.by_link[link]
    return Missing(way.line, graph.by_id[way.source].step, what, text)


def _in_order(found: Iterable[Missing]) -> list[Missing]:
    return sorted(set(found), key=lambda one: (one.line, one.what, one.text))


def pairs_of(graph: Graph, links: Iterable[str]) -> Iterator[Pair]:
    """The pairs of consecutive choices in a walk."""
    before: str | None = None
    for id in links:
        if len(graph.exits(graph.by_link[id].source)) > 1:
            if before is not None and _counts(graph, before, id):
                yield before, id
            before = id


def _counts(graph: Graph, first: str, then: str) -> bool:
    """Whether two choices are a pair: the next is no way out after so many tries, and after a try the last of all."""
    link = graph.by_link[then]
    last = graph.exits(link.source)[-1].id == then and not link.tries
    return not (link.tries and link.tries.over) and (last or graph.by_link[first].tries is None)


def possible(graph: Graph) -> tuple[frozenset[str], frozenset[Pair]]:
    """The links and the pairs that some walk can take."""
    steering = Steering(graph)
    links, pairs = set[str](), set[Pair]()
    waiting = [_Place(steering.start)]
    found = set(waiting)
    for place in waiting:  # grows while it is read
        for step in _steps(steering, place):
            links.add(step.link.id)
            if step.pair and _counts(graph, *step.pair):
                pairs.add(step.pair)
            if step.there not in found:
                found.add(step.there)
                waiting.append(step.there)
    return frozenset(links), frozenset(pairs)


class _Place(NamedTuple):
    """Where a walk stands, and the last choice on its way there."""

    state: State
    choice: str = ""


class _Step(NamedTuple):
    """A link, the two choices that it completes, and where it leads."""

    link: Link
    pair: Pair | None
    there: _Place


def _steps(steering: Steering, place: _Place) -> Iterator[_Step]:
    chooses = len(steering.graph.exits(place.state.node)) > 1
    for link in steering.exits(place.state):
        there = _Place(steering.after(place.state, link), link.id if chooses else place.choice)
        yield _Step(link, (place.choice, link.id) if chooses and place.choice else None, there)


def _link_text(graph: Graph, id: str) -> str:
    link = graph.by_link[id]
    ends = (graph.by_id[link.target], graph.by_id[link.source])
    return link.text or next((node.text for node in ends if node.type == "user"), link.id)


Goal = Literal["edges", "pairs"]
# What a cover has to see: a link, by its id, a pair of choices, or a side of a bound (`bounds.Side`).
Sight = str | Pair | tuple[str, str, bool]

# So much a cover may have to see.
_MOST = 5_000


def wanted(graph: Graph, goal: Goal) -> frozenset[Sight]:
    """All that a cover has to see. Pairs take in edges, for the sake of a graph without choices."""
    links, pairs = possible(graph)
    return frozenset[Sight](links | pairs) if goal == "pairs" else frozenset[Sight](links)


def sights(graph: Graph, walk: Walk, goal: Goal) -> frozenset[Sight]:
    """What a walk sees."""
    return frozenset[Sight]([*walk.links, *(pairs_of(graph, walk.links) if goal == "pairs" else ())])


def walk_seeing(steering: Steering, sight: Sight) -> Walk:
    """A short walk that sees a link, or a pair."""
    return _walk(steering, _nearest(steering, _Place(steering.start), {sight}))


def _nearest(
    steering: Steering, place: _Place, missing: Collection[Sight], *, closed: Collection[str] = ()
) -> list[_Step]:
    """The shortest way on to something that is missing, over no closed node; empty where there is none."""

    def onward(here: _Place) -> Iterator[tuple[_Step, _Place]]:
        return ((step, step.there) for step in _steps(steering, here) if step.there.state.node not in closed)

    return way(place, onward, lambda step, _: step.link.id in missing or step.pair in missing) or []


def _long_walk(steering: Steering, missing: Collection[Sight], max_loops: int) -> Walk:
    """A walk to what is missing and near, and on to more of it, ends last, as long as no node comes too often."""
    left, steps = {*missing}, list[_Step]()
    more = _nearest(steering, _Place(steering.start), missing)
    while more:
        steps += more
        left = left.difference(sight for step in more for sight in (step.link.id, step.pair))
        came = Counter([steering.start.node, *(step.there.state.node for step in steps)])
        worn = {node for node, times in came.items() if times > max_loops}
        more = _nearest(steering, steps[-1].there, left, closed=worn.union(steering.graph.leaves))
        more = more or _nearest(steering, steps[-1].there, left, closed=worn)
    return _walk(steering, steps)


def _walk(steering: Steering, steps: Sequence[_Step]) -> Walk:
    """The walk of these steps, and on to the nearest end."""
    end = steps[-1].there.state if steps else steering.start
    return steering.walk([*(step.link for step in steps), *steering.out(end)])


def vanilla(graph: Graph, count: int, *, seed: int = 0) -> Iterator[Walk]:
    """`count` random walks."""
    rng = random.Random(keys.seed_of(seed, "vanilla"))
    return islice(_walks(graph, rng, rng.choice), count)


def weighted(graph: Graph, count: int, *, seed: int = 0) -> Iterator[Walk]:
    """`count` walks by Algorithm 1."""
    rng = random.Random(keys.seed_of(seed, "weighted"))
    weights = Counter({node.id: 1 for node in graph.nodes})

    def sample_node(children: Sequence[str]) -> str:
        (node,) = rng.choices(children, [1 / weights[child] for child in children])
        weights[node] += 1
        return node

    return islice(_walks(graph, rng, sample_node), count)


def cover(graph: Graph, goal: Goal = "pairs", *, max_loops: int = 2) -> list[Walk]:
    """Walks that see all edges, or all pairs and edges; those that see most come first.

    A node comes at most `1 + max_loops` times in a walk, unless there is no other way to what has to be seen.
    """
    if max_loops < 0:
        raise BadSetting(f"max_loops is {max_loops}: a number from 0 on is wanted")
    everything, walks, steering = wanted(graph, goal), list[Walk](), Steering(graph)
    if len(everything) > _MOST:
        what = f"graph {graph.id!r} has {len(everything):,} {goal}, and covers are found for {_MOST:,}"
        raise BadSetting(f"{what}: draw paths (--sampler weighted)")
    missing = set(everything)
    while missing:
        walks.append(_long_walk(steering, missing, max_loops))
        missing -= sights(graph, walks[-1], goal)
    return [walks[place] for place, _ in greedy([sights(graph, walk, goal) for walk in walks])]


def greedy(sets: Sequence[Collection[Hashable]]) -> Iterator[tuple[int, int]]:
    """Yield (the place of the set that has most of what is missing, how much that was), until nothing is missing."""
    missing = set[Hashable]().union(*sets)
    bounds = [(-len(one), place) for place, one in enumerate(sets)]  # a set never sees more than when it was last asked
    heapify(bounds)
    while missing:
        bound, best = heappop(bounds)
        sees = -len(missing.intersection(sets[best]))
        if sees == bound:
            yield best, len(missing)
            missing.difference_update(sets[best])
        else:
            heappush(bounds, (sees, best))


def _walks(graph: Graph, rng: random.Random, sample_node: Callable[[Sequence[str]], str]) -> Iterator[Walk]:
    steering = Steering(graph)
    while True:
        state, links = steering.start, list[Link]()
        sample_node([state.node])
        while exits := steering.exits(state):
            node = sample_node(list(dict.fromkeys(link.target for link in exits)))
            link = rng.choice([link for link in exits if link.target == node])
            links.append(link)
            state = steering.after(state, link)
        yield steering.walk(links)
