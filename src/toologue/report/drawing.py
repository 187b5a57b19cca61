"""Graphs as drawings: a procedure's conversations in layers, the neighbourhood of an Api, ToolDial's action graph.

Contract: pure; sizes and places in pixels, texts wrapped to fit. `draw` gives values, which templates escape; the
others are whole SVG documents without script. In `draw` a user node is no box: it is the label of the arrows that lead
on from it. What a box or an arrow says in full is its title.

Not covered: procedures of more than `MOST` steps, which nobody would read; neighbours of neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toologue.limits import legible
from toologue.report.layers import Arrow, Box, Point, layered
from toologue.report.words import cut, environment
from toologue.schema import Edge, Graph, Link, Node, Similarities

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
    each = max(1, int(width / (size * 0.62)))
    return [part] if _measure(part, size) <= width else [part[at : at + each] for at in range(0, len(part), each)]


def _measure(text: str, size: float) -> float:
    return size * sum(map(_units, text))


def _units(char: str) -> float:
    if char in _NARROW or char in _WIDE:
        return 0.33 if char in _NARROW else 0.92
    return 1.05 if ord(char) > 0x2E7F else 0.7 if char.isupper() else 0.62


def _words(graph: Graph, node: Node) -> tuple[StepKind, str, list[str]]:
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
    x, y = middle.x + _MARGIN - width / 2, middle.y + _MARGIN - height / 2
    place = round(x, 1), round(y, 1), round(width, 1), round(height, 1)
    return DrawnLink(link.id, curve, head, lines, place, title)


_SIDE, _CENTRE, _GAP, _BOX, _APART = 236.0, 240.0, 96.0, 56.0, 10.0
_PORT, _EDGE = 24.0, 18.0
_LEFT = _EDGE + _SIDE + _GAP
_RIGHT = _LEFT + _CENTRE
_SIZES = {"side": _SIDE, "box": _BOX, "left": _LEFT, "centre": _CENTRE, "width": _RIGHT + _GAP + _SIDE + _EDGE}


class _Side(NamedTuple):
    """The edges on one side, one a neighbour with how many more the two have; how many neighbours are left out."""

    incoming: bool
    near: Sequence[tuple[Edge, int]]
    hidden: int

    @property
    def x(self) -> float:
        return _EDGE if self.incoming else _RIGHT + _GAP

    @property
    def height(self) -> float:
        return len(self.near) * (_BOX + _APART) + (16 if self.hidden else -_APART)

    @property
    def ports(self) -> list[str]:
        return list(dict.fromkeys(self.port(edge) for edge, _ in self.near))

    def port(self, edge: Edge) -> str:
        """The parameter or output of the Api in the middle that an edge is at."""
        return edge.parameter if self.incoming else edge.output

    def neighbour(self, edge: Edge) -> str:
        """The Api at the other end."""
        return edge.source if self.incoming else edge.target


def neighbourhood(api: str, edges: Iterable[Edge], *, parameters: Sequence[str] = (), most: int = 12) -> str:
    """An SVG of an Api in the graph: who can feed it on the left, whom it can feed on the right.

        ┌ source ─┐        ┌─── the Api ────┐
        │ output ─┼──────▶ ● parameter      │        ┌ target ─┐
        └─────────┘        │         output ● ─────▶ │ parameter
                           └────────────────┘        └─────────┘

    One arrow a neighbour, for its chosen edge; +n says how many more edges the two have. The best `most` of each side
    are drawn, and the rest is counted. What is cut is whole in the tooltip. `parameters` are those of the Api that are
    shown though nothing feeds them.
    """
    near = [edge for edge in edges if api in (edge.source, edge.target)]
    into, out = (_side(near, api, most, incoming) for incoming in (True, False))
    name, place = _name_and_place(api)
    head = wrapped(name, _CENTRE - 24, 12, 3)
    ins, outs = [*into.ports, *(name for name in parameters if name not in into.ports)], out.ports
    title, gap = 34 + _LINE * len(head), 12.0 if ins and outs else 4.0
    inner = title + _PORT * (len(ins) + len(outs)) + gap
    height = max(inner, into.height, out.height) + 2 * _EDGE
    top = (height - inner) / 2
    first, start = top + title, top + inner - _PORT * len(outs) - 4
    left = {name: _port(name, True, first + _PORT * (at + 0.3), name in into.ports) for at, name in enumerate(ins)}
    right = {name: _port(name, False, start + _PORT * (at + 0.3), True) for at, name in enumerate(outs)}
    hidden = [(side.x + 4, (height + side.height) / 2 - 4, side.hidden) for side in (into, out) if side.hidden]
    return (
        environment()
        .get_template("neighbourhood.svg")
        .render(
            api=legible(api),
            head=head,
            place=place,
            ports=[*left.values(), *right.values()],
            neighbours=[*_neighbours(into, height, left), *_neighbours(out, height, right)],
            notes=[(x, y, f"and {count:,} more") for x, y, count in hidden],
            top=top,
            inner=inner,
            height=height,
            **_SIZES,
        )
    )


def action_graph() -> str:
    """The action graph of ToolDial (figure 3) as an SVG: a box an action, an arrow for what may follow it."""
    return Path(__file__).with_name("templates").joinpath("action_graph.svg").read_text("utf-8")


def _side(edges: Iterable[Edge], api: str, most: int, incoming: bool) -> _Side:
    """The best neighbours on one side, those at one port together."""
    groups = dict[str, list[Edge]]()
    for edge in edges:
        if api == (edge.target if incoming else edge.source):
            groups.setdefault(edge.source if incoming else edge.target, []).append(edge)
    chosen = [(next((edge for edge in group if edge.chosen), group[0]), len(group) - 1) for group in groups.values()]
    best = sorted(chosen, key=lambda pair: -_similarity(pair[0]))[:most]
    side = _Side(incoming, best, len(chosen) - len(best))
    ports = side.ports
    return side._replace(near=sorted(best, key=lambda pair: ports.index(side.port(pair[0]))))


def _port(name: str, incoming: bool, y: float, used: bool) -> dict[str, Any]:
    name = legible(name)
    place = {"x": _LEFT, "shift": 12, "name": cut(name, 30), "title": f"parameter {name}"}
    if not incoming:
        place = {"x": _RIGHT, "shift": -12, "name": _tail(name, 30), "title": f"output {name}"}
    return {**place, "y": y, "used": used}


def _neighbours(side: _Side, height: float, ports: Mapping[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, (edge, more) in enumerate(side.near):
        y = (height - side.height) / 2 + number * (_BOX + _APART)
        port, middle = ports[side.port(edge)], y + _BOX / 2
        start, end = (side.x + _SIDE, middle), (port["x"] - 6, port["y"])
        if not side.incoming:
            start, end = (port["x"] + 5, port["y"]), (side.x - 1, middle)
        bend, reach = (start[0] + end[0]) / 2, end[0] - 6
        curve = f"M{start[0]:g} {start[1]:g}C{bend:g} {start[1]:g} {bend:g} {end[1]:g} {reach:g} {end[1]:g}"
        (name, place), similar = _name_and_place(side.neighbour(edge)), similarity_words(edge.similarity)
        yield {
            "x": side.x,
            "y": y,
            "head": _fit(name, _SIDE - 20, 12.6),
            "place": place,
            "entity": _tail(edge.output, 28) if side.incoming else cut(legible(edge.parameter), 28),
            "more": more,
            "title": legible(f"{edge.output} of {edge.source} → {edge.parameter} of {edge.target} ({similar})"),
            "curve": curve,
            "tip": f"M{end[0]:g} {end[1]:g}l-8 -4v8z",
        }


def _similarity(edge: Edge) -> float:
    return edge.similarity.lcs + edge.similarity.keyword + edge.similarity.description


def _name_and_place(api: str) -> tuple[str, str]:
    """What an Api is called, and where it belongs: of `Sports|cricbuzz|Teams`, "Teams" and "cricbuzz, Sports"."""
    parts = legible(api).split("|", 2)
    if len(parts) < 3:
        return legible(api), ""
    return parts[2].strip() or legible(api), _fit(f"{parts[1]}, {parts[0]}".replace("_", " "), _SIDE - 20, 10.5)


def _fit(text: str, width: float, size: float) -> str:
    return next(iter(wrapped(text, width, size, 1)), "")


def similarity_words(found: Similarities) -> str:
    """The three similarities of an edge, in words."""
    return f"phrases {found.lcs:.2f}, keywords {found.keyword:.2f}, description {found.description:.2f}"


def _tail(name: str, limit: int) -> str:
    """The end of a path, which says most: of `data|items|id`, "…|items|id" where that is all there is room for."""
    text = legible(name)
    return text if len(text) <= limit else f"…{text[1 - limit :]}"
