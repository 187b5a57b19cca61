"""Bounds that conversations keep far off: which side no value comes next to, the nearest that does, what to add.

All that the explorer tried is looked at. An agent that reads "within 30 days" as "within 31" passes every test whose
rows are 12 and 50 days old.

Example:
    step 5: nothing has `days_since(order.delivered_at) == 30`, the nearest is 27; add such a row to seed.yaml
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator

from pydantic import JsonValue

from toologue.plan.procedures.bounds import Near, Side
from toologue.plan.procedures.explore import Explorer
from toologue.plan.procedures.unreached import seed_name
from toologue.schema import Noun


class FarOff(Noun):
    """A side of a bound: its step and line, what was never so, the nearest that was, and what to add."""

    step: int
    line: int
    wanted: str
    nearest: JsonValue
    remedy: str

    def __str__(self) -> str:
        nearest = json.dumps(self.nearest, ensure_ascii=False)
        return f"step {self.step}: nothing has `{self.wanted}`, the nearest is {nearest}; {self.remedy}"


def far_off(ground: Explorer) -> list[FarOff]:
    """The sides of bounds that something was tried on, and nothing next to the bound; each once, by line."""
    nearest, waiting = dict[Side, Near](), [ground.root]
    while waiting:
        place = waiting.pop()
        waiting += place.grown or ()
        for near in ground.near(place):
            known = nearest.get(near.side)
            if known is None or abs(near.distance) < abs(known.distance):
                nearest[near.side] = near
    told = {(one.step, one.wanted): one for side, near in nearest.items() for one in _told(ground, side, near)}
    return sorted(told.values(), key=lambda one: (one.line, one.wanted))


def _told(ground: Explorer, side: Side, near: Near) -> Iterator[FarOff]:
    if near.next_to:
        return
    link = ground.graph.by_link[side.link]
    measured = next(one.measured for one in ground.bounds.of(side.link) if str(one) == side.text)
    root, *_ = measured.paths[0]
    value = json.dumps(near.next, ensure_ascii=False)
    slot = root in ground.answers.slots and ground.answers.table((root,)) is None
    remedy = f"add `examples: {{{root}: [{value}]}}`" if slot else f"add such a row to {seed_name(ground)}"
    wanted, step = f"{ast.unparse(measured.tree)} == {value}", ground.graph.by_id[link.source].step or 0
    yield FarOff(step=step, line=link.line, wanted=wanted, nearest=near.value, remedy=remedy)
