"""What customers may answer, which rows they know of, what can happen at all: `plan` answers, rows, service, ground."""

from __future__ import annotations

from pathlib import Path

import pytest
from generate_samples import ground_of, renewal, trails_of, written
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import UserError
from toologue.formats.procedure import read
from toologue.loop import execute
from toologue.plan.procedures import procedure
from toologue.plan.procedures.answers import Answers, Rows, at
from toologue.plan.procedures.explore import Explorer, after_result, apply_sets, call_of
from toologue.plan.procedures.paths import cover, coverage, weighted
from toologue.plan.procedures.service import mocked, service
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.worlds.named import setting_of

SHOP = service("shop")
LATE = "order-not-received"


@pytest.fixture
def library(tmp_path: Path) -> Explorer:
    _, document, rows = written(tmp_path)
    return Explorer(renewal(), conversation_graph(flowgraph(renewal())), service(setting_of(document, rows)))


# ---- rows


def test_an_order_leads_to_its_customer_and_to_no_other() -> None:
    rows = Rows(SHOP.rows)
    for place in rows.places("orders"):
        people = {key for table, key in rows.related(frozenset([place])) if table == "customers"}
        assert people == {rows.row(place)["customer_id"]}


@given(st.data())
def test_who_knows_more_rows_knows_no_fewer(data: st.DataObject) -> None:
    rows = Rows(SHOP.rows)
    places = st.sampled_from([place for table in rows.tables for place in rows.places(table)])
    some = data.draw(st.frozensets(places, max_size=3))
    more = some | data.draw(st.frozensets(places, max_size=2))
    assert some <= rows.related(some) <= rows.related(more)


def test_a_field_is_found_where_it_stands_and_nothing_where_it_does_not() -> None:
    rows = Rows({"people": {"P1": {"id": "P1", "home": {"city": "Ghent"}}}})
    assert rows.fields("city") == [("people", ("home", "city"))]
    assert (at(rows.row(("people", "P1")), ("home", "city")), at({"home": 3}, ("home", "city"))) == ("Ghent", None)


# ---- answers


def test_right_answers_are_those_of_one_customer() -> None:
    answers = Answers(procedure(LATE), SHOP)
    for option in answers.options(("order_id", "email"), frozenset(), seed=1):
        order = SHOP.rows["orders"].get(str(option.values["order_id"]))
        holder = order and SHOP.rows["customers"][order["customer_id"]]["email"]
        assert (holder == option.values["email"]) is (option.wrong == ""), option


def test_wrong_answers_come_last_and_say_in_which_way_they_are_wrong() -> None:
    options = Answers(procedure(LATE), SHOP).options(("order_id", "email"), frozenset(), seed=1)
    wrongs = [option.wrong for option in options]
    assert wrongs == sorted(wrongs, key=bool)
    assert {"unknown", "another"} <= set(wrongs)
    for option in options:
        if option.wrong == "unknown":
            held = str(SHOP.rows["orders"]), str(SHOP.rows["customers"])
            assert any(repr(value) not in table for value in option.values.values() for table in held)


def test_strangers_are_named_and_the_customer_is_not() -> None:
    answers = Answers(procedure(LATE), SHOP)
    option = answers.options(("email",), frozenset(), seed=1)[0]
    strangers = answers.strangers(option.knows)
    assert option.values["email"] not in strangers
    assert any("@" in value for value in strangers)


def test_a_slot_that_a_condition_bounds_gets_values_on_both_sides() -> None:
    text = "# T\n1. **Ask** how many. Collect `many`.\n   - If `many > 5`: go to 2.\n   - Otherwise: go to 3.\n"
    bounded = read(text + "2. **End**: say that it is too many.\n3. **End**: say that it is fine.\n")
    options = Answers(bounded, mocked([])).options(("many",), frozenset(), seed=0)
    assert {str(option.values["many"]) for option in options} == {"4", "5", "6"}


def test_customers_may_want_more_than_a_result_allows() -> None:
    """What only bounds their answer is no answer that they know."""
    answers = Answers(procedure("raise-card-limit-for-a-trip"), service("bank"))
    options = answers.options(("monthly_limit",), frozenset(), seed=0, values={"card": {"limit_ceiling": 4000}})
    wanted = sorted(float(str(option.values["monthly_limit"])) for option in options)
    assert 4000 in wanted
    assert wanted[0] < 4000 < wanted[-1]
    assert not any(option.knows for option in options)


# ---- services


def test_a_service_of_ones_own_executes(library: Explorer) -> None:
    assert library.service.executes
    assert library.service.now == "2025-03-12T09:30:00Z"
    assert sorted(library.service.apis) == ["get_loan", "renew_loan"]


def test_a_service_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match="librray"):
        service("librray")


# ---- ground


def test_everything_that_the_library_allows_is_reached(library: Explorer) -> None:
    seen = coverage(library.graph, map(library.walk, library.cover()))
    missing = {library.graph.by_link[id].condition or library.graph.by_link[id].text for id in seen.edges.missing}
    assert missing <= {"error"}  # a loan that was found can be renewed: that call never fails


def test_trails_spread_over_all_ends(library: Explorer) -> None:
    trails = list(library.trails(30))
    assert {library.walk(trail).nodes[-1] for trail in trails} == set(library.graph.leaves)
    assert len({trail.links for trail in trails}) == 5


def test_one_seed_one_sequence_of_trails() -> None:
    chosen = procedure(LATE)
    graph = conversation_graph(flowgraph(chosen))
    first, again, other = (list(Explorer(chosen, graph, SHOP, seed=seed).trails(12)) for seed in (1, 1, 2))
    assert first == again != other


@given(seed=st.integers(0, 10_000))
def test_a_trail_along_a_walk_takes_that_walk(seed: int) -> None:
    ground = ground_of(LATE)
    for walk in weighted(ground.graph, 3, seed=seed):
        if trail := ground.along(walk, budget=300):
            assert trail.links == walk.links


def test_a_cover_of_all_edges_can_be_grounded() -> None:
    ground = ground_of(LATE)
    assert all(ground.along(walk) for walk in cover(ground.graph, "edges", max_loops=0))


@given(st.integers(0, 199))
def test_a_trail_is_proof_that_its_walk_can_happen(number: int) -> None:
    """Follow it by hand: what was given is given, calls are executed, and values lead down each of its links."""
    ground = ground_of(LATE)
    trails = trails_of(LATE, 200)
    trail = trails[number % len(trails)]
    assert ground.service.make is not None
    world, values, state = ground.service.make(), ground.facts, ground.steering.start
    for place, id in enumerate(trail.links):
        node, link = ground.graph.by_id[state.node], ground.graph.by_link[id]
        if node.type == "api":
            values = after_result(node, values, execute(world, call_of(node, values)))
        if node.type != "assistant":
            assert ground.steering.choose(state, values) == link
        values = apply_sets(link, {**values, **(trail.given[place].values if place in trail.given else {})})
        state = ground.steering.after(state, link)
