"""The paper's JSON: read, and what is said of files that are not; the paper's form and convention of states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tooldial_samples import SEQUENCES, TWO, dialogue, suite

from tests.tooldial_record import record_of
from toologue.errors import BadFile, BadRecord
from toologue.formats.tooldial import as_published, from_tooldial, read_tooldial, state_json, state_of, status_of
from toologue.schema import AgentTurn, Call, Result, Retrieve, State

FALSE = {"api_confirmed": "false", "api_status": "none"}
VALUES = st.one_of(st.text(max_size=8), st.integers(-99, 99), st.booleans(), st.lists(st.text(max_size=3), max_size=2))
STATES = st.builds(
    State,
    api=st.text(min_size=1, max_size=8),
    required=st.dictionaries(st.text(max_size=6), VALUES, max_size=3),
    optional=st.dictionaries(st.text(max_size=6), VALUES, max_size=3),
)


@pytest.mark.parametrize("gold", suite(), ids=lambda gold: gold.id)
def test_a_record_is_read_as_its_turns(gold: Any) -> None:
    read = from_tooldial(json.loads(json.dumps(record_of(gold))), id=gold.id)
    hidden = {"informed": {}}  # the paper has no such note
    assert read.turns == tuple(turn.replace(**hidden) if turn.role == "user" else turn for turn in gold.turns)
    assert read.origin["target"] == gold.origin["target"]
    assert read.facts == {"retriever": {"confirm": 0.6, "suggest": 0.5}, "states": "published"}


def test_the_papers_states_forget_the_api_while_one_is_looked_for_and_at_goodbye() -> None:
    known = State(api="A", required={"p": "x"})
    actions = ("retriever_call", "request", "call", "response", "clarify", "suggest", "response_fail", "system_bye")
    turns = [AgentTurn(text="Hm.", action=action, state=known) for action in actions]
    made = as_published(dialogue("IC R RQ I C RS UB SB").replace(turns=tuple(turns), facts={}))
    assert [turn.state for turn in made.turns if turn.role == "agent"] == [State(), *[known] * 3, *[State()] * 4]
    assert made.facts == {"states": "published"}
    assert as_published(made) == made


def test_the_three_forms_of_the_retriever_status() -> None:
    turns = [turn for turn in dialogue(TWO[0]).turns if turn.role == "agent"]
    found, none, chain = (status_of(turns[at]) for at in (0, 1, 2))
    assert next(iter(found["retrieved_api"].values())) == 0.72
    assert none == {"retriever_call": "false", "retrieved_api": "none"}
    source, why = chain["retrieved_api"]
    assert source == "Sports|leagues|Tournaments of a category"
    assert why.startswith("Output to procure input parameter tournamentId of Sports|leagues|Standings of a tournament")
    assert why.endswith(": data->id")


def system(**fields: Any) -> dict[str, Any]:
    return {"dialogue": [{"User": {"message": "Hi", "action": "inform"}}, {"System": {"action": "call", **fields}}]}


def test_what_is_read_of_what_others_wrote_otherwise() -> None:
    odd = system(message="", api_request="get it", retriever_status="none", dialogue_state={"api_status": 7}, mood="!")
    turn = from_tooldial(odd, id="odd").turns[1]
    assert isinstance(turn, AgentTurn)
    assert turn.acts == (Call(api="", arguments=None, raw="get it"),)
    assert turn.state is None


def test_the_retriever_names_an_output_for_each_parameter_that_a_row_fills() -> None:
    value = {"source": "Find|a|town", "output": "towns|lat", "target": "Sky", "parameter": "lat"}
    turn = AgentTurn(
        action="retriever_call",
        acts=(Retrieve(missing=("Sky", "lat")),),
        results=(Result(value={**value, "along": {"lon": "towns|lng"}}),),
    )
    source, *told = status_of(turn)["retrieved_api"]
    assert (source, told[1]) == ("Find|a|town", "Output to procure input parameter lon of Sky: towns->lng")
    read = from_tooldial(system(action="retriever_call", retriever_status=status_of(turn)), id="d").turns[1]
    assert isinstance(read, AgentTurn)
    assert (read.acts, read.results) == (turn.acts, turn.results)


def test_a_question_to_the_retriever_is_the_users_words() -> None:
    turn = dialogue("IC R RQ I C RS UB SB").turns[1]
    read = from_tooldial(record_of(dialogue("IC R RQ I C RS UB SB")), id="d").turns[1]
    assert isinstance(turn, AgentTurn)
    assert isinstance(read, AgentTurn)
    assert read.acts == turn.acts == (Retrieve(query="What will the weather be like where I am going?"),)


def test_documents_are_made_of_mock_data_and_states() -> None:
    read = from_tooldial(record_of(dialogue(TWO[0])), id="d")
    assert [api["name"] for api in read.extra["apis"]] == list(read.apis)  # type: ignore[index, union-attr]
    (table,) = [api for api in read.extra["apis"] if "Standings" in api["name"]]  # type: ignore[index, union-attr]
    assert {name: one["required"] for name, one in table["parameters"].items()} == {
        "tournamentId": True,
        "season": True,
        "detail": False,
    }


@given(STATES)
def test_states_survive(state: State) -> None:
    assert state_of(state_json(state)) == state
    assert state_of(state_json(State())) == State()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "has no api_confirmed"),
        ({"api_status": "none"}, "has no api_confirmed"),
        ({"api_confirmed": "true", "api_status": "none"}, "an API is confirmed"),
        ({"api_confirmed": "true", "api_status": {"api_name": "A", "required_parameters": {}}}, "an API is confirmed"),
    ],
)
def test_what_is_no_state_says_why(value: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        state_of(value)


def test_files_are_lists_or_lines(tmp_path: Path) -> None:
    records = [record_of(dialogue(one)) for one in SEQUENCES[:3]]
    listed, lined = tmp_path / "test.json", tmp_path / "lines.jsonl"
    listed.write_text(json.dumps(records), "utf-8")
    lined.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    assert [one.turns for one in read_tooldial(listed)] == [one.turns for one in read_tooldial(lined)]
    assert next(read_tooldial(listed)).id == "test-00000"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[{"dialogue": [{"User": {"message": 7}}]}]', r"\$\[0\]\.dialogue\[0\]\.User\.message"),
        ('[{"dialogue": [{"System": {"action": "dance"}}]}]', r"\$\[0\]\.dialogue\[0\]\.System\.action"),
        ('[{"dialogue": [{"Robot": {}}]}]', r"\$\[0\]\.dialogue\[0\]: expected a User or a System"),
        ('[{"turns": []}]', r"\$\[0\]\.dialogue: this key is missing"),
        ('[{"dialogue": []}]', r"nobody to answer"),
        ('{"dialogue": 7}\n', r"x\.json:1: \$\.dialogue"),
        ('[{"dialogue": [NaN]}]', r"Invalid JSON"),
        ("[{", r"Invalid JSON"),
    ],
)
def test_bad_files_say_where(tmp_path: Path, text: str, place: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(BadRecord, match=place):
        list(read_tooldial(file))


def test_an_empty_list_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(" []")
    with pytest.raises(BadFile, match="holds no dialogue"):
        list(read_tooldial(tmp_path / "x.json"))
