"""API documents as Python definitions: what a model that writes programs reads (Dialog2API, appendix E).

`published` is the paper's: types, defaults, the description. Otherwise an enum is a `Literal`, and below the
description stand what is said of each parameter, what a call gives, which faults it raises, and what it must wait for.

Example:
    >>> from toologue.schema import Parameter
    >>> reason = {"enum": ["duplicate", "fraudulent"], "description": "Why.", "default": "duplicate"}
    >>> cents = {"type": "integer", "minimum": 1, "description": "In cents."}
    >>> refund = Api(name="refund", description="Gives money back.", returns={"properties": {"id": {"type": "string"}}},
    ...     failures={"conflict": "It was given back."},
    ...     parameters={"cents": Parameter(schema=cents), "reason": Parameter(schema=reason, required=False)})
    >>> print(definitions([refund]))
    def refund(self, cents: int, reason: Optional[Literal["duplicate", "fraudulent"]] = "duplicate"):
        \"\"\"Gives money back.
    <BLANKLINE>
        cents: In cents. At least 1.
        reason: Why.
        Gives {id: string}.
        Raises conflict: It was given back.
        \"\"\"
    >>> print(definitions([refund], published=True))
    def refund(self, cents: int, reason: Optional[Any] = "duplicate"):
        \"\"\"Gives money back.\"\"\"

Not covered: `$ref`s, which Apis that were read from a document do not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toologue.schema import Api, Parameter
from toologue.values.described import DEEP, described, fields, limits
from toologue.values.json_schema import items_of, list_of, object_of, types_of

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Dict", "array": "List"}
_LONG, _GIVEN = 12, 600


def definitions(apis: Sequence[Api], *, published: bool = False) -> str:
    """All of them."""
    return "\n\n".join(_definition(api, published=published) for api in apis)


def _definition(api: Api, *, published: bool) -> str:
    given = ", ".join(["self", *(_argument(*one, published=published) for one in api.parameters.items())])
    more = [] if published else [*_more(api)]
    told = "\n    ".join([api.description, "", *more, ""]).replace("\n    \n", "\n\n") if more else api.description
    return f'def {api.name}({given}):\n    """{told}"""'


def _argument(name: str, parameter: Parameter, *, published: bool) -> str:
    kind = _type(parameter.json_schema, literal=not published)
    if parameter.required:
        return f"{name}: {kind}"
    default = parameter.json_schema.get("default")
    is_plain = isinstance(default, str) and '"' not in default and "\\" not in default
    return f"{name}: Optional[{kind}] = " + (f'"{default}"' if is_plain else repr(default))


def _type(schema: Mapping[str, Any], *, literal: bool = True) -> str:
    if literal and _is_short(schema):
        return f"Literal[{', '.join(json.dumps(one, ensure_ascii=False) for one in list_of(schema['enum']))}]"
    names = list(dict.fromkeys(_TYPES[one] for one in types_of(schema) if one in _TYPES))
    if literal and names == ["List"] and (items := object_of(items_of(schema))):
        return f"List[{_type(items)}]"
    return names[0] if len(names) == 1 else f"Union[{', '.join(names)}]" if names else "Any"


def _is_short(schema: Mapping[str, Any]) -> bool:
    return 0 < len(list_of(schema.get("enum"))) <= _LONG


def _more(api: Api) -> Iterator[str]:
    for name, parameter in api.parameters.items():
        if told := " ".join(_told(parameter.json_schema)):
            yield f"{name}: {told}"
    given = (fields(api.returns, deep) for deep in range(DEEP, 1, -1))
    if told := next((one for one in given if len(one) <= _GIVEN), fields(api.returns, 1)):
        yield f"Gives {told}."
    if told := "; ".join(f"{kind}: {' '.join(said.split()).rstrip('.')}" for kind, said in api.failures.items()):
        yield f"Raises {told}."
    if api.confirm is True:
        yield "The user must agree first."


def _told(schema: Mapping[str, Any]) -> Iterator[str]:
    """What is said of a value: its description, its limits, an example."""
    if isinstance(said := schema.get("description"), str) and said.strip():
        yield " ".join(said.split()).rstrip(".") + "."
    told = [] if not list_of(schema.get("enum")) or _is_short(schema) else [described(schema)]
    told += limits(schema)
    examples = [*list_of(schema.get("examples")), *([schema["example"]] if "example" in schema else [])]
    told += [f"e.g. {json.dumps(examples[0], ensure_ascii=False)}"] if examples else []
    if said := "; ".join(told):
        yield f"{said[:1].upper()}{said[1:]}."
