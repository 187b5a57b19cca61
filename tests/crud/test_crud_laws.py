"""Laws of simulated services: equal worlds answer equally, marks restore, refusals leave no trace, a dict agrees."""

from __future__ import annotations

from typing import Any

import pytest
from crud_samples import SEED, library, service
from hypothesis import given, settings
from hypothesis import strategies as st

from toologue.schema import Call
from toologue.worlds.contract import acts_for, check_world
from toologue.worlds.crud import shipped

LIBRARY, TWIN = library(), library()
SERVICES = {"library": LIBRARY, **{name: service(name) for name in shipped()}}
each_service = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)


@each_service
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6))
def test_services_keep_the_contract_of_worlds(service, seed):
    check_world(service.world, seed=seed, scripts=1)


@each_service
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_a_refusal_leaves_no_trace_and_a_result_fits_its_document(service, seed):
    world, apis = service.world(), {api.name: api for api in service.apis}
    for act in acts_for(service.world, seed=seed):
        before = world.mark()
        result = world.do(act)
        if result.error is not None:
            assert (result.changes, result.created, world.diff(before)) == ({}, (), [])
        elif not apis[act.api].writes:
            assert world.diff(before) == []
        elif result.changes:
            assert {f"{change.table}/{change.row}" for change in world.diff(before)} <= result.changes.keys()


calls = st.lists(
    st.one_of(
        st.tuples(st.just("add_book"), st.fixed_dictionaries({"title": st.sampled_from(["", "Tide", "Ebb"])}, optional={
            "isbn": st.sampled_from("12"), "pages": st.integers(-1, 3)})),
        st.tuples(st.sampled_from(["get_book", "drop_book", "list_loans", "get_edition"]),
                  st.fixed_dictionaries({"book_id": st.sampled_from(["B-007", "B-008", "B-010", "B-011", "x"])})),
        st.tuples(st.just("change_book"), st.fixed_dictionaries({"book_id": st.sampled_from(["B-007", "B-010", "x"])},
                  optional={"pages": st.integers(0, 3), "shelf": st.sampled_from("AZ"), "isbn": st.just("1")})),
        st.tuples(st.just("lend"), st.fixed_dictionaries({"book_id": st.sampled_from(["B-007", "B-010", "x"]),
                                                          "reader": st.just("Ada")})),
        st.tuples(st.just("close_loan"), st.fixed_dictionaries({"loan_id": st.integers(39, 42)})),
    ),
    max_size=12,
)  # fmt: skip


def acts(script: Any) -> list[Call]:
    return [Call(api=api, arguments=arguments) for api, arguments in script]


@given(calls, calls)
def test_a_mark_is_where_one_returns_to(before, after):
    world = LIBRARY.world()
    for act in acts(before):
        world.do(act)
    mark, rows = world.mark(), {name: dict(world.rows(name)) for name in LIBRARY.tables}
    first = [world.do(act) for act in acts(after)]
    world.rewind(mark)
    assert {name: dict(world.rows(name)) for name in LIBRARY.tables} == rows
    assert [world.do(act) for act in acts(after)] == first


@given(calls)
def test_equal_worlds_answer_equally(script):
    one, other, elsewhere = LIBRARY.world(), LIBRARY.world(), TWIN.world()
    for act in acts(script):
        assert one.do(act) == other.do(act) == elsewhere.do(act)


@given(calls)
def test_a_dict_of_rows_agrees(script):
    """Which books there are, and which calls are refused, as few lines of Python see it."""
    world, books, loans = LIBRARY.world(), set(SEED["books"]), {40: "open"}
    isbn, made = {"B-007": "1"}, [9, 40]
    for act in acts(script):
        given, refused = act.arguments or {}, False
        book, number = given.get("book_id"), given.get("isbn")
        taken = any(value == number and name != book for name, value in isbn.items())
        if act.api == "add_book":
            refused = not given["title"] or given.get("pages", 1) < 1 or (number is not None and taken)
            if not refused:
                made[0] += 1
                books.add(f"B-{made[0]:03}")
                isbn |= {f"B-{made[0]:03}": number} if number else {}
        elif act.api == "close_loan":
            refused = loans.get(given["loan_id"]) != "open"
            loans |= {} if refused else {given["loan_id"]: "closed"}
        elif act.api == "get_edition":
            refused = book != "B-008" or book not in books
        else:
            wrong = given.get("pages", 1) < 1 or given.get("shelf", "A") not in "ABC" or (number is not None and taken)
            refused = book not in books or wrong
            if act.api == "drop_book" and not refused:
                books.discard(book)
                isbn.pop(book, None)
            elif act.api == "change_book" and not refused and number:
                isbn[book] = number
            elif act.api == "lend" and not refused:
                made[1] += 1
                loans[made[1]] = "open"
        assert (world.do(act).error is not None) is refused, act
        assert set(world.rows("books")) == books
        assert {row["loan_id"]: row["status"] for row in world.rows("loans").values()} == loans
