"""An address at which a service speaks S3: what is sent there, and what keeps us from speaking with it.

Contract: a service that cannot be reached, does not let us in or does not speak S3 is a BadSetting, whenever that
shows, after some seconds; what it refuses otherwise is boto3's `ClientError`.

Example:
    >>> address_of("nowhere")
    Traceback (most recent call last):
    ...
    toologue.errors.BadSetting: 'nowhere' is no address of a service, as http://127.0.0.1:5000 is

Not covered: addresses that need other credentials than boto3 finds.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from toologue.errors import BadSetting
from toologue.worlds.s3.service import client

_MOST = 1000
"""So many objects can be deleted at once."""


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
        with self._heard():
            response: dict[str, Any] = getattr(self._client, operation)(**arguments)
            if "Body" in response:
                response["Body"] = response["Body"].read()
        return response

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

    @contextmanager
    def _heard(self) -> Generator[None]:
        from botocore import exceptions, parsers  # pyright: ignore[reportMissingTypeStubs]

        try:
            yield
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            wanted = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            raise BadSetting(f"S3 at {self._endpoint} wants credentials ({error}): {wanted}") from None
        except (exceptions.ConnectionError, exceptions.HTTPClientError) as error:
            raise BadSetting(f"cannot reach S3 at {self._endpoint}: {error}") from None
        except parsers.ResponseParserError:
            raise self._foreign() from None

    def _foreign(self, answer: str = "") -> BadSetting:
        return BadSetting(f"what answers at {self._endpoint} does not speak S3{answer}; name one that does")


@cache
def address_of(endpoint: str) -> Address:
    """The service at an address; one for all who ask. Raises BadSetting for what is no address."""
    return Address(endpoint)
