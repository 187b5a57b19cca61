"""A procedure over a service of its own, small enough to be read at one glance, and grounds that tests share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from toologue.formats.procedure import read
from toologue.plan.procedures import files, procedure
from toologue.plan.procedures.explore import Explorer, FeasiblePath
from toologue.plan.procedures.service import service
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Procedure

LIBRARY = """
openapi: 3.1.0
info: {title: Library, version: "1"}
paths:
  /loans/{loan_id}:
    get:
      operationId: get_loan
      parameters: [{name: loan_id, in: path, required: true, schema: {type: string, pattern: "^L-[0-9]{3}$"}}]
      responses: {"200": {description: a loan, content: {application/json: {schema: {$ref: "#/components/schemas/Loan"
        }}}}}
    patch:
      operationId: renew_loan
      parameters: [{name: loan_id, in: path, required: true, schema: {type: string}}]
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [weeks],
        properties: {weeks: {type: integer, minimum: 1, maximum: 4}}}}}}
      responses: {"200": {description: a loan, content: {application/json: {schema: {$ref: "#/components/schemas/Loan"
        }}}}}
components:
  schemas:
    Loan:
      type: object
      required: [loan_id, title, status]
      properties:
        loan_id: {type: string}
        title: {type: string}
        status: {type: string, enum: [lent, late, returned]}
        weeks: {type: integer}
"""
ROWS = """
now: "2025-03-12T09:30:00Z"
loans:
  - {loan_id: L-101, title: The Sea, status: lent}
  - {loan_id: L-102, title: Glass, status: late}
  - {loan_id: L-103, title: Old Roads, status: returned}
"""
RENEWAL = """---
id: renew-a-loan
issue: I would like to keep a book longer.
---

# Renew a loan

1. **Ask** for the loan number. Collect `loan_id`.
2. **Call** `get_loan` with `loan_id`, giving `loan`.
   - If it fails: go to 3.
   - If `loan.status == "lent"`: go to 4.
   - Otherwise: go to 6.
3. **Ask** for the number again, since {loan_id} is unknown. Collect `loan_id`. Go to 2. At most 1 time, then go to 6.
4. **Ask** for how many weeks they want to keep {loan.title}. Collect `weeks`.
5. **Call** `renew_loan` with `loan_id` and `weeks`.
   - If it fails: go to 6.
   - Otherwise: go to 7.
6. **End**: say that this loan cannot be renewed.
7. **End**: say that the loan is renewed.
"""


def written(folder: Path) -> tuple[Path, Path, Path]:
    """The files of the library: procedure, document, rows."""
    texts = {"renew-a-loan.md": RENEWAL, "library.yaml": LIBRARY, "rows.yaml": ROWS}
    for name, text in texts.items():
        (folder / name).write_text(text)
    first, second, third = (folder / name for name in texts)
    return first, second, third


def renewal() -> Procedure:
    return read(RENEWAL)


@cache
def ground_of(name: str, seed: int = 0) -> Explorer:
    """The ground of a procedure that ships."""
    chosen = procedure(name)
    return Explorer(chosen, conversation_graph(flowgraph(chosen)), service(files()[name].parent.name), seed=seed)


@cache
def trails_of(name: str, count: int) -> tuple[FeasiblePath, ...]:
    """So many ways through it."""
    return tuple(ground_of(name).trails(count))
