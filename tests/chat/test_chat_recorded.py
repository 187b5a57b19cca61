"""A chat over a service, procedures and a policy of our own, as it was had: replayed, kept, and taken as a test.

Whoever wrote the agent's replies saw the requests alone; they are no model's, and say nothing about one. The customer
has two errands, gives a wrong card and a wrong number, wants more than is allowed, changes their mind twice, is lent a
tool after a yes, and does not answer when the screen asks a second time.
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


# What became of each goal: one of the errands is done, after a yes; what the customer gives up is given up.
HELD = {
    **dict.fromkeys(("1", "2", "9"), "abandoned"),
    **dict.fromkeys(("3", "4", "5", "6", "7", "8", "10"), "final"),
}
CONFIRMED = "y"


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
    lines = told.splitlines()
    lines.remove(CONFIRMED)  # the screen asks before the tool is lent
    assert [turn.text for turn in talk.turns if turn.role == "user"] == lines
    assert {one.goal: one.status for one in stack(talk.turns)} == HELD
    results = [result for turn in talk.turns if turn.role == "agent" for result in turn.results if result]
    assert [[*result.changes] for result in results if result.changes] == [["loans/L-204", "tools/T-01"]]

    done = toologue("prove", "chats.jsonl", "--json", "proof.json", cwd=shed)
    assert done.returncode == 0, done.stderr
    proof = json.loads((shed / "proof.json").read_text())
    wrong = {one["kind"]: (one["took"], one["caught"]) for one in proof["alterations"] if one["wrong"] and one["took"]}
    kinds = ("wrong_key", "missing_write", "unfinalised", "too_early", "wrong_return", "wrong_exception")
    assert wrong == dict.fromkeys(kinds, (1, 1))
    assert not [one for one in proof["alterations"] if not one["wrong"] and one["caught"]]
