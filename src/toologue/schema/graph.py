"""Graphs of the procedures line: the flowgraph (agent's steps), the conversation graph (messages), walks through them.

    flowgraph            nodes start_message, message, api, end_message; links are replies and outputs (ALMITA 3.4)
    conversation_graph   nodes assistant, user, api; only links out of api nodes have texts (3.5)

Nodes and links keep what a machine needs to follow them: the step and its line, the slots a message collects or a reply
gives, the arguments of a call and the name of its result. The links out of a node are tried in their order; the first
whose `condition` holds is taken. `tries` bounds a loop: a link is open until its node was entered so many times
(`over` False), or from then on (`over` True).

`reached` follows ways of any kind.

Example:
    >>> graph = Graph(id="hi", kind="flowgraph",
    ...     nodes=(Node(id="N0", type="start_message", text="Greet"), Node(id="N1", type="end_message", text="Bye")),
    ...     links=(Link(id="E0", source="N0", target="N1", text="Hello"),))
    >>> [link.target for link in graph.exits("N0")], graph.leaves
    (['N1'], ('N1',))

Not covered: rules. `plan.flowgraph.check` and `plan.conversation_graph.check` say which of them a graph breaks.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import Literal, Self, TypeVar

from pydantic import Field, model_validator

from toologue.schema.noun import Noun, Record

K = TypeVar("K", bound=Hashable)
GraphKind = Literal["flowgraph", "conversation_graph"]
NodeType = Literal["start_message", "message", "api", "end_message", "assistant", "user"]


class Tries(Noun):
    """How often `node` may be entered in a walk before the way changes. `over`: for the way that opens then."""

    node: str
    times: int = Field(ge=1)
    over: bool = False


class Node(Noun):
    """A message or a call. `text` is its description, for an api node the name of the Api.

    `collects` are the slots that a message asks for, or that a customer's reply gives; `noise` is the kind of noise
    that a message is or answers (3.6).
    """

    id: str
    type: NodeType
    text: str = ""
    step: int | None = None
    line: int = 0
    collects: tuple[str, ...] = ()
    arguments: dict[str, str] = Field(default_factory=dict)
    result: str = ""
    noise: str = ""


class Link(Noun):
    """A way from one node to another. `sets` gives values to slots when it is taken."""

    id: str
    source: str
    target: str
    text: str = ""
    condition: str = ""
    sets: dict[str, str] = Field(default_factory=dict)
    tries: Tries | None = None
    line: int = 0


class Graph(Record):
    """A flowgraph or a conversation graph. Ids are unique, and links join nodes that are there."""

    format: Literal["graph/1"] = "graph/1"
    id: str
    kind: GraphKind
    nodes: tuple[Node, ...]
    links: tuple[Link, ...] = ()

    @model_validator(mode="after")
    def _ids_are_names(self) -> Self:
        for what, ids in (("nodes", [n.id for n in self.nodes]), ("links", [link.id for link in self.links])):
            twice = next((id for id, times in Counter(ids).items() if times > 1), None)
            if twice is not None:
                raise ValueError(f"two {what} are called {twice!r}; give each an id of its own")
        known = {node.id for node in self.nodes}
        for link in self.links:
            strange = next((end for end in (link.source, link.target) if end not in known), None)
            if strange is not None:
                raise ValueError(f"link {link.id!r} joins a node {strange!r} that is not there")
        return self

    @cached_property
    def by_id(self) -> Mapping[str, Node]:
        """The nodes by their ids."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def by_link(self) -> Mapping[str, Link]:
        """The links by their ids."""
        return {link.id: link for link in self.links}

    @cached_property
    def _exits(self) -> Mapping[str, tuple[Link, ...]]:
        found: dict[str, list[Link]] = {node.id: [] for node in self.nodes}
        for link in self.links:
            found[link.source].append(link)
        return {id: tuple(links) for id, links in found.items()}

    def exits(self, node: str) -> tuple[Link, ...]:
        """The links out of a node, in the order in which they are tried."""
        return self._exits[node]

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The nodes that no link leads to."""
        entered = {link.target for link in self.links}
        return tuple(node.id for node in self.nodes if node.id not in entered)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The nodes that no link leads out of."""
        return tuple(node.id for node in self.nodes if not self._exits[node.id])


class Walk(Record):
    """A path through a graph, from its root to a leaf; nodes may come again. `links[i]` leads from `nodes[i]` on."""

    format: Literal["walk/1"] = "walk/1"
    graph: str
    nodes: tuple[str, ...] = Field(min_length=1)
    links: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _links_join_nodes(self) -> Self:
        if len(self.links) != len(self.nodes) - 1:
            raise ValueError(
                f"{len(self.nodes)} nodes are joined by {len(self.nodes) - 1} links, not {len(self.links)}"
            )
        return self


def reached(start: Iterable[K], onward: Mapping[K, Iterable[K]]) -> set[K]:
    """All that these lead to, step by step; themselves among it."""
    found = set(start)
    waiting = deque(found)
    while waiting:
        new = [target for target in onward[waiting.popleft()] if target not in found]
        found.update(new)
        waiting.extend(new)
    return found
