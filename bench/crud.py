"""Calls of the simulated shop: an order looked up, and a working day of reads and writes.

Plain: a dict of tables and one function for each operation, written for this shop alone. It checks no argument against
a schema, keeps no marks, and reports no changes; it does copy what it gives away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from bench.figure import Figure, in_turns
from toologue.schema import Call
from toologue.worlds.crud import Simulator

AIMS = {"crud, get": 0.05, "crud, mixed": 0.1}  # ms: 20,000 and 10,000 calls a second


def lookups(shop: Simulator) -> list[Call]:
    """Every order once."""
    return [Call(api="get_order", arguments={"order_id": name}) for name in shop.seed["orders"]]


def day(shop: Simulator) -> list[Call]:
    """For each order: who is it, what else is there, look at it, and try to cancel it or pay it back."""
    customers = shop.seed["customers"]
    made: list[tuple[str, dict[str, Any]]] = []
    for name, order in shop.seed["orders"].items():
        customer = order["customer_id"]
        made += [
            ("find_customer", {"email": customers[customer]["email"]}),
            ("list_orders", {"customer_id": customer, "limit": 2}),
            ("get_order", {"order_id": name}),
            ("cancel_order", {"order_id": name, "reason": "changed_mind"}),
            ("create_refund", {"order_id": name, "amount": 1, "reason": "damaged"}),
        ]
    return [Call(api=api, arguments=arguments) for api, arguments in made]


def ours(shop: Simulator, calls: Sequence[Call]) -> list[Any]:
    """What each call gives: its value, or the type of its error."""
    world = shop.world()
    found = map(world.do, calls)
    return [result.value if result.error is None else result.error.type for result in found]


def plain(shop: Simulator, calls: Sequence[Call]) -> list[Any]:
    """The same, by hand."""
    tables = {name: {key: dict(row) for key, row in rows.items()} for name, rows in shop.seed.items()}
    return [_PLAIN[call.api](tables, **(call.arguments or {})) for call in calls]


def _find(tables: Any, email: str) -> Any:
    return deepcopy(next((row for row in tables["customers"].values() if row["email"] == email), "not_found"))


def _list(tables: Any, customer_id: str, limit: int) -> Any:
    if customer_id not in tables["customers"]:
        return "not_found"
    found = [row for row in tables["orders"].values() if row["customer_id"] == customer_id]
    orders = [{name: row[name] for name in ("order_id", "status", "placed_at", "total")} for row in found[:limit]]
    return {"orders": orders, "total": len(found), "next_cursor": orders[-1]["order_id"] if found[limit:] else None}


def _get(tables: Any, order_id: str) -> Any:
    return deepcopy(tables["orders"].get(order_id, "not_found"))


def _cancel(tables: Any, order_id: str, reason: str) -> Any:
    order = tables["orders"].get(order_id)
    if order is None or order["status"] not in ("placed", "packed"):
        return "not_found" if order is None else "conflict"
    order |= {"status": "cancelled", "cancelled_at": "2025-03-12T09:30:00Z", "cancel_reason": reason}
    return deepcopy(order)


def _refund(tables: Any, order_id: str, amount: float, reason: str) -> Any:
    order = tables["orders"].get(order_id)
    if order is None or order["status"] not in ("delivered", "returned", "cancelled", "lost"):
        return "not_found" if order is None else "conflict"
    if order["refundable"] < amount:
        return "invalid" if order["refundable"] else "conflict"
    order["refundable"] = round(order["refundable"] - amount, 2)
    name = f"R-{max(int(key[2:]) for key in tables['refunds']) + 1}"
    row = {"refund_id": name, "order_id": order_id, "amount": amount, "reason": reason}
    tables["refunds"][name] = row | {"status": "pending", "created_at": "2025-03-12T09:30:00Z"}
    return dict(tables["refunds"][name])


_PLAIN: dict[str, Callable[..., Any]] = {
    "find_customer": _find, "list_orders": _list, "get_order": _get, "cancel_order": _cancel, "create_refund": _refund,
}  # fmt: skip


def figures(count: int = 40) -> list[Figure]:
    """CPU milliseconds a call."""
    shop = Simulator("shop")
    made: list[Figure] = []
    for path, calls in (("crud, get", lookups(shop) * count), ("crud, mixed", day(shop) * (count // 20))):
        sides = in_turns(partial(ours, shop, calls), partial(plain, shop, calls), count=len(calls), repeat=8)
        made.append(Figure(path, *sides, "ms", AIMS[path], f"{1e3 / sides[0]:,.0f} calls a second and core"))
    return made
