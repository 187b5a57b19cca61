"""What is unsure, wherever results are shown: brackets, a status of its own, why it is, what decided the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

from report_samples import GOLD, Page, dialogue, late, lived, missing, view, words
from test_report_coverage import graph_of, report_of
from test_report_coverage import lived as walked
from test_report_tables import printed

from toologue.report.coverage import covered
from toologue.report.junit import write_junit
from toologue.report.tables import failures_table, totals_table
from toologue.report.view import Conversation, Report
from toologue.report.words import findings, headline
from toologue.schema import Mismatch

SAID = "It will ring at half past six."
DOUBT = Mismatch(turn=5, field="reply", expected="The alarm is set for 06:30.", actual=SAID, verdict="unsure")
DOUBTS = (DOUBT.replace(why="hardly a word of it"), DOUBT.replace(why="it does not say that it is set"))


def doubted(conversation: Conversation) -> Conversation:
    """A conversation that fails, as one that fails only if what is unsure is wrong."""
    unsure = {"success": {"hits": 1}, "recall": {"hits": 1}, "precision": {"hits": 1}, "bad call": {"hits": -1}}
    scores = {
        name: score.replace(unsure={key: float(n) for key, n in unsure.get(name, {}).items()})
        for name, score in conversation.scores.items()
    }
    return Conversation(conversation.gold, conversation.trace, scores)


def unsure(name: str, at: Any = DOUBTS) -> Conversation:
    return doubted(lived(dialogue(name), (*GOLD[:5], words(SAID), GOLD[6]), success=0, at=at))


def mixed() -> Report:
    golds = [dialogue(name) for name in ("early-bird", "snooze")]
    return Report("", [view("mine", [lived(golds[0], GOLD, success=1), late(golds[1]), unsure("maybe"), unsure("so")])])


class TestStatus:
    def test_it_is_unsure_where_it_would_pass_if_all_that_is_unsure_were_right(self) -> None:
        assert (unsure("a").status, unsure("a").passed) == ("unsure", None)
        assert (late(dialogue("a")).status, late(dialogue("a")).passed) == ("failed", False)

    def test_what_is_wrong_anyway_fails_and_is_what_is_told_first(self) -> None:
        conversation = lived(dialogue("a"), GOLD, success=0, at=[*DOUBTS, *missing(dialogue("a")).scores["success"].at])
        assert conversation.status == "failed"
        assert [one.mismatch.verdict for one in findings(conversation)] == ["wrong", "unsure"]
        assert "AddAlarm" in headline(conversation)

    def test_all_that_is_said_of_one_reply_is_one_line(self) -> None:
        assert headline(unsure("a")) == (
            'Round 2: unsure: reply: expected "The alarm is set for 06:30.", got "It will ring at half past six." '
            "(hardly a word of it; it does not say that it is set)"
        )


class TestTables:
    def test_rates_are_brackets_and_the_last_row_says_how_many_are_decided(self) -> None:
        lines = printed(totals_table(mixed())).splitlines()
        [success] = [line for line in lines if line.strip().startswith("success")]
        assert "25.0 to 75.0 %" in success
        [decided] = [line for line in lines if line.strip().startswith("fully decided")]
        assert "50.0 % (2 of 4)" in decided

    def test_a_run_with_nothing_unsure_is_as_it_was(self, report: Report) -> None:
        text = printed(totals_table(report))
        assert "decided" not in text
        assert "50.0 %" in text
        assert not re.search(r"\d to \d", text)

    def test_unsure_ones_come_after_those_that_failed(self) -> None:
        text = printed(failures_table(mixed().runs[0]))
        assert text.index("snooze") < text.index("maybe")
        assert "unsure: reply" in text


class TestThePage:
    def test_a_status_a_filter_a_bracket_on_the_bar(self, render: Callable[[Report], Page]) -> None:
        page = render(mixed())
        assert "1 to 3 of 4 passed" in page.words
        assert "1 failed · 2 unsure · 50.0 % fully decided (2 of 4)" in page.words
        assert "show-unsure" in page.values("id")
        assert page.values("data-any").count("unsure") == 4, "two rows and their transcripts"
        assert page.of_class("bracket") >= 1

    def test_a_doubt_stands_at_the_words_in_its_own_colour(self, render: Callable[[Report], Page]) -> None:
        page = render(Report("", [view("mine", [unsure("a")])]))
        [told] = [attributes for _, attributes in page.tags if "told" in (attributes.get("class") or "")]
        assert "m-unsure" in (told["class"] or "")
        assert "unsure: hardly a word of it decided by nobody yet" in page.words
        assert "as expected" not in page.words.rsplit("Round 2", 1)[1]
        assert page.of_class("errors") == 0, "no error type"

    def test_a_wrong_reply_says_what_decided_it(self, render: Callable[[Report], Page]) -> None:
        wrong = DOUBTS[0].replace(verdict="wrong", by="value")
        page = render(
            Report("", [view("mine", [lived(dialogue("a"), (*GOLD[:5], words(SAID)), success=0, at=[wrong])])])
        )
        assert "hardly a word of it decided by value" in page.words
        assert page.of_class("m-wrong") == 1

    def test_a_doubted_argument_is_no_wrong_one(self, render: Callable[[Report], Page]) -> None:
        doubt = late(dialogue("a")).scores["success"].at[0].replace(verdict="unsure")
        conversation = late(dialogue("a"))
        conversation = doubted(lived(conversation.gold, conversation.trace.turns, success=0, at=[doubt]))
        page = render(Report("", [view("mine", [conversation])]))
        assert page.of_class("m-unsure") == 2, "the call and the gold's"
        assert page.of_class("m-wrong") == 0

    def test_without_any_there_is_no_filter(self, report: Report, render: Callable[[Report], Page]) -> None:
        assert "show-unsure" not in render(report).values("id")


class TestJUnit:
    def test_an_unsure_conversation_is_skipped_and_says_what_is_unsure(self, tmp_path: Path) -> None:
        write_junit(tmp_path / "junit.xml", mixed())
        root = fromstring((tmp_path / "junit.xml").read_bytes())
        assert (root.attrib["failures"], root.attrib["skipped"]) == ("1", "2")
        skipped = root.find(".//testcase[@name='maybe']/skipped")
        assert skipped is not None
        assert skipped.attrib["type"] == "unsure"
        [reason] = (skipped.text or "").splitlines()
        assert "hardly a word of it" in reason, "and no error type"

    def test_totals_have_both_ends(self, tmp_path: Path) -> None:
        write_junit(tmp_path / "junit.xml", mixed())
        suite = fromstring((tmp_path / "junit.xml").read_bytes())[0]
        properties = {p.attrib["name"]: p.attrib["value"] for p in suite.iter("property")}
        assert properties["total.success"] == "0.25"
        assert properties["total.success.best"] == "0.75"
        assert properties["total.success.decided"] == "2"


class TestCoverage:
    """A step that is unsure is neither wrong nor passed."""

    graph = graph_of()

    def doubted(self) -> Conversation:
        conversation = walked(self.graph, "No", wrong=5)
        score = conversation.scores["conversation correct"]
        at = tuple(one.replace(verdict="unsure") for one in score.at)
        return Conversation(
            conversation.gold, conversation.trace, {score.metric: score.replace(at=at, unsure={"hits": 1.0})}
        )

    def test_its_state(self) -> None:
        (chart,) = covered(report_of([self.doubted()])).charts
        step = next(node.id for node in self.graph.nodes if node.step == 3 and node.type == "assistant")
        (found,) = [one for one in chart.lines if one.id == step]
        assert found.states == [("unsure", "unsure here 1 of 1 times")]

    def test_answers_to_noise(self) -> None:
        conversation = self.doubted()
        score = conversation.scores["conversation correct"]
        moved = score.replace(at=(score.at[0].replace(turn=3),))
        noisy = Conversation(conversation.gold, conversation.trace, {score.metric: moved})
        (detour,) = covered(report_of([walked(self.graph, "Yes"), noisy])).detours
        assert detour.right == [(1, 1, 2)]
