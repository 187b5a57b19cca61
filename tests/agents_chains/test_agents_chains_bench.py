"""`retrieve` takes part in ToolDial: on conversations that were made offline, in all four tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agents_chains_samples import BANDS, DETAILS, SEARCH, SUPPLIES, turn_after
from hypothesis import given
from hypothesis import strategies as st

from noun_strategies import conversations, faults, objects, values
from toologue.bench.benchmark import evaluate
from toologue.bench.tooldial import TOOLDIAL, load
from toologue.bench.tooldial.tables import main_table
from toologue.project.chains import ChainMaking, make_chains
from toologue.schema import AgentTurn, Api, Call, Parameter, Result, State, Turn, UserTurn
from toologue.schema import Retrieve as Ask
from toologue.schema.jsonl import write
from toologue.score.metric import Total

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
THINGS = {"Travel": "hotel", "Food": "recipe", "Sports": "team", "Movies": "film", "Music": "concert", "Art": "museum"}


def documents(domain: str, thing: str) -> tuple[Api, Api]:
    """An Api that finds things by their town, and one that knows their details by their number."""
    key = f"{thing}Id"
    row = {"type": "object", "properties": {key: NUMBER, f"{thing}Name": TEXT}}
    found = {"type": "object", "properties": {"results": {"type": "array", "minItems": 2, "items": row}}}
    about = {"type": "object", "properties": {"founder": TEXT, "rating": {"type": "number"}}}
    city = {"city": Parameter(schema={**TEXT, "description": f"The city of the {thing}"})}
    number = {key: Parameter(schema={**NUMBER, "description": f"The id of the {thing}"})}
    search = {"name": f"{domain}|all {thing}s|Search {thing}s", "description": f"Search for a {thing} by its city."}
    details = {"name": f"{domain}|all {thing}s|Get {thing} details", "description": f"Get the details of a {thing}."}
    return (
        Api(**search, domain=domain, parameters=city, returns=found),
        Api(**details, domain=domain, parameters=number, returns=about),
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every figure of the paper's main table, for `retrieve`, by its name."""
    folder: Path = tmp_path_factory.mktemp("chains")
    write(folder / "tools.jsonl", [api for pair in THINGS.items() for api in documents(*pair)])
    make_chains([folder / "tools.jsonl"], folder / "set", ChainMaking(count=16, ratio=(1, 0, 0), most=1))
    golds = load(folder / "set")
    assert {str(gold.facts["retriever"]) for gold in golds} == {"{'confirm': 0.64, 'suggest': 0.4}"}
    table = main_table(evaluate(TOOLDIAL, golds, ["retrieve"]))
    found = {str(heading): [one.value for one in cells if isinstance(one, Total)] for heading, *cells in table.rows}
    return {heading: min(filter(None, values), default=0) for heading, values in found.items()}


@pytest.mark.parametrize("task", ["states", "actions", "grounded", "user turns"])
def test_it_does_well_on_plain_services(results: dict[str, Any], task: str) -> None:
    assert results[task] >= 0.9


names = st.sampled_from([SEARCH, DETAILS, "Unheard"])
asks = st.builds(Ask, query=st.text(max_size=20)) | st.builds(Ask, missing=st.tuples(names, st.text(max_size=5)))
found = st.builds(lambda score: Result(value={"retrieved": {SEARCH: score}}), st.floats(0, 1) | st.text())
given_back = st.none() | found | st.just(Result(value=SUPPLIES)) | st.builds(Result, value=values)
given_back |= st.builds(Result, error=faults)


@st.composite
def did(draw: Any) -> AgentTurn:
    acts = tuple(draw(st.lists(asks | st.builds(Call, api=names, arguments=st.none() | objects), max_size=2)))
    state = draw(st.none() | st.builds(State, api=st.none() | names, required=objects))
    text = draw(st.none() | st.sampled_from(["Which one, the city or the country?"]))
    return AgentTurn(text=text, acts=acts, results=tuple(draw(given_back) for _ in acts), state=state)


words = st.text(max_size=40) | st.sampled_from(
    ["Hotels, with Oslo as the city.", "No.", "Yes", "I don't know the city."]
)


@given(conversations(st.builds(UserTurn, text=words) | did()), st.just(BANDS) | values)
def test_any_history_has_a_next_turn(turns: list[Turn], bands: Any) -> None:
    """Whatever was said and found, and whatever the brief calls a retriever: one decision, is_labelled."""
    turn = turn_after(turns, facts={"retriever": bands})
    assert turn.action is not None
    assert turn.state is not None
    assert turn.thought
    assert bool(turn.acts) == (turn.action in ("call", "retriever_call")) == (turn.text is None)
