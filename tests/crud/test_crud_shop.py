"""The shop that ships: every operation done and refused, and the seed holds a case for every branch."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent

import pytest
from crud_samples import do, refusal, service, value

from bench import crud
from toologue.worlds.crud import Simulator, shipped

PAGE = (Path(__file__).parents[2] / "docs" / "your-api.md").read_text()
SHOP = service("shop")
ADDRESS = {"name": "Ana Ferreira", "street": "Cais 4", "city": "Porto", "postal_code": "4000-001", "country": "PT"}
TICKET = {"customer_id": "C-2041", "team": "logistics", "summary": "The parcel came open."}

DONE = [
    ("find_customer", {"email": "Ana.Ferreira@post.example"}, {"customer_id": "C-2041", "tier": "gold"}),
    ("list_orders", {"customer_id": "C-2041", "status": "delivered"}, {"total": 3, "next_cursor": None}),
    ("list_orders", {"customer_id": "C-2041", "placed_from": "2025-02-01", "limit": 1}, {"total": 2}),
    (
        "apply_voucher",
        {"customer_id": "C-2041", "amount": 12.5, "reason": "poor_service"},
        {"expires_on": "2025-06-10"},
    ),
    ("get_order", {"order_id": "O-10318"}, {"status": "delivered", "total": 139}),
    ("track_shipment", {"order_id": "O-10423"}, {"order_id": "O-10423", "status": "delivered"}),
    ("cancel_order", {"order_id": "O-10464", "reason": "other"}, {"status": "cancelled", "cancel_reason": "other"}),
    ("update_delivery_address", {"order_id": "O-10453", **ADDRESS}, {"status": "packed", "delivery_address": ADDRESS}),
    ("create_refund", {"order_id": "O-10437", "amount": 100, "reason": "cancelled"}, {"refund_id": "R-5018"}),
    ("create_return_label", {"order_id": "O-10434", "reason": "damaged"}, {"expires_on": "2025-03-26"}),
    ("reship_order", {"order_id": "O-10367"}, {"status": "packed", "reshipped": True, "shipped_at": None}),
    ("get_product", {"sku": "KP-1011"}, {"stock": 0, "restock_on": "2025-03-28"}),
    ("create_ticket", TICKET, {"ticket_id": "T-8812", "status": "open", "priority": "normal", "order_id": None}),
]
REFUSED = [
    ("find_customer", {"email": "who@post.example"}, "not_found: there is no customer with email 'who@post.example'"),
    ("find_customer", {"email": "who"}, "invalid: email: 'who' is no email"),
    ("list_orders", {"customer_id": "C-0000"}, "not_found: there is no customer 'C-0000'"),
    ("list_orders", {"customer_id": "C-2041", "limit": 51}, "invalid: limit: 51 is more than 50"),
    (
        "apply_voucher",
        {"customer_id": "C-2230", "amount": 5, "reason": "poor_service"},
        "forbidden: The account of Zsófia",
    ),
    (
        "apply_voucher",
        {"customer_id": "C-2140", "amount": 5, "reason": "poor_service"},
        "conflict: Ingrid Solheim got a",
    ),
    ("apply_voucher", {"customer_id": "C-2041", "amount": 5.2, "reason": "poor_service"}, "invalid: amount: 5.2 is no"),
    ("get_order", {"order_id": "10318"}, "invalid: order_id: '10318' does not have the form ^O-"),
    ("track_shipment", {"order_id": "O-10464"}, "not_found: there is no shipment with order 'O-10464'"),
    ("cancel_order", {"order_id": "O-10318", "reason": "other"}, "conflict: Order O-10318 is delivered: only orders"),
    ("cancel_order", {"order_id": "O-10394", "reason": "other"}, "conflict: Order O-10394 was cancelled already."),
    ("cancel_order", {"order_id": "O-10464"}, "invalid: reason is missing"),
    ("update_delivery_address", {"order_id": "O-10391", **ADDRESS}, "conflict: Order O-10391 is shipped: its address"),
    ("update_delivery_address", {"order_id": "O-10453", **ADDRESS, "country": "Portugal"}, "invalid: country: "),
    (
        "create_refund",
        {"order_id": "O-10464", "amount": 1, "reason": "damaged"},
        "conflict: Order O-10464 is placed: it",
    ),
    (
        "create_refund",
        {"order_id": "O-10341", "amount": 1, "reason": "returned"},
        "conflict: Order O-10341 was refunded",
    ),
    ("create_refund", {"order_id": "O-10318", "amount": 139.01, "reason": "damaged"}, "invalid: Only 139 EUR of order"),
    (
        "create_refund",
        {"order_id": "O-10318", "amount": 0, "reason": "damaged"},
        "invalid: amount: 0 is not more than 0",
    ),
    ("create_return_label", {"order_id": "O-10391", "reason": "damaged"}, "conflict: Order O-10391 is shipped: only"),
    ("create_return_label", {"order_id": "O-10405", "reason": "damaged"}, "conflict: Order O-10405 has a return label"),
    ("create_return_label", {"order_id": "O-10318", "reason": "damaged"}, "conflict: Order O-10318 was delivered more"),
    ("create_return_label", {"order_id": "O-10427", "reason": "damaged"}, "conflict: Order O-10427 is a final sale"),
    ("reship_order", {"order_id": "O-10318"}, "conflict: Order O-10318 is delivered: only lost orders"),
    ("reship_order", {"order_id": "O-10402"}, "conflict: Order O-10402 was sent again once already"),
    ("get_product", {"sku": "KP-0000"}, "not_found: there is no product 'KP-0000'"),
    ("create_ticket", TICKET | {"customer_id": "C-0000"}, "invalid: customer_id: there is no customer 'C-0000'"),
    ("create_ticket", TICKET | {"order_id": "O-00000"}, "invalid: order_id: there is no order 'O-00000'"),
    ("create_ticket", TICKET | {"summary": "Why"}, "invalid: summary: 'Why' is shorter than 5"),
]


@pytest.mark.parametrize(("api", "arguments", "expected"), DONE)
def test_done(api, arguments, expected):
    world = SHOP.world()
    found = value(world, api, **arguments)
    assert {name: found[name] for name in expected} == expected
    documented = next(one for one in SHOP.apis if one.name == api)
    assert set(documented.returns["required"]) <= found.keys()
    assert bool(world.diff()) is documented.writes


@pytest.mark.parametrize(("api", "arguments", "message"), REFUSED)
def test_refused(api, arguments, message):
    assert refusal(SHOP.world(), api, **arguments).startswith(message)


def test_every_operation_is_done_and_refused():
    names = {api.name for api in SHOP.apis}
    assert {api for api, _, _ in DONE} == {api for api, _, _ in REFUSED} == names


def test_money_is_paid_back_once():
    world = SHOP.world()
    value(world, "create_refund", order_id="O-10387", amount=22.9, reason="damaged")
    assert value(world, "get_order", order_id="O-10387")["refundable"] == 100.1
    value(world, "create_refund", order_id="O-10387", amount=100.1, reason="damaged")
    again = refusal(world, "create_refund", order_id="O-10387", amount=0.01, reason="damaged")
    assert again == "conflict: Order O-10387 was refunded in full already."


def test_a_lost_order_is_sent_again_or_paid_back():
    world = SHOP.world()
    value(world, "create_refund", order_id="O-10372", amount=1, reason="not_received")
    assert refusal(world, "reship_order", order_id="O-10372").startswith("conflict: Money was paid back for order")
    again = do(world, "reship_order", order_id="O-10416")
    assert sorted(path.split("/")[0] for path in again.changes) == ["orders", "shipments"]
    assert value(world, "track_shipment", order_id="O-10416")["status"] == "label_created"


def test_made_up_texts_have_the_form_of_the_document():
    world = SHOP.world()
    label = value(world, "create_return_label", order_id="O-10434", reason="damaged")
    assert label["return_label_id"] == "L-3105"
    assert label["tracking_number"].startswith("KR")
    assert value(world, "get_order", order_id="O-10434")["return_label_id"] == "L-3105"
    code = value(world, "apply_voucher", customer_id="C-2088", amount=10, reason="wrong_item")["code"]
    assert code.startswith("THANKS-")
    assert code not in SHOP.seed["vouchers"]


def test_who_ships():
    assert "shop" in shipped()
    assert all(service(name).seed and service(name).now for name in shipped())


def test_who_ships_is_documented():
    assert [name for name in shipped() if f"| `{name}` |" not in PAGE] == []


def test_the_seed_and_the_action_of_the_page_hold(tmp_path):
    (seed,) = re.findall(r"^```yaml\n(now:.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (action,) = re.findall(r"^```yaml\n(x-action:.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "seed.yaml").write_text(seed)
    (tmp_path / "overlay.yaml").write_text(f"operations:\n  create_refund:\n{indent(action, '    ')}")
    world = Simulator("shop", tmp_path / "seed.yaml", overlay=tmp_path / "overlay.yaml").world()
    refund = {"order_id": "O-10423", "reason": "cancelled"}
    assert "EUR are left." in refusal(world, "create_refund", amount=5000, **refund)
    assert value(world, "create_refund", amount=0.5, **refund)["order"]["status"] == "cancelled"
    assert "it can no longer be cancelled" in refusal(world, "create_refund", amount=0.5, **refund)


def test_the_shop_by_hand_gives_the_same():
    """What `bench/crud.py` measures the simulator against."""
    for calls in (crud.lookups(SHOP), crud.day(SHOP) * 2):
        assert crud.ours(SHOP, calls) == crud.plain(SHOP, calls)
