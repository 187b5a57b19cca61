"""What was really answered to our questions about three APIs of a bank, replayed: uses, and conversations of them.

The replies were written from the requests alone by somebody who had seen neither the checks nor what becomes of them;
they are no model's. One of five had to be asked again: a day where the document wants a moment.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command import toologue
from toologue.schema import Dialogue, Use
from toologue.schema.jsonl import read

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exchange, replayed, and conversations."""
    here = tmp_path_factory.mktemp("bank")
    shutil.copytree(RECORDED, here, dirs_exist_ok=True)
    replay = ("--model", "openai:reader", "--replay", "exchange.jsonl")
    done = toologue("apis", "enrich", "apis.jsonl", "-o", "uses.jsonl", *replay, cwd=here)
    assert done.returncode == 0, done.stderr
    assert "4 asked for, 5 replies" in done.stdout
    how = ("--count", 60, "--most", 1, "--ratio", "1/0/0", "--uses", "uses.jsonl")
    assert toologue("generate", "chains", "apis.jsonl", "-o", "set", *how, cwd=here).returncode == 0
    return here


def test_a_pair_that_rules_doubt_is_talked_about(folder: Path) -> None:
    pair = next(one for one in read(folder / "uses.jsonl", Use) if one.source)
    assert (pair.source, pair.api, pair.parameter) == ("find_card", "list_payments", "card_id")
    assert pair.wanted
    assert {one.by for one in read(folder / "uses.jsonl", Use)} == {"reader"}
    made = [one for one in read(folder / "set" / "dialogues.jsonl", Dialogue) if one.origin.get("source")]
    assert made
    examples = {json.dumps(one.result) for one in pair.examples}
    for one in made:
        results = [turn.results[0] for turn in one.turns if turn.role == "agent" and turn.action == "call"]
        assert json.dumps(results[-1] and results[-1].value) in examples
    said = "\n".join(turn.text or "" for one in made for turn in one.turns)
    assert "the number by which the bank knows the card" in said
    assert "card ID" not in said


def test_they_are_valid_elsewhere(folder: Path) -> None:
    assert "60 of 60 are valid" in toologue("verify", "set/dialogues.jsonl", cwd=folder).stdout
