"""Lists of ids: customers name what stands in the order that was looked up, not ids that nobody has."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from toologue import generate
from toologue.schema import Dialogue

API = """
openapi: 3.0.3
info: {title: Lantern, version: "1"}
paths:
  /orders/{order_id}:
    get:
      operationId: get_order
      parameters: [{name: order_id, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: The order., content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
  /orders/{order_id}/returns:
    post:
      operationId: return_items
      parameters: [{name: order_id, in: path, required: true, schema: {type: string}}]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [item_ids]
              properties: {item_ids: {type: array, items: {type: string}, minItems: 1}}
      responses:
        "201": {description: The return., content: {application/json: {schema: {$ref: "#/components/schemas/Return"}}}}
components:
  schemas:
    Order:
      type: object
      required: [order_id, status, items]
      properties:
        order_id: {type: string}
        status: {type: string, enum: [sent, delivered]}
        items: {type: array, items: {type: object, properties: {item_id: {type: string}, name: {type: string}}}}
    Return:
      type: object
      required: [return_id, item_ids]
      properties: {return_id: {type: string}, order_id: {type: string}, item_ids: {type: array, items: {type: string}}}
"""
ROWS = """
orders:
  W-1001: {status: delivered, items: [{item_id: "1005", name: Storm lamp}, {item_id: "1006", name: Wick}]}
  W-1002: {status: delivered, items: [{item_id: "2001", name: Camp stove}]}
  W-1003: {status: delivered, items: [{item_id: "1005", name: Storm lamp}, {item_id: "2007", name: Pan}]}
"""
ITEMS = {"W-1001": {"1005", "1006"}, "W-1002": {"2001"}, "W-1003": {"1005", "2007"}}
PROCEDURE = """---
id: back
issue: I want to send something back.
---

# Items back

1. **Ask** for the order number. Collect `order_id`.
2. **Call** `get_order` with `order_id`, giving `order`.
   - If it fails: go to 6.
   - Otherwise: go to 3.
3. **Ask** which items of the order shall go back. Collect `item_ids`.
4. **Call** `return_items` with `order_id` and `item_ids`, giving `made`.
   - If it fails: go to 6.
   - Otherwise: go to 5.
5. **End**: say that the return is noted.
6. **End**: say that this is not in our books.
"""
# The same service as a class, which takes nothing back that is not in the order.
STRICT = """
from toologue.errors import UserError
from toologue.schema import Fault, Result
from toologue.worlds.crud.simulator import Simulator


class Strict:
    def __init__(self):
        self._made = Simulator("api.yaml", "rows.yaml")
        self._world = self._made.world()
        self.apis, self.rows = self._made.apis, self._made.seed
        self.mark, self.rewind = self._world.mark, self._world.rewind

    def do(self, act):
        order = self._made.seed["orders"].get(act.arguments.get("order_id"), {"items": []})
        known = {item["item_id"] for item in order["items"]}
        if set(act.arguments.get("item_ids", ())) - known:
            return Result(error=Fault(type="not_found", message="no such item"))
        return self._world.do(act)
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a document, rows, a class and a procedure."""
    files = {"api.yaml": API, "rows.yaml": ROWS, "strict_shop.py": STRICT, "back.md": PROCEDURE}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("strict_shop", None)


def returned(golds: Sequence[Dialogue]) -> list[tuple[str, tuple[str, ...], bool]]:
    """(order, items, whether they were taken back) for each call of `return_items`."""
    return [
        (order, tuple(items), result.error is None)
        for gold in golds
        for turn in gold.turns
        if turn.role == "agent"
        for act, result in zip(turn.acts, turn.results, strict=True)
        if act.kind == "call" and act.api == "return_items" and result
        for order, items in [_named(act.arguments)]
    ]


def _named(arguments: Any) -> tuple[str, list[str]]:
    return arguments["order_id"], arguments["item_ids"]


def test_customers_name_items_of_the_order_that_was_found() -> None:
    made = returned(generate("back.md", service="api.yaml", rows="rows.yaml", count=30))
    assert len({items for _, items, _ in made}) >= 4, "one of them, and all"
    assert all(set(items) <= ITEMS[order] for order, items, _ in made), made


def test_where_the_service_refuses_others_somebody_names_them() -> None:
    made = returned(generate("back.md", service="strict_shop:Strict", count=30))
    assert all(taken == (set(items) <= ITEMS[order]) for order, items, taken in made)
    refused = {items[-1] for _, items, taken in made if not taken}
    others = set[str]().union(*ITEMS.values())
    assert refused & others, "somebody else's"
    assert refused - others, "ids that nothing has"
