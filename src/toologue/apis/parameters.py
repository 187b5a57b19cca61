"""One parameter as an `Api` documents it: its schema, and how two values of it compare.

Contract: `x-compare` in a schema decides (`schema.Compare`); else dates and moments compare as such, e-mail addresses
without case, what people write freely (a note, a message, a description) by similarity, arrays of unique items as
sets, and all the rest exactly.

Example:
    >>> [parameter({"type": "string"}, name).compare for name in ("order_id", "email", "note")]
    ['exact', 'folded', 'prose']

Not covered: `reason` and other words that may stand for a code as well as for a text; say `x-compare` for those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from toologue.apis.schemas import properties_of, required_of, shape, written_out
from toologue.schema import Compare, Parameter
from toologue.text.names import expected_kinds
from toologue.values.json_schema import resolved

COMPARERS: tuple[Compare, ...] = get_args(Compare)
_BY_KIND: Mapping[str, Compare] = {"date": "date", "moment": "moment", "email": "folded", "message": "prose"}


def parameter(schema: Any, name: str, *, root: Any = None, description: str = "", required: bool = True) -> Parameter:
    """The parameter of a schema that stands in a document (`root`; by default the schema itself)."""
    made = written_out(schema, root, without="readOnly")
    if description and "description" not in made:
        made["description"] = description
    compare = compare_of(schema, name, root=root, description=str(made.get("description", "")))
    return Parameter(schema=made, required=required, compare=compare)


def parameters_of(schema: Any, root: Any = None) -> dict[str, Parameter]:
    """The properties of an object schema as parameters."""
    root = schema if root is None else root
    whole = shape(schema, root)
    return {
        name: parameter(inner, name, root=root, required=name in required_of(whole))
        for name, inner in properties_of(whole).items()
    }


def compare_of(schema: Any, name: str, *, root: Any = None, description: str = "") -> Compare:
    """How two values of this schema compare."""
    root = schema if root is None else root
    rule = resolved(schema, root) or {}
    said: Compare | None = next((compare for compare in COMPARERS if compare == rule.get("x-compare")), None)
    if said is not None:
        return said
    if rule.get("uniqueItems") is True:
        return "set"
    kinds = {want.kind for want in expected_kinds(schema, name, description, root)}
    return _BY_KIND.get(kinds.pop(), "exact") if len(kinds) == 1 else "exact"
