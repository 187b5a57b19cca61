"""The gate: it fails when a ratio is figure.worse than stated by more than the slack, and only then."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from bench import __main__ as command
from bench import figure

STATED = {"a": 0.5, "b": 2.0}


def made(path="a", ratio=0.5, aim=None):
    return figure.Figure(path, measured=ratio * 8, plain=8, unit="ms", aim=aim)


@pytest.mark.parametrize(
    ("times", "fails"), [(0.1, False), (1.0, False), (figure.SLACK, False), (figure.SLACK * 1.01, True)]
)
def test_a_ratio_may_be_worse_by_the_slack_only(times, fails):
    figures = [made("a", 0.5), made("b", 2.0 * times)]
    assert figure.worse(figures, STATED) == (figures[1:] if fails else [])


def test_a_path_without_a_stated_ratio_is_an_error():
    with pytest.raises(KeyError, match="nobody"):
        figure.worse([made("nobody")], STATED)


@pytest.mark.parametrize(("aim", "met"), [(None, None), (4.0, True), (3.9, False)])
def test_a_missed_aim_is_told_but_fails_nothing(aim, met):
    told = made(aim=aim)
    assert told.on_aim is met
    assert figure.worse([told], STATED) == []


@pytest.mark.parametrize(("ratio", "status"), [(0.7, 0), (0.8, 1)])
def test_the_exit_status_follows_the_ratios(ratio, status, tmp_path, monkeypatch, capsys):
    found = [made("a", ratio, aim=1.0), made("b", 2.0)]
    monkeypatch.setattr(command, "import_module", lambda name: SimpleNamespace(figures=lambda: found))
    monkeypatch.setattr(command, "stated_ratios", lambda: STATED)
    assert command.main(["--only", "replay", "--json", str(tmp_path / "out.json")]) == status
    printed = capsys.readouterr().out
    assert printed.count("worse") == status
    assert "≤ 1 ms: missed" in printed
    rows = json.loads((tmp_path / "out.json").read_text())
    assert [row["path"] for row in rows] == ["a", "b"]
    assert [row["good"] for row in rows] == [not status, True]
    assert rows == figure.as_json(found, STATED)


def test_every_stated_ratio_is_explained():
    entries = json.loads(figure.RATIOS.read_bytes())
    assert figure.stated_ratios() == {path: entry["ratio"] for path, entry in entries.items()}
    assert all(entry["ratio"] > 0 and len(entry["comment"]) > 20 for entry in entries.values())


def test_sides_are_taken_in_turns():
    order = []
    ours, plain = figure.in_turns(lambda: order.append("ours"), lambda: order.append("plain"), repeat=3, count=10)
    assert order == ["ours", "plain"] * 3
    assert 0 <= ours < 1
    assert 0 <= plain < 1


def test_a_child_that_fails_is_no_figure():
    with pytest.raises(Exception, match="returned non-zero exit status 3"):
        figure.of_children((sys.executable, "-c", "raise SystemExit(3)"), repeat=1)
