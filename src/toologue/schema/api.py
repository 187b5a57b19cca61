"""An Api: what an agent is told about one tool, and how two calls of it are compared."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from toologue.schema.jsonl import Noun, Record

# How an argument is judged equal to the expected one:
#
# - exact: equal JSON · folded: equal but for case and outer spaces · set: equal in any order
# - text, prose: similarity at or above the threshold for short texts, for long ones
# - date: the same calendar day · moment: the same instant, however it is written
# - from, until: a range's lower, upper bound: may lie further out, may be absent
# - ids: expected ids are among the actual ones · ignored: never compared
Compare = Literal["exact", "text", "prose", "folded", "date", "moment", "from", "until", "set", "ids", "ignored"]


class Parameter(Noun):
    """One parameter: its JSON Schema, whether a call must give it, how its values compare."""

    json_schema: dict[str, JsonValue] = Field(default_factory=dict, alias="schema")
    required: bool = True
    compare: Compare = "exact"


class Api(Record):
    """One tool. `writes` is true where a call may change the world (the paper's "action", ToolTalk 2.1)."""

    format: Literal["api/1"] = "api/1"
    name: str = Field(min_length=1)
    description: str = ""
    parameters: dict[str, Parameter] = Field(default_factory=dict[str, Parameter])
    returns: dict[str, JsonValue] = Field(default_factory=dict)
    writes: bool = False
    domain: str = ""
    keywords: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the parameters that a call must give, in the order of the documentation."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.required)
