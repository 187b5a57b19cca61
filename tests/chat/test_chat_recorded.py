"""A chat over a service, procedures and a policy of our own, as it was had: replayed, kept, and taken as a test.

Whoever wrote the agent's replies saw the requests alone; they are no model's, and say nothing about one. The customer
has two errands, gives a wrong card and a wrong number, wants more than is allowed, changes their mind twice.
"""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from command import toologue
from toologue.schema import Dialogue
from toologue.schema.jsonl import read
from toologue.schema.stack import stack

RECORDED = Path(__file__).parent / "recorded" / "shed"
CHAT = ("chat", "--world", "openapi.yaml", "--data", "seed.yaml", "--procedures", "procedures", "--instructions",
        "policy.txt", "--agent", "program_stack:openai:reader", "--replay", "exchange.jsonl")  # fmt: skip


# What became of each goal: both errands are given up, and nothing was written.
HELD = {"1": "abandoned", "2": "abandoned", "3": "final", "4": "final", "5": "final"}


@pytest.fixture
def shed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what was recorded, in a folder of the same name; nothing may be asked."""
    monkeypatch.setenv("TOOLOGUE_REQUESTS", "forbidden")
    return Path(shutil.copytree(RECORDED, tmp_path / "shed"))


def test_a_chat_becomes_a_test_whose_programs_are_altered(shed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = (shed / "customer.txt").read_text()
    monkeypatch.setattr("sys.stdin", io.StringIO(told))
    done = toologue(*CHAT, "--transcript", "chats.jsonl", cwd=shed)
    assert done.returncode == 0, done.stderr
    (talk,) = read(shed / "chats.jsonl", Dialogue)
    assert [turn.text for turn in talk.turns if turn.role == "user"] == told.splitlines()
    assert {one.goal: one.status for one in stack(talk.turns)} == HELD
    results = [result for turn in talk.turns if turn.role == "agent" for result in turn.results if result]
    assert not any(result.changes for result in results)

    done = toologue("prove", "chats.jsonl", "--json", "proof.json", cwd=shed)
    assert done.returncode == 0, done.stderr
    proof = json.loads((shed / "proof.json").read_text())
    wrong = {one["kind"]: (one["took"], one["caught"]) for one in proof["alterations"] if one["wrong"] and one["took"]}
    assert wrong == dict.fromkeys(("wrong_key", "unfinalised", "too_early", "wrong_return", "wrong_exception"), (1, 1))
    assert not [one for one in proof["alterations"] if not one["wrong"] and one["caught"]]
