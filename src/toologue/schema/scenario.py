"""A scenario: a few sentences about somebody who needs several tools, the guidance for one conversation (ToolTalk 2.2).

Example:
    >>> feed = Flow(source="FindAlarms", output="alarms[].alarm_id", target="DeleteAlarm", parameter="alarm_id")
    >>> plan = Scenario(id="a", text="They drop an alarm (FindAlarms + DeleteAlarm).",
    ...     calls=("FindAlarms", "DeleteAlarm"), flows=(feed,))
    >>> plan.flows[0].output
    'alarms[].alarm_id'

Not covered: arguments; a scenario says which tools are used and why, whoever writes the conversation chooses values.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from toologue.schema.noun import Noun, Record


class Flow(Noun):
    """A documented output (a path into `returns`) that a later call takes as a parameter."""

    source: str
    output: str
    target: str
    parameter: str


class Scenario(Record):
    """`calls` are names of Apis in the order of the text; `required` is the one the prompt asked for (2.2)."""

    format: Literal["scenario/1"] = "scenario/1"
    id: str = Field(min_length=1)
    text: str
    plugins: tuple[str, ...] = ()
    required: str = ""
    calls: tuple[str, ...]
    flows: tuple[Flow, ...] = ()
    origin: dict[str, JsonValue] = Field(default_factory=dict)
