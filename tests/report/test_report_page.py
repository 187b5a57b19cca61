"""The page, taken apart without a browser."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report_samples import GOLD, HOSTILE, STATE, Page, call, dialogue, late, lived, missing, user, view, words

from toologue.report import page as page_module
from toologue.report.page import write_page
from toologue.report.view import Report, RunView
from toologue.schema import AgentTurn, Call, Fault, Mismatch, Program, Result, Retrieve, Score

Render = Callable[[Report], Page]


def check(page: Page) -> None:
    """What holds of every page: nothing is loaded, no script, ids once, links lead somewhere, headings in order."""
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for link in page.values("href"):
        assert link == "data:," or (link.startswith("#") and link[1:] in ids), link
    for name in ("src", "srcset", "style", "onerror", "onclick", "onmouseover", "action", "data"):
        assert not page.values(name), name
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img", "iframe", "object", "embed", "base"})
    assert [tag for tag, _ in page.tags].count("main") == 1
    assert page.headings[0] == 1
    assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    for tag, attributes in page.tags:
        assert tag != "th" or attributes.get("scope") in ("row", "col")
    assert ("html", {"lang": "en"}) in page.tags


def test_two_runs(report: Report, render: Render) -> None:
    page = render(report)
    check(page)
    assert "Two runs" in page.words
    assert "2 of 5 passed" in page.words
    assert "4 of 5 passed" in page.words
    assert 'Round 2, AddAlarm: time: expected "06:30:00", got "07:30:00" (compared as moment)' in page.words
    assert 'AddAlarm(time="06:30:00") was expected and not made' in page.words
    assert "The agent broke. ConnectionError: the endpoint hung up" in page.words
    assert "Alarm/ann/5bff.time" in page.words
    assert "toologue report" in page.words


def test_nothing_at_all(render: Render) -> None:
    check(render(Report("Empty", [])))
    page = render(Report("Empty run", [RunView("nobody", {}, [], [])]))
    check(page)
    assert "0 of 0 passed" in page.words


def test_the_page_says_to_the_browser_that_nothing_may_load_or_run(report: Report, render: Render) -> None:
    [policy] = [a["content"] for tag, a in render(report).tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "script-src" not in policy


def test_a_run_equal_to_the_gold_has_one_column(render: Render) -> None:
    page = render(Report("", [view("gold", [lived(dialogue("a"), GOLD, success=1)])]))
    assert page.of_class("pair") == 0
    assert page.words.count("AddAlarm") == 1
    assert "as expected" in page.words
    assert "First difference" not in page.words


def test_other_words_of_the_gold_stand_behind_a_fold(render: Render) -> None:
    turns = (*GOLD[:5], words("Half past six it is."), GOLD[6])
    page = render(Report("", [view("polite", [lived(dialogue("a"), turns, success=1)])]))
    assert page.of_class("pair") == 0
    assert "Words in the gold" in page.words
    assert "The alarm is set for 06:30." in page.words


def test_a_wrong_call_stands_beside_the_expected_one(render: Render) -> None:
    page = render(Report("", [view("late", [late(dialogue("a"))])]))
    check(page)
    assert "d0-0" in page.values("id")
    assert page.words.count("First difference") == 1
    assert "answered differently" in page.words
    assert "the same words" in page.words
    assert page.words.index("as expected") < page.words.index("First difference")  # round 1 has one column


def test_a_missing_call_is_marked_in_the_gold(render: Render) -> None:
    page = render(Report("", [view("lazy", [missing(dialogue("a"))])]))
    check(page)
    [first] = [attributes for _, attributes in page.tags if attributes.get("id") == "d0-0"]
    assert "m-missing" in (first["class"] or "")


def test_a_bad_extra_call_and_a_harmless_one(render: Render) -> None:
    turns = (
        *GOLD[:2],
        call("FindAlarms", value={"alarms": []}, start_range="00:00:00"),
        call("DeleteAlarm", value={}, alarm_id="5bff"),
        *GOLD[2:],
    )
    shown = {"api": "DeleteAlarm", "arguments": {"alarm_id": "5bff"}}
    at = [Mismatch(turn=3, act=0, field="call", actual=shown, why="made and took effect, not expected")]
    conversation = lived(dialogue("a"), turns, success=0, at=at)
    conversation.scores["precision"] = Score(  # pyright: ignore[reportIndexIssue]
        metric="precision", dialogue="a", counts={"hits": 2, "of": 4}, value=0.5
    )
    page = render(Report("", [view("busy", [conversation])]))
    check(page)
    assert "not expected, took effect" in page.words
    assert page.of_class("m-extra") == 1
    assert page.of_class("m-bad") == 1
    assert 'Round 1: DeleteAlarm(alarm_id="5bff") was made and took effect, not expected' in page.words


def test_an_accepted_call_that_is_not_equal_shows_both(render: Render) -> None:
    turns = (*GOLD[:4], call("AddAlarm", time="6:30 am", value={"alarm_id": "5bff"}), *GOLD[5:])
    page = render(Report("", [view("free", [lived(dialogue("a"), turns, success=1)])]))
    check(page)
    assert "accepted" in page.words
    assert "6:30 am" in page.words
    assert "06:30:00" in page.words


def test_calls_of_an_unscored_conversation_are_not_marked(render: Render) -> None:
    page = render(Report("", [view("unscored", [lived(dialogue("a"), GOLD[:4] + GOLD[5:], success=None)])]))
    check(page)
    assert "Nothing was scored." in page.words
    for mark in ("m-same", "m-match", "m-extra", "m-missing"):
        assert page.of_class(mark) == 0


def test_a_difference_in_the_outcome_alone(render: Render) -> None:
    conversation = lived(dialogue("a"), GOLD, success=0, state=[STATE])
    page = render(Report("", [view("state", [conversation])]))
    check(page)
    [first] = [attributes for _, attributes in page.tags if attributes.get("id") == "d0-0"]
    assert first["class"] == "state"


@pytest.mark.parametrize(
    ("fields", "sides"),
    [
        ({"expected": {"at": 7}, "why": "not created"}, '{"at": 7} no row'),
        ({"actual": {"at": 7}, "why": "created, against expectation"}, 'no row {"at": 7}'),
        ({"expected": {"at": 7}, "why": "not changed"}, '{"at": 7} no change'),
        ({"why": "not changed"}, "the row is removed no change"),
        ({"why": "changed, against expectation"}, "no change the row is removed"),
        ({"expected": None, "actual": 7}, "null 7"),
    ],
)
def test_the_state_says_what_is_on_each_side(fields: dict[str, Any], sides: str, render: Render) -> None:
    conversation = lived(dialogue("a"), GOLD, success=0, state=[Mismatch(field="Alarm/a", **fields)])
    page = render(Report("", [view("state", [conversation])]))
    row = page.words.partition("State of the world")[2]
    assert sides.replace(" ", "") in row.replace(" ", "")


def test_all_kinds_of_turns(render: Render) -> None:
    acts = (
        Call(api="Unread", arguments=None, raw="{'time': "),
        Retrieve(query="something that wakes people"),
        Program(goal="wake", status="drafting", code="alarm.set(6)\nprint('ok')"),
    )
    results = (Result(error=Fault(type="parse", message="Failed to parse")), Result(value=["AddAlarm"]), None)
    turns = (
        words("Good morning!"),
        user("Wake me"),
        AgentTurn(text="Let me see", thought="They want an alarm.", acts=acts, results=results),
        AgentTurn(error=Fault(type="cap", message="50 steps in one round, and no reply to the user")),
    )
    gold = dialogue("kinds", (words("Good morning!"), user("Wake me"), words("When?")))
    page = render(Report("", [view("odd", [lived(gold, turns, success=0)])]))
    check(page)
    for text in (
        "opening",
        "{'time':",
        "something that wakes people",
        "alarm.set(6)",
        "They want an alarm.",
        "parse: ",
    ):
        assert text in page.words
    assert "not executed" in page.words
    assert "cap: 50 steps in one round, and no reply to the user" in page.words


def test_a_live_conversation_shows_both_users(render: Render) -> None:
    turns = (user("Could you wake me at half past six?"), *GOLD[4:6])
    page = render(Report("", [view("live", [lived(dialogue("a"), turns, success=1, protocol="live", stop="user")])]))
    check(page)
    assert "The user left." in page.words
    assert "The user's words in the gold" in page.words


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_data_everywhere(kind: str, render: Render) -> None:
    bad = HOSTILE[kind]
    gold = dialogue(bad).replace(facts={bad: bad}, instructions=bad, origin={"scenario": bad})
    turns = (
        user(bad),
        AgentTurn(
            text=bad,
            thought=bad,
            acts=(Call(api=bad, arguments={bad: {bad: [bad]}}), Call(api=bad, arguments=None, raw=bad)),
            results=(Result(value=bad, changes={bad: bad}), Result(error=Fault(type=bad, message=bad))),
        ),
        AgentTurn(error=Fault(type=bad, message=bad)),
    )
    at = [Mismatch(turn=1, act=0, field=f"arguments.{bad}", expected=bad, actual=bad, why=bad)]
    state = [Mismatch(field=bad, expected={bad: bad}, actual=bad, why=bad)]
    conversation = lived(gold.replace(turns=turns), turns, success=0, at=at, state=state)
    scores = {**conversation.scores, bad: Score(metric=bad, dialogue=bad, why=bad)}
    hostile = type(conversation)(conversation.gold, conversation.trace, scores)
    report = Report(bad, [view(bad, [hostile], **{bad: bad}), view(f"{bad}2", [hostile])], command=bad, notes=[bad])
    page = render(report)
    check(page)
    seen = "".join(page.text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\uffff]", seen)
    if kind not in ("lines", "control", "turned", "nobody"):
        assert bad in seen


def test_half_characters_in_names_and_paths(render: Render) -> None:
    page = render(Report("half \ud83d", [view("run \udc80", [late(dialogue("a"))])], command="toologue report \udcff"))
    check(page)
    assert "half \\ud83d" in page.words


def test_long_values_are_cut_and_say_so(render: Render, tmp_path: Path) -> None:
    long, wide = "x" * 1_000_000, ["y" * 500] * 5000
    turns = (user(long), call("Say", value={"text": long, "many": wide}, text=long, many=wide), words(long))
    began = time.perf_counter()
    page = render(Report("", [view("long", [lived(dialogue("a", turns), turns, success=1)])]))
    assert time.perf_counter() - began < 5
    check(page)
    assert (tmp_path / "report.html").stat().st_size < 300_000
    assert "1,000,000 characters" in page.words
    assert "5,000 entries, cut after 12,000 characters" in page.words


def test_large_runs_show_failed_conversations_first(render: Render, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "ROWS", 6)
    monkeypatch.setattr(page_module, "TRANSCRIPTS", 4)
    conversations = [lived(dialogue(f"c{i}"), GOLD, success=1) for i in range(9)]
    conversations += [late(dialogue(f"failed{i}")) for i in range(3)]
    page = render(Report("", [view("many", conversations)]))
    check(page)
    assert "6 of 12 conversations are listed, failed ones first." in page.words
    assert "4 of 12 transcripts are shown, failed ones first." in page.words
    assert {f"t{i}-0" for i in (9, 10, 11)} < set(page.values("id"))
    assert "9 of 12 passed" in page.words


def test_verdicts_count_conversations_that_the_view_left_out(render: Render) -> None:
    every = [lived(dialogue(f"c{i}"), GOLD, success=1) for i in range(5)] + [late(dialogue("late"))]
    whole = view("cut", every)
    page = render(Report("", [RunView("cut", {}, whole.totals, every[-1:])]))
    assert "5 of 6 passed" in page.words


def test_trials_and_runs_that_lack_a_conversation(render: Render) -> None:
    gold = dialogue("again")
    trials = [lived(gold, GOLD, success=1, trial=0), lived(gold, GOLD, success=1, trial=1)]
    page = render(Report("", [view("two", trials), view("one", trials[:1])]))
    check(page)
    assert "trial 2" in page.words
    assert "not run" in page.words


def test_a_failed_write_leaves_the_old_page(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "report.html"
    file.write_text("old")

    def refuse(conversation: object) -> None:
        raise MemoryError

    monkeypatch.setattr(page_module, "transcript", refuse)
    with pytest.raises(MemoryError):
        write_page(file, report)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_equal_reports_are_equal_bytes(report: Report, tmp_path: Path) -> None:
    write_page(tmp_path / "one.html", report)
    write_page(tmp_path / "two.html", report)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
