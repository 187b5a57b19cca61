'''The documents of the eleven operations of S3, as Apis and as the definitions that the paper prompts with.

Contract: an Api is named as boto3's method, its parameters as S3's own. `as_definitions` is text for a prompt, no code
to run: a function a document, types and defaults from the schemas, the description as docstring (paper, appendix E).

Example:
    >>> print(as_definitions(apis()[:2]))
    def get_object(self, Bucket: str, Key: str):
        """Retrieves an object from a bucket."""
    <BLANKLINE>
    def put_object(self, Bucket: str, Key: str, Body: Optional[Union[str, Dict]] = ""):
        """Adds an object to a bucket. An object that has this key already is replaced."""

Not covered: what a function returns, which the paper's definitions leave out as well.
'''

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from toologue.data import read_source
from toologue.schema import Api, Parameter

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Dict", "array": "List"}


@cache
def apis() -> tuple[Api, ...]:
    """The documents of the eleven operations."""
    told = read_source(Path(__file__).with_name("apis.yaml")).data
    return tuple(Api.model_validate({"domain": "S3", **one}) for one in told)


@cache
def by_name() -> Mapping[str, Api]:
    """The same by name."""
    return {api.name: api for api in apis()}


def as_definitions(documents: Sequence[Api]) -> str:
    """Documents as Python definitions without bodies, for any world's Apis."""
    return "\n\n".join(_definition(api) for api in documents)


def _definition(api: Api) -> str:
    given = ["self", *(_argument(name, parameter) for name, parameter in api.parameters.items())]
    return f'def {api.name}({", ".join(given)}):\n    """{api.description}"""'


def _argument(name: str, parameter: Parameter) -> str:
    kind = _type(parameter.json_schema.get("type"))
    if parameter.required:
        return f"{name}: {kind}"
    default = parameter.json_schema.get("default")
    return f"{name}: Optional[{kind}] = {_literal(default)}"


def _type(kind: JsonValue) -> str:
    if isinstance(kind, list):
        names = [_type(one) for one in kind if one != "null"]
        return names[0] if len(names) == 1 else f"Union[{', '.join(names)}]"
    return _TYPES.get(cast("str", kind), "Any")


def _literal(value: JsonValue) -> str:
    return f'"{value}"' if isinstance(value, str) and '"' not in value and "\\" not in value else repr(value)
