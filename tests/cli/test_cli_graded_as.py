"""A run that a benchmark made is graded as the benchmark graded it: by `score`, `report` and `compare`, too."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from command import Done, toologue
from tests.tooldial.tooldial_samples import suite
from toologue.schema.jsonl import write

MODES = ("published", "fixed")
LABELS = """
from toologue import AgentTurn
from toologue.schema import State


class Mine:
    async def act(self, history, brief):
        state = State(api="no such API")
        return AgentTurn(text="I do not know.", action="request" if history[-1].role == "user" else "call", state=state)
"""


def rows(done: Done) -> dict[str, str]:
    """The figures of a table of totals with one run, by metric."""
    found = (line.split("  ") for line in done.stdout.splitlines())
    cells = ([cell.strip() for cell in line if cell.strip()] for line in found)
    return {line[0].removesuffix(" ↓"): line[1] for line in cells if len(line) > 1 and line[1][0].isdigit()}


def differences(file: Path) -> dict[str, dict[str, Any]]:
    return {one["metric"]: one for one in json.loads(file.read_text())["differences"]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `retrieve` does in the starter set, in both modes, with the results of `bench`."""
    folder = tmp_path_factory.mktemp("runs")
    for mode in MODES:
        command = ("bench", "tooltalk", "--agent", "retrieve", "--mode", mode, "--out", mode, "--json", f"{mode}.json")
        assert toologue(*command, cwd=folder).returncode == 0
    return folder


def said(runs: Path, mode: str) -> dict[str, float]:
    """The values that `bench` gave."""
    totals = json.loads((runs / f"{mode}.json").read_text())["totals"]
    return {name: one["value"] for name, one in totals["all"]["scores"].items()}


class TestTheModeStaysWithTheRun:
    def test_both_modes_differ_here(self, runs: Path) -> None:
        assert said(runs, "published")["recall"] != said(runs, "fixed")["recall"]

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("command", ["score", "report"])
    def test_in_score_and_report(self, runs: Path, command: str, mode: str) -> None:
        done = toologue(command, mode, cwd=runs)
        assert f"{mode} (tooltalk, {mode})" in done.stdout
        assert rows(done)["recall"].startswith(f"{100 * said(runs, mode)['recall']:.1f} ")

    @pytest.mark.parametrize("mode", MODES)
    def test_in_compare(self, runs: Path, mode: str) -> None:
        assert toologue("compare", mode, mode, "--json", "c.json", cwd=runs).returncode == 0
        found = {name: tuple(one["before"]) for name, one in differences(runs / "c.json").items()}
        assert {name: ends[0] for name, ends in found.items()} == pytest.approx(said(runs, mode))

    def test_runs_of_different_modes_are_not_compared(self, runs: Path) -> None:
        done = toologue("compare", *MODES, cwd=runs)
        assert done.returncode == 2
        assert "published is graded as mode 'published', fixed as mode 'fixed': their numbers are not" in done.stderr

    def test_another_mode_grades_anew_and_plays_nothing_again(self, runs: Path) -> None:
        there = (runs / "fixed" / "traces.jsonl").read_bytes()
        for mode in MODES:
            command = ("bench", "tooltalk", "--agent", "retrieve", "--mode", mode, "--out", "fixed")
            assert toologue(*command, cwd=runs).returncode == 0
            done = toologue("score", "fixed", cwd=runs)
            assert rows(done)["recall"].startswith(f"{100 * said(runs, mode)['recall']:.1f} ")
        assert (runs / "fixed" / "traces.jsonl").read_bytes() == there


def test_the_similarity_stays_with_the_run(tmp_path: Path) -> None:
    """So do its thresholds; who asks for another gets it."""
    command = ("bench", "tooltalk", "--agent", "altered:paraphrase", "--limit", 30, "--mode", "published")
    for name, options in (("exact", ("--similarity", "exact")), ("low", ("--text", 0.01, "--prose", 0.01))):
        assert toologue(*command, *options, "--out", name, cwd=tmp_path).returncode == 0
        assert toologue("score", name, cwd=tmp_path).returncode == 0
    told = {name: json.loads((tmp_path / name / "scores.json").read_text()) for name in ("exact", "low")}
    assert told["exact"]["similarity"]["name"] == "exact"
    assert told["low"]["similarity"]["thresholds"]["text"] == 0.01
    success = [next(one["value"] for one in run["totals"] if one["metric"] == "success") for run in told.values()]
    assert success[0] < success[1]
    assert "different graders (similarity)" in toologue("compare", "exact", "low", cwd=tmp_path).stderr
    assert toologue("score", "exact", "--similarity", "lexical", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "exact" / "scores.json").read_text())["similarity"]["name"] == "lexical"


class TestToolDial:
    @pytest.fixture
    def mine(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        write(tmp_path / "labelled.jsonl", suite())
        (tmp_path / "of_labels.py").write_text(LABELS)
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "of_labels", raising=False)
        return tmp_path

    def test_runs_are_kept_and_compared_by_the_metrics_of_the_task(self, mine: Path) -> None:
        """Not by those of other benchmarks that a run under the protocol has, too."""
        both = ("--agent", "gold", "--agent", "of_labels:Mine", "--out", "kept")
        bench = ("bench", "tooldial", "--data", "labelled.jsonl", "--task", "dst", "--labels", "none", *both)
        done = toologue(*bench, cwd=mine)
        assert (done.returncode, done.stderr) == (0, "")
        folders = ("kept/gold/dst, none", "kept/of_labels_Mine/dst, none")
        assert toologue("compare", *folders, "--json", "c.json", cwd=mine).returncode == 0
        found = differences(mine / "c.json")
        assert {"state accuracy", "conversation correct"} <= found.keys()
        assert not found.keys() & {"test correct", "no harm", "API recall"}
        assert found["state accuracy"]["after"] == [0, 0]
        assert found["state accuracy"]["verdict"] == "worse"
        again = toologue(*bench, cwd=mine)
        assert again.stdout == done.stdout
