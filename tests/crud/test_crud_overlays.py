"""What a document of others does not say, beside it: overlays, read, refused, drafted; and the command that checks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crud_samples import refusal, value
from vendor_documents import DESK, PAYMENTS

from command import toologue
from toologue import generate
from toologue.apis.choice import Choice
from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.project.evaluate import read_chapters
from toologue.project.generate import plans_of
from toologue.project.settings import open_project
from toologue.worlds.crud import Simulator, shipped
from toologue.worlds.crud.check import check, draft

OVERLAY = """
x-seed: {now: 2025-03-12T09:30:00Z, charges: [{id: ch_1001, amount: 500}]}
operations:
  CaptureCharge:
    x-action: {requires: charge.amount <= 400, otherwise: Too much to capture., sets: {captured: true}}
  ListCharges: {parameters: {expand: {x-filter: ignored}}}
  GetBalance: null
components: {schemas: {charge: {properties: {note: {x-unique: true}}}}}
"""


PROCEDURE = """---
issue: I want to know about my charge.
---

# A charge

1. **Ask** for the charge. Collect `charge`.
2. **Call** `GetCharge` with `charge`, giving `found`.
   - If it fails with `not_found`: go to 4.
3. **End**: say that a charge of {found.amount} is there.
4. **End**: say that there is no {charge}.
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def overlaid(text: str) -> Simulator:
    Path("overlay.yaml").write_text(text)
    return Simulator(PAYMENTS, overlay="overlay.yaml")


def test_an_overlay_says_what_the_document_does_not():
    made = overlaid(OVERLAY)
    world = made.world()
    assert "GetBalance" not in made.answers
    assert made.answers["ListCharges"] == ("state", "")
    assert refusal(world, "CaptureCharge", charge="ch_1001") == "conflict: Too much to capture."
    value(world, "CreateCharge", amount=1, note="mine")
    assert refusal(world, "CreateCharge", amount=2, note="mine") == "conflict: note: 'mine' is taken"
    assert "x-tables" not in PAYMENTS, "the document stays as it is"


@pytest.mark.parametrize(
    ("overlay", "message"),
    [
        ("operations: {GetCharges: {}}", "$.operations.GetCharges: no operation is called 'GetCharges'; did you mean"),
        ("operation: {}", "$.operation: no part of an overlay is called 'operation'; did you mean 'operations'?"),
        ("components: {schemas: {chrge: {}}}", "$.components.schemas.chrge: no one of the schemas is called 'chrge'"),
        ("operations: {GetBalance: {x-writes: false}}", "nothing says what 'GetBalance' reads"),
        ("operations: {ListCharges: {parameters: {since: {}}}}", "no parameter is called 'since'"),
        ("[]", "expected an overlay, got []"),
        (
            "x-tables: {}\noperations:\n  CreateRefund:\n    x-action: {on: charge}",
            "overlay.yaml:4: $.operations.CreateRefund.x-action.on: no table is called 'charge'; did you mean",
        ),
        ("\nx-seed:\n  charges:\n  - {id: a, amont: 1}", "overlay.yaml:4: $.x-seed.charges[0].amont: no field of"),
        (
            "operations: {CreateRefund: {x-action: {requires: charge.captured}}}",
            "charge is the argument here, which has no 'captured': say `on: charges` to mean the row that it names",
        ),
    ],
)
def test_what_an_overlay_names_has_to_be_there_and_to_be_understood(overlay, message):
    with pytest.raises(BadRecord) as caught:
        overlaid(overlay)
    assert message in str(caught.value)


def test_an_action_may_be_about_the_row_that_an_argument_refers_to():
    """What the operation does by itself it does all the same: here, a refund is made."""
    seed = "x-seed: {now: 2025-03-12, charges: [{id: a, amount: 5, captured: true}, {id: b, captured: false}]}\n"
    action = "{on: charges, requires: charge.captured, sets: {note: $refund.id}}"
    world = overlaid(f"{seed}operations: {{CreateRefund: {{x-action: {action}}}}}").world()
    assert refusal(world, "CreateRefund", charge="b") == "conflict: `charge.captured` does not hold"
    refund = value(world, "CreateRefund", charge="a")
    assert (refund["charge"], refund["amount"]) == ("a", 5)
    assert value(world, "GetCharge", charge="a")["note"] == refund["id"]


def test_what_names_a_row_has_the_form_of_its_key():
    key = overlaid("components: {schemas: {charge: {properties: {id: {pattern: '^ch_\\d+$'}}}}}")
    apis = {api.name: api for api in key.apis}
    for name in ("GetCharge", "CaptureCharge", "CreateRefund"):
        assert apis[name].parameters["charge"].json_schema["pattern"] == r"^ch_\d+$"
    assert refusal(key.world(), "GetCharge", charge="none") == "not_found: there is no charge 'none'"


@pytest.mark.parametrize("service", shipped())
def test_what_ships_is_accepted_with_its_own_draft(service: str, tmp_path: Path):
    """What `x-action` requires is not asked of rows that are made up."""
    (tmp_path / "draft.yaml").write_text(draft(Simulator(service)))
    found = check(Simulator(service, overlay=tmp_path / "draft.yaml"))
    assert {name: one.why for name, one in found.operations.items() if one.by != "state"} == {}
    assert found.accepted


def test_a_draft_says_what_was_guessed_and_changes_nothing():
    text = draft(Simulator(PAYMENTS))
    assert "  charges: {key: id}  # guess\n  refunds: {key: id}  # guess; charge → charges\n" in text
    assert "# GetBalance: {x-action: {…}}  answered by its documentation: get: nothing says" in text
    assert overlaid(text).answers == Simulator(PAYMENTS).answers
    assert next(iter(overlaid(text).seed["refunds"].values()))["charge"] == "charge_1"


def test_a_project_has_its_overlay_beside_the_document(tmp_path: Path):
    (tmp_path / "till.json").write_text(json.dumps(PAYMENTS))
    (tmp_path / "overlay.yaml").write_text(OVERLAY)
    (tmp_path / "toologue.toml").write_text('apis = "till.json"\noverlay = "overlay.yaml"\nprocedures = "p"')
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "look.md").write_text(PROCEDURE)
    (chapter,) = read_chapters(open_project(tmp_path))
    plans = plans_of(chapter.source).plans
    assert any("ch_1001" in plan.model_dump_json() for plan in plans), "the rows of the overlay are there"


def test_the_command_checks_and_drafts(tmp_path: Path):
    document, overlay, found = tmp_path / "till.json", tmp_path / "overlay.yaml", tmp_path / "found.json"
    document.write_text(json.dumps(PAYMENTS))
    checked = toologue("world", "check", document, "--json", found, cwd=tmp_path)
    assert checked.returncode == 0
    assert "accepted: of 9 operations 8 answer with state, 1 are answered by their documentation" in checked.stdout
    assert "1: GetBalance" in checked.stdout
    assert (
        f"say in an overlay what such an operation does (x-action, docs/your-api.md): toologue world draft {document}"
        in (checked.stdout)
    )
    told = json.loads(found.read_text())
    assert told["accepted"] is True
    assert told["operations"][0] == {
        "name": "ListCharges", "answers": "state", "why": "ignored, as no field is called so: expand",
    }  # fmt: skip
    assert toologue("world", "draft", document, "-o", overlay, cwd=tmp_path).returncode == 0
    assert toologue("world", "check", document, "--overlay", overlay, cwd=tmp_path).returncode == 0
    assert toologue("world", "draft", document, "-o", overlay, cwd=tmp_path).returncode == 2
    reads = {path: {"get": item["get"]} for path, item in DESK["paths"].items()}
    document.write_text(json.dumps({**DESK, "paths": reads}))
    assert toologue("world", "check", document, cwd=tmp_path).returncode == 1


def test_the_command_looks_at_the_operations_that_are_chosen(tmp_path: Path):
    (tmp_path / "till.json").write_text(json.dumps(PAYMENTS))
    chosen = ("till.json", "--only", "*Charge*", "--exclude", "CaptureCharge")
    checked = toologue("world", "check", *chosen, cwd=tmp_path)
    assert checked.returncode == 0
    assert "accepted: of 4 operations 4 answer with state" in checked.stdout
    assert toologue("world", "draft", *chosen, "-o", "overlay.yaml", cwd=tmp_path).returncode == 0
    assert "GetBalance" not in (tmp_path / "overlay.yaml").read_text()
    wrong = toologue("world", "draft", "till.json", "--tag", "none", "-o", "other.yaml", cwd=tmp_path)
    assert (wrong.returncode, "--tag 'none' fits nothing" in wrong.stderr) == (2, True)


def test_python_generates_over_a_part_of_a_document_with_its_overlay(tmp_path: Path):
    (tmp_path / "till.json").write_text(json.dumps(PAYMENTS))
    (tmp_path / "till.yaml").write_text(OVERLAY)
    (tmp_path / "look.md").write_text(PROCEDURE)
    over = {"service": tmp_path / "till.json", "overlay": tmp_path / "till.yaml"}
    made = generate(tmp_path / "look.md", **over, only=["GetCharge"], count=2)
    assert any("ch_1001" in one.model_dump_json() for one in made), "the rows of the overlay are there"
    with pytest.raises(BadFile, match="GetCharge"):
        generate(tmp_path / "look.md", **over, exclude=["GetCharge"])
    with pytest.raises(BadSetting, match="--tag 'none' fits nothing"):
        generate(tmp_path / "till.json", tag=["none"])
    with pytest.raises(BadSetting, match="chains are made of API documents alone"):
        generate(tmp_path / "till.json", overlay=tmp_path / "till.yaml")
    with pytest.raises(BadSetting, match="for a --service of yours"):
        generate("return-an-item", overlay=tmp_path / "till.yaml")


def test_a_document_is_read_once_whatever_is_chosen_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    paths = {**PAYMENTS["paths"], "/lost/{id}": {"get": {"operationId": "Lost", "tags": ["gone"]}}}
    (tmp_path / "till.json").write_text(json.dumps({**PAYMENTS, "paths": paths}))
    heard = list[object]()
    monkeypatch.setattr("toologue.events.LISTENERS", [heard.append])
    chosen = Choice(only=("GetCharge", "Lost"))
    assert [*Simulator(tmp_path / "till.json", choice=chosen).operations] == ["GetCharge"]
    assert len(heard) == 1


@pytest.mark.parametrize("states", [["open", "paid", "waived"], ["waived", "open"]], ids=str)
def test_an_action_is_checked_on_a_row_that_it_can_be_done_to(states: list[str]):
    fee = {"type": "object", "properties": {"fee_id": {"type": "string"}, "status": {"enum": states}}}
    shown = {"200": {"description": "It.", "content": {"application/json": {"schema": fee}}}}
    key = [{"name": "fee_id", "in": "path", "required": True, "schema": {"type": "string"}}]
    paths = {
        "/fees/{fee_id}": {"get": {"operationId": "getFee", "parameters": key, "responses": shown}},
        "/fees/{fee_id}/waive": {"post": {"operationId": "waiveFee", "parameters": key, "responses": shown}},
    }
    document = {"openapi": "3.1.0", "info": {"title": "Fees", "version": "1"}, "paths": paths}
    assert {name: one.by for name, one in check(Simulator(document)).operations.items()} == {
        "getFee": "state",
        "waiveFee": "state",
    }
