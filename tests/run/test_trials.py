"""Trials wherever an agent is run: pass^k, pass@k, what flickers and the noise floor, in tables, pages and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import run_players

from command import toologue
from toologue.bench.benchmark import Options, evaluate, record, report_of
from toologue.bench.tooltalk import TOOLTALK, load
from toologue.bench.tooltalk.conversations import starter
from toologue.errors import BadSetting
from toologue.schema.jsonl import write

PLAYER = "run_players:now_and_then"


def test_a_run_of_several_trials_shows_them_in_tables_page_and_json(tmp_path: Path) -> None:
    write(tmp_path / "dialogues.jsonl", starter()[:3])
    done = toologue("run", "dialogues.jsonl", "--agent", PLAYER, "--trials", 4, "-o", "r", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("12 traces")
    for command in ("score", "report"):
        told = toologue(command, "r", cwd=tmp_path).stdout
        assert "pass^k" in told
        assert f"flaky, passed in some trials and failed in others: 3: {starter()[0].id} (2 of 4)" in told
        assert "noise floor: by chance alone" in told
    assert '<h2 id="section-1">Trials</h2>' in (tmp_path / "r" / "report.html").read_text()
    trials = json.loads((tmp_path / "r" / "scores.json").read_text())["trials"]
    assert [one["pass^k"]["value"] for one in trials["passes"]] == pytest.approx([1 / 2, 1 / 6, 0, 0])
    assert [one["pass@k"]["value"] for one in trials["passes"]] == pytest.approx([1 / 2, 5 / 6, 1, 1])
    assert [one["dialogue"] for one in trials["flaky"]] == [one.id for one in starter()[:3]]


def test_a_run_of_one_trial_shows_none(tmp_path: Path) -> None:
    write(tmp_path / "dialogues.jsonl", starter()[:2])
    toologue("run", "dialogues.jsonl", "--agent", "gold", "-o", "r", cwd=tmp_path)
    assert "pass^k" not in toologue("report", "r", cwd=tmp_path).stdout
    assert "pass^k" not in (tmp_path / "r" / "report.html").read_text()
    assert "trials" not in json.loads((tmp_path / "r" / "scores.json").read_text())


def test_a_benchmark_takes_trials(tmp_path: Path) -> None:
    golds = load()[:3]
    results = evaluate(TOOLTALK, golds, [run_players.now_and_then], options=Options(trials=2))
    [(told, graded)] = [(one, parts[TOOLTALK.part]) for one, parts in results.items()]
    assert [(one.gold.id, one.trace.trial) for one in graded] == [
        (gold.id, trial) for gold in golds for trial in (0, 1)
    ]
    assert [one.scores["success"].value for one in graded] == [0.0, 1.0] * 3
    [run] = report_of(TOOLTALK, results).runs
    assert (run.name, run.trials and len(run.trials.flaky)) == (told, 3)
    made = record(TOOLTALK, results)
    assert isinstance(made, dict)
    assert [one["pass@k"]["value"] for one in made["trials"]["passes"]] == [0.5, 1.0]
    assert [one.get("trial", 0) for one in made["conversations"]] == [0, 1] * 3


def test_the_command_bench_takes_trials(tmp_path: Path) -> None:
    done = toologue("bench", "tooltalk", "--agent", "gold", "--trials", 2, "--html", "p.html", cwd=tmp_path)
    assert done.returncode == 0
    assert "noise floor" in done.stdout
    assert "toologue bench tooltalk" in (tmp_path / "p.html").read_text()
    assert "--trials 2" in (tmp_path / "p.html").read_text()


def test_predictions_have_no_trials() -> None:
    with pytest.raises(BadSetting, match="--trials 2: predictions were made once"):
        evaluate(TOOLTALK, starter()[:1], ["predictions:p.jsonl"], options=Options(trials=2))


@pytest.mark.parametrize("command", [["run", "d.jsonl", "-o", "r"], ["bench", "tooltalk"]])
def test_no_trial_at_all_is_refused(tmp_path: Path, command: list[str]) -> None:
    done = toologue(*command, "--agent", "gold", "--trials", 0, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "toologue: --trials 0: give 1 or more\n")
