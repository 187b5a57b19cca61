"""The world `s3`: an account whose operations are executed by boto3, on moto in this process or at an address.

Contract: calls are named as boto3's methods and take S3's own arguments; a Body may be a text, or `{"base64": ...}`.
Results hold what the documents say, no metadata of the response. Errors of the service are faults whose type is the
service's code (`NoSuchBucket`); those that boto3 finds itself are named as its exceptions (`ParamValidationError`).
Tables: `Bucket` (name → region), `Object/BUCKET` (key → content).

At an address everything stands behind a prefix: the world makes, reads, changes and deletes buckets whose names begin
with it and no others, and callers never see it. Credentials come from where boto3 finds them. A service that does not
answer is a BadSetting.

Example:
    >>> from toologue.schema import Call
    >>> world = S3()
    >>> world.do(Call(api="list_objects", arguments={"Bucket": "larkfield"})).error.type
    'NoSuchBucket'
    >>> note = Call(api="put_object", arguments={"Bucket": "larkfield-scratch", "Key": "note.txt", "Body": "Hi"})
    >>> world.do(note).changes
    {'Object/larkfield-scratch/note.txt': {'content': 'Hi'}}

Not covered: operations beyond the documented eleven, versions, access rights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import JsonValue

from toologue.apis.schemas import object_of
from toologue.errors import UserError, summary
from toologue.schema import Act, Api, Fault, Result
from toologue.worlds.s3.account import DEFAULT, load_account
from toologue.worlds.s3.documents import apis, by_name
from toologue.worlds.s3.refusals import refusal
from toologue.worlds.s3.service import Contents, Service
from toologue.worlds.s3.values import as_boto3, as_json, bytes_of, content_of
from toologue.worlds.store import path_of


class S3:
    """One account. `account`: a file, or the one that ships; `endpoint`: an address, with a `prefix` for buckets."""

    raises = ("NoSuchBucket", "NoSuchKey", "BucketAlreadyExists", "BucketAlreadyOwnedByYou", "BucketNotEmpty",
              "InvalidBucketName", "InvalidLocationConstraint")  # fmt: skip
    """The faults that programs know by name."""

    def __init__(self, account: str = DEFAULT, *, endpoint: str | None = None, prefix: str = ""):
        self.now = load_account(account).now
        self.blocking = endpoint is not None
        self._service = _service(account, endpoint, prefix)

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of the eleven operations."""
        return apis()

    def do(self, act: Act) -> Result:
        """Execute a call."""
        if act.kind != "call":
            return _failed("unsupported", f"the world 's3' has no {act.kind} acts")
        if act.arguments is None:
            return _failed("parse", "the arguments are no JSON object")
        if act.api not in by_name():
            return _failed("AttributeError", f"'S3' object has no attribute '{act.api}'")
        try:
            refused = refusal(act.api, act.arguments)
            return self._done(by_name()[act.api], act.arguments) if refused is None else Result(error=refused)
        except UserError:
            raise  # nobody answers at the address any more
        except Exception as error:  # noqa: BLE001 (a declared boundary: World.do)
            return Result(error=_fault(error))

    def mark(self) -> Any:
        """The present state."""
        return self._service.mark()

    def rewind(self, mark: Any) -> None:
        """Return to a marked state."""
        self._service.rewind(mark)

    def contents(self) -> Contents:
        """The bytes of every object, by bucket and key."""
        return self._service.contents()

    def outward(self, api: Api, value: JsonValue) -> Any:
        """A result as boto3 gives it to a program."""
        return as_boto3(api.returns, value)

    def _done(self, api: Api, arguments: Mapping[str, JsonValue]) -> Result:
        rows = _written(arguments) if api.writes else []
        old = [self._row(bucket, key) for bucket, key in rows]
        response = self._service.call(api.name, _sent(arguments))
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
            region = self._service.region(bucket)
            return None if region is None else {"region": region}
        content = self._service.content(bucket, key)
        return None if content is None else {"content": content_of(content)}


def _service(account: str, endpoint: str | None, prefix: str) -> Service:
    if endpoint is None:
        from toologue.worlds.s3.memory import Memory

        return Memory(load_account(account))
    from toologue.worlds.s3.remote import Remote

    return Remote(load_account(account), endpoint, prefix)


def _written(arguments: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """(bucket, key) of what a writing call may write; a key of None is the bucket itself."""
    bucket, named = arguments.get("Bucket"), object_of(arguments.get("Delete")).get("Objects")
    keys: list[Any] = [arguments.get("Key")]
    if isinstance(named, list):
        keys = [object_of(one).get("Key") for one in cast("list[Any]", named)]
    texts = dict.fromkeys(key for key in keys if key is None or isinstance(key, str))
    return [(bucket, key) for key in texts] if isinstance(bucket, str) else []


def _sent(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as boto3 takes them."""
    sent = dict(arguments)
    if isinstance(sent.get("Body"), dict):
        sent["Body"] = bytes_of(sent["Body"])
    return sent


def _fault(error: Exception) -> Fault:
    """An exception of boto3 as data."""
    told = object_of(object_of(getattr(error, "response", None)).get("Error"))
    kind, message = (told["Code"], told.get("Message", "")) if told else summary(error)
    return Fault(type=kind, message=message)


def _failed(kind: str, message: str) -> Result:
    return Result(error=Fault(type=kind, message=message))
