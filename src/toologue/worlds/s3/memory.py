"""S3 in this process: a boto3 client whose requests moto answers, with an account of its own for every world.

Nothing leaves the process, and nobody else's boto3 or moto is touched: the client has the only hook, and moto's state
is the world's while a call lasts, under a lock. A mark is a copy of the state; worlds of one account share the first.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from copy import copy
from datetime import datetime
from functools import cache, lru_cache
from threading import RLock
from typing import Any
from unittest.mock import patch

from toologue.worlds.s3.account import Account, Contents, by_name, client, missing, respond

_OWNER, _PARTITION, _ADDRESS = "123456789012", "aws", "https://s3.amazonaws.com"
# Moto's buckets by name.
State = dict[str, Any]
# Whoever holds it has moto's state to himself.
_LOCK = RLock()


class Memory:
    """One account, held by moto."""

    def __init__(self, account: Account):
        self._now = account.now.replace(tzinfo=None)  # moto's moments are naive
        self._saved: State | None = _state(account)  # pyright: ignore[reportArgumentType] (frozen: it hashes)
        self._live: State | None = None

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do one operation."""
        buckets = self._buckets()
        old = set(buckets)
        if by_name()[operation].writes:
            self._saved = None
        with _installed(buckets, self._now):
            response = respond(_client(), operation, arguments)
        for name in buckets.keys() - old:
            buckets[name].creation_date = self._now
        return response

    def region(self, bucket: str) -> str | None:
        """Where a bucket is."""
        found = self._buckets().get(bucket)
        return None if found is None else found.region_name

    def content(self, bucket: str, key: str) -> bytes | None:
        """What an object holds."""
        found = self._buckets().get(bucket)
        return found.keys[key].value if found is not None and key in found.keys else None

    def contents(self) -> Contents:
        """All that is stored."""
        return {name: {k: one.value for k, one in bucket.keys.items()} for name, bucket in self._buckets().items()}

    def mark(self) -> State:
        """The present state."""
        if self._saved is None:
            self._saved = _copied(self._buckets(), self._now)
        return self._saved

    def rewind(self, mark: State) -> None:
        """Return to a marked state."""
        if mark is not self._saved:
            self._saved, self._live = mark, None

    def _buckets(self) -> State:
        if self._live is None:
            self._live = _copied(self.mark(), self._now)
        return self._live


@cache
def _client() -> Any:
    made = client(_ADDRESS, attempts=1, aws_access_key_id=_OWNER, aws_secret_access_key=_OWNER)
    from moto.core.botocore_stubber import BotocoreStubber

    stubber = BotocoreStubber()
    stubber.enabled = True

    def answer(**event: Any) -> Any:
        answered = stubber(**event)
        if answered is None:
            raise RuntimeError(f"moto does not know {event['request'].url}, and nothing is sent anywhere")
        return answered

    made.meta.events.register("before-send.s3", answer)
    return made


@contextmanager
def _installed(buckets: dict[str, Any], now: datetime) -> Generator[Any]:
    """Moto with these buckets and this clock, and as it was afterwards."""
    models, backends = _models(), _models().s3_backends
    with _LOCK:
        backend = backends[_OWNER][_PARTITION]
        owners = dict.fromkeys(buckets, (_PARTITION, _OWNER))
        tracked = [(instances, len(instances)) for instances in _tracked()]
        try:
            with (
                patch.object(backend, "buckets", buckets),
                patch.object(backends, "bucket_accounts", owners),
                patch.object(models, "utcnow", lambda: now),
            ):
                yield backend
        finally:  # moto would keep all that there ever was, and warn of keys that go
            for instances, count in tracked:
                for one in instances[count:]:
                    one.disposed = True
                del instances[count:]


@cache
def _models() -> Any:
    try:
        from moto.s3 import models
    except ImportError:
        raise missing() from None
    return models


@cache
def _tracked() -> list[list[Any]]:
    """The lists in which moto keeps what it makes."""
    held: dict[str, Any] = _models().__dict__
    return [kind.instances_tracked for kind in held.values() if hasattr(kind, "instances_tracked")]


@lru_cache(maxsize=32)
def _state(account: Account) -> State:
    buckets: State = {}
    for bucket in account.buckets:
        with _installed(buckets, bucket.created.replace(tzinfo=None)) as backend:
            backend.create_bucket(bucket.name, bucket.region).creation_date = bucket.created
        for one in bucket.objects:
            with _installed(buckets, one.modified.replace(tzinfo=None)) as backend:
                backend.put_object(bucket.name, one.key, one.data)
    return buckets


def _copied(buckets: State, now: datetime) -> State:
    """A copy, down to the objects' bytes: what the operations alter. `deepcopy` takes some times as long."""
    made: State = {}
    with _installed({}, now):
        for name, bucket in buckets.items():
            made[name] = twin = copy(bucket)
            twin.keys = type(bucket.keys)()
            for key in bucket.keys:
                twin.keys[key] = copy(bucket.keys[key])
    return made
