"""The baseline: what became of the first agent's conversations, kept in the project and compared with every run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project_samples import AGENT, project

from command import Done, toologue
from toologue.project.evaluate import BASELINE


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A project of which a run was kept as the baseline."""
    folder = project(tmp_path / "mine")
    assert toologue("test", folder, cwd=tmp_path).returncode == 0
    done = toologue("compare", folder, "--set", cwd=tmp_path)
    assert done.returncode == 0
    return folder


def test_has_a_line_a_conversation(kept: Path) -> None:
    lines = [json.loads(line) for line in (kept / BASELINE).read_text().splitlines()]
    assert len({line["dialogue"] for line in lines}) == len(lines) >= 3
    assert {line["agent"] for line in lines} == {"agent.py:agent"}
    assert all(line["grader"] and line["toologue"] for line in lines)


def test_nothing_differs_where_nothing_changed(kept: Path) -> None:
    assert "since the baseline: nothing differs" in toologue("test", kept, cwd=kept).stdout
    done = toologue("compare", kept, "--fail-on-regression", cwd=kept)
    assert done.returncode == 0
    assert "broke" not in done.stdout


def test_a_test_names_what_broke_and_compare_says_where(kept: Path) -> None:
    (kept / "agent.py").write_text(
        AGENT.replace('" if "open"', ' Bye." if "open"').replace("get_locker", "get_lockers")
    )
    tested = toologue("test", kept, cwd=kept).stdout
    assert "broke; conversation correct -100.0" in tested
    assert "broke: " in tested
    done = toologue("compare", kept, "--fail-on-regression", "--json", "c.json", cwd=kept)
    assert done.returncode == 1
    assert "by step: locker.md:" in done.stdout
    assert "by procedure: locker" in done.stdout
    told = json.loads((kept / "c.json").read_text())
    assert told["regressed"]
    assert told["before"] == "baseline, agent.py:agent"


def test_some_conversations_are_compared_with_what_the_same_were_before(kept: Path) -> None:
    chosen = json.loads((kept / BASELINE).read_text().splitlines()[0])["dialogue"]
    (kept / "agent.py").write_text(AGENT.replace("get_locker", "get_lockers"))
    tested = toologue("test", kept, "--only", chosen, cwd=kept).stdout
    assert "since the baseline" in tested
    assert f"broke: {chosen}" in tested
    assert "gone" not in tested
    (kept / "agent.py").write_text(AGENT + "# mended\n")
    again = toologue("test", kept, "--only", chosen, cwd=kept).stdout
    assert "since the baseline: nothing differs" in again


def test_an_agent_that_was_not_run_since_it_changed_is_to_be_run_first(kept: Path) -> None:
    (kept / "agent.py").write_text(AGENT + "\n# changed\n")
    done: Done = toologue("compare", kept, cwd=kept)
    assert done.returncode == 2
    assert f"agent.py:agent was not run as it is now: toologue test {kept}" in done.stderr


def test_a_baseline_of_another_grader_is_refused_and_test_goes_on(kept: Path) -> None:
    lines = [
        json.loads(line) | {"grader": "0" * 16, "toologue": "0.0.1"}
        for line in (kept / BASELINE).read_text().splitlines()
    ]
    (kept / BASELINE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = toologue("compare", kept, cwd=kept)
    assert done.returncode == 2
    assert "was graded by toologue 0.0.1, now it is" in done.stderr
    assert f"toologue compare {kept} --set" in done.stderr
    tested = toologue("test", kept, cwd=kept)
    assert tested.returncode == 0
    assert "cannot be graded anew" in tested.stdout


def test_a_project_without_one_says_how_to_keep_it(tmp_path: Path) -> None:
    folder = project(tmp_path / "mine")
    assert "baseline" not in toologue("test", folder, cwd=tmp_path).stdout
    done = toologue("compare", folder, cwd=tmp_path)
    assert done.returncode == 2
    assert f"toologue compare {folder} --set keeps the last run" in done.stderr
