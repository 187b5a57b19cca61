"""Whole commands, as a new user types them: what comes out, where it goes, which status, which message."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from inspect import signature
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest

from command import toologue
from toologue.bench.tooltalk import load
from toologue.cli.bench import bench
from toologue.cli.exchange import export
from toologue.cli.generate import chains as generate_chains
from toologue.cli.graph import build
from toologue.cli.options import Talks
from toologue.cli.plan import chains as plan_chains
from toologue.cli.plan import paths
from toologue.cli.review import quality, review
from toologue.formats.tooldial import Labels, Task
from toologue.formats.training import ExportName
from toologue.judge.quality import VOTES
from toologue.plan.api_graph.edges import MOST
from toologue.plan.api_graph.rules import RulesName
from toologue.plan.procedures.paths import Goal
from toologue.plan.procedures.plan_dialogue import Sampler
from toologue.project.ablation import GenerationMode
from toologue.schema import RECORDS, Dialogue, QuestionKind, Trace
from toologue.schema.jsonl import read, write
from toologue.text.names import KnowRule

QUICKSTART = Path(__file__).parents[2] / "docs" / "quickstart.md"


def started(*arguments: object, cwd: Path) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "toologue", *map(str, arguments)]
    return subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "160"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def dialogues(tmp_path: Path) -> Path:
    file = tmp_path / "dialogues.jsonl"
    write(file, load()[:4])
    return file


def test_the_demo_shows_a_table_and_writes_a_page(tmp_path: Path) -> None:
    done = toologue("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "conversation correct" in done.stdout
    assert "look first, procedure_careless:" in done.stdout
    assert "".join(done.stdout.splitlines(keepends=True)[:4]) in QUICKSTART.read_text()
    found = re.findall(r"^(procedure\w*) .* (\d+) of (\d+) conversations pass", done.stdout, re.M)
    shares = {agent: int(passed) / int(of) for agent, passed, of in found}
    assert shares["procedure"] > 0.85, "nearly all, as docs/quickstart.md says"
    assert shares["procedure_careless"] < 2 / 3 * shares["procedure"], "far fewer"
    assert ("look first, procedure:" in done.stdout) == (shares["procedure"] < 1), "it says which fail, and why"
    assert "it fails where it mishears a value" in done.stdout
    page = (tmp_path / "toologue-demo" / "report.html").read_text()
    assert "order-not-received.md" in page
    again = toologue("demo", cwd=tmp_path)
    assert (again.returncode, "conversations       0 made" in again.stdout) == (0, True), again.stderr
    assert (tmp_path / "toologue-demo" / "report.html").read_text() == page


@pytest.mark.parametrize(
    ("line", "shown"), [("tools", "extra_write"), ("chains", "user turn right"), ("programs", "teacher-forced match")]
)
def test_the_demo_shows_each_line_and_what_to_type_next(tmp_path: Path, line: str, shown: str) -> None:
    done = toologue("demo", "--line", line, "-o", "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout
    assert f"demo --line {line}" in (tmp_path / "demo" / "report.html").read_text()
    assert "next: toologue " in done.stdout + done.stderr


def test_a_run_is_graded_again_where_what_was_graded_is_another(tmp_path: Path, dialogues: Path) -> None:
    toologue("run", dialogues, "--agent", "gold", "-o", "gold", cwd=tmp_path)
    shown = toologue("score", "gold", cwd=tmp_path).stdout
    scores = tmp_path / "gold" / "scores.jsonl"
    whole = scores.read_bytes()
    scores.write_bytes(whole[: whole.index(b"\n") + 1])  # a line is left
    assert (toologue("score", "gold", cwd=tmp_path).stdout, scores.read_bytes()) == (shown, whole)
    about = json.loads((tmp_path / "gold" / "scores.json").read_bytes())
    assert about["grader"].keys() == {"toologue", "rules", "similarity"}
    assert toologue("score", "gold", "--again", cwd=tmp_path).stdout == shown


def test_run_score_report(tmp_path: Path, dialogues: Path) -> None:
    assert toologue("run", dialogues, "--agent", "gold", "-o", "gold", cwd=tmp_path).returncode == 0
    assert toologue("run", dialogues, "--agent", "altered:drop", "-o", "drop", cwd=tmp_path).returncode == 0
    scored = toologue("score", "gold", cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    summary = json.loads((tmp_path / "gold" / "scores.json").read_text())
    assert summary["similarity"]["name"] == "lexical"
    assert {total["metric"]: total["value"] for total in summary["totals"]}["success"] == 1.0
    made = toologue("report", "gold", "drop", "--html", "page.html", "--junit", "junit.xml", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "altered:drop" in (tmp_path / "page.html").read_text()
    assert "<failure" in (tmp_path / "junit.xml").read_text()


def test_bench_grades_predictions_and_writes_json(tmp_path: Path) -> None:
    line = {"name": "alarms-before-six", "predictions": [{"turn_index": 1, "calls": [], "note": "ignored"}], "by": "me"}
    (tmp_path / "mine.jsonl").write_text(json.dumps(line) + "\n")
    done = toologue("bench", "tooltalk", "--predictions", "mine.jsonl", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    assert (result["mode"], result["similarity"]["name"]) == ("fixed", "lexical")
    assert result["totals"]["all"]["unscored"] == len(load()) - 1
    by_name = {record["name"]: record for record in result["conversations"]}
    assert by_name["alarms-before-six"]["metrics"]["recall"] == 0.0
    assert by_name["swap-thursday-shift"]["metrics"] is None


@pytest.mark.parametrize("mode", ["fixed", "published"])
def test_bench_gold_is_perfect_in_both_modes(tmp_path: Path, mode: str) -> None:
    done = toologue("bench", "tooltalk", "--agent", "gold", "--mode", mode, "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["mode"] == mode
    assert result["totals"]["all"]["scores"]["success"]["value"] == 1.0


def test_bench_shows_agents_beside_each_other(tmp_path: Path) -> None:
    agents = ["--agent", "gold", "--agent", "top_api", "--json", "out.json", "--html", "page.html"]
    done = toologue("bench", "tooltalk", *agents, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    gold, top_api = json.loads((tmp_path / "out.json").read_text())
    assert (gold["agent"], top_api["agent"]) == ("gold", "top_api")
    best, other = (one["totals"]["easy"]["scores"]["recall"]["value"] for one in (gold, top_api))
    assert best == 1.0 > other > 0.0
    page = (tmp_path / "page.html").read_text()
    assert all(name in page for name in ("gold", "top_api"))
    again = "toologue bench tooltalk --agent gold --agent top_api --html page.html"
    assert f"<code>{again}</code>" in page


def test_prove_gold_and_altered(tmp_path: Path, dialogues: Path) -> None:
    done = toologue("prove", "tooltalk", "--gold", cwd=tmp_path)
    assert (done.returncode, f"100.0% of {len(load())}" in done.stdout) == (0, True)
    done = toologue("prove", "tooltalk", "--json", "proof.json", cwd=tmp_path)
    rows = json.loads((tmp_path / "proof.json").read_text())["alterations"]
    assert [row["kind"] for row in rows if row["wrong"] and not row["took"]] == []
    assert [row["kind"] for row in rows if row["missed"]] == []
    assert [row["kind"] for row in rows if row["unsure"] > row["took"] / 3] == []
    assert toologue("prove", dialogues, "--gold", cwd=tmp_path).returncode == 0


def test_prove_fails_where_gold_fails(tmp_path: Path) -> None:
    gold = load()[0]
    acts = next(turn for turn in gold.turns if turn.role == "agent" and turn.acts)
    call = acts.acts[0]
    assert call.kind == "call"
    wrong = acts.replace(acts=(call.replace(api="NoSuchTool"),))
    broken = gold.replace(turns=tuple(wrong if turn is acts else turn for turn in gold.turns))
    write(tmp_path / "broken.jsonl", [broken])
    done = toologue("prove", "broken.jsonl", "--gold", cwd=tmp_path)
    assert (done.returncode, "gold fails" in done.stdout) == (1, True)


def test_list_names_everything_and_prints_the_schema(tmp_path: Path) -> None:
    assert "gold" in toologue("list", cwd=tmp_path).stdout
    schema = json.loads(toologue("list", "schema", cwd=tmp_path).stdout)
    assert len(schema["oneOf"]) == len(RECORDS)
    assert "Dialogue" in schema["$defs"]


def leaves(hint: object) -> set[object]:
    """What all choices of a type come to."""
    return {leaf for part in get_args(hint) for leaf in leaves(part)} if get_args(hint) else {hint}


@pytest.mark.parametrize(
    ("command", "option", "choices"),
    [
        (bench, "labels", Labels),
        (bench, "task", Task),
        (export, "to", ExportName),
        (build, "rules", RulesName),
        (generate_chains, "rules", RulesName),
        (plan_chains, "know", KnowRule),
        (paths, "goal", Goal),
        (paths, "sampler", Sampler),
        (Talks, "mode", GenerationMode),
        (review, "kind", QuestionKind),
    ],
)
def test_a_command_offers_what_its_room_knows(command: Any, option: str, choices: Any) -> None:
    """Commands repeat the choices, so that their help need not load the room."""
    assert leaves(get_type_hints(command)[option]) - {NoneType} == leaves(choices)


def test_defaults_are_those_of_the_rooms() -> None:
    assert signature(build).parameters["most"].default == MOST
    assert signature(quality).parameters["votes"].default == VOTES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "Unknown command"),
        (["bench", "tooltalk"], "give --agent, once or several times, or --predictions"),
        (["bench", "toltalk", "--agent", "gold"], "did you mean 'tooltalk'?"),
        (["bench", "tooltalk", "--agent", "gould"], "did you mean 'gold'?"),
        (["bench", "tooltalk", "--agent", "gold", "--similarity", "exakt"], "did you mean 'exact'?"),
        (["bench", "tooltalk", "--agent", "gold", "--data", "nowhere"], "nowhere is no ToolTalk data folder"),
        (["bench", "tooltalk", "--agent", "no_such_module:agent"], "cannot load 'no_such_module:agent'"),
        (["bench", "tooltalk", "--predictions", "missing.jsonl"], "cannot read missing.jsonl"),
        (["bench", "tooltalk", "--agent", "gold", "--json", "/proc/nowhere/x.json"], "cannot write"),
        (["run", "missing.jsonl", "--agent", "gold", "-o", "out"], "cannot read missing.jsonl"),
        (["run", "empty.jsonl", "--agent", "gold", "-o", "out"], "empty.jsonl holds no record"),
        (["run", "torn.jsonl", "--agent", "gold", "-o", "out"], "torn.jsonl:1: $"),
        (["run", "silent.jsonl", "--agent", "gold", "-o", "out"], "no user turn"),
        (["run", "future.jsonl", "--agent", "gold", "-o", "out"], "expected 'dialogue/1'"),
        (["run", "good.jsonl", "--agent", "gold", "-o", "/proc/nowhere"], "cannot write /proc/nowhere"),
        (["score", "nowhere"], "nowhere is no run folder"),
        (["report"], "name at least one run folder"),
        (["prove", "toltalk"], "did you mean 'tooltalk'?"),
        (["list", "agents"], "did you mean 'agent'?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_says_what_to_do_and_exits_with_2(arguments: list[str], message: str, tmp_path: Path) -> None:
    write(tmp_path / "good.jsonl", load()[:1])
    good = (tmp_path / "good.jsonl").read_bytes()
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "torn.jsonl").write_bytes(good[:200] + b"\n" + good)
    (tmp_path / "silent.jsonl").write_bytes(
        b'{"format":"dialogue/1","id":"a","turns":[{"role":"agent","text":"hi"}]}\n'
    )
    (tmp_path / "future.jsonl").write_bytes(good.replace(b"dialogue/1", b"dialogue/9", 1))
    done = toologue(*arguments, cwd=tmp_path)
    said = " ".join((done.stdout + done.stderr).replace("│", " ").split())
    assert message in said
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_run_folder_of_another_configuration_is_refused(tmp_path: Path, dialogues: Path) -> None:
    assert toologue("run", dialogues, "--agent", "gold", "-o", "out", cwd=tmp_path).returncode == 0
    before = (tmp_path / "out" / "traces.jsonl").read_bytes()
    done = toologue("run", dialogues, "--agent", "gold", "--seed", "7", "-o", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert "seed: 0 there, 7 now" in done.stderr
    assert (tmp_path / "out" / "traces.jsonl").read_bytes() == before


SLOW = """
import asyncio
from toologue.schema import AgentTurn
class Slow:
    async def act(self, history, brief):
        await asyncio.sleep(0.05)
        return AgentTurn(text="yes")
agent = Slow()
"""


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path: Path, dialogues: Path) -> None:
    (tmp_path / "slow_agent.py").write_text(SLOW)
    command = ["run", dialogues, "--agent", "slow_agent:agent", "-o", "out", "--concurrency", "1"]
    running = started(*command, cwd=tmp_path)
    traces = tmp_path / "out" / "traces.jsonl"
    limit = time.monotonic() + 60
    while not (traces.exists() and traces.stat().st_size) and time.monotonic() < limit:
        os.sched_yield()
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "goes on where it stopped" in error
    again = started(*command, cwd=tmp_path)
    again.communicate(timeout=60)
    assert again.returncode == 0
    done = [trace.dialogue for trace in read(traces, Trace)]
    assert done == [dialogue.id for dialogue in read(dialogues, Dialogue)]
