"""Lists: a filter is the plain comprehension, pages hold every row once, and what makes no sense is refused."""

from __future__ import annotations

from typing import Any

import pytest
from crud_samples import LIBRARY, library, refusal, value
from hypothesis import given, settings
from hypothesis import strategies as st

AUTHORS = ("Ilse Vogt", "P. Adebayo", "Mo")
books = st.lists(
    st.fixed_dictionaries(
        {"title": st.sampled_from(["Sea", "The Sea Wall", "Night", "night boat"])},
        optional={
            "author": st.sampled_from(AUTHORS),
            "shelf": st.sampled_from("ABC"),
            "pages": st.integers(1, 9),
            "tags": st.lists(st.sampled_from(["sea", "night", "old"]), max_size=2),
            "bought_on": st.dates().map(str),
        },
    ),
    max_size=12,
)


def shelved(rows: list[dict[str, Any]]) -> Any:
    return library(seed={"books": [{"book_id": f"B-{n:03}", **row} for n, row in enumerate(rows)]}).world()


def ids(answer: Any) -> list[str]:
    return [row["book_id"] for row in answer["books"]]


def pages(world: Any, **asked: Any) -> list[Any]:
    """Every page, by its cursors."""
    found = [value(world, "list_books", **asked)]
    while found[-1]["next_cursor"] is not None:
        found.append(value(world, "list_books", cursor=found[-1]["next_cursor"], **asked))
        assert len(found) < 100
    return found


@settings(max_examples=25)
@given(books, st.fixed_dictionaries({}, optional={
    "author": st.sampled_from(AUTHORS), "shelf": st.lists(st.sampled_from("ABC"), min_size=1, max_size=2),
    "min_pages": st.integers(0, 9), "tag": st.sampled_from(["sea", "old"]), "bought_before": st.dates().map(str),
    "q": st.sampled_from(["sea", "NIGHT boat", "wall"]),
}))  # fmt: skip
def test_a_filter_is_the_plain_comprehension(rows, asked):
    world = shelved(rows)
    tests = {
        "author": lambda row, it: row.get("author") == it,
        "shelf": lambda row, it: row["shelf"] in it,
        "min_pages": lambda row, it: row.get("pages", 0) >= it and "pages" in row,
        "tag": lambda row, it: it in row.get("tags", []),
        "bought_before": lambda row, it: "bought_on" in row and row["bought_on"] < it,
        "q": lambda row, it: all(word in str(list(row.values())).lower() for word in it.lower().split()),
    }
    kept = [row for row in world.rows("books").values() if all(tests[name](row, it) for name, it in asked.items())]
    answer = value(world, "list_books", **asked)
    assert ids(answer) == [row["book_id"] for row in kept]
    assert answer["total"] == len(kept)


@settings(max_examples=25)
@given(
    books, st.integers(1, 5), st.sampled_from([None, "title", "-pages", "pages:desc", "shelf_asc", "bought_on desc"])
)
def test_pages_hold_every_row_once_and_in_order(rows, limit, sort):
    world, asked = shelved(rows), {} if sort is None else {"sort": sort}
    whole = ids(value(world, "list_books", **asked))
    assert sorted(whole) == sorted(world.rows("books"))
    found = pages(world, limit=limit, **asked)
    assert [name for page in found for name in ids(page)] == whole
    assert all(len(page["books"]) == limit for page in found[:-1])
    assert {page["total"] for page in found} == {len(rows)}
    assert [page["has_more"] for page in found] == [True] * (len(found) - 1) + [False]
    numbered = [ids(value(world, "list_books", limit=limit, page=n + 1, **asked)) for n in range(len(found))]
    assert [name for page in numbered for name in page] == whole
    by_offset = [ids(value(world, "list_books", limit=limit, offset=n, **asked)) for n in range(0, len(rows), limit)]
    assert [name for page in by_offset for name in page] == whole


@settings(max_examples=25)
@given(books)
def test_rows_are_sorted_and_those_without_a_value_come_last(rows):
    world = shelved(rows)
    for sort, down in (("pages", False), ("-pages", True), ("pages desc", True)):
        found = [row.get("pages") for row in value(world, "list_books", sort=sort)["books"]]
        known = [pages for pages in found if pages is not None]
        assert known == sorted(known, reverse=down)
        assert found[len(known) :] == [None] * (len(found) - len(known))


def test_pages_have_a_size_where_nobody_says_one():
    world = library(seed={"books": [{"book_id": str(n), "title": "x"} for n in range(45)]}).world()
    assert len(value(world, "list_books", page=1)["books"]) == 20
    assert ids(value(world, "list_books", page=3)) == ["40", "41", "42", "43", "44"]
    assert value(world, "list_books", page=4)["books"] == []
    assert [len(page["books"]) for page in pages(world)] == [20, 20, 5]
    assert len(value(world, "list_books", limit=45)["books"]) == 45


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"limit": -1}, "invalid: limit: expected a whole number of 0 or more, got -1"),
        ({"page": 0}, "invalid: page: expected a whole number of 1 or more, got 0"),
        ({"offset": -3}, "invalid: offset: expected a whole number of 0 or more, got -3"),
        ({"cursor": "B-999"}, "invalid: cursor: 'B-999' is none that this list gave"),
        ({"sort": "weight"}, "invalid: no field of books is called 'weight'; Known: "),
        ({"limit": "2"}, "invalid: limit: expected integer, got '2'"),
        ({"colour": "red"}, "invalid: no parameter of list_books is called 'colour'; "),
    ],
)
def test_what_makes_no_sense_is_refused(asked, message):
    assert refusal(library().world(), "list_books", **asked).startswith(message)


@pytest.mark.parametrize(
    ("parameter", "asked", "found"),
    [
        ("{name: pages_gte, in: query, schema: {type: integer}}", {"pages_gte": 98}, ["B-007", "B-008"]),
        ("{name: pages_lt, in: query, schema: {type: integer}}", {"pages_lt": 312}, ["B-008"]),
        ("{name: maxPages, in: query, schema: {type: integer}}", {"maxPages": 98}, ["B-008"]),
        ("{name: writer, in: query, schema: {type: string}, x-filter: author}", {"writer": "P. Adebayo"}, ["B-009"]),
        ("{name: name, in: query, schema: {}, x-filter: {field: title, is: contains}}", {"name": "LIGHT"}, ["B-009"]),
        ("{name: place, in: query, schema: {type: string, x-filter: edition.place}}", {"place": "Bern"}, ["B-008"]),
        ("{name: bought_from, in: query, schema: {format: date}}", {"bought_from": "2024-05-02"}, ["B-008"]),
        ("{name: bought_until, in: query, schema: {format: date}}", {"bought_until": "2024-05-02"}, ["B-008"]),
        ("{name: since, in: query, schema: {type: string, format: date}, x-filter: {field: bought_on, is: above}}",
         {"since": "2024-05-02"}, []),
        ("{name: verbose, in: query, schema: {}, x-filter: ignored}", {"verbose": True}, ["B-007", "B-008", "B-009"]),
        ("{name: keyword, in: query, schema: {type: string}}", {"keyword": "vogt"}, ["B-007", "B-008"]),
    ],
)  # fmt: skip
def test_the_name_of_a_parameter_says_how_it_filters_or_the_document_does(parameter, asked, found):
    document = LIBRARY.replace("{name: min_pages, in: query, schema: {type: integer}}", parameter)
    assert ids(value(library(document).world(), "list_books", **asked)) == found
