"""The course of a conversation, compiled from a brief: the procedure's flowgraph, and what each slot can hold.

A slot is typed by what it feeds: the parameter of a call that gets it as it is, else the field of a result that a
condition compares it with, else the examples that the procedure gives for it.

Contract: pure. `course_of` raises BadFile, with every problem, for instructions that are no procedure in our dialect.

Example:
    >>> from toologue.schema import Brief, Parameter
    >>> text = '''# Where is my order?
    ... 1. **Ask** for the order number. Collect `order_id`.
    ... 2. **Call** `get_order` with `order_id`, giving `order`.
    ... 3. **End**: say that it is {order.status}.
    ... '''
    >>> number = Parameter(schema={"type": "string", "pattern": "^O-[0-9]{5}$"})
    >>> course = course_of(Brief(instructions=text, apis=(Api(name="get_order", parameters={"order_id": number}),)))
    >>> course.slots["order_id"].schema["pattern"], course.step("N2").api
    ('^O-[0-9]{5}$', 'get_order')

Not covered: slots that feed a call only inside an expression (`amount * 2`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from toologue.formats.procedure import read
from toologue.procedure.flowgraph import flowgraph
from toologue.procedure.steering import Steering
from toologue.schema import Api, Brief, Graph, Procedure, Step

_COMPARED = r"(?:==|!=|<=|>=|<|>)"
_PATH = r"(?P<path>[A-Za-z]\w*(?:\.\w+|\[\d+\])+)"


@dataclass(frozen=True)
class Slot:
    """What a customer can be asked for: the JSON Schema of its values, and how the documents describe it."""

    name: str
    schema: Mapping[str, Any]
    description: str = ""
    lenient: bool = False
    """Whether the procedure leaves it to a call to refuse values: one that does not fit is a value as well."""

    @property
    def pattern(self) -> str:
        """The pattern that values have, without its anchors; empty if there is none."""
        pattern = self.schema.get("pattern")
        return pattern.removeprefix("^").removesuffix("$") if isinstance(pattern, str) else ""

    @property
    def is_free(self) -> bool:
        """Whether any text would do: nothing in the schema tells a value from other words."""
        typed = self.schema.get("type", "string") not in ("string", ["string", "null"])
        return not (typed or self.pattern or self.schema.get("format") or self.schema.get("enum"))


@dataclass(frozen=True)
class Course:
    """A procedure that can be followed: its flowgraph, the documents of its calls, its slots."""

    procedure: Procedure
    flow: Graph
    apis: Mapping[str, Api]
    slots: Mapping[str, Slot]

    @cached_property
    def steering(self) -> Steering:
        """The flowgraph, as those see it who walk through it."""
        return Steering(self.flow)

    def step(self, node: str) -> Step:
        """The step that a node of the flowgraph stands for. The greeting has none: look at its type first."""
        number = self.flow.by_id[node].step
        assert number is not None
        return self.procedure.steps[number - 1]

    def writes(self, api: str) -> bool:
        """Whether a call may change the world; what nobody documents only reads."""
        return api in self.apis and self.apis[api].writes


def course_of(brief: Brief) -> Course:
    """The course that a brief prescribes."""
    apis = {api.name: api for api in brief.apis}
    procedure = read(brief.instructions, file="<instructions>")
    collected = dict.fromkeys(name for step in procedure.steps for name in step.collects)
    slots = {name: _slot(name, procedure, apis) for name in collected}
    return Course(procedure, flowgraph(procedure), apis, slots)


def _slot(name: str, procedure: Procedure, apis: Mapping[str, Api]) -> Slot:
    for slot in (*_fed(name, procedure, apis), *_compared(name, procedure, apis)):
        return slot
    return Slot(name, _exemplified(procedure.examples.get(name, ())))


def _fed(name: str, procedure: Procedure, apis: Mapping[str, Api]) -> list[Slot]:
    """A slot for each parameter that gets the value as it is; that of its own name first."""
    found: list[tuple[bool, Slot]] = []
    for step in procedure.steps:
        parameters = apis[step.api].parameters if step.api in apis else {}
        for parameter, expression in step.arguments.items():
            if expression.strip() == name and parameter in parameters:
                schema = parameters[parameter].json_schema
                lenient = any("invalid" in branch.condition for branch in step.branches if branch.is_failure)
                described = Slot(name, schema, str(schema.get("description", "")), lenient)
                found.append((parameter != name, described))
    return [slot for _, slot in sorted(found, key=lambda one: one[0])]


def _compared(name: str, procedure: Procedure, apis: Mapping[str, Api]) -> Iterator[Slot]:
    """A slot for each field of a result that a condition compares it with."""
    returned = {step.result: apis[step.api].returns for step in procedure.steps if step.result and step.api in apis}
    conditions = (branch.condition for step in procedure.steps for branch in step.branches)
    either = re.compile(
        rf"\b{name}\b\s*{_COMPARED}\s*{_PATH}|{_PATH.replace('path', 'other')}\s*{_COMPARED}\s*{name}\b"
    )
    for found in (match for condition in conditions for match in either.finditer(condition)):
        root, *fields = re.findall(r"\w+", found["path"] or found["other"])
        if schema := _inside(returned.get(root, {}), fields):
            yield Slot(name, schema, str(schema.get("description", "")))


def _inside(schema: Mapping[str, Any], fields: Sequence[str]) -> Mapping[str, Any]:
    """The schema of a field of a field; empty where none is."""
    for field in fields:
        inner: Any = schema.get("items") if field.isdigit() else schema.get("properties", {}).get(field)
        schema = cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else {}
    return schema


def _exemplified(examples: tuple[Any, ...]) -> dict[str, Any]:
    if examples and all(isinstance(one, int | float) and not isinstance(one, bool) for one in examples):
        return {"type": "number"}
    return {"type": "string"}
