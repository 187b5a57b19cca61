"""Dialogue states: which values are the same, which errors a wrong state has, and the sums of the published tables."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tooldial_samples import APIS, TWO, dialogue, lived, predicted

from toologue.formats.tooldial import state_json
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Dialogue, State, UserTurn
from toologue.score.metric import totals
from toologue.score.states import (
    ACCURACY,
    ERRORS,
    METRICS,
    error_kinds,
    labelled,
    same_value,
    scores_of,
    state_tests,
    states,
)

EXACT = TextMatch.of("exact")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
LABEL = State(api="A|b|c", required={"team": "Hammarby", "round": 22}, optional={"detail": ""})
FALSE = state_json(State())


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [
        ("-1.5", "15", False),
        (-1.5, 15, False),
        ("Åre", "re", False),
        ("서울", "부산", False),
        ("서울", "", False),
        ("서울", "서울", True),
        (5, "5", True),
        (5.0, "5", True),
        ("5.0", 5, True),
        ("007", "7", False),
        ("1,500", 1500, True),
        ("New  York", "new york", True),
        ("New York", "newyork", False),
        ('"7 days."', "7 Days", True),
        (True, "true", True),
        (True, 1, False),
        (["a", "b"], ["b", "a"], False),
        (["a", 1], "['a', '1']", True),
        ({"x": 1}, {"X": "1"}, False),
        ("ﬁve", "five", True),
        (None, "", True),
        ("2025-05-22", "22 May 2025", True),
        ("2025-05-22", "23 May 2025", False),
        ("2025-05-22 to 2025-05-24", "22 May 2025", False),
    ],
)
def test_which_values_are_the_same(one: Any, other: Any, right: bool) -> None:
    assert same_value(one, other) == right
    assert same_value(other, one) == right


def test_documented_types_decide() -> None:
    assert same_value("007", 7, {"type": "integer"})
    assert not same_value("1.0", "1", {"type": "string"})
    assert same_value("1.0", "1", {"type": "number"})
    assert same_value("[1, 2]", [1, 2], {"type": "array", "items": {"type": "integer"}})
    assert not same_value("[1]", [1], {"type": "string"})


@given(JSON)
def test_a_value_is_the_same_as_itself(value: Any) -> None:
    assert same_value(value, value)


@given(JSON, JSON)
def test_sameness_has_no_direction(one: Any, other: Any) -> None:
    assert same_value(one, other) == same_value(other, one)


def test_empty_optional_slots_say_nothing() -> None:
    without = state_json(LABEL.replace(optional={}))
    assert not error_kinds(LABEL, without)[0]
    swapped = state_json(State(api="A|b|c ", required={"round": "22", "team": "hammarby"}, optional={"speed": None}))
    assert not error_kinds(LABEL, swapped)[0]
    assert error_kinds(LABEL, state_json(LABEL.replace(required={"team": "Hammarby"})))[0]
    assert error_kinds(LABEL, state_json(LABEL.replace(optional={"detail": "full"})))[0]


def said(**changes: Any) -> dict[str, Any]:
    value = state_json(LABEL)
    value["api_status"] |= changes
    return value


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        (None, ("generation",)),
        (FALSE, ("unconfirmed",)),
        ({"foo": "bar"}, ("format",)),
        ({"api_confirmed": "true", "api_status": "none"}, ("format",)),
        ({"api_confirmed": "false"}, ("unconfirmed",)),
        ({"api_confirmed": True, "api_status": {}}, ("format",)),
        (said(required_parameters={"team": "Hammarby"}), ("slot", "value")),
        (said(required_parameters={"round": 22, "team": "Hammarby"}), ()),
        (said(optional_parameters={"detail": "", "more": ""}), ()),
        (said(optional_parameters={"detail": "", "more": "1"}), ("slot",)),
        (said(required_parameters={"team": "AIK", "round": 22}), ("value",)),
        (said(api_name="Another"), ("other",)),
    ],
)
def test_kinds_of_errors(value: Any, kinds: tuple[str, ...]) -> None:
    assert error_kinds(LABEL, value)[0] == kinds


def test_a_state_that_should_not_be_confirmed() -> None:
    assert error_kinds(State(), {"foo": "bar"})[0] == ("format",)
    assert error_kinds(State(), state_json(LABEL))[0] == ("confirmed",)


def kinds_of(gold: Dialogue, instead: dict[int, AgentTurn]) -> list[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    tests = state_tests(gold, lived(gold, instead))
    return [(test.turn, test.errors, test.slots) for test in tests if not test.correct]


def test_one_of_several_results_is_taken_too_soon() -> None:
    """A.8, example 1: the retriever's chain gave two ids, and the agent takes one before the user has chosen."""
    gold = dialogue(TWO[1], many=True)
    (asks,) = [n for n, t in enumerate(gold.turns) if t.role == "agent" and "Which one" in (t.text or "")]
    turn = gold.turns[asks]
    assert isinstance(turn, AgentTurn)
    assert turn.state is not None
    early = turn.replace(state=turn.state.replace(required={**turn.state.required, "tournamentId": 4472}))
    assert kinds_of(gold, {asks: early}) == [(asks, ("value", "multi-result"), ("tournamentId",))]
    single = dialogue(TWO[1])
    later = [n for n, t in enumerate(single.turns) if t.role == "agent" and t.state and t.state.required.get("season")]
    wrong = single.turns[later[0]].replace(
        state=State(api=early.state.api, required={"tournamentId": 1, "season": "x"})
    )  # type: ignore[union-attr]
    ((_, errors, _),) = kinds_of(single, {later[0]: wrong})  # type: ignore[dict-item]
    assert "multi-result" not in errors
    assert "extraction" in errors


def test_a_value_of_the_first_request_is_overlooked() -> None:
    """A.8, example 2: the request came with the town, and the agent lists it as unknown."""
    gold = dialogue("IA R RQ I C RS UB SB")
    turn = gold.turns[2]
    assert isinstance(turn, AgentTurn)
    assert turn.state is not None
    blank = turn.replace(state=turn.state.replace(required={"town": ""}))
    assert kinds_of(gold, {2: blank}) == [(2, ("value", "intent-add"), ("town",))]
    untold = gold.replace(turns=(gold.turns[0].replace(informed={}), *gold.turns[1:]))  # as the paper's files have it
    assert kinds_of(untold, {2: blank}) == [(2, ("value", "intent-add"), ("town",))]


def test_tests_are_the_states_of_the_text() -> None:
    gold = dialogue("IC R RQ I C RS UB SB")
    assert [(turn, number) for turn, number, _ in labelled(gold)] == [(2, 1), (4, 2), (5, 2), (7, 3)]


def test_what_a_model_wrote_is_read() -> None:
    gold = Dialogue(
        id="d",
        turns=(
            UserTurn(text="Hi"),
            AgentTurn(text="!", action="request", state=State(api="A", required={"p": "it's"})),
        ),
    )
    trace = lived(gold, {1: predicted(str(state_json(gold.turns[1].state)))})  # type: ignore[union-attr]
    assert state_tests(gold, trace)[0].correct
    assert state_tests(gold, lived(gold, {1: AgentTurn(text="!")}))[0].errors == ("generation",)


def test_the_metric_adds_up() -> None:
    golds = [dialogue(one, id=one) for one in TWO[:3]]
    found = [states(gold, lived(gold, {2: AgentTurn()}), EXACT) for gold in golds]
    totalled = {total.metric: total for total in totals(s for scores in found for s in scores.values())}
    assert list(totalled) == list(METRICS)
    of = totalled[ACCURACY].counts["of"]
    assert totalled[ACCURACY].value == (of - 3) / of
    assert totalled["state error: generation"].counts == {"hits": 3, "of": of}
    at = found[0][ACCURACY].at[0]
    assert (at.turn, at.why) == (2, "generation")


def test_nothing_is_scored_elsewhere() -> None:
    gold = dialogue(TWO[0])
    assert states(gold, lived(gold).replace(protocol="forced"), EXACT) == {}
    bare = Dialogue(id="d", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
    assert states(bare, lived(bare), EXACT) == {}
    assert scores_of([], gold, lived(gold))[ACCURACY].value is None
    assert set(ERRORS) >= {"generation", "unconfirmed", "confirmed", "format", "slot", "value"}
    assert APIS
