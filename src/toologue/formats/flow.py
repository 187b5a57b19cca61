r"""Graphs as ALMITA's flow text (A.4, A.5), read and written, and as Mermaid flowcharts, written.

Flow text is `[N0](start_message){Greet}` for nodes and `[E0](N0, N1){Late}` for links, in any order; in a description
`\{`, `\}` and `\\` stand for what follows the backslash.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple, cast, get_args

from toologue.errors import BadSetting, Problems, UnknownName, shown
from toologue.schema import Graph, Link, Node, NodeType

_HEAD = re.compile(r"\[([^\[\]\s]+)\]\s*\(([^()]*)\)\s*\{")
_FLOW_ID = re.compile(r"[^\[\]\s(),]+")
_BETWEEN = re.compile(r"\s*(?:</flow>.*)?", re.DOTALL)
_BRACE = re.compile(r"\\[{}\\]|[{}]")
_ESCAPED = re.compile(r"\\([{}\\])")
_OPEN = re.compile(r"[^\[]*<flow>")
_EXPECTED = "expected [N0](api){get_order} or [E0](N0, N1){Found}"
_TALK = ("assistant", "user")
_TYPES: tuple[NodeType, ...] = get_args(NodeType)
_ID = re.compile(r"\w+(?:[-.]\w+)*")
# How nodes are drawn: what opens and closes them, their colours.
_DRAWN: Mapping[NodeType, tuple[str, str, str]] = {
    "start_message": ("([", "])", "fill:#dbeafe,stroke:#1d4ed8"),
    "message": ("[", "]", "fill:#dbeafe,stroke:#1d4ed8"),
    "api": ("[[", "]]", "fill:#1f2937,stroke:#111827,color:#ffffff"),
    "end_message": ("([", "])", "fill:#ffedd5,stroke:#c2410c"),
    "assistant": ("(", ")", "fill:#dbeafe,stroke:#1d4ed8"),
    "user": (">", "]", "fill:#dcfce7,stroke:#15803d"),
}


class FlowTextWarning(UserWarning):
    """A flow text was accepted, and something in it was changed."""


class _Entry(NamedTuple):
    line: int
    id: str
    inside: tuple[str, ...]
    text: str


def read_flow_text(text: str, *, id: str = "flow", file: object = "<flow>") -> Graph:
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


def write_flow_text(graph: Graph) -> str:
    """The flow text of a graph. Raises BadSetting for ids that it cannot say."""
    for id in [node.id for node in graph.nodes] + [link.id for link in graph.links]:
        if not _FLOW_ID.fullmatch(id):
            raise BadSetting(f"graph {graph.id!r}: the id {id!r} cannot stand in flow text; use N or E and a number")
    lines = [f"[{node.id}]({node.type}){{{_quoted(node.text)}}}" for node in graph.nodes]
    lines += [f"[{link.id}]({link.source}, {link.target}){{{_quoted(link.text)}}}" for link in graph.links]
    return "\n".join(["<flow>", *lines, "</flow>", ""])


def _entries(text: str, bad: Problems) -> Iterator[_Entry]:
    opened = _OPEN.match(text)
    place, line, after, end, closes = 0, 1, opened.end() if opened else 0, len(text), _closes(text)
    while (start := cast("re.Match[str]", _BETWEEN.match(text, after)).end()) < end:
        line, place = line + text.count("\n", place, start), start
        head = _HEAD.match(text, place)
        close = closes.get(head.end() - 1, -1) if head else -1
        after = close + 1
        if head is None or close < 0:
            after = text.find("\n", place)
            after = len(text) if after < 0 else after
            what = f"the description of {head[1]} has no end" if head else f"{shown(text[place:after])} is no entry"
            bad.add(line, what, _EXPECTED)
        elif (joined := head[2].count(",") + 1) > 2:
            bad.add(line, f"{head[1]} joins {joined} nodes", "an edge joins two")
        else:
            inside = tuple(part.strip() for part in head[2].split(","))
            yield _Entry(line, head[1], inside, _ESCAPED.sub(r"\1", text[head.end() : close]))


def _closes(text: str) -> dict[int, int]:
    """Where each brace is closed, by where it opens."""
    opened, found = list[int](), dict[int, int]()
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            found[opened.pop()] = brace.start()
    return found


def _quoted(text: str) -> str:
    plain = _closes(f"{{{text}}}").get(0) == len(text) + 1 and not _ESCAPED.search(f"{text}}}")
    return text if plain else re.sub(r"[{}\\]", r"\\\g<0>", text)


def _nodes(entries: Sequence[_Entry], bad: Problems) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    kinds: dict[bool, str] = {}
    for entry in entries:
        kind: NodeType | None = next((one for one in _TYPES if one == entry.inside[0]), None)
        if kind is None:
            bad.add(entry.line, str(UnknownName("type of node", entry.inside[0], _TYPES)))
            continue
        if entry.id in nodes:
            bad.add(entry.line, f"node {entry.id} stands twice", "give one of them another id")
        nodes[entry.id] = Node(id=entry.id, type=kind, text=entry.text)
        if kind != "api":
            kinds.setdefault(kind in _TALK, kind)
        if len(kinds) == 2:
            what = f"{kinds[False]} belongs to flowgraphs, {kinds[True]} to conversation graphs"
            bad.add(entry.line, what, "keep to one")
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


def write_mermaid(graph: Graph) -> str:
    """A graph as a flowchart, with a class for each type of node. Raises BadSetting for ids that it cannot say."""
    lines = ["flowchart TD"]
    for node in graph.nodes:
        if not _ID.fullmatch(node.id):
            raise BadSetting(f"graph {graph.id!r}: the id {node.id!r} cannot stand in a flowchart; use N and a number")
        opens, closes, _ = _DRAWN[node.type]
        lines.append(f'    {node.id}{opens}"{_encoded(node.text)}"{closes}:::{node.type}')
    for link in graph.links:
        label = f'|"{_encoded(link.text)}"|' if link.text else ""
        lines.append(f"    {link.source} -->{label} {link.target}")
    used = {node.type for node in graph.nodes}
    lines += [f"    classDef {kind} {colours}" for kind, (_, _, colours) in _DRAWN.items() if kind in used]
    return "\n".join([*lines, ""])


def _encoded(text: str) -> str:
    text = re.sub(r"[#\"<>&`\r]", lambda found: f"#{ord(found[0])};", text)
    return text.replace("\n", "<br/>")
