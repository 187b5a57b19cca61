"""S3 at an address: any service that speaks its protocol, with credentials from where boto3 finds them.

Buckets whose names begin with the prefix are this world's: removed when the world is made, with the account put in
their place, and again when it is gone (a process that is killed leaves them to the next run of the same case). No other
bucket is read, written or removed. Callers see names without the prefix, and moments as in the account. A service that
cannot be reached, or does not let us in, is a BadSetting; what it refuses otherwise is boto3's `ClientError`.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from toologue.apis.schemas import object_of
from toologue.errors import BadSetting
from toologue.worlds.s3.account import Account, Contents, client, respond

# So many objects can be deleted at once.
_MOST = 1000


class Address:
    """A service. `ClientError` is what it raises."""

    def __init__(self, endpoint: str):
        if not re.fullmatch(r"https?://[\w.:\[\]-]+/?", endpoint):
            raise BadSetting(f"{endpoint!r} is no address of a service, as http://127.0.0.1:5000 is")
        self._endpoint = endpoint
        self._client = client(endpoint)
        self.ClientError: type[Exception] = self._client.exceptions.ClientError

    def send(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """The response to one operation, its body read."""
        from botocore import exceptions, parsers  # pyright: ignore[reportMissingTypeStubs]

        try:
            return respond(self._client, operation, arguments)
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            wanted = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            raise BadSetting(f"S3 at {self._endpoint} wants credentials ({error}): {wanted}") from None
        except (exceptions.ConnectionError, exceptions.HTTPClientError) as error:
            raise BadSetting(f"cannot reach S3 at {self._endpoint}: {error}") from None
        except parsers.ResponseParserError:
            raise self._foreign() from None

    def names(self) -> list[str]:
        """The names of all buckets. This is asked first: whoever may not know them cannot use the service."""
        try:
            buckets = self.send("list_buckets").get("Buckets")
        except self.ClientError as error:
            told: Any = error
            status = told.response["ResponseMetadata"].get("HTTPStatusCode")
            if status in (401, 403):
                raise BadSetting(f"S3 at {self._endpoint} does not accept these credentials: {error}") from None
            raise self._foreign(f" (it answers {status})") from None
        if buckets is None:
            raise self._foreign()
        return [bucket["Name"] for bucket in buckets]

    def listed(self, bucket: str) -> Iterator[tuple[str, str]]:
        """(key, tag) of all objects of a bucket. An object of the same tag holds the same."""
        more: dict[str, str] = {}
        while True:
            page = self.send("list_objects_v2", Bucket=bucket, **more)
            yield from ((one["Key"], one.get("ETag", "")) for one in page.get("Contents", []))
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def delete(self, bucket: str, keys: list[str]) -> None:
        """Delete objects."""
        for start in range(0, len(keys), _MOST):
            some = [{"Key": key} for key in keys[start : start + _MOST]]
            self.send("delete_objects", Bucket=bucket, Delete={"Objects": some, "Quiet": True})

    def remove(self, bucket: str) -> None:
        """Delete a bucket and all that it holds."""
        self.delete(bucket, [key for key, _ in self.listed(bucket)])
        self.send("delete_bucket", Bucket=bucket)

    def clear(self, prefix: str) -> None:
        """Delete all buckets whose names begin with a prefix, if the service is still there."""
        with suppress(BadSetting, self.ClientError):
            for name in self.names():
                if name.startswith(prefix):
                    self.remove(name)

    def refuse_others(self, prefix: str, remedy: str) -> None:
        """Raises BadSetting where there are buckets whose names begin otherwise."""
        others = [name for name in self.names() if not name.startswith(prefix)]
        if others:
            some = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
            raise BadSetting(f"S3 at {self._endpoint} holds buckets that are not ours ({some}): {remedy}")

    def _foreign(self, answer: str = "") -> BadSetting:
        return BadSetting(f"what answers at {self._endpoint} does not speak S3{answer}; name one that does")


# The service at an address; one for all who ask. Raises BadSetting for what is no address.
address_of = cache(Address)


_ABSENT = ("404", "NoSuchBucket", "NoSuchKey", "NotFound")
# When (bucket, key) was last written, where that was before the conversation; a key of None is the bucket itself.
Moments = dict[tuple[str, str | None], datetime]


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
        moments: Moments = {(bucket.name, None): bucket.created for bucket in account.buckets}
        moments |= {(bucket.name, one.key): one.modified for bucket in account.buckets for one in bucket.objects}
        self.rewind(_Mark(regions, account.contents, moments))

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
        found = self._found("get_bucket_location", Bucket=bucket)
        return None if found is None else found["LocationConstraint"] or "us-east-1"

    def content(self, bucket: str, key: str) -> bytes | None:
        """What an object holds."""
        found = self._found("get_object", Bucket=bucket, Key=key)
        return None if found is None else found["Body"]

    def contents(self) -> Contents:
        """All that is stored. What is known by its tag is not asked for again."""
        found: dict[str, dict[str, bytes]] = {}
        for bucket in self._buckets():
            found[bucket] = {}
            for key, tag in self._address.listed(self._prefix + bucket):
                known = self._known.get((bucket, key, tag))
                data = self.content(bucket, key) if known is None else known
                if data is not None:  # nobody deleted it in the meantime
                    found[bucket][key] = self._known[bucket, key, tag] = data
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
                where = {"CreateBucketConfiguration": {"LocationConstraint": mark.regions[bucket]}}
                self.call("create_bucket", {"Bucket": bucket, **(where if mark.regions[bucket] != "us-east-1" else {})})
            for key, data in held.items():
                if there is None or there.get(key) != data:
                    put = self.call("put_object", {"Bucket": bucket, "Key": key, "Body": data})
                    self._known[bucket, key, put.get("ETag", "")] = data
        self._moments = dict(mark.moments)

    def _buckets(self) -> list[str]:
        return [self._outward(name) for name in self._address.names() if name.startswith(self._prefix)]

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
        if name == "Bucket" and isinstance(value, str):
            return self._prefix + value
        if name == "CopySource" and isinstance(value, str):
            return self._prefix + value.lstrip("/")
        if name == "CopySource" and isinstance(source := object_of(value).get("Bucket"), str):
            return {**value, "Bucket": self._prefix + source}
        return value

    def _outward(self, bucket: str) -> str:
        return bucket.removeprefix(self._prefix)

    def _found(self, operation: str, **arguments: str) -> dict[str, Any] | None:
        """The response to an operation; None where there is no such bucket or object."""
        try:
            return self.call(operation, arguments)
        except self._address.ClientError as error:
            told: Any = error
            if told.response["Error"]["Code"] not in _ABSENT:
                raise
            return None
