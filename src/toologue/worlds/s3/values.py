r"""Results of S3 as JSON, and back into what boto3 gives: moments, and bodies that are read.

Contract: the schema that a document has for its result decides. Of a response only what the schema names is kept, in
its order; a `date-time` is a text in UTC, a `binary` body its text, or `{"base64": ...}` where its bytes are no UTF-8.
`as_boto3(schema, as_json(schema, response))` has what the response had, as far as the schema goes.

Example:
    >>> schema = {"type": "object", "properties": {"Body": {"type": "string", "format": "binary"}}}
    >>> as_json(schema, {"Body": b"\xff", "ResponseMetadata": {}})
    {'Body': {'base64': '/w=='}}
    >>> as_boto3(schema, {"Body": "Grüße"})["Body"].read().decode()
    'Grüße'

Not covered: streams that are larger than memory; a body is read at once.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, cast

from pydantic import JsonValue

from toologue.errors import shown


class Stream(BytesIO):
    """The body of an object, as a program reads it."""

    def iter_lines(self) -> Iterator[bytes]:
        """The lines without their ends."""
        return iter(self.read().splitlines())


def as_json(schema: Mapping[str, Any], value: Any) -> JsonValue:
    """What a response says, as far as the schema goes."""
    if "properties" in schema:
        return {name: as_json(part, value[name]) for name, part in schema["properties"].items() if name in value}
    if isinstance(value, list):
        return [as_json(schema["items"], item) for item in cast("list[Any]", value)]
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return content_of(value) if isinstance(value, bytes) else value


def as_boto3(schema: Mapping[str, Any], value: JsonValue) -> Any:
    """The result as boto3 gives it to a program."""
    if schema.get("format") == "date-time":
        return datetime.fromisoformat(cast("str", value))
    if schema.get("format") == "binary":
        return Stream(bytes_of(value))
    if isinstance(value, dict) and "properties" in schema:
        return {name: as_boto3(part, value[name]) for name, part in schema["properties"].items() if name in value}
    if isinstance(value, list):
        return [as_boto3(schema["items"], item) for item in value]
    return value


def content_of(data: bytes) -> JsonValue:
    """Bytes as JSON: their text, or their base64 where they are no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def bytes_of(content: object) -> bytes:
    """The bytes that a JSON value stands for. Raises ValueError for what is neither text nor base64."""
    if isinstance(content, str):
        return content.encode()
    held = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
    if held.keys() != {"base64"} or not isinstance(held["base64"], str):
        raise ValueError(f"a content is a text, or {{'base64': ...}} where it is none, got {shown(content)}")
    try:
        return base64.b64decode(held["base64"], validate=True)
    except binascii.Error as error:
        raise ValueError(f"{shown(held['base64'])} is no base64: {error}") from None
