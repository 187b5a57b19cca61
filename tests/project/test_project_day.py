"""A team's day from an empty folder, command by command: an agent behind an endpoint that fails now and then."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from project_samples import APIS, PROCEDURE, ROWS

from command import Done, toologue
from tests.language_models.fake_endpoint import Answer, Endpoint, Request, refuses, says, serving
from tests.review.review_samples import decisions, typed

pytest.importorskip("pty")

SETTINGS = """
apis = "apis/openapi.yaml"
seed = "seed/rows.yaml"
conversations = {{count = 6, noise = 0, detours = 0}}
agents.old = {{spec = "openai:old?base_url={url}", options = {{tries = 1}}}}
agents.new = {{spec = "openai:new?base_url={url}", options = {{tries = 1}}}}
"""
FUNCTION = """
from toologue import evaluate
def agent(messages, tools):
    return "What is the number of the locker?"
print(evaluate(agent, "lockers")["success"].value)
"""
OBJECT = """
from toologue import AgentTurn, evaluate
class Agent:
    async def act(self, history, brief): return AgentTurn(text="What is the number of the locker?")
print(evaluate(Agent(), "lockers")["success"].value)
"""
NAME = """
from toologue import evaluate
report = evaluate("new", "lockers")
report.save("report.html")
print(report["success"].value, report.failed)
"""
TEST = """
import pytest

@pytest.mark.toologue("../lockers")
def test_it_asks_first(conversation):
    assert conversation.play("new").trace.turns[1].text
"""


class Team:
    """A model behind an endpoint, `old` or `new`, of whose replies every sixth is a fault; and a day with it."""

    def __init__(self, home: Path):
        self.home, self.chance, self.broken, self.asked = home, random.Random(4), True, list[str]()

    def __call__(self, request: Request) -> Answer:
        if self.broken and self.chance.random() < 1 / 6:
            return refuses(500, "busy")
        self.asked.append(json.dumps(request.body["messages"]))
        last, model = request.messages[-1], request.body["model"]
        number = re.findall(r"L-\d\d", str(request.messages))
        if last["role"] != "tool":
            known = re.search(r"L-\d\d", last["content"])
            asks = "What is the number of the locker?"
            return says(None, ("get_locker", {"locker_id": known.group()})) if known else says(asks)
        if "error" in last["content"]:
            return says(f"There is no {number[-1]}.")
        if "open" in last["content"] or model == "old":
            return says(f"{number[-1]} is open already.")
        return says(f"A colleague comes to open {number[-1]}.")

    def toologue(self, *words: object) -> Done:
        return toologue(*words, cwd=self.home)

    def python(self, *words: str, where: str = "") -> str:
        """Another process, in a folder."""
        ran = subprocess.run(
            [sys.executable, *words], cwd=self.home / where, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    monkeypatch.setenv("TOOLOGUE_REQUESTS", "allowed")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # what others installed takes time
    (made := Team(tmp_path)).home.joinpath("elsewhere").mkdir()
    with serving(made) as served:
        _begin(made, served)
        yield made


def _begin(team: Team, served: Endpoint) -> None:
    """`toologue init`, and files of one's own in the place of those that it made."""
    assert team.toologue("init", "lockers").returncode == 0
    lockers = team.home / "lockers"
    for file in (lockers / "procedures").iterdir():
        file.unlink()
    (lockers / "procedures/locker.md").write_text(PROCEDURE)
    (lockers / "apis/openapi.yaml").write_text(APIS)
    (lockers / "seed/rows.yaml").write_text(ROWS)
    (lockers / "toologue.toml").write_text(SETTINGS.format(url=served.url))


def test_a_day(team: Team) -> None:
    """Run, run again what faults spoilt, review, keep a baseline, compare, test elsewhere, evaluate."""
    ends = list[int]()
    while not ends or ends[-1] == 3:  # what a fault spoilt has no verdict, and the same command runs it again
        ends.append(team.toologue("test", "lockers", "--agent", "old").returncode)
    assert len(ends) > 1
    asked = len(team.asked)
    tested = team.toologue("test", "lockers", "--agent", "old").stdout
    assert "0 run, 4 kept       3 of 4 conversations pass, 1 unsure" in tested
    assert len(team.asked) == asked

    # A person settles what is unsure; every later figure knows it.
    assert typed("r2", "review", team.home / "lockers", "--as", "ana")[0] == 0
    assert [one.verdict for one in decisions(team.home / "lockers/reviews/ana.jsonl")] == ["wrong"]
    tested = team.toologue("test", "lockers", "--agent", "old", "--fail-under", "0.9")
    assert (tested.returncode, "3 of 4 conversations pass\n" in tested.stdout) == (1, True)
    assert " by ana" in tested.stdout

    # The baseline is what the first agent of toologue.toml does; another version stands beside it.
    assert team.toologue("compare", "lockers", "--set").returncode == 0
    while (tested := team.toologue("test", "lockers", "--agent", "new", "--html", "new.html")).returncode == 3:
        pass
    assert "1 mended" in tested.stdout
    new, old = sorted(team.home.glob("lockers/.toologue/runs/*"))
    compared = team.toologue("compare", old, new, "--fail-on-regression")
    assert (compared.returncode, "mended: 1" in compared.stdout) == (0, True)
    assert team.toologue("compare", new, old, "--fail-on-regression").returncode == 1

    # In another repository the same conversations are tests, in two workers; and five lines of Python are enough.
    team.broken = False
    elsewhere = team.home / "elsewhere"
    elsewhere.joinpath("test_lockers.py").write_text(TEST)
    plain = ("-m", "pytest", "-p", "xdist.plugin", "-p", "toologue.pytest_plugin", "-q", "-n", "2")
    said = team.python(*plain, "test_lockers.py", "../lockers", "--toologue-agent", "new", where="elsewhere")
    assert "8 passed" in said
    for script, success in ((FUNCTION, "0.33"), (OBJECT, "0.33"), (NAME, "1.0 []")):
        assert team.python("-c", script).startswith(success), script
    assert "100.0" in (team.home / "report.html").read_text()
