"""`generate --mode straight`: the paper's ablation by command; `--count`; services that nobody implements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import toologue
from toologue.models.model import Asked, ScriptedModel
from toologue.schema import Dialogue
from toologue.schema.jsonl import read

PROCEDURE = """---
issue: Is my tap open?
---

# A tap

1. **Ask** for the number of the plot. Collect `plot`.
2. **Call** `get_plot` with `plot`, giving `found`.
   - If `found.tap == "shut"`: go to 4.
   - Otherwise: go to 3.
3. **End**: say that the tap of {plot} is open.
4. **End**: say that the tap of {plot} is shut.
"""
SMALL = {"apis": [{"name": "get_plot", "params": [{"plot": "str"}], "output": {"tap": 'Literal["open", "shut"]'}}]}


def _talk(status: str) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": "Where is O-10318? It is for ana.ferreira@post.example."},
        {"role": "api", "content": 'get_order(order_id="O-10318")'},
        {"role": "api_output", "content": json.dumps({"status": status})},
        {"role": "assistant", "content": f"It is {status}."},
    ]


def _answer(asked: Asked) -> str:
    return json.dumps([_talk("lost"), _talk("eaten")])


MODEL = ScriptedModel(_answer)


def test_conversations_by_a_model_alone_are_executed_afterwards(tmp_path: Path) -> None:
    command = ("generate", "order-not-received", "--mode", "straight", "-o", "OUT", "--count", "2")
    done = toologue(*command, "--model", f"{__name__}:MODEL", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "0 of 2 conversations are valid" in done.stdout + done.stderr
    assert all("execution" in one.origin["flaws"] for one in read(tmp_path / "OUT" / "dialogues.jsonl", Dialogue))
    (row,) = json.loads((tmp_path / "OUT" / "straight.json").read_text())
    assert (row["procedure"], row["read"], row["valid"]) == ("order-not-received", 2, 0)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("generate", "shop", "--mode", "straight", "-o", "X"), "--model openai:NAME"),
        (("plan", "procedures", "shop", "--mode", "straight", "-o", "x.jsonl"), "give it to `toologue generate`"),
    ],
)
def test_straight_is_for_generate_with_a_model(command: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = toologue(*command, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("name", ["small.json", "apis.jsonl"])
def test_apis_that_nobody_implements_have_results_that_are_made_up(name: str, tmp_path: Path) -> None:
    (tmp_path / "tap.md").write_text(PROCEDURE)
    (tmp_path / "small.json").write_text(json.dumps(SMALL))
    if name == "apis.jsonl":
        assert toologue("apis", "small.json", "-o", name, cwd=tmp_path).returncode == 0
    done = toologue("generate", "tap.md", "--service", name, "-o", "OUT", "--count", "4", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    golds = list(read(tmp_path / "OUT" / "dialogues.jsonl", Dialogue))
    assert {gold.origin["status"] for gold in golds} == {"consistent, not executed"}
    assert len({str(gold.origin["path"]) for gold in golds}) == 2  # both ends


def test_fewer_conversations_than_were_wanted_are_told_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "tap.md").write_text(PROCEDURE)
    (tmp_path / "small.json").write_text(json.dumps(SMALL))
    command = ("generate", "tap.md", "--service", "small.json", "-o", "OUT", "--noise", "0", "--detours", "0")
    done = toologue(*command, "--count", "600", cwd=tmp_path)
    said = " ".join((done.stdout + done.stderr).split())
    assert "conversations of the 600 that --count wants; no other ways or values were found" in said
