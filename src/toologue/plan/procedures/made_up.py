"""What steps tell of a result that the world made up: no argument, default or rule says what it is.

A simulated service fills in what nobody gave: the day on which something ends is today, a price is 0. Where a step
tells such a value, gold says it aloud; whoever works the value out says another one.
"""

from __future__ import annotations

from collections.abc import Iterator

from toologue.plan.procedures.lint_procedure import Finding
from toologue.plan.procedures.service import Service
from toologue.schema import Procedure
from toologue.values.conditions import Expression, embedded


def made_up_field(expression: Expression, procedure: Procedure, service: Service) -> tuple[str, str] | None:
    """(Api, field) that an expression shows, where the world made that up."""
    for root, *path in expression.paths:
        for step in procedure.steps:
            if path and step.kind == "call" and step.result == root and path[-1] in service.made_up(step.api):
                return step.api, path[-1]
    return None


def made_up_told(procedure: Procedure, service: Service) -> Iterator[Finding]:
    """The steps that tell what is made up."""
    for step in procedure.steps:
        for expression in embedded(step.text) if step.kind != "call" else ():
            if found := made_up_field(expression, procedure, service):
                api, name = found
                yield Finding(
                    line=step.line,
                    rule="made-up value",
                    quote=f"{{{expression.text}}}",
                    why=f"no argument, default or rule of `{api}` says what `{name}` is",
                    remedy=f"`{name}` of `{api}` is made up by the simulator, and step {step.number} says it aloud: "
                    f"say what it is in an overlay (x-action: creates), or leave it out of the words",
                )
