"""What the table of a paper is made of: figures of easy and hard conversations with intervals, printed, as files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from command import Done, toologue
from tests.tooldial.tooldial_samples import suite
from toologue.schema.jsonl import write


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """Two agents through a part of the starter set, published, with JSON, CSV and run folders."""
    folder = tmp_path_factory.mktemp("made")
    agents = ("--agent", "retrieve", "--agent", "top_api", "--out", "runs")
    written = ("--json", "r.json", "--csv", "r.csv")
    done = toologue("bench", "tooltalk", "--mode", "published", "--limit", 60, *agents, *written, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return [*csv.DictReader(stream)]


def results(file: Path) -> Any:
    return json.loads(file.read_text())


def test_the_table_of_splits_has_intervals_and_says_what_was_read(made: tuple[Path, Done]) -> None:
    folder, done = made
    told, (mine, _) = done.stdout, results(folder / "r.json")
    hard, count = mine["totals"]["hard"]["scores"], mine["totals"]["hard"]["num_conversations"]
    assert f"60 conversations read: {60 - count} easy, {count} hard" in told
    recall = hard["recall"]
    assert f"{100 * recall['value']:.1f} %  {100 * recall['low']:.1f}–{100 * recall['high']:.1f}" in told


def test_json_has_the_intervals_of_all_and_of_each_split(made: tuple[Path, Done]) -> None:
    for one in results(made[0] / "r.json"):
        assert list(one["totals"]) == ["easy", "hard", "all"]
        for total in one["totals"].values():
            recall = total["scores"]["recall"]
            assert recall["low"] <= recall["value"] <= recall["high"]


def test_csv_has_a_row_an_agent_and_split(made: tuple[Path, Done]) -> None:
    found, json_found = rows(made[0] / "r.csv"), results(made[0] / "r.json")
    assert [(row["agent"], row["split"]) for row in found] == [
        (agent, split) for agent in ("retrieve", "top_api") for split in ("easy", "hard", "all")
    ]
    assert {(row["mode"], row["similarity"]) for row in found} == {("published", "lexical")}
    for row, wanted in zip(found[1:3], (json_found[0]["totals"]["hard"], json_found[0]["totals"]["all"]), strict=True):
        for metric in ("success", "recall", "incorrect action rate"):
            cells = [float(row[f"{metric}{part}"]) for part in ("", " low", " high")]
            assert cells == [wanted["scores"][metric][name] for name in ("value", "low", "high")]


def test_csv_of_a_report_says_the_same(made: tuple[Path, Done]) -> None:
    folder, _ = made
    done = toologue("report", "runs/retrieve", "runs/top_api", "--csv", "again.csv", cwd=folder)
    assert (done.returncode, "csv: again.csv" in done.stdout) == (0, True)
    mine, again = rows(folder / "r.csv"), rows(folder / "again.csv")
    metrics = [name for name in mine[0] if name.split(" ")[0] in ("success", "recall", "precision", "bad")]
    assert [[row[name] for name in metrics] for row in mine] == [[row[name] for name in metrics] for row in again]
    assert {row["graded as"] for row in again} == {"tooltalk, published"}


def test_a_split_alone(tmp_path: Path) -> None:
    done = toologue("bench", "tooltalk", "--agent", "top_api", "--split", "hard", "--csv", "r.csv", cwd=tmp_path)
    [row] = rows(tmp_path / "r.csv")
    assert (row["split"], f"{row['conversations']} conversations read: {row['conversations']} hard" in done.stdout) == (
        "all",
        True,
    )
    none = toologue("bench", "tooltalk", "--agent", "top_api", "--split", "train", cwd=tmp_path)
    assert (none.returncode, "no split is called 'train'" in none.stderr) == (2, True)


def test_a_published_conversation_says_which_calls_are_missing(made: tuple[Path, Done]) -> None:
    """As one that is graded as fixed does: who called nothing shows nothing else."""
    found = results(made[0] / "r.json")[0]["conversations"]
    silent = [one for one in found if one["status"] == "failed" and not one["calls"]]
    assert silent
    for one in found:
        assert len(one["missing"]) == one["metrics"]["ground_truths"] - one["metrics"]["matches"]
    assert {"turn_index", "api_name", "arguments"} == silent[0]["missing"][0].keys()


def test_tooldial_has_intervals_of_its_accuracies(tmp_path: Path) -> None:
    write(tmp_path / "labelled.jsonl", suite())
    command = ("bench", "tooldial", "--data", "labelled.jsonl", "--agent", "gold", "--labels", "none", "--csv", "r.csv")
    done = toologue(*command, cwd=tmp_path)
    [row] = rows(tmp_path / "r.csv")
    low = f"{100 * float(row['dialogue right low']):.1f}"
    assert f"100.0 %  {low}–100.0" in done.stdout
    assert sum("100.0 %  " in line for line in done.stdout.split("F1 of each action")[0].splitlines()) >= 4
