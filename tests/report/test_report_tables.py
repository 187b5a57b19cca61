"""Tables for the terminal, and differences in words."""

from __future__ import annotations

from typing import Any

import pytest
from report_samples import GOLD, HOSTILE, dialogue, late, lived, view
from rich.console import Console

from toologue.report.tables import failures_table, totals_table
from toologue.report.view import Report
from toologue.report.words import explain, findings, headline
from toologue.schema import Mismatch, Score
from toologue.score.metric import totals


def printed(table: Any, width: int = 160) -> str:
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_totals_have_a_column_a_run(report: Report) -> None:
    text = printed(totals_table(report))
    assert "first  n 5" in text
    assert "second  n 5" in text
    [line] = [line for line in text.splitlines() if line.strip().startswith("success")]
    assert "50.0 %" in line
    assert "1 unscored" in line
    assert "80.0 %" in line
    [counts] = [line for line in text.splitlines() if line.strip().startswith("bad call")]
    assert "%" not in counts
    assert " 2 " in counts


def test_failures_name_the_first_difference(report: Report) -> None:
    text = printed(failures_table(report.runs[0]))
    assert "snooze" in text
    assert "Round 2, AddAlarm: time: expected" in text
    assert "hang-up" in text
    assert "The agent broke. ConnectionError" in text
    assert "early-bird" not in text


def test_failures_are_limited_and_say_so() -> None:
    run = view("bad", [late(dialogue(f"c{i}")) for i in range(7)])
    table = failures_table(run, limit=3)
    assert table.row_count == 3
    assert "and 4 more" in printed(table)


def test_no_failure_says_so() -> None:
    assert "no conversation failed" in printed(failures_table(view("good", [lived(dialogue("a"), GOLD, success=1)])))


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_data_does_not_steer_the_terminal(kind: str) -> None:
    bad = HOSTILE[kind]
    at = [Mismatch(turn=1, act=0, field=bad, expected=bad, actual=bad, why=bad)]
    run = view(bad, [lived(dialogue(bad), GOLD, success=0, at=at)])
    text = printed(totals_table(Report(bad, [run])), 400) + printed(failures_table(run), 800)
    assert not set(text) & set("\a\0\x1b\x9b\u202e\u2066\u2028\uffff")
    if kind == "markup":
        assert bad in text


CASES: list[tuple[dict[str, Any], str]] = [
    ({"field": "api", "expected": "AddAlarm", "actual": "AddReminder"}, "called AddReminder, expected AddAlarm"),
    ({"field": "arguments.time", "expected": "06:30:00", "why": "missing"}, 'time is missing, expected "06:30:00"'),
    ({"field": "round", "expected": 1, "actual": 0}, "made in round 1, expected in round 2"),
    (
        {"field": "error", "actual": {"type": "APIException", "message": "No such alarm"}},
        "failed with APIException: No such alarm, expected to succeed",
    ),
    ({"field": "error", "expected": {"type": "executor", "message": "x"}}, "succeeded, expected executor: x"),
    (
        {"field": "result", "expected": ["a"], "actual": [], "why": "not all was found"},
        'result: expected ["a"], got [] (not all was found)',
    ),
    (
        {"field": "call", "actual": {"api": "Add", "arguments": None}, "why": "made and took effect, not expected"},
        "Add(unreadable arguments) was made and took effect, not expected",
    ),
    ({"field": "Alarm/a", "why": "not changed"}, "Alarm/a was not changed, expected that it goes"),
    (
        {"field": "Alarm/a", "expected": {"at": 7}, "why": "not created"},
        'Alarm/a was not created, expected {"at": 7}',
    ),
    ({"field": "Alarm/a", "why": "changed, against expectation"}, "Alarm/a was removed, against expectation"),
    (
        {"field": "Alarm/a", "actual": {"at": 7}, "why": "created, against expectation"},
        'Alarm/a was created, against expectation: {"at": 7}',
    ),
    ({"field": "name", "expected": 1, "actual": None}, "name: expected 1, got null"),
    (
        {
            "field": "state",
            "expected": {"api": "Database|holidayapi|Holidays" * 4, "slots": {"country": "DE", "year": 2024}},
            "actual": {"api": "Database|holidayapi|Holidays" * 4, "slots": {"country": "", "year": 2024}},
            "why": "value: country",
        },
        'state: slots.country: expected "DE", got "" (value: country)',
    ),
    (
        {"field": "state", "expected": {"a": 1, "b": 2, "c": 3, "d": 4}, "actual": {"e": 5, "d": 4}},
        "state: a: expected 1, got none; b: expected 2, got none; c: expected 3, got none; 1 more",
    ),
    ({}, "it: expected null, got null"),
]


@pytest.mark.parametrize(("fields", "words"), CASES)
def test_explain(fields: dict[str, Any], words: str) -> None:
    assert explain(Mismatch(**fields)) == words


def test_findings_come_in_the_order_of_the_conversation() -> None:
    late_call = Mismatch(turn=4, act=0, field="arguments.time", expected="1", actual="2")
    early = Mismatch(turn=1, act=0, field="call", expected={"api": "FindAlarms", "arguments": {}})
    nowhere = Mismatch(field="elsewhere")
    conversation = lived(dialogue("a"), GOLD, success=0, at=[nowhere, late_call, early])
    assert [finding.mismatch for finding in findings(conversation)] == [early, late_call, nowhere]
    assert headline(conversation) == "Round 1: FindAlarms() was expected and not made"


def test_a_crash_of_the_grader_is_the_headline() -> None:
    conversation = lived(dialogue("a"), GOLD, success=None)
    scores = {"success": Score(metric="success", dialogue="a", why="TypeError: a text was expected, got int")}
    crashed = type(conversation)(conversation.gold, conversation.trace, scores)
    assert headline(crashed) == "TypeError: a text was expected, got int"


def test_a_total_without_a_value_is_a_dash() -> None:
    [empty] = totals([Score(metric="success", dialogue="a")])
    run = type(view("x", []))("x", {}, [empty], [])
    assert "–, 1 unscored" in printed(totals_table(Report("", [run])))
