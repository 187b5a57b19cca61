"""The flat text: the order of its lines, what its samples hide, and what models write back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tooldial_samples import APIS, TWO, dialogue, suite

from toologue.formats.literals import value_of
from toologue.formats.tooldial import (
    ACTIONS,
    TASKS,
    lines,
    read_action,
    read_state,
    read_step,
    state_json,
    steps,
)
from toologue.loop import strip_labels
from toologue.schema import AgentTurn, Api, Parameter, Result, Retrieve, State

STATE = {"api_confirmed": "true", "api_status": {"api_name": "A", "required_parameters": {"p": "it's"}}}
FULL = state_json(State(api="A", required={"p": "x"}))


def kinds(sequence: str, told: Any = lines) -> list[list[str]]:
    """The kinds of lines, turn by turn."""
    found: dict[int, list[str]] = {}
    for line in told(dialogue(sequence).turns, APIS):
        found.setdefault(line.turn, []).append(line.kind)
    return list(found.values())


def test_the_order_of_lines_in_a_request() -> None:
    assert kinds("IC R RQ I C RS UB SB") == [
        ["user", "system"],
        ["thought", "action", "status", "documents"],
        ["thought", "action", "status", "message", "state"],
        ["user", "system"],
        ["state", "thought", "action", "status", "result"],  # the state first, where a call answers the user
        ["thought", "action", "status", "message", "state"],
        ["user", "system"],
        ["thought", "action", "status", "message", "state"],
    ]


def test_a_call_in_mid_round_has_no_state_and_vague_requests_no_documents() -> None:
    assert kinds("IA R C RS UB SB")[2] == ["thought", "action", "status", "result"]
    vague = kinds("IV R CL IC R RQ I C RS UB SB")
    assert vague[1] == ["thought", "action", "status"]  # no score above 0.5
    assert "documents" in vague[4]


def test_steps_stand_as_they_are_answered_then_what_came_of_them() -> None:
    assert kinds("IC R RQ I C RS UB SB", told=steps) == [
        ["user", "system"],
        ["thought", "action", "state", "observation"],
        ["thought", "action", "state", "message"],
        ["user", "system"],
        ["thought", "action", "state", "observation"],
        ["thought", "action", "state", "message"],
        ["user", "system"],
        ["thought", "action", "state", "message"],
    ]


def test_a_step_of_the_history_is_read_as_an_answer_is() -> None:
    for gold in suite():
        told: dict[int, list[str]] = {}
        for line in steps(gold.turns, APIS):
            told.setdefault(line.turn, []).append(line.text)
        for at, turn in enumerate(gold.turns):
            if turn.role == "agent":
                step = read_step("\n".join(told[at]))
                assert (step.action.value, step.thought, step.message) == (turn.action, turn.thought, turn.text)
                assert step.state.value == state_json(turn.state)
                assert not step.state.notes  # JSON, and nothing to be tolerated


def test_documents_tell_types_choices_defaults_and_examples() -> None:
    kind = {"type": "string", "description": "how", "enum": ["a", "b"], "default": "a", "examples": ["b"], "x-odd": 1}
    api = Api(name="Sky", parameters={"mode": Parameter(schema=kind), "at": Parameter(schema={}, required=False)})
    turn = AgentTurn(acts=(Retrieve(query="?"),), results=(Result(value={"retrieved": {"Sky": 0.7, "Sea": 0.8}}),))
    (line,) = steps([turn], {"Sky": api})
    assert json.loads(line.text.removeprefix("- Observation: "))["api_documentation"] == [
        {
            "api_name": "Sky",
            "api_description": "",
            "required_parameters": [
                {
                    "input_parameter_name": "mode", "description": "how", "type": "string", "enum": ["a", "b"],
                    "default": "a", "examples": ["b"],
                }
            ],
            "optional_parameters": [{"input_parameter_name": "at", "description": ""}],
        }
    ]  # fmt: skip


def test_hidden_labels_have_no_lines() -> None:
    gold = dialogue(TWO[0])
    shown = [strip_labels(turn, frozenset(("action",))) for turn in gold.turns]
    assert {line.kind for line in lines(shown)} == {"user", "system", "action", "status", "message", "result"}


def test_every_labelled_state_is_read_back_from_the_text() -> None:
    for gold in suite():
        for line in lines(gold.turns, APIS):
            if line.kind == "state":
                assert value_of(line.text.partition(": ")[2]) == state_json(gold.turns[line.turn].state)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "problem", "notes"),
    [
        (json.dumps(FULL), None, ()),
        (str(FULL), None, ("python",)),
        (f"Here it is:\n```{json.dumps(FULL)}```", None, ("words around",)),
        ("", "no_braces", ()),
        ("nothing is confirmed", "no_braces", ()),
        ('{"api_confirmed": "true", ', "not_spelled", ()),
        ("{api_confirmed: yes}", "not_spelled", ()),
        (f"{json.dumps(FULL)} or {json.dumps(FULL)}", "several_objects", ()),
        ('{"state": "none"}', "no_state", ()),
        ("{'a': __import__('os').getcwd()}", "not_spelled", ()),
    ],
)
def test_states_that_models_write(text: str, problem: str | None, notes: tuple[str, ...]) -> None:
    answer = read_state(text)
    assert (answer.problem, answer.notes) == (problem, notes)


@pytest.mark.parametrize(
    ("text", "action", "problem"),
    [
        ("call", "call", None),
        ("Retriever call", "retriever_call", None),
        ("- Action: system_bye", "system_bye", None),
        ("RESPONSE FAIL.", "response_fail", None),
        ("The next action is: Request", "request", None),
        ("I would call the retriever_call", None, "several_actions"),
        ("recall", None, "unknown_action"),
        ("search", None, "unknown_action"),
        ("  ", None, "no_action"),
    ],
)
def test_actions_that_models_write(text: str, action: str | None, problem: str | None) -> None:
    answer = read_action(text)
    assert (answer.value, answer.problem) == (action, problem)


def test_steps_that_models_write() -> None:
    text = f"- Thought: I know.\n- Action: request\n- Dialogue State: {FULL}\n- Message: Which one?\nAnd when?\nUser: x"
    step = read_step(text)
    assert (step.action.value, step.state.value, step.thought) == ("request", FULL, "I know.")
    assert step.message == "Which one?\nAnd when?"
    assert "more than a step" in step.notes
    assert read_step("- Action: clarify").problem == "no_message"
    cut = read_step("- Action: call\n- Dialogue State: {}\n- Observation: {'call_result': 1}\n- Action: response")
    assert (cut.action.value, cut.notes[0]) == ("call", "more than a step")
    assert read_step("").problem == "no_action"


@given(st.text(alphabet=st.sampled_from("{}[]'\":,-acioneDgStaltM \n\\"), max_size=80) | st.text(max_size=80))
def test_reading_is_total(text: str) -> None:
    for read in (read_state, read_action, read_step):
        read(text)
    assert (read_state(text).problem is None) <= (read_state(text).value is not None)
    assert read_action(text).value in (None, *ACTIONS)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=6), st.lists, max_leaves=4))
def test_any_value_survives_the_text(value: object) -> None:
    state = State(api="A", required={"p": value})  # type: ignore[dict-item]
    assert read_state(f"- Dialogue State: {state_json(state)}").value == state_json(state)


def test_the_tasks() -> None:
    assert TASKS == ("dst", "action", "faithfulness", "overall")
