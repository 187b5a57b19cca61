"""`toologue prove` says why a gold fails, or is not valid: the round, and the line that reports have of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from command import toologue
from toologue.bench.benchmark import benchmark
from toologue.schema import Dialogue
from toologue.schema.jsonl import read, write


def spoilt(gold: Dialogue) -> Dialogue:
    """The gold with its first call of another name."""
    turn = next(turn for turn in gold.turns if turn.role == "agent" and turn.acts and turn.results[0])
    assert turn.role == "agent"
    other = turn.replace(acts=(turn.acts[0].replace(api="NoSuchTool"), *turn.acts[1:]))
    return gold.replace(turns=tuple(other if one is turn else one for one in gold.turns))


def test_it_says_why_gold_fails(tmp_path: Path) -> None:
    first, *others = benchmark("tooltalk").load(None)[:2]
    write(tmp_path / "broken.jsonl", [spoilt(first), *others])
    done = toologue("prove", "broken.jsonl", "--gold", "--json", "proof.json", cwd=tmp_path)
    why = "Round 2, NoSuchTool: failed with executor: API NoSuchTool not found, expected to succeed"
    assert (done.returncode, f"  gold fails: {first.id}: {why}\n" in done.stdout) == (1, True)
    assert json.loads((tmp_path / "proof.json").read_text())["failed"] == {first.id: why}


def test_it_says_why_a_generated_conversation_is_not_valid(tmp_path: Path) -> None:
    made = toologue("generate", "return-an-item", "--count", 3, "-o", "made", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    file = tmp_path / "made" / "dialogues.jsonl"
    first, *others = read(file, Dialogue)
    write(file, [spoilt(first), *others])
    done = toologue("prove", "made", "--gold", cwd=tmp_path)
    says = rf"  not valid: {first.id}, turn \d+: path: N\d+ calls \w+, not NoSuchTool\n"
    assert (done.returncode, bool(re.search(says, done.stdout))) == (1, True), done.stdout


def test_it_shows_that_the_tests_of_a_project_can_fail(tmp_path: Path) -> None:
    assert toologue("init", "bikes", cwd=tmp_path).returncode == 0
    done = toologue("prove", "bikes", "--json", "proof.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("gold: 100.0% of ")
    proofs = json.loads((tmp_path / "proof.json").read_text())["alterations"]
    assert sum(proof["caught"] for proof in proofs) > 100
    kept = re.search(r"^conversations +(\d+) made, (\d+) kept", toologue("test", "bikes", cwd=tmp_path).stdout, re.M)
    assert kept is not None
    assert (kept[1], kept[2] != "0") == ("0", True)
