"""S3 at an address: any service that speaks its protocol, with credentials from where boto3 finds them.

Contract: buckets whose names begin with the prefix are this world's: what they hold is removed when the world is made,
and the account put in its place. No other bucket is read, written or removed. Callers see names without the prefix. A
mark holds every content; `rewind` writes what differs.

Not covered: moments (the service has its own clock), objects larger than memory, buckets that only others may empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from toologue.apis.schemas import object_of
from toologue.errors import BadSetting
from toologue.worlds.s3.account import Account
from toologue.worlds.s3.service import Contents, client

__all__ = ["Remote"]

_ABSENT = ("404", "NoSuchBucket", "NoSuchKey", "NotFound")


class _Mark(NamedTuple):
    regions: Mapping[str, str]
    contents: Contents


class Remote:
    """One account behind a prefix at an address."""

    def __init__(self, account: Account, endpoint: str, prefix: str):
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{2,30}", prefix):
            what = "3 to 31 small letters, digits and hyphens with which the names of the world's own buckets begin"
            raise BadSetting(f"the world 's3' at an address needs a prefix: {what}, got {prefix!r}")
        self._prefix = prefix
        self._client = client(endpoint)
        self.rewind(_Mark({}, {}))
        self.rewind(_Mark({bucket.name: bucket.region for bucket in account.buckets}, account.contents))

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do one operation."""
        sent = {name: self._inward(name, value) for name, value in arguments.items()}
        response: dict[str, Any] = getattr(self._client, operation)(**sent)
        if "Body" in response:
            response["Body"] = response["Body"].read()
        if "Buckets" in response:
            own = [bucket for bucket in response["Buckets"] if bucket["Name"].startswith(self._prefix)]
            response["Buckets"] = [bucket | {"Name": self._outward(bucket["Name"])} for bucket in own]
        if "Name" in response:
            response["Name"] = self._outward(response["Name"])
        if "Location" in response:
            response["Location"] = f"/{arguments['Bucket']}"
        return response

    def region(self, bucket: str) -> str | None:
        """Where a bucket is."""
        try:
            return self.call("get_bucket_location", {"Bucket": bucket})["LocationConstraint"] or "us-east-1"
        except self._client.exceptions.ClientError as error:
            return _absent(error)

    def content(self, bucket: str, key: str) -> bytes | None:
        """What an object holds."""
        try:
            return cast("bytes", self.call("get_object", {"Bucket": bucket, "Key": key})["Body"])
        except self._client.exceptions.ClientError as error:
            return _absent(error)

    def contents(self) -> Contents:
        """All that is stored."""
        found: dict[str, dict[str, bytes]] = {}
        for bucket in self._names():
            held = ((key, self.content(bucket, key)) for key in self._keys(bucket))
            found[bucket] = {key: data for key, data in held if data is not None}
        return found

    def mark(self) -> _Mark:
        """The present state."""
        contents = self.contents()
        return _Mark({bucket: self.region(bucket) or "us-east-1" for bucket in contents}, contents)

    def rewind(self, mark: _Mark) -> None:
        """Return to a marked state, or to none at all."""
        for bucket in self._names():
            kept = mark.contents.get(bucket, {})
            for key in [key for key in self._keys(bucket) if key not in kept]:
                self.call("delete_object", {"Bucket": bucket, "Key": key})
            if bucket not in mark.contents or self.region(bucket) != mark.regions[bucket]:
                self._remove(bucket)
        present = set(self._names())
        for bucket, held in mark.contents.items():
            if bucket not in present:
                self._make(bucket, mark.regions[bucket])
            for key, data in held.items():
                if self.content(bucket, key) != data:
                    self.call("put_object", {"Bucket": bucket, "Key": key, "Body": data})

    def _make(self, bucket: str, region: str) -> None:
        there = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        self.call("create_bucket", {"Bucket": bucket, **there})

    def _remove(self, bucket: str) -> None:
        for key in list(self._keys(bucket)):
            self.call("delete_object", {"Bucket": bucket, "Key": key})
        self.call("delete_bucket", {"Bucket": bucket})

    def _names(self) -> list[str]:
        return [bucket["Name"] for bucket in self.call("list_buckets", {})["Buckets"]]

    def _keys(self, bucket: str) -> Iterator[str]:
        pages: Any = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._prefix + bucket)
        for page in pages:
            yield from (one["Key"] for one in page.get("Contents", []))

    def _inward(self, name: str, value: Any) -> Any:
        """An argument as the service knows it."""
        if name == "Bucket" and isinstance(value, str):
            return self._prefix + value
        if name == "CopySource" and isinstance(value, str):
            return self._prefix + value.lstrip("/")
        source = object_of(value)
        if name == "CopySource" and isinstance(source.get("Bucket"), str):
            return {**source, "Bucket": self._prefix + source["Bucket"]}
        return value

    def _outward(self, bucket: str) -> str:
        return bucket.removeprefix(self._prefix)


def _absent(error: Any) -> None:
    if error.response["Error"]["Code"] not in _ABSENT:
        raise error
