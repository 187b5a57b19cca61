"""What no conversation reaches is told, with the row or the example that would reach it: refunds of charges."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.command import toologue
from toologue import generate

API = """
openapi: 3.0.3
info: {title: Payments, version: "1"}
paths:
  /v1/charges/{charge}:
    get:
      operationId: GetCharge
      parameters: [{name: charge, in: path, required: true, schema: {type: string, maxLength: 5000}}]
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/charge"}}}}
  /v1/refunds:
    post:
      operationId: PostRefunds
      x-action: {on: charges, requires: charge.frozen != true}
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [charge]
              properties:
                charge: {type: string, maxLength: 5000}
                amount: {type: integer}
                reason: {type: string, enum: [duplicate, fraudulent, requested_by_customer]}
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/refund"}}}}
components:
  schemas:
    charge:
      type: object
      required: [id, object, amount, refunded]
      properties:
        id: {type: string}
        object: {type: string, enum: [charge]}
        amount: {type: integer}
        refunded: {type: boolean}
        frozen: {type: boolean}
        receipt: {type: string, nullable: true}
        created: {type: integer, format: unix-time}
    refund:
      type: object
      required: [id, object, amount]
      properties:
        id: {type: string}
        object: {type: string, enum: [refund]}
        amount: {type: integer}
        charge: {type: string}
        reason: {type: string}
"""
ROWS = """
now: 2025-03-12T09:30:00Z
charges:
  ch_1001: {amount: 2500, refunded: false}
  ch_1002: {amount: 4200, refunded: false, frozen: true}
"""
MORE = "  ch_1003: {amount: 3000, refunded: true}\n  ch_1004: {amount: 10001, refunded: false}\n"
PROCEDURE = """---
id: refund
issue: I was charged and want my money back.
facts:
  limit: 10000
---

# A refund

1. **Ask** for the number of the charge. Collect `charge`.
2. **Call** `GetCharge` with `charge`, giving `found`.
   - If it fails: go to 3.
   - If `found.refunded == true`: go to 8.
   - If `found.amount > limit`: go to 9.
   - Otherwise: go to 4.
3. **End**: say that there is no charge {charge}.
4. **Ask** why they want the money back. Collect `reason`.
5. **Call** `PostRefunds` with `charge`, `amount = found.amount` and `reason`, giving `refund`.
   - If it fails: go to 7.
   - Otherwise: go to 6.
6. **End**: say that {refund.amount} cents are on their way.
7. **End**: say that the refund did not work.
8. **End**: say that this charge was refunded before.
9. **End**: say that a colleague looks at it.
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A project as somebody begins it: two charges, both of them good for a refund."""
    (tmp_path / "procedures").mkdir()
    (tmp_path / "toologue.toml").write_text('apis = "api.yaml"\nseed = "seed.yaml"\nagents = ["gold"]\n')
    (tmp_path / "api.yaml").write_text(API)
    return told(tmp_path)


def told(folder: Path, procedure: str = PROCEDURE, rows: str = ROWS) -> Path:
    """The project with another procedure, or other rows."""
    (folder / "seed.yaml").write_text(rows)
    (folder / "procedures" / "refund.md").write_text(procedure)
    return folder


def unreached(folder: Path) -> list[str]:
    """What `toologue generate` says no conversation reaches."""
    where = ("--service", "api.yaml", "--rows", "seed.yaml", "-o", "suite", "--count", "4")
    done = toologue("generate", "procedures/refund.md", *where, cwd=folder, columns=1000)
    assert done.returncode == 0, done.stderr
    said = re.split(r"\n.*tried far off only", done.stdout.partition("reached by no conversation:\n")[2])[0]
    return [line.removeprefix("  refund: ") for line in said.splitlines() if line.startswith("  ")]


def test_a_row_that_is_missing_is_named(here: Path) -> None:
    assert unreached(here) == [
        "step 2, branch 2 (`found.refunded == true`): no charge with `refunded == true`; "
        "add such a row to seed.yaml (behind it: step 8)",
        "step 2, branch 3 (`found.amount > limit`): no charge with `amount > limit`; "
        "add such a row to seed.yaml, say `amount: 10001` (behind it: step 9)",
    ]
    assert unreached(told(here, rows=ROWS + MORE)) == []


def test_a_row_with_any_other_value_is_not_made_up(here: Path) -> None:
    failed = PROCEDURE.replace("found.refunded == true", 'found.object != "charge"')
    (said, _) = unreached(told(here, failed))
    assert said.endswith('no charge with `object != "charge"`; add such a row to seed.yaml (behind it: step 8)')


def test_it_stands_in_the_statistics_too(here: Path) -> None:
    unreached(here)
    (of_refund,) = json.loads((here / "suite" / "statistics.json").read_text())["procedures"]
    first, second = of_refund["unreached"]
    assert (first["step"], first["behind"], first["why"]) == (2, [8], "no charge with `refunded == true`")
    assert second["remedy"] == "add such a row to seed.yaml, say `amount: 10001`"


def test_a_row_that_is_there_and_that_examples_leave_out(here: Path) -> None:
    only = PROCEDURE.replace("---\n\n#", "examples:\n  charge: [ch_1001, ch_1002]\n---\n\n#")
    assert unreached(told(here, only, ROWS + MORE)) == [
        "step 2, branch 2 (`found.refunded == true`): charge ch_1003 leads there, and no customer who comes here "
        "names it; add it to `examples: charge` (behind it: step 8)",
        "step 2, branch 3 (`found.amount > limit`): charge ch_1004 leads there, and no customer who comes here "
        "names it; add it to `examples: charge` (behind it: step 9)",
    ]


def test_examples_that_no_row_has_are_said_beside_what_is_stored(here: Path) -> None:
    strange = PROCEDURE.replace("---\n\n#", "examples:\n  charge: [ch_9999]\n---\n\n#")
    assert unreached(told(here, strange, ROWS + MORE)) == []
    golds = generate(here / "procedures" / "refund.md", service=here / "api.yaml", rows=here / "seed.yaml", count=8)
    heard = [turn.informed for gold in golds for turn in gold.turns if turn.role == "user"]
    said = {str(one["charge"]) for one in heard if "charge" in one}
    assert {"ch_1001", "ch_1003", "ch_1004"} <= said


def test_an_example_that_is_missing(here: Path) -> None:
    asked = PROCEDURE.replace("---\n\n#", "examples:\n  weeks: [1]\n---\n\n#").replace(
        "Collect `reason`.", "Collect `reason`, `weeks`.\n   - If `weeks > 4`: go to 7.\n   - Otherwise: go to 5."
    )
    (said,) = unreached(told(here, asked, ROWS + MORE))
    assert said == "step 4, branch 1 (`weeks > 4`): no example of `weeks` leads there; add `examples: {weeks: [5]}`"


def test_examples_of_one_slot_leave_the_other_free(here: Path) -> None:
    given = PROCEDURE.replace("---\n\n#", "examples:\n  weeks: [1]\n---\n\n#")
    told(here, given.replace("Collect `reason`.", "Collect `weeks` and `reason`."), ROWS + MORE)
    golds = generate(here / "procedures" / "refund.md", service=here / "api.yaml", rows=here / "seed.yaml", count=20)
    said = [turn.informed for gold in golds for turn in gold.turns if turn.role == "user" and "reason" in turn.informed]
    assert {"duplicate", "fraudulent", "requested_by_customer"} <= {str(one["reason"]) for one in said}


def test_conversations_that_were_dropped(here: Path) -> None:
    null = PROCEDURE.replace("say that this charge was refunded before", "say that it went to {found.receipt}")
    (said,) = unreached(told(here, null, ROWS + MORE))
    assert "what leads there was dropped (words would show what is not there" in said
    assert " dropped (" in toologue("test", ".", cwd=here).stdout


def test_a_way_that_nothing_can_take(here: Path) -> None:
    twice = PROCEDURE.replace(" `found.amount > limit`", " `found.refunded == true and found.amount > limit`")
    (said,) = unreached(told(here, twice, ROWS + MORE))
    assert said.startswith("step 2, branch 3 (`found.refunded == true and found.amount > limit`): no way leads there")
    assert "step 2 always goes to 3 or 4 or 8, whatever was tried" in said


def test_hours_that_nobody_writes_in_take_another_now(here: Path) -> None:
    night = PROCEDURE.replace("`found.amount > limit`", '`now >= today + "20 hours"`')
    (said,) = unreached(told(here, night, ROWS + MORE))
    assert said == (
        'step 2, branch 3 (`now >= today + "20 hours"`): `now` is 2025-03-12T09:30:00Z in every conversation; '
        "another procedure with `facts: {now: 2025-03-12T20:00:00Z}` in its front matter goes there (behind it: step 9)"
    )
    late = night.replace("facts:", "facts:\n  now: 2025-03-12T20:00:00Z")
    (said,) = unreached(told(here, late, ROWS + MORE))
    assert said.startswith("step 2, branch 4 (otherwise): `now` is 2025-03-12T20:00:00Z in every conversation;")
    assert "`facts: {now: 2025-03-12T19:59:00Z}`" in said


def test_a_row_is_told_by_what_the_branches_before_want_of_it(here: Path) -> None:
    day = PROCEDURE.replace("`found.refunded == true`", "`found.refunded != true`")
    (said, _) = unreached(told(here, day.replace("`found.amount > limit`", "`now >= today`")))
    assert said.startswith("step 2, branch 3 (`now >= today`): no charge with `refunded = true`; add such a row to")


def test_a_call_that_fails_where_the_procedure_does_not_expect_it(here: Path) -> None:
    again = PROCEDURE.replace(
        "3. **End**: say that there is no charge {charge}.",
        "3. **Ask** for the number again. Collect `charge`. Go to 2. At most 1 time, then go to 10.",
    )
    again += '10. **Call** `PostRefunds` with `charge` and `reason = "duplicate"`. Go to 9.\n'
    (said,) = unreached(told(here, again, ROWS + MORE))
    assert said.startswith("step 2, branch 1 (`error`) after 1 try: `PostRefunds` in step 10 fails there (")
    assert said.endswith(
        "), and step 10 says nothing of that; add `- If it fails: go to …` below step 10, or call it otherwise "
        "(behind it: step 10)"
    )
    mended = again.replace(" Go to 9.\n", "\n    - If it fails: go to 9.\n    - Otherwise: go to 9.\n")
    assert not [one for one in unreached(told(here, mended, ROWS + MORE)) if one.startswith("step 2")]


LISTS = """
  /v1/charges:
    get:
      operationId: ListCharges
      parameters: [{name: receipt, in: query, required: true, schema: {type: string}}]
      responses:
        "200":
          description: Them.
          content:
            application/json:
              schema:
                type: object
                properties:
                  charges: {type: array, items: {$ref: "#/components/schemas/charge"}}
                  open_cents: {type: integer}
  /v1/refunds:
"""
LISTING = """---
id: refund
issue: I was charged.
---

# Charges

1. **Ask** for the receipt. Collect `receipt`.
2. **Call** `ListCharges` with `receipt`, giving `found`.
   - If `CONDITION`: go to 4.
   - Otherwise: go to 3.
3. **End**: say that there are {len(found.charges)} charges.
4. **End**: say that a colleague looks at it.
"""
RECEIPTS = """
charges:
  ch_1001: {amount: 2500, refunded: false, receipt: R-1, created: 1741000000}
  ch_1002: {amount: 4200, refunded: false, receipt: R-2, created: 1741000000}
"""


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (
            "len(found.charges) > 1",
            "no `found` has `len(found.charges) > 1`; add rows to seed.yaml from which that follows",
        ),
        ("found.charges[0].refunded", "no charge with `charges[0].refunded`; add such a row to seed.yaml"),
        (
            "any(one.refunded for one in found.charges)",
            "no charge with `any(one.refunded for one in charges)`; add such",
        ),
        (
            "days_since(found.charges[0].created) > 30",
            "no charge with `days_since(charges[0].created) > 30`; add such a row to seed.yaml, "
            "say `created: 1739059200`",
        ),
        (
            "found.open_cents > 3",
            "`found.open_cents` is always null; go by fields of rows, by len() or sum() of a list",
        ),
    ],
)
def test_what_a_list_would_have_to_hold(here: Path, condition: str, said: str) -> None:
    """Never a row of a table for what is no field of it, and never a day for a list."""
    (here / "api.yaml").write_text(API.replace("  /v1/refunds:\n", LISTS.lstrip("\n")))
    (found,) = unreached(told(here, LISTING.replace("CONDITION", condition), RECEIPTS))
    assert found.startswith(f"step 2, branch 1 (`{condition}`): {said}")


def test_a_failure_that_never_happens(here: Path) -> None:
    conflict = PROCEDURE.replace("If it fails: go to 7", "If it fails with `forbidden`: go to 7").replace(
        "   - Otherwise: go to 6", "   - If it fails: go to 9.\n   - Otherwise: go to 6"
    )
    (said,) = unreached(told(here, conflict, ROWS + MORE))
    assert said.startswith('step 5, branch 1 (`error.type == "forbidden"`): none of ')
    assert (
        "calls of `PostRefunds` that were tried failed with `forbidden`; add a row to seed.yaml that it refuses" in said
    )


def test_a_pair_of_ways_that_never_follow_each_other(here: Path) -> None:
    dear = PROCEDURE.replace(
        "   - Otherwise: go to 4.", "   - If `found.amount > 3000`: go to 4.\n   - Otherwise: go to 4."
    )
    failing, passing = unreached(told(here, dear, ROWS + MORE))
    assert failing == (
        "step 5, branch 1 (`error`), right after step 2, branch 5 (otherwise): none of 3 calls of `PostRefunds` that "
        "were tried failed; add a row to seed.yaml that it refuses, or say in an overlay what it refuses "
        "(x-action: requires)"
    )
    assert passing.startswith(
        "step 5, branch 2 (otherwise), right after step 2, branch 4 (`found.amount > 3000`): all 3"
    )
    assert toologue("test", ".", "--unreached", "fail", cwd=here).returncode == 0, "each way is taken"


def test_all_calls_that_fail(here: Path) -> None:
    (said, *_) = unreached(told(here, rows="charges: {}\n"))
    assert "calls of `GetCharge` failed (there is no charge" in said
    assert "add rows to seed.yaml that its arguments name" in said


def test_a_gate_may_be_on_it(here: Path) -> None:
    done = toologue("test", ".", cwd=here)
    assert done.returncode == 0, done.stderr
    assert "refund.md: step 2, branch 2 (`found.refunded == true`): no charge" in done.stdout
    assert "gold passes no conversation" not in done.stdout, "what the agent failed is another matter"
    failed = toologue("test", ".", "--unreached", "fail", cwd=here)
    assert failed.returncode == 1, "from what was kept, too"
    assert "gate NOT PASSED: 2 ways in no conversation" in failed.stdout
    with (here / "toologue.toml").open("a") as settings:
        settings.write('[gate]\nunreached = "fail"\n')
    assert toologue("test", ".", cwd=here).returncode == 1
    assert toologue("test", ".", "--unreached", "tell", cwd=here).returncode == 0
    assert toologue("test", ".", cwd=told(here, rows=ROWS + MORE)).returncode == 0
    page = (here / "report.html").read_text()
    assert "reached by no conversation, and why" not in page


def test_the_page_says_so(here: Path) -> None:
    toologue("test", ".", cwd=here)
    assert "no charge with `refunded == true`; add such a row to seed.yaml" in (here / "report.html").read_text()
