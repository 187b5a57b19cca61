"""Conversation graphs: a flowgraph as the messages and calls of a conversation (ALMITA 3.5, A.5), by algorithm.

Each reply to a message becomes a user node; replies with the same words to the same message are one. Where the paper
contradicts itself, the example of A.5 counts (assistant to user links), and 3.5 (an api may follow an api).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from toologue.errors import BadSetting
from toologue.procedure import flowgraph
from toologue.procedure.flowgraph import Violation, lost, misnamed
from toologue.schema import Graph, Link, Node

_AFTER: Mapping[str, tuple[str, ...]] = {"assistant": ("user",), **dict.fromkeys(("user", "api"), ("api", "assistant"))}


def conversation_graph(flow: Graph) -> Graph:
    """The conversation graph of a flowgraph. Raises BadSetting for a flowgraph that breaks rules."""
    if broken := flowgraph.check(flow):
        listed = "".join(f"\n  {violation}" for violation in broken)
        raise BadSetting(f"{flow.id!r} is no valid flowgraph, {len(broken)} rules are broken:{listed}")
    start = next(node.id for node in flow.nodes if node.type == "start_message")
    nodes: dict[str, Node] = {}
    links: list[Link] = []
    waiting = deque([start])
    while waiting:
        node = flow.by_id[waiting.popleft()]
        if node.id in nodes:
            continue
        nodes[node.id] = node.replace(type="api" if node.type == "api" else "assistant")
        for reply, exits in _replies(flow, node):
            source = reply.id if reply else node.id
            if reply:
                nodes[reply.id] = reply
                links.append(Link(id="", source=node.id, target=reply.id, line=reply.line))
            links += [link.replace(source=source, text="" if reply else link.text) for link in exits]
            waiting.extend(link.target for link in exits)
    return _numbered(flow.id, nodes, links)


def check(graph: Graph) -> list[Violation]:
    """Every rule of conversation graphs that this graph breaks."""
    found = list(misnamed(graph))
    firsts = [graph.by_id[id] for id in graph.roots]
    if [node.type for node in firsts] != ["assistant"]:
        told = ", ".join(f"{node.id} ({node.type})" for node in firsts) or "none"
        found.append(Violation("first node", told, "one assistant node has no parent, and no other node"))
    for node in graph.nodes:
        if not node.text.strip():
            found.append(Violation("silent node", node.id, "it does not say what is said or called"))
        if not graph.exits(node.id) and node.type != "assistant":
            found.append(Violation("last node", node.id, f"it leads nowhere, and is of type {node.type}"))
    for link in graph.links:
        source, target = graph.by_id[link.source].type, graph.by_id[link.target].type
        if target not in _AFTER.get(source, ()):
            found.append(Violation(f"after {source}", link.id, f"no {target} node follows one of type {source}"))
        if source == "api" and not link.text.strip():
            found.append(Violation("silent output", link.id, f"it does not say what {link.source} returned"))
        if source != "api" and link.text:
            found.append(Violation("described link", link.id, f"it leaves a node of type {source} and has a text"))
    return [*found, *lost(graph, graph.roots)]


def _replies(flow: Graph, node: Node) -> Iterator[tuple[Node | None, list[Link]]]:
    """(the user node, the exits that it takes) for each reply to a message; (None, the exits) of an api node."""
    if node.type == "api":
        yield None, list(flow.exits(node.id))
        return
    replies: dict[str, list[Link]] = {}
    for link in flow.exits(node.id):
        replies.setdefault(link.text.strip().casefold(), []).append(link)
    for links in replies.values():
        first, id = links[0], f"{node.id}/{links[0].id}"
        yield Node(id=id, type="user", text=first.text, step=node.step, line=first.line, collects=node.collects), links


def _numbered(id: str, nodes: Mapping[str, Node], links: Iterable[Link]) -> Graph:
    names = {old: f"N{place}" for place, old in enumerate(nodes)}

    def renamed(place: int, link: Link) -> Link:
        tries = link.tries and link.tries.replace(node=names[link.tries.node])
        return link.replace(id=f"E{place}", source=names[link.source], target=names[link.target], tries=tries)

    return Graph(
        id=id,
        kind="conversation_graph",
        nodes=tuple(node.replace(id=names[old]) for old, node in nodes.items()),
        links=tuple(renamed(place, link) for place, link in enumerate(links)),
    )
