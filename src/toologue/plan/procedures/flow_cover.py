"""Covers in as few walks as possible: a minimum flow in which every edge, or every pair of choices, has to be used.

The links of a graph, or its pairs, are the arcs of a network from the root to one sink. The least flow that puts one
unit on each of them (networkx, network simplex) falls apart into walks and circles. Circles are put into walks that
pass by, as long as no node comes too often, and get a walk of their own where that fails. `fewest` is the value of the
flow: no cover has fewer walks, whatever its loops.

Limits on tries are no matter of flows. A walk that takes a way that is not open yet goes round first, as often as it
takes; what is still unseen in the end gets the shortest walk that sees it.

Example:
    >>> from toologue.formats.flow_text import read
    >>> graph = read('''[N0](start_message){Hi} [N1](api){find} [E0](N0, N1){Late} [N2](message){Try again}
    ...     [E1](N1, N2){Lost} [E2](N2, N1){Here} [N3](end_message){Done} [E3](N1, N3){Found}''')
    >>> fewest(graph, "edges"), [" ".join(walk.links) for walk in covering(graph, "edges", rng=random.Random(0))]
    (1, ['E0 E1 E2 E3'])
    >>> fewest(graph, "pairs")
    1

Not covered: the optimum under a bound on loops. It may lie above `fewest`, and finding it is hard in general.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple

from toologue.plan.procedures.coverage import Pair, pairs_of, possible
from toologue.procedure.steering import State, Steering
from toologue.schema import Graph, Link, Walk

Goal = Literal["edges", "pairs"]
Sight = str | Pair
"""What a cover has to see: a link, by its id, or a pair of choices."""

_DRAWS = 10
_START, _END = "\0start", "\0end"


class _Arc(NamedTuple):
    """A way from one vertex of the network to another, the links it takes, and how often it must be used at least."""

    source: str
    target: str
    links: tuple[Link, ...]
    least: int = 1


_Trail = list[_Arc]


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
    trails = _trails(arcs, _Bounds(steering, max_loops), rng)
    walks = [steering.walk(_steered(steering, [link for arc in trail for link in arc.links])) for trail in trails]
    missing = set(wanted(graph, goal)).difference(*(sights(graph, walk, goal) for walk in walks))
    for sight in sorted(missing, key=lambda sight: (isinstance(sight, str), sight)):  # pairs see links as well
        if sight in missing:
            walks.append(steering.walk(_seeing(steering, sight)))
            missing -= sights(graph, walks[-1], goal)
    return walks


def _network(graph: Graph, goal: Goal) -> list[_Arc]:
    links, pairs = possible(graph)
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
                arcs.append(_Arc(source, link.id, (*forced, link), 1 if before else 0))
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


def _trails(arcs: Sequence[_Arc], bounds: _Bounds, rng: random.Random) -> list[_Trail]:
    """Trails from start to end that use all arcs: the fewest of a few draws."""
    count, flow = _least_flow(arcs)
    best: list[_Trail] = []
    for _ in range(_DRAWS):
        trails, circles = _taken_apart(arcs, count, flow, rng)
        _joined(trails, circles, arcs, bounds)
        best = trails if not best or len(trails) < len(best) else best
        if len(best) == count:
            break
    return best


def _taken_apart(
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


class _Bounds:
    """How often each node may come in a walk."""

    def __init__(self, steering: Steering, max_loops: int):
        self._root, self._most, self._limits = steering.start.node, 1 + max_loops, steering.limits

    def allow(self, trail: Iterable[_Arc]) -> bool:
        """Whether no node comes too often."""
        came = Counter(link.target for arc in trail for link in arc.links)
        came[self._root] += 1
        return all(times <= self._limits.get(node, self._most) for node, times in came.items())


def _joined(trails: list[_Trail], circles: list[_Trail], arcs: Sequence[_Arc], bounds: _Bounds) -> None:
    """Put each circle into a trail that passes by, the shortest first, or give it a trail of its own."""
    left = deque(circles)
    idle = 0
    while left:
        circle = left.popleft()
        joined = next((made for made in _with_circle(trails, circle) if bounds.allow(made[1])), None)
        if joined:
            trails[joined[0]], idle = joined[1], 0
        elif idle < len(left):  # another circle may lead here first
            left.append(circle)
            idle += 1
        else:
            trails.append(
                [*_shortest(arcs, _START, circle[0].source), *circle, *_shortest(arcs, circle[0].source, _END)]
            )
            idle = 0


def _with_circle(trails: list[_Trail], circle: _Trail) -> Iterator[tuple[int, _Trail]]:
    """(which trail, that trail with the circle in it) for each that passes by."""
    begins = {arc.source: place for place, arc in enumerate(circle)}
    for number in sorted(range(len(trails)), key=lambda number: sum(len(arc.links) for arc in trails[number])):
        trail = trails[number]
        for place, arc in enumerate(trail):
            if arc.source in begins:
                turn = begins[arc.source]
                yield number, [*trail[:place], *circle[turn:], *circle[:turn], *trail[place:]]
                break


def _shortest(arcs: Sequence[_Arc], source: str, target: str) -> _Trail:
    ways: dict[str, _Trail] = {source: []}
    waiting = deque([source])
    while waiting and target not in ways:
        here = waiting.popleft()
        for arc in arcs:
            if arc.source == here and arc.target not in ways:
                ways[arc.target] = [*ways[here], arc]
                waiting.append(arc.target)
    return ways[target]


def _steered(steering: Steering, planned: Sequence[Link]) -> list[Link]:
    """The planned walk as limits allow it: round again before a way that opens late, out where one has closed."""
    state, links = steering.start, list[Link]()
    for link in planned:
        if not steering.is_open(link, state):
            round_again = steering.way(
                state, lambda _, there, link=link: there.node == link.source and steering.is_open(link, there)
            )
            if round_again is None:
                break
            links += round_again
            for step in round_again:
                state = steering.after(state, step)
        links.append(link)
        state = steering.after(state, link)
    return [*links, *steering.out(state)]


def _seeing(steering: Steering, sight: Sight) -> list[Link]:
    """The shortest walk that sees a link, or a pair."""
    graph = steering.graph
    first, then = (sight, None) if isinstance(sight, str) else sight

    def stretch(state: State) -> tuple[list[Link], State]:
        links = list[Link]()
        while len(exits := graph.exits(state.node)) == 1:
            links.append(exits[0])
            state = steering.after(state, exits[0])
        return links, state

    def sees(link: Link, there: State) -> bool:
        if link.id != first or then is None:
            return link.id == first
        return graph.by_link[then] in (steering.exits(stretch(there)[1]))

    links = steering.way(steering.start, sees) or []
    state = steering.start
    for link in links:
        state = steering.after(state, link)
    if then is not None:
        between, state = stretch(state)
        links = [*links, *between, graph.by_link[then]]
        state = steering.after(state, graph.by_link[then])
    return [*links, *steering.out(state)]
