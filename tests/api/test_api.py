"""`import toologue`: what docs/your-agent.md says, and what a user may do wrong."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import toologue
from toologue import AgentTurn, Brief, Dialogue, UserTurn, evaluate, evaluate_async, generate, load
from toologue.apis.tools import read_tools
from toologue.cli import status
from toologue.errors import BadSetting, Unfinished, UnknownName
from toologue.models.model import ScriptedModel
from toologue.schema import Call, Result, Turn
from toologue.schema.jsonl import write

HELLO = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello! How can I help you?")))
BYE = Dialogue(id="bye", turns=(UserTurn(text="That is all."), AgentTurn(text="Goodbye!")))
WORDS = {"Hi": "Hello! How can I help you?", "That is all.": "Goodbye!"}


def polite(messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> str:
    return WORDS[messages[-1]["content"]]


async def politely(messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> str:
    await asyncio.sleep(0)
    return polite(messages, tools)


class Polite:
    """An agent that notes on which loop it is asked."""

    def __init__(self) -> None:
        self.loops: set[object] = set()

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        self.loops.add(asyncio.get_running_loop())
        return AgentTurn(text=WORDS[history[-1].text or ""])


class TestNames:
    def test_are_at_most_25_and_each_is_on_the_page(self) -> None:
        page = Path(__file__, "../../../docs/your-agent.md").resolve().read_text()
        assert len(toologue.__all__) <= 25
        assert [name for name in toologue.__all__ if f"`{name}" not in page and f"import {name}" not in page] == []

    def test_are_all_there_and_no_other(self) -> None:
        assert all(getattr(toologue, name) for name in toologue.__all__)
        assert {*toologue.__all__} <= {*dir(toologue)}
        with pytest.raises(AttributeError, match="no attribute 'evaluates'"):
            _ = toologue.evaluates  # type: ignore[attr-defined]  # pyright: ignore


class TestAgents:
    @pytest.mark.parametrize(
        "agent",
        [polite, politely, Polite(), ScriptedModel(lambda asked: WORDS[asked.messages[-1]["content"]]), "gold"],
        ids=["function", "async function", "object", "model", "name"],
    )
    def test_of_all_kinds_are_tested(self, agent: Any) -> None:
        report = evaluate(agent, [HELLO, BYE])
        assert (report["success"].value, len(report.passed), report.failed) == (1.0, 2, [])

    def test_that_are_wrong_fail_and_say_why(self) -> None:
        report = evaluate(lambda messages, tools: {"name": "order", "arguments": {}}, [HELLO])
        (lost,) = report.failed
        assert report["success"].value == report["test correct"].value == 0
        assert lost.findings
        assert "Hi" in lost.transcript

    @pytest.mark.parametrize(("changes", "missed"), [({}, 0), ({"gates/G-1": {"open": False}}, 1)])
    def test_a_call_that_was_seen_to_change_the_world_writes(self, changes: dict[str, Any], missed: int) -> None:
        (close,) = read_tools([{"name": "close_gate", "inputSchema": {"properties": {"gate": {"type": "string"}}}}])
        call = Call(api="close_gate", arguments={"gate": "G-1"})
        done = AgentTurn(acts=(call,), results=(Result(value={"ok": True}, changes=changes),))
        said = UserTurn(text="Close gate G-1."), done, AgentTurn(text="It is closed.")
        gold = Dialogue(id="gate", turns=said, apis=("close_gate",), extra={"apis": [close.model_dump(mode="json")]})
        report = evaluate(lambda messages, tools: "It is closed.", [gold])
        assert report["missing write"].counts["hits"] == missed, (
            "what declares nothing, and changed nothing, only reads"
        )


class TestSuites:
    def test_a_benchmark_by_its_name(self) -> None:
        report = evaluate("retrieve", "tooltalk", limit=3)
        assert len(report.conversations) == report["success"].n == 3
        assert len(load("tooltalk")) > 20

    def test_a_file_and_a_part_of_it(self, tmp_path: Path) -> None:
        write(tmp_path / "talks.jsonl", [HELLO, BYE])
        report = evaluate(polite, tmp_path / "talks.jsonl", only=["b*"], trials=2)
        assert [one.trace.trial for one in report.passed] == [0, 1]
        assert {one.gold.id for one in report.conversations} == {"bye"}
        assert load(tmp_path / "talks.jsonl") == [HELLO, BYE]

    def test_a_project_is_shared_with_the_command(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert status(["init", "bikes"]) == 0
        report = evaluate("procedure", "bikes")
        assert status(["test", "bikes", "--agent", "procedure"]) in (0, 1)
        kept = next((tmp_path / "bikes/.toologue/runs").glob("procedure-*/times.jsonl"))
        assert len(kept.read_text().splitlines()) == len(report.conversations)
        assert report["success"].n == len(load("bikes"))

    def test_generated_ones(self) -> None:
        made = generate("return-an-item", count=2)
        report = evaluate("gold", made)
        assert report["success"].value == 1.0

    def test_that_are_none(self) -> None:
        with pytest.raises(UnknownName, match="tooltalkk"):
            evaluate(polite, "tooltalkk")
        with pytest.raises(BadSetting, match="limit=0: give 1 or more"):
            evaluate(polite, [HELLO], limit=0)
        with pytest.raises(BadSetting, match="trials=0: give 1 or more"):
            evaluate(polite, [HELLO], trials=0)
        with pytest.raises(BadSetting, match="there is no conversation in this suite"):
            evaluate(polite, [])
        with pytest.raises(BadSetting, match="`data` is where a benchmark's"):
            evaluate(polite, [HELLO], data="here")


class TestKept:
    def test_what_was_done_is_not_done_again(self, tmp_path: Path) -> None:
        first, second = Polite(), Polite()
        evaluate(first, [HELLO], out=tmp_path / "run")
        report = evaluate(second, [HELLO, BYE], out=tmp_path / "run")
        assert [one.status for one in report.conversations] == ["passed", "passed"]
        traces = (tmp_path / "run/traces.jsonl").read_text().splitlines()
        assert [json.loads(trace)["dialogue"] for trace in traces] == ["hello", "bye"]

    def test_a_page_junit_and_figures(self, tmp_path: Path) -> None:
        report = evaluate(polite, [HELLO])
        for ending in ("html", "xml", "json"):
            report.save(tmp_path / f"report.{ending}")
            assert (tmp_path / f"report.{ending}").stat().st_size > 100
        figures = json.loads((tmp_path / "report.json").read_text())
        assert [(one["id"], one["status"]) for one in figures["conversations"]] == [("hello", "passed")]
        assert "test correct" in str(report)
        with pytest.raises(BadSetting, match="ends in"):
            report.save(tmp_path / "report.pdf")


class TestLoops:
    def test_an_agent_is_asked_on_the_loop_that_waits(self) -> None:
        agent = Polite()

        async def asked() -> object:
            report = await evaluate_async(agent, [HELLO, BYE])
            assert report["success"].value == 1.0
            return asyncio.get_running_loop()

        assert agent.loops == {asyncio.run(asked())}

    def test_evaluate_names_it(self) -> None:
        async def asked() -> None:
            evaluate(polite, [HELLO])

        with pytest.raises(BadSetting, match="await toologue"):
            asyncio.run(asked())


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    """Agents of files are asked in processes; these do not run the script again."""
    write(tmp_path / "talks.jsonl", [HELLO])
    (tmp_path / "agent.py").write_text("def agent(messages, tools):\n    return 'Hello! How can I help you?'\n")
    script = "from toologue import evaluate\nprint(evaluate('agent.py:agent', 'talks.jsonl')['success'].value)\n"
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "1.0\n"


class TestChat:
    def test_remembers(self) -> None:
        talk = toologue.chat("retrieve", "assistant")
        assert talk.say("Which alarms are set?")
        assert talk.say("Thank you, that is all.")
        assert sum(turn.role == "user" for turn in talk.turns) >= 2

    def test_says_what_breaks(self) -> None:
        def broken(messages: Any, tools: Any) -> str:
            raise ValueError("no idea")

        with pytest.raises(Unfinished, match="ValueError: no idea"):
            toologue.chat(broken).say("Hi")
