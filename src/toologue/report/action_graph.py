"""The action graph as a drawing (ToolDial, figure 3): a box an action, an arrow for what may follow it.

Contract: `action_graph()` is a whole SVG document, the same every time. Boxes are coloured by who acts: the user, the
agent aloud, the agent in silence. What an action means, and what an arrow joins, is their title.

Example:
    >>> drawn = action_graph()
    >>> drawn.startswith("<svg"), drawn.count("<rect"), "retriever call" in drawn
    (True, 21, True)

Not covered: how often each arrow is taken; `plan chains` says how often each sequence is.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Literal

from toologue.plan.chains.actions import ACTIONS, GRAPH, Step, action_of

Edge = Literal["left", "right", "top", "bottom"]
_WIDE, _HIGH, _ACROSS, _DOWN, _LEFT, _TOP = 172, 36, 232, 84, 24, 60
_PLACES: Mapping[Step, tuple[int, int]] = {
    "inform_intent_vague": (1, 0), "inform_intent_clear": (2, 0), "inform_intent_clear_add": (3, 0),
    "retriever_call": (2, 1), "clarify": (3, 1),
    "suggest": (1, 2),
    "negate": (0, 3), "affirm": (1, 3), "request": (2, 3), "fail_inform": (3, 3),
    "response_fail": (0, 4), "inform": (2, 4), "request_multi": (3, 4),
    "call": (2, 5),
    "system_bye": (0, 6), "user_bye": (1, 6), "response": (2, 6),
}  # fmt: skip
_SIDES: Mapping[tuple[Step, Step], tuple[Edge, Edge]] = {
    ("retriever_call", "call"): ("left", "left"),
    ("call", "request"): ("right", "right"),
    ("call", "call"): ("bottom", "left"),
    ("call", "request_multi"): ("right", "bottom"),
    ("fail_inform", "retriever_call"): ("top", "bottom"),
}
"""Where arrows leave and arrive that cannot go straight."""
_NORMALS: Mapping[Edge, tuple[int, int]] = {"left": (-1, 0), "right": (1, 0), "top": (0, -1), "bottom": (0, 1)}
_COLOURS = {"user": ("#e8f1fb", "#2f6db5"), "aloud": ("#e9f6ec", "#2f8a4a"), "silent": ("#f4f0fa", "#7a55b0")}
_LEGENDS = {"user": "the user", "aloud": "the agent, aloud", "silent": "the agent, in silence"}
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1d2330;text-anchor:middle;dominant-baseline:central}"
    ".legend{text-anchor:start}.way{fill:none;stroke:#7d8694;stroke-width:1.3;marker-end:url(#tip)}"
)
_TIP = (
    '<marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="#7d8694"/></marker>'
)


def action_graph() -> str:
    """The drawing."""
    columns, rows = (max(place[axis] for place in _PLACES.values()) for axis in (0, 1))
    width, height = 2 * _LEFT + columns * _ACROSS + _WIDE, _TOP + rows * _DOWN + _HIGH + _LEFT
    parts = [_arrow(source, target) for source, targets in GRAPH.items() for target in targets]
    parts += map(_box, GRAPH)
    parts += [_legend(place, kind) for place, kind in enumerate(_LEGENDS)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>The action graph</title><style>{_STYLE}</style><defs>{_TIP}</defs>'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _named(step: Step) -> str:
    return "request (which one)" if step == "request_multi" else step.replace("_", " ")


def _kind(step: Step) -> str:
    action = ACTIONS[action_of(step)]
    return "user" if action.who == "user" else "aloud" if action.spoken else "silent"


def _middle(step: Step) -> tuple[float, float]:
    column, row = _PLACES[step]
    return _LEFT + column * _ACROSS + _WIDE / 2, _TOP + row * _DOWN + _HIGH / 2


def _box(step: Step) -> str:
    (x, y), (fill, stroke) = _middle(step), _COLOURS[_kind(step)]
    return (
        f"<g><title>{escape(ACTIONS[action_of(step)].meaning)}</title>"
        f'<rect x="{x - _WIDE / 2}" y="{y - _HIGH / 2}" width="{_WIDE}" height="{_HIGH}" rx="8" '
        f'fill="{fill}" stroke="{stroke}"/><text x="{x}" y="{y}">{escape(_named(step))}</text></g>'
    )


def _arrow(source: Step, target: Step) -> str:
    leaves, arrives = _SIDES.get((source, target)) or _facing(source, target)
    (x1, y1), (x2, y2) = _anchor(source, leaves, target), _anchor(target, arrives, source)
    far = 34 if leaves == arrives or source == target else 0.45 * max(abs(x2 - x1), abs(y2 - y1))
    (dx1, dy1), (dx2, dy2) = _NORMALS[leaves], _NORMALS[arrives]
    bends = f"{x1 + dx1 * far:.1f} {y1 + dy1 * far:.1f} {x2 + dx2 * far:.1f} {y2 + dy2 * far:.1f}"
    title = f"{_named(source)} → {_named(target)}"
    return f'<path class="way" d="M{x1:.1f} {y1:.1f}C{bends} {x2:.1f} {y2:.1f}"><title>{escape(title)}</title></path>'


def _facing(source: Step, target: Step) -> tuple[Edge, Edge]:
    """The sides of two boxes that look at each other."""
    (column, row), (other, below) = _PLACES[source], _PLACES[target]
    if row == below:
        return ("right", "left") if other > column else ("left", "right")
    return ("bottom", "top") if below > row else ("top", "bottom")


def _anchor(step: Step, edge: Edge, other: Step) -> tuple[float, float]:
    """Where an arrow meets a side; on the upper and lower ones a little towards the other box."""
    (x, y), (dx, dy) = _middle(step), _NORMALS[edge]
    column, towards = _PLACES[step][0], _PLACES[other][0]
    aside = 0 if dx else 46 * ((towards > column) - (towards < column)) or (-46 if step == other else 0)
    below = 9 if dx and _PLACES[step][1] != _PLACES[other][1] else 0
    return x + dx * _WIDE / 2 + aside, y + dy * _HIGH / 2 + below


def _legend(place: int, kind: str) -> str:
    fill, stroke = _COLOURS[kind]
    x = _LEFT + 180 * place
    return (
        f'<rect x="{x}" y="16" width="14" height="14" rx="3" fill="{fill}" stroke="{stroke}"/>'
        f'<text class="legend" x="{x + 22}" y="23.5">{_LEGENDS[kind]}</text>'
    )
