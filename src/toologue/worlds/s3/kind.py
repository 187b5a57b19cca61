"""The registered world `s3`: which account a setting names, and how its outcomes compare.

Example:
    >>> KIND.by_name["put_object"].writes
    True

Not covered: an address in a dialogue's setting; files from elsewhere must not decide where requests go.
"""

from __future__ import annotations

import os

from pydantic import BaseModel, ConfigDict, ValidationError

from toologue.apis.source import complaint
from toologue.errors import BadSetting
from toologue.schema import Case, Setting
from toologue.worlds.s3 import account
from toologue.worlds.s3.documents import apis
from toologue.worlds.s3.simulator import S3
from toologue.worlds.world import Kind

__all__ = ["KIND"]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    account: str = account.DEFAULT


def _make(case: Case) -> S3:
    endpoint, prefix = os.environ.get("TOOLOGUE_S3_ENDPOINT"), os.environ.get("TOOLOGUE_S3_PREFIX", "")
    own = f"{prefix}{case.key[:8]}-" if prefix else ""
    return S3(_account(case.world), endpoint=endpoint or None, prefix=own)


def _account(setting: Setting) -> str:
    try:
        return _Arguments.model_validate(setting.arguments).account
    except ValidationError as error:
        place, what = complaint(error)
        raise BadSetting(f"the world 's3', {'.'.join(map(str, place))}: {what}; it takes account") from None


KIND = Kind(make=_make, documents=apis, data_key=lambda setting: account.data_key(_account(setting)))
