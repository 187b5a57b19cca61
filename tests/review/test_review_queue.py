"""The queue of a reviewer, without a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from review_samples import conversations, decisions, questions

from toologue.errors import BadFile, BadSetting
from toologue.review.collect import generated
from toologue.review.ledger import Ledger
from toologue.review.queue import Queue
from toologue.schema import Decision, Question


def clock() -> str:
    return "2025-05-17T12:00:00+00:00"


class TestAQueue:
    def test_decisions_are_lines_and_the_next_queue_goes_on(self, tmp_path: Path) -> None:
        asked = questions(3)
        queue = Queue(asked, "ana", tmp_path, clock=clock)
        queue.decide("right")
        queue.decide("wrong", ["wrong information"], note="it left yesterday")
        assert (queue.done, queue.of, queue.next) == (2, 3, asked[2])
        assert Queue(asked, "ana", tmp_path).next == asked[2]
        right, wrong = decisions(tmp_path / "ana.jsonl")
        assert (right.verdict, right.who, right.by, right.blame) == ("right", "ana", "person", None)
        assert (wrong.severity, wrong.blame, wrong.notes["note"]) == ("wrong information", "agent", "it left yesterday")
        assert wrong.told == "rejected on 2025-05-17 by ana"

    def test_what_was_cut_off_by_a_kill_is_asked_again(self, tmp_path: Path) -> None:
        asked = questions(2)
        queue = Queue(asked, "ana", tmp_path)
        queue.decide("right")
        queue.decide("right")
        file = tmp_path / "ana.jsonl"
        file.write_bytes(file.read_bytes()[:-20])
        again = Queue(asked, "ana", tmp_path)
        assert again.next == asked[1]
        again.decide("wrong")
        assert [one.verdict for one in decisions(file)] == ["right", "wrong"]

    def test_undo_is_a_line_too_and_takes_back_the_last_one_of_an_earlier_queue(self, tmp_path: Path) -> None:
        asked = questions(3)
        queue = Queue(asked, "ana", tmp_path)
        queue.decide("right")
        queue.decide("right")
        again = Queue(asked, "ana", tmp_path)
        assert again.undo() == asked[1] == again.next
        assert [one.undone for one in decisions(tmp_path / "ana.jsonl")] == [False, False, True]
        assert again.undo() == asked[0]
        assert again.undo() is None

    def test_what_is_passed_over_comes_with_the_next_queue(self, tmp_path: Path) -> None:
        asked = questions(2)
        queue = Queue(asked, "ana", tmp_path)
        queue.skip()
        queue.decide("right")
        assert (queue.next, queue.done) == (None, 2)
        assert Queue(asked, "ana", tmp_path).next == asked[0]
        assert queue.undo() == asked[0]

    def test_it_knows_nothing_of_what_others_decided(self, tmp_path: Path) -> None:
        asked = questions(2)
        Queue(asked, "ana", tmp_path).decide("wrong")
        queue = Queue(asked, "ben", tmp_path)
        assert (queue.next, queue.done, queue.decided) == (asked[0], 0, {})

    @pytest.mark.parametrize("name", ["", "../ana", "repairs", "a b", ".hidden"])
    def test_a_name_that_is_no_file_is_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(BadSetting, match="letters, digits"):
            Queue(questions(1), name, tmp_path)


class TestWhatCounts:
    def test_of_several_people_one_who_rejects_is_enough(self, tmp_path: Path) -> None:
        asked = questions(1)
        for who, verdict in (("ana", "right"), ("ben", "wrong"), ("eve", "right")):
            Queue(asked, who, tmp_path).decide(verdict)
        found = Ledger.of(tmp_path).settled(asked[0])
        assert found is not None
        assert (found.verdict, found.who) == ("wrong", "ben")

    def test_what_the_procedure_says_elsewhere_is_no_part_of_a_question(self) -> None:
        one = Question(kind="reply", brief="1. Ask.\n2. End.", step="say that it leaves", expected="It leaves.")
        assert one.replace(brief="1. Ask kindly.\n2. End.").key == one.key
        assert one.replace(step="say that it stays").key != one.key
        assert one.replace(step="").key != one.replace(step="", brief="1. Ask kindly.").key

    def test_gold_is_blamed_until_it_is_repaired_and_may_be_blamed_again(self) -> None:
        from toologue.schema import AgentTurn, Repair

        asked = questions(1)[0]
        blame = Decision(
            question=asked.key, gold=asked.gold_key, kind="reply", verdict="right", by="person", who="ana", blame="gold"
        )
        repair = Repair(gold=asked.gold_key, turn=AgentTurn(text="Soon."), at="2025-05-17T12:00:00+00:00")
        earlier, later = (blame.replace(at=f"2025-05-{day}T12:00:00+00:00") for day in (16, 18))
        assert Ledger([earlier]).blames == {asked.gold_key}
        assert not Ledger([earlier], [repair]).blames
        assert Ledger([later], [repair]).blames == {asked.gold_key}


class TestGenerated:
    def test_a_sample_is_the_same_for_everybody_and_grows_into_a_larger_one(self, tmp_path: Path) -> None:
        file = conversations(tmp_path / "dialogues.jsonl", 30)
        small, large = ({one.key for one in generated(file, sample=count)} for count in (5, 12))
        assert len(small) == 5
        assert small < large

    def test_other_files_are_refused_by_their_format(self, tmp_path: Path) -> None:
        file = tmp_path / "traces.jsonl"
        file.write_text('{"format": "trace/1"}\n')
        with pytest.raises(BadFile, match=r"trace/1.*can be reviewed"):
            generated(file)
