"""`verify_chain`: what valid conversations of the chains line look like, and that every way to spoil one is noticed."""

from __future__ import annotations

from random import Random

import pytest
from chains_verify_samples import APIS, CUP, RETRIEVER, SAMPLES, TABLE, WORLD, agent, state
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from corrupt_chain import CHAIN_CORRUPTIONS
from toologue.plan.chains.sequences import GRAPH, SEQUENCES
from toologue.schema import AgentTurn, Api, Call, Dialogue, Parameter, Result, State, UserTurn
from toologue.verify import Flaw
from toologue.verify.chains import verify_chain
from toologue.verify.chains.path import FOLLOWS
from toologue.verify.chains.places import elsewhere

DIALOGUES = {name: make() for name, make in SAMPLES.items()}


def flaws(dialogue: Dialogue) -> list[Flaw]:
    sequence = SEQUENCES[str(dialogue.origin["sequence"])].steps
    return verify_chain(dialogue, WORLD, apis=APIS, sequence=sequence, index=RETRIEVER.index)


def changed(dialogue: Dialogue, place: int, **changes: object) -> Dialogue:
    turns = dialogue.turns
    return dialogue.replace(turns=(*turns[:place], turns[place].replace(**changes), *turns[place + 1 :]))


def place_of(dialogue: Dialogue, action: str, number: int = 0) -> int:
    return [at for at, turn in enumerate(dialogue.turns) if turn.action == action][number]


@pytest.mark.parametrize("name", DIALOGUES)
def test_a_valid_conversation_has_no_flaw(name: str) -> None:
    assert flaws(DIALOGUES[name]) == []


@pytest.mark.parametrize("name", DIALOGUES)
def test_less_can_be_looked_at_with_less_at_hand(name: str) -> None:
    assert verify_chain(DIALOGUES[name], None, apis=APIS) == []


@pytest.mark.parametrize("kind", CHAIN_CORRUPTIONS)
def test_what_is_spoiled_is_rejected(kind: str) -> None:
    spoiled = [
        one
        for dialogue in DIALOGUES.values()
        for seed in range(12)
        if (one := CHAIN_CORRUPTIONS[kind](dialogue, Random(seed))) is not None
    ]
    assert spoiled
    assert sum(bool(flaws(one)) for one in spoiled) >= 0.95 * len(spoiled)


def test_the_retriever_is_asked_again_what_it_found() -> None:
    gold = DIALOGUES["single"]
    place = place_of(gold, "retriever_call")
    turn = gold.turns[place]
    assert isinstance(turn, AgentTurn)
    found = turn.results[0].value["retrieved"]  # type: ignore[union-attr, index, call-overload]
    (best, score), *others = found.items()  # type: ignore[union-attr]
    for told, says in (
        ({best: 0.99, **dict(others)}, f"the retriever gives {best} {score}, and not 0.99"),
        ({best: score + 0.0001, **dict(others)}, ""),  # another machine adds up in another order
    ):
        spoiled = changed(gold, place, results=(Result(value={"retrieved": told}),))
        why = [flaw.what for flaw in flaws(spoiled) if flaw.turn == place and flaw.rule == "execution"]
        assert why == ([says] if says else [])
        assert verify_chain(spoiled, None, apis=APIS) == []  # nobody else knows


def test_what_follows_a_search_is_what_its_score_calls_for() -> None:
    gold = DIALOGUES["single"]
    found = verify_chain(gold.replace(facts={"retriever": {"confirm": 0.99, "suggest": 0.2}}), None, apis=APIS)
    assert any("is one to suggest, and request follows" in flaw.what for flaw in found)


def test_what_was_told_is_never_forgotten() -> None:
    multi = DIALOGUES["multi"]
    place = place_of(multi, "request", 2)
    (flaw,) = flaws(changed(multi, place, state=state(TABLE)))
    assert str(flaw) == f"turn {place}: arguments: the state has nothing for season; known is 2019"


def test_several_results_leave_the_chained_value_open() -> None:
    multi = DIALOGUES["multi"]
    place = place_of(multi, "request", 2)
    (flaw,) = flaws(changed(multi, place, state=state(TABLE, season=2019, league_id="5")))
    assert flaw.what == "the state has '5' for league_id; known is nothing"


def test_a_choice_is_offered() -> None:
    multi = DIALOGUES["multi"]
    place = place_of(multi, "request", 2)
    assert [flaw.rule for flaw in flaws(changed(multi, place, text="Which country is it?"))] == ["carried"]


def test_who_chooses_has_two_to_choose_from_and_chooses_one() -> None:
    multi = DIALOGUES["multi"]
    place = place_of(multi, "request", 2)
    picked = multi.turns[place + 1]
    assert isinstance(picked, UserTurn)
    (country,) = picked.informed.values()
    (flaw,) = flaws(changed(multi, place, text=f"Is it the country {country}?"))
    assert flaw.what.startswith("the agent offers 1 of the ")
    silent = changed(multi, place + 1, text="That one, please", informed={})
    assert "there are several results, and the user chooses none" in [flaw.what for flaw in flaws(silent)]


def test_a_user_says_no_value_beside_those_of_the_labels() -> None:
    single = DIALOGUES["single"]
    place = place_of(single, "inform")
    (flaw,) = flaws(changed(single, place, text="2019, and write to ana@post.example"))
    assert str(flaw) == f"turn {place}: carried: the user says 'ana@post.example', and informs of no such value"


def test_a_request_asks_for_all_that_is_lacking() -> None:
    one = DIALOGUES["one_api"]
    place = place_of(one, "request")
    (flaw,) = flaws(changed(one, place, text="Which league is it? A group, if you like?"))
    assert flaw == Flaw("carried", place, "the agent does not ask for season")


@pytest.mark.parametrize("action", ["retriever_call", "system_bye"])
def test_the_target_may_stay_in_hand_where_the_published_data_leave_it(action: str) -> None:
    single = DIALOGUES["single"]
    chained = single.turns[place_of(single, "response")]
    assert isinstance(chained, AgentTurn)
    assert chained.state is not None
    held = chained.state if action == "system_bye" else state(TABLE)
    assert flaws(changed(single, place_of(single, action, -1), state=held)) == []


def test_the_band_of_the_best_score_decides_what_follows() -> None:
    failure = DIALOGUES["failure"]
    place = place_of(failure, "suggest")
    asked = failure.replace(
        turns=(*failure.turns[:place], agent("clarify", "What do you mean?", State()), *failure.turns[3:])
    )
    assert any("is one to suggest, and clarify follows" in flaw.what for flaw in flaws(asked))


def test_a_chain_needs_its_own_sequence() -> None:
    multi = DIALOGUES["multi"]
    found = verify_chain(multi, WORLD, apis=APIS, sequence=SEQUENCES["11.7"].steps)
    assert [str(flaw) for flaw in found] == ["turn 8: path: planned is a request, and this is a request_multi"]


def test_a_response_says_only_what_results_hold() -> None:
    one = DIALOGUES["one_api"]
    place = place_of(one, "response")
    said = f"{one.turns[place].text} Its table was updated on 3 May."
    assert [flaw.rule for flaw in flaws(changed(one, place, text=said))] == ["supported"]


def test_the_action_graph_is_the_planner_s() -> None:
    followed: dict[str, set[str]] = {}
    for step, after in GRAPH.items():
        steps = {"request" if one == "request_multi" else one for one in after}
        followed.setdefault("request" if step == "request_multi" else step, set()).update(steps)
    assert {action: set(after) for action, after in FOLLOWS.items() if action} == followed


@given(
    st.lists(
        st.one_of(
            st.builds(UserTurn, text=st.text(max_size=9), action=st.sampled_from([None, "inform", "fail_inform"])),
            st.sampled_from([turn for dialogue in DIALOGUES.values() for turn in dialogue.turns]),
            st.builds(AgentTurn, text=st.none() | st.text(max_size=9), state=st.none() | st.just(State(api="x"))),
        ),
        min_size=1,
        max_size=8,
    ),
    st.dictionaries(st.sampled_from(["target", "source", "output", "parameter", "fail"]), st.just(CUP) | st.none()),
)
def test_whatever_the_dialogue_there_is_an_answer(turns: list[UserTurn | AgentTurn], origin: dict[str, str]) -> None:
    turns = [UserTurn(text="Hi"), *turns]
    found = verify_chain(Dialogue(id="d", turns=tuple(turns), origin=origin), WORLD, apis=APIS, index=RETRIEVER.index)
    assert all(0 <= flaw.turn < len(turns) for flaw in found)


@pytest.mark.parametrize(
    ("arguments", "result", "place"),
    [
        ({"zip": "80202"}, {"city": "Oslo"}, "Oslo"),
        ({"lat": 39.7392, "lon": -104.9903}, {"city": {"name": "Shuzenji"}}, "Shuzenji"),
        ({"city": "Denver"}, {"country": "Peru"}, "Peru"),
        ({"city": "Denver"}, {"country": "US", "city": "Denver"}, ""),
        ({"origin": "Oslo", "destination": "Lyon"}, {"city": "Leeds"}, ""),
        ({"city": "Denver"}, {"near": [{"city": "Oslo"}]}, ""),
        ({"name": "Leeds United"}, {"city": "Oslo"}, ""),
    ],
)
def test_a_result_of_another_place_is_noticed(arguments: dict[str, str], result: JsonValue, place: str) -> None:
    assert elsewhere(arguments, result) == place


def test_a_conversation_that_is_answered_of_another_place_is_not_valid() -> None:
    weather = Api(name="Weather", parameters={"zip": Parameter(schema={"type": "string"})})
    call, result = Call(api="Weather", arguments={"zip": "80202"}), Result(value={"city": "Oslo"})
    turn = AgentTurn(text="It is Oslo.", action="response", acts=(call,), results=(result,))
    origin: dict[str, JsonValue] = {"target": "Weather"}
    dialogue = Dialogue(id="d", turns=(UserTurn(text="Where is 80202?"), turn), origin=origin)
    found = verify_chain(dialogue, None, apis={"Weather": weather})
    assert [one.what for one in found if "another place" in one.what]
