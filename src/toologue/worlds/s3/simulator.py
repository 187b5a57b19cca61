"""The world `s3`: an account whose operations are executed by boto3, on moto in this process or at an address.

Calls are named as boto3's methods and take S3's own arguments; a Body may be a text, or `{"base64": ...}`. Results hold
what the documents say. Errors of the service are faults whose type is the service's code (`NoSuchBucket`); those that
boto3 finds itself are named as its exceptions. Tables: `Bucket` (name → region), `Object/BUCKET` (key → content).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import JsonValue

from toologue.apis.schemas import list_of, object_of
from toologue.errors import UserError, summary
from toologue.schema import Act, Api, Case, Result
from toologue.schema.jsonl import Noun
from toologue.worlds.programs import with_programs
from toologue.worlds.s3.account import (
    DEFAULT,
    Contents,
    apis,
    as_boto3,
    as_json,
    by_name,
    bytes_of,
    content_of,
    data_key,
    load_account,
)
from toologue.worlds.s3.remote import Remote, address_of
from toologue.worlds.s3.signature import Signed
from toologue.worlds.store import path_of
from toologue.worlds.world import Kind, arguments_of, failure

# The names of buckets, and those of new ones.
_NAME, _NEW = r"[a-zA-Z0-9.\-_]{1,255}", r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
_OWN = "toologue-"


def _refusal(operation: str, arguments: Mapping[str, Any]) -> Result | None:
    known, key, bucket = by_name()[operation].parameters, arguments.get("Key"), arguments.get("Bucket")
    unknown = [name for name in arguments if name not in known]
    if unknown:
        return _invalid(f'Unknown parameter in input: "{unknown[0]}", must be one of: {", ".join(known)}')
    source = arguments.get("CopySource")
    if isinstance(source, str):
        first, _, rest = source.lstrip("/").partition("/")
        if not (first and rest):
            told = "Copy Source must mention the source bucket and key: sourcebucket/sourcekey"
            return failure("InvalidArgument", told)
        source = {"Bucket": first}
    for name in (holder["Bucket"] for holder in (arguments, object_of(source)) if "Bucket" in holder):
        if not isinstance(name, str) or not re.fullmatch(_NAME, name):
            return _invalid(f'Invalid bucket name "{name}": Bucket name must match the regex "^{_NAME}$"')
    try:
        bytes_of(arguments.get("Body", ""))
    except ValueError as error:
        return _invalid(f"Invalid Body: {error}")
    if isinstance(key, str) and len(key.encode()) > 1024:
        return failure("KeyTooLongError", "Your key is too long")
    if operation != "create_bucket":
        return None
    if isinstance(bucket, str) and (not re.fullmatch(_NEW, bucket) or ".." in bucket):
        return failure("InvalidBucketName", "The specified bucket is not valid.")
    region = object_of(arguments.get("CreateBucketConfiguration")).get("LocationConstraint")
    if isinstance(region, str) and (region not in _regions() or region == "us-east-1"):
        return failure("InvalidLocationConstraint", "The specified location-constraint is not valid")
    return None


def _invalid(why: str) -> Result:
    return failure("ParamValidationError", f"Parameter validation failed:\n{why}")


@cache
def _regions() -> frozenset[str]:
    import boto3  # pyright: ignore[reportMissingTypeStubs]

    session: Any = boto3.Session()
    return frozenset(session.get_available_regions("s3"))


class S3:
    """One account. `account`: a file, or the one that ships; `endpoint`: an address, with a `prefix` for buckets."""

    # The faults that programs know by name.
    raises = ("NoSuchBucket", "NoSuchKey", "BucketAlreadyExists", "BucketAlreadyOwnedByYou", "BucketNotEmpty",
              "InvalidBucketName", "InvalidLocationConstraint")  # fmt: skip

    def __init__(self, account: str = DEFAULT, *, endpoint: str | None = None, prefix: str = ""):
        self.now = load_account(account).now
        self.blocking = endpoint is not None
        if endpoint is None:
            from toologue.worlds.s3.memory import Memory

            self._service = Memory(load_account(account))
        else:
            self._service = Remote(load_account(account), endpoint, prefix)

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of the eleven operations."""
        return apis()

    def do(self, act: Act) -> Result:
        """Execute a call."""
        if act.kind != "call":
            return failure("unsupported", f"the world 's3' has no {act.kind} acts")
        if act.arguments is None:
            return failure("parse", "the arguments are no JSON object")
        if act.api not in by_name():
            return failure("AttributeError", f"'S3' object has no attribute '{act.api}'")
        try:
            return _refusal(act.api, act.arguments) or self._done(by_name()[act.api], act.arguments)
        except UserError:
            raise  # nobody answers at the address any more
        except Exception as error:  # noqa: BLE001 (a declared boundary: World.do)
            told = object_of(object_of(getattr(error, "response", None)).get("Error"))
            return failure(*((told["Code"], told.get("Message", "")) if told else summary(error)))

    def mark(self) -> Any:
        """The present state."""
        return self._service.mark()

    def rewind(self, mark: Any) -> None:
        """Return to a marked state."""
        self._service.rewind(mark)

    def contents(self) -> Contents:
        """The bytes of every object, by bucket and key."""
        return self._service.contents()

    def region(self, bucket: str) -> str | None:
        """Where a bucket is; None where there is none."""
        return self._service.region(bucket)

    def outward(self, api: Api, value: JsonValue) -> Any:
        """A result as boto3 gives it to a program."""
        return as_boto3(api.returns, value)

    def _done(self, api: Api, arguments: Mapping[str, JsonValue]) -> Result:
        rows = _written(arguments) if api.writes else []
        old = [self._row(bucket, key) for bucket, key in rows]
        sent: dict[str, Any] = dict(arguments)
        if isinstance(sent.get("Body"), dict):
            sent["Body"] = bytes_of(sent["Body"])
        response = self._service.call(api.name, sent)
        changes: dict[str, JsonValue] = {}
        created: list[str] = []
        for (bucket, key), before in zip(rows, old, strict=True):
            row = self._row(bucket, key)
            if row == before and (row is None or key is None):
                continue  # nothing was there and nothing is, or the bucket was there already
            path = path_of("Bucket", bucket) if key is None else path_of(f"Object/{bucket}", key)
            changes[path] = row
            created += [path] if before is None else []
        return Result(value=as_json(api.returns, response), changes=changes, created=tuple(created))

    def _row(self, bucket: str, key: str | None) -> JsonValue:
        if key is None:
            region = self.region(bucket)
            return None if region is None else {"region": region}
        content = self._service.content(bucket, key)
        return None if content is None else {"content": content_of(content)}


def _written(arguments: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """(bucket, key) of what a writing call may write; a key of None is the bucket itself."""
    bucket, named = arguments.get("Bucket"), object_of(arguments.get("Delete")).get("Objects")
    keys = [object_of(one).get("Key") for one in (list_of(named) if isinstance(named, list) else [arguments])]
    texts = dict.fromkeys(key for key in keys if key is None or isinstance(key, str))
    return [(bucket, key) for key in texts] if isinstance(bucket, str) else []


class _Arguments(Noun):
    account: str = DEFAULT


def s3_for(case: Case, endpoint: str = "") -> S3:
    """The account of a case, in this process, or at the address that is given or stands in the environment.

    At the address of `TOOLOGUE_S3_ENDPOINT` its buckets are called `toologue-KEY-...`, and a service that holds any
    others is refused, unless `TOOLOGUE_S3_PREFIX` says what ours begin with. Raises BadSetting.
    """
    endpoint = endpoint or os.environ.get("TOOLOGUE_S3_ENDPOINT", "")
    account = arguments_of(case.world, _Arguments).account
    if not endpoint:
        return S3(account)
    return S3(account, endpoint=endpoint, prefix=f"{prefix_at(endpoint)}{case.key[:8]}-")


def prefix_at(endpoint: str) -> str:
    """With what the names of our buckets begin at an address. Raises BadSetting where we cannot or may not use it."""
    named = os.environ.get("TOOLOGUE_S3_PREFIX", "")
    remedy = f"set TOOLOGUE_S3_PREFIX={_OWN} and none is touched whose name does not begin so"
    address_of(endpoint).refuse_others("" if named else _OWN, remedy)
    return named or _OWN


_CONVENTIONS = (
    'A date is a datetime, and a Body is read: `["Body"].read().decode()`. Whoever wants a new bucket says in which '
    'region: it is asked for, `CreateBucketConfiguration={"LocationConstraint": ...}`; in us-east-1 there is no '
    "configuration. What deletes, copies or renames keys that the program itself has found returns the list of them."
)
KIND = Kind(
    make=s3_for,
    documents=apis,
    data_key=lambda setting: data_key(arguments_of(setting, _Arguments).account),
    conventions=_CONVENTIONS,
)


def s3_programs_for(case: Case, *, endpoint: str = "") -> Signed:
    """The account of a case, signed, with programs."""
    return Signed(with_programs(s3_for(case, endpoint), name="s3"))


S3_PROGRAMS = replace(KIND, make=s3_programs_for)
