"""Acts and results: what an agent does, and what the world answered.

An act is one of three kinds, told apart by `kind`: a call of an Api, a question to the retriever (ToolDial 3.2), or a
program over a stack of goals (Dialog2API 3). A result answers one act.

Example:
    >>> Call(api="DeleteAlarm", arguments={"alarm_id": "5bff-dd80"}).kind
    'call'
    >>> executable(Program(goal="1", status="drafting", code="..."))
    False

Not covered: streaming results; a result is whole or an error.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from toologue.schema.noun import Noun


class Call(Noun):
    """A call of an Api. `arguments` is None where what the model wrote did not parse; `raw` is then its text."""

    kind: Literal["call"] = "call"
    api: str
    arguments: dict[str, JsonValue] | None = Field(default_factory=dict)
    raw: str | None = None


class Retrieve(Noun):
    """A question to the retriever: which Apis fit `query`, or who can supply the `missing` (api, parameter)."""

    kind: Literal["retrieve"] = "retrieve"
    query: str = ""
    missing: tuple[str, str] | None = None


class Program(Noun):
    """A program for one goal of the stack. Only a `final` program runs."""

    kind: Literal["program"] = "program"
    goal: str
    status: Literal["drafting", "final", "abandoned"]
    code: str


Act = Annotated[Call | Retrieve | Program, Field(discriminator="kind")]


class Fault(Noun):
    """Something went wrong, as data: `type` is a short stable word or a class name, `message` is for people."""

    type: str
    message: str = ""


class Result(Noun):
    """What the world answered, and what the act wrote.

    `changes` maps the path of a row (`table/row`, `/` and `~` inside the row's name written `~1`
    and `~0`) to the new row, or to
    None where the row is gone; only rows that *this* act wrote. `created` lists those paths that held no row before.
    `arguments` are the arguments as executed, where the world changed them (an injected session).
    """

    value: JsonValue = None
    error: Fault | None = None
    arguments: dict[str, JsonValue] | None = None
    changes: dict[str, JsonValue] = Field(default_factory=dict)
    created: tuple[str, ...] = ()


def executable(act: Call | Retrieve | Program) -> bool:
    """Whether the world is asked to do this act: drafts and abandoned programs are not."""
    return act.kind != "program" or act.status == "final"
