"""JUnit XML, read back."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from report_samples import GOLD, HOSTILE, dialogue, late, lived, view

from toologue.report.junit import write_junit
from toologue.report.view import Report
from toologue.schema import Mismatch


def written(report: Report, folder: Path) -> Element:
    write_junit(folder / "junit.xml", report)
    return fromstring((folder / "junit.xml").read_bytes())


def test_one_suite_a_run_one_case_a_conversation(report: Report, tmp_path: Path) -> None:
    root = written(report, tmp_path)
    assert root.attrib == {"name": "Two runs", "tests": "10", "failures": "2", "errors": "1", "skipped": "1"}
    first, second = root
    assert (first.attrib["name"], first.attrib["tests"], first.attrib["errors"]) == ("first", "5", "1")
    cases = {case.attrib["name"]: case for case in first.iter("testcase")}
    assert list(cases) == ["early-bird", "snooze", "hang-up", "silent", "passed-by-all"]
    assert {case.attrib["classname"] for case in cases.values()} == {"first"}
    assert [child.tag for name in cases for child in cases[name]] == ["failure", "error", "skipped"]
    assert second.attrib["failures"] == "1"


def test_a_failure_says_what_differs(report: Report, tmp_path: Path) -> None:
    root = written(report, tmp_path)
    failure = root.find(".//testcase[@name='snooze']/failure")
    assert failure is not None
    line = 'Round 2, AddAlarm: time: expected "06:30:00", got "07:30:00" (compared as moment)'
    assert failure.attrib["message"] == line
    assert (failure.text or "").splitlines() == [
        "Error types: bad call × 1",
        line,
        'State: Round 2: Alarm/ann/5bff.time: expected "06:30:00", got "07:30:00"',
    ]
    error = root.find(".//testcase[@name='hang-up']/error")
    assert error is not None
    assert error.attrib == {"message": "The agent broke. ConnectionError: the endpoint hung up", "type": "error"}


def test_facts_and_totals_are_properties(report: Report, tmp_path: Path) -> None:
    suite = written(report, tmp_path)[0]
    properties = {p.attrib["name"]: p.attrib["value"] for p in suite.iter("property")}
    assert properties["fact.agent"] == "first"
    assert properties["total.success"] == "0.5"
    assert properties["total.success.n"] == "4"
    assert properties["total.success.unscored"] == "1"
    assert float(properties["total.success.low"]) <= 0.5 <= float(properties["total.success.high"])


def test_trials_have_names_of_their_own(tmp_path: Path) -> None:
    trials = [lived(dialogue("a"), GOLD, success=1, trial=trial) for trial in (0, 1)]
    root = written(Report("", [view("twice", trials)]), tmp_path)
    assert [case.attrib["name"] for case in root.iter("testcase")] == ["a (trial 1)", "a (trial 2)"]


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_data_is_valid_xml(kind: str, tmp_path: Path) -> None:
    bad = HOSTILE[kind]
    at = [Mismatch(turn=1, act=0, field=bad, expected=bad, actual={bad: bad}, why=bad)]
    gold = dialogue(bad)
    conversations = [lived(gold, GOLD, success=0, at=at, state=at), late(gold)]
    root = written(Report(bad, [view(bad, conversations, **{bad: bad})]), tmp_path)
    assert root[0].attrib["tests"] == "2"


def test_half_characters_are_escapes(tmp_path: Path) -> None:
    assert written(Report("half \ud83d\0", []), tmp_path).attrib["name"] == "half \\ud83d\\u0000"
