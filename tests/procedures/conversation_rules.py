"""The rules of conversation graphs (ALMITA 3.5, A.5), told one by one where a graph breaks them."""

from __future__ import annotations

from collections.abc import Mapping

from toologue.procedure.flowgraph import Violation, lost, misnamed
from toologue.schema import Graph

_AFTER: Mapping[str, tuple[str, ...]] = {"assistant": ("user",), **dict.fromkeys(("user", "api"), ("api", "assistant"))}


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
