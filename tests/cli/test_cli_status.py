"""What the exit status says: 0 good, 1 a gate failed, 2 the user must act, 3 not all was scored or done, 4 unsure."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import toologue
from toologue.schema import AgentTurn, Dialogue, UserTurn
from toologue.schema.jsonl import write

MODELS = """
from toologue.models.model import ModelFault, ScriptedModel

refuses = ScriptedModel(lambda asked: ModelFault("unauthorized", "'mine' refused the request", status=401))
BUSY = ModelFault("server_error", "'mine' is busy", status=503)
tires = ScriptedModel(lambda asked: BUSY if "Bye" in str(asked.messages) else "Hi")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two conversations, of which one says Bye, and with models that give no reply."""
    for name in ("Hello", "Bye"):
        turns = (UserTurn(text=name), AgentTurn(text="Hi"))
        write(tmp_path / f"{name}.jsonl", [Dialogue(id=name, turns=turns)])
    both = (tmp_path / "Hello.jsonl").read_bytes() + (tmp_path / "Bye.jsonl").read_bytes()
    (tmp_path / "talks.jsonl").write_bytes(both)
    (tmp_path / "status_models.py").write_text(MODELS)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


NOT_SCORED = "1 of 2 conversations are not scored: the model gave no reply: server_error × 1"


def test_what_no_model_answered_is_named_and_counted_wherever_it_is_shown(folder: Path) -> None:
    agent = "function_calling:status_models:tires"
    ran = toologue("run", "talks.jsonl", "--agent", agent, "-o", "run", cwd=folder)
    again = toologue("run", "talks.jsonl", "--agent", agent, "-o", "run", cwd=folder)
    scored = toologue("score", "run", cwd=folder)
    reported = toologue("report", "run", cwd=folder)
    for done in (ran, again, scored, reported):
        assert done.returncode == 3
        assert f"{agent}: {NOT_SCORED}" in done.stdout
    assert ran.stderr == "agent: 2 requests, 1 without a reply (server_error); 0 tokens in, 0 out; price unknown\n"
    assert again.stderr == "agent: 1 request, 1 without a reply (server_error); 0 tokens in, 0 out; $0.00\n"


def test_a_run_whose_every_request_would_be_refused_stops_at_the_first_and_says_so(folder: Path) -> None:
    refused = "every further request would be refused as this one was: 'mine' refused the request, status 401"
    for command in (["bench", "tooltalk"], ["run", "talks.jsonl", "-o", "run", "--concurrency", "1"]):
        done = toologue(*command, "--agent", "function_calling:status_models:refuses", cwd=folder)
        assert done.returncode == 3
        assert refused in done.stderr
    assert len((folder / "run" / "traces.jsonl").read_text().splitlines()) == 1


def test_a_part_of_a_set_and_what_failed_in_it(folder: Path) -> None:
    gold = ["run", "talks.jsonl", "--agent", "gold", "-o", "gold"]
    assert "1 traces in" in toologue(*gold, "--only", "B*", cwd=folder).stdout
    assert "2 traces in" in toologue(*gold, "--limit", "1", cwd=folder).stdout, "beside what is there"
    assert toologue("score", "gold", cwd=folder).returncode == 0
    none = toologue(*gold, "--failed", "gold", cwd=folder)
    assert (none.returncode, "no conversation failed there" in none.stderr) == (2, True)
    wrong = toologue(*gold, "--only", "X*", cwd=folder)
    assert wrong.returncode == 2
    assert "--only 'X*' takes none of 2 conversations; the first is 'Hello'" in wrong.stderr


def test_several_agents_stand_beside_each_other_under_short_names(folder: Path) -> None:
    two = ["--agent", "gold?name=best", "--agent", "function_calling:status_models:tires&name=mine"]
    two[-1] = two[-1].replace("&", "?")
    done = toologue("run", "talks.jsonl", *two, "-o", "both", cwd=folder)
    assert {path.name for path in (folder / "both").iterdir()} == {"best", "mine"}
    assert "mine: 1 of 2 conversations are not scored" in done.stdout
    shown = toologue("report", "both/best", "both/mine", cwd=folder).stdout
    assert "best" in shown
    assert "?name=" not in shown


AGENTS = """
import os

def exits(history, tools):
    os._exit(0)
"""


def test_an_agent_that_ends_its_process_does_not_pass_the_gate(folder: Path) -> None:
    assert toologue("init", "shop", cwd=folder).returncode == 0
    (folder / "shop" / "agent.py").write_text(AGENTS)
    done = toologue("test", "shop", "--agent", "agent.py:exits", "--fail-under", "0.9", cwd=folder)
    assert done.returncode == 1, done.stderr
    assert "0 of " in done.stdout
    assert "gate NOT PASSED: harmless: 0.0 % (95 % interval 0.0 to 21.1), at least 90.0 % wanted" in done.stdout
    assert "at least 90.0 % wanted" in (folder / "shop" / "report.html").read_text()


def test_of_two_the_higher_applies(folder: Path) -> None:
    assert toologue("init", "shop", cwd=folder).returncode == 0
    model = "function_calling:status_models:refuses"
    done = toologue("test", "shop", "--agent", model, "--fail-under", "0.9", cwd=folder)
    assert done.returncode == 3
    assert "nothing was scored, at least 90.0 % wanted" in done.stdout
