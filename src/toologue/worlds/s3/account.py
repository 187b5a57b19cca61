"""An account of S3: the buckets, the objects and the hour with which a world begins.

    now: 2025-06-02T09:00:00Z
    buckets:
    - name: larkfield-office
      region: eu-central-1                # us-east-1 where absent
      created: 2023-11-06T08:15:00Z
      objects:
      - {key: notes/todo.txt, modified: 2025-05-30T17:45:00Z, content: "order chains\\n", repeat: 1}

Contract: YAML or JSON; `content` is a text, or `{base64: ...}`; it stands `repeat` times in the object. Names and keys
are unique. Whatever is wrong is a BadRecord with file, line and path.

Example:
    >>> account = load_account("larkfield")
    >>> account.buckets[0].name, account.now.year
    ('larkfield-office', 2025)

Not covered: versions, tags, access lists, metadata of objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, ValidationError

from toologue.data import Source, read_source
from toologue.errors import BadFile
from toologue.keys import file_key
from toologue.schema.noun import Noun
from toologue.worlds.s3.values import bytes_of

DEFAULT = "larkfield"
"""The name of the account that ships."""

Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.astimezone(UTC))]


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
    def contents(self) -> Mapping[str, Mapping[str, bytes]]:
        """The bytes by bucket and key."""
        return {bucket.name: {one.key: one.data for one in bucket.objects} for bucket in self.buckets}


def load_account(name: str) -> Account:
    """The account of a file, or the one that ships. A file is read again when it changes."""
    file = _file(name)
    return _load(file, file.stat().st_mtime_ns)


def _file(name: str) -> Path:
    """The file that an account's name stands for. Raises BadFile where there is none."""
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
    _check_unique(account, source)
    return account


def _check_unique(account: Account, source: Source) -> None:
    names = [bucket.name for bucket in account.buckets]
    for at, bucket in enumerate(account.buckets):
        if bucket.name in names[:at]:
            raise source.bad(("buckets", at, "name"), f"a second bucket {bucket.name!r}", "names are unique")
        keys: set[str] = set()
        for number, one in enumerate(bucket.objects):
            if one.key in keys:
                place = ("buckets", at, "objects", number, "key")
                raise source.bad(place, f"a second object {one.key!r} in {bucket.name}", "keys are unique")
            keys.add(one.key)
