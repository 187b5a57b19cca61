"""From trails to plans: executed turns, noise, detours, mocked results, samplers: `plan` talk, turns, plans, mock."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from generate_samples import ground_of, renewal, trails_of
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadSetting
from toologue.loop import execute
from toologue.plan.procedures import procedure
from toologue.plan.procedures.noise import NOISE_KINDS, NoiseKind
from toologue.plan.procedures.plan_dialogue import DETOURS, Detour, Detours, Sampler, plan_all, plan_of
from toologue.plan.procedures.service import mocked, outcomes, service
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Call, Plan
from toologue.verify.procedures import verify
from toologue.write.procedures import TemplateWriter

LATE = "order-not-received"
SHOP = service("shop")
KINDS = st.sampled_from([None, *DETOURS])


def planned(number: int, detours: Detours, name: str = LATE, seed: int = 1) -> Plan | None:
    return plan_of(ground_of(name), trails_of(name, 60)[number % 60], id=f"t-{number}", seed=seed, detours=detours)


# ---- laws of plans


@given(number=st.integers(0, 59), kind=KINDS, noise=st.sampled_from([0.0, 0.3]), seed=st.integers(0, 99))
def test_recorded_results_are_what_execution_gives(number: int, kind: Detour | None, noise: float, seed: int) -> None:
    plan = planned(number, Detours(noise=noise, kind=kind), seed=seed)
    assert plan is not None
    assert SHOP.make is not None
    world = SHOP.make()
    for turn in plan.dialogue.turns:
        for act, result in zip(turn.acts, turn.results, strict=True) if turn.role == "agent" else ():
            assert execute(world, act) == result


@given(number=st.integers(0, 59), kind=KINDS)
def test_the_path_of_a_plan_is_that_of_its_trail(number: int, kind: Detour | None) -> None:
    plan = planned(number, Detours(noise=0.2, kind=kind))
    assert plan is not None
    assert plan.dialogue.origin["path"] == list(trails_of(LATE, 60)[number].links)


@given(number=st.integers(0, 59), kind=KINDS)
def test_the_same_seed_gives_the_same_plan(number: int, kind: Detour | None) -> None:
    assert planned(number, Detours(0.2, kind=kind)) == planned(number, Detours(0.2, kind=kind))


@given(number=st.integers(0, 59), kind=KINDS, seed=st.integers(0, 9))
def test_no_text_shows_what_is_not_there(number: int, kind: Detour | None, seed: int) -> None:
    plan = planned(number, Detours(0.2, kind=kind), seed=seed)
    assert plan is not None
    assert all(value is not None for cue in plan.cues for value in cue.values.values())


# ---- noise


@given(number=st.integers(0, 59), seed=st.integers(0, 99))
def test_published_noise_ends_the_conversation(number: int, seed: int) -> None:
    plan = planned(number, Detours(noise=0.5, mode="published"), seed=seed)
    assert plan is not None
    moves = [cue.move for cue in plan.cues]
    assert moves.count("noise") <= 1
    assert moves[-2:] == ["noise", "refuse"] if "noise" in moves else moves[-1] == "end"


def test_after_noise_the_agent_asks_again_what_it_had_asked() -> None:
    found = 0
    for number in range(20):
        plan = planned(number, Detours(noise=0.5))
        assert plan is not None
        for asked, noise, answer in zip(plan.cues, plan.cues[1:], plan.cues[2:], strict=False):
            if noise.move == "noise" and asked.move == "ask":
                assert (answer.move, answer.again, answer.values) == ("refuse", asked.text, asked.values)
                found += 1
    assert found > 20


@pytest.mark.parametrize("kind", NOISE_KINDS)
def test_noise_is_of_the_kinds_that_were_asked_for(kind: NoiseKind) -> None:
    plans = [planned(number, Detours(noise=0.6, noises=(kind,))) for number in range(6)]
    said = [turn.extra["noise"] for plan in plans if plan for turn in plan.dialogue.turns if "noise" in turn.extra]
    assert {str(noise["kind"]) for noise in said if isinstance(noise, dict)} == {kind}


# ---- detours


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("malformed", LATE),
        ("volunteer", "return-an-item"),
        ("correct", LATE),
        ("change", "return-an-item"),
        ("contradict", LATE),
    ],
)
def test_each_detour_occurs_and_is_valid(kind: Detour, name: str) -> None:
    ground, writer, found = ground_of(name), TemplateWriter(seed=1), 0
    for number, trail in enumerate(trails_of(name, 60)):
        plan = plan_of(ground, trail, id=f"{name}-{number}", seed=1, detours=Detours(kind=kind))
        if plan is None or plan.dialogue.origin["detour"] != kind:
            continue
        found += 1
        assert {kind, "open"} & {cue.move for cue in plan.cues}
        assert [turn.extra["detour"] for turn in plan.dialogue.turns if "detour" in turn.extra] == [kind]
        assert verify(writer.words(plan), ground.graph, cues=plan.cues) == []
        if found == 5:
            return
    assert found, f"no conversation of {name} has the detour {kind}"


@given(number=st.integers(0, 59), seed=st.integers(0, 99))
def test_before_something_is_taken_back_nothing_was_written(number: int, seed: int) -> None:
    plan = planned(number, Detours(kind="correct"), seed=seed)
    assert plan is not None
    back = next((place for place, cue in enumerate(plan.cues) if cue.move == "correct"), 0)
    acts = [act for turn in plan.dialogue.turns[:back] if turn.role == "agent" for act in turn.acts]
    assert not any(SHOP.apis[act.api].writes for act in acts if act.kind == "call")


# ---- samplers


@pytest.mark.parametrize("sampler", get_args(Sampler))
def test_each_sampler_gives_as_many_plans_as_were_wanted(sampler: Sampler) -> None:
    made = plan_all(procedure("billed-for-unordered-tv-package"), service("telecom"), 20, sampler=sampler)
    assert len(made.plans) == made.tally.kept == 20
    assert made.tally.proposed == 20 + sum(made.tally.dropped.values())
    assert len({plan.dialogue.id for plan in made.plans}) == 20


def test_a_cover_sees_every_edge_and_part_of_it_fewer() -> None:
    chosen, telecom = procedure("billed-for-unordered-tv-package"), service("telecom")
    whole, half = (plan_all(chosen, telecom, 0, until=until, detours=0) for until in (1.0, 0.5))
    assert whole.coverage.edges.missing == frozenset()
    assert len(half.plans) < len(whole.plans)
    assert half.coverage.edges.seen < whole.coverage.edges.seen


@pytest.mark.parametrize(("name", "value"), [("noise", -0.1), ("detours", 1.5), ("until", 2)])
def test_a_chance_that_is_none_is_refused(name: str, value: float) -> None:
    options = {name: value}
    with pytest.raises(BadSetting, match=f"{name} is {value}"):
        plan_all(procedure(LATE), SHOP, 1, **options)  # type: ignore[arg-type]


def test_no_conversations_at_all_are_refused() -> None:
    with pytest.raises(BadSetting, match="count is 0: 1 or more"):
        plan_all(procedure(LATE), SHOP, 0, sampler="vanilla")


# ---- calls that nobody executes


def test_mocked_results_lead_down_every_exit() -> None:
    graph = conversation_graph(flowgraph(procedure(LATE)))
    stand_in = mocked(SHOP.apis.values())
    for node in graph.nodes:
        if node.type == "api":
            exits = graph.exits(node.id)
            made = list(outcomes(graph, exits, Call(api=node.text, arguments={}), {"now": SHOP.now}, stand_in))
            assert {link.id for link, _ in made} <= {link.id for link in exits}
            assert any(link.condition.startswith("error") == bool(result.error) for link, result in made)


def test_plans_over_documents_alone_say_that_nothing_was_executed() -> None:
    made = plan_all(renewal(), mocked(SHOP.apis.values()), 6)
    assert made.plans
    for plan in made.plans:
        assert plan.dialogue.origin["status"] == "consistent, not executed"
        assert plan.dialogue.world.name == "recorded"
        assert plan.dialogue.extra["apis"]


def test_a_plan_tells_what_a_conversation_may_not_say_and_where_it_comes_from() -> None:
    made = plan_all(procedure(LATE), SHOP, 0, detours=0.5, seed=2)
    lines = Counter(plan.dialogue.origin["line"] for plan in made.plans)
    assert lines == {"procedures": len(made.plans)}
    assert all(plan.dialogue.extra["others"] for plan in made.plans)
    assert all("wordings" not in plan.dialogue.instructions for plan in made.plans)
