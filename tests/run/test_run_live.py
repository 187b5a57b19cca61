"""Live runs: a registered user speaks, and the folder says who it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from toologue.errors import BadSetting, UnknownName
from toologue.plan.procedures import procedure
from toologue.plan.procedures.plan_dialogue import plan_all
from toologue.plan.procedures.service import service
from toologue.run.runner import Settings
from toologue.run.store import Config, run_folder
from toologue.schema import Dialogue
from toologue.write.procedures import TemplateWriter

LIVE = Settings(protocol="live")


@pytest.fixture(scope="module")
def dialogues() -> list[Dialogue]:
    made = plan_all(procedure("order-not-received"), service("shop"), 0, noise=0.0, detours=0.0)
    return [TemplateWriter().words(plan) for plan in made.plans[:4]]


def test_the_simulated_customer_gets_to_its_end(tmp_path: Path, dialogues: list[Dialogue]) -> None:
    config = Config(agent="procedure", user="graph", settings=LIVE)
    folder = run_folder(tmp_path / "run", dialogues, config)
    assert folder.config.user == "graph"
    assert [trace.stop for trace in folder.traces()] == ["user"] * len(dialogues)
    last = [[turn for turn in trace.turns if turn.role == "user"][-1].stop for trace in folder.traces()]
    assert last == ["done"] * len(dialogues)


def test_live_needs_a_user_and_nothing_else_has_one(tmp_path: Path, dialogues: list[Dialogue]) -> None:
    for config in (Config(agent="procedure", settings=LIVE), Config(agent="procedure", user="graph")):
        with pytest.raises(BadSetting, match="a user speaks under the protocol 'live'"):
            run_folder(tmp_path / "run", dialogues, config)
    with pytest.raises(UnknownName, match="did you mean 'graph'"):
        run_folder(tmp_path / "run", dialogues, Config(agent="procedure", user="grahp", settings=LIVE))
    assert not (tmp_path / "run" / "run.json").exists()
