"""S3 at an address: the same world over HTTP, behind a prefix, and nothing else at that address is touched."""

from __future__ import annotations

import boto3
import pytest
from http_s3 import serving

from toologue.errors import BadSetting
from toologue.schema import Call, Case, Setting
from toologue.worlds.s3 import KIND, S3, signature

SOURCE = {"Bucket": "aaa", "Key": "k/ü 1.txt"}
SCRIPT = [
    Call(api="list_buckets"),
    Call(api="list_objects", arguments={"Bucket": "aaa", "Prefix": "k/"}),
    Call(api="get_object", arguments={"Bucket": "aaa", "Key": "k/ü 1.txt"}),
    Call(api="create_bucket", arguments={"Bucket": "ccc"}),
    Call(api="put_object", arguments={"Bucket": "ccc", "Key": "bin", "Body": {"base64": "/w=="}}),
    Call(api="copy_object", arguments={"Bucket": "ccc", "Key": "c", "CopySource": SOURCE}),
    Call(api="copy_object", arguments={"Bucket": "ccc", "Key": "d", "CopySource": "aaa/k/2"}),
    Call(api="delete_objects", arguments={"Bucket": "aaa", "Delete": {"Objects": [{"Key": "k/2"}]}}),
    Call(api="delete_object", arguments={"Bucket": "ccc", "Key": "bin"}),
    Call(api="delete_bucket", arguments={"Bucket": "bbb"}),
    Call(api="delete_bucket", arguments={"Bucket": "aaa"}),
    Call(api="get_object", arguments={"Bucket": "others", "Key": "k"}),
    Call(api="head_bucket", arguments={"Bucket": "bbb"}),
    Call(api="get_bucket_location", arguments={"Bucket": "aaa"}),
    Call(api="list_buckets"),
]


@pytest.fixture
def account(tmp_path):
    file = tmp_path / "account.yaml"
    file.write_text(
        """
now: 2025-06-02T09:00:00Z
buckets:
- name: aaa
  region: eu-west-1
  created: 2024-01-01T00:00:00Z
  objects:
  - {key: k/ü 1.txt, modified: 2024-01-01T00:00:00Z, content: one}
  - {key: k/2, modified: 2024-01-01T00:00:00Z, content: {base64: /w==}}
- {name: bbb, created: 2024-01-01T00:00:00Z}
""",
        "utf-8",
    )
    return str(file)


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with serving() as address:
        yield address


def timeless(value):
    """A value without moments."""
    if isinstance(value, dict):
        return {name: timeless(part) for name, part in value.items() if name not in ("LastModified", "CreationDate")}
    return [timeless(part) for part in value] if isinstance(value, list) else value


def test_it_is_the_same_world(account, address):
    near, far = S3(account), S3(account, endpoint=address, prefix="tl-")
    assert far.blocking
    for call in SCRIPT:
        one, other = near.do(call), far.do(call)
        assert timeless(other.model_dump()) == timeless(one.model_dump())
    assert signature(far) == signature(near)


def test_marks_are_a_way_back(account, address):
    far = S3(account, endpoint=address, prefix="tl-")
    start, sign = far.mark(), signature(far)
    for call in SCRIPT[3:9]:
        far.do(call)
    end = far.mark()
    far.rewind(start)
    assert signature(far) == sign
    assert far.do(SCRIPT[-2]).value == {"LocationConstraint": "eu-west-1"}
    far.rewind(end)
    assert far.mark() == end


def test_a_world_begins_anew_and_leaves_what_is_not_its_own(account, address):
    client = boto3.client("s3", endpoint_url=address, region_name="us-east-1")
    client.create_bucket(Bucket="others")
    client.put_object(Bucket="others", Key="k", Body=b"theirs")
    first = S3(account, endpoint=address, prefix="tl-")
    first.do(Call(api="put_object", arguments={"Bucket": "bbb", "Key": "left", "Body": "over"}))
    names = [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]
    assert sorted(names) == ["others", "tl-aaa", "tl-bbb"]
    assert signature(S3(account, endpoint=address, prefix="tl-")) == signature(S3(account))
    assert client.get_object(Bucket="others", Key="k")["Body"].read() == b"theirs"
    client.close()


@pytest.mark.parametrize("prefix", ["", "a", "Own-", "a/b", "x" * 40])
def test_an_address_needs_a_prefix(account, address, prefix):
    with pytest.raises(BadSetting, match="needs a prefix"):
        S3(account, endpoint=address, prefix=prefix)


def test_the_environment_says_where_cases_are_played(account, address, monkeypatch):
    monkeypatch.setenv("TOOLOGUE_S3_ENDPOINT", address)
    case = Case(id="c", world=Setting(name="s3", arguments={"account": account}), protocol="recorded")
    with pytest.raises(BadSetting, match="needs a prefix"):
        KIND.make(case)
    monkeypatch.setenv("TOOLOGUE_S3_PREFIX", "tl-")
    one, two = KIND.make(case), KIND.make(case.but(trial=1))
    one.do(SCRIPT[3])
    assert signature(two) == signature(S3(account)) != signature(one)
