r"""Flow text, in which ALMITA writes its graphs (A.4, A.5), read and written without loss.

    [N0](start_message){Greet the customer}
    [E0](N0, N1){Didn't receive my order}

Nodes and edges stand in any order, between `<flow>` and `</flow>` or without. A description may hold line breaks,
brackets, and braces in pairs. Where that is not enough, `\{`, `\}` and `\\` stand for what follows the backslash, which
`write` does only where it has to. Flow text says ids, types and descriptions, and not what else a graph knows.

Contract: `read(write(graph)) == graph` for a graph of ids, types and texts. An edge id that stands twice, as in the
paper's own example, is accepted: the later edge gets the next free number, and a FlowTextWarning says so. Whatever else
is wrong raises BadFile, all of it at once, with lines.

Example:
    >>> text = "[N0](start_message){Greet} [N1](end_message){Say {order.status} :]} [E0](N0, N1){Hello}"
    >>> graph = read(text, id="greet")
    >>> graph.nodes[1].text, graph.kind
    ('Say {order.status} :]', 'flowgraph')
    >>> write(graph).split() == ["<flow>", *text.split(), "</flow>"]
    True

Not covered: the rules of graphs; `plan.flowgraph.check` and `plan.conversation_graph.check` name what is broken.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple, cast, get_args

from toologue.errors import BadSetting, UnknownName, shown
from toologue.formats.problems import Problems
from toologue.schema import Graph, Link, Node, NodeType

_HEAD = re.compile(r"\[([^\[\]\s]+)\]\s*\(([^()]*)\)\s*\{")
_ID = re.compile(r"[^\[\]\s(),]+")
_BETWEEN = re.compile(r"\s*(?:</flow>.*)?", re.DOTALL)
_BRACE = re.compile(r"\\[{}\\]|[{}]")
_ESCAPED = re.compile(r"\\([{}\\])")
_OPEN = re.compile(r"[^\[]*<flow>")
_EXPECTED = "expected [N0](api){get_order} or [E0](N0, N1){Found}"
_TALK = ("assistant", "user")
_TYPES: tuple[NodeType, ...] = get_args(NodeType)


class FlowTextWarning(UserWarning):
    """A flow text was accepted, and something in it was changed."""


class _Entry(NamedTuple):
    """`[id](inside){text}`, and its line."""

    line: int
    id: str
    inside: tuple[str, ...]
    text: str


def read(text: str, *, id: str = "flow", file: object = "<flow>") -> Graph:
    """The graph that a flow text spells."""
    bad = Problems()
    entries = list(_entries(text, bad))
    nodes = _nodes([entry for entry in entries if len(entry.inside) == 1], bad)
    edges = [entry for entry in entries if len(entry.inside) == 2]
    for edge in edges:
        for end in edge.inside:
            if end not in nodes:
                bad.add(edge.line, f"edge {edge.id} joins {end}, and there is no such node")
    if not entries and not bad:
        bad.add(1, "there is no node", _EXPECTED)
    if bad:
        raise bad.error(file, "flow text")
    kind = "conversation_graph" if any(node.type in _TALK for node in nodes.values()) else "flowgraph"
    return Graph(id=id, kind=kind, nodes=tuple(nodes.values()), links=tuple(_links(edges, file)))


def write(graph: Graph) -> str:
    """The flow text of a graph. Raises BadSetting for ids that it cannot say."""
    for id in [node.id for node in graph.nodes] + [link.id for link in graph.links]:
        if not _ID.fullmatch(id):
            raise BadSetting(f"graph {graph.id!r}: the id {id!r} cannot stand in flow text; use N or E and a number")
    lines = [f"[{node.id}]({node.type}){{{_quoted(node.text)}}}" for node in graph.nodes]
    lines += [f"[{link.id}]({link.source}, {link.target}){{{_quoted(link.text)}}}" for link in graph.links]
    return "\n".join(["<flow>", *lines, "</flow>", ""])


def _entries(text: str, bad: Problems) -> Iterator[_Entry]:
    opened = _OPEN.match(text)
    place, line, end = 0, 1, len(text)
    after = opened.end() if opened else 0
    while True:
        start = cast("re.Match[str]", _BETWEEN.match(text, after)).end()
        place, line = start, line + text.count("\n", place, start)
        if place == end:
            return
        head = _HEAD.match(text, place)
        close = _close(text, head.end(), end) if head else -1
        after = close + 1
        if head is None or close < 0:
            after = text.find("\n", place)
            after = after if after >= 0 else end
            what = f"the description of {head[1]} has no end" if head else f"{shown(text[place:after])} is no entry"
            bad.add(line, what, _EXPECTED)
        elif (joined := head[2].count(",") + 1) > 2:
            bad.add(line, f"{head[1]} joins {joined} nodes", "an edge joins two")
        else:
            inside = tuple(part.strip() for part in head[2].split(","))
            yield _Entry(line, head[1], inside, _ESCAPED.sub(r"\1", text[head.end() : close]))


def _close(text: str, start: int, end: int) -> int:
    """The place of the brace that closes a description; -1 if none does."""
    depth = 1
    for brace in _BRACE.finditer(text, start, end):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return brace.start()
    return -1


def _quoted(text: str) -> str:
    plain = _close(f"{text}}}", 0, len(text) + 1) == len(text) and not _ESCAPED.search(f"{text}}}")
    return text if plain else re.sub(r"[{}\\]", r"\\\g<0>", text)


def _nodes(entries: Sequence[_Entry], bad: Problems) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    kinds: dict[bool, str] = {}
    for entry in entries:
        kind: NodeType | None = next((known for known in _TYPES if known == entry.inside[0]), None)
        if kind is None:
            bad.add(entry.line, str(UnknownName("type of node", entry.inside[0], _TYPES)))
            continue
        if entry.id in nodes:
            bad.add(entry.line, f"node {entry.id} stands twice", "give one of them another id")
        nodes[entry.id] = Node(id=entry.id, type=kind, text=entry.text)
        kinds.setdefault(kind in _TALK, kind) if kind != "api" else None
        if len(kinds) == 2:
            bad.add(
                entry.line, f"{kinds[False]} belongs to flowgraphs, {kinds[True]} to conversation graphs", "keep to one"
            )
            kinds.clear()
    return nodes


def _links(edges: Sequence[_Entry], file: object) -> Iterator[Link]:
    taken, given = {edge.id for edge in edges}, set[str]()
    numbers = (id for number in count() if (id := f"E{number}") not in taken)
    for edge in edges:
        id = edge.id
        if id in given:
            id = next(numbers)
            warnings.warn(f"{file}:{edge.line}: edge {edge.id} stands twice; this one is {id} now", FlowTextWarning, 3)
        given.add(id)
        yield Link(id=id, source=edge.inside[0], target=edge.inside[1], text=edge.text)
