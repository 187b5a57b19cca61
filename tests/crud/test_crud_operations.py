"""What operations do by themselves: listed, read, added, merged, replaced, removed, and how each refuses."""

from __future__ import annotations

import pytest
from crud_samples import LIBRARY, SEED, do, library, refusal, value

from toologue.apis.choice import Choice
from toologue.errors import BadRecord
from toologue.schema import Call, Retrieve


@pytest.fixture
def world():
    return library().world()


def test_a_row_is_what_the_document_shows_of_it(world):
    assert value(world, "get_book", book_id="B-009") == {
        "book_id": "B-009", "title": "Harbour Lights", "author": "P. Adebayo", "shelf": "C", "tags": ["sea", "night"],
    }  # fmt: skip
    assert "cost" not in str(value(world, "list_books")), "writeOnly"
    assert refusal(world, "get_book", book_id="B-1") == "not_found: there is no book 'B-1'"


@pytest.mark.parametrize("name", ["../../etc/passwd", "books/B-007", "~", "\u2028", "", "B-007 ", "$now", "\ud800"])
def test_an_id_is_a_name_and_nothing_else(world, name):
    assert refusal(world, "get_book", book_id=name).startswith("not_found: there is no book ")


def test_what_is_added_can_be_read_and_goes_on_in_the_style_of_the_ids(world):
    made = do(world, "add_book", title="Low Tide", isbn="9")
    assert made.value == {
        "book_id": "B-010", "title": "Low Tide", "shelf": "A", "isbn": "9", "updated_at": "2025-03-12T09:30:00Z",
    }  # fmt: skip
    assert made.created == ("books/B-010",)
    assert made.changes == {"books/B-010": made.value}
    assert value(world, "get_book", book_id="B-010") == made.value
    assert value(world, "add_book", title="Ebb")["book_id"] == "B-011"
    assert value(world, "list_books")["total"] == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "invalid: title is missing"),
        ({"title": ""}, "invalid: title: '' is shorter than 1"),
        ({"title": 5}, "invalid: title: expected string, got 5"),
        ({"title": "x", "shelf": "D"}, "invalid: shelf: 'D' is none of A, B, C"),
        ({"title": "x", "pages": 0}, "invalid: pages: 0 is less than 1"),
        ({"title": "x", "pages": True}, "invalid: pages: expected integer, got True"),
        ({"title": "x", "tags": ["a", 3]}, "invalid: tags[1]: expected string, got 3"),
        ({"title": "x", "edition": {"year": "old"}}, "invalid: edition.year: expected integer, got 'old'"),
        ({"title": "x", "bought_on": "yesterday"}, "invalid: bought_on: 'yesterday' is no date"),
        ({"title": "x", "isbn": "1"}, "conflict: isbn: '1' is taken"),
        ({"title": "x", "book_id": "B-1"}, "invalid: no parameter of add_book is called 'book_id'"),
        ({"titel": "x"}, "invalid: no parameter of add_book is called 'titel'; did you mean 'title'?"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(world, arguments, message):
    assert refusal(world, "add_book", **arguments).startswith(message)


def test_a_patch_changes_what_it_names(world):
    changed = do(world, "change_book", book_id="B-008", pages=99, edition={"year": 1999})
    assert changed.value["pages"] == 99
    assert changed.value["shelf"] == "B", "the default of a field is no change to it"
    assert changed.value["edition"] == {"year": 1999, "place": "Bern"}
    assert changed.value["updated_at"] == "2025-03-12T09:30:00Z"
    assert list(changed.changes) == ["books/B-008"]
    assert changed.created == ()
    assert do(world, "change_book", book_id="B-008", pages=99).changes == {}, "equal is no change"
    assert refusal(world, "change_book", book_id="B-008", isbn="1") == "conflict: isbn: '1' is taken"


def test_a_put_replaces_what_can_be_said_and_keeps_the_rest(world):
    put = value(world, "replace_book", book_id="B-008", title="Large Fires")
    assert put == {"book_id": "B-008", "title": "Large Fires", "shelf": "A", "updated_at": "2025-03-12T09:30:00Z"}
    assert world.rows("books")["B-008"]["book_id"] == "B-008"


def test_the_key_of_a_row_stays():
    named = LIBRARY.replace("book_id: {type: string, readOnly: true}", "book_id: {type: string}")
    world = library(named).world()
    put = value(world, "replace_book", book_id="B-008", title="Large Fires")
    assert put["book_id"] == "B-008", "even where the body may say it and does not"
    other = refusal(world, "replace_book", book_id="B-008", body_book_id="B-9", title="x")
    assert other == "invalid: book_id: 'B-008' names the book, it stays"
    assert value(world, "add_book", title="x", book_id="X-1")["book_id"] == "X-1"
    assert refusal(world, "add_book", title="x", book_id="X-1") == "conflict: the book 'X-1' is there already"


def test_what_is_removed_is_gone_and_its_name_is_not_used_again(world):
    value(world, "add_book", title="Low Tide")
    gone = do(world, "drop_book", book_id="B-010")
    assert (gone.value, gone.changes) == (None, {"books/B-010": None})
    assert refusal(world, "drop_book", book_id="B-010") == "not_found: there is no book 'B-010'"
    assert value(world, "add_book", title="Ebb")["book_id"] == "B-011"


def test_a_field_of_a_row_has_a_path_of_its_own(world):
    assert value(world, "get_edition", book_id="B-008") == {"year": 1998, "place": "Bern"}
    assert value(world, "change_edition", book_id="B-008", year=2001)["edition"] == {"year": 2001, "place": "Bern"}
    assert refusal(world, "get_edition", book_id="B-007") == "not_found: the book 'B-007' has no edition"


def test_rows_below_a_row_are_those_that_refer_to_it(world):
    loan = value(world, "lend", book_id="B-007", reader="Jon")
    assert loan == {"loan_id": 41, "book_id": "B-007", "reader": "Jon", "status": "open", "since": "2025-03-12"}
    assert value(world, "list_loans", book_id="B-007") == [loan]
    assert [row["loan_id"] for row in value(world, "list_loans", book_id="B-008")] == [40]
    assert value(world, "list_loans", book_id="B-009") == []
    assert refusal(world, "list_loans", book_id="B-1") == "not_found: there is no book 'B-1'"
    assert refusal(world, "lend", book_id="B-1", reader="Jon") == "not_found: there is no book 'B-1'"


def test_nothing_is_no_name():
    loose = LIBRARY.replace("        book_id: {type: string}\n", "        book_id: {type: [string, 'null']}\n")
    loan = {"loan_id": 1, "book_id": None, "reader": "Jon", "status": "open", "since": "2025-01-01"}
    world = library(loose, {"books": {"None": {"title": "Nothing"}}, "loans": [loan]}).world()
    assert value(world, "list_loans", book_id="None") == []


def test_a_number_names_a_row_however_it_is_written(world):
    assert value(world, "get_loan", loan_id=40) == value(world, "get_loan", loan_id=40.0)
    assert refusal(world, "get_loan", loan_id="40") == "invalid: loan_id: expected integer, got '40'"


def test_an_action_that_means_a_status_needs_no_words(world):
    assert value(world, "close_loan", loan_id=40)["status"] == "closed"
    assert refusal(world, "close_loan", loan_id=40) == "conflict: the loan 40 is closed already"


def test_what_is_no_call_of_this_service_is_refused(world):
    assert world.do(Retrieve(query="books")).error.message == "this service has no retrieve acts"
    assert world.do(Call(api="get_bok", arguments={})).error.message.startswith(
        "no operation is called 'get_bok'; did you mean 'get_book'?"
    )
    assert world.do(Call(api="get_book", arguments=None, raw="{")).error.type == "parse"


@pytest.mark.parametrize(
    ("old", "new", "operation", "why"),
    [
        (
            "  /loans/{loan_id}/close:",
            "  /loans/{loan_id}/frobnicate:",
            "close_loan",
            "$.paths['/loans/{loan_id}/frobnicate'].post: nothing says what 'close_loan' does (say it with `x-action`",
        ),
        (
            "        loan_id: {type: integer}\n",
            "        digits: {type: integer}\n",
            "get_loan",
            "$.paths['/loans/{loan_id}'].get: the rows of 'loans' have no field that names them; looked for loan_id,",
        ),
    ],
)
def test_what_cannot_be_understood_its_documentation_answers(old, new, operation, why):
    made = library(LIBRARY.replace(old, new), {"now": "2025-03-12"})
    assert made.answers["list_books"] == ("state", "")
    assert made.answers[operation].by == "documented"
    assert why in made.answers[operation].why
    answer = do(made.world(), operation, loan_id=40)
    assert answer.value["status"] in ("open", "closed")
    assert answer.changes == {}
    assert do(made.world(), operation, loan_id="x").error.type == "invalid"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "x-filter: tags",
            "x-filter: {field: tag, is: contains}",
            "no field of books is called 'tag'; did you mean 'tags'?",
        ),
        ("x-filter: tags", "x-filter: {is: contains}", "x-filter: expected a field, {field, is} or `ignored`"),
    ],
)
def test_what_the_document_says_to_us_is_to_be_understood(old, new, message):
    assert old in LIBRARY
    with pytest.raises(BadRecord) as caught:
        library(LIBRARY.replace(old, new))
    assert message in str(caught.value)


def test_a_list_says_which_of_its_parameters_it_ignores():
    made = library(LIBRARY.replace("{name: min_pages, in", "{name: mood, in"))
    assert made.answers["list_books"] == ("state", "ignored, as no field is called so: mood")
    odd = "{name: sort, in: query, schema: {enum: [pages_desc, newest]}}"
    made = library(LIBRARY.replace("{name: sort, in: query, schema: {type: string}}", odd))
    assert made.answers["list_books"].why == "ignored, as no field is called so: sort"


def test_what_an_answer_requires_and_no_row_has_is_the_least_that_is_allowed():
    odd = LIBRARY.replace("required: [books, total]", "required: [books, mood]")
    assert (
        value(library(odd.replace("total: {type: integer}", "mood: {type: integer}")).world(), "list_books")["mood"]
        == 0
    )


def test_rows_know_what_they_lie_under_though_no_field_tells():
    odd = LIBRARY.replace(
        "        book_id: {type: string}\n        reader", "        volume: {type: string}\n        reader"
    )
    world = library(odd.replace("loan_id, book_id, reader", "loan_id, reader"), {**SEED, "loans": []}).world()
    lent = value(world, "lend", book_id="B-008", reader="Maren")
    assert "book_id" not in lent
    assert value(world, "list_loans", book_id="B-008") == [lent]
    assert value(world, "list_loans", book_id="B-007") == []


def test_an_operation_that_nobody_asks_for_needs_not_be_understood():
    odd = LIBRARY.replace("/loans/{loan_id}/close:", "/loans/{loan_id}/frobnicate:")
    world = library(odd, choice=Choice(only=("get_book", "list_books"))).world()
    assert [api.name for api in world.apis] == ["list_books", "get_book"]
    assert value(world, "list_books")["total"] == 3
    assert world.rows("loans"), "the seed is for the whole service"
