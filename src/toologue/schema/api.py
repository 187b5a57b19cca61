"""An Api: what an agent is told about one tool, and how two calls of it are compared."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

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
    """One tool. `writes` is true where a call may change the world (the paper's "action", ToolTalk 2.1).

    `confirm` says whether a call waits until the customer has agreed: always, or, as the names of parameters, where
    what these name is there already, so that it would be written over.
    """

    format: Literal["api/1"] = "api/1"
    name: str = Field(min_length=1)
    description: str = ""
    parameters: dict[str, Parameter] = Field(default_factory=dict[str, Parameter])
    returns: dict[str, JsonValue] = Field(default_factory=dict)
    writes: bool = False
    domain: str = ""
    keywords: tuple[str, ...] = ()
    confirm: bool | tuple[str, ...] = False

    @model_serializer(mode="wrap")
    def _said(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What documents do not say is not written: so their keys do not depend on it."""
        told: dict[str, Any] = serialize(self)
        return told if self.confirm else {name: value for name, value in told.items() if name != "confirm"}

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the parameters that a call must give, in the order of the documentation."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.required)
