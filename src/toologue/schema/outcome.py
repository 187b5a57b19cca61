"""What became of a conversation, in one line that is small enough to be kept in git and compared with later runs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from toologue.schema.jsonl import Noun, Record

# What became of a conversation. It is unsure where it would have passed if all that is unsure were right.
Status = Literal["failed", "unsure", "unscored", "passed"]


class Slip(Noun):
    """Where a conversation went wrong: the node of its procedure, the tool, the severity; "" where there is none."""

    node: str = ""
    tool: str = ""
    severity: str = ""


class Outcome(Record):
    """One trial of a dialogue as an agent lived it: whether it passed, and what each metric counted.

    `expected` is a key of the gold's turns, `lived` one of what was said and done: equal keys, equal words and acts.
    `toologue` and `grader` say who graded (a version, a key of rules and similarity).
    """

    format: Literal["outcome/1"] = "outcome/1"
    dialogue: str
    trial: int = 0
    status: Status
    procedure: str = ""
    slips: tuple[Slip, ...] = ()
    counts: dict[str, dict[str, float]] = Field(default_factory=dict)
    unsure: dict[str, dict[str, float]] = Field(default_factory=dict)
    agent: str = ""
    toologue: str = ""
    grader: str = ""
    expected: str = ""
    lived: str = ""
