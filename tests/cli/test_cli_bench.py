"""`toologue bench`: a part of its conversations, several agents in one folder under short names."""

from __future__ import annotations

import json
from pathlib import Path

from command import toologue
from toologue.bench.tooltalk import load

BOTH = ("--agent", "retrieve?name=mine", "--agent", "gold")


def names(file: Path) -> list[str]:
    """The conversations of results."""
    found = json.loads(file.read_text())
    return [one["name"] for one in (found if isinstance(found, dict) else found[0])["conversations"]]


def test_a_part_of_a_benchmark(tmp_path: Path) -> None:
    every = [gold.id for gold in load()]
    done = toologue("bench", "tooltalk", "--agent", "gold", "--limit", 3, "--json", "out.json", cwd=tmp_path)
    assert (done.returncode, names(tmp_path / "out.json")) == (0, every[:3])
    fits = [name for name in every if name.startswith("a")]
    command = ("bench", "tooltalk", "--agent", "gold", "--only", "a*", "--html", "page.html")
    toologue(*command, "--json", "out.json", cwd=tmp_path)
    assert names(tmp_path / "out.json") == fits
    assert "--only &#39;a*&#39;" in (tmp_path / "page.html").read_text(), "so it is made again"
    none = toologue("bench", "tooltalk", "--agent", "gold", "--only", "X*", cwd=tmp_path)
    assert (none.returncode, f"--only 'X*' takes none of {len(every)} conversations" in none.stderr) == (2, True)
    statistics = toologue("bench", "dialog2api", "--limit", 2, cwd=tmp_path).stdout
    assert statistics != toologue("bench", "dialog2api", cwd=tmp_path).stdout


def test_a_part_leaves_the_rest_of_a_kept_run_alone_and_can_be_what_failed(tmp_path: Path) -> None:
    mine = ("bench", "tooltalk", "--agent", "retrieve", "--out", "run")
    assert toologue(*mine, "--limit", 8, cwd=tmp_path).returncode == 0
    assert toologue(*mine, "--limit", 2, "--json", "two.json", cwd=tmp_path).returncode == 0
    assert len(names(tmp_path / "two.json")) == 2
    traces = (tmp_path / "run" / "traces.jsonl").read_bytes()
    assert traces.count(b"\n") == 8
    assert toologue("score", "run", cwd=tmp_path).returncode == 0
    failed = toologue(*mine[:-2], "--failed", "run", "--json", "failed.json", cwd=tmp_path)
    assert failed.returncode == 0, failed.stderr
    found = json.loads((tmp_path / "failed.json").read_text())["conversations"]
    assert {one["status"] for one in found} == {"failed"}
    assert 0 < len(found) < 8


def test_tables_of_the_set_are_printed_where_they_say_more_than_the_totals(tmp_path: Path) -> None:
    one = toologue("bench", "tooltalk", "--agent", "top_api", "--limit", 2, cwd=tmp_path)
    assert "unscored" not in one.stdout, "what is 0 of 0 has nothing to score"
    assert ("nothing to score in" in one.stdout, one.stdout.count("success  "), "%│" in one.stdout) == (True, 2, False)
    assert "top_api: what went wrong first" in one.stdout
    assert one.stdout.splitlines()[-1] == "next: the same with --html page.html: every conversation"
    both = toologue("bench", "tooltalk", "--agent", "gold", "--html", "page.html", cwd=tmp_path)
    assert ("hard" in both.stdout, both.stdout.splitlines()[-1]) == (True, "next: open page.html")


def test_predictions_of_more_conversations_than_are_graded(tmp_path: Path) -> None:
    lines = [json.dumps({"name": gold.id, "predictions": []}) for gold in load()]
    (tmp_path / "mine.jsonl").write_text("\n".join(lines))
    command = ("bench", "tooltalk", "--predictions", "mine.jsonl", "--limit", 2, "--json", "out.json")
    done = toologue(*command, cwd=tmp_path)
    assert (done.returncode, done.stderr, len(names(tmp_path / "out.json"))) == (0, "", 2)


def test_several_agents_in_one_folder_under_short_names(tmp_path: Path) -> None:
    command = ("bench", "tooltalk", *BOTH, "--limit", 2, "--out", "kept", "--json", "out.json")
    done = toologue(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {"mine", "gold"}
    assert [one["agent"] for one in json.loads((tmp_path / "out.json").read_text())] == ["mine", "gold"]
    assert "?name=" not in done.stdout
    assert toologue(*command, cwd=tmp_path).stdout == done.stdout
    assert toologue("report", "kept/mine", "kept/gold", cwd=tmp_path).returncode == 0
    parts = toologue("bench", "dialog2api", "--limit", 1, *BOTH[2:], "--agent", "top_api", "--out", "two", cwd=tmp_path)
    assert parts.returncode == 0, parts.stderr
    assert (tmp_path / "two" / "gold" / "talk" / "run.json").exists()


def test_two_agents_of_one_name_are_refused(tmp_path: Path) -> None:
    twice = ("--agent", "gold?name=one", "--agent", "top_api?name=one")
    done = toologue("bench", "tooltalk", *twice, cwd=tmp_path)
    assert (done.returncode, "two agents are called 'one'" in done.stderr) == (2, True)
