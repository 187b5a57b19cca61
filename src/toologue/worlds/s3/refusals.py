"""What S3 refuses although moto and boto3 let it pass; judged before anything is sent.

Contract: `refusal` is None for what may be sent. Names of buckets keep the rules for new ones only where one is made.

Example:
    >>> refusal("create_bucket", {"Bucket": "My_Photos"})
    Fault(type='InvalidBucketName', message='The specified bucket is not valid.')

Not covered: what boto3 and the service refuse themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from toologue.apis.schemas import object_of
from toologue.schema import Fault
from toologue.worlds.s3.documents import by_name
from toologue.worlds.s3.values import bytes_of

_NAME, _NEW = re.compile(r"[a-zA-Z0-9.\-_]{1,255}"), re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


def refusal(operation: str, arguments: Mapping[str, Any]) -> Fault | None:
    """Why S3 would not do this, if it would not."""
    known = by_name()[operation].parameters
    unknown = [name for name in arguments if name not in known]
    if unknown:
        return _invalid(f'Unknown parameter in input: "{unknown[0]}", must be one of: {", ".join(known)}')
    source = arguments.get("CopySource")
    if isinstance(source, str) and not all(source.lstrip("/").partition("/")):
        message = "Copy Source must mention the source bucket and key: sourcebucket/sourcekey"
        return Fault(type="InvalidArgument", message=message)
    for bucket in _named(arguments):
        if not isinstance(bucket, str) or not _NAME.fullmatch(bucket):
            return _invalid(f'Invalid bucket name "{bucket}": Bucket name must match the regex "^{_NAME.pattern}$"')
    try:
        bytes_of(arguments.get("Body", ""))
    except ValueError as error:
        return _invalid(f"Invalid Body: {error}")
    key = arguments.get("Key")
    if isinstance(key, str) and len(key.encode()) > 1024:
        return Fault(type="KeyTooLongError", message="Your key is too long")
    return _unmakeable(arguments) if operation == "create_bucket" else None


def _unmakeable(arguments: Mapping[str, Any]) -> Fault | None:
    bucket, configuration = arguments.get("Bucket"), arguments.get("CreateBucketConfiguration")
    if isinstance(bucket, str) and (not _NEW.fullmatch(bucket) or ".." in bucket):
        return Fault(type="InvalidBucketName", message="The specified bucket is not valid.")
    region = object_of(configuration).get("LocationConstraint")
    if isinstance(region, str) and (region not in _regions() or region == "us-east-1"):
        return Fault(type="InvalidLocationConstraint", message="The specified location-constraint is not valid")
    return None


def _invalid(why: str) -> Fault:
    return Fault(type="ParamValidationError", message=f"Parameter validation failed:\n{why}")


def _named(arguments: Mapping[str, Any]) -> list[Any]:
    """The names of buckets that a call gives."""
    source = arguments.get("CopySource")
    if isinstance(source, str):
        source = {"Bucket": source.lstrip("/").partition("/")[0]}
    return [holder["Bucket"] for holder in (arguments, object_of(source)) if "Bucket" in holder]


@cache
def _regions() -> frozenset[str]:
    import boto3  # pyright: ignore[reportMissingTypeStubs]

    session: Any = boto3.Session()
    return frozenset(session.get_available_regions("s3"))
