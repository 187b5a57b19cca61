"""Words that were really written to our prompts, replayed: five procedures' plans, all right at once.

The replies were written from the requests alone by somebody who had seen neither the plans' banks nor the checks; they
are no model's, and say nothing about one. What chains open with is given, and today's.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command import toologue
from toologue.schema import Dialogue
from toologue.schema.jsonl import read

RECORDED = Path(__file__).parent / "recorded"
WRITE = ("write", "plans.jsonl", "-o", "out.jsonl", "--writer", "openai:reader", "--replay", "exchange.jsonl")


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what was recorded; nothing may be asked."""
    monkeypatch.setenv("TOOLOGUE_REQUESTS", "forbidden")
    shutil.copytree(RECORDED / request.param, tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("folder", ["procedures"], indirect=True)
def test_a_recorded_exchange_gives_the_same_bytes(folder: Path) -> None:
    done = toologue(*WRITE, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "out.jsonl").read_bytes() == (folder / "dialogues.jsonl").read_bytes()
    told = list(read(folder / "out.jsonl", Dialogue))
    assert {dialogue.origin["writer"] for dialogue in told} == {"reader"}
    assert not [dialogue.id for dialogue in told if "attempts" in dialogue.origin]


@pytest.mark.parametrize("folder", ["procedures"], indirect=True)
def test_a_changed_prompt_ends_with_2_and_the_nearest_difference(folder: Path) -> None:
    plans = folder / "plans.jsonl"
    plans.write_text(plans.read_text().replace("order number", "booking code"))
    done = toologue(*WRITE, cwd=folder)
    assert done.returncode == 2
    assert "exchange.jsonl has no reply to a request of 'openai:reader': the nearest, " in done.stderr
    assert "differs at $.messages[0].content: " in done.stderr
    assert "booking code" in done.stderr
