"""`x-action`: what it asks, sets, creates and answers, and what it says of a mistake in it."""

from __future__ import annotations

import pytest
from crud_samples import LIBRARY, do, library, refusal, value, with_action

from toologue.errors import BadRecord


def world_with(action, **options):
    return library(with_action(action), **options).world()


def test_requirements_are_asked_in_their_order_with_words_of_their_own():
    world = world_with("""
        requires:
          - {that: loan.status == "open", otherwise: "Loan ${loan_id} of ${loan.reader} is ${loan.status}."}
          - {that: loan.reader == "Jon", otherwise: {status: 403, message: Only for Jon.}}
          - {that: loan.reader == "Ada"}
        otherwise: {status: 410}
        sets: {status: closed}
    """)
    assert refusal(world, "close_loan", loan_id=40) == "forbidden: Only for Jon."
    value(world, "lend", book_id="B-007", reader="Jon")
    assert refusal(world, "close_loan", loan_id=41) == 'gone: `loan.reader == "Ada"` does not hold'
    closed = with_action('{requires: loan.status == "closed", otherwise: "$$5 for ${loan.reader}, ${loan.loan_id}"}')
    assert (
        refusal(library(closed).world(), "close_loan", loan_id=40) == "conflict: $5 for ${loan.reader}, ${loan.loan_id}"
    )


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ('loan.status in ["open"] and loan_id <= 40', True),
        ('loan.since >= today - "2 weeks"', True),
        ("days_since(loan.since) == 13 and now >= loan.since", True),
        ("loan.reader == null or loan_id > loan.loan_id", False),
        ("loan.reader > 5", False),
    ],
)
def test_conditions_are_written_as_procedures_write_them(condition, holds):
    world = world_with(f"{{requires: {condition!r}, sets: {{status: closed}}}}")
    if holds:
        assert value(world, "close_loan", loan_id=40)["status"] == "closed"
    else:
        assert refusal(world, "close_loan", loan_id=40) == f"conflict: `{condition}` does not hold"


def test_sets_and_creates_and_returns():
    world = world_with("""
        sets: {status: closed, since: $today - "1 day", reader: "${loan.reader} (back)"}
        creates: {books: {title: "Found by ${loan.reader}", pages: 3, bought_on: $today + "2 weeks"}}
        returns: {closed: $loan, book: $book, title: $book.title, at: $now, price: $$5, list: [$loan.status, $loan_id]}
    """)
    done = do(world, "close_loan", loan_id=40)
    assert done.value["closed"] == {
        "loan_id": 40, "book_id": "B-008", "reader": "Maren (back)", "status": "closed", "since": "2025-03-11",
    }  # fmt: skip
    assert done.value["book"]["bought_on"] == "2025-03-26"
    assert done.value["title"] == "Found by Maren"
    assert (done.value["at"], done.value["price"]) == ("2025-03-12T09:30:00Z", "$5")
    assert done.value["list"] == ["closed", 40]
    assert done.created == ("books/B-010",)
    assert list(done.changes) == ["books/B-010", "loans/40"]


def test_sums_are_exact_and_end_where_the_schema_does():
    action = "{on: books, sets: {pages: $book.pages - 1}}"
    document = with_action(action).replace(
        "/loans/{loan_id}/close:\n    parameters: [{name: loan_id, in: path, required: true, schema: {type: integer}}]",
        "/tear:\n    parameters: [{name: book_id, in: query, required: true, schema: {type: string}}]",
    ).replace("schemas/Loan\"}}}}}\ncomponents", 'schemas/Book"}}}}}\ncomponents')  # fmt: skip
    world = library(
        document, {"books": {"a": {"title": "x", "pages": 2}, "b": {"title": "y"}}}, now="2025-01-01"
    ).world()
    assert value(world, "close_loan", book_id="a")["pages"] == 1
    assert refusal(world, "close_loan", book_id="a") == "invalid: pages: 0 is less than 1"
    assert refusal(world, "close_loan", book_id="b") == "invalid: pages: expected integer, got None"
    assert refusal(world, "close_loan", book_id="c") == "not_found: there is no book 'c'"


def test_what_was_not_given_changes_nothing():
    action = "{on: books, sets: {pages: $book.pages - torn, author: $who}}"
    body = "requestBody: {content: {application/json: {schema: {properties: {torn: {type: integer}, who: {}}}}}}"
    document = LIBRARY.replace(
        "    delete: {operationId: drop_book,",
        f"    post: {{operationId: tear, x-action: {action}, {body},\n      responses: {{}}}}\n"
        "    delete: {operationId: drop_book,",
    )
    world = library(document).world()
    value(world, "tear", book_id="B-008", torn=3)
    assert world.rows("books")["B-008"]["pages"] == 95
    assert do(world, "tear", book_id="B-008").changes == {}


def test_a_refusal_in_the_middle_leaves_no_trace():
    world = world_with("{creates: {books: {title: Same, isbn: $loan.reader}}, sets: {status: closed}}")
    value(world, "close_loan", loan_id=40)
    assert refusal(world, "close_loan", loan_id=40) == "conflict: isbn: 'Maren' is taken"
    assert value(world, "list_books")["total"] == 4


@pytest.mark.parametrize(
    ("action", "place", "what"),
    [
        ("[]", "x-action", "expected an object, got []"),
        ("{set: {status: closed}}", "x-action.set", "this key is unknown; known: on, requires, otherwise, sets,"),
        ("{requires: 5}", "x-action.requires", "expected a list, got 5"),
        ("{requires: [{that: 5}]}", "x-action.requires[0].that", "expected a text, got 5"),
        ("{requires: {status: open}}", "x-action.requires", "expected a list, got"),
        ("{requires: lone.status == 1}", "x-action.requires", "no reference is called 'lone'; did you mean 'loan'?"),
        ("{requires: loan.stat == 1}", "x-action.requires", "no field of loans is called 'stat'; did you mean 'sta"),
        ("{requires: [{that: loan_id = 4}]}", "x-action.requires[0]", "is no expression: write == to compare"),
        ("{requires: open(loan)}", "x-action.requires", "calls open(): only any(), days_since(), len() and sum() may"),
        ("{requires: loan_id == 1, otherwise: {status: 200}}", "x-action.requires.otherwise", "from 400 to 599"),
        ("{requires: loan_id == 1, otherwise: {code: 409}}", "x-action.otherwise.code", "this key is unknown"),
        ("{sets: {status: lost}}", "x-action.sets.status", "'lost' is none of open, closed"),
        ("{sets: {stat: open}}", "x-action.sets.stat", "no field of loans is called 'stat'; did you mean 'sta"),
        ("{sets: {loan_id: 5}}", "x-action.sets.loan_id", "it names the loan, and stays"),
        ("{sets: {since: $tody}}", "x-action.sets.since", "no reference is called 'tody'; did you mean 'today'"),
        ("{sets: {since: $today + 3 moons}}", "x-action.sets.since", "is no expression"),
        ("{creates: {boks: {}}}", "$", "nothing says what the rows of 'boks' look like"),
        ("{creates: {book: {title: x}}}", "$", "'book' and 'books' are two tables, and called as if they were one"),
        ("{creates: {books: {titel: x}}}", "x-action.creates.books", "no field of books is called 'titel'"),
        ("{on: loan}", "x-action.on", "no table is called 'loan'; did you mean 'loans'?"),
        ("{returns: $loan.stat}", "x-action.returns", "no field of loans is called 'stat'; did you mean 'status'"),
    ],
)  # fmt: skip
def test_mistakes_are_found_when_the_document_is_read(action, place, what):
    with pytest.raises(BadRecord) as caught:
        library(with_action(action))
    assert f"{place}: " in str(caught.value)
    assert what in str(caught.value)


def test_an_operation_that_reads_sets_nothing():
    reading = with_action("{sets: {status: closed}}").replace(
        "operationId: close_loan\n", "operationId: close_loan\n      x-writes: false\n"
    )
    with pytest.raises(BadRecord, match=r"x-action: an operation that only reads sets and creates nothing"):
        library(reading)
