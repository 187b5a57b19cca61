"""What a report tells apart: easy and hard conversations, words and acts that are wrong, what is not run yet."""

from __future__ import annotations

from pathlib import Path

from report_samples import GOLD, dialogue, late, lived, missing, view
from test_report_tables import printed

from command import toologue
from toologue.bench.tooltalk import load
from toologue.report.tables import failures_table
from toologue.schema import Mismatch
from toologue.schema.jsonl import write

REPLY = Mismatch(turn=5, field="reply", expected="It rings at 06:30.", actual="It rings at 07:30.", why="another time")
TEXT = Mismatch(turn=3, act=0, field="arguments.note", expected="up", actual="down", why="the opposite", by="rule")
TIME = TEXT.replace(field="arguments.time", why="compared as time", by="value")


def run_of(tmp_path: Path) -> list[str]:
    """A finished run of two easy and two hard conversations: what its traces are."""
    golds = [[gold for gold in load() if gold.origin["split"] == split][:2] for split in ("easy", "hard")]
    write(tmp_path / "talks.jsonl", [*golds[0], *golds[1]])
    assert toologue("run", "talks.jsonl", "--agent", "gold", "-o", "run", cwd=tmp_path).returncode == 0
    return (tmp_path / "run" / "traces.jsonl").read_text().splitlines(keepends=True)


def test_easy_and_hard_conversations_stand_apart(tmp_path: Path) -> None:
    run_of(tmp_path)
    said = toologue("report", "run", "--html", "page.html", cwd=tmp_path).stdout
    for line in ("gold: easy: 2 of 2 passed", "gold: hard: 2 of 2 passed"):
        assert line in said
        assert line in (tmp_path / "page.html").read_text()
    toologue("bench", "tooltalk", "--agent", "gold", "--html", "bench.html", cwd=tmp_path)
    page = (tmp_path / "bench.html").read_text()
    assert "By part of the set" in page
    assert "<td>easy</td>" in page or ">easy<" in page
    toologue("bench", "tooltalk", "--agent", "gold", "--limit", 1, "--html", "one.html", cwd=tmp_path)
    assert "By part of the set" not in (tmp_path / "one.html").read_text(), "there is one part only"


def test_of_an_unfinished_run_it_says_how_many_there_are_in_all(tmp_path: Path) -> None:
    traces = run_of(tmp_path)
    (tmp_path / "run" / "traces.jsonl").write_text("".join(traces[:3]))
    for command in (("score", "run"), ("report", "run", "--html", "page.html")):
        done = toologue(*command, cwd=tmp_path)
        assert (done.returncode, "n 3 of 4" in done.stdout) == (3, True)
    assert "1 not run yet" in (tmp_path / "page.html").read_text()


def test_what_fails_in_words_alone_is_told_apart_from_wrong_acts() -> None:
    by_reply, by_text, by_time = (
        lived(dialogue(str(one.field)), GOLD, success=0, at=[one]) for one in (REPLY, TEXT, TIME)
    )
    acts = [late(dialogue("late")), missing(dialogue("missing")), by_time]
    assert [one.in_words for one in (by_reply, by_text, *acts)] == [True, True, False, False, False]
    both = lived(dialogue("both"), GOLD, success=0, at=[REPLY, TIME])
    assert not both.in_words
    shown = printed(failures_table(view("mine", [by_reply, by_text, *acts, both])))
    assert "2 of 6 failed in words alone (replies, texts in calls)" in shown
    assert "in words alone" not in printed(failures_table(view("mine", acts)))
