"""`--judge`: asked once about what rules leave open; it informs, or where it agrees with people, it settles.

The agent says one of three ends in German, which rules leave open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from judge_samples import RIGHT, SILENT, WRONG, calibrated

from command import Done, toologue
from project.project_samples import AGENT, SETTINGS, project
from toologue.judge.ask_judge import Judge
from toologue.review.ledger import Ledger
from toologue.schema import Decision

GERMAN = AGENT.replace("A colleague comes to open {said}.", "Ein Kollege kommt und öffnet {said}.")
OPEN, SETTLED = "harmless: 66.7 to 100.0 %", "harmless: 100.0 %"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Nobody was asked before."""
    yield
    for model in (RIGHT, WRONG, SILENT):
        model.asked.clear()


@pytest.fixture
def german(tmp_path: Path) -> Path:
    return project(tmp_path, agent=GERMAN)


def judged(folder: Path, *more: object, judge: str = "RIGHT") -> Done:
    return toologue("test", ".", "--fail-under", "0.9", "--judge", f"judge_samples:{judge}", *more, cwd=folder)


def decisions(folder: Path, judge: str = "RIGHT") -> list[Decision]:
    return list(Ledger.of(folder / "reviews").decisions(Judge(f"judge_samples:{judge}", RIGHT).who).values())


class TestInforms:
    def test_beside_the_verdict_of_rules_stands_what_it_would_be(self, german: Path) -> None:
        done = judged(german)
        assert "judge judge_samples:RIGHT would settle 1 of 1" in done.stdout
        assert "conversation correct 66.7 to 100.0 → 100.0 %" in done.stdout
        assert "(informs only: 0 of 50 decisions of people to compare with)" in done.stdout
        assert OPEN in done.stdout, "the bracket is that without it"
        assert done.returncode == 4

    def test_what_is_sent_to_whom_is_said_once(self, german: Path) -> None:
        said = judged(german).stdout
        assert said.count("1 question (procedure, conversation, expected, said) go to judge_samples:RIGHT") == 1

    def test_a_judge_that_disagrees_would_make_it_fail(self, german: Path) -> None:
        done = judged(german, judge="WRONG")
        assert "conversation correct 66.7 to 100.0 → 66.7 %" in done.stdout
        assert done.returncode == 4

    def test_its_decision_is_kept_with_the_raw_vote_and_where_it_occurred(self, german: Path) -> None:
        judged(german)
        (one,) = decisions(german)
        assert (one.verdict, one.by, one.kind, len(one.votes)) == ("right", "judge", "reply", 1)
        assert one.notes["dialogue"]


class TestOnce:
    def test_the_second_run_asks_nothing_and_says_the_same(self, german: Path) -> None:
        first = judged(german)
        asked = len(RIGHT.asked)
        second = judged(german)
        assert (asked, len(RIGHT.asked) - asked) == (1, 0)
        assert "would settle 1 of 1" in second.stdout
        assert "go to" not in second.stdout
        assert first.returncode == second.returncode
        assert len(decisions(german)) == 1

    def test_nor_does_another_run_of_the_same_words(self, german: Path) -> None:
        judged(german)
        judged(german, "--fresh")
        assert len(RIGHT.asked) == 1

    def test_nor_does_a_run_whose_queue_it_decided(self, german: Path) -> None:
        toologue("test", ".", cwd=german)
        done = toologue("review", ".", "--judge", "judge_samples:RIGHT", cwd=german)
        assert "1 right, 0 wrong, 0 unsure" in done.stdout
        assert "would settle 1 of 1" in judged(german).stdout
        assert len(RIGHT.asked) == 1

    def test_other_words_are_another_question(self, german: Path) -> None:
        judged(german)
        project(german, agent=GERMAN.replace("Ein Kollege", "Jemand"))
        judged(german)
        assert len(RIGHT.asked) == 2

    def test_more_votes_are_another_judge(self, german: Path) -> None:
        judged(german)
        assert "3 votes each" in judged(german, "--judge-votes", "3").stdout
        assert len(RIGHT.asked) == 4

    def test_a_fault_is_no_decision_and_asked_again(self, german: Path) -> None:
        done = judged(german, judge="SILENT")
        assert "would settle 0 of 1\n  unsure still: no reply × 1" in done.stdout
        assert "1 got no reply, and are asked again next time: no reply: 'x' said nothing" in done.stdout
        assert "1 request, 1 without a reply (timeout)" in done.stderr
        assert not decisions(german, "SILENT")
        judged(german, judge="SILENT")
        assert len(SILENT.asked) == 2

    def test_without_a_reply_the_status_is_3(self, german: Path) -> None:
        assert toologue("test", ".", "--judge", "judge_samples:SILENT", cwd=german).returncode == 3


class TestGates:
    @pytest.fixture
    def trusted(self, german: Path) -> Path:
        """People agree with the judges on 60 questions."""
        for judge in ("RIGHT", "WRONG"):
            calibrated(german / "reviews", f"judge_samples:{judge}", agree=60)
        return german

    def test_its_word_counts(self, trusted: Path) -> None:
        done = judged(trusted)
        assert re.search(r"judge judge_samples:RIGHT settles (\d+) of \1\n", done.stdout)
        assert "(gates: n 60, agree 100.0%, kappa 1.00" in done.stdout
        assert SETTLED in done.stdout
        assert done.returncode == 0

    def test_and_counts_in_a_run_without_it(self, trusted: Path) -> None:
        judged(trusted)
        assert SETTLED in toologue("test", ".", "--fail-under", "0.9", cwd=trusted).stdout

    def test_what_it_takes_for_wrong_is_explained_on_the_page(self, trusted: Path) -> None:
        assert "harmless: 100.0 %" in judged(trusted, judge="WRONG").stdout, "it does no harm"
        done = toologue("test", ".", "--strict", "--fail-under", "0.9", cwd=trusted)
        assert (done.returncode, "conversation correct: 66.7 %" in done.stdout) == (1, True)
        page = (trusted / "report.html").read_text("utf-8")
        assert 'It says so. <span class="more">decided by judge</span>' in page

    def test_not_where_it_agrees_too_rarely(self, german: Path) -> None:
        calibrated(german / "reviews", "judge_samples:RIGHT", agree=45, differ=15)
        done = judged(german)
        assert "(informs only: n 60, agree 75.0%, kappa 0.50" in done.stdout
        assert OPEN in done.stdout


class TestChosen:
    def test_the_settings_may_name_it(self, german: Path) -> None:
        project(german, agent=GERMAN, settings=SETTINGS + '[grade]\njudge = "judge_samples:RIGHT"\njudge_votes = 3\n')
        assert "would settle 1 of 1" in toologue("test", ".", cwd=german).stdout
        assert len(RIGHT.asked) == 3

    def test_a_run_folder_is_scored_and_reported_with_it(self, german: Path) -> None:
        toologue("test", ".", cwd=german)
        (run,) = (german / ".toologue" / "runs").iterdir()
        for command in ("score", "report"):
            done = toologue(command, run, "--reviews", "reviews", "--judge", "judge_samples:RIGHT", cwd=german)
            assert "conversation correct 66.7 to 100.0 → 100.0 %" in done.stdout
        assert len(RIGHT.asked) == 1
        assert len(decisions(german)) == 1
