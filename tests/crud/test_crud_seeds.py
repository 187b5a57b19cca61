"""Seed data: two ways to write it, defaults, and every mistake with its place."""

from __future__ import annotations

import pytest
from crud_samples import LIBRARY, do, library, value

from toologue.data import read_text
from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName
from toologue.worlds.crud import Simulator


def test_rows_are_listed_or_stand_under_their_keys():
    listed = library(seed={"books": [{"book_id": "a", "title": "x"}], "loans": None})
    keyed = library(seed={"books": {"a": {"title": "x"}}})
    assert listed.seed["books"] == keyed.seed["books"] == {"a": {"book_id": "a", "title": "x", "shelf": "A"}}
    numbered = library(seed={"books": {"a": {"title": "x"}}, "loans": {"7": {
        "book_id": "a", "reader": "r", "status": "open", "since": "2025-01-01"}}})  # fmt: skip
    assert numbered.seed["loans"]["7"]["loan_id"] == 7


@pytest.mark.parametrize(
    ("seed", "line", "message"),
    [
        ("[]", 0, "$: expected tables, got [] (write `table: [rows]` or `table: {key: row}`)"),
        ("books: 5", 1, "$.books: expected rows, got 5 (write `[row, …]` or `{key: row, …}`)"),
        ("books:\n- 5", 2, "$.books[0]: expected a row, got 5"),
        ("book: []", 1, "$.book: no table is called 'book'; did you mean 'books'? Known: books, loans"),
        ("books:\n- {book_id: a, title: x}\n- {book_id: a, title: y}", 3, "$.books[1]: the book_id 'a' stands twice"),
        ("books:\n  a: {book_id: b, title: x}", 2, "$.books.a.book_id: 'b' stands under the key 'a'"),
        ("books:\n- {title: x}", 2, "$.books[0]: 'book_id' is missing (every row of books has one)"),
        ("books: {a: {title: x, shelf: Z}}", 1, "$.books.a.shelf: 'Z' is none of A, B, C"),
        ("books: {a: {title: x, pages: 0}}", 1, "$.books.a.pages: 0 is less than 1"),
        ("books: {a: {title: x, tags: [1]}}", 1, "$.books.a.tags: tags[0]: expected string, got 1"),
        ("books: {a: {titel: x}}", 1, "$.books.a.titel: no field of books is called 'titel'; did you mean 'title'?"),
        (
            "books:\n  a: {title: x, isbn: '1'}\n  b: {title: y, isbn: '1'}",
            2,
            "$.books.a.isbn: '1' is taken by b",
        ),
        (
            "books: {a: {title: x}}\nloans:\n- {loan_id: 1, book_id: b, reader: r, status: open, since: 2025-01-01}",
            3,
            "$.loans[0].book_id: no row of books is called 'b'; Known: a",
        ),
        ("now: soon", 1, "$.now: 'soon' is no moment (write it like 2025-03-12T09:30:00Z)"),
        ("now: 0001-01-01", 1, "$.now: '0001-01-01' is no moment"),
    ],
)
def test_every_mistake_has_its_place(tmp_path, seed, line, message):
    document, rows = tmp_path / "library.yaml", tmp_path / "seed.yaml"
    document.write_text(LIBRARY)
    rows.write_text(seed)
    with pytest.raises(BadRecord) as caught:
        Simulator(document, rows)
    assert str(caught.value).startswith(f"{rows}:{line}: {message}" if line else f"{rows}: {message}")


def test_what_a_row_needs_and_nobody_gave_is_made_up():
    seed = {"books": {"a": {"title": "x"}}, "loans": [{"loan_id": 1}, {"loan_id": 2, "reader": "Maren"}]}
    one, other = library(seed=seed).world().rows("loans").values()
    assert (one["book_id"], one["status"] in ("open", "closed")) == ("a", True)
    assert (other["loan_id"], other["reader"]) == (2, "Maren")
    assert [one, other] == [*library(seed=seed).world().rows("loans").values()]


def test_when_it_is():
    assert library().now == "2025-03-12T09:30:00Z"
    assert library(now="2030-01-02 03:04:05+01:00").now == "2030-01-02T03:04:05+01:00"
    assert value(library(now="2030-01-02").world(), "lend", book_id="B-007", reader="r")["since"] == "2030-01-02"
    with pytest.raises(BadRecord, match=r"\$.now: 'later' is no moment"):
        library(now="later")
    timeless = library(seed={"books": {"a": {"title": "x"}}}).world()
    assert value(timeless, "get_book", book_id="a")
    with pytest.raises(BadSetting, match="needs to know when it is: give `now`, to the world or in its seed"):
        do(timeless, "lend", book_id="a", reader="r")
    assert timeless.diff() == []


def test_a_service_that_ships_may_have_a_seed_of_ones_own():
    seed = {"products": {"KP-0001": {"name": "Bell", "category": "home", "price": 4, "stock": 1, "final_sale": False}}}
    assert value(Simulator("shop", seed).world(), "get_product", sku="KP-0001")["name"] == "Bell"
    with pytest.raises(UnknownName, match="no service that ships, and no file, is called 'shopp'; did you mean 'shop'"):
        Simulator("shopp")
    with pytest.raises(BadFile, match=r"cannot read nowhere/shop\.yaml: No such file"):
        Simulator("nowhere/shop.yaml")


def test_what_is_given_is_not_kept():
    document, seed = read_text(LIBRARY).data, {"books": {"a": {"title": "x", "tags": ["t"]}}}
    made = Simulator(document, seed)
    seed["books"]["a"]["tags"].append("changed")
    document["paths"].clear()
    assert value(made.world(), "get_book", book_id="a")["tags"] == ["t"]
