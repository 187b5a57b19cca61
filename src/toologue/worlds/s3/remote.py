"""S3 at an address: any service that speaks its protocol, with credentials from where boto3 finds them.

Contract: buckets whose names begin with the prefix are this world's: what they hold is removed when the world is made,
and the account put in its place; they are removed again when the world is gone. No other bucket is read, written or
removed. Callers see names without the prefix, and moments as in the account: what was written since is of its `now`. A
mark holds every content; `rewind` writes what differs. A service that cannot be reached, does not let us in or does not
speak S3 is a BadSetting, whenever that shows; after some seconds, not minutes.

Not covered: objects larger than memory, buckets that only others may empty; regions of a service that has no others. A
process that is killed leaves its buckets; the next run of the same case begins by removing them.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple, cast

from toologue.apis.schemas import object_of
from toologue.errors import BadSetting
from toologue.worlds.s3.account import Account
from toologue.worlds.s3.address import address_of
from toologue.worlds.s3.service import Contents

_ABSENT = ("404", "NoSuchBucket", "NoSuchKey", "NotFound")
Moments = dict[tuple[str, str | None], datetime]
"""When (bucket, key) was last written, where that was before the conversation; a key of None is the bucket itself."""


class _Mark(NamedTuple):
    regions: Mapping[str, str]
    contents: Contents
    moments: Moments


_NOTHING = _Mark({}, {}, {})


class Remote:
    """One account behind a prefix at an address."""

    def __init__(self, account: Account, endpoint: str, prefix: str):
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{2,30}", prefix):
            what = "3 to 31 small letters, digits and hyphens with which the names of the world's own buckets begin"
            raise BadSetting(f"the world 's3' at an address needs a prefix, TOOLOGUE_S3_PREFIX: {what}, got {prefix!r}")
        self._address, self._prefix, self._now = address_of(endpoint), prefix, account.now
        self._moments: Moments = {}
        self._known: dict[tuple[str, str, str], bytes] = {}
        self.rewind(_NOTHING)
        weakref.finalize(self, self._address.clear, prefix)
        regions = {bucket.name: bucket.region for bucket in account.buckets}
        self.rewind(_Mark(regions, account.contents, _moments(account)))

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do one operation."""
        sent = {name: self._inward(name, value) for name, value in arguments.items()}
        response = self._address.send(operation, **sent)
        if "Buckets" in response:
            own = [bucket for bucket in response["Buckets"] if bucket["Name"].startswith(self._prefix)]
            response["Buckets"] = [bucket | {"Name": self._outward(bucket["Name"])} for bucket in own]
        if "Name" in response:
            response["Name"] = self._outward(response["Name"])
        if "Location" in response:
            response["Location"] = f"/{arguments['Bucket']}"
        self._date(operation, arguments, response)
        return response

    def region(self, bucket: str) -> str | None:
        """Where a bucket is."""
        with self._perhaps_absent():
            return self.call("get_bucket_location", {"Bucket": bucket})["LocationConstraint"] or "us-east-1"
        return None

    def content(self, bucket: str, key: str) -> bytes | None:
        """What an object holds."""
        with self._perhaps_absent():
            return cast("bytes", self.call("get_object", {"Bucket": bucket, "Key": key})["Body"])
        return None

    def contents(self) -> Contents:
        """All that is stored. What is known by its tag is not asked for again."""
        found: dict[str, dict[str, bytes]] = {}
        for bucket in self._buckets():
            held = {key: self._tagged(bucket, key, tag) for key, tag in self._address.listed(self._prefix + bucket)}
            found[bucket] = {key: data for key, data in held.items() if data is not None}
        return found

    def mark(self) -> _Mark:
        """The present state."""
        contents = self.contents()
        regions = {bucket: self.region(bucket) or "us-east-1" for bucket in contents}
        return _Mark(regions, contents, dict(self._moments))

    def rewind(self, mark: _Mark) -> None:
        """Return to a marked state, or to none at all."""
        present: dict[str, Mapping[str, bytes]] = {} if mark is _NOTHING else dict(self.contents())
        for bucket in self._buckets():
            kept = mark.contents.get(bucket)
            if kept is None or self.region(bucket) != mark.regions[bucket]:
                self._address.remove(self._prefix + bucket)
                present.pop(bucket, None)
            else:
                self._address.delete(self._prefix + bucket, [key for key in present[bucket] if key not in kept])
        for bucket, held in mark.contents.items():
            there = present.get(bucket)
            if there is None:
                self._make(bucket, mark.regions[bucket])
            for key, data in held.items():
                if there is None or there.get(key) != data:
                    put = self.call("put_object", {"Bucket": bucket, "Key": key, "Body": data})
                    self._known[bucket, key, put.get("ETag", "")] = data
        self._moments = dict(mark.moments)

    def _make(self, bucket: str, region: str) -> None:
        there = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        self.call("create_bucket", {"Bucket": bucket, **there})

    def _buckets(self) -> list[str]:
        return [self._outward(name) for name in self._address.names() if name.startswith(self._prefix)]

    def _tagged(self, bucket: str, key: str, tag: str) -> bytes | None:
        """What an object with this tag holds."""
        if (bucket, key, tag) not in self._known:
            data = self.content(bucket, key)
            if data is None:
                return None
            self._known[bucket, key, tag] = data
        return self._known[bucket, key, tag]

    def _date(self, operation: str, arguments: Mapping[str, Any], response: dict[str, Any]) -> None:
        """Note what is new, and give the response the account's moments."""
        bucket = str(arguments.get("Bucket"))
        key = arguments.get("Key")
        if operation in ("put_object", "copy_object"):
            self._moments.pop((bucket, key), None)
        if operation == "delete_bucket":
            self._moments.pop((bucket, None), None)
        for one in response.get("Buckets", ()):
            one["CreationDate"] = self._moments.get((one["Name"], None), self._now)
        for one in response.get("Contents", ()):
            one["LastModified"] = self._moments.get((bucket, one["Key"]), self._now)
        for one in (response, object_of(response.get("CopyObjectResult"))):
            if "LastModified" in one:
                one["LastModified"] = self._moments.get((bucket, key), self._now)

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

    @contextmanager
    def _perhaps_absent(self) -> Generator[None]:
        try:
            yield
        except self._address.ClientError as error:
            told: Any = error
            if told.response["Error"]["Code"] not in _ABSENT:
                raise


def _moments(account: Account) -> Moments:
    found: Moments = {(bucket.name, None): bucket.created for bucket in account.buckets}
    return found | {(bucket.name, one.key): one.modified for bucket in account.buckets for one in bucket.objects}
