"""What a world of S3 needs of a service: calls as boto3 makes them, what is stored, and a way back.

Contract: `call` returns boto3's response with bodies read, and raises what boto3 raises. `contents` is what signatures
are made of. `mark` is a value; `rewind` brings back names, keys and contents as they were.

Example:
    >>> client("http://127.0.0.1:1", attempts=1, aws_access_key_id="-", aws_secret_access_key="-").meta.region_name
    'us-east-1'

Not covered: who counts as owner; a service shows one account.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from toologue.errors import BadSetting

Contents = Mapping[str, Mapping[str, bytes]]
"""The bytes by bucket and key."""


class Service(Protocol):
    """S3 in this process, or at an address."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do one operation, named as boto3's method."""
        ...

    def region(self, bucket: str) -> str | None:
        """Where a bucket is, None where there is no such bucket."""
        ...

    def content(self, bucket: str, key: str) -> bytes | None:
        """What an object holds, None where there is no such object."""
        ...

    def contents(self) -> Contents:
        """All that is stored."""
        ...

    def mark(self) -> Any:
        """The present state, as a value."""
        ...

    def rewind(self, mark: Any) -> None:
        """Return to a marked state."""
        ...


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
