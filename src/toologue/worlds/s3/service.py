"""What S3 offers: its eleven operations, as Apis and as the definitions that the paper prompts with; a boto3 client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from toologue.data import read_source
from toologue.errors import BadSetting
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
    """Documents as Python definitions without bodies, for any world's Apis (paper, appendix E)."""

    def definition(api: Api) -> str:
        given = ["self", *(_argument(name, parameter) for name, parameter in api.parameters.items())]
        return f'def {api.name}({", ".join(given)}):\n    """{api.description}"""'

    return "\n\n".join(map(definition, documents))


def _argument(name: str, parameter: Parameter) -> str:
    kind = _type(parameter.json_schema.get("type"))
    if parameter.required:
        return f"{name}: {kind}"
    default = parameter.json_schema.get("default")
    is_plain = isinstance(default, str) and '"' not in default and "\\" not in default
    return f"{name}: Optional[{kind}] = " + (f'"{default}"' if is_plain else repr(default))


def _type(kind: JsonValue) -> str:
    if isinstance(kind, list):
        names = [_type(one) for one in kind if one != "null"]
        return names[0] if len(names) == 1 else f"Union[{', '.join(names)}]"
    return _TYPES.get(cast("str", kind), "Any")


# The bytes by bucket and key.
Contents = Mapping[str, Mapping[str, bytes]]


def client(endpoint: str, *, attempts: int = 3, **credentials: str) -> Any:
    """A boto3 client that adds nothing to what is asked of it. Raises BadSetting where boto3 is not installed."""
    try:
        import boto3  # pyright: ignore[reportMissingTypeStubs]
        from botocore.config import Config  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise missing() from None
    config = Config(
        s3={"addressing_style": "path"},
        retries={"total_max_attempts": attempts, "mode": "standard"},
        connect_timeout=5,
        read_timeout=30,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    session: Any = boto3.Session()
    return session.client("s3", region_name="us-east-1", endpoint_url=endpoint, config=config, **credentials)


def missing() -> BadSetting:
    """What to say where the libraries are not installed."""
    return BadSetting("the world 's3' needs boto3 and moto: pip install 'toologue[programs]'")
