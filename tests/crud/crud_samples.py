"""A lending library, small and complete: every kind of operation once, and a dict of rows that does the same."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from toologue.data import read_text
from toologue.schema import Call, Result
from toologue.worlds.crud import Simulator

LIBRARY = """
openapi: 3.1.0
paths:
  /books:
    get:
      operationId: list_books
      parameters:
        - {name: author, in: query, schema: {type: string}}
        - {name: shelf, in: query, schema: {type: array, items: {type: string}}}
        - {name: min_pages, in: query, schema: {type: integer}}
        - {name: bought_before, in: query, schema: {type: string, format: date}}
        - {name: tag, in: query, schema: {type: string}, x-filter: tags}
        - {name: q, in: query, schema: {type: string}}
        - {name: sort, in: query, schema: {type: string}}
        - {name: limit, in: query, schema: {type: integer}}
        - {name: offset, in: query, schema: {type: integer}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: cursor, in: query, schema: {type: string}}
      responses:
        "200":
          description: A page.
          content:
            application/json:
              schema:
                type: object
                required: [books, total]
                properties:
                  books: {type: array, items: {$ref: "#/components/schemas/Book"}}
                  total: {type: integer}
                  next_cursor: {type: [string, "null"]}
                  has_more: {type: boolean}
    post:
      operationId: add_book
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Book"}}}}
      responses: {"201": {$ref: "#/components/responses/Book"}}
  /books/{book_id}:
    parameters: [{name: book_id, in: path, required: true, schema: {type: string}}]
    get: {operationId: get_book, responses: {"200": {$ref: "#/components/responses/Book"}}}
    patch:
      operationId: change_book
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Changes"}}}}
      responses: {"200": {$ref: "#/components/responses/Book"}}
    put:
      operationId: replace_book
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Book"}}}}
      responses: {"200": {$ref: "#/components/responses/Book"}}
    delete: {operationId: drop_book, responses: {"204": {description: It is gone.}}}
  /books/{book_id}/edition:
    parameters: [{name: book_id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: get_edition
      responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Edition"}}}}}
    patch:
      operationId: change_edition
      requestBody: {content: {application/json: {schema: {type: object, properties: {year: {type: integer}}}}}}
      responses: {"200": {$ref: "#/components/responses/Book"}}
  /books/{book_id}/loans:
    parameters: [{name: book_id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: list_loans
      responses:
        "200":
          description: All loans of the book.
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Loan"}}}}
    post:
      operationId: lend
      requestBody:
        content: {application/json: {schema: {type: object, properties: {reader: {type: string}}, required: [reader]}}}
      responses: {"201": {description: "", content: {application/json: {schema: {$ref: "#/components/schemas/Loan"}}}}}
  /loans/{loan_id}:
    parameters: [{name: loan_id, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: get_loan
      responses: {"200": {description: "", content: {application/json: {schema: {$ref: "#/components/schemas/Loan"}}}}}
  /loans/{loan_id}/close:
    parameters: [{name: loan_id, in: path, required: true, schema: {type: integer}}]
    post:
      operationId: close_loan
      responses: {"200": {description: "", content: {application/json: {schema: {$ref: "#/components/schemas/Loan"}}}}}
components:
  responses:
    Book: {description: A book., content: {application/json: {schema: {$ref: "#/components/schemas/Book"}}}}
  schemas:
    Edition: {type: object, properties: {year: {type: integer}, place: {type: string}}}
    Book:
      type: object
      required: [title]
      properties:
        book_id: {type: string, readOnly: true}
        title: {type: string, minLength: 1}
        author: {type: string}
        shelf: {type: string, enum: [A, B, C], default: A}
        pages: {type: integer, minimum: 1}
        isbn: {type: string, x-unique: true}
        tags: {type: array, items: {type: string}}
        bought_on: {type: string, format: date}
        edition: {$ref: "#/components/schemas/Edition"}
        cost: {type: number, writeOnly: true}
        updated_at: {type: string, format: date-time, readOnly: true}
    Changes:
      type: object
      properties:
        title: {type: string, minLength: 1}
        shelf: {type: string, enum: [A, B, C], default: A}
        pages: {type: integer, minimum: 1}
        isbn: {type: string}
        edition: {$ref: "#/components/schemas/Edition"}
    Loan:
      type: object
      required: [loan_id, book_id, reader, status, since]
      properties:
        loan_id: {type: integer}
        book_id: {type: string}
        reader: {type: string}
        status: {type: string, enum: [open, closed]}
        since: {type: string, format: date}
"""

SEED: dict[str, Any] = {
    "now": "2025-03-12T09:30:00Z",
    "books": {
        "B-007": {"title": "The Salt Road", "author": "Ilse Vogt", "pages": 312, "tags": ["sea"], "isbn": "1"},
        "B-008": {
            "title": "Small Fires",
            "author": "Ilse Vogt",
            "shelf": "B",
            "pages": 98,
            "bought_on": "2024-05-02",
            "edition": {"year": 1998, "place": "Bern"},
        },
        "B-009": {"title": "Harbour Lights", "author": "P. Adebayo", "shelf": "C", "tags": ["sea", "night"], "cost": 5},
    },
    "loans": [{"loan_id": 40, "book_id": "B-008", "reader": "Maren", "status": "open", "since": "2025-02-27"}],
}


@cache
def service(name: str) -> Simulator:
    """A service that ships."""
    return Simulator(name)


parsed = cache(lambda text: read_text(text, "library.yaml").data)


def library(document: str = LIBRARY, seed: Any = SEED, **options: Any) -> Simulator:
    return Simulator(parsed(document), seed, **options)


def do(world: Any, api: str, **arguments: Any) -> Result:
    return world.do(Call(api=api, arguments=arguments))


def value(world: Any, api: str, **arguments: Any) -> Any:
    """What a call gives, which must succeed."""
    result = do(world, api, **arguments)
    assert result.error is None, result.error
    return result.value


def refusal(world: Any, api: str, **arguments: Any) -> str:
    """`type: message` of a call that must be refused, and must leave no trace."""
    before = world.mark()
    result = do(world, api, **arguments)
    assert result.error is not None, result.value
    assert (result.value, result.changes, result.created) == (None, {}, ())
    assert world.diff(before) == []
    return f"{result.error.type}: {result.error.message}"


def with_action(action: str) -> str:
    """The library, where closing a loan is an `x-action`."""
    return re.sub(r"(operationId: close_loan\n)", rf"\1      x-action: {action}\n", LIBRARY)
