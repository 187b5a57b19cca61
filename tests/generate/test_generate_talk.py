"""From trails to plans: executed turns, noise, detours, mocked results, samplers: `plan` talk, turns, plans, mock."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import cast, get_args

import pytest
from generate_samples import ground_of, renewal, trails_of
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadSetting
from toologue.loop import execute
from toologue.plan.procedures import files, procedure
from toologue.plan.procedures.bounds import Bounds
from toologue.plan.procedures.explore import Explorer
from toologue.plan.procedures.noise import NOISE_KINDS
from toologue.plan.procedures.paths import weighted
from toologue.plan.procedures.plan_dialogue import DETOURS, Detour, Detours, Sampler, plan_all, plan_of
from toologue.plan.procedures.service import mocked, outcomes, service
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Branch, Call, Plan, Procedure, Step
from toologue.text.bank import speaker_of
from toologue.values.json_schema import object_of
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
    assert moves[-2:] == ["noise", "refuse"] if "noise" in moves else "end" in moves[-2:]


def test_most_customers_take_leave() -> None:
    plans = [plan for number in range(40) if (plan := planned(number, Detours()))]
    last = Counter(plan.cues[-1].move for plan in plans)
    assert last.keys() == {"close", "end"}
    assert last["close"] > 3 * last["end"]
    assert {turn.stop for plan in plans if (turn := plan.dialogue.turns[-1]).role == "user"} == {"done"}


def test_after_noise_the_agent_asks_again_what_it_had_asked() -> None:
    found = 0
    for number in range(20):
        plan = planned(number, Detours(noise=0.5))
        assert plan is not None
        for asked, noise, answer in zip(plan.cues, plan.cues[1:], plan.cues[2:], strict=False):
            if noise.move == "noise" and asked.move == "ask":
                assert (answer.move, answer.again, answer.values) == ("refuse", asked.text, asked.values)
                found += 1
    assert found > 10


def test_noise_is_of_every_kind() -> None:
    plans = [planned(number, Detours(noise=0.9)) for number in range(120)]
    said = [turn.extra["noise"] for plan in plans if plan for turn in plan.dialogue.turns if "noise" in turn.extra]
    assert {str(noise["kind"]) for noise in said if isinstance(noise, dict)} == set(NOISE_KINDS)


def test_noise_stands_where_somebody_would_say_it() -> None:
    """Not in place of a nod; in place of yes or no only what presses for more; abuse from those who have a reason."""
    kinds = Counter[str]()
    for name in ("return-an-item", "technician-did-not-come", "change-delivery-address"):
        for number in range(len(trails_of(name, 60))):
            plan = planned(number, Detours(noise=0.6), name)
            graph = ground_of(name).graph
            for place, cue in enumerate(plan.cues) if plan else ():
                if not plan or cue.move != "noise":
                    continue
                noise, before = object_of(plan.dialogue.turns[place].extra["noise"]), plan.dialogue.turns[:place]
                answers = {graph.by_id[link.target].text for link in graph.exits(before[-1].node or "")}
                kinds["confirmation" if answers & {"Yes", "No"} else str(noise["kind"])] += 1
                assert plan.cues[place - 1].move == "ask"
                assert noise["severity"] == "wrong_write" or not answers & {"Yes", "No"}
                failed = any(one and one.error for turn in before if turn.role == "agent" for one in turn.results)
                assert noise["kind"] != "abuse" or failed or speaker_of("customer", plan.dialogue.id, 1)[0] == "annoyed"
    assert min(kinds[kind] for kind in ("confirmation", "abuse", "chit_chat")) > 0


def test_nobody_takes_a_thing_for_what_was_not_said_of_it() -> None:
    """The carrier is named, and nobody says what it is; the order is packed, and somebody takes it for shipped."""
    told = [planned(number, Detours(kind="contradict"), name) for name in files("shop") for number in range(20)]
    said = {cue.text for plan in told if plan for cue in plan.cues if cue.move == "contradict"}
    assert said
    assert all(text.startswith("the order is ") for text in said)
    it = procedure("return-an-item")
    steps = (step.replace(text=step.text.replace("} is {order.status}", "} has {order.status}")) for step in it.steps)
    it = it.replace(steps=tuple(steps))
    ground = Explorer(it, conversation_graph(flowgraph(it)), SHOP)
    plans = (plan_of(ground, one, id="t", seed=1, detours=Detours(kind="contradict")) for one in ground.cover())
    assert not [cue for plan in plans if plan for cue in plan.cues if cue.move == "contradict"]


def test_noise_comes_once_unless_more_is_asked_for() -> None:
    often = Detours(noise=0.9), Detours(noise=0.9, most_noise=3)
    plans = [[planned(number, detours) for number in range(60)] for detours in often]
    once, more = ([[cue.move for cue in plan.cues].count("noise") for plan in some if plan] for some in plans)
    assert (max(once), max(more)) == (1, 3)


def test_after_a_value_that_cannot_be_right_the_agent_says_what_one_looks_like() -> None:
    plans = [planned(number, Detours(kind="malformed")) for number in range(60)]
    asked = [
        (str(cue.before["form"]), words.text or "")
        for plan in plans
        if plan
        for cue, words in zip(plan.cues, TemplateWriter(seed=1).words(plan).turns, strict=True)
        if "form" in cue.before
    ]
    assert {form for form, _ in asked} == {
        "an e-mail address has an @ and a domain",
        "it should be O, a dash and five digits",
    }
    assert all(form in words for form, words in asked)


def test_a_day_that_was_refused_is_hardly_ever_said_again() -> None:
    """Where only the same day leads on it is; all ways are seen."""
    made = plan_all(procedure("move-appointment"), service("clinic"), 0, detours=0)
    told = [[turn.informed for turn in plan.dialogue.turns if turn.role == "user"] for plan in made.plans]
    days = [[str(one["from_date"]) for one in given if "from_date" in one] for given in told]
    assert sum(len({*some}) < len(some) for some in days) <= 1
    assert made.coverage.edges.value == 1.0


# ---- gold that a support lead would let pass


def said_after(name: str, result: str, field: str) -> Iterator[tuple[str, int]]:
    """(the last words, the days since what a call returned) of the plans of a procedure."""
    now = date.fromisoformat(str(ground_of(name).facts["now"])[:10])
    for number in range(60):
        plan = planned(number, Detours(), name)
        for turn in plan.dialogue.turns if plan else ():
            for act, came in zip(turn.acts, turn.results, strict=True) if turn.role == "agent" else ():
                if act.api == result and plan and (day := object_of(came.value).get(field)):
                    yield plan.cues[-1].text, (now - date.fromisoformat(str(day)[:10])).days


@pytest.mark.parametrize(
    ("name", "result", "field", "passed", "promise"),
    [
        (LATE, "track_shipment", "estimated_delivery", 0, "expects"),
        ("change-delivery-address", "get_order", "delivered_at", 30, "they can return it"),
    ],
)
def test_nothing_is_promised_for_a_day_that_has_passed(
    name: str, result: str, field: str, passed: int, promise: str
) -> None:
    ends = [words for words, days in said_after(name, result, field) if days > passed]
    assert ends
    assert not any(promise in words for words in ends)


def test_a_conversation_in_which_tries_begin_anew_is_valid() -> None:
    ground = ground_of("return-an-item")
    again = next(node.id for node in ground.graph.nodes if node.text.startswith("Ask for the number again"))
    walks = (walk for walk in weighted(ground.graph, 5000, seed=0) if walk.nodes.count(again) > 1)
    trail = next(filter(None, map(ground.along, walks)))
    plan = plan_of(ground, trail, id="anew", seed=1)
    assert plan
    assert verify(TemplateWriter(seed=1).words(plan), ground.graph, cues=plan.cues) == []


def test_a_limit_above_the_ceiling_is_not_read_back() -> None:
    ceiling, asked = 0.0, 0
    for number in range(60):
        plan = planned(number, Detours(), "raise-card-limit-for-a-trip")
        for turn, cue in zip(plan.dialogue.turns, plan.cues, strict=True) if plan else ():
            for came in turn.results if turn.role == "agent" else ():
                ceiling = cast("float", object_of(came.value).get("limit_ceiling", ceiling))
            if cue.text.startswith("whether we should allow"):
                assert cast("float", cue.values["monthly_limit"]) <= ceiling
                asked += 1
    assert asked


def test_an_address_in_one_line_is_an_address() -> None:
    plans = [planned(number, Detours(), "change-delivery-address") for number in range(60)]
    turns = [turn for plan in plans if plan for turn in plan.dialogue.turns if turn.role == "agent"]
    tickets = [act.arguments or {} for turn in turns for act in turn.acts if act.api == "create_ticket"]
    lines = [str(one["summary"]) for one in tickets if one["team"] == "logistics"]
    assert lines
    assert all(re.search(r"\d.*, [A-Z]{2}$", line) for line in lines)


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


def test_an_answer_that_the_next_question_takes_as_well_is_not_taken_back_there() -> None:
    """Whoever says no after a second yes-or-no question may mean either: nobody could tell."""
    name, found = "unknown-card-payment", 0
    for number in range(60):
        plan = planned(number, Detours(kind="change"), name)
        turns = plan.dialogue.turns if plan else ()
        for asked, taken_back in pairwise(turns):
            if taken_back.extra.get("detour") == "change":
                graph = ground_of(name).graph
                heard = {graph.by_id[link.target].text for link in graph.exits(asked.node or "")}
                assert graph.by_id[taken_back.node or ""].text not in heard
                found += 1
    assert found


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
            made = list(
                outcomes(Bounds(graph, ()), exits, Call(api=node.text, arguments={}), {"now": SHOP.now}, stand_in)
            )
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


# ---- a procedure that is changed


def with_another_answer(chosen: Procedure, asking: int) -> Procedure:
    """One more answer to a question, which leads to an end of its own."""
    end = len(chosen.steps) + 1
    steps = list(chosen.steps)
    more = Branch(answer="None of it, they would rather call", target=end)
    steps[asking - 1] = steps[asking - 1].replace(branches=(*steps[asking - 1].branches, more))
    return chosen.replace(steps=(*steps, Step(number=end, kind="end", text="give them the number")))


def with_another_step(chosen: Procedure, at: int) -> Procedure:
    """One more step that something is said in, where another was; those behind it get other numbers."""

    def moved(step: Step) -> Step:
        ways = tuple(way.replace(target=way.target + (way.target > at)) for way in step.branches)
        limit = step.limit and step.limit.replace(then=step.limit.then + (step.limit.then > at))
        onward = step.next and step.next + (step.next > at)
        return step.replace(number=step.number + (step.number >= at), branches=ways, next=onward, limit=limit)

    new = Step(number=at, kind="say", text="that they are glad to help", next=at + 1)
    steps = [moved(step) for step in chosen.steps]
    return chosen.replace(steps=(*steps[: at - 1], new, *steps[at - 1 :]))


def told(chosen: Procedure) -> dict[str, list[object]]:
    """What is said and done in each conversation, by its id; not which steps that is."""
    made = plan_all(chosen, SHOP, 0)
    return {
        plan.dialogue.id: [*plan.cues, *(turn.replace(node=None) for turn in plan.dialogue.turns)]
        for plan in made.plans
    }


def test_what_does_not_take_a_new_branch_stays_as_it_is() -> None:
    before, after = told(procedure(LATE)), told(with_another_answer(procedure(LATE), 6))
    without = {id: said for id, said in after.items() if "rather call" not in str(said)}
    assert len(without) < len(after)
    assert without.items() <= before.items()


def test_what_does_not_pass_a_new_step_stays_as_it_is_though_steps_are_numbered_anew() -> None:
    before, after = told(procedure(LATE)), told(with_another_step(procedure(LATE), 9))
    without = {id: said for id, said in after.items() if "glad to help" not in str(said)}
    assert len(without) < len(after)
    assert without.items() <= before.items()


def test_one_more_wording_changes_only_what_opens_with_it() -> None:
    few, new = procedure(LATE).wordings[:2], "There is no parcel here."
    before, after = (told(procedure(LATE).replace(wordings=some)) for some in (few, (*few, new)))
    without = {id: said for id, said in after.items() if "no parcel here" not in str(said)}
    assert 0 < len(without) < len(after) == len(before)
    assert without.items() <= before.items()


def test_an_id_is_the_procedure_and_four_signs_without_vowels() -> None:
    assert all(re.fullmatch(rf"{LATE}-[2-9b-df-hjkmnp-tv-z]{{4}}", id) for id in told(procedure(LATE)))
