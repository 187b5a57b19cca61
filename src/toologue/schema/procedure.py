"""A procedure: how a support agent settles one kind of issue, step by step, as somebody wrote it down.

A step asks, says, calls or ends. What leads on is either `next` or one of the branches, tried in their order: a branch
is open where the customer answers `answer` (if it names one) and its `condition` holds (if it has one), so a branch
with neither is what happens otherwise. Arguments, conditions and what a branch sets are expressions over what is known
by then: slots that steps collected, results by their names, facts, and `error`, which is null unless the step's own
call failed (docs/procedures.md has the language).

`line` says where a step or a branch stands in its file. It is no part of what is said: equality leaves it out.

Example:
    >>> ask = Step(number=1, kind="ask", text="what the order number is", collects=("order_id",), next=2)
    >>> call = Step(number=2, kind="call", api="get_order", arguments={"order_id": "order_id"}, result="order",
    ...     branches=(Branch(condition="error", target=1),), next=3)
    >>> [call.leads_to, ask == ask.but(line=7)]
    [(1, 3), True]

Not covered: what follows from the text of a step; it is words for whoever carries the step out.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from toologue.schema.noun import Noun, Record

StepKind = Literal["ask", "say", "call", "end"]
Words = Annotated[str, BeforeValidator(lambda text: " ".join(text.split()) if isinstance(text, str) else text)]
"""Words on one line: how they were wrapped is nobody's business."""


class _Placed(Noun):
    """A noun that knows its line, and is equal to what says the same on another."""

    line: int = 0

    def _said(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in type(self).model_fields if name != "line"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Placed) and type(self) is type(other) and self._said() == other._said()

    def __hash__(self) -> int:
        return hash((type(self), repr(self._said())))


class Branch(_Placed):
    """One way on: what the customer answers, a condition, both, or neither. `sets` gives values to slots."""

    answer: Words = ""
    condition: str = ""
    sets: dict[str, str] = Field(default_factory=dict)
    target: int

    @property
    def is_otherwise(self) -> bool:
        """Whether this branch takes whatever the others left."""
        return not self.answer and not self.condition

    @property
    def is_failure(self) -> bool:
        """Whether this branch is for a call that failed: its condition begins with `error`."""
        return re.match(r"error\b", self.condition) is not None


class Limit(Noun):
    """A step that is entered at most so many `times` in a conversation; after that, `then` comes in its place."""

    times: int = Field(ge=1)
    then: int


class Step(_Placed):
    """One step. `text` is what to ask or say; `api`, `arguments` and the name of the `result` belong to a call."""

    number: int = Field(ge=1)
    kind: StepKind
    text: Words = ""
    collects: tuple[str, ...] = ()
    api: str = ""
    arguments: dict[str, str] = Field(default_factory=dict)
    result: str = ""
    branches: tuple[Branch, ...] = ()
    next: int | None = None
    limit: Limit | None = None

    @property
    def leads_to(self) -> tuple[int, ...]:
        """The steps that may come after this one, as the branches name them (limits left aside)."""
        targets = [branch.target for branch in self.branches]
        return tuple(dict.fromkeys(targets if self.next is None else [*targets, self.next]))


class Procedure(Record):
    """How one issue is settled. `apis` names where the documents of its calls are; `facts` are known from the start.

    `issue` is what a customer comes with, in the customer's words; `wordings` are other words for it. `examples` are
    values that customers may give for a slot; those in one place of several lists belong together.
    """

    format: Literal["procedure/1"] = "procedure/1"
    id: str = Field(min_length=1)
    title: Words
    intent: Words = ""
    client: Words = ""
    issue: Words = ""
    wordings: tuple[Words, ...] = ()
    greeting: Words = ""
    apis: str = ""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    examples: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict[str, tuple[JsonValue, ...]])
    context: Words = ""
    steps: tuple[Step, ...]

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        for place, step in enumerate(self.steps, 1):
            if step.number != place:
                raise ValueError(f"steps are numbered 1, 2, 3 …: the step in place {place} is {step.number}")
        return self

    def step(self, number: int) -> Step | None:
        """The step of this number, if there is one."""
        return self.steps[number - 1] if 1 <= number <= len(self.steps) else None

    @property
    def calls(self) -> tuple[str, ...]:
        """The names of the Apis that the steps call, each once, in order."""
        return tuple(dict.fromkeys(step.api for step in self.steps if step.kind == "call"))
