"""The flat text: the order of its lines, what its samples hide, and what models write back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tooldial_samples import APIS, FAIL, TWO, dialogue, suite

from toologue.formats.literals import value_of
from toologue.formats.tooldial import state_json
from toologue.formats.tooldial_text import (
    ACTIONS,
    LABELS,
    TASKS,
    lines,
    overall_lines,
    published_state,
    read_action,
    read_state,
    read_step,
    samples,
)
from toologue.loop import strip_labels
from toologue.schema import State

STATE = {"api_confirmed": "true", "api_status": {"api_name": "A", "required_parameters": {"p": "it's"}}}
FULL = state_json(State(api="A", required={"p": "x"}))


def kinds(sequence: str, *, overall: bool = False, many: bool = False) -> list[list[str]]:
    """The kinds of lines, turn by turn."""
    found: dict[int, list[str]] = {}
    for line in (overall_lines if overall else lines)(dialogue(sequence, many=many).turns, APIS):
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


def test_the_overall_text_says_the_state_first_and_before_each_message() -> None:
    assert kinds("IC R RQ I C RS UB SB", overall=True) == [
        ["user", "system"],
        ["state", "thought", "action", "observation"],
        ["thought", "action", "observation", "state", "message"],
        ["user", "system"],
        ["state", "thought", "action", "observation"],
        ["thought", "action", "observation", "state", "message"],
        ["user", "system"],
        ["state", "thought", "action", "observation", "state", "message"],
    ]
    texts = [line.text for line in overall_lines(dialogue(FAIL).turns, APIS)]
    assert texts[5].startswith("- Observation: {'retriever_status': {'retriever_call': 'true'")
    assert texts[8] == "- Observation: {}"


def test_hidden_labels_have_no_lines() -> None:
    gold = dialogue(TWO[0])
    shown = [strip_labels(turn, frozenset(("action",))) for turn in gold.turns]
    assert {line.kind for line in lines(shown)} == {"user", "system", "action", "status", "message", "result"}


def test_published_documents_show_what_comes_next() -> None:
    gold = dialogue("IC R RQ I C RS UB SB")
    asked = dialogue("IV R CL IA R C RS UB SB")
    full, oracle = (
        [line.text for line in lines(gold.turns, APIS, oracle=oracle) if line.kind == "documents"]
        for oracle in (False, True)
    )
    assert "'offset'" in full[0]
    assert "'offset'" in oracle[0]  # it is asked for
    word = [line.text for line in lines(asked.turns, APIS, oracle=True) if line.kind == "documents"]
    assert "'word'" in word[0]


@pytest.mark.parametrize("labels", LABELS)
def test_samples_hide_the_labels_of_their_task_and_no_others(labels: str) -> None:
    gold = dialogue(TWO[1], many=True)
    states = list(samples(gold, "dst", labels, APIS))  # type: ignore[arg-type]
    assert len(states) == 7
    assert ("- Dialogue State:" in states[-1].prompt) == (labels == "gold")
    assert "- Thought:" in states[-1].prompt
    assert "- Action:" in states[-1].prompt
    acts = list(samples(gold, "action", labels, APIS))  # type: ignore[arg-type]
    assert [one.label for one in acts] == [turn.action for turn in gold.turns if turn.role == "agent"]
    assert ("- Action:" in acts[-1].prompt) == (labels == "gold")
    assert "- Thought:" not in acts[-1].prompt
    assert "- Dialogue State:" in acts[-1].prompt


def test_samples_of_responses_and_rounds() -> None:
    gold = dialogue(TWO[0])
    (reply,) = samples(gold, "faithfulness", "none", APIS)
    assert reply.prompt.endswith("- Retriever status: {'retriever_call': 'false', 'retrieved_api': 'none'}")
    assert "- Action:response" in reply.prompt
    assert not list(samples(dialogue(FAIL), "faithfulness", "none", APIS))
    rounds = list(samples(gold, "overall", "none", APIS))
    assert all(one.prompt.endswith("System:") for one in rounds)
    assert rounds[0].label == {  # type: ignore[comparison-overlap]
        "states": [state_json(State()), state_json(gold.turns[2].state)],  # type: ignore[union-attr]
        "actions": ["retriever_call", "request"],
    }


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


def test_states_as_the_published_code_reads_them() -> None:
    assert published_state("nothing") is None
    assert published_state(str(FULL)) == FULL
    assert published_state(str(STATE)) == {"foo": "bar"}  # an apostrophe in a value
    assert read_state(str(STATE)).value == STATE
    assert published_state("{1} and {2}") == {"foo": "bar"}


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
    for read in (read_state, read_action, read_step, published_state):
        read(text)
    assert (read_state(text).problem is None) <= (read_state(text).value is not None)
    assert read_action(text).value in (None, *ACTIONS)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=6), st.lists, max_leaves=4))
def test_any_value_survives_the_text(value: object) -> None:
    state = State(api="A", required={"p": value})  # type: ignore[dict-item]
    assert read_state(f"- Dialogue State: {state_json(state)}").value == state_json(state)


def test_the_tasks() -> None:
    assert TASKS == ("dst", "action", "faithfulness", "overall")
