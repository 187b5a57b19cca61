"""Plans: what is emitted is what was planned, for any pair of APIs and every sequence that fits it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from chains_plan_samples import EDGES, NUMBER, TEXT, api, edge, files, listed, shape
from hypothesis import given
from hypothesis import strategies as st

from toologue.apis.result_values import values_of
from toologue.formats.tooldial import as_published
from toologue.models.embed import calibrated
from toologue.plan.chains.catalog import Catalog
from toologue.plan.chains.execute import Rejected
from toologue.plan.chains.pairs import Job, Pair, edge_pairs, single_api_pairs
from toologue.plan.chains.planner import Planner, thoughts
from toologue.plan.chains.sequences import SEQUENCES
from toologue.schema import AgentTurn, Api, Call, Dialogue, Plan, State, UserTurn
from toologue.schema.jsonl import line_of, parse, write
from toologue.worlds.documented import Documented

PEOPLE_KNOW = ("city", "date", "title", "language", "country", "keyword")


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Api, Api]:
    """A source and a target: parameters or none, required or not, one result or several, nested or not."""
    row = {"id": NUMBER, "name": TEXT, "city": TEXT}
    returns = draw(st.sampled_from([shape(**row), listed(**row), shape(team=shape(**row))]))
    takes = {name: (TEXT, draw(st.booleans())) for name in draw(st.sets(st.sampled_from(PEOPLE_KNOW), max_size=3))}
    more = {name: (TEXT, draw(st.booleans())) for name in draw(st.sets(st.sampled_from(PEOPLE_KNOW), max_size=3))}
    target = api("Target", shape(leader=TEXT, city=TEXT, points=NUMBER), teamId=(NUMBER, True), **more)
    return api("Source", returns, **takes), target


def planned(source: Api, target: Api, seed: int) -> list[Plan]:
    """A plan of every sequence that fits the pair, by themselves too."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "apis.jsonl"
        write(file, [source, target])
        output = next(one for one in Catalog(file).view(source.name).outputs if one.endswith("id"))
        edges = [edge("Source", output, "Target", "teamId")]
        pairs = [
            *edge_pairs(Catalog(file), edges, Counter(), published_code=True),
            *single_api_pairs(Catalog(file), Counter()),
        ]
        planner = Planner(file, seed=seed)
        return list(_all_plans(planner, pairs))


def _all_plans(planner: Planner, pairs: list[Pair]) -> list[Plan]:
    made: list[Plan] = []
    for pair in pairs:
        keys = [one.key for one in pair.sequences(published_code=True)] + ([] if pair.source else ["13.1"])
        for number, key in enumerate(keys):
            try:
                made.append(planner.plan(Job(number, key, pair)))
            except Rejected as dropped:  # two rows may happen to be alike; what the user gave is not told back
                assert dropped.reason in ("no choice", "asks twice", "nothing to answer with")  # noqa: PT017
    return made


def tracked(dialogue: Dialogue, apis: Mapping[str, Api]) -> list[State]:
    """The states that follow from the turns alone: what was told or found out before each turn of the agent."""
    calls = [(act, turn.results[0]) for turn in dialogue.turns if turn.role == "agent" for act in turn.acts]
    in_play = {act.api: list(act.arguments or {}) for act, _ in calls if isinstance(act, Call)}
    origin = dialogue.origin
    target, parameter = str(origin["target"]), str(origin["parameter"])
    known: dict[str, dict[str, Any]] = {name: {} for name in in_play}
    hand: str | None = None
    states: list[State] = []
    choosing: AgentTurn | None = None
    for turn in dialogue.turns:
        if isinstance(turn, UserTurn):
            if choosing is not None and choosing.extra.get("by"):
                known[target][parameter] = _beside(dialogue, choosing, turn)
            for name, value in turn.informed.items() if choosing is None or not choosing.extra.get("by") else ():
                ours = hand is None or turn.action != "fail_inform" or name in apis[target].parameters
                known[(hand or target) if ours else str(origin["source"])][name] = value
            choosing = None
            continue
        if turn.action in ("request", "call"):
            acts = [act.api for act in turn.acts if isinstance(act, Call)]
            hand = acts[0] if acts else _asked_api(turn, in_play, origin)
        if hand is None:
            states.append(State())
        else:
            document = apis[hand]
            slots = {name: known[hand].get(name, "") for name in [*document.required, *in_play[hand]]}
            needed = {name: value for name, value in slots.items() if name in document.required}
            others = {name: value for name, value in slots.items() if name not in document.required}
            states.append(State(api=hand, required=needed, optional=others))
        if turn.action == "request":
            choosing = turn
        if turn.action == "call" and hand == origin.get("source"):
            if origin["fit"] == "single":
                known[target][parameter] = _value(turn, str(origin["output"]))
            hand = target
    return states


def _asked_api(turn: AgentTurn, in_play: Mapping[str, list[str]], origin: Mapping[str, Any]) -> str:
    """Whose parameters a request names: the source's after somebody failed, as the turn's own label says."""
    assert turn.state is not None
    assert turn.state.api in in_play
    return str(turn.state.api)


def _value(turn: AgentTurn, output: str) -> Any:
    assert turn.results[0] is not None
    return next(one.value for one in values_of(turn.results[0].value) if one.name == output)


def _beside(dialogue: Dialogue, choosing: AgentTurn, said: UserTurn) -> Any:
    """The value in the row that the user's words point to."""
    by, chosen = str(choosing.extra["by"]), said.informed[str(choosing.extra["by"])]
    call = next(turn for turn in dialogue.turns if isinstance(turn, AgentTurn) and turn.action == "call")
    assert call.results[0] is not None
    rows = values_of(call.results[0].value)
    places = [one.place for one in rows if one.name == by and one.value == chosen]
    assert len(places) == 1, "the user could have meant several rows"
    return next(one.value for one in rows if one.name == dialogue.origin["output"] and one.place == places[0])


class TestAnyPair:
    @given(worlds(), st.integers(0, 99))
    def test_laws(self, pair: tuple[Api, Api], seed: int) -> None:
        apis = {one.name: one for one in pair}
        for plan in planned(*pair, seed):
            _follows_its_sequence(plan)
            _states_follow(plan, apis)
            _chained(plan)
            _executes(plan, list(pair))
            assert parse(line_of(plan), Plan) == plan


def _follows_its_sequence(plan: Plan) -> None:
    sequence = SEQUENCES[str(plan.dialogue.origin["sequence"])]
    assert tuple(turn.action for turn in plan.dialogue.turns) == sequence.actions
    assert tuple(cue.move for cue in plan.cues) == sequence.actions
    for step, turn, cue in zip(sequence.steps, plan.dialogue.turns, plan.cues, strict=True):
        if turn.role == "user":
            assert turn.text == ""
            assert cue.values == turn.informed
            continue
        assert (turn.text is None) == (turn.action in ("call", "retriever_call")) == bool(turn.acts)
        assert turn.thought
        if step == "request":
            assert turn.state is not None
            slots = {**turn.state.required, **turn.state.optional}
            lacking = [name for name, value in slots.items() if value == ""]
            which = [str(plan.dialogue.origin["parameter"])]  # who knows what it is called is asked for that first
            assert turn.extra["requested"] == lacking or (sequence.keeps_back and turn.extra["requested"] == which)
            assert cue.values == dict.fromkeys(turn.extra["requested"], "")
        if step == "request_multi":
            assert cue.values == {turn.extra["by"]: turn.extra["among"]}
        if step == "response":
            assert cue.values


def _states_follow(plan: Plan, apis: Mapping[str, Api]) -> None:
    labels = [turn.state for turn in plan.dialogue.turns if turn.role == "agent"]
    assert labels == tracked(plan.dialogue, apis)


def _chained(plan: Plan) -> None:
    origin = plan.dialogue.origin
    calls = [turn for turn in plan.dialogue.turns if turn.role == "agent" and turn.action == "call"]
    if "source" not in origin:
        assert [turn.acts[0].api for turn in calls] in ([], [origin["target"]])  # type: ignore[union-attr]
        return
    found, used = calls
    assert found.results[0] is not None
    values = [one.value for one in values_of(found.results[0].value) if one.name == origin["output"]]
    assert isinstance(used.acts[0], Call)
    assert used.acts[0].arguments is not None
    assert used.acts[0].arguments[str(origin["parameter"])] in values
    if origin["fit"] == "single":
        assert len(values) == 1


def _executes(plan: Plan, apis: list[Api]) -> None:
    world = Documented(apis, seed=int(str(plan.dialogue.world.arguments["seed"])))
    for turn in plan.dialogue.turns:
        if turn.role == "agent" and turn.action == "call":
            assert (world.do(turn.acts[0]),) == turn.results


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Plan]:
    """A plan of every sequence, by key."""
    _, apis = files(tmp_path_factory.mktemp("chains"))
    planner = Planner(apis, seed=3)
    shelf = planner.catalog
    pairs = [*edge_pairs(shelf, EDGES, Counter(), published_code=True), *single_api_pairs(shelf, Counter())]
    return {str(plan.dialogue.origin["sequence"]): plan for plan in _all_plans(planner, pairs)}


def test_the_agent_is_told_how_sure_its_retriever_has_to_be(plans: dict[str, Plan], tmp_path: Path) -> None:
    """In the brief's facts: the calibrated bands of `lexical`, or those of the retriever that words are tried on."""
    known = calibrated("lexical")
    told = {"confirm": known["confirm"], "suggest": known["suggest"]}
    assert all(plan.dialogue.facts == {"retriever": told} for plan in plans.values())
    _, apis = files(tmp_path)
    planner = Planner(apis, seed=3, bands={"confirm": 0.6, "suggest": 0.5, "source": 0.9})
    pairs = [*single_api_pairs(planner.catalog, Counter())]
    other = next(iter(_all_plans(planner, pairs)))
    assert other.dialogue.facts == {"retriever": {"confirm": 0.6, "suggest": 0.5}}


def test_every_sequence_has_a_plan(plans: dict[str, Plan]) -> None:
    assert set(plans) == set(SEQUENCES)


def test_both_ways_to_fail(plans: dict[str, Plan]) -> None:
    """A.5: the rest of the values is given at once, or asked for after the first call."""
    nothing, rest = plans["11.9"].dialogue, plans["code.1"].dialogue
    assert (nothing.origin["fail"], plans["12.7"].dialogue.origin["fail"]) == ("nothing", None)
    failed = {
        key: next(turn for turn in plan.dialogue.turns if turn.action == "fail_inform")
        for key, plan in plans.items()
        if SEQUENCES[key].fails
    }
    for key, turn in failed.items():
        assert isinstance(turn, UserTurn)
        assert bool(turn.informed.keys() - {"title"}) == (plans[key].dialogue.origin["fail"] == "rest")
    assert rest.origin["fail"] in ("rest", "nothing")
    cue = plans["11.9"].cues[3]
    assert (cue.move, cue.before) == ("fail_inform", {"missing": "teamId", "mind": "name"})


def test_who_knows_what_a_thing_is_called_says_so_at_once(plans: dict[str, Plan]) -> None:
    """Nobody knows the id of a team; that it is found by its nickname spares the agent a question."""
    turns = plans["11.9"].dialogue.turns
    failed, _, call = turns[3:6]
    assert isinstance(failed, UserTurn)
    assert isinstance(call, AgentTurn)
    assert isinstance(call.acts[0], Call)
    assert call.acts[0].arguments == failed.informed == {"title": failed.informed["title"]}
    assert call.state == State(api="Sports|scores|Team by Nickname", required=failed.informed)
    assert plans["11.8"].dialogue.origin["source"] == "Sports|scores|Team of a Season"  # a season is asked for


def test_bands_of_openings(plans: dict[str, Plan]) -> None:
    bands = {
        key: [cue.before["band"] for cue in plan.cues if cue.move.startswith("inform_intent")]
        for key, plan in plans.items()
    }
    assert bands["11.8"] == bands["12.5"] == ["confirm"]
    assert bands["11.1"] == bands["13.1"] == ["suggest"]
    assert bands["11.3"] == bands["12.2"] == ["clarify", "confirm"]


def test_what_the_retriever_is_asked_for_a_value(plans: dict[str, Plan]) -> None:
    turn = plans["11.8"].dialogue.turns[4]
    origin = plans["11.8"].dialogue.origin
    assert isinstance(turn, AgentTurn)
    assert turn.acts[0].kind == "retrieve"
    assert turn.acts[0].missing == (origin["target"], "teamId")
    assert turn.results[0] is not None
    assert turn.results[0].value == {name: origin[name] for name in ("source", "output", "target", "parameter")}


def test_published_states_forget(plans: dict[str, Plan]) -> None:
    """The published code confirms no API while it looks for a value, and forgets all when it says goodbye."""
    for plan in plans.values():
        published = as_published(plan.dialogue)
        for ours, theirs in zip(plan.dialogue.turns, published.turns, strict=True):
            if isinstance(ours, AgentTurn) and isinstance(theirs, AgentTurn):
                forgets = ours.action in ("retriever_call", "system_bye")
                assert theirs.state == (State() if forgets else ours.state)


def test_the_agent_is_offered_the_pair_and_others(plans: dict[str, Plan]) -> None:
    for plan in plans.values():
        offered, origin = plan.dialogue.apis, plan.dialogue.origin
        assert origin["target"] in offered
        assert origin.get("source", origin["target"]) in offered
        assert list(offered) == sorted(set(offered))
        assert len(offered) == 10


def test_at_least_five_thoughts_a_situation() -> None:
    assert all(len(set(phrasings)) >= 5 for phrasings in thoughts().values())
