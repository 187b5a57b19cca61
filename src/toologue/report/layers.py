"""A layered drawing of a graph: where boxes stand, where arrows go, and where their labels have room.

    1  arrows that lead back are turned round, while it is drawn
    2  a box stands one layer below the lowest box that leads to it
    3  an arrow is a chain of places, one in each layer that it passes; the one next to its source holds the label
    4  layers are ordered by the mean place of their neighbours, a few times; the order with the fewest crossings counts
    5  places move towards their neighbours as far as others let them (least squares)

Contract: boxes and labels never overlap; the same graph, the same drawing. An arrow joins boxes, or one with itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

_SWEEPS = 12
_ACROSS, _DOWN = 22.0, 26.0  # what lies between boxes, and between layers
# The width of an arrow that passes a layer.
_THIN = 8.0


class Point(NamedTuple):
    """A point, in pixels from the top left."""

    x: float
    y: float


class Box(NamedTuple):
    """Something to be placed."""

    id: str
    width: float
    height: float


class Arrow(NamedTuple):
    """What joins two boxes; its label's size, if it has one."""

    id: str
    source: str
    target: str
    width: float = 0.0
    height: float = 0.0


class Layout(NamedTuple):
    """The middles of boxes and labels, and the points that each arrow passes, from edge to edge of its boxes."""

    width: float
    height: float
    boxes: Mapping[str, Point]
    labels: Mapping[str, Point]
    ways: Mapping[str, Sequence[Point]]


class _Place:
    """A box, or an arrow where it passes a layer."""

    __slots__ = ("above", "arrow", "below", "height", "layer", "rank", "width", "x")

    def __init__(self, layer: int, width: float, height: float, arrow: bool = False):
        self.layer, self.width, self.height, self.arrow = layer, width, height, arrow
        self.above, self.below = list[_Place](), list[_Place]()
        self.rank, self.x = 0.0, 0.0


def layered(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> Layout:
    """The drawing."""
    depth = _depths(boxes, arrows)
    places = {box.id: _Place(2 * depth[box.id], box.width, box.height) for box in boxes}
    chains = {arrow.id: _chain(arrow, places) for arrow in arrows}
    every = [*places.values(), *(place for chain in chains.values() for place in chain[1:-1])]
    rows: list[list[_Place]] = [[] for _ in range(max((place.layer for place in every), default=0) + 1)]
    for place in every:
        rows[place.layer].append(place)
    _order(rows)
    _spread(rows)
    lines, height = _lines(rows)
    left = min((place.x - place.width / 2 for place in every), default=0.0)
    right = max((place.x + place.width / 2 for place in every), default=0.0)

    def middle(place: _Place) -> Point:
        return Point(place.x - left, lines[place.layer][0])

    def passing(place: _Place, back: bool) -> list[Point]:
        """Straight through a row, so that no curve cuts the corner of what stands there."""
        line, half = lines[place.layer]
        ends = (line + half, line - half) if back else (line - half, line + half)
        return [Point(place.x - left, end) for end in ends]

    ways, labels = dict[str, list[Point]](), dict[str, Point]()
    for arrow in arrows:
        chain = chains[arrow.id]
        if arrow.width:
            labels[arrow.id] = middle(chain[1])
        back = len(chain) > 1 and chain[0].layer > chain[-1].layer
        way = [middle(chain[0]), *(point for place in chain[1:-1] for point in passing(place, back)), middle(chain[-1])]
        for end, beside in ((0, 1), (-1, -2)):  # from the middle of a box to its edge
            sign = 1 if chain[end].layer < chain[beside].layer else -1
            way[end] = way[end]._replace(y=way[end].y + sign * chain[end].height / 2)
        ways[arrow.id] = way
    return Layout(right - left, height, {id: middle(place) for id, place in places.items()}, labels, ways)


def _back(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> set[str]:
    """The arrows that lead back to where the way came from, and those from a box to itself."""
    open_, back = set[str](), set[tuple[str, str]]()
    network = _network(boxes, ((arrow.source, arrow.target) for arrow in arrows))
    for source, target, step in _networkx().dfs_labeled_edges(network):
        if step == "forward":
            open_.add(target)
        elif step == "reverse":
            open_.discard(target)
        elif target in open_:
            back.add((source, target))
    return {arrow.id for arrow in arrows if (arrow.source, arrow.target) in back}


def _depths(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> dict[str, int]:
    """The layer of each box: one below the lowest that leads to it."""
    back = _back(boxes, arrows)
    ways = ((arrow.source, arrow.target)[:: -1 if arrow.id in back else 1] for arrow in arrows)
    network = _network(boxes, ((source, target) for source, target in ways if source != target))
    return {id: depth for depth, ids in enumerate(_networkx().topological_generations(network)) for id in ids}


def _network(boxes: Sequence[Box], ways: Iterable[tuple[str, str]]) -> Any:
    network = _networkx().DiGraph()
    network.add_nodes_from(box.id for box in boxes)
    network.add_edges_from(ways)
    return network


def _networkx() -> Any:
    return import_module("networkx")


def _chain(arrow: Arrow, places: Mapping[str, _Place]) -> list[_Place]:
    source, target = places[arrow.source], places[arrow.target]
    step = 1 if source.layer < target.layer else -1
    passed = [_Place(layer, _THIN, 0, arrow=True) for layer in range(source.layer + step, target.layer, step)]
    if source is target:  # a way round it: up on its right
        passed = [_Place(source.layer + 1, _THIN, 0, arrow=True)]
    if passed and arrow.width:
        passed[0].width, passed[0].height = arrow.width, arrow.height
    chain = [source, *passed, target]
    for one, other in pairwise(chain):
        upper, lower = (one, other) if one.layer < other.layer else (other, one)
        upper.below.append(lower)
        lower.above.append(upper)
    return chain


def _order(rows: list[list[_Place]]) -> None:
    best, fewest = [[*row] for row in rows], -1
    for sweep in range(_SWEEPS):
        for row in rows:
            _rank(row)
        crossings = _crossings(rows)
        if fewest < 0 or crossings < fewest:
            best, fewest = [[*row] for row in rows], crossings
        down = sweep % 2 == 0
        for row in rows if down else reversed(rows):
            beside = {place: place.above if down else place.below for place in row}
            means = {place: _mean([one.rank for one in near], place.rank) for place, near in beside.items()}
            row.sort(key=means.__getitem__)
            _rank(row)
    rows[:] = best


def _rank(row: Sequence[_Place]) -> None:
    for rank, place in enumerate(row):
        place.rank = float(rank)


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(rows: Sequence[Sequence[_Place]]) -> int:
    """How often arrows cross between two rows: inversions of their ends."""
    found = 0
    for row in rows:
        ends = [end for place in row for end in sorted(below.rank for below in place.below)]
        found += sum(one > other for i, one in enumerate(ends) for other in ends[i + 1 :])
    return found


def _spread(rows: Sequence[Sequence[_Place]]) -> None:
    """Give each place its x: near its neighbours, and clear of those beside it."""
    for row in rows:
        at = 0.0
        for place in row:
            place.x = at + place.width / 2
            at += place.width + _ACROSS
    for sweep in range(2 * _SWEEPS):
        last = sweep >= 2 * _SWEEPS - 10
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = list[float]()
            for place in row:
                side = place.above + place.below if last else place.above if sweep % 2 == 0 else place.below
                wanted.append(_mean([one.x for one in side], place.x))
            gaps = [(one.width + other.width) / 2 + _ACROSS for one, other in pairwise(row)]
            weights = [6.0 if place.arrow and not place.height else 1.0 for place in row]
            for place, x in zip(row, _apart(wanted, weights, gaps), strict=True):
                place.x = x


def _apart(wanted: Sequence[float], weights: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones that keep these gaps: a weighted isotonic regression."""
    offsets = list(accumulate(gaps, initial=0.0))
    blocks: list[tuple[float, float, int]] = []  # (mean, weight, how many), means ascending
    for want, weight, offset in zip(wanted, weights, offsets, strict=False):
        mean, heavy, many = want - offset, weight, 1
        while blocks and blocks[-1][0] >= mean:
            before, load, count = blocks.pop()
            mean, heavy, many = (before * load + mean * heavy) / (load + heavy), load + heavy, count + many
        blocks.append((mean, heavy, many))
    flat = [mean for mean, _, many in blocks for _ in range(many)]
    return [mean + offset for mean, offset in zip(flat, offsets, strict=False)]


def _lines(rows: Iterable[Sequence[_Place]]) -> tuple[list[tuple[float, float]], float]:
    """(the middle line of each row, half its height), and the height of all."""
    lines, at = list[tuple[float, float]](), 0.0
    for row in rows:
        height = max((place.height for place in row), default=0.0)
        lines.append((at + height / 2, height / 2))
        at += height + (_DOWN if height else 0)
    return lines, max(0.0, at - _DOWN)
