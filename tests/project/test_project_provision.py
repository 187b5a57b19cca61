"""What is added to a service by `Provision`: rows that belong together, and what is wrong with others, once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from toologue.project.provision import Provision

DOCUMENT = """
openapi: 3.1.0
info: {title: Till, version: "1"}
paths:
  /charges/{id}:
    get:
      operationId: get_charge
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Charge"}}}}
  /invoices/{id}:
    get:
      operationId: get_invoice
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Invoice"}}}}
components:
  schemas:
    Charge:
      type: object
      required: [id, amount]
      properties:
        id: {type: string}
        amount: {type: integer}
        invoice_id: {type: string}
        card: {anyOf: [{type: string}, {type: object, required: [last4], properties: {last4: {type: string}}}]}
    Invoice:
      type: object
      required: [id]
      properties: {id: {type: string}, charge_id: {type: string}}
"""


@pytest.fixture
def till(tmp_path: Path) -> Provision:
    (tmp_path / "till.yaml").write_text(DOCUMENT)
    return Provision.of(str(tmp_path / "till.yaml"))


def test_rows_may_refer_to_each_other_in_a_circle(till: Provision) -> None:
    rows = {
        "charges": [{"id": "ch_1", "amount": 5, "invoice_id": "in_1"}],
        "invoices": [{"id": "in_1", "charge_id": "ch_1"}],
    }
    made, refused = till.adding(rows, {})
    assert refused == []
    assert made.seed is not None
    assert {table: len(made.seed[table]) for table in rows} == {"charges": 1, "invoices": 1}


def test_what_is_wrong_with_several_rows_is_said_once(till: Provision) -> None:
    charges: list[dict[str, Any]] = [{"id": f"ch_{number}", "amount": 5, "paid_on": "today"} for number in range(4)]
    _, refused = till.adding({"charges": charges}, {})
    (said,) = refused
    assert said.startswith(
        "rows: charges 'ch_0' and 3 more not stored: paid_on: no field of charges is called 'paid_on'"
    )


def test_what_only_refers_to_a_row_that_is_wrong_is_no_matter_of_its_own(till: Provision) -> None:
    rows = {"charges": [{"id": "ch_1", "amount": "five"}], "invoices": [{"id": "in_1", "charge_id": "ch_1"}]}
    made, refused = till.adding(rows, {})
    assert (made, refused) == (till, ["rows: charges 'ch_1' not stored: amount: expected integer, got 'five'"])


def test_what_is_wrong_within_one_of_several_forms_is_named(till: Provision) -> None:
    _, (said,) = till.adding({"charges": [{"id": "ch_1", "amount": 5, "card": {"last4": 4242}}]}, {})
    assert said == "rows: charges 'ch_1' not stored: card: card.last4: expected string, got 4242"
