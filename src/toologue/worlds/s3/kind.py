"""The registered world `s3`: which account a setting names, where it is played, and how its outcomes compare.

Contract: `s3_for(case)` is the case's own account, in this process, or at the address that is given or that the
environment has as `TOOLOGUE_S3_ENDPOINT`. There its buckets are called `toologue-KEY-...`, and a service that holds any
others is refused, unless `TOOLOGUE_S3_PREFIX` says what ours begin with: then the others stay as they are.

Example:
    >>> KIND.by_name["put_object"].writes
    True

Not covered: an address in a dialogue's setting; files from elsewhere must not decide where requests go.
"""

from __future__ import annotations

import os

from pydantic import BaseModel, ConfigDict, ValidationError

from toologue.data import complaint
from toologue.errors import BadSetting
from toologue.schema import Case, Setting
from toologue.worlds.s3 import account
from toologue.worlds.s3.address import address_of
from toologue.worlds.s3.documents import apis
from toologue.worlds.s3.simulator import S3
from toologue.worlds.world import Kind

_OWN = "toologue-"


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    account: str = account.DEFAULT


def s3_for(case: Case, endpoint: str = "") -> S3:
    """The account of a case. Raises BadSetting."""
    endpoint = endpoint or os.environ.get("TOOLOGUE_S3_ENDPOINT", "")
    if not endpoint:
        return S3(_account(case.world))
    return S3(_account(case.world), endpoint=endpoint, prefix=f"{prefix_at(endpoint)}{case.key[:8]}-")


def prefix_at(endpoint: str) -> str:
    """With what the names of our buckets begin at an address. Raises BadSetting where we cannot or may not use it."""
    named = os.environ.get("TOOLOGUE_S3_PREFIX", "")
    remedy = f"set TOOLOGUE_S3_PREFIX={_OWN} and none is touched whose name does not begin so"
    address_of(endpoint).refuse_others("" if named else _OWN, remedy)
    return named or _OWN


def _account(setting: Setting) -> str:
    try:
        return _Arguments.model_validate(setting.arguments).account
    except ValidationError as error:
        place, what = complaint(error)
        raise BadSetting(f"the world 's3', {'.'.join(map(str, place))}: {what}; it takes account") from None


KIND = Kind(make=s3_for, documents=apis, data_key=lambda setting: account.data_key(_account(setting)))
