"""Rules that flowgraphs and conversation graphs share, and how a broken one is told.

Example:
    >>> from toologue.schema import Link, Node
    >>> nodes = tuple(Node(id=id, type="message", text="Hi") for id in ("N0", "N1", "two"))
    >>> graph = Graph(id="a", kind="flowgraph", nodes=nodes, links=(Link(id="E0", source="N0", target="N0"),))
    >>> print(*misnamed(graph), *lost(graph, ["N0"]), sep="\\n")
    node ids: two: an id is N and a number
    no way out: N0: no way leads from it to an end
    unreachable: N1: the start does not lead there
    unreachable: two: the start does not lead there

Not covered: which rules a kind of graph has; `plan.flowgraph` and `plan.conversation_graph` say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toologue.schema import Graph
from toologue.schema.graph import reached


class Violation(NamedTuple):
    """A broken rule: its name, the node or link, and what is wrong there."""

    rule: str
    at: str
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.at}: {self.why}"


def misnamed(graph: Graph) -> Iterator[Violation]:
    """The ids that are not N, or E, and a number (A.4)."""
    nodes, links = [node.id for node in graph.nodes], [link.id for link in graph.links]
    for rule, letter, ids in (("node ids", "N", nodes), ("link ids", "E", links)):
        for id in ids:
            if not re.fullmatch(rf"{letter}(?:0|[1-9]\d*)", id, re.ASCII):
                yield Violation(rule, id, f"an id is {letter} and a number")


def lost(graph: Graph, starts: Sequence[str]) -> Iterator[Violation]:
    """The nodes that the starts do not lead to, and those that do not lead to an end."""
    onward = {node.id: [link.target for link in graph.exits(node.id)] for node in graph.nodes}
    back: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for link in graph.links:
        back[link.target].append(link.source)
    there, ending = reached(starts, onward), reached(graph.leaves, back)
    for node in graph.nodes:
        if node.id not in there:
            yield Violation("unreachable", node.id, "the start does not lead there")
        elif node.id not in ending:
            yield Violation("no way out", node.id, "no way leads from it to an end")
