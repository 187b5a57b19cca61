"""The neighbourhood of an Api in the graph, drawn: who can feed it on the left, whom it can feed on the right.

    ┌ source ─┐        ┌─── the Api ────┐
    │ output ─┼──────▶ ● parameter      │        ┌ target ─┐
    └─────────┘        │         output ● ─────▶ │ parameter
                       └────────────────┘        └─────────┘

Contract: an SVG of its own, without script; its colours follow the reader's. One arrow a neighbour, for its chosen
edge; +n says how many more edges the two have. The best `most` of each side are drawn, and the rest is counted. What is
cut is whole in the tooltip. Texts are from data, and escaped.

Example:
    >>> from toologue.schema import Similarities
    >>> alike = Similarities(lcs=0.9, keyword=0.8, description=0.9)
    >>> edge = Edge(source="S|a|Find", output="id", target="S|b|Show", parameter="team", similarity=alike, chosen=True)
    >>> drawn = neighbourhood("S|b|Show", [edge])
    >>> drawn[:4], ">Find<" in drawn, ">team<" in drawn
    ('<svg', True, True)

Not covered: neighbours of neighbours; ask for theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toologue.report.drawing import wrapped
from toologue.report.words import cut, legible
from toologue.schema import Edge

if TYPE_CHECKING:
    from jinja2 import Template


_SIDE, _CENTRE, _GAP, _BOX, _APART = 236.0, 240.0, 96.0, 56.0, 10.0
_LINE, _PORT, _MARGIN = 15.0, 24.0, 18.0
_LEFT = _MARGIN + _SIDE + _GAP
_RIGHT = _LEFT + _CENTRE


class _Side(NamedTuple):
    """The chosen edges on one side with how many more their two have, those left out, and the ports they use."""

    near: Sequence[tuple[Edge, int]]
    hidden: int
    ports: Sequence[str]

    @property
    def height(self) -> float:
        """How tall its boxes stand together."""
        return len(self.near) * (_BOX + _APART) + (16 if self.hidden else -_APART)


class _Neighbour(NamedTuple):
    """A box beside: where it stands, what it says, and the arrow between it and the Api in the middle."""

    x: float
    y: float
    head: str
    place: str
    entity: str
    more: int
    title: str
    curve: str
    tip: str


class _Port(NamedTuple):
    """A parameter or an output of the Api in the middle, on its edge."""

    x: float
    y: float
    shift: float
    name: str
    title: str
    used: bool


def neighbourhood(api: str, edges: Iterable[Edge], *, parameters: Sequence[str] = (), most: int = 12) -> str:
    """The drawing. `parameters` are those of the Api that are shown though nothing feeds them."""
    near = [edge for edge in edges if api in (edge.source, edge.target)]
    into, out = _side(near, api, most, incoming=True), _side(near, api, most, incoming=False)
    name, place = _named(api)
    head = wrapped(name, _CENTRE - 24, 12, 3)
    ins = [*into.ports, *(one for one in parameters if one not in into.ports)]
    title, gap = 34 + _LINE * len(head), 12.0 if ins and out.ports else 4.0
    inner = title + _PORT * (len(ins) + len(out.ports)) + gap
    height = max(inner, into.height, out.height) + 2 * _MARGIN
    top = (height - inner) / 2
    ports = [_in(one, top + title + _PORT * (at + 0.3), one in into.ports) for at, one in enumerate(ins)]
    start = top + inner - _PORT * len(out.ports) - 4
    ports += [_out(one, start + _PORT * (at + 0.3)) for at, one in enumerate(out.ports)]
    return _rendered(
        api=legible(api),
        head=head,
        place=place,
        ports=ports,
        neighbours=[*_boxes(into, height, ports, incoming=True), *_boxes(out, height, ports, incoming=False)],
        notes=[*_note(into, height, _MARGIN), *_note(out, height, _RIGHT + _GAP)],
        top=top,
        inner=inner,
        height=height,
    )


def _side(edges: Iterable[Edge], api: str, most: int, *, incoming: bool) -> _Side:
    """The best neighbours on one side, those at one port together."""
    groups = dict[str, list[Edge]]()
    for edge in edges:
        if api == (edge.target if incoming else edge.source):
            groups.setdefault(edge.source if incoming else edge.target, []).append(edge)
    chosen = [(next((edge for edge in group if edge.chosen), group[0]), len(group) - 1) for group in groups.values()]
    best = sorted(chosen, key=lambda one: -_score(one[0]))[:most]
    ports = list(dict.fromkeys(_at(edge, incoming) for edge, _ in best))
    best.sort(key=lambda one: ports.index(_at(one[0], incoming)))
    return _Side(best, len(chosen) - len(best), ports)


def _boxes(side: _Side, height: float, ports: Iterable[_Port], *, incoming: bool) -> Iterator[_Neighbour]:
    places = {port.title: port for port in ports}
    x = _MARGIN if incoming else _RIGHT + _GAP
    for number, (edge, more) in enumerate(side.near):
        y = (height - side.height) / 2 + number * (_BOX + _APART)
        port = places[_titled(_at(edge, incoming), incoming)]
        middle = y + _BOX / 2
        start, end = (
            ((x + _SIDE, middle), (port.x - 6, port.y)) if incoming else ((port.x + 5, port.y), (x - 1, middle))
        )
        bend, reach = (start[0] + end[0]) / 2, end[0] - 6
        curve = f"M{start[0]:g} {start[1]:g}C{bend:g} {start[1]:g} {bend:g} {end[1]:g} {reach:g} {end[1]:g}"
        tip = f"M{end[0]:g} {end[1]:g}l-8 -4v8z"
        name, place = _named(edge.source if incoming else edge.target)
        entity = _tail(edge.output, 28) if incoming else cut(legible(edge.parameter), 28)
        yield _Neighbour(x, y, _fitted(name, _SIDE - 20, 12.6), place, entity, more, _told(edge), curve, tip)


def _in(name: str, y: float, used: bool) -> _Port:
    return _Port(_LEFT, y, 12, cut(legible(name), 30), _titled(name, True), used)


def _out(name: str, y: float) -> _Port:
    return _Port(_RIGHT, y, -12, _tail(name, 30), _titled(name, False), True)


def _note(side: _Side, height: float, x: float) -> Iterator[tuple[float, float, str]]:
    """How many were left out, below the boxes."""
    if side.hidden:
        yield x + 4, (height + side.height) / 2 - 4, f"and {side.hidden:,} more"


def _at(edge: Edge, incoming: bool) -> str:
    return edge.parameter if incoming else edge.output


def _score(edge: Edge) -> float:
    return edge.similarity.lcs + edge.similarity.keyword + edge.similarity.description


def _named(api: str) -> tuple[str, str]:
    """What an Api is called, and where it belongs: of `Sports|cricbuzz|Teams`, "Teams" and "cricbuzz, Sports"."""
    parts = legible(api).split("|", 2)
    if len(parts) < 3:
        return legible(api), ""
    return parts[2].strip() or legible(api), _fitted(f"{parts[1]}, {parts[0]}".replace("_", " "), _SIDE - 20, 10.5)


def _fitted(text: str, width: float, size: float) -> str:
    """As much of a text as has room on one line."""
    return next(iter(wrapped(text, width, size, 1)), "")


def _titled(name: str, incoming: bool) -> str:
    return f"{'parameter' if incoming else 'output'} {legible(name)}"


def _told(edge: Edge) -> str:
    scores = edge.similarity
    similar = f"phrases {scores.lcs:.2f}, keywords {scores.keyword:.2f}, description {scores.description:.2f}"
    return legible(f"{edge.output} of {edge.source} → {edge.parameter} of {edge.target} ({similar})")


def _tail(name: str, limit: int) -> str:
    """The end of a path, which says most: of `data|items|id`, "…|items|id" where that is all there is room for."""
    shown = legible(name)
    return shown if len(shown) <= limit else f"…{shown[1 - limit :]}"


def _rendered(**values: Any) -> str:
    sizes = {"side": _SIDE, "box": _BOX, "left": _LEFT, "centre": _CENTRE, "width": _RIGHT + _GAP + _SIDE + _MARGIN}
    return _template().render(**sizes, **values)


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = FileSystemLoader(Path(__file__).with_name("templates"))
    made = Environment(
        loader=templates, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return made.get_template("neighbourhood.svg")
