"""Coverage: how much of a graph walks have seen, by node, by edge, and by pair of consecutive choices.

A choice is a link out of a node that has others, too. A pair is a choice and one that can come next, whatever lies
between them: not only "found" and "refund" have been seen, but "found, then refund". What limits on tries forbid is
never counted.

Example:
    >>> from toologue.formats.flow_text import read
    >>> graph = read('''[N0](start_message){Hi} [E0](N0, N1){Late} [N1](api){get_order} [E1](N1, N2){Found}
    ...     [E2](N1, N3){Lost} [N2](message){Refund?} [N3](end_message){Sorry} [E3](N2, N3){No} [E4](N2, N4){Yes}
    ...     [N4](end_message){Done}''')
    >>> seen = coverage(graph, [Walk(graph="flow", nodes=("N0", "N1", "N2", "N3"), links=("E0", "E1", "E3"))])
    >>> str(seen.nodes), str(seen.edges), str(seen.pairs), sorted(seen.pairs.missing)
    ('4/5', '3/5', '1/2', [('E1', 'E4')])

Not covered: pairs that lie further apart, and pairs that data rule out: only execution knows those.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from toologue.procedure.steering import State, Steering
from toologue.schema import Graph, Link, Walk

T = TypeVar("T", bound=Hashable)
Pair = tuple[str, str]
"""The ids of two links: a choice, and the next one."""


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
    nodes = {*graph.roots, *(graph.by_link[id].target for id in links)}
    seen: tuple[set[str], set[str], set[Pair]] = set(), set(), set()
    for walk in walks:
        seen[0].update(walk.nodes)
        seen[1].update(walk.links)
        seen[2].update(pairs_of(graph, walk.links))
    return Coverage(
        Share(frozenset(seen[0] & nodes), frozenset(nodes)),
        Share(frozenset(seen[1] & links), links),
        Share(frozenset(seen[2] & pairs), pairs),
    )


def missing_lines(graph: Graph, seen: Coverage) -> list[Missing]:
    """What was not seen, in the order of the lines of the procedure: steps, ways on, and ways on after others."""
    by_link = graph.by_link
    found = [
        Missing(node.line, node.step, "step", node.text) for node in map(graph.by_id.__getitem__, seen.nodes.missing)
    ]
    for link in map(by_link.__getitem__, seen.edges.missing):
        found.append(_missing(graph, link, "way", _said(graph, link)))
    for first, then in seen.pairs.missing:
        text = f"{_said(graph, by_link[first])}, then {_said(graph, by_link[then])}"
        found.append(_missing(graph, by_link[then], "pair", text))
    return sorted(set(found), key=lambda one: (one.line, one.what, one.text))


def pairs_of(graph: Graph, links: Iterable[str]) -> Iterator[Pair]:
    """The pairs of consecutive choices in a walk."""
    before: str | None = None
    for id in links:
        if len(graph.exits(graph.by_link[id].source)) > 1:
            if before is not None:
                yield before, id
            before = id


def possible(graph: Graph) -> tuple[frozenset[str], frozenset[Pair]]:
    """The links and the pairs that some walk can take."""
    steering = Steering(graph)
    links: set[str] = set()
    pairs: set[Pair] = set()
    found: set[tuple[State, str]] = {(steering.start, "")}
    waiting = deque(found)
    while waiting:
        state, before = waiting.popleft()
        for link in steering.exits(state):
            links.add(link.id)
            chosen = before
            if len(graph.exits(state.node)) > 1:
                chosen = link.id
                pairs.update([(before, link.id)] if before else [])
            new = (steering.after(state, link), chosen)
            if new not in found:
                found.add(new)
                waiting.append(new)
    return frozenset(links), frozenset(pairs)


def _missing(graph: Graph, link: Link, what: str, text: str) -> Missing:
    return Missing(link.line, graph.by_id[link.source].step, what, text)


def _said(graph: Graph, link: Link) -> str:
    """What a link says: its text, or the words of the user node that it leads to or leaves."""
    ends = (graph.by_id[link.target], graph.by_id[link.source])
    return link.text or next((node.text for node in ends if node.type == "user"), link.id)
