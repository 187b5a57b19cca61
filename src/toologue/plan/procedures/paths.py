"""Paths through a graph, and what they have seen of it: random walks, Algorithm 1 of ALMITA (3.7), and covers.

    vanilla     at each node any child with equal chances
    weighted    Algorithm 1: a child with a chance inversely proportional to its weight, which is how often it was
                visited, plus one; weights live from path to path
    cover       every edge, or every pair of consecutive choices, in as few paths as possible: a least flow with demands

A pair leaves out what only wrong values show: after a question that is put again, so many times at most, the last
branch (otherwise) counts and no other, nor does the way out after so many tries. Edges have each of these once.
Samplers stream: a longer run begins with the shorter one. All keep to what limits on tries allow.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from importlib import import_module
from itertools import islice
from typing import Any, Generic, Literal, NamedTuple, TypeVar

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
    links, pairs = _takeable(graph)
    return links, frozenset(pair for pair in pairs if _counts(graph, *pair))


def _takeable(graph: Graph) -> tuple[frozenset[str], frozenset[Pair]]:
    """The links, and what can come right after each other of them, that some walk can take."""
    steering = Steering(graph)
    links, pairs = set[str](), set[Pair]()
    waiting = [(steering.start, "")]
    found = set(waiting)
    for state, before in waiting:  # grows while it is read
        chooses = len(graph.exits(state.node)) > 1
        for link in steering.exits(state):
            links.add(link.id)
            if chooses and before:
                pairs.add((before, link.id))
            new = steering.after(state, link), link.id if chooses else before
            if new not in found:
                found.add(new)
                waiting.append(new)
    return frozenset(links), frozenset(pairs)


def _link_text(graph: Graph, id: str) -> str:
    link = graph.by_link[id]
    ends = (graph.by_id[link.target], graph.by_id[link.source])
    return link.text or next((node.text for node in ends if node.type == "user"), link.id)


Goal = Literal["edges", "pairs"]
# What a cover has to see: a link, by its id, a pair of choices, or a side of a bound (`bounds.Side`).
Sight = str | Pair | tuple[str, str, bool]

_DRAWS, _MOST = 10, 50_000
_START, _END = "\0start", "\0end"


class _Arc(NamedTuple):
    source: str
    target: str
    links: tuple[Link, ...]
    least: int = 1


_Trail = list[_Arc]
_Allowed = Callable[[_Trail], bool]


def wanted(graph: Graph, goal: Goal) -> frozenset[Sight]:
    """All that a cover has to see. Pairs take in edges, for the sake of a graph without choices."""
    links, pairs = possible(graph)
    return frozenset[Sight](links | pairs) if goal == "pairs" else frozenset[Sight](links)


def sights(graph: Graph, walk: Walk, goal: Goal) -> frozenset[Sight]:
    """What a walk sees."""
    return frozenset[Sight]([*walk.links, *(pairs_of(graph, walk.links) if goal == "pairs" else ())])


def fewest(graph: Graph, goal: Goal) -> int:
    """How many walks any cover needs at least."""
    return _least_flow(_network(graph, goal))[0]


def covering(graph: Graph, goal: Goal, *, max_loops: int = 2, rng: random.Random) -> list[Walk]:
    """Walks that see everything. A node comes at most `1 + max_loops` times in each, unless there is no other way."""
    steering = Steering(graph)
    arcs = _network(graph, goal)

    def allowed(trail: _Trail) -> bool:
        came = Counter([steering.start.node, *(link.target for arc in trail for link in arc.links)])
        return all(times <= steering.limits.get(node, 1 + max_loops) for node, times in came.items())

    trails = _trails(arcs, allowed, rng)
    walks = [steering.walk(_steer(steering, [link for arc in trail for link in arc.links])) for trail in trails]
    missing = set(wanted(graph, goal)).difference(*(sights(graph, walk, goal) for walk in walks))
    for sight in sorted(missing, key=lambda sight: (isinstance(sight, str), sight)):  # pairs see links as well
        if sight in missing:
            walks.append(walk_seeing(steering, sight))
            missing -= sights(graph, walks[-1], goal)
    return walks


def _network(graph: Graph, goal: Goal) -> list[_Arc]:
    links, pairs = _takeable(graph)
    (root,) = graph.roots
    if goal == "edges":
        arcs = [_Arc(link.source, link.target, (link,)) for link in graph.links if link.id in links]
        return [_Arc(_START, root, (), 0), *arcs, *(_Arc(leaf, _END, (), 0) for leaf in graph.leaves)]
    choices = [link for link in graph.links if link.id in links and len(graph.exits(link.source)) > 1]
    arcs = list[_Arc]()
    for before in (None, *choices):
        forced, node = _stretch(graph, before.target if before else root)
        source = before.id if before else _START
        if node in graph.leaves:
            arcs.append(_Arc(source, _END, forced))
        for link in graph.exits(node) if node not in graph.leaves else ():
            if (source, link.id) in pairs or (not before and link.id in links):
                least = int(before is not None and _counts(graph, before.id, link.id))
                arcs.append(_Arc(source, link.id, (*forced, link), least))
    if len(arcs) > _MOST:
        what = f"graph {graph.id!r} has {len(arcs):,} pairs of consecutive choices, and covers are found for {_MOST:,}"
        raise BadSetting(f"{what}: cover its edges (--goal edges)")
    return arcs


def _stretch(graph: Graph, node: str) -> tuple[tuple[Link, ...], str]:
    """The links that follow a node without any choice, and where they lead."""
    links: list[Link] = []
    while len(exits := graph.exits(node)) == 1:
        links.append(exits[0])
        node = exits[0].target
    return tuple(links), node


def _least_flow(arcs: Sequence[_Arc]) -> tuple[int, list[int]]:
    """How many units flow from start to end, and how many through each arc; of all least flows a shortest."""
    networkx: Any = import_module("networkx")
    network: Any = networkx.MultiDiGraph()
    needs = Counter[str]()
    for place, arc in enumerate(arcs):
        needs[arc.source] += arc.least
        needs[arc.target] -= arc.least
        network.add_edge(arc.source, arc.target, key=place, weight=len(arc.links))
    dear = (1 + sum(len(arc.links) for arc in arcs)) * (1 + len(arcs))
    network.add_edge(_END, _START, key=-1, weight=dear)
    for vertex in network:
        network.nodes[vertex]["demand"] = needs[vertex]
    _, flow = networkx.network_simplex(network)
    return flow[_END][_START][-1], [arc.least + flow[arc.source][arc.target][i] for i, arc in enumerate(arcs)]


def _trails(arcs: Sequence[_Arc], allowed: _Allowed, rng: random.Random) -> list[_Trail]:
    count, flow = _least_flow(arcs)
    best: list[_Trail] = []
    for _ in range(_DRAWS):
        trails, circles = _decompose(arcs, count, flow, rng)
        _join_circles(trails, circles, arcs, allowed)
        best = trails if not best or len(trails) < len(best) else best
        if len(best) == count:
            break
    return best


def _decompose(
    arcs: Sequence[_Arc], count: int, flow: list[int], rng: random.Random
) -> tuple[list[_Trail], list[_Trail]]:
    """The flow as trails from start to end, and circles, neither with a vertex that comes twice."""
    left = dict(enumerate(flow))
    leaving: dict[str, list[int]] = {}
    for place, arc in enumerate(arcs):
        leaving.setdefault(arc.source, []).append(place)
    circles: list[_Trail] = []

    def trail_from(vertex: str) -> _Trail:
        """Follow the flow until there is none; circles are cut out on the way."""
        trail: _Trail = []
        while places := [place for place in leaving.get(vertex, ()) if left[place]]:
            place = rng.choice(places)
            left[place] -= 1
            trail.append(arcs[place])
            vertex = arcs[place].target
            again = next((i for i, arc in enumerate(trail) if arc.source == vertex), None)
            if again is not None:
                circles.append(trail[again:])
                del trail[again:]
        return trail

    trails = [trail_from(_START) for _ in range(count)]
    for place, arc in enumerate(arcs):
        while left[place]:
            trail_from(arc.source)
    return trails, circles


def _join_circles(trails: list[_Trail], circles: list[_Trail], arcs: Sequence[_Arc], allowed: _Allowed) -> None:
    """Put each circle into a trail that passes by, the shortest first, or give it a trail of its own."""
    left = deque(circles)
    idle = 0
    while left:
        circle = left.popleft()
        joined = next((made for made in _with_circle(trails, circle) if allowed(made[1])), None)
        if joined:
            trails[joined[0]], idle = joined[1], 0
        elif idle < len(left):  # another circle may lead here first
            left.append(circle)
            idle += 1
        else:
            source = circle[0].source
            trails.append([*_shortest(arcs, _START, source), *circle, *_shortest(arcs, source, _END)])
            idle = 0


def _with_circle(trails: list[_Trail], circle: _Trail) -> Iterator[tuple[int, _Trail]]:
    begins = {arc.source: place for place, arc in enumerate(circle)}
    for number in sorted(range(len(trails)), key=lambda number: sum(len(arc.links) for arc in trails[number])):
        trail = trails[number]
        for place, arc in enumerate(trail):
            if arc.source in begins:
                turn = begins[arc.source]
                yield number, [*trail[:place], *circle[turn:], *circle[:turn], *trail[place:]]
                break


def _shortest(arcs: Sequence[_Arc], source: str, target: str) -> _Trail:
    found = way(source, lambda here: ((a, a.target) for a in arcs if a.source == here), lambda _, to: to == target)
    assert found is not None, "every vertex lies between start and end"
    return found


def _steer(steering: Steering, planned: Sequence[Link]) -> list[Link]:
    """The planned walk as limits allow it: round again before a way that opens late, out where one has closed."""
    state, links = steering.start, list[Link]()
    for link in planned:
        if not steering.is_open(link, state):
            again = steering.way(state, lambda _, to, link=link: to.node == link.source and steering.is_open(link, to))
            if again is None:
                break
            links += again
            state = steering.along(state, again)
        links.append(link)
        state = steering.after(state, link)
    return [*links, *steering.out(state)]


def walk_seeing(steering: Steering, sight: Sight) -> Walk:
    """A short walk that sees a link, or a pair."""
    graph = steering.graph
    first, then = (sight, None) if isinstance(sight, str) else (sight[0], graph.by_link[sight[1]])

    def sees(link: Link, there: State) -> bool:
        onward = _stretch(graph, there.node)[0]
        return link.id == first and (then is None or then in steering.exits(steering.along(there, onward)))

    links = steering.way(steering.start, sees) or []
    if then is not None:
        links = [*links, *_stretch(graph, graph.by_link[first].target)[0], then]
    return steering.walk([*links, *steering.out(steering.along(steering.start, links))])


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


def cover(graph: Graph, goal: Goal = "pairs", *, until: float = 1.0, max_loops: int = 2, seed: int = 0) -> list[Walk]:
    """Walks that see a share `until` of all edges, or of all pairs and edges; those that see most come first.

    A node comes at most `1 + max_loops` times in a walk, unless there is no other way to what has to be seen.
    """
    if not 0 <= until <= 1:
        raise BadSetting(f"until is {until}: a share from 0 to 1 is wanted, for example 0.9")
    if max_loops < 0:
        raise BadSetting(f"max_loops is {max_loops}: a number from 0 on is wanted")
    rng = random.Random(keys.seed_of(seed, "cover", goal))
    walks = covering(graph, goal, max_loops=max_loops, rng=rng)
    everything = len(wanted(graph, goal))
    picks = greedy([sights(graph, walk, goal) for walk in walks])
    return [walks[place] for place, missing in picks if everything - missing < until * everything]


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
