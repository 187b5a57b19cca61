"""Worlds from documents as vendors publish them, unedited."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from crud_samples import do, refusal, value
from vendor_documents import DESK, FORGE, PAYMENTS

from toologue.worlds.crud import Simulator
from toologue.worlds.crud.check import check

NOW = "2025-03-12T09:30:00Z"


def test_a_charge_is_created_listed_captured_and_paid_back():
    world = Simulator(PAYMENTS, {"now": NOW, "charges": [{"id": "ch_1001", "amount": 500}]}).world()
    assert value(world, "GetCharge", charge="ch_1001")["object"] == "charge", "the rest of a row is made up"
    made = value(world, "CreateCharge", amount=7, currency="usd")
    told = {"amount": 7, "currency": "usd"}
    assert made == {"id": "ch_1002", "object": "charge", **told, "captured": False, "created": 1741771800}
    listed = value(world, "ListCharges", limit=1)
    assert (listed["object"], listed["has_more"], [one["id"] for one in listed["data"]]) == ("list", True, ["ch_1001"])
    assert value(world, "UpdateCharge", charge="ch_1002", note="late")["note"] == "late"
    assert value(world, "CaptureCharge", charge="ch_1002")["captured"] is True
    assert refusal(world, "CaptureCharge", charge="ch_1002") == "conflict: the charge 'ch_1002' is captured already"
    refund = value(world, "CreateRefund", charge="ch_1002")
    assert (refund["charge"], refund["created"]) == ("ch_1002", 1741771800)
    assert (refund["amount"], refund["currency"]) == (7, "usd"), "what nobody said is as the charge has it"
    assert refusal(world, "CreateRefund", charge="ch_9") == "invalid: charge: there is no charge 'ch_9'"


def test_what_has_no_rows_its_documentation_answers():
    made = Simulator(PAYMENTS, {"now": NOW})
    assert made.answers["GetBalance"].by == "documented"
    assert "nothing says what 'GetBalance' reads" in made.answers["GetBalance"].why
    assert isinstance(value(made.world(), "GetBalance")["available"], int)
    assert made.answers["ListCharges"] == ("state", "ignored, as no field is called so: expand")


def test_a_row_may_be_sent_and_shown_under_its_name():
    world = Simulator(DESK, {"now": NOW, "tickets": [{"id": "1", "subject": "Lost key", "state": "shut"}]}).world()
    made = value(world, "CreateTicket", ticket={"subject": "No light"})["ticket"]
    assert made["subject"] == "No light"
    assert value(world, "ListTickets", state="shut")["meta"] == {"total": 1}
    assert value(world, "ListTickets", state="all")["meta"] == {"total": 2}
    assert value(world, "DeleteTicket", ticket_id="1") == {"id": "1", "deleted": True}
    assert do(world, "GetTicket", ticket_id="1").error.type == "not_found"


def test_rows_lie_under_what_only_the_path_names():
    world = Simulator(FORGE, {"now": NOW}).world()
    made = value(world, "CreateIssue", owner="ada", repo="kettle", title="It whistles")
    assert value(world, "GetIssue", owner="ada", repo="kettle", issue_number=str(made["number"])) == made
    assert value(world, "ListIssues", owner="ada", repo="kettle") == [made]
    assert value(world, "ListIssues", owner="bob", repo="kettle") == []
    assert do(world, "GetIssue", owner="ada", repo="pan", issue_number="1").error.type == "not_found"


def test_made_up_rows_are_plausible():
    """They begin in the weeks before now, and nothing is true of them that nobody said."""
    seed = {"now": NOW, "charges": [{"id": f"ch_{number}"} for number in range(20)]}
    rows = Simulator(PAYMENTS, seed).seed["charges"].values()
    now = datetime.fromisoformat(NOW)
    assert all(now - timedelta(days=60) < datetime.fromtimestamp(row["created"], UTC) < now for row in rows)
    assert {row["captured"] for row in rows} == {False}


def test_what_is_called_alike_and_looks_different_are_two_tables():
    assert [*Simulator(FORGE).tables] == ["issues", "comments", "repo_comments"]


def test_check_executes_every_operation():
    found = check(Simulator(PAYMENTS))
    assert found.accepted
    assert found.resources["charges"] == {"create", "read", "list", "update"}
    assert {name for name, answers in found.operations.items() if answers.by != "state"} == {"GetBalance"}
    assert check(Simulator(DESK)).accepted


def test_check_says_what_disagrees():
    lists = PAYMENTS["paths"]["/v1/charges"]["get"]
    odd = {
        **lists["responses"]["200"]["content"]["application/json"]["schema"],
        "additionalProperties": False,
        "maxProperties": 3,
    }
    paths = {
        "/v1/charges": {
            **PAYMENTS["paths"]["/v1/charges"],
            "get": {**lists, "responses": {"200": {"content": {"application/json": {"schema": odd}}}}},
        }
    }
    found = check(Simulator({**PAYMENTS, "paths": {**PAYMENTS["paths"], **paths}}))
    assert found.operations["ListCharges"].by == "none"
    assert "the answer is not as described" in found.operations["ListCharges"].why
