"""The function-calling agent: in the assistant's world, over real HTTP, through the runner and the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_endpoint import HANG, RESET, Answer, Endpoint, Request, Script, refuses, says

from toologue.agents.agent import AgentSpec, resolve_agent
from toologue.agents.llm.function_calling import FunctionCalling
from toologue.bench.benchmark import benchmark
from toologue.bench.tooltalk import load
from toologue.cli import status
from toologue.errors import BadSetting, Denied, UnknownName, UserError
from toologue.loop import play
from toologue.models.client import RemoteModel, Setup
from toologue.models.model import Model, ModelFault, Reply, ScriptedModel
from toologue.models.similarity import TextMatch
from toologue.run.runner import Finished, Limits, Settings, cases_of, grounded, run_all
from toologue.schema import AgentTurn, Brief, Call, Case, Dialogue, Fault, Setting, Trace, Usage, UserTurn
from toologue.schema.jsonl import line_of, parse, read, write
from toologue.score.calls import calls
from toologue.score.outcome import outcome
from toologue.worlds.assistant import apis

Start = Callable[[Script], Endpoint]
NOW = "2025-03-10 09:00:00"
FACTS = {"now": NOW, "location": "Lisbon", "username": "mreyes"}
SIX, SEVEN = (Call(api="AddAlarm", arguments={"time": f"0{hour}:00:00"}) for hour in (6, 7))
WAKE = grounded(
    Dialogue(
        id="wake-me",
        facts=FACTS,
        world=Setting(name="assistant", arguments={"user": "mreyes", "now": NOW, "logged_in": True}),
        turns=(
            UserTurn(text="Wake me at six and at seven."),
            AgentTurn(acts=(SIX, SEVEN)),
            AgentTurn(text="Your alarms are set."),
            UserTurn(text="Thanks."),
            AgentTurn(text="You're welcome."),
        ),
    )
)


def lived(
    who: AgentSpec | str = "openai:gpt-x?tries=1", protocol: Any = "recorded", limits: Limits | None = None
) -> Trace:
    """The one trace of an agent in the dialogue WAKE, as a file gives it back."""
    made = resolve_agent(who) if isinstance(who, str) else who
    finished = list[Finished]()
    with suppress(Denied):  # it is handed over first
        run_all(cases_of([WAKE], Settings(protocol=protocol)), made, finished.append, limits=limits or Limits())
    (done,) = finished
    assert parse(line_of(done.trace), Trace) == done.trace
    return done.trace


def turns(trace: Trace) -> list[AgentTurn]:
    return [turn for turn in trace.turns if turn.role == "agent"]


def fault_of(turn: AgentTurn) -> Fault:
    """The error of a turn, which has one."""
    assert turn.error is not None
    return turn.error


def refusal_of(turn: AgentTurn) -> Fault:
    """The error that the first act of a turn ended in."""
    assert turn.results[0] is not None
    assert turn.results[0].error is not None
    return turn.results[0].error


def with_model(model: Model) -> AgentSpec:
    return AgentSpec("it", lambda case: FunctionCalling(model))


class TestConversations:
    def test_parallel_calls_are_executed_and_their_results_told(self, endpoint: Start) -> None:
        six, seven = ("AddAlarm", SIX.arguments), ("AddAlarm", SEVEN.arguments)
        there = endpoint([says(None, six, seven), says("Both are set."), says("Sleep well.")])
        trace = lived()
        first, second, third = turns(trace)
        assert (trace.stop, trace.agent) == ("done", "openai:gpt-x?tries=1")
        assert first.acts == (SIX, SEVEN)
        assert [result.value for result in first.results if result] == [
            {"alarm_id": "5bff-dd80"},
            {"alarm_id": "20d0-d9ca"},
        ]
        assert (second.text, third.text) == ("Both are set.", "Sleep well.")
        assert calls(WAKE, trace, TextMatch.of("exact"))["success"].value == 1.0
        told = there.requests[1].messages
        assert [message["role"] for message in told] == ["system", "user", "assistant", "tool", "tool"]
        assert [call["id"] for call in told[2]["tool_calls"]] == [answer["tool_call_id"] for answer in told[3:]]
        assert [json.loads(answer["content"]) for answer in told[3:]] == [r.value for r in first.results if r]
        assert [m["content"] for m in there.requests[2].messages[-2:]] == ["Both are set.", "Thanks."]

    def test_the_request_holds_the_brief_and_nothing_of_the_gold(self, endpoint: Start) -> None:
        there = endpoint([says("Sorry?")])
        lived("function_calling:openai:gpt-x")
        system, user = there.requests[0].messages
        assert system["content"].startswith("You are an assistant. Use the tools to do what the user asks")
        assert system["content"].endswith(f"# What you know\nnow: {NOW}\nlocation: Lisbon\nusername: mreyes")
        assert user == {"role": "user", "content": "Wake me at six and at seven."}
        tools = {tool["function"]["name"]: tool["function"] for tool in there.requests[0].body["tools"]}
        assert tools.keys() == {api.name for api in apis()}
        assert tools["AddAlarm"]["parameters"]["required"] == ["time"]
        assert "required" not in tools["AddAlarm"]["parameters"]["properties"]["time"]

    def test_instructions_stand_in_what_it_is_told(self) -> None:
        model, facts = ScriptedModel(["x"]), {"now": "noon", "programs": {"object": "shop"}}
        brief = Brief(instructions="Refund nothing.", facts=facts)
        case = Case(id="x", gold=WAKE, brief=brief, protocol="recorded")
        play(case.replace(gold=Dialogue(id="x", turns=WAKE.turns[:3])), FunctionCalling(model))
        told = model.asked[0].messages[0]["content"]
        assert told.startswith("You talk with a customer, in a chat")
        assert "# Instructions\nRefund nothing.\n" in told
        assert told.endswith("# What you know\nnow: noon")

    def test_a_prompt_of_ones_own(self, endpoint: Start, tmp_path: Path) -> None:
        there, mine = endpoint([says("Sorry?")]), tmp_path / "mine.txt"
        mine.write_text("It is {{ known.now }} in {{ known.location }}.{{ known.mood }}\n{{ instructions }}")
        lived(f"openai:gpt-x?prompt={mine}&tries=1")
        assert there.requests[0].messages[0] == {"role": "system", "content": f"It is {NOW} in Lisbon."}

    def test_the_published_prompt_of_tooltalk(self, endpoint: Start) -> None:
        there = endpoint([says("Sorry?")])
        lived("openai:gpt-x?prompt=tooltalk")
        assert there.requests[0].messages[0]["content"].splitlines() == [
            "You are a helpful assistant. Here is some user data:",
            "location: Lisbon",
            f"timestamp: {NOW}",
            "username (if logged in): mreyes",
        ]

    @pytest.mark.parametrize(
        ("written", "told"),
        [
            (None, "there is no prompt '.*': name a file, or one that ships: function_calling, tooltalk"),
            ("{{ known.now", "line 1: this is no template: unexpected end"),
            ("{{ known.__class__.__mro__ }}", "the prompt cannot be filled: access to attribute '__class__'"),
        ],
    )
    def test_a_prompt_that_cannot_be_used_is_refused(
        self, endpoint: Start, written: str | None, told: str, tmp_path: Path
    ) -> None:
        there, mine = endpoint([says("x")]), tmp_path / "mine.txt"
        if written is not None:
            mine.write_text(written)
        with pytest.raises(UserError, match=told):
            lived(f"openai:gpt-x?prompt={mine}")
        assert not there.requests

    def test_a_tool_that_fails_is_told_so(self, endpoint: Start) -> None:
        there = endpoint([says(None, ("DeleteAlarm", {"alarm_id": "none-such"})), says("There is none.")])
        first = turns(lived())[0]
        told = json.loads(there.requests[1].messages[-1]["content"])
        assert told["error"] == {"type": refusal_of(first).type, "message": refusal_of(first).message}

    def test_a_tool_that_is_not_there_is_answered_by_the_world(self, endpoint: Start) -> None:
        there = endpoint([says(None, ("OrderPizza", {"size": "L"})), says("I cannot.")])
        first = turns(lived())[0]
        assert first.acts == (Call(api="OrderPizza", arguments={"size": "L"}),)
        assert refusal_of(first).message == "API OrderPizza not found"
        assert "API OrderPizza not found" in there.requests[1].messages[-1]["content"]

    @pytest.mark.parametrize("raw", ['{"time": "06:0', "[1, 2]", '"06:00:00"', "null", "", "six o'clock"])
    def test_arguments_that_are_no_object(self, raw: str, endpoint: Start) -> None:
        endpoint([says(None, ("AddAlarm", raw)), says("Sorry.")])
        first = turns(lived())[0]
        assert first.acts == (Call(api="AddAlarm", arguments=None, raw=raw),)
        assert refusal_of(first).type == "parse"

    def test_words_beside_calls(self, endpoint: Start) -> None:
        endpoint([says("One moment.", ("FindAlarms", {})), says("None.")])
        first = turns(lived())[0]
        assert (first.text, len(first.acts), first.yields) == ("One moment.", 1, False)

    def test_what_a_turn_carries(self, endpoint: Start) -> None:
        endpoint([says(None, ("FindAlarms", {}), usage=(100, 20)), says("No", usage=(130, 3), finish="length")])
        first, second, third = turns(lived())
        assert first.usage == Usage(input_tokens=100, output_tokens=20)
        assert first.extra == {"reply": {"model": "gpt-x-2025-01-01", "finish": "tool_calls", "tries": 1}}
        assert second.extra["reply"]["finish"] == "length"
        spent = [turn.usage for turn in (first, second, third) if turn.usage]
        assert (sum(u.input_tokens for u in spent), sum(u.output_tokens for u in spent)) == (360, 26)

    def test_asked_twice_it_asks_the_same(self, endpoint: Start) -> None:
        """An agent is a function of the conversation so far, and of its case's seed."""
        there = endpoint(lambda request: says("ok"))
        lived()
        lived()
        half = len(there.requests) // 2
        assert [r.body for r in there.requests[:half]] == [r.body for r in there.requests[half:]]
        assert there.requests[0].body["seed"] < 2**31

    def test_trials_have_seeds_of_their_own(self, endpoint: Start) -> None:
        there = endpoint([says("ok")])
        run_all(cases_of([WAKE], Settings(protocol="recorded", trials=3)), resolve_agent("openai:gpt-x"))
        assert len({request.body["seed"] for request in there.requests}) == 3

    def test_teacher_forcing_tells_the_gold_history(self, endpoint: Start) -> None:
        there = endpoint([says("No.")])
        lived(protocol="forced")
        told = there.requests[1].messages
        assert [message["content"] for message in told if message["role"] in ("user", "assistant")] == [
            "Wake me at six and at seven.", None, "Your alarms are set.", "Thanks.",
        ]  # fmt: skip


FAULTS = {
    "rate_limited": refuses(429, "slow down", after="0"),
    "quota_exceeded": refuses(429, "pay", code="insufficient_quota"),
    "server_error": refuses(500, "oops", after="0"),
    "connection": RESET,
    "bad_response": Answer(b"<html>garbage"),
    "unauthorized": refuses(401),
    "not_found": refuses(404),
    "too_long": refuses(400, code="context_length_exceeded"),
    "bad_request": refuses(400),
}
SHAPES = {"wrong shape": Answer({"answer": "Set."}), "empty choices": Answer({"id": "1", "choices": []})}


def silent(trace: Trace) -> bool:
    """Nothing was said or done, and nothing is scored: the fault is the reason."""
    fault = next(turn.error.type for turn in turns(trace) if turn.error)
    scores = {**calls(WAKE, trace, TextMatch.of("exact")), **outcome(WAKE, trace, TextMatch.of("exact"))}
    unsaid = all(turn.text is None and not turn.acts for turn in turns(trace) if turn.error)
    reasons = {(score.value, *score.counts, score.why) for score in scores.values()}
    return unsaid and len(scores) > 9 and reasons == {(None, f"the model gave no reply: {fault}")}


class TestFaults:
    @pytest.mark.parametrize(("type", "answer"), FAULTS.items(), ids=FAULTS)
    def test_each_is_named_in_the_trace(self, type: str, answer: Answer, endpoint: Start) -> None:
        endpoint([answer])
        trace = lived()
        (turn,) = turns(trace)
        assert (trace.stop, fault_of(turn).type) == ("error", type)
        assert "'gpt-x' at http://127.0.0.1:" in fault_of(turn).message
        assert turn.extra == {"reply": {"status": answer.status if answer.instead is None else None, "tries": 1}}
        assert silent(trace)

    @pytest.mark.parametrize("answer", SHAPES.values(), ids=SHAPES)
    def test_an_answer_without_a_reply(self, answer: Answer, endpoint: Start) -> None:
        endpoint([answer])
        trace = lived()
        error = fault_of(turns(trace)[0])
        assert error.type == "bad_response"
        assert json.dumps(answer.body) in error.message
        assert silent(trace)

    @pytest.mark.slow
    def test_an_endpoint_that_hangs(self, endpoint: Start) -> None:
        endpoint([HANG])
        trace = lived("openai:gpt-x?timeout=0.2")
        assert (trace.stop, fault_of(turns(trace)[0]).type) == ("error", "timeout")
        assert silent(trace)

    @pytest.mark.slow
    def test_a_case_that_is_out_of_time(self, endpoint: Start) -> None:
        """The limit of the case cuts a request off, too; the request does not hold the run up."""
        endpoint([HANG])
        trace = lived(limits=Limits(timeout=0.2))
        assert (trace.stop, fault_of(turns(trace)[0]).message) == ("timeout", "cut off after 0.2 s")
        assert calls(WAKE, trace, TextMatch.of("exact"))["success"].value == 0, "who sets a limit wants it to count"

    def test_a_limit_that_passes_is_not_seen_but_counted(self, endpoint: Start) -> None:
        there = endpoint([refuses(429, after="0"), refuses(429, after="0"), says("Good morning.")])
        first, _ = turns(lived("openai:gpt-x"))
        assert (first.text, first.error, len(there.requests)) == ("Good morning.", None, 4)
        assert first.extra["reply"]["tries"] == 3

    def test_a_limit_that_does_not(self, endpoint: Start) -> None:
        there = endpoint([refuses(429, "slow down", after="0")])
        (turn,) = turns(lived("openai:gpt-x?tries=3"))
        assert fault_of(turn).type == "rate_limited"
        assert "tried 3 times, status 429 (lower the concurrency, or wait): " in fault_of(turn).message
        assert (turn.extra["reply"], len(there.requests)) == ({"status": 429, "tries": 3}, 3)

    def test_a_fault_in_mid_conversation_leaves_what_was_done(self, endpoint: Start) -> None:
        endpoint([says(None, ("AddAlarm", SIX.arguments)), refuses(500, after="0")])
        trace = lived()
        first, second = turns(trace)
        assert (trace.stop, first.acts, fault_of(second).type) == ("error", (SIX,), "server_error")

    def test_nothing_more_is_asked_of_a_teacher_forced_conversation_and_it_is_not_scored(self, endpoint: Start) -> None:
        there = endpoint([refuses(500, after="0"), says("You're welcome.")])
        trace = lived(protocol="forced")
        (first,) = turns(trace)
        assert (trace.stop, fault_of(first).type, len(there.requests)) == ("error", "server_error", 1)
        assert silent(trace)

    def test_what_was_right_before_a_fault_is_not_scored_either(self, endpoint: Start) -> None:
        six, seven = ("AddAlarm", SIX.arguments), ("AddAlarm", SEVEN.arguments)
        endpoint([says(None, six, seven), says("Both are set."), refuses(400, code="context_length_exceeded")])
        trace = lived(protocol="forced")
        assert [turn.error and turn.error.type for turn in turns(trace)] == [None, None, "too_long"]
        assert silent(trace)

    def test_a_fault_of_any_model(self) -> None:
        trace = lived(with_model(ScriptedModel([ModelFault("timeout", "it slept", tries=2)])))
        error = fault_of(turns(trace)[0])
        assert error.type == "timeout"
        assert error.message == "it slept, tried 2 times (raise the option `timeout`)"

    def test_a_fault_of_the_agent_itself_is_scored(self) -> None:
        class Broken:
            async def act(self, history: Any, brief: Any) -> AgentTurn:
                raise KeyError("alarm")

        trace = lived(AgentSpec("broken", lambda case: Broken()))
        assert fault_of(turns(trace)[0]).type == "KeyError"
        assert calls(WAKE, trace, TextMatch.of("exact"))["recall"].value == 0

    def test_a_mistake_of_the_person_at_the_keyboard_stops_the_run(self) -> None:
        with pytest.raises(BadSetting, match="it was asked for more"):
            lived(with_model(ScriptedModel([])))

    def test_two_runs_at_once_do_not_mix(self, endpoint: Start) -> None:
        """Each conversation gets its own replies and its own faults."""

        def answer(request: Request) -> Answer:
            number = int(request.messages[1]["content"])
            return refuses(400, f"not {number}") if number % 3 == 0 else says(f"It is {number}.")

        endpoint(answer)
        many = [Dialogue(id=str(n), turns=(UserTurn(text=str(n)), AgentTurn(text=""))) for n in range(30)]
        for done in run_all(cases_of(many, Settings()), resolve_agent("openai:gpt-x")):
            turn, number = turns(done.trace)[0], int(done.trace.dialogue)
            if number % 3:
                assert turn.text == f"It is {number}."
            else:
                assert f"not {number}" in fault_of(turn).message


class TestNames:
    def test_the_short_form_is_the_long_one(self, endpoint: Start) -> None:
        endpoint([says("x")])
        assert resolve_agent("openai:gpt-x").name == "openai:gpt-x"
        assert resolve_agent("function_calling:openai:gpt-x").name == "function_calling:openai:gpt-x"
        assert not resolve_agent("openai:gpt-x").reads_gold

    def test_a_model_of_ones_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "some_models.py").write_text(
            "from toologue.models.model import ScriptedModel\nit = ScriptedModel(lambda asked: 'Mine.')\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        assert turns(lived("function_calling:some_models:it"))[0].text == "Mine."

    def test_an_agent_needs_a_model(self) -> None:
        with pytest.raises(BadSetting, match="needs a model: function_calling:openai:NAME"):
            resolve_agent("function_calling")
        with pytest.raises(UnknownName, match="no model is called 'opnai'; did you mean 'openai'"):
            resolve_agent("function_calling:opnai")

    def test_another_wait_and_another_model_need_no_name(self, endpoint: Start) -> None:
        endpoint([refuses(500), says("x")])
        model = RemoteModel("gpt-x", Setup(wait=0, temperature=0))
        assert turns(lived(with_model(model)))[0].text == "x"


class TestCommands:
    def test_run(self, endpoint: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        there = endpoint([says("ok")])
        write(tmp_path / "dialogues.jsonl", [WAKE])
        command = ["run", str(tmp_path / "dialogues.jsonl"), "-o", str(tmp_path / "run"), "--agent", "openai:gpt-x"]
        assert status(command) == 0, capsys.readouterr().err
        (trace,) = read(tmp_path / "run" / "traces.jsonl", Trace)
        assert [turn.text for turn in turns(trace)] == ["ok", "ok"]
        asked = len(there.requests)
        assert status(command) == 0
        assert len(there.requests) == asked, "a case whose trace is there is not asked again"

    def test_bench(
        self, endpoint: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Four of its conversations are enough here."""
        few = replace(benchmark("tooltalk"), load=lambda data: load(data)[:4])
        monkeypatch.setattr("toologue.bench.benchmark.benchmark", lambda name: few)
        endpoint([says("ok")])
        results = tmp_path / "results.json"
        assert status(["bench", "tooltalk", "--agent", "openai:gpt-x", "--json", str(results)]) == 0
        assert json.loads(results.read_text())["agent"] == "openai:gpt-x"
        assert "success" in capsys.readouterr().out

    @pytest.mark.parametrize("mode", ["fixed", "published"])
    def test_bench_leaves_conversations_without_a_reply_unscored(
        self, mode: str, endpoint: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
    ) -> None:
        """The endpoint answers in one of three conversations: the totals are those of that one. A key that is none is
        used but once.
        """
        few = replace(benchmark("tooltalk"), load=lambda data: load(data)[:3])
        monkeypatch.setattr("toologue.bench.benchmark.benchmark", lambda name: few)
        answered = next(turn.text for turn in load()[0].turns if turn.role == "user")

        def answer(request: Request) -> Answer:
            return says("ok") if request.messages[1]["content"] == answered else refuses(401)

        there, results = endpoint(answer), tmp_path / "results.json"
        command = ["bench", "tooltalk", "--agent", "openai:gpt-x", "--mode", mode, "--json", str(results)]
        assert status([*command, "--concurrency", "1"]) == 3
        assert sum(request.messages[1]["content"] != answered for request in there.requests) == 1
        printed, told = capsys.readouterr()
        assert "nothing more was asked" in told
        assert "2 unscored: the model gave no reply: unauthorized" in printed
        assert "2 unscored" in printed.partition("outcome" if mode == "fixed" else "success")[2]
        found = json.loads(results.read_text())
        total = found["totals"]["all"]
        assert (total["num_conversations"], total["unscored"]) == (3, 2)
        assert [c["metrics"] is None for c in found["conversations"]] == [False, True, True]
        assert {c["why"] for c in found["conversations"][1:]} == {"the model gave no reply: unauthorized"}
        assert total["scores"]["recall"]["counts"]["of"] == found["conversations"][0]["metrics"]["ground_truths"]

    def test_a_run_that_cannot_ask_anybody_writes_nothing(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write(tmp_path / "dialogues.jsonl", [WAKE])
        command = ["run", str(tmp_path / "dialogues.jsonl"), "-o", str(tmp_path / "run"), "--agent", "openai:gpt-x"]
        assert status(command) == 2
        assert "wants a key: set OPENAI_API_KEY" in capsys.readouterr().err
        assert not (tmp_path / "run").exists()


def test_a_reply_is_a_value() -> None:
    reply = Reply(text="x", calls=(SIX,), usage=Usage(input_tokens=1))
    assert Reply.model_validate_json(reply.model_dump_json()) == reply
