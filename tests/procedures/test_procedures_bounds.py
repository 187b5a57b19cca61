"""Bounds ("within 30 days"): what is one, what lies next to it, that covers come there, what is told where none can."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pydantic import JsonValue

from toologue.formats.procedure import read
from toologue.plan.procedures import procedure
from toologue.plan.procedures.bounds import Near, bounds_in
from toologue.plan.procedures.explore import Explorer, FeasiblePath
from toologue.plan.procedures.far_off import far_off
from toologue.plan.procedures.service import Service, mocked, service
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Api, Procedure

NOW = "2025-03-12T09:30:00Z"


def explored(it: Procedure, over: Service) -> tuple[Explorer, Sequence[FeasiblePath]]:
    ground = Explorer(it, conversation_graph(flowgraph(it)), over)
    return ground, ground.cover()


def near(condition: str, **values: JsonValue) -> Near | None:
    (bound,) = bounds_in(condition, {"most"})
    return bound.near("E1", {"now": NOW, "most": 65, **values})


@pytest.mark.parametrize(
    ("condition", "bounds"),
    [
        ("order.total <= most", ["order.total <= most"]),
        ('30 < days_since(order.came) and order.way == "post"', ["30 < days_since(order.came)"]),
        ('day < today + "7 days" or day > today + "180 days"', ["day < today + '7 days'", "day > today + '180 days'"]),
        ("order.total < order.paid", []),
        ("order.total == most", []),
        ("any(one.total > most for one in orders)", []),
    ],
)
def test_a_bound_is_compared_with_what_the_procedure_says(condition: str, bounds: list[str]) -> None:
    assert [str(one) for one in bounds_in(condition, {"most"})] == bounds


@pytest.mark.parametrize(
    ("condition", "value", "holds", "next_to", "next"),
    [
        ("x <= most", 65, True, True, 65),
        ("x <= most", 64.5, True, False, 65),
        ("x <= most", 66, False, True, 66),
        ("x <= most", 74, False, False, 66),
        ("most < x", 65, False, True, 65),
        ("most < x", 66, True, True, 66),
        ("x >= 0.8", 0.7, False, True, 0.7),
        ("x >= 0.8", 0.5, False, False, 0.7),
        ('x < today + "7 days"', "2025-03-18", True, True, "2025-03-18"),
        ('x < today + "7 days"', "2025-03-19", False, True, "2025-03-19"),
        ('x < today + "7 days"', "2025-03-21", False, False, "2025-03-19"),
        ("days_since(x) > 30", "2025-02-10", False, True, 30),
        ("days_since(x) > 30", "2025-02-09", True, True, 31),
        ('x > now - "12 hours"', "2025-03-11T22:00:00Z", True, True, "2025-03-11T22:30"),
        ('x > now - "12 hours"', "2025-03-12T06:10:00Z", True, False, "2025-03-11T22:30"),
    ],
)
def test_next_to_a_bound_is_the_bound_itself_or_one_step_beyond(
    condition: str, value: JsonValue, holds: bool, next_to: bool, next: JsonValue
) -> None:
    found = near(condition, x=value)
    assert found
    assert (found.side.holds, found.next_to, found.next) == (holds, next_to, next)


def test_it_counts_only_where_it_decides() -> None:
    assert near('x > most and way == "post"', x=65, way="hand") is None
    assert near('x > most or way == "post"', x=65, way="post") is None
    assert near('x > most and way == "post"', x=65, way="post")
    assert near("x > most", x=None) is None
    assert near("x > most", x=0, most=0) is None


def test_a_cover_comes_next_to_both_sides_where_there_are_such_rows() -> None:
    ground, cover = explored(procedure("return-an-item"), service("shop"))
    days = {side for trail in cover for side in trail.sides if "days_since" in side.text}
    assert {side.holds for side in days} == {True, False}
    assert [one.wanted for one in far_off(ground)] == ["order.total == 66"]


def test_what_no_row_comes_next_to_is_told_with_the_nearest() -> None:
    it = procedure("return-an-item")
    ground, _ = explored(it.replace(facts={**it.facts, "days_to_return": 28}), service("shop"))
    told = [str(one) for one in far_off(ground) if "days_since" in one.wanted]
    assert told[0].startswith("step 5: nothing has `days_since(order.delivered_at) == 28`, the nearest is ")
    assert told[0].endswith("; add such a row to seed.yaml") or "--rows" in told[0]


MOVE = """# A move
1. **Ask** for the day. Collect `day`.
   - If `day < today + "7 days"`: go to 3.
   - Otherwise: go to 2.
2. **Call** `book` with `day`. Go to 3.
3. **End**: say that it is noted.
"""
PARCEL = """---
facts:
  patience: 7
---
# A late parcel
1. **Ask** for the number. Collect `number`.
2. **Call** `get_parcel` with `number`, giving `parcel`.
   - If `days_since(parcel.due) > patience`: go to 4.
   - Otherwise: go to 3.
3. **End**: say that it arrives soon.
4. **End**: say that it is lost.
"""


def test_days_that_customers_say_and_results_that_are_made_up_come_there_as_well() -> None:
    day = {"day": {"type": "string", "format": "date"}}
    number = {"number": {"type": "string"}}
    book = Api.model_validate({"name": "book", "parameters": _parameters(day), "writes": True})
    due = {"type": "object", "properties": {"due": {"type": "string", "format": "date"}}}
    parcel = Api.model_validate({"name": "get_parcel", "parameters": _parameters(number), "returns": due})
    for text, api in ((MOVE, book), (PARCEL, parcel)):
        ground, cover = explored(read(text, id="it"), mocked([api]))
        assert ground.bounds.all
        assert frozenset[object]().union(*(trail.sides for trail in cover)) == ground.bounds.all


def _parameters(schemas: dict[str, dict[str, str]]) -> dict[str, object]:
    return {name: {"schema": schema, "required": True} for name, schema in schemas.items()}
