"""`toologue plan intents` and `plan rewrite`: offline what ships, by a model where one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from toologue.cli import status
from toologue.formats.procedure import load
from toologue.plan.procedures.intents import Intent
from toologue.schema.jsonl import read

SOUND = "# A refund\\n1. **Ask** for the number. Collect `number`.\\n2. **End**: say that {number} is under way."
MODEL = f'''
from toologue.models.model import ModelFault, ScriptedModel
sound = ScriptedModel(["{SOUND}"] * 4)
told = ScriptedModel(["{SOUND}\\n```json\\n{{\\"sentences\\": {{\\"1\\": [1, 2]}}, "
    "\\"left_out\\": {{\\"2\\": \\"no step is kind\\"}}}}\\n```"])
finds = ScriptedModel(['{{"intents": [{{"client": "a shop", "name": "A late refund", "sentences": [1], "issue": '
    '"A refund that was promised by Friday has not come by Monday."}}], "left_out": {{"2": "no issue"}}}}'])
lost = ScriptedModel(["no idea"] * 3)
silent = ScriptedModel([ModelFault("timeout", "no answer in 60 s")])
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_models.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "my_models", raising=False)
    return tmp_path


def test_the_catalogue_is_there_without_a_model(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["plan", "intents", "-o", "intents.jsonl"]) == 0
    found = list(read(here / "intents.jsonl", Intent))
    assert len(found) >= 84
    assert len({one.industry for one in found}) >= 10
    assert status(["plan", "intents", "--industries", "bank"]) == 0
    assert "bank" in capsys.readouterr().out
    assert status(["plan", "intents", "--industries", "banc"]) == 2


def test_prose_becomes_a_procedure(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "late.txt").write_text("Ask for the number and say that it is under way.\nBe kind.")
    assert status(["plan", "rewrite", "late.txt", "--model", "my_models:told", "-o", "made"]) == 0
    assert load(here / "made" / "late.md").title == "A refund"
    told = capsys.readouterr().out
    assert "2 steps, after 1 tries\n  left out: late.txt:2: 'Be kind.': no step is kind\n" in told


def test_prose_has_issues(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "late.txt").write_text("Ask for the number and say that it is under way.\nBe kind.")
    assert status(["plan", "intents", "--from", "late.txt", "--model", "my_models:finds", "-o", "intents.jsonl"]) == 0
    assert "a-late-refund: sentences 1\n" in capsys.readouterr().out
    assert [one.name for one in read(here / "intents.jsonl", Intent)] == ["A late refund"]
    each = ["--intents", "intents.jsonl", "--model", "my_models:told", "-o", "made"]
    assert status(["plan", "rewrite", "late.txt", *each]) == 0
    assert load(here / "made" / "a-late-refund.md").title == "A refund"
    assert status(["plan", "intents", "--from", "late.txt"]) == 2
    assert "--from: a model finds the issues; name it, as in --model openai:NAME" in capsys.readouterr().err


def test_an_intent_becomes_two(here: Path) -> None:
    assert status(["plan", "rewrite", "refund-overdue", "--model", "my_models:sound", "-o", "made"]) == 0
    assert sorted(file.name for file in (here / "made").iterdir()) == ["refund-overdue-1.md", "refund-overdue-2.md"]


def test_what_is_not_sound_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "late.txt").write_text("There are no steps in this.")
    assert status(["plan", "rewrite", "late.txt", "--model", "my_models:lost", "-o", "made"]) == 3
    assert "there is no numbered step" in capsys.readouterr().out
    assert not (here / "made").exists()


@pytest.mark.parametrize("id", ["../sub/evil", "/tmp/evil", "a\\0b", "late"])
def test_an_id_that_a_model_gives_is_never_a_path(here: Path, id: str) -> None:
    model = f"evil = ScriptedModel(['---\\nid: \"{id}\"\\n---\\n{SOUND}'] * 4)"
    (here / "my_models.py").write_text(MODEL + model.replace("\\0", "\\\\0"))
    assert status(["plan", "rewrite", "refund-overdue", "--model", "my_models:evil", "-o", "made/here"]) == 0
    made = sorted(str(file.relative_to(here)) for file in here.rglob("*.md"))
    assert made == [f"made/here/{'late' if id == 'late' else 'procedure-1'}.md", "made/here/procedure-2.md"]


@pytest.mark.parametrize(
    ("what", "model", "said"),
    [
        ("refund-overdu", "my_models:sound", "did you mean 'refund-overdue'"),
        ("missing.txt", "my_models:sound", "cannot read missing.txt"),
        ("refund-overdue", "my_models:silent", "does not answer"),
    ],
)
def test_bad_input_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], what: str, model: str, said: str
) -> None:
    assert status(["plan", "rewrite", what, "--model", model, "-o", "made"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
