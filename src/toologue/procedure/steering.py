"""Where a walk through a graph may go: the exits that are open, and shortest ways to what is wanted.

A link with `tries` is open until its node was entered so often, or from then on. So where a walk stands is a node and
how often each limited node was entered: a `State`. Everything that walks (samplers, covers, players) asks here.

`taken` says which way values lead: results by their names, slots, facts, and `error` if a call failed.

Contract: raises BadSetting for a graph in which a walk would get lost (not one root, a node without a way to an end).

Example:
    >>> from toologue.formats.flow_text import read
    >>> graph = read("[N0](message){Hi} [N1](message){Once more} [N2](message){Bye} [E0](N0, N1){} [E1](N1, N0){} "
    ...     "[E2](N0, N2){}")
    >>> Steering(graph)
    Traceback (most recent call last):
    toologue.errors.BadSetting: graph 'flow' has no node to begin at: every node is led to
    >>> steering = Steering(read("[N0](message){Hi} [N1](message){Bye} [E0](N0, N1){So long}"))
    >>> [link.id for link in steering.way(steering.start, lambda link, state: state.node == "N1")]
    ['E0']
    >>> steering.taken(steering.start, {}).target
    'N1'

Not covered: which of several replies a customer gives. `taken` is for nodes where values decide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from toologue.errors import BadSetting
from toologue.procedure.graph_rules import lost
from toologue.schema import Graph, Link, Walk
from toologue.values.conditions import parse


class State(NamedTuple):
    """Where a walk stands: the node, and how often each limited node was entered (at most as often as it counts)."""

    node: str
    entered: tuple[int, ...] = ()


class Steering:
    """A graph as those see it who walk through it."""

    def __init__(self, graph: Graph):
        self.graph = graph
        if len(graph.roots) != 1:
            which = ", ".join(graph.roots)
            what = (
                f"{len(graph.roots)} nodes to begin at: {which}"
                if which
                else "no node to begin at: every node is led to"
            )
            raise BadSetting(f"graph {graph.id!r} has {what}")
        if astray := [violation for violation in lost(graph, graph.roots) if violation.rule == "no way out"]:
            raise BadSetting(f"graph {graph.id!r}: from {astray[0].at} no way leads to an end; a walk would not end")
        times = {link.tries.node: link.tries.times for link in graph.links if link.tries}
        self.limits = dict(sorted(times.items()))
        self._places = {node: place for place, node in enumerate(self.limits)}
        root = graph.roots[0]
        self.start = self._entered(root, (0,) * len(self.limits))

    def exits(self, state: State) -> list[Link]:
        """The links that are open in a state; none at an end."""
        exits = self.graph.exits(state.node)
        open_ones = [link for link in exits if self.is_open(link, state)]
        if exits and not open_ones:
            raise BadSetting(f"graph {self.graph.id!r}: no exit of {state.node} is open after so many tries")
        return open_ones

    def is_open(self, link: Link, state: State) -> bool:
        """Whether a link may be taken in a state, as far as tries go."""
        tries = link.tries
        return tries is None or (state.entered[self._places[tries.node]] >= tries.times) == tries.over

    def taken(self, state: State, values: Mapping[str, JsonValue]) -> Link | None:
        """The link that values lead down: the first open one whose condition holds. None if there is no such link."""
        return next(
            (link for link in self.exits(state) if not link.condition or parse(link.condition).holds(values)), None
        )

    def after(self, state: State, link: Link) -> State:
        """The state that a link leads to."""
        return self._entered(link.target, state.entered)

    def way(self, state: State, wanted: Callable[[Link, State], bool]) -> list[Link] | None:
        """The shortest way on whose last link, and the state it leads to, are wanted. None if there is no such way."""
        came: dict[State, list[Link]] = {state: []}
        waiting = deque([state])
        while waiting:
            here = waiting.popleft()
            for link in self.exits(here):
                there = self.after(here, link)
                if wanted(link, there):
                    return [*came[here], link]
                if there not in came:
                    came[there] = [*came[here], link]
                    waiting.append(there)
        return None

    def out(self, state: State) -> list[Link]:
        """The shortest way to an end; empty at an end."""
        if not self.graph.exits(state.node):
            return []
        return self.way(state, lambda _, there: not self.graph.exits(there.node)) or []

    def walk(self, links: list[Link]) -> Walk:
        """The walk that links make from the root."""
        nodes = (self.start.node, *(link.target for link in links))
        return Walk(graph=self.graph.id, nodes=nodes, links=tuple(link.id for link in links))

    def _entered(self, node: str, entered: tuple[int, ...]) -> State:
        place = self._places.get(node)
        if place is not None and entered[place] < self.limits[node]:
            entered = (*entered[:place], entered[place] + 1, *entered[place + 1 :])
        return State(node, entered)
