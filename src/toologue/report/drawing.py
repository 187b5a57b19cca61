"""A procedure's conversation graph as a drawing: a box a step, an arrow for what customers answer and calls return.

Contract: pure; sizes and places in pixels, texts wrapped to fit. A user node is no box: it is the label of the arrows
that lead on from it. What a box or an arrow says in full is its `title`. Text is from data: whoever renders it escapes.

Example:
    >>> from toologue.procedure.conversation_graph import conversation_graph
    >>> from toologue.procedure.flowgraph import flowgraph
    >>> from toologue.plan.procedures import procedure
    >>> drawn = draw(conversation_graph(flowgraph(procedure("order-not-received"))))
    >>> [(step.head, step.lines[0]) for step in drawn.steps[:3]]
    [('Start', 'The customer writes'), ('1 · Ask', 'for the order number and'), ('2 · Call', 'get_order')]

Not covered: graphs with more than `MOST` steps; nobody would read them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from toologue.report.layers import Arrow, Box, Point, layered
from toologue.report.words import cut, legible
from toologue.schema import Graph, Link, Node

MOST = 150
StepKind = Literal["start", "ask", "say", "call", "end"]
_WIDTH, _LABEL = 188.0, 128.0
_LINE, _SMALL = 15.0, 12.5
_MARGIN = 14.0
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|![]() "), frozenset("mwMW@%_")


class DrawnStep(NamedTuple):
    """A box: its place from the top left, its words, the node it stands for."""

    id: str
    kind: StepKind
    x: float
    y: float
    width: float
    height: float
    head: str
    lines: Sequence[str]
    title: str


class DrawnLink(NamedTuple):
    """An arrow: its curve and its head as SVG paths, its label with its place, the link that it stands for."""

    id: str
    curve: str
    tip: str
    lines: Sequence[str]
    label: tuple[float, float, float, float]
    title: str


class Drawing(NamedTuple):
    """All of it, and how large it is."""

    width: float
    height: float
    steps: Sequence[DrawnStep]
    links: Sequence[DrawnLink]


def draw(graph: Graph) -> Drawing | None:
    """The drawing of a conversation graph; None where it is too large to be read."""
    nodes = [node for node in graph.nodes if node.type != "user"]
    if len(nodes) > MOST:
        return None
    sources = {link.target: link.source for link in graph.links if graph.by_id[link.target].type == "user"}
    links = [link for link in graph.links if graph.by_id[link.target].type != "user"]
    words = {node.id: _words(graph, node) for node in nodes}
    boxes = [Box(id, _WIDTH, 26 + _LINE * len(lines)) for id, (_, _, lines) in words.items()]
    labels = {link.id: wrapped(_label(graph, link), _LABEL, 10.5, 3) for link in links}
    arrows = [
        Arrow(link.id, sources.get(link.source, link.source), link.target, *_size(labels[link.id])) for link in links
    ]
    drawn = layered(boxes, arrows)
    steps = [_step(graph.by_id[box.id], box, drawn.boxes[box.id], words[box.id]) for box in boxes]
    found = [
        _link(link, drawn.ways[link.id], labels[link.id], drawn.labels.get(link.id), _title(graph, link))
        for link in links
    ]
    return Drawing(round(drawn.width + 2 * _MARGIN), round(drawn.height + 2 * _MARGIN), steps, found)


def wrapped(text: str, width: float, size: float, most: int) -> list[str]:
    """A text in lines of about this width at this size of type; at most so many, the last one cut."""
    parts = re.findall(r"\s+|[^\s._/\-]+[._/\-]*|[._/\-]+", legible(" ".join(text.split())))
    lines, line = list[str](), ""
    for part in (piece for long in parts for piece in _pieces(long, width, size)):
        if line and _measure(line + part.rstrip(), size) > width:
            lines.append(line.strip())
            line = ""
        line += part if line or part.strip() else ""
    lines += [line.strip()] if line.strip() else []
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1].rstrip(' .,;')}…"]
    return lines


def _pieces(part: str, width: float, size: float) -> list[str]:
    """A word, in pieces that fit."""
    each = max(1, int(width / (size * 0.62)))
    return [part] if _measure(part, size) <= width else [part[at : at + each] for at in range(0, len(part), each)]


def _measure(text: str, size: float) -> float:
    """About how wide a text is; rather too wide than too narrow."""
    units = (
        0.33
        if char in _NARROW
        else 0.92
        if char in _WIDE
        else 1.05
        if ord(char) > 0x2E7F
        else 0.7
        if char.isupper()
        else 0.62
        for char in text
    )
    return size * sum(units)


def _words(graph: Graph, node: Node) -> tuple[StepKind, str, list[str]]:
    """The kind of a step, its heading, its lines."""
    if node.id in graph.roots:
        return "start", "Start", ["The customer writes"]
    kind: StepKind = "call" if node.type == "api" else "end" if not graph.exits(node.id) else "ask"
    text = node.text
    if kind != "call" and (said := re.match(r"(ask|say)\b:?\s*", text, re.IGNORECASE)):
        kind = kind if kind == "end" else "say" if said[1].lower() == "say" else "ask"
        text = text[said.end() :]
    head = f"{node.step} · {kind.capitalize()}" if node.step else kind.capitalize()
    return kind, head, wrapped(text, _WIDTH - 22, 12, 4)


def _label(graph: Graph, link: Link) -> str:
    """What an arrow says: what a call returned, or what the customer answered; nothing if that is plain."""
    source = graph.by_id[link.source]
    if source.type == "user":
        return "" if source.step is None else source.text + (f", if {link.condition}" if link.condition else "")
    return "" if link.text in ("Succeeds", "") else link.text


def _title(graph: Graph, link: Link) -> str:
    source = graph.by_id[link.source]
    said = link.text or (source.text if source.type == "user" else "")
    start, end = (f"step {step}" if step else "the start" for step in (source.step, graph.by_id[link.target].step))
    return legible(cut(f"{start} to {end}: {said}" + (f" ({link.condition})" if link.condition else ""), 300))


def _size(lines: Sequence[str]) -> tuple[float, float]:
    if not lines:
        return 0.0, 0.0
    return max(_measure(line, 10.5) for line in lines) + 10, _SMALL * len(lines) + 6


def _step(node: Node, box: Box, middle: Point, words: tuple[StepKind, str, list[str]]) -> DrawnStep:
    kind, head, lines = words
    x, y = middle.x - box.width / 2 + _MARGIN, middle.y - box.height / 2 + _MARGIN
    line = f", line {node.line}" if node.line else ""
    title = legible(cut(f"{head}{line}: {node.text}", 300))
    return DrawnStep(node.id, kind, round(x, 1), round(y, 1), box.width, box.height, head, lines, title)


def _link(link: Link, way: Sequence[Point], lines: Sequence[str], label: Point | None, title: str) -> DrawnLink:
    points = [Point(round(x + _MARGIN, 1), round(y + _MARGIN, 1)) for x, y in way]
    up = points[-1].y < points[-2].y
    tip, size = points[-1], (-7.0 if up else 7.0)
    points[-1] = Point(tip.x, tip.y - size)
    curve = f"M{points[0].x} {points[0].y}"
    for one, other in pairwise(points):
        bend = round((one.y + other.y) / 2, 1)
        curve += f"C{one.x} {bend} {other.x} {bend} {other.x} {other.y}"
    head = f"M{tip.x} {tip.y}l-4 {-size}h8z"
    width, height = _size(lines)
    middle = label or points[0]
    place = (middle.x + _MARGIN - width / 2, middle.y + _MARGIN - height / 2, width, height)
    first, second, third, fourth = (round(value, 1) for value in place)
    return DrawnLink(link.id, curve, head, lines, (first, second, third, fourth), title)
