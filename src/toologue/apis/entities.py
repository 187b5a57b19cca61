"""Entities: the outputs and the parameters of an Api, flat, in the words that a graph compares (ToolDial 3.1).

Contract: entities stand in the order of the documentation. An output's name is the path of its keys joined by `|`,
levels of lists left out (`data|items|id`); `many` says that a result may hold several of it. `phrase` (5 to 7 words)
is the schema's `title`; `description` is the long one (`x-description`), else the documented one. A name that keys
cannot spell stands in `x-name`.

Example:
    >>> from toologue.schema import Api, Parameter
    >>> team = {"type": "object", "properties": {"id": {"type": "integer", "title": "number of a team"}}}
    >>> api = Api(name="Teams", parameters={"league": Parameter()}, returns={"type": "array", "items": team})
    >>> [(one.name, one.phrase, one.many) for one in outputs(api)], [one.name for one in inputs(api)]
    ([('id', 'number of a team', True)], ['league'])

Not covered: objects as entities; only their leaves are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toologue.models.outputs import leaves
from toologue.schema import Api

__all__ = ["Entity", "inputs", "outputs"]


class Entity(NamedTuple):
    """One output or one parameter of an Api."""

    api: str
    name: str
    phrase: str
    description: str
    schema: Mapping[str, Any]
    many: bool = False
    required: bool = False


def outputs(api: Api) -> Iterator[Entity]:
    """The leaves of what an Api returns."""
    for leaf in leaves(api.returns):
        name = leaf.schema.get("x-name") or leaf.path.replace("[]", "").replace(".", "|").lstrip("|")
        yield _entity(api, str(name), leaf.schema, many="[]" in leaf.path)


def inputs(api: Api) -> Iterator[Entity]:
    """The parameters of an Api."""
    for name, parameter in api.parameters.items():
        yield _entity(api, name, parameter.json_schema, required=parameter.required)


def _entity(api: Api, name: str, schema: Mapping[str, Any], *, many: bool = False, required: bool = False) -> Entity:
    description = schema.get("x-description") or schema.get("description") or ""
    return Entity(api.name, name, str(schema.get("title", "")), str(description), schema, many, required)
