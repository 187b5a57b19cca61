"""The nouns: frozen values that come back from JSON as they went."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from pydantic import ValidationError

import noun_strategies as some
from toologue import keys
from toologue.schema import (
    RECORDS,
    AgentTurn,
    Api,
    Call,
    Dialogue,
    Fault,
    Parameter,
    Program,
    Result,
    Retrieve,
    UserTurn,
    invocations,
    place,
    rounds,
)
from toologue.schema.jsonl import line_of, parse


@given(some.records)
def test_every_record_comes_back_from_its_line(record):
    line = line_of(record)
    again = parse(line, type(record))
    assert again == record
    assert again.key == record.key
    assert line_of(again) == line


@given(some.records)
def test_a_line_is_one_line_and_names_its_format(record):
    line = line_of(record)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line)["format"] == type(record).model_fields["format"].default


@given(some.dialogues)
def test_json_keeps_what_tells_kinds_apart(dialogue):
    for turn in json.loads(line_of(dialogue))["turns"]:
        assert turn["role"] in ("user", "agent")
        assert all(act["kind"] in ("call", "retrieve", "program") for act in turn.get("acts", []))


@pytest.mark.parametrize("noun", RECORDS, ids=lambda noun: noun.__name__)
def test_every_record_has_a_versioned_format_and_a_json_schema(noun):
    assert noun.model_fields["format"].default == f"{noun.__name__.lower()}/1"
    assert noun.model_json_schema()["additionalProperties"] is False


def test_arguments_that_did_not_parse_are_kept_apart_from_none_at_all():
    unparsed = Call(api="AddAlarm", arguments=None, raw='{"time": ')
    line = line_of(AgentTurn(acts=(unparsed, Call(api="AddAlarm"))))
    assert parse(line, AgentTurn).acts == (unparsed, Call(api="AddAlarm", arguments={}))


@given(some.agent_turns(), some.texts)
def test_but_changes_some_fields_of_a_copy(turn, text):
    before = line_of(turn)
    changed = turn.replace(text=text)
    assert changed.text == text
    assert changed == turn.model_copy(update={"text": text})
    assert line_of(turn) == before


@given(some.dialogues, some.names)
def test_but_does_not_carry_the_key_along(dialogue, id):
    assert dialogue.key  # computed, hence cached
    assert dialogue.replace(id=id).key == parse(line_of(dialogue.replace(id=id)), Dialogue).key


def test_nouns_are_frozen_and_know_their_keys():
    turn = UserTurn(text="Hi")
    with pytest.raises(ValidationError, match="frozen"):
        turn.text = "Bye"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Extra inputs"):
        UserTurn(text="Hi", mood="good")  # type: ignore[call-arg]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), {1, 2}, object(), b"bytes"])
def test_values_are_json_and_finite(bad):
    with pytest.raises(ValidationError):
        Result(value=[{"deep": bad}])


@given(some.objects)
def test_a_noun_owns_its_values(arguments):
    given_to = json.loads(json.dumps(arguments))
    call = Call(api="Add", arguments=given_to)
    given_to["more"] = 1
    assert call.arguments == arguments


def test_results_answer_acts_one_by_one():
    with pytest.raises(ValidationError, match="1 results for 2 acts: give one each, None for a draft"):
        AgentTurn(acts=(Call(api="A"), Call(api="B")), results=(Result(),))


def test_a_dialogue_needs_somebody_to_answer():
    with pytest.raises(ValidationError, match="no user turn"):
        Dialogue(id="d", turns=(AgentTurn(text="Hello?"),))


def test_the_schema_of_a_parameter_is_written_under_its_own_name():
    api = Api(name="Add", parameters={"at": Parameter(json_schema={"type": "string"})})
    assert json.loads(line_of(api))["parameters"]["at"]["schema"] == {"type": "string"}


def drafting(status="drafting"):
    return Program(goal="1", status=status, code="pass")


@pytest.mark.parametrize(
    ("turn", "yields"),
    [
        (AgentTurn(text="Done."), True),
        (AgentTurn(), True),
        (AgentTurn(text=""), True),
        (AgentTurn(acts=(Call(api="A"),)), False),
        (AgentTurn(text="One moment.", acts=(Call(api="A"),)), False),
        (AgentTurn(acts=(Retrieve(query="alarm"),)), False),
        (AgentTurn(text="Like this?", acts=(drafting(),)), True),
        (AgentTurn(acts=(drafting(),)), False),
        (AgentTurn(text="Run.", acts=(drafting("final"),)), False),
        (AgentTurn(text="Never mind.", acts=(drafting("abandoned"),)), True),
        (AgentTurn(acts=(Call(api="A"),), error=Fault(type="timeout")), True),
    ],
)
def test_the_floor_returns_when_nothing_is_left_to_execute(turn, yields):
    assert turn.yields is yields


@given(some.shapes)
def test_rounds_cut_turns_without_losing_any(turns):
    cut = list(rounds(turns))
    assert tuple(turn for said, did in cut for turn in (*said, *did)) == turns
    assert all(said for said, _ in cut[1:])
    assert all(did for _, did in cut[:-1])


@given(some.shapes)
def test_invocations_point_at_the_acts_that_were_executed(turns):
    everything = list(invocations(turns, opening=True))
    assert len(everything) == sum(r is not None for turn in turns if turn.role == "agent" for r in turn.results)
    for invocation in everything:
        turn = turns[invocation.turn]
        assert (turn.acts[invocation.slot], turn.results[invocation.slot]) == (invocation.act, invocation.result)
    opening = sum(1 for _ in everything) - sum(1 for _ in invocations(turns))
    first = next(rounds(turns), None)
    said_first = first is None or bool(first.said)
    assert (opening == 0) or not said_first


@given(some.shapes)
def test_place_counts_as_rounds_do(turns):
    history = (UserTurn(text="Hi"), *turns)
    number, taken = place(history)
    cut = list(rounds(history))
    assert (number, taken) == (len(cut) - 1, len(cut[-1].did))


@given(some.traces)
def test_keys_are_those_of_the_content(trace):
    assert trace.key == keys.content_key(json.loads(line_of(trace)))
