"""The agent `json_action`: what a model is told, what its answers mean, and the names of what can go wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from almita_samples import APIS, EXACT, REFUND, SUITE, asks, does, says
from hypothesis import given
from hypothesis import strategies as st

from toologue.agents.agent import AgentSpec
from toologue.agents.llm.json_action import Answer, JsonAction, json_action_agent, parse_answer, prompt
from toologue.errors import BadSetting
from toologue.models.model import ModelFault, Reply, ScriptedModel
from toologue.run.runner import Settings, cases_of, run_all
from toologue.schema import AgentTurn, Brief, Call, Dialogue, Fault, Result, Trace, Usage
from toologue.score.steps import METRICS, steps
from toologue.worlds.world import documents_of

KNOWN = {api.name for api in APIS}
BRIEF = Brief(instructions="1. Ask for the number.", facts={"now": "2025-03-10", "open": {"from": 9}}, apis=APIS)
REPLY = '{"type": "reply", "parameters": {"text": "Hello."}}'
CALL = '{"type": "get_order", "parameters": {"order_id": 812}}'


def answered(gold: Dialogue) -> list[str]:
    """The gold's steps, as a model would write them."""
    return [
        json.dumps({"type": turn.acts[0].api, "parameters": turn.acts[0].arguments})
        if turn.acts
        else json.dumps({"type": "reply", "parameters": {"text": turn.text}})
        for turn in gold.turns
        if turn.role == "agent"
    ]


def lived(gold: Dialogue, model: ScriptedModel) -> Trace:
    """The trace of the agent over a model, under `next`."""
    it = AgentSpec("it", lambda case: JsonAction(model, seed=case.seed))
    (done,) = run_all(cases_of([gold], Settings(protocol="next"), documents_of(gold)), it)
    return done.trace


def first_step(answer: str | Reply) -> AgentTurn:
    """What the agent makes of an answer, where the gold calls get_order(order_id=812)."""
    script: list[Any] = [answer, *answered(REFUND)[1:]]
    turn = lived(REFUND, ScriptedModel(script)).turns[1]
    assert turn.role == "agent"
    return turn


class TestThePrompt:
    def test_the_system_message_holds_procedure_facts_and_apis(self) -> None:
        system, user = prompt(BRIEF, [asks("Hi")])
        assert (system["role"], user["role"]) == ("system", "user")
        assert '1. Ask for the number.\n\nnow: 2025-03-10\nopen: {"from": 9}' in system["content"]
        shown = [json.loads(line) for line in system["content"].splitlines() if line.startswith('{"name"')]
        assert [api["name"] for api in shown] == [api.name for api in APIS]
        assert shown[0]["parameters"] == {"order_id": {"type": "integer", "required": True}}
        assert shown[2]["parameters"]["reason"]["required"] is False

    def test_the_conversation_is_json_a_line(self) -> None:
        failed = does("get_order", Fault(type="not_found", message="no order 7"), order_id=7)
        _, user = prompt(BRIEF, [says("Welcome!"), asks("My order\n{}"), failed, AgentTurn(), says("Not there.")])
        assert [json.loads(line) for line in user["content"].splitlines()] == [
            {"role": "assistant", "content": "Welcome!"},
            {"role": "user", "content": "My order\n{}"},
            {"role": "action", "type": "get_order", "parameters": {"order_id": 7}},
            {"role": "output", "content": {"error": {"type": "not_found", "message": "no order 7"}}},
            {"role": "assistant", "content": "Not there."},
        ]

    def test_an_action_without_a_result_and_one_that_did_not_parse(self) -> None:
        broken = AgentTurn(
            acts=(Call(api="get_order", arguments=None, raw="[7]"), Call(api="a")), results=(None, Result())
        )
        _, user = prompt(BRIEF, [asks("?"), does("get_order", order_id=7), broken])
        assert [json.loads(line) for line in user["content"].splitlines()][1:] == [
            {"role": "action", "type": "get_order", "parameters": {"order_id": 7}},
            {"role": "action", "type": "get_order", "parameters": "[7]"},
            {"role": "action", "type": "a", "parameters": {}},
            {"role": "output", "content": None},
        ]

    def test_a_brief_without_anything(self) -> None:
        system, user = prompt(Brief(), [])
        assert "(There is none: help as far as the actions allow.)" in system["content"]
        assert "(There are none.)" in system["content"]
        assert user["content"] == ""

    def test_what_procedures_say_is_no_template(self) -> None:
        system, _ = prompt(Brief(instructions="Say <actions> and <procedure> and \\1."), [])
        assert "Say <actions> and <procedure> and \\1." in system["content"]

    def test_the_model_is_told_nothing_of_the_gold(self) -> None:
        model = ScriptedModel(answered(REFUND))
        lived(REFUND, model)
        assert len(model.asked) == 4
        assert "R-5501" not in "".join(message["content"] for message in model.asked[2].messages)
        assert {asked.seed for asked in model.asked} != {None}


class TestAnswers:
    def test_a_reply(self) -> None:
        assert parse_answer(REPLY, KNOWN) == Answer(text="Hello.")

    def test_an_action(self) -> None:
        assert parse_answer(CALL, KNOWN) == Answer(call=Call(api="get_order", arguments={"order_id": 812}))

    def test_no_parameters_are_none_given(self) -> None:
        assert parse_answer('{"type": "get_order"}', KNOWN).call == Call(api="get_order", arguments={})

    @pytest.mark.parametrize(
        ("answer", "notes"),
        [
            (f"Here you are:\n```json\n{CALL}\n```", ("prose around",)),
            (f"{CALL} Anything else?", ("prose around",)),
            ("{'type': 'get_order', 'parameters': {'order_id': 812}}", ("single quotes",)),
            ("OK: {'type': \"get_order\", 'parameters': {'order_id': 812,},}", ("prose around", "single quotes")),
            (f"I fill in {{order_id}}: {CALL}", ("prose around",)),
            (f"\n {CALL}\n", ()),
        ],
    )
    def test_what_is_tolerated_is_noted(self, answer: str, notes: tuple[str, ...]) -> None:
        assert parse_answer(answer, KNOWN) == Answer(
            call=Call(api="get_order", arguments={"order_id": 812}), notes=notes
        )

    def test_lines_in_a_text_need_no_escape(self) -> None:
        assert parse_answer('{"type": "reply", "parameters": {"text": "a\nb"}}', KNOWN) == Answer(text="a\nb")

    @pytest.mark.parametrize(
        ("answer", "problem"),
        [
            ("", "no_json"),
            ("I'll look it up.", "no_json"),
            ('{"type": "reply"', "no_json"),
            ('["reply"]', "no_json"),
            (f"{CALL}{CALL}", "several_objects"),
            (f"First {CALL}, then {REPLY}", "several_objects"),
            ("{}", "unknown_action"),
            ('{"type": 7}', "unknown_action"),
            ('{"type": ""}', "unknown_action"),
            ('{"type": "reply"}', "reply_without_text"),
            ('{"type": "reply", "parameters": {"text": " "}}', "reply_without_text"),
            ('{"type": "reply", "parameters": {"text": 7}}', "reply_without_text"),
            ('{"type": "reply", "parameters": "Hello."}', "parameters_not_object"),
        ],
    )
    def test_what_is_no_step_is_an_error_by_name(self, answer: str, problem: str) -> None:
        step = parse_answer(answer, KNOWN)
        assert (step.text, step.call, step.problem) == (None, None, problem)
        turn = first_step(answer)
        assert turn.error is not None
        assert (turn.error.type, turn.text, turn.acts) == (problem, None, ())
        assert turn.extra["answer"] == {"problem": problem, "notes": list(step.notes), "text": answer}

    @pytest.mark.parametrize(
        ("answer", "problem", "call"),
        [
            (
                '{"type": "fly", "parameters": {"to": "Rome"}}',
                "unknown_action",
                Call(api="fly", arguments={"to": "Rome"}),
            ),
            (
                '{"type": "get_order", "parameters": [812]}',
                "parameters_not_object",
                Call(api="get_order", arguments=None, raw="[812]"),
            ),
            ('{"type": "fly", "parameters": "x"}', "unknown_action", Call(api="fly", arguments=None, raw='"x"')),
        ],
    )
    def test_what_can_be_called_is_called_and_named(self, answer: str, problem: str, call: Call) -> None:
        turn = first_step(answer)
        assert (turn.error, turn.acts) == (None, (call,))
        assert turn.extra["answer"] == {"problem": problem, "notes": [], "text": answer}

    def test_a_long_answer_is_kept_whole(self) -> None:
        turn = first_step("no " * 340_000)
        assert (turn.error and turn.error.type) == "no_json"
        assert len(turn.extra["answer"]["text"]) == 1_020_000

    PIECES = st.lists(st.sampled_from([*"{}[]\"',: \\", "type", "reply", "parameters", "text", "get_order", "7", "\n"]))

    @given(st.text(max_size=40) | PIECES.map("".join))
    def test_every_answer_is_a_step_or_has_a_problem(self, answer: str) -> None:
        step = parse_answer(answer, KNOWN)
        assert (step.text is not None) + (step.call is not None) + (step.problem is not None) >= 1
        assert step.text is None or (step.call is None and step.problem is None)


class TestTheAgent:
    @pytest.mark.parametrize("gold", SUITE, ids=lambda d: d.id)
    def test_a_model_that_knows_the_gold_gets_everything(self, gold: Dialogue) -> None:
        opening = gold.turns[0].role == "agent"
        scores = steps(gold, lived(gold, ScriptedModel(answered(gold)[opening:])), EXACT)
        assert {scores[name].value for name in METRICS} == {1.0}

    def test_an_answer_that_is_no_step_is_a_wrong_step(self) -> None:
        model = ScriptedModel(["Let me see.", *answered(REFUND)[1:]])
        scores = steps(REFUND, lived(REFUND, model), EXACT)
        assert (scores["API recall"].counts, scores["no answer"].counts["hits"]) == ({"hits": 1, "of": 2}, 1)

    def test_an_unknown_action_is_a_call_of_the_wrong_api(self) -> None:
        model = ScriptedModel(['{"type": "fly"}', *answered(REFUND)[1:]])
        scores = steps(REFUND, lived(REFUND, model), EXACT)
        assert (scores["API recall"].value, scores["correct API"].value) == (1.0, 0.5)

    def test_what_a_turn_carries(self) -> None:
        usage = Usage(input_tokens=9, output_tokens=3)
        turn = first_step(Reply(text=CALL, usage=usage, thought="Look it up.", model="m-1"))
        assert (turn.usage, turn.thought) == (usage, "Look it up.")
        assert turn.extra == {"reply": {"model": "m-1", "finish": "stop", "tries": 1}}

    def test_a_model_that_gives_no_reply_leaves_the_conversation_unscored(self) -> None:
        model = ScriptedModel([ModelFault("rate_limited", "slow down", status=429), *answered(REFUND)[1:]])
        trace = lived(REFUND, model)
        assert trace.turns[1].role == "agent"
        assert trace.turns[1].error == Fault(
            type="rate_limited", message="slow down, status 429 (lower the concurrency, or wait)"
        )
        assert steps(REFUND, trace, EXACT)["test correct"].why == "the model gave no reply: rate_limited"

    def test_half_a_character_does_not_stop_a_run(self) -> None:
        turn = first_step('{"type": "reply", "parameters": {"text": "a\\ud800"}}')
        assert turn.text == "a\ufffd"

    def test_a_player_needs_a_model(self) -> None:
        assert json_action_agent("almita_samples:ECHO").name == "json_action:almita_samples:ECHO"
        with pytest.raises(BadSetting, match="the agent 'json_action' needs a model: json_action:openai:NAME"):
            json_action_agent("")
