"""`toologue review` by keys, in a real terminal; and without one."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from review_samples import VAGUE, conversations, decisions, typed, vague_project

from tests.command import toologue
from tests.project.project_samples import project
from toologue.review.collect import generated
from toologue.review.ledger import keep
from toologue.schema import Decision

pytest.importorskip("pty")


def test_forty_decisions_killed_in_the_middle_and_two_reviewers(tmp_path: Path) -> None:
    """Ana accepts 30 of 40 and rejects 10; Ben rejects the first 4 of these, and the first that she accepts.

    Both reject 4, both accept 29: they agree on 33 of 40. By chance, (10 · 5 + 30 · 35) / 1600 = 0.6875; so kappa is
    (0.825 - 0.6875) / 0.3125 = 0.44.
    """
    file, folder = conversations(tmp_path / "dialogues.jsonl", 40), tmp_path / "reviews"
    ana = [*(["r1"] * 5), *(["rxno such words\r"] * 5), *(["a"] * 30)]
    ended, shown = typed("".join(ana[:19]), "review", file, "--as", "ana", until="20 of 40")
    assert ended == -signal.SIGKILL
    assert len(decisions(folder / "ana.jsonl")) == 19
    ended, shown = typed("".join(ana[19:]), "review", file, "--as", "ana")
    assert (ended, "20 of 40" in shown) == (0, True)
    told = decisions(folder / "ana.jsonl")
    assert [one.verdict for one in told] == [*(["wrong"] * 10), *(["right"] * 30)]
    assert [one.reasons for one in told[4:7]] == [
        ("against the procedure",), ("no such words",), ("no such words",)
    ]  # fmt: skip
    ben = ["r\r"] * 4 + ["a"] * 6 + ["r\r"] + ["a"] * 29
    ended, shown = typed("".join(ben), "review", file, "--as", "ben")
    assert (ended, "no such words" in shown) == (0, False)
    said = toologue("review", file, "--agreement", cwd=tmp_path).stdout
    row = next(line for line in said.splitlines() if "ana, ben" in line)
    assert [cell.strip() for cell in row.split("│")[2:5]] == ["40", "82.5 %", "0.44"]
    dropped = next(line for line in said.splitlines() if "dropped" in line)
    assert [cell.strip() for cell in dropped.split("│")[3:6]] == ["40", "11", "27.5 %"]


def test_undo_skip_blame_and_what_is_no_key(tmp_path: Path) -> None:
    """Arrows are no keys, though their last letters are; Escape takes a rejection back."""
    file = conversations(tmp_path / "dialogues.jsonl", 3)
    ended, _ = typed("\x1b[A\x1bOBz7 ar\x1baur2q", "review", file, "--as", "ana")
    told = decisions(tmp_path / "reviews" / "ana.jsonl")
    assert ended == 0
    assert [(one.notes["name"], one.verdict, one.undone) for one in told] == [
        ("d1", "right", False),
        ("d2", "right", False),
    ]


def test_what_conversations_say_does_not_steer_the_terminal(tmp_path: Path) -> None:
    file = conversations(tmp_path / "dialogues.jsonl", 1)
    file.write_text(file.read_text().replace("Where is", "\\u001b]0;owned\\u0007Where is"))
    _, shown = typed("q", "review", file, "--as", "ana")
    assert "\x1b]0" not in shown
    assert "\\u001b]0;owned" in shown


def test_blame_goes_with_the_next_decision_alone(tmp_path: Path) -> None:
    folder = vague_project(tmp_path)
    typed("Gaaq", "review", folder, "--as", "ana")
    assert [one.blame for one in decisions(folder / "reviews" / "ana.jsonl")] == ["gold", None]


class TestWithoutATerminal:
    def test_it_says_what_to_do(self, tmp_path: Path) -> None:
        file = conversations(tmp_path / "dialogues.jsonl", 1)
        done = toologue("review", file, cwd=tmp_path)
        assert done.returncode == 2
        assert "--list" in done.stderr
        assert "--decide" in done.stderr

    def test_a_list_and_decisions_from_a_file(self, tmp_path: Path) -> None:
        file, answers = conversations(tmp_path / "dialogues.jsonl", 3), tmp_path / "answers"
        listed = [json.loads(line) for line in toologue("review", file, "--list", cwd=tmp_path).stdout.splitlines()]
        assert [one["notes"]["name"] for one in listed] == ["d0", "d1", "d2"]
        answers.write_text(json.dumps({"question": listed[1]["question"], "verdict": "wrong", "reasons": ["dull"]}))
        for new in (1, 0):
            said = toologue("review", file, "--as", "eve", "--decide", answers, cwd=tmp_path).stdout
            assert said.startswith(f"{new} decisions taken; 1 of 3 decided by eve")
        (told,) = decisions(tmp_path / "reviews" / "eve.jsonl")
        assert (told.question, told.reasons) == (listed[1]["question"], ("dull",))

    def test_of_a_project_whoever_was_run_as_they_are_now(self, tmp_path: Path) -> None:
        folder = project(tmp_path)
        (folder / "other.py").write_text(VAGUE)
        assert toologue("test", folder, "--agent", "other.py:agent", cwd=tmp_path).returncode == 0
        assert toologue("review", folder, "--list", cwd=tmp_path).stdout
        (folder / "other.py").write_text(VAGUE + "\n# changed\n")
        done = toologue("review", folder, "--list", cwd=tmp_path)
        assert (done.returncode, "toologue test" in done.stderr) == (2, True)

    def test_what_a_judge_rejected(self, tmp_path: Path) -> None:
        file = conversations(tmp_path / "dialogues.jsonl", 3)
        for one, verdict in zip(generated(file), ("right", "wrong", "unsure"), strict=True):
            told = Decision(question=one.key, kind=one.kind, verdict=verdict, by="judge", who="j")
            keep(tmp_path / "reviews" / "judges" / "j.jsonl", told)
        said = toologue("review", file, "--failures-of-judge", "--list", cwd=tmp_path).stdout
        assert [json.loads(line)["notes"]["name"] for line in said.splitlines()] == ["d1"]
        assert "wrong" not in said, "nothing of the judge's verdict is shown"

    def test_a_question_that_nobody_asked_is_refused(self, tmp_path: Path) -> None:
        file, answers = conversations(tmp_path / "dialogues.jsonl", 1), tmp_path / "answers"
        answers.write_text('{"question": "0123", "verdict": "right"}')
        done = toologue("review", file, "--decide", answers, cwd=tmp_path)
        assert (done.returncode, "'0123'" in done.stderr) == (2, True)
