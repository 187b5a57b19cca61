"""The world `s3`: an account of the object store S3, for programs and for calls (Dialog2API, section 4).

Dialogues say which account (without arguments the one that ships); where it is played is for whoever runs them to say:
with `TOOLOGUE_S3_ENDPOINT` in the environment every case gets buckets of its own at that address (`s3_for`).

Example:
    >>> from toologue.schema import Call
    >>> S3().do(Call(api="get_bucket_location", arguments={"Bucket": "larkfield-office"})).value
    {'LocationConstraint': 'eu-central-1'}

Not covered: buckets that a process leaves at an address when it is killed (`s3.remote`).
"""

from __future__ import annotations

from toologue.worlds.s3.account import apis, as_boto3, content_of, load_account
from toologue.worlds.s3.signature import signature
from toologue.worlds.s3.simulator import KIND, S3

__all__ = ["KIND", "S3", "apis", "as_boto3", "content_of", "load_account", "signature"]
