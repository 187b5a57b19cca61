"""What S3 holds and offers: accounts, read from files; its eleven operations, as Apis and as definitions; a client.

    now: 2025-06-02T09:00:00Z             # an account: the hour with which a world begins, buckets and objects
    buckets:
    - name: larkfield-office
      region: eu-central-1                # us-east-1 where absent
      created: 2023-11-06T08:15:00Z
      objects:
      - {key: notes/todo.txt, modified: 2025-05-30T17:45:00Z, content: "order chains\\n", repeat: 1}

A content is a text, or `{base64: ...}` where the bytes are no UTF-8. Names and keys are unique.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, JsonValue, ValidationError

from toologue.apis.schemas import list_of, object_of
from toologue.data import Place, Source, read_source
from toologue.errors import BadFile, BadSetting, shown
from toologue.keys import file_key
from toologue.sandbox.messages import Stream
from toologue.schema import Api
from toologue.schema.jsonl import Noun

# The name of the account that ships.
DEFAULT = "larkfield"
# The bytes by bucket and key.
Contents = Mapping[str, Mapping[str, bytes]]

Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.astimezone(UTC))]


def as_json(schema: Mapping[str, Any], value: Any) -> JsonValue:
    """What a response says, as far as the schema goes."""
    if "properties" in schema:
        return {name: as_json(part, value[name]) for name, part in schema["properties"].items() if name in value}
    if isinstance(value, list):
        return [as_json(schema["items"], item) for item in list_of(value)]
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
    held = object_of(content)
    if held.keys() != {"base64"} or not isinstance(held["base64"], str):
        raise ValueError(f"a content is a text, or {{'base64': ...}} where it is none, got {shown(content)}")
    try:
        return base64.b64decode(held["base64"], validate=True)
    except binascii.Error as error:
        raise ValueError(f"{shown(held['base64'])} is no base64: {error}") from None


class Stored(Noun):
    """An object."""

    key: str = Field(min_length=1, max_length=1024)
    modified: Moment
    content: Annotated[bytes, BeforeValidator(bytes_of)] = b""
    repeat: int = Field(default=1, ge=1)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the object."""
        return self.content * self.repeat


class Bucket(Noun):
    """A bucket and what it holds."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    region: str = "us-east-1"
    created: Moment
    objects: tuple[Stored, ...] = ()


class Account(Noun):
    """All buckets of one owner, and the hour at which the conversation takes place."""

    now: Moment
    buckets: tuple[Bucket, ...] = ()

    @property
    def contents(self) -> Contents:
        """The bytes by bucket and key."""
        return {bucket.name: {one.key: one.data for one in bucket.objects} for bucket in self.buckets}


def load_account(name: str) -> Account:
    """The account of a file, or the one that ships. A file is read again when it changes."""
    return _load(_file(name), _file(name).stat().st_mtime_ns)


def _file(name: str) -> Path:
    file = Path(__file__).with_name("account.yaml") if name == DEFAULT else Path(name)
    if not file.is_file():
        raise BadFile(f"{file} is no file of an S3 account; give a YAML file, or {DEFAULT!r} for the one that ships")
    return file


def data_key(name: str) -> str:
    """16 hex digits that name the content of an account's file."""
    return file_key(_file(name))


@lru_cache(maxsize=32)
def _load(file: Path, stamp: int) -> Account:
    source = read_source(file)
    try:
        account = Account.model_validate(source.data)
    except ValidationError as error:
        raise source.refused(error, ()) from None
    _check_unique(source, ("buckets",), "name", [bucket.name for bucket in account.buckets], "")
    for at, bucket in enumerate(account.buckets):
        place = ("buckets", at, "objects")
        _check_unique(source, place, "key", [one.key for one in bucket.objects], f" in {bucket.name}")
    return account


def _check_unique(source: Source, place: Place, field: str, names: list[str], where: str) -> None:
    if len(set(names)) < len(names):
        at = next(at for at, name in enumerate(names) if name in names[:at])
        what = "bucket" if field == "name" else "object"
        raise source.bad((*place, at, field), f"a second {what} {names[at]!r}{where}", f"{field}s are unique")


@cache
def apis() -> tuple[Api, ...]:
    """The documents of the eleven operations."""
    told = read_source(Path(__file__).with_name("apis.yaml")).data
    return tuple(Api.model_validate({"domain": "S3", **one}) for one in told)


@cache
def by_name() -> Mapping[str, Api]:
    """The same by name."""
    return {api.name: api for api in apis()}


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


def respond(service: Any, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The response of a client to one operation, its body read."""
    response: dict[str, Any] = getattr(service, operation)(**arguments)
    return response | {"Body": response["Body"].read()} if "Body" in response else response


def missing() -> BadSetting:
    """What to say where the libraries are not installed."""
    return BadSetting("the world 's3' needs boto3 and moto: pip install 'toologue[programs]'")
