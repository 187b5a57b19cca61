"""Values of a choice (`enum`): each is said by somebody, and no slip of the pen becomes a value of gold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.procedures.test_procedures_unreached import API, MORE, PROCEDURE, ROWS
from toologue.formats.procedure import read
from toologue.plan.procedures.plan_dialogue import plan_all
from toologue.plan.procedures.service import service
from toologue.schema import Dialogue
from toologue.worlds.named import setting_of

REASONS = {"duplicate", "fraudulent", "requested_by_customer"}


def conversations(folder: Path, procedure: str) -> list[Dialogue]:
    """A dozen conversations, each with a detour."""
    (folder / "api.yaml").write_text(API)
    (folder / "seed.yaml").write_text(ROWS + MORE)
    made = plan_all(read(procedure), service(setting_of(folder / "api.yaml", folder / "seed.yaml")), 12, detours=1.0)
    return [plan.dialogue for plan in made.plans]


@pytest.mark.parametrize("condition", ["", 'reason == "fraudulent"'])
def test_every_value_of_a_choice_is_said_and_none_is_misspelt(tmp_path: Path, condition: str) -> None:
    branches = f"Collect `reason`.\n   - If `{condition}`: go to 9.\n   - Otherwise: go to 5."
    procedure = PROCEDURE.replace("Collect `reason`.", branches) if condition else PROCEDURE
    golds = conversations(tmp_path, procedure)
    told = [turn.informed for gold in golds for turn in gold.turns if turn.role == "user"]
    assert {one["reason"] for one in told if "reason" in one} == REASONS
    acts = [act for gold in golds for turn in gold.turns if turn.role == "agent" for act in turn.acts]
    refunds = [act.arguments or {} for act in acts if act.kind == "call" and act.api == "PostRefunds"]
    assert refunds
    assert {one["reason"] for one in refunds} <= REASONS
    marks = {turn.extra.get(kind) for gold in golds for turn in gold.turns for kind in ("wrong", "detour")}
    assert "correct" in marks
    assert "malformed" not in marks
